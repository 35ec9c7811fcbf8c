"""What is said of the comparison."""

from dataclasses import replace

import pytest

from sklearn_rank._cli._format import counted
from sklearn_rank._cli._layout import plain
from sklearn_rank._cli._paired import PairedDifference
from sklearn_rank._cli.tune._beyond import front_of
from sklearn_rank._cli.tune._comparison import RecommenderComparison
from sklearn_rank._cli.tune._means import Mean
from sklearn_rank._cli.tune._text import describe_comparison, titles, verdict

USERS = PairedDifference("ndcg@10", 30, 20, 50, 0.05, 0.01, 0.03, 0.07, 0.001, False)
REPORT = {
    f"{name}@{k}": {"mean": k / 100} for name in ("ndcg", "recall", "mrr") for k in (1, 10)
}
MEANS = {
    "tuned": Mean(0.25, 0.01, 0.23, 0.27, is_best=True, may_be_best=True),
    "popularity": Mean(0.2, 0.01, 0.18, 0.22, is_best=False, may_be_best=False),
    "time_decayed_popularity": Mean(
        0.24, 0.01, 0.22, 0.26, is_best=False, may_be_best=True
    ),
    "ease": Mean(0.21, 0.01, 0.19, 0.23, is_best=False, may_be_best=False),
}
BETTER = RecommenderComparison(
    metric="ndcg@10",
    lower_is_better=False,
    held_out="last period",
    model="MatrixFactorizationRecommender()",
    chosen=None,
    baselines={
        "popularity": "PopularityRecommender()",
        "time_decayed_popularity": "PopularityRecommender(half_life='3D')",
    },
    titles={
        "tuned": "matrix factorization, 8 components, binary weights",
        "popularity": "popularity",
        "time_decayed_popularity": "time-decayed popularity, half-life 3D",
        "ease": "EASE, regularization 300, binary weights",
    },
    scores={name: mean.mean for name, mean in MEANS.items()},
    means=MEANS,
    report=dict.fromkeys(MEANS, REPORT),
    against={
        "popularity": USERS,
        "time_decayed_popularity": replace(USERS, better=31, worse=19),
        "ease": USERS,
    },
    curve_metric="ndcg",
    curves={},
)


def said(comparison):
    return "\n".join(verdict(comparison))


def with_mean(comparison, name, mean):
    means = {**comparison.means, name: replace(comparison.means[name], mean=mean)}
    return replace(comparison, means=means, scores={**comparison.scores, name: mean})


def test_a_model_that_beats_popularity():
    text = said(BETTER)
    assert "beats popularity on the last period: ndcg@10 0.2500 against 0.2000" in text
    assert "better for 30 users, worse for 20 and equal for 50" in text
    assert "beats time-decayed popularity on the last period: ndcg@10 0.2500 aga" in text
    assert "better for 31 users, worse for 19 and equal for 50" in text
    assert "chance" not in text
    assert "EASE" not in text


@pytest.mark.parametrize("tuned", [0.1, 0.2])
def test_a_model_that_does_not(tuned):
    text = said(with_mean(BETTER, "tuned", tuned))
    assert "does not beat popularity on the last period" in text


def test_a_model_that_beats_only_plain_popularity():
    text = said(with_mean(BETTER, "tuned", 0.22))
    assert "beats popularity on the last period" in text
    assert "does not beat time-decayed popularity on the last period" in text


def test_without_a_half_life_to_try_there_is_one_baseline():
    text = said(replace(BETTER, baselines={"popularity": "PopularityRecommender()"}))
    assert "beats popularity" in text
    assert "decayed" not in text


def test_lower_is_better_is_said_and_nothing_is_negated():
    lower = replace(BETTER, scores={k: -v for k, v in BETTER.scores.items()})
    lower = replace(lower, lower_is_better=True, metric="mean_rank")
    text = describe_comparison(lower, 100)
    assert "mean mean_rank over users, lower is better" in text
    assert "does not beat popularity on the last period: mean_rank 0.2500 aga" in text
    assert "-0.2" not in text


def test_popularity_does_not_beat_itself():
    text = said(replace(BETTER, chosen="popularity"))
    assert "The search chose popularity" in text
    assert "does not beat popularity; it is popularity" in text
    assert "beats popularity" not in text
    assert "beats time-decayed popularity on the last period" in text


def test_time_decayed_popularity_does_not_beat_itself():
    text = said(replace(BETTER, chosen="time_decayed_popularity"))
    assert "does not beat time-decayed popularity; it is time-decayed popularity" in text
    assert "beats time-decayed popularity" not in text
    assert "beats popularity on the last period" in text


def test_the_models_are_shown_best_first_and_the_chosen_baseline_once():
    names = ["tuned", "time_decayed_popularity", "ease", "popularity"]
    assert list(titles(BETTER)) == names
    assert list(titles(replace(BETTER, chosen="popularity"))) == names[:3]


def test_a_difference_that_may_be_chance():
    against = {**BETTER.against, "popularity": replace(USERS, may_be_chance=True)}
    assert "chance alone may explain it" in said(replace(BETTER, against=against))


def table(comparison, width=80):
    return plain(describe_comparison(comparison, width)).splitlines()


def test_the_tuned_metric_comes_first_with_error_and_interval_of_each_model():
    lines = table(BETTER)
    assert lines[0].startswith("On the last period, mean ndcg@10 over users")
    rows = [line.split() for line in lines if " to 0." in line]
    assert rows[0][:6] == ["0.2500", "0.0100", "0.2300", "to", "0.2700", "matrix"]
    assert [row[0] for row in rows] == ["0.2500", "0.2400*", "0.2100", "0.2000"]
    assert "<- best" in "".join(lines[:5])
    assert "* may be as good as the best: chance may explain" in "\n".join(lines)


def test_no_metric_is_repeated_at_1_where_all_are_the_same_number():
    text = "\n".join(table(BETTER))
    assert "ndcg@1 " in text
    assert "recall@10" in text
    assert "recall@1 " not in text
    assert "mrr@1 " not in text


def test_a_best_model_that_stands_alone():
    clear = replace(MEANS["time_decayed_popularity"], may_be_best=False)
    means = {**MEANS, "time_decayed_popularity": clear}
    text = " ".join(table(replace(BETTER, means=means)))
    assert "better than each other model by more than chance explains" in text
    assert "*" not in text


def test_a_model_that_is_alone_is_better_than_none():
    popularity = {"popularity": "PopularityRecommender()"}
    alone = {name: BETTER.scores[name] for name in ("tuned", "popularity")}
    comparison = replace(BETTER, chosen="popularity", baselines=popularity, scores=alone)
    text = " ".join(table(comparison))
    assert "<- best" in text
    assert "better than each other" not in text


def test_one_user_has_no_interval():
    means = {
        name: replace(mean, standard_error=None, low=None, high=None)
        for name, mean in MEANS.items()
    }
    text = "\n".join(table(replace(BETTER, means=means)))
    assert "One user has no interval" in text
    assert "None" not in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_longer_than_the_terminal_and_no_word_is_broken(width):
    lines = table(BETTER, width)
    assert max(map(len, lines)) <= width
    words = set(" ".join(lines).split())
    assert words >= set(" ".join(table(BETTER, 500)).split())


def test_counts():
    assert [counted(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [counted(n, "query") for n in (1, 2)] == ["1 query", "2 queries"]


def test_the_front_has_what_nothing_beats_in_both():
    accuracy, novelty = [3, 2, 1, 2, 3, 0], [1, 2, 3, 1, 1, 3]
    front = front_of(accuracy, novelty)
    assert front.tolist() == [True, True, True, False, True, False]
