"""Inferred average precision: by hand, by loops over all orders, and by trec_eval."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import (
    inferred_average_precision_score,
    mean_average_precision_score,
    per_query_scores,
    ranking_scores,
)
from tests.metrics import reference as ref
from tests.metrics.strategies import GRADES, JUDGED_OR_NOT, SCORES, query_data

MIN_RELEVANCE = st.sampled_from([None, 1, 2])
OUTSIDE = "outside the pool"
EPSILON = 1e-5

# Among tiny inputs are those in which no query has a retrieved row.
pytestmark = pytest.mark.filterwarnings(
    "ignore:None of:sklearn_rank.exceptions.MisleadingScoreWarning"
)


def infap(rows, min_relevance=None):
    """The definition of trec_eval, over rows (grade, None or OUTSIDE; score)."""
    grades = [None if grade == OUTSIDE else grade for grade, _ in rows]
    n_relevant = sum(ref.is_relevant(grade, min_relevance) for grade in grades)
    if n_relevant == 0:
        return nan
    total = relevant = irrelevant = unjudged = 0
    for rank, grade in enumerate(ref.retrieved_grades(rows), start=1):
        if grade == OUTSIDE:
            continue
        if grade is None:
            unjudged += 1
        elif ref.is_relevant(grade, min_relevance):
            in_pool = relevant + irrelevant + unjudged
            precision = (relevant + EPSILON) / (relevant + irrelevant + 2 * EPSILON)
            total += (1 + in_pool * precision) / rank
            relevant += 1
        else:
            irrelevant += 1
    return total / n_relevant


def columns(grades, scores):
    """Return the arguments of the metric for one query, its rows in any state."""
    return {
        "y_true": [nan if g is None else 0.0 if g == OUTSIDE else g for g in grades],
        "y_score": list(scores),
        "groups": ["q"] * len(grades),
        "pooled": [grade != OUTSIDE for grade in grades],
    }


# ---- by hand ---------------------------------------------------------------------------


def score(grades, scores=None, **params):
    scores = range(len(grades), 0, -1) if scores is None else scores
    return inferred_average_precision_score(**columns(grades, scores), **params)


def test_a_relevant_item_on_top_has_precision_one():
    assert score([1, None, OUTSIDE, 0]) == 1.0


def test_unjudged_items_are_as_relevant_as_the_judged_above():
    """Above the second relevant item: one relevant, one irrelevant, two unjudged."""
    inferred = (1 + 4 * (1 + EPSILON) / (2 + 2 * EPSILON)) / 5
    assert score([1, None, 0, None, 1]) == pytest.approx((1 + inferred) / 2, rel=1e-14)


def test_items_outside_the_pool_count_as_irrelevant():
    inferred = (1 + 1 * (1 + EPSILON) / (1 + 2 * EPSILON)) / 3
    assert score([1, OUTSIDE, 1]) == pytest.approx((1 + inferred) / 2, rel=1e-14)


def test_half_of_the_unjudged_are_relevant_when_nothing_tells():
    assert score([None, None, 1]) == pytest.approx((1 + 2 / 2) / 3, rel=1e-14)


def test_a_relevant_item_that_was_not_retrieved_adds_nothing():
    assert score([1, 1], [1.0, -np.inf]) == 1 / 2


def test_ties_by_hand():
    """A relevant, an unjudged and an irrelevant item: six orders, three ranks."""
    third_after_both = (1 + 2 * EPSILON / (1 + 2 * EPSILON)) / 3
    after_irrelevant = (1 + EPSILON / (1 + 2 * EPSILON)) / 2
    after_unjudged = (1 + 1 / 2) / 2
    expected = (2 * 1 + after_irrelevant + after_unjudged + 2 * third_after_both) / 6
    assert score([1, None, 0], [1, 1, 1]) == pytest.approx(expected, rel=1e-14)


def test_undefined_without_a_judged_relevant_item():
    with pytest.warns(UndefinedMetricWarning):
        assert isnan(score([None, 0, OUTSIDE]))


# ---- against plain loops ---------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(queries=query_data(grades=st.just(JUDGED_OR_NOT)), min_relevance=MIN_RELEVANCE)
def test_queries_with_unjudged_rows(queries, min_relevance):
    name = "infap" if min_relevance is None else f"infap(min_relevance={min_relevance})"
    for ties in ("average", "worst", "best", "first"):
        found = per_query_scores(**queries.flat, metrics=name, ties=ties).scores[name]
        expected = [
            ref.with_ties(ties, infap, *both, min_relevance=min_relevance)
            for both in queries.in_label_order()
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


STATES = st.sampled_from([0, 1, 2, None, OUTSIDE])


@settings(max_examples=300, deadline=None)
@given(
    rows=st.lists(st.tuples(STATES, SCORES), min_size=1, max_size=6),
    min_relevance=MIN_RELEVANCE,
)
def test_rows_outside_the_pool(rows, min_relevance):
    grades, scores = zip(*rows, strict=True)
    params = {"min_relevance": min_relevance}
    expected = ref.expected_over_ties(infap, grades, scores, **params)
    actual = score(grades, scores, replace_undefined_by=-1, **params)
    assert actual == pytest.approx(-1 if isnan(expected) else expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_long_blocks(seed):
    rng = np.random.default_rng(seed)
    grades = [*rng.choice([0, 0, 1, None, None, OUTSIDE], 9).tolist(), 1]
    scores = np.repeat([2, 1], [8, 2]).tolist()
    expected = ref.expected_over_ties(infap, grades, scores)
    assert score(grades, scores) == pytest.approx(expected, rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(queries=query_data(grades=GRADES))
def test_near_average_precision_when_all_is_judged(queries):
    """The epsilon moves a precision toward one half by less than itself."""
    names = ("infap", "map")
    found = per_query_scores(**queries.flat, metrics=names).scores
    np.testing.assert_allclose(found["infap"], found["map"], atol=1.1 * EPSILON)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_judgments_of_a_random_part_tell_average_precision(share):
    """Plain average precision, with the rest as irrelevant, is far below."""
    rng = np.random.default_rng(5)
    grades = np.tile(rng.random(200) < np.linspace(0.6, 0.05, 200), (300, 1))
    judged = rng.random(grades.shape) < share
    y_score = np.tile(np.arange(200.0, 0, -1), (300, 1))
    inferred = inferred_average_precision_score(np.where(judged, grades, nan), y_score)
    complete = mean_average_precision_score(grades, y_score)
    blind = mean_average_precision_score(np.where(judged, grades, 0), y_score)
    assert abs(inferred - complete) < 0.01
    assert blind < complete - 0.1


# ---- against trec_eval -----------------------------------------------------------------


@pytest.mark.parametrize("levels", [3, 10_000], ids=["tied", "without ties"])
@pytest.mark.parametrize("min_relevance", [1, 2])
def test_trec_eval(levels, min_relevance):
    """Judgment -1 is in the pool, no judgment is outside of it."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(2)
    for _ in range(400):
        n_retrieved, n_missed = rng.integers(1, 13), rng.integers(0, 4)
        state = rng.choice([0, 1, 2, None, OUTSIDE], n_retrieved + n_missed).tolist()
        if all(grade in (None, OUTSIDE) for grade in state):
            continue
        # trec_eval orders documents of one score by name, descending.
        names = [f"d{number:02d}" for number in range(len(state), 0, -1)]
        scores = rng.choice(levels, n_retrieved, replace=levels == 3).astype(float)
        scores = rng.permutation(np.r_[scores, np.full(n_missed, -np.inf)])
        qrels = {
            name: -1 if grade is None else grade
            for name, grade in zip(names, state, strict=True)
            if grade != OUTSIDE
        }
        run = {
            name: s for name, s in zip(names, scores.tolist(), strict=True) if s > -np.inf
        }
        evaluator = pytrec_eval.RelevanceEvaluator(
            {"q": qrels}, {"infAP"}, relevance_level=min_relevance
        )
        theirs = evaluator.evaluate({"q": run})["q"]["infAP"]
        params = {"min_relevance": min_relevance, "replace_undefined_by": 0.0}
        ours = score(state, scores, ties="first", **params)
        assert ours == pytest.approx(theirs, rel=1e-12)


# ---- input -----------------------------------------------------------------------------


def test_forms_of_input():
    y_true = np.array([[1.0, nan, 0, 1], [0, 1, nan, 1]])
    y_score = np.array([[4.0, 3, 2, 1], [1, 2, 2, 4]])
    pooled = np.array([[True, True, False, True], [True, True, False, True]])
    expected = inferred_average_precision_score(y_true, y_score, pooled=pooled)
    groups = [5, 5, 5, 5, 4, 4, 4, 4]
    order = np.random.default_rng(0).permutation(8)
    flat = [column.ravel()[order] for column in (y_true, y_score, pooled)]
    actual = inferred_average_precision_score(
        flat[0], flat[1], groups=np.array(groups)[order], pooled=flat[2]
    )
    assert actual == pytest.approx(expected, rel=1e-14)
    sparse_true = sparse.csr_array(y_true)
    assert inferred_average_precision_score(sparse_true, y_score, pooled=pooled) == expected
    assert y_true[0, 2] == 0


def test_every_row_is_pooled_unless_said_otherwise():
    rows = columns([1, None, 0, 1], [4, 3, 2, 1])
    expected = inferred_average_precision_score(**rows)
    del rows["pooled"]
    assert inferred_average_precision_score(**rows) == expected
    assert ranking_scores(**rows, metrics="infap") == {"infap": expected}


def test_pooled_has_no_place_in_a_name():
    rows = {"y_true": [1, 0], "y_score": [2, 1], "groups": [0, 0]}
    with pytest.raises(ValueError, match="no parameter 'pooled'"):
        ranking_scores(**rows, metrics="infap(pooled=None)")
    with pytest.raises(ValueError, match=r"'\[' is not a value"):
        ranking_scores(**rows, metrics="infap(pooled=[True, True])")


def test_a_relevant_row_was_pooled():
    with pytest.raises(ValueError, match=r"`pooled` is False at 1, where `y_true` is 2"):
        inferred_average_precision_score(
            [0, 2], [2, 1], groups=[0, 0], pooled=[True, False]
        )


def test_length_and_type_of_pooled():
    rows = {"y_true": [1, 0], "y_score": [2, 1], "groups": [0, 0]}
    with pytest.raises(ValueError, match=r"`pooled` has shape \(1,\).*\(2,\)"):
        inferred_average_precision_score(**rows, pooled=[True])
    with pytest.raises(TypeError, match="`pooled` must hold booleans"):
        inferred_average_precision_score(**rows, pooled=[1, 0])
