"""A threshold of confidence, and its guarantee."""

import math
import re

import numpy as np
import pytest

from sklearn_rank.statistics import abstention_threshold
from sklearn_rank.statistics._abstention_threshold import (
    RiskLimit,
    last_of_sequence,
    limit_false_answers,
    lowest_by_holm,
)

PLACE = np.arange(400)
SURE = 400.0 - PLACE
IS_LOST = (PLACE % 50 == 49) | ((PLACE >= 200) & (PLACE % 4 == 1))


def rows(is_lost=IS_LOST, relevant=(0, 1)):
    """Two rows per query; the first one is relevant unless the query is lost."""
    y_true = np.where(is_lost[:, None], relevant, [1, 1] if relevant[0] else [1, 0])
    return {"y_true": y_true, "y_score": np.c_[SURE, np.full(400, -1)]}


def rounded(found, *names):
    return [round(float(found[name]), 6) for name in names]


def test_losses_of_0_and_1():
    found = abstention_threshold(**rows(), metric="hit_rate@1")
    assert found.threshold == np.nextafter(156, np.inf)
    assert (found.n_answered, found.n_queries) == (244, 400)
    shown = rounded(found, "coverage", "risk", "p_value", "risk_upper")
    assert shown == [0.61, 0.061475, 0.023240, 0.093085]
    found = abstention_threshold(**rows(), metric="hit_rate@1", thresholds=5)
    assert found.n_answered == 215


def test_given_thresholds_are_corrected():
    limit = RiskLimit(0.1, are_binary=True)
    p_values = [
        round(lowest_by_holm(SURE, IS_LOST * 1.0, limit, 1.0, np.array([one])).p_value, 6)
        for one in (80, 160, 200, 240, 320)
    ]
    assert p_values == [0.741324, 0.014690, 0.000008, 0.000048, 0.001966]
    given = [80, 160, 200, 240, 320]
    found = abstention_threshold(**rows(), metric="hit_rate@1", thresholds=given)
    assert (found.threshold, round(found.p_value, 6)) == (160, 0.014690)


def test_losses_of_one_half():
    found = abstention_threshold(**rows(IS_LOST, (1, 0)), metric="precision@2")
    assert found.n_answered == 388
    assert rounded(found, "p_value", "risk_upper") == [0.040664, 0.098673]


def test_false_answers():
    is_unanswerable = PLACE % 4 == 3
    found = abstention_threshold(
        **rows(is_unanswerable, (0, 0)), metric="hit_rate@1", control="false_answers"
    )
    assert found.threshold == np.nextafter(381, np.inf)
    assert rounded(found, "risk", "p_value", "risk_upper") == [0.04, 0.023711, 0.089196]
    test = limit_false_answers(SURE[is_unanswerable], RiskLimit(0.1, True), 0.05)
    assert (test.n, test.lost) == (100, 4)


def test_all_that_is_retrieved_may_be_answered():
    given = rows(np.zeros(400, dtype=bool))
    found = abstention_threshold(**given, metric="hit_rate@1")
    assert (found.threshold, found.coverage, found.risk) == (-np.inf, 1, 0)
    given["y_score"][300:] = -np.inf
    found = abstention_threshold(**given, metric="hit_rate@1")
    assert (found.threshold, found.coverage, found.n_answered) == (-np.inf, 0.75, 300)


def test_nothing_passes():
    few = {name: column[:28] for name, column in rows().items()}
    with pytest.warns(UserWarning, match="at least 29 answered queries"):
        found = abstention_threshold(**few, metric="hit_rate@1")
    assert (found.threshold, found.coverage, found.n_answered) == (np.inf, 0, 0)
    assert math.isnan(found.risk)
    with pytest.warns(UserWarning, match="at least 29 queries without relevant rows"):
        abstention_threshold(**few, metric="hit_rate@1", control="false_answers")
    with pytest.warns(UserWarning, match="No threshold"):
        abstention_threshold(**few, metric="hit_rate@1", thresholds=[1e9])
    with pytest.warns(UserWarning, match="No threshold"):
        abstention_threshold(**few, metric="precision@2", thresholds=[1e9])
    with pytest.warns(UserWarning, match="None passes with any `max_risk`"):
        abstention_threshold(**rows(), metric="hit_rate@1", thresholds=[1e9])
    # With a loss of 1/2 each, the mean is far above the limit.
    with pytest.warns(UserWarning, match="No threshold"):
        abstention_threshold(**rows(IS_LOST), metric="precision@2")


@pytest.mark.parametrize("thresholds", [20, [10.0, 30.0]])
def test_where_losses_are_the_reason_the_smallest_risk_is_said(thresholds):
    lost = np.arange(52) % 5 == 2
    given = {
        "y_true": np.where(lost[:, None], [0, 1], [1, 0]),
        "y_score": np.c_[100.0 - np.arange(52), np.zeros(52)],
        "metric": "hit_rate@1",
        "confidence": 52.0 - np.arange(52),
        "thresholds": thresholds,
    }
    message = "losses of the 52 answered queries: the smallest `max_risk` .* is (0.[0-9]+)"
    with pytest.warns(UserWarning, match=message) as caught:
        assert abstention_threshold(**given, max_risk=0.1).n_answered == 0
    assert "at least" not in str(caught[0].message)
    least = float(re.search(message, str(caught[0].message))[1])
    assert abstention_threshold(**given, max_risk=least).n_answered > 0
    with pytest.warns(UserWarning, match=f"passes is {least}"):
        abstention_threshold(**given, max_risk=least - 0.001)


def test_the_upper_bound_ends_at_1():
    limit = RiskLimit(0.1, are_binary=True)
    assert limit.upper(3, 3, 0.05) == 1
    assert limit._replace(are_binary=False).p_value(0, 0) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_risk": 1}, "`max_risk`"),
        ({"max_risk": 0}, "`max_risk`"),
        ({"control": "all"}, "`control`"),
        ({"thresholds": []}, "`thresholds` must be"),
        ({"thresholds": [np.nan]}, "`thresholds` must be"),
        ({"thresholds": 0}, "`thresholds`"),
        ({"confidence": np.r_[np.inf, SURE[1:]]}, "of query .*0.* is inf"),
        ({"metric": "dcg"}, "has the range"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(ValueError, match=message):
        abstention_threshold(**rows(), **given)


# The guarantee: the true risk above the threshold is too high in at most 5% of all
# calibrations. Queries are sure by a uniform number u, and lost with probability r(u).
RISKS = {
    "monotone": lambda u: 0.4 * (1 - u) ** 2,
    "jump": lambda u: np.where(u > 0.5, 0.02, 0.4),
    "constant": lambda u: np.full_like(u, 0.12),
}


def failures(risk, n, n_runs):
    rng = np.random.default_rng(1)
    grid = (np.arange(20000) + 0.5) / 20000
    limit, n_failed = RiskLimit(0.1, are_binary=True), 0
    for _ in range(n_runs):
        u = rng.random(n)
        loss = (rng.random(n) < risk(u)) * 1.0
        found = last_of_sequence(u, loss, limit, 0.05, 20)
        if found is not None:
            n_failed += risk(grid[grid >= found.threshold]).mean() > 0.1
    return n_failed / n_runs


def test_the_guarantee_in_a_few_calibrations():
    assert failures(RISKS["constant"], 200, 60) <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("name", RISKS)
def test_the_guarantee(name):
    assert failures(RISKS[name], 200, 1000) <= 0.05


@pytest.mark.slow
def test_the_guarantee_of_false_answers():
    rng = np.random.default_rng(2)
    limit = RiskLimit(0.1, are_binary=True)
    found = [limit_false_answers(rng.random(200), limit, 0.05) for _ in range(1000)]
    assert np.mean([1 - test.threshold > 0.1 for test in found]) <= 0.065


@pytest.mark.parametrize(("n_lists", "n_answered"), [(13, 0), (14, 14)])
def test_empty_lists_are_no_answers(n_lists, n_answered):
    confidence = np.r_[np.full(40 - n_lists, -np.inf), np.arange(n_lists)]
    rows = {
        "y_true": np.tile([1, 0], (40, 1)),
        "y_score": np.c_[confidence, confidence - 1],
    }
    options = {"metric": "hit_rate@1", "max_risk": 0.2}
    if not n_answered:
        with pytest.warns(UserWarning, match="at least 14 answered queries"):
            assert abstention_threshold(**rows, **options).n_answered == 0
    else:
        assert abstention_threshold(**rows, **options).n_answered == n_answered
