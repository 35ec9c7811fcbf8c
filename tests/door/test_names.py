"""Names that people of other libraries import: the error has the line to write."""

import copy
import pickle
import pydoc
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from inspect import getmembers, getmodule, signature

import pytest

import sklearn_rank
from sklearn_rank import metrics
from tests.public_modules import MODULES as DOCUMENTED

ALL_MODULES = ("sklearn_rank", *DOCUMENTED, "sklearn_rank.typing")

# What scripts imported, and the names that the line to write has.
GUESSES = """
inputs: from_dicts from_dict from_lists qrels -> inputs from_item_lists
inputs: read_qrels read_run load_qrels load_run parse_qrel -> inputs from_files
inputs: write_run -> inputs to_trec
inputs: from_frame from_pandas -> inputs from_frames
recommenders: ItemNeighbors ItemKNN KNNBasic CosineRecommender SessionNeighbors SAR \
    -> recommenders ItemNeighborsRecommender
recommenders: ALS BPR AlternatingLeastSquares WRMF -> recommenders ImplicitRecommender
recommenders: SVD NMF MF -> recommenders MatrixFactorizationRecommender
recommenders: MostPopular -> recommenders PopularityRecommender
recommenders: NextBasketRecommender NextBasket -> recommenders RepeatRecommender
recommenders: MMR Reranker -> recommenders RerankingRecommender
recommenders: BaseRecommender -> recommenders RecommenderMixin
recommenders: save -> recommenders save_model
recommenders: EASE -> recommenders EASERecommender
recommenders: SLIM -> recommenders SLIMRecommender
recommenders: UserKNN -> recommenders UserNeighborsRecommender
recommenders: SASRec LightGCN -> recommenders FactorsRecommender
metrics: mrr_score RetrievalMRR -> metrics mean_reciprocal_rank_score
metrics: hit_rate_score top_k_accuracy_score -> metrics hit_rate_at_k_score
metrics: recall_score context_recall -> metrics recall_at_k_score
metrics: average_precision_score map_score context_precision \
    -> metrics mean_average_precision_score
metrics: auc_score gauc_score -> metrics roc_auc_per_query_score
metrics: rbo_score -> metrics rank_biased_overlap_score
metrics: evaluate calc_metrics -> metrics ranking_scores
metrics: iter_calc -> metrics per_query_scores
metrics: make_scorer -> metrics make_ranking_scorer
metrics: sample_negatives -> metrics sampled_ranking_scores
model_selection: TimeHoldout TimeSeriesSplit -> model_selection TimeSplit
model_selection: LeaveOneOut LastNSplitter -> model_selection LeaveLastOut
model_selection: cross_validate -> model_selection cross_validate_per_query
model_selection: train_test_split -> model_selection train_valid_test_split
rankers: rrf -> rankers RankFusion
rankers: fuse fuse_rankings -> rankers fuse_runs
rankers: LambdaMART -> rankers GroupRanker
rankers: RankSVM -> rankers PairwiseRanker
statistics: ab_test cuped -> online compare_variants
online: ab_test cuped -> online compare_variants
online: sample_ratio_mismatch srm -> online sample_ratio_test
online: ips snips -> online off_policy_value
online: team_draft -> online team_draft_interleave
statistics: compare paired_test ttest_rel compare_many tost -> \
    statistics compare_models
statistics: gate non_inferiority regression_gate -> statistics gate_model
statistics: bootstrap_ci -> statistics confidence_interval
statistics: power mde sample_size -> statistics plan_evaluation
online: power users_per_arm NormalIndPower -> statistics plan_evaluation
experiments: tune GridSearchCV -> experiments tune_models
experiments: evaluate Experiment -> experiments evaluate_models
"""
# Modules that scripts imported: where the names are, and how many the line has.
MODULES = {
    "statistics": "stats comparison",
    "distributed": "engines spark duckdb",
    "model_selection": "splitters",
    "recommenders": "models base reranking",
    "rankers": "fusion ltr",
    "online": "ab interleaving off_policy",
    "inputs": "judgments io outputs",
    "metrics": "plotting scorers",
    "experiments": "tuning",
}
GUESSED = [
    pytest.param(f"sklearn_rank.{module}", guess, meant, id=f"{module}.{guess}")
    for line in GUESSES.strip().splitlines()
    for module, guesses, meant in [re.split(r": | -> ", line)]
    for guess in guesses.split()
]
GUESSED_MODULES = [
    (one, where) for where, names in MODULES.items() for one in names.split()
]


def import_error(line):
    """Return the text of the error of a line that imports."""
    with pytest.raises(ImportError) as raised:
        exec(line, {})
    assert not isinstance(raised.value, ModuleNotFoundError)
    return str(raised.value)


def write(text):
    """Run the line that an error says to write, and return what it imports."""
    imported = {}
    line = re.search(r"from [\w.]+ import \w+(, \w+)*", text)
    exec(line.group(), {}, imported)
    return imported


@pytest.mark.parametrize(("module", "guess", "meant"), GUESSED)
def test_a_guessed_name_has_the_line_to_write(module, guess, meant):
    where, name = meant.split()
    text = import_error(f"from {module} import {guess}")
    assert text.startswith(f"{module} has no name {guess!r}. ")
    assert f"from sklearn_rank.{where} import {name}" in text
    assert set(write(text)) == {name}


@pytest.mark.parametrize(("guess", "where"), GUESSED_MODULES)
def test_a_guessed_module_has_a_line_with_names(guess, where):
    text = import_error(f"from sklearn_rank import {guess}")
    assert text.startswith(f"sklearn_rank has no module {guess!r}. ")
    assert f"from sklearn_rank.{where} import " in text
    assert 1 <= len(write(text)) <= 4


def test_judgments_are_in_two_modules():
    text = import_error("from sklearn_rank import judgments")
    assert "sklearn_rank.inputs import make_pool" in text
    assert "or from sklearn_rank.statistics import rater_agreement" in text


def test_a_name_as_a_module():
    text = import_error("from sklearn_rank import explain_difference")
    assert text.endswith("Write: from sklearn_rank.metrics import explain_difference")


def test_parameters_that_a_name_implies_are_said():
    text = import_error("from sklearn_rank.metrics import context_precision")
    assert text.endswith(
        "; then mean_average_precision_score(..., denominator='retrieved')"
    )
    text = import_error("from sklearn_rank.metrics import RetrievalMAP")
    assert "mean_average_precision_score(..., denominator='retrieved')" in text
    assert text.endswith("As text: 'RetrievalMAP'.")  # its own denominator as text
    text = import_error("from sklearn_rank.statistics import tost")
    assert text.endswith("; then compare_models(..., margin=...)")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("metrics import kendall_tau", "from scipy.stats import kendalltau"),
        ("metrics import cohen_kappa", "from sklearn.metrics import cohen_kappa_score"),
        (
            "exceptions import UndefinedMetricWarning",
            "from sklearn.exceptions import UndefinedMetricWarning",
        ),
        ("recommenders import SASRec", "no neural models"),
        ("metrics import rmse", "from sklearn.metrics import root_mean_squared_error"),
        ("metrics import pr_auc", "not a metric here: take 'map'"),
        ("typing import Arraylike", "from sklearn_rank.typing import ArrayLike"),
        ("inputs import ArrayLike", "from sklearn_rank.typing import ArrayLike"),
        ("metrics import show_versions", "from sklearn_rank import show_versions"),
        ("metrics import statistics", "from sklearn_rank import statistics"),
    ],
)
def test_names_of_other_places(line, said):
    assert said in import_error(f"from sklearn_rank.{line}")


def test_of_two_meanings_the_module_decides():
    text = import_error("from sklearn_rank.metrics import evaluate")
    assert text.endswith("from sklearn_rank.metrics import ranking_scores")
    text = import_error("from sklearn_rank.experiments import evaluate")
    assert text.endswith("from sklearn_rank.experiments import evaluate_models")
    text = import_error("from sklearn_rank.metrics import popularity_score")
    assert "from sklearn_rank.metrics import popularity_at_k_score. As text: " in text
    text = import_error("from sklearn_rank.metrics import PerQuery")
    assert text.endswith("from sklearn_rank.metrics import PerQueryScores")
    text = import_error("from sklearn_rank.metrics import perquery")
    assert text.endswith("from sklearn_rank.metrics import per_query_scores")


def test_a_slip_has_the_nearest_name():
    text = import_error("from sklearn_rank.statistics import confidense_interval")
    assert text.endswith("Write: from sklearn_rank.statistics import confidence_interval")
    # Less alike is no slip, and no name of another module is guessed.
    text = import_error("from sklearn_rank.statistics import konfidens_intervall")
    assert ". It has confidence_interval, " in text
    assert "import" not in text


def test_a_name_that_nobody_means_has_the_names_there():
    text = import_error("from sklearn_rank.datasets import xyzzy")
    there = set(import_module("sklearn_rank.datasets").__all__)
    assert set(text.partition("It has ")[2][:-1].split(", ")) == there
    text = import_error("from sklearn_rank import xyzzy")
    modules = ", ".join(
        name for name in sklearn_rank.__all__ if name[:2] not in ("__", "sh")
    )
    assert text == f"sklearn_rank has no module 'xyzzy'. Its modules: {modules}."
    text = import_error("from sklearn_rank.metrics import xyzzy")
    more = len(metrics.__all__) - 12
    assert text.count(", ") == 11
    assert text.endswith(f" and {more} more.")


def public_names():
    return {
        (module, name) for module in ALL_MODULES for name in import_module(module).__all__
    }


def test_any_public_name_is_found_from_any_module():
    for home, name in sorted(public_names()):
        for module in ALL_MODULES[1:]:
            if name in import_module(module).__all__ or name == "__version__":
                continue
            text = import_error(f"from {module} import {name}")
            homes = [where for where, one in public_names() if one == name]
            assert any(text.endswith(f"from {where} import {name}") for where in homes), (
                home
            )


@pytest.mark.parametrize("module", ALL_MODULES)
def test_attributes_have_the_same_hint(module):
    found = import_module(module)
    with pytest.raises(AttributeError) as raised:
        found.recall_scor  # noqa: B018
    text = str(raised.value)
    assert text == import_error(f"from {module} import recall_scor")
    assert raised.value.name == "recall_scor"
    assert not hasattr(found, "recall_scor")
    assert getattr(found, "recall_scor", 3) == 3
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute '_scor'"):
        found._scor  # noqa: B018


def run_alone(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stdout, done.stderr


def test_python_adds_no_suggestion_of_its_own():
    _, errors = run_alone("import sklearn_rank.metrics as m; m.recall_score")
    line = (
        "Write: from sklearn_rank.metrics import recall_at_k_score. "
        "As text: 'recall_score@10'."
    )
    assert errors.endswith(f"{line}\n")
    _, errors = run_alone("from sklearn_rank.statistics import ab_test")
    last = "ImportError: sklearn_rank.statistics has no name 'ab_test'. Write: from "
    assert errors.endswith(f"{last}sklearn_rank.online import compare_variants\n")


def test_no_table_is_loaded_before_the_first_error():
    out, errors = run_alone(
        "import sys, sklearn_rank.metrics as m\n"
        "assert not hasattr(m, 'recall_score')\n"
        "try: m.recall_score\n"
        "except AttributeError as error: pass\n"
        "print([name for name in sys.modules if '_words' in name])"
    )
    assert (out, errors) == ("[]\n", "")


def test_a_guessed_module_is_python_s_own_error():
    """`import sklearn_rank` adds nothing to the import system."""
    code = (
        "import sys; before = list(sys.meta_path); import sklearn_rank.metrics\n"
        "print(sys.meta_path == before)"
    )
    assert run_alone(code) == ("True\n", "")
    for line in ("import sklearn_rank.engines", "from sklearn_rank.engines import X"):
        with pytest.raises(ModuleNotFoundError) as raised:
            exec(line)
        assert str(raised.value) == "No module named 'sklearn_rank.engines'"
    assert find_spec("sklearn_rank.engines") is None
    assert find_spec("sklearn_rank.metrics.nope") is None


def test_a_very_long_name_has_no_hint():
    # The time of a comparison grows with the square of the length.
    for name in ("recall" * 20, "ndcg_score" * 50_000):
        text = import_error(f"from sklearn_rank.metrics import {name}")
        assert "Write" not in text
    with pytest.raises(TypeError, match="It has y_true, y_score"):
        metrics.ndcg_score([1], [1], **{"group" * 50_000: [1]})
    with pytest.raises(AttributeError) as raised:
        getattr(metrics.Catalogue(), "to_frame" * 50_000)
    assert "Write" not in str(raised.value)


def test_pydoc_and_help_find_nothing(capsys):
    assert pydoc.locate("sklearn_rank.metrics.nope") is None
    assert pydoc.locate("sklearn_rank.nope") is None
    assert pydoc.locate("sklearn_rank.metrics.ndcg_score") is metrics.ndcg_score
    assert pydoc.locate("sklearn_rank.exceptions") is sklearn_rank.exceptions
    pydoc.Helper(output=sys.stdout).help("sklearn_rank.metrics.nope")
    assert "No Python documentation found for" in capsys.readouterr().out
    assert "ndcg_score" in pydoc.render_doc(metrics)


def test_other_packages_are_missing_as_ever():
    with pytest.raises(ModuleNotFoundError, match="No module named 'sklearn_rankings'"):
        exec("import sklearn_rankings")
    with pytest.raises(ModuleNotFoundError, match=r"'sklearn_rank\._nope'"):
        exec("import sklearn_rank._nope")
    with pytest.raises(ModuleNotFoundError, match=r"'sklearn_rank\._base\.nope'"):
        exec("import sklearn_rank._base.nope")


def test_a_name_of_a_module_that_is_being_imported_has_no_hint(monkeypatch):
    """A new file that imports from its own package: Python names the circle."""
    monkeypatch.delattr("sklearn_rank.recommenders.__getattr__")
    monkeypatch.delattr("sklearn_rank.recommenders.RecommenderMixin")
    with pytest.raises(ImportError, match="cannot import name 'RecommenderMixin'"):
        from sklearn_rank.recommenders import RecommenderMixin  # noqa: F401


@pytest.mark.parametrize("module", ALL_MODULES)
def test_all_names_are_imported_by_a_star(module):
    imported = {}
    exec(f"from {module} import *", imported)
    assert set(import_module(module).__all__) <= set(imported)


@pytest.mark.parametrize("module", ALL_MODULES)
def test_modules_can_be_inspected(module):
    found = import_module(module)
    assert {name for name, _ in getmembers(found)} >= set(found.__all__)
    assert not hasattr(found, "__wrapped__")


def test_errors_are_copied_and_pickled():
    with pytest.raises(AttributeError) as raised:
        metrics.recall_score  # noqa: B018
    error, text = raised.value, str(raised.value)
    assert str(pickle.loads(pickle.dumps(error))) == text
    assert str(copy.copy(error)) == text
    assert repr(error) == f"AttributeError({text!r})"


def test_functions_and_classes_are_pickled_by_name():
    for name in ("ndcg_score", "ranking_scores", "PerQueryScores"):
        found = getattr(metrics, name)
        assert pickle.loads(pickle.dumps(found)) is found
        assert getmodule(found).__name__.startswith("sklearn_rank.metrics.")
    assert "min_relevance" in signature(metrics.ranking_scores).parameters
