from dataclasses import replace

import pytest

from sklearn_rank._cli._compare import Comparison
from sklearn_rank._cli._contest import Paired
from sklearn_rank._cli._text import verdict
from sklearn_rank._cli._wording import counted

USERS = Paired("ndcg@10", 30, 20, 50, difference=0.05, standard_error=0.01)
BETTER = Comparison(
    metric="ndcg@10",
    lower_is_better=False,
    model="MatrixFactorizationRecommender()",
    chose_popularity=False,
    scores={"tuned": 0.25, "popularity": 0.2},
    report={},
    per_user=USERS,
    curve_metric="ndcg",
    curves={},
)


def test_a_model_that_beats_popularity():
    text = verdict(BETTER)
    assert "beats popularity on the last period: ndcg@10 0.2500 against 0.2000" in text
    assert "better for 30 users, worse for 20 and equal for 50" in text
    assert "chance" not in text


@pytest.mark.parametrize("tuned", [0.1, 0.2])
def test_a_model_that_does_not(tuned):
    worse = replace(BETTER, scores={"tuned": tuned, "popularity": 0.2})
    assert "does not beat popularity on the last period" in verdict(worse)


def test_lower_is_better_is_said():
    scores = {"tuned": -14.0, "popularity": -27.0}
    text = verdict(replace(BETTER, scores=scores, lower_is_better=True))
    assert "beats popularity" in text
    assert "-14.0000 against -27.0000 (negated, for lower is better)." in text


def test_popularity_does_not_beat_itself():
    assert "does not beat popularity" in verdict(replace(BETTER, chose_popularity=True))


def test_a_difference_that_may_be_chance():
    users = replace(USERS, difference=-0.01)
    assert "chance alone may explain it" in verdict(replace(BETTER, per_user=users))


def test_counts():
    assert [counted(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [counted(n, "query") for n in (1, 2)] == ["1 query", "2 queries"]
