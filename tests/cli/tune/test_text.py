"""What is said of the comparison."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from sklearn_rank._cli.printing._printing import plain
from sklearn_rank._cli.tune._report import describe_comparison, titles, verdict
from sklearn_rank._cli.tuning._comparison import Comparison, PairedDifference
from sklearn_rank._text._wording import counted
from sklearn_rank.experiments._means import MeanEstimate

USERS = PairedDifference("ndcg@10", 30, 20, 50, 0.05, 0.01, 0.03, 0.07, 0.001, False)
REPORT = {
    f"{name}@{k}": {"mean": k / 100} for name in ("ndcg", "recall", "mrr") for k in (1, 10)
}
MEANS = {
    "tuned": MeanEstimate(0.25, 0.01, 0.23, 0.27, is_best=True, may_be_best=True),
    "popularity": MeanEstimate(0.2, 0.01, 0.18, 0.22, is_best=False, may_be_best=False),
    "time_decayed_popularity": MeanEstimate(
        0.24, 0.01, 0.22, 0.26, is_best=False, may_be_best=True
    ),
    "ease": MeanEstimate(0.21, 0.01, 0.19, 0.23, is_best=False, may_be_best=False),
}
TITLES = {
    "factorization": "matrix factorization, 8 components, binary weights",
    "popularity": "popularity",
    "time_decayed_popularity": "time-decayed popularity, half-life 3D",
    "ease": "EASE, regularization 300, binary weights",
}
AGAINST = {
    "popularity": USERS,
    "time_decayed_popularity": replace(USERS, better=31, worse=19),
    "ease": USERS,
}


class Found(Comparison):
    """A comparison of made-up means; the model that won is `best`."""

    def __init__(
        self,
        means=MEANS,
        against=AGAINST,
        best="factorization",
        metric="ndcg@10",
        lower_is_better=False,
    ):
        own = {name: name for name in means if name != "tuned"}
        self.models = {"tuned": best, **own}
        self.metric, self.lower_is_better, self.against = metric, lower_is_better, against
        of_models = {self.models[name]: mean for name, mean in means.items()}
        of_models[best] = means["tuned"]
        order = sorted(of_models, key=lambda name: -of_models[name].mean)
        self.intervals = {name: of_models[name] for name in order}
        self._found = {name: {"report": REPORT, "curve": []} for name in of_models}
        self.tuned = SimpleNamespace(
            titles=TITLES,
            means={name: {metric: mean.mean} for name, mean in of_models.items()},
            split_=SimpleNamespace(held_out="last period"),
        )


def with_mean(name, mean):
    return Found({**MEANS, name: replace(MEANS[name], mean=mean)})


def said(found):
    return "\n".join(verdict(found, found.metric))


def test_a_model_that_beats_popularity():
    text = said(Found())
    assert "beats popularity on the last period: ndcg@10 0.2500 against 0.2000" in text
    assert "better for 30 users, worse for 20 and equal for 50" in text
    assert "beats time-decayed popularity on the last period: ndcg@10 0.2500 aga" in text
    assert "better for 31 users, worse for 19 and equal for 50" in text
    assert "chance" not in text
    assert "EASE" not in text


@pytest.mark.parametrize("tuned", [0.1, 0.2])
def test_a_model_that_does_not(tuned):
    text = said(with_mean("tuned", tuned))
    assert "does not beat popularity on the last period" in text


def test_a_model_that_beats_only_plain_popularity():
    text = said(with_mean("tuned", 0.22))
    assert "beats popularity on the last period" in text
    assert "does not beat time-decayed popularity on the last period" in text


def test_without_a_half_life_to_try_there_is_one_baseline():
    means = {name: MEANS[name] for name in ("tuned", "popularity", "ease")}
    text = said(Found(means))
    assert "beats popularity" in text
    assert "decayed" not in text


def test_lower_is_better_is_said_and_nothing_is_negated():
    found = Found(lower_is_better=True, metric="mean_rank")
    text = describe_comparison(found, "mean_rank", 100)
    assert "mean mean_rank over users, lower is better" in text
    assert "does not beat popularity on the last period: mean_rank 0.2500 aga" in text
    assert "-0.2" not in text


def test_popularity_does_not_beat_itself():
    text = said(Found(best="popularity"))
    assert "The search chose popularity" in text
    assert "does not beat popularity; it is popularity" in text
    assert "beats popularity" not in text
    assert "beats time-decayed popularity on the last period" in text


def test_time_decayed_popularity_does_not_beat_itself():
    text = said(Found(best="time_decayed_popularity"))
    assert "does not beat time-decayed popularity; it is time-decayed popularity" in text
    assert "beats time-decayed popularity" not in text
    assert "beats popularity on the last period" in text


def test_the_models_are_shown_best_first_and_the_chosen_baseline_once():
    names = ["tuned", "time_decayed_popularity", "ease", "popularity"]
    assert list(titles(Found())) == names
    assert list(titles(Found(best="popularity"))) == names[:3]


def test_a_difference_that_may_be_chance():
    against = {**AGAINST, "popularity": replace(USERS, may_be_chance=True)}
    assert "chance alone may explain it" in said(Found(against=against))


def table(comparison, width=80):
    return plain(describe_comparison(comparison, comparison.metric, width)).splitlines()


def test_the_tuned_metric_comes_first_with_error_and_interval_of_each_model():
    lines = table(Found())
    assert lines[0].startswith("On the last period, mean ndcg@10 over users")
    rows = [line.split() for line in lines if " to 0." in line]
    assert rows[0][:6] == ["0.2500", "0.0100", "0.2300", "to", "0.2700", "matrix"]
    assert [row[0] for row in rows] == ["0.2500", "0.2400*", "0.2100", "0.2000"]
    assert "<- best" in "".join(lines[:5])
    assert "* may be as good as the best: chance may explain" in "\n".join(lines)


def test_no_metric_is_repeated_at_1_where_all_are_the_same_number():
    text = "\n".join(table(Found()))
    assert "ndcg@1 " in text
    assert "recall@10" in text
    assert "recall@1 " not in text
    assert "mrr@1 " not in text


def test_a_best_model_that_stands_alone():
    clear = replace(MEANS["time_decayed_popularity"], may_be_best=False)
    means = {**MEANS, "time_decayed_popularity": clear}
    text = " ".join(table(Found(means)))
    assert "better than each other model by more than chance explains" in text
    assert "*" not in text


def test_a_model_that_is_alone_is_better_than_none():
    found = Found({"tuned": MEANS["tuned"]}, best="popularity")
    text = " ".join(table(found))
    assert "<- best" in text
    assert "better than each other" not in text


def test_one_user_has_no_interval():
    means = {
        name: replace(mean, standard_error=None, low=None, high=None)
        for name, mean in MEANS.items()
    }
    text = "\n".join(table(Found(means)))
    assert "One user has no interval" in text
    assert "None" not in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_longer_than_the_terminal_and_no_word_is_broken(width):
    lines = table(Found(), width)
    assert max(map(len, lines)) <= width
    words = set(" ".join(lines).split())
    assert words >= set(" ".join(table(Found(), 500)).split())


def test_counts():
    assert [counted(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [counted(n, "query") for n in (1, 2)] == ["1 query", "2 queries"]
