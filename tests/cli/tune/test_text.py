from dataclasses import replace

import pytest

from sklearn_rank._cli._format import counted
from sklearn_rank._cli._paired import PairedDifference
from sklearn_rank._cli.tune._beyond import front_of
from sklearn_rank._cli.tune._comparison import RecommenderComparison
from sklearn_rank._cli.tune._text import titles, verdict

USERS = PairedDifference("ndcg@10", 30, 20, 50, difference=0.05, standard_error=0.01)
BETTER = RecommenderComparison(
    metric="ndcg@10",
    lower_is_better=False,
    model="MatrixFactorizationRecommender()",
    chosen=None,
    baselines={
        "popularity": "PopularityRecommender()",
        "time_decayed_popularity": "PopularityRecommender(half_life='3D')",
    },
    scores={"tuned": 0.25, "popularity": 0.2, "time_decayed_popularity": 0.24},
    report={},
    against={
        "popularity": USERS,
        "time_decayed_popularity": replace(USERS, better=31, worse=19),
    },
    curve_metric="ndcg",
    curves={},
)


def test_a_model_that_beats_popularity():
    text = verdict(BETTER)
    assert "beats popularity on the last period: ndcg@10 0.2500 against 0.2000" in text
    assert "better for 30 users, worse for 20 and equal for 50" in text
    assert "beats time-decayed popularity on the last period: ndcg@10 0.2500 aga" in text
    assert "better for 31 users, worse for 19 and equal for 50" in text
    assert "chance" not in text


@pytest.mark.parametrize("tuned", [0.1, 0.2])
def test_a_model_that_does_not(tuned):
    worse = replace(BETTER, scores={**BETTER.scores, "tuned": tuned, "popularity": 0.2})
    assert "does not beat popularity on the last period" in verdict(worse)


def test_a_model_that_beats_only_plain_popularity():
    text = verdict(replace(BETTER, scores={**BETTER.scores, "tuned": 0.22}))
    assert "beats popularity on the last period" in text
    assert "does not beat time-decayed popularity on the last period" in text


def test_without_a_half_life_to_try_there_is_one_baseline():
    text = verdict(replace(BETTER, baselines={"popularity": "PopularityRecommender()"}))
    assert "beats popularity" in text
    assert "decayed" not in text


def test_lower_is_better_is_said():
    scores = {"tuned": -14.0, "popularity": -27.0, "time_decayed_popularity": -26.0}
    text = verdict(replace(BETTER, scores=scores, lower_is_better=True))
    assert "beats popularity" in text
    assert "-14.0000 against -27.0000 (negated, for lower is better)." in text


def test_popularity_does_not_beat_itself():
    text = verdict(replace(BETTER, chosen="popularity"))
    assert "The search chose popularity" in text
    assert "does not beat popularity; it is popularity" in text
    assert "beats popularity" not in text
    assert "beats time-decayed popularity on the last period" in text


def test_time_decayed_popularity_does_not_beat_itself():
    text = verdict(replace(BETTER, chosen="time_decayed_popularity"))
    assert "does not beat time-decayed popularity; it is time-decayed popularity" in text
    assert "beats time-decayed popularity" not in text
    assert "beats popularity on the last period" in text


def test_the_baseline_that_was_chosen_is_not_shown_twice():
    assert list(titles(BETTER)) == ["tuned", "popularity", "time_decayed_popularity"]
    chosen = replace(BETTER, chosen="popularity")
    assert list(titles(chosen)) == ["tuned", "time_decayed_popularity"]


def test_a_difference_that_may_be_chance():
    against = {**BETTER.against, "popularity": replace(USERS, difference=-0.01)}
    assert "chance alone may explain it" in verdict(replace(BETTER, against=against))


def test_counts():
    assert [counted(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [counted(n, "query") for n in (1, 2)] == ["1 query", "2 queries"]


def test_the_front_has_what_nothing_beats_in_both():
    accuracy, novelty = [3, 2, 1, 2, 3, 0], [1, 2, 3, 1, 1, 3]
    front = front_of(accuracy, novelty)
    assert front.tolist() == [True, True, True, False, True, False]
