"""INSQ and INST: by hand, by loops over ranks and all orders, and by cwl_eval."""

from functools import cache
from math import fsum, isnan, nan, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank.metrics import insq_score, inst_score, per_query_scores
from tests.metrics import reference as ref
from tests.metrics.strategies import GRADES, JUDGED_OR_NOT, query_data

# Among tiny inputs are those in which no query has a retrieved row.
pytestmark = pytest.mark.filterwarnings(
    "ignore:None of:sklearn_rank.exceptions.MisleadingScoreWarning"
)

GOALS = st.sampled_from([0.5, 1.0, 1.7, 3.0])
CUTOFFS = st.sampled_from([None, 1, 2, 3, 8])
MAX_GRADES = st.sampled_from([3, 4, 5.5])


@cache
def sum_of_squares(start):
    """Return 1 / start**2 + 1 / (start + 1)**2 + ..., its end by Euler and Maclaurin."""
    middle = start + 300 - 1 / 2
    beyond = 1 / middle - 1 / (12 * middle**3)
    return fsum([*(1 / (start + i) ** 2 for i in range(300)), beyond])


def gains_of(rows, k, max_grade):
    return [(grade or 0) / max_grade for grade in ref.retrieved_grades(rows)[:k]]


def insq(rows, k=None, desired_gain=1.0, max_grade=None):
    if ref.count_relevant(rows) == 0:
        return nan
    start = 2 * desired_gain
    weights = [1 / (start + i) ** 2 for i in range(len(rows))]
    gains = gains_of(rows, k, max_grade)
    return fsum(w * g for w, g in zip(weights, gains, strict=False)) / sum_of_squares(start)


def inst(rows, k=None, desired_gain=1.0, max_grade=None):
    if ref.count_relevant(rows) == 0:
        return nan
    total, gained, reach, wanted = 0.0, 0.0, 1.0, desired_gain
    rank = 0
    for rank, gain in enumerate(gains_of(rows, k, max_grade), start=1):
        total += reach
        gained += reach * gain
        wanted -= gain
        further = rank + desired_gain + wanted
        reach *= ((further - 1) / further) ** 2
    # Below the list the user finds nothing more, and 1 / further**2 sums to no end.
    further = rank + desired_gain + wanted
    return gained / (total + reach * further**2 * sum_of_squares(further))


REFERENCES = {"insq": insq, "inst": inst}
FUNCTIONS = {"insq": insq_score, "inst": inst_score}
both = pytest.mark.parametrize("name", ["insq", "inst"])


# ---- by hand ---------------------------------------------------------------------------


def test_insq_by_hand():
    """With T = 1 rank i weighs 1 / (i + 1)**2, and these sum to pi**2 / 6 - 1."""
    expected = (1 / 3**2 + 1 / 2 * 1 / 5**2) / (pi**2 / 6 - 1)
    rows = {"y_true": [0, 4, 0, 2], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    assert insq_score(**rows) == pytest.approx(expected, rel=1e-14)
    assert insq_score(**rows, k=3) == pytest.approx(1 / 3**2 / (pi**2 / 6 - 1), rel=1e-14)


@pytest.mark.parametrize("n_hits", [1, 2, 5, 30])
def test_inst_when_all_is_relevant(n_hits):
    """With T = 1 a hit at each rank quarters the weight; below it falls as 1 / j**2."""
    hits = fsum(4.0**-i for i in range(n_hits))
    below = 4.0 ** (1 - n_hits) * (pi**2 / 6 - 1)
    ranks = np.arange(n_hits + 3)
    score = inst_score(ranks < n_hits, -ranks, groups=np.zeros(n_hits + 3))
    assert score == pytest.approx(hits / (hits + below), rel=1e-13)


def test_inst_of_one_hit_at_rank_two():
    """Weights 1, 4 / 9; then T + T_2 = 1, so that rank i weighs 4 / 9 * (2 / i)**2.

    The sum from rank 3 on is 16 / 9 * (pi**2 / 6 - 1 - 1 / 4).
    """
    expected = (4 / 9) / (1 + 4 / 9 + 16 / 9 * (pi**2 / 6 - 5 / 4))
    score = inst_score([0, 1, 0], [3, 2, 1], groups=[0, 0, 0])
    assert score == pytest.approx(expected, rel=1e-14)


def test_inst_of_the_smallest_goal():
    """With T = 1 / 2 one item of the highest grade on top ends the search."""
    rows = {"y_true": [1, 1], "y_score": [2, 1], "groups": [0, 0]}
    assert inst_score(**rows, desired_gain=0.5) == 1.0


def test_a_larger_goal_makes_the_user_more_patient():
    rows = {"y_true": [0] * 9 + [1], "y_score": np.arange(10)[::-1], "groups": [0] * 10}
    for function in FUNCTIONS.values():
        scores = [function(**rows, desired_gain=goal) for goal in (0.5, 1, 2, 4)]
        assert scores == sorted(scores)
        assert len(set(scores)) == 4


# ---- against plain loops ---------------------------------------------------------------


@both
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_queries(name, data):
    grades = data.draw(st.sampled_from([GRADES, st.just(JUDGED_OR_NOT)]))
    queries = data.draw(query_data(grades=grades, max_rows=5))
    params = {
        "k": data.draw(CUTOFFS),
        "desired_gain": data.draw(GOALS),
        "max_grade": data.draw(MAX_GRADES),
    }
    inside = ", ".join(f"{key}={value!r}" for key, value in params.items())
    metric = f"{name}({inside})"
    for ties in ("average", "worst", "best", "first"):
        scores = per_query_scores(**queries.flat, metrics=metric, ties=ties).scores
        (found,) = scores.values()
        expected = [
            ref.with_ties(ties, REFERENCES[name], *columns, **params)
            for columns in queries.in_label_order()
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("k", [None, 1, 3, 6])
@pytest.mark.parametrize("seed", range(6))
def test_inst_over_several_long_blocks(seed, k):
    rng = np.random.default_rng(seed)
    grades = rng.choice([0, 0, 0, 1, 2], 10)
    grades[0] = 2
    scores = rng.permutation([3, 3, 3, 2, 2, 2, 2, 2, 1, 1])
    params = {"k": k, "max_grade": 2}
    expected = ref.expected_over_ties(inst, grades.tolist(), scores.tolist(), **params)
    actual = inst_score(grades, scores, groups=np.zeros(10), **params)
    assert actual == pytest.approx(expected, rel=1e-11)


@both
def test_a_long_list(name):
    rng = np.random.default_rng(1)
    grades, scores = rng.choice([0, 0, 0, 1, 2], 3000), rng.permutation(3000).astype(float)
    rows = ref.first_order(grades.tolist(), scores.tolist())
    expected = REFERENCES[name](rows, max_grade=2)
    actual = FUNCTIONS[name](grades, scores, groups=np.zeros(3000))
    assert actual == pytest.approx(expected, rel=1e-11)


# ---- orders of tied rows ---------------------------------------------------------------


def test_too_many_orders_are_refused_with_the_way_out():
    y_true = [1] * 10 + [0] * 30 + [1, 0]
    y_score = [0.0] * 40 + [2, 1]
    groups = ["long"] * 40 + ["a"] * 2
    rows = {"y_true": y_true, "y_score": y_score, "groups": groups}
    with pytest.raises(ValueError, match=r"Query long has.*10000.*`k`.*ties='worst'"):
        inst_score(**rows)
    worst, best = inst_score(**rows, ties="worst"), inst_score(**rows, ties="best")
    assert worst < inst_score(**rows, k=5) + 0.1 < best + 0.1
    insq_score(**rows)


def test_several_blocks_multiply():
    y_true, y_score = [1, 1, 0, 0] * 6, np.repeat(np.arange(6.0), 4)
    with pytest.raises(ValueError, match="orders of tied rows"):
        inst_score(y_true, y_score, groups=["q"] * 24)


def test_rows_that_cannot_be_told_apart_have_one_order():
    y_true = [1] * 500 + [0] * 500
    scores = np.repeat([2.0, 1.0], 500)
    tied = inst_score(y_true, scores, groups=np.zeros(1000))
    strict = inst_score(y_true, np.arange(1000.0)[::-1], groups=np.zeros(1000))
    assert tied == pytest.approx(strict, rel=1e-13)


def test_one_relevant_row_among_thousands_of_tied_ones():
    n = 5000
    score = inst_score([1] + [0] * (n - 1), np.zeros(n), groups=np.zeros(n))
    each = [
        inst_score([1], [1.0], groups=[0]),
        *(inst(((0, 1.0),) * i + ((1, 0.5),), max_grade=1) for i in range(1, 40)),
    ]
    assert fsum(each) / n < score < (fsum(each) + (n - 40) * each[-1]) / n


# ---- against cwl_eval ------------------------------------------------------------------


@both
@pytest.mark.parametrize("desired_gain", [1.0, 2.5])
def test_cwl_eval_differs_by_the_ranks_beyond_1000(name, desired_gain):
    """It lets the weights of 1000 ranks sum to 1, which arithmetic can undo."""
    pytest.importorskip("cwl")
    from cwl.ruler.measures.cwl_insq import INSQCWLMetric
    from cwl.ruler.measures.cwl_inst import INSTCWLMetric
    from cwl.ruler.ranking import Ranking

    metric = {"insq": INSQCWLMetric, "inst": INSTCWLMetric}[name](desired_gain)
    rng = np.random.default_rng(4)
    for _ in range(50):
        gains = rng.choice([0.0, 0.0, 0.5, 1.0], 12)
        gains[3] = 1.0
        theirs = metric.measure(Ranking("q", gains, np.ones(12)))
        ours = FUNCTIONS[name](
            gains, np.arange(12)[::-1], groups=np.zeros(12), desired_gain=desired_gain
        )
        reach, wanted = 1.0, desired_gain
        total = 0.0
        for rank in range(1, 1001):
            total += reach
            if name == "inst" and rank <= 12:
                wanted -= gains[rank - 1]
            further = rank + desired_gain + wanted
            reach *= ((further - 1) / further) ** 2
        beyond = reach * further**2 * sum_of_squares(further)
        assert theirs * total / (total + beyond) == pytest.approx(ours, rel=1e-10)
        assert ours < theirs < ours * 1.02


# ---- input -----------------------------------------------------------------------------


@both
@pytest.mark.parametrize("bad", [0, 0.49, -1, nan, float("inf")])
def test_goal_out_of_range(name, bad):
    with pytest.raises(ValueError, match=r"`desired_gain` must be a number >= 0\.5"):
        FUNCTIONS[name]([1], [1], groups=[0], desired_gain=bad)


@both
def test_goal_of_another_type(name):
    with pytest.raises(TypeError, match="`desired_gain`"):
        FUNCTIONS[name]([1], [1], groups=[0], desired_gain="2")


@both
def test_the_highest_grade_of_the_data_is_the_default(name):
    rows = {"y_true": [1, 0, 2], "y_score": [3, 2, 1], "groups": [0, 0, 0]}
    score = FUNCTIONS[name](**rows)
    assert score == FUNCTIONS[name](**rows, max_grade=2)
    assert score > FUNCTIONS[name](**rows, max_grade=3)
    with pytest.raises(ValueError, match="`max_grade` is 1"):
        FUNCTIONS[name](**rows, max_grade=1)


@both
def test_unjudged_rows_count_as_irrelevant(name):
    rows = {"y_score": [4, 3, 2, 1], "groups": [0] * 4}
    unjudged = FUNCTIONS[name]([nan, 1, nan, 1], **rows)
    assert unjudged == FUNCTIONS[name]([0, 1, 0, 1], **rows)
    assert not isnan(unjudged)
