import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sklearn_rank
from sklearn_rank.metrics._core._families import FAMILIES
from tests.public_modules import MODULES

ROOT = Path(__file__).parents[1]
OPTIONAL = (
    "pandas",
    "polars",
    "matplotlib",
    "rich",
    "lightgbm",
    "xgboost",
    "catboost",
    "implicit",
    "dask",
    "pyarrow",
    "pyspark",
    "ray",
    "duckdb",
    "numpydoc",
)
# Names that users rely on; one that goes or changes its name breaks their code.
PROMISED = {
    "sklearn_rank.metrics": """
        precision_at_k_score recall_at_k_score f1_at_k_score hit_rate_at_k_score
        accuracy_at_k_score fallout_at_k_score r_precision_score
        mean_reciprocal_rank_score mean_average_precision_score cg_score dcg_score
        ndcg_score rank_biased_precision_score expected_reciprocal_rank_score
        q_measure_score bpref_score mean_rank_score roc_auc_per_query_score
        precision_recall_at_k_curve ranking_scores per_query_scores ranking_report
        make_ranking_scorer make_recommender_scorer
        interpolated_precision_curve label_propensity make_metric
        ap_correlation_score footrule_at_k_score overlap_at_k_score
        rank_biased_overlap_score ranking_similarity unjudged_bounds
        MetricAtKDisplay PrecisionRecallAtKDisplay PerQueryDisplay
        MetricBySegmentDisplay TradeOffDisplay RanksDisplay RiskCoverageDisplay""",
    "sklearn_rank.experiments": """
        ModelEvaluation ModelTuning default_models evaluate_models tune_models
    """,
    "sklearn_rank.statistics": """
        compare_candidates compare_models compare_runs confidence_interval
        fleiss_kappa_score gate_model judge_assisted_mean
        krippendorff_alpha_score partly_judged_scores plan_evaluation rank_models
        rater_agreement ModelComparison ModelComparisonDisplay ModelGate ModelRanking
        ModelRankingDisplay
        RaterAgreement""",
    "sklearn_rank.online": """
        compare_variant_sums compare_variants interleaving_test off_policy_value
        propensities_from_swaps sample_ratio_test team_draft_interleave
        InterleavingResult VariantComparison
        VariantLooksDisplay""",
    "sklearn_rank.model_selection": """
        LeaveLastOut LeaveRandomOut TimeSplit UserKFold UserTimeSplit
        Last Random""",
    "sklearn_rank.recommenders": """
        PopularityRecommender ItemNeighborsRecommender MatrixFactorizationRecommender
        EASERecommender ImplicitRecommender SLIMRecommender UserNeighborsRecommender
        RepeatRecommender FactorsRecommender RerankingRecommender TwoStageRecommender
        FeatureTable
        Explanation""",
    "sklearn_rank.rankers": """
        GroupRanker PairwiseRanker QueryFeatures RankFusion boosting_metric
        fuse_runs""",
    "sklearn_rank.distributed": "QueryScorer UserLists as_per_query_scores summarize",
    "sklearn_rank.inputs": """
        InteractionLog
        fill_unjudged from_frames from_item_lists from_ratings from_relevance from_runs
        from_files make_pool to_trec""",
    "sklearn_rank.datasets": """
        fetch_movielens make_click_log make_interactions make_ranking read_log""",
    "sklearn_rank.exceptions": "IncomparableIdsError MisleadingScoreWarning",
}


def python_files():
    for folder in ("sklearn_rank", "tests", "docs"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not {"_build", "auto_examples", "generated"} & set(path.parts):
                yield path


def is_private(dotted):
    """Return whether a dotted name of scikit-learn has a private part."""
    parts = dotted.split(".")
    is_dunder = [part.startswith("__") and part.endswith("__") for part in parts]
    private = [part.startswith("_") for part in parts]
    return parts[0] == "sklearn" and any(
        p and not d for p, d in zip(private, is_dunder, strict=True)
    )


def names_of_scikit_learn(tree):
    """Yield every dotted name that a module imports or looks up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and first_name(node) == "sklearn":
            yield ast.unparse(node)


def first_name(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def test_no_private_name_of_scikit_learn_is_used():
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in python_files()
        for name in names_of_scikit_learn(ast.parse(path.read_text(encoding="utf-8")))
        if is_private(name)
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "from sklearn.utils._param_validation import validate_params",
        "from sklearn.base import _fit_context",
        "import sklearn.metrics._scorer",
        "import sklearn\nsklearn.metrics._ranking.ndcg",
    ],
)
def test_private_names_would_be_found(code):
    assert any(is_private(name) for name in names_of_scikit_learn(ast.parse(code)))


@pytest.mark.parametrize("module", MODULES)
def test_promised_names_are_there(module):
    assert set(PROMISED[module].split()) <= set(import_module(module).__all__)


@pytest.mark.parametrize("module", MODULES)
def test_all_is_sorted_and_is_all_there_is(module):
    found = import_module(module)
    names = list(found.__all__)
    assert names == sorted(names)
    visible = {
        name
        for name in dir(found)
        if not name.startswith("_") and not inspect.ismodule(getattr(found, name))
    }
    assert visible - {"TYPE_CHECKING"} == set(names)


@pytest.mark.parametrize("file", FAMILIES)
def test_the_table_of_families_has_their_names(file):
    family = import_module(f"sklearn_rank.metrics._families.{file}")
    assert FAMILIES[file].split() == sorted(family.__all__)


def test_all_families_are_in_the_table():
    files = (ROOT / "sklearn_rank" / "metrics" / "_families").glob("_[a-z]*.py")
    registering = {file.stem for file in files if "__all__" in file.read_text("utf-8")}
    assert registering == set(FAMILIES)


# The first call of the commands must not load what takes a second or two.
HEAVY = ("pandas", "sklearn", "scipy", "joblib", "matplotlib", "pyarrow")
CALLS = {
    "a metric": "from sklearn_rank.metrics import ndcg_score as f; f([[1, 0]], [[2, 1]])",
    "inputs": "from sklearn_rank.inputs import from_item_lists as f; f({1: [2]}, {1: [2]})",
    "evaluate": "from sklearn_rank._cli import main; main(['evaluate', *map(str, %s)])",
}


@pytest.mark.parametrize("name", CALLS)
def test_heavy_libraries_are_loaded_when_they_are_needed(name, tmp_path):
    golden, lists = tmp_path / "golden.json", tmp_path / "lists.json"
    golden.write_text('{"a": ["x"], "b": []}')
    lists.write_text('{"a": ["y", "x"], "b": ["z"]}')
    call = CALLS[name].replace("%s", str([str(lists), str(golden)]))
    code = f"{call}\nimport sys\nprint([name for name in {HEAVY} if name in sys.modules])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.parametrize("module", MODULES)
def test_public_objects_say_where_they_are_from(module):
    found = import_module(module)
    for name in found.__all__:
        origin = getattr(getattr(found, name), "__module__", module)
        assert origin.startswith(f"{module}.") or origin == module


def test_the_version_is_public():
    assert sklearn_rank.__version__.split(".")[0].isdigit()


def run_alone(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_modules_are_imported_when_they_are_used():
    run_alone(
        "import sys, sklearn_rank\n"
        "assert 'numpy' not in sys.modules\n"
        "assert sklearn_rank.metrics.ndcg_score([[1, 0]], [[2, 1]]) == 1\n"
        "assert 'sklearn_rank.recommenders' not in sys.modules"
    )


def test_all_modules_are_listed():
    public = {*MODULES, "sklearn_rank.typing"}
    names = {name for name in dir(sklearn_rank) if not name.startswith("_")}
    assert names == {name.partition(".")[2] for name in public} | {"show_versions"}
    for name in names:
        assert getattr(sklearn_rank, name) is not None


def test_an_unknown_module_is_an_error():
    with pytest.raises(AttributeError, match=r"no module 'metric'. Write: from skl"):
        sklearn_rank.metric  # noqa: B018


def test_versions_are_shown_where_packages_are_loaded(capsys):
    sklearn_rank.show_versions()
    lines = [
        line.split(": ", 1)[0].strip() for line in capsys.readouterr().out.splitlines()
    ]
    assert {"sklearn-rank", "numpy", "platform", "executable"} <= {
        line.split(": ", 1)[0].strip() for line in lines
    }


def test_a_module_is_imported_when_it_is_asked_for():
    assert sklearn_rank.__getattr__("metrics") is import_module("sklearn_rank.metrics")


def test_a_name_that_is_nowhere_is_an_error():
    with pytest.raises(AttributeError, match="sklearn_rank has no module 'zzzz'"):
        sklearn_rank.zzzz  # noqa: B018


def test_versions_are_shown_without_importing_packages():
    shown = run_alone(
        "import sys, sklearn_rank\n"
        "sklearn_rank.show_versions()\n"
        "assert 'pandas' not in sys.modules and 'sklearn' not in sys.modules"
    )
    told = dict(line.strip().split(": ", 1) for line in shown.splitlines())
    assert told["numpy"] == import_module("numpy").__version__
    assert told["scikit-learn"] == import_module("sklearn").__version__
    assert told["sklearn-rank"] == sklearn_rank.__version__


def test_everything_can_be_imported_without_optional_packages():
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL!r}))\n"
        f"import {', '.join(MODULES)}"
    )
    run_alone(code)


def test_names_of_types_are_sorted():
    # What defines them is visible too, so that the tests above do not fit.
    names = import_module("sklearn_rank.typing").__all__
    assert names == sorted(names)
