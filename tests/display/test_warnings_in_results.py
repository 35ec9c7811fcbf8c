"""Doubts stay in the result: each warning of a call is in what it returns."""

import copy
import inspect
import pickle
import warnings
from importlib import import_module
from types import FunctionType

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

from sklearn_rank._display._result import Result
from sklearn_rank.datasets import make_ranking
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.model_selection import cross_validate_per_query
from sklearn_rank.online import compare_variant_sums, compare_variants
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.statistics import compare_models, confidence_interval, gate_model

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
QUERIES = np.repeat(np.arange(30), 2)


def test_a_comparison_of_unequal_arms_is_void():
    # scipy.stats.chisquare([5300, 4700]).pvalue == 1.97e-9
    variant = np.repeat(["A", "B"], [5300, 4700])
    options = {"control": "A", "allocation": "equal"}
    found = compare_variants(RNG.random(10_000), variant=variant, **options)
    text = (
        "Units are not assigned as planned (A: 5300, B: 4700; p = 2e-09), so that the "
        "comparison is void; look for the defect first."
    )
    assert found.decisions == {"B": "void"}
    assert [row.verdict for row in found.rows()] == ["void"]
    assert found.warnings == [text] == found.to_dict()["warnings"]
    assert " ".join(str(found).split()).endswith(f"Warning: {text}")
    assert text in found._repr_html_()
    assert text in found.to_html()
    arms = {"A": {"n": 5300, "successes": 100}, "B": {"n": 4700, "successes": 300}}
    assert compare_variant_sums(arms, **options).decisions == {"B": "void"}
    planned = {**options, "allocation": {"A": 0.53, "B": 0.47}}
    assert compare_variant_sums(arms, **planned).decisions == {"B": "ship"}


def test_results_of_results_inherit():
    scores = RNG.random(60)
    all_relevant = per_query_scores(np.ones(60), scores, groups=QUERIES, metrics="ndcg")
    (text,) = all_relevant.warnings
    assert text.startswith("All rows of all 30 queries are relevant")
    assert "ignore" not in text  # the advice for Python alone
    graded = np.tile([0, 1], 30)
    other = per_query_scores(graded, scores, groups=QUERIES, metrics="ndcg")
    assert other.warnings == [] == other.to_dict()["warnings"]
    models = {"a": all_relevant, "b": other}
    assert compare_models(models).warnings == [text]
    assert confidence_interval(all_relevant)["ndcg"].warnings == [text]
    gate = gate_model(all_relevant, other, margin=0.5)
    assert text in gate.warnings


def test_copies_and_pickles_keep_them():
    found = confidence_interval([1.0, 2, 3])
    assert found.warnings[0].startswith("`values` has 3 queries; intervals by Student's t")
    for other in (
        copy.copy(found),
        copy.deepcopy(found),
        pickle.loads(pickle.dumps(found)),
    ):
        assert other.warnings == found.warnings
        assert other == found
    assert "warnings" not in list(found)  # it is no number


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_jobs_lose_none_and_shown_once_is_kept_by_each(n_jobs):
    X, y, groups = make_ranking(n_queries=20, random_state=0)
    call = {"groups": groups, "cv": KFold(2, shuffle=True, random_state=0)}
    with parallel_config("threading"):
        found = [
            cross_validate_per_query(GroupRanker(Ridge()), X, y, n_jobs=n_jobs, **call)
            for _ in range(2)
        ]
    assert found[0].warnings
    assert found[0].warnings == found[1].warnings


def test_a_result_keeps_what_a_filter_hides():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", MisleadingScoreWarning)
        found = per_query_scores(
            np.ones(60), RNG.random(60), groups=QUERIES, metrics="ndcg"
        )
    assert len(found.warnings) == 1


@pytest.mark.parametrize(
    ("n", "advice"), [(5, "5 queries cannot decide at 0.05"), (6, "use test=")]
)
def test_randomization_is_no_advice_where_it_cannot_decide(n, advice):
    # Sign flips of 5 queries have a p of 2 ** -4 = 0.0625 at least, of 6 queries 0.03125.
    values = {"a": np.arange(n), "b": np.arange(n) + 1 + RNG.random(n)}
    (text,) = compare_models(values).warnings
    assert advice in text
    least = compare_models(values, test="randomization").rows()[0].p_value
    assert (least > 0.05) == (n == 5)


def public_functions():
    """Yield the public functions of the package that return a result."""
    for name in ("metrics", "statistics", "online", "experiments", "model_selection"):
        module = import_module(f"sklearn_rank.{name}")
        for public in module.__all__:
            function = getattr(module, public)
            if not isinstance(function, FunctionType):
                continue
            returned = str(inspect.signature(function).return_annotation)
            if any(result in returned for result in RESULTS):
                yield public, function


def classes_below(kind):
    return {kind.__name__, *(n for c in kind.__subclasses__() for n in classes_below(c))}


def test_all_functions_that_return_a_result_keep_their_warnings():
    """Those that do not are named, with the reason."""
    RESULTS.update(classes_below(Result) - {"Result", "str"})
    functions = dict(public_functions())
    assert len(functions) > 20
    keep = set()
    for name, function in functions.items():
        layer = function
        while layer is not None:
            if layer.__code__.co_filename.endswith("_messages.py"):
                keep.add(name)
            layer = getattr(layer, "__wrapped__", None)
    assert set(functions) - keep == WITHOUT_WARNINGS


RESULTS: set[str] = set()
WITHOUT_WARNINGS: set[str] = set()
