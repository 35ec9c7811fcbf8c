"""Pictures by segment, of trade-offs and of ranks."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from sklearn_rank.metrics import (
    MetricBySegmentDisplay,
    PerQueryScores,
    RanksDisplay,
    TradeOffDisplay,
    per_query_scores,
)
from sklearn_rank.statistics import confidence_interval

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

RNG = np.random.default_rng(0)
USERS = [f"u{n}" for n in range(60)]
ONE, TWO = (PerQueryScores(USERS, {"mrr": RNG.uniform(size=60)}) for _ in range(2))
COUNTRY = {user: "Chad" if n % 3 else "Peru" for n, user in enumerate(USERS)}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def ticks(display):
    return [tick.get_text() for tick in display.ax_.get_xticklabels()]


def values_in(country, found=ONE):
    return found.scores["mrr"][[COUNTRY[user] == country for user in USERS]]


@pytest.mark.parametrize("form", [dict, pd.Series, lambda by: list(by.values())])
def test_means_and_intervals_of_segments(form):
    display = MetricBySegmentDisplay.from_scores(ONE, form(COUNTRY))
    assert ticks(display) == ["Chad\nn = 40", "Peru\nn = 20"]
    ends = [segment[:, 1] for segment in display.intervals_.get_segments()]
    for place, country in enumerate(display.segments):
        expected = confidence_interval(values_in(country))
        assert display.points_.get_ydata()[place] == pytest.approx(expected.mean)
        assert ends[place] == pytest.approx([expected.low, expected.high])
    assert display.ax_.get_ylim()[0] == 0


def test_intervals_of_segments_end_where_the_metric_does():
    y_true, groups = [0, 1, 0] + [1, 0, 0] * 3, np.repeat(list("abcd"), 3)
    found = per_query_scores(y_true, [3, 2, 1] * 4, groups=groups, metrics="mrr")
    display = MetricBySegmentDisplay.from_scores(found, [1] * 4)
    expected = confidence_interval(found)["mrr"]
    ends = display.intervals_.get_segments()[0][:, 1]
    assert ends.tolist() == [expected.low, expected.high]


def test_a_label_in_several_folds_is_one_cluster():
    found = PerQueryScores(
        np.repeat(USERS[:20], 3),
        {"mrr": np.repeat(RNG.uniform(size=20), 3)},
        fold=np.tile([0, 1, 2], 20),
    )
    display = MetricBySegmentDisplay.from_scores(found, COUNTRY)
    part = found.of(np.array([COUNTRY[user] == "Chad" for user in found.groups]))
    expected = confidence_interval(part)["mrr"]
    assert (display.low[0], display.high[0]) == pytest.approx((expected.low, expected.high))


def test_several_models_stand_beside_each_other():
    found = MetricBySegmentDisplay.from_scores({"one": ONE, "two": TWO}, COUNTRY)
    places = [display.points_.get_xdata() for display in found.values()]
    assert not np.intersect1d(*places).size
    assert len(found.ax_.get_legend().get_texts()) == 2
    with pytest.raises(ValueError, match="need the same segments"):
        MetricBySegmentDisplay.from_scores(ONE, [1] * 60, ax=found.ax_)


def test_parts_of_numbers_have_about_as_many_queries():
    numbers = dict(zip(USERS, [*[0] * 12, *range(1, 49)], strict=True))
    display = MetricBySegmentDisplay.from_scores(ONE, numbers, bins=4)
    assert display.segments == ["0", "1 to 12", "13 to 24", "25 to 36", "37 to 48"]
    assert display.n_queries == [12] * 5
    zeros = MetricBySegmentDisplay.from_scores(ONE, [0] * 60, bins=4)
    assert (zeros.segments, zeros.n_queries) == (["0"], [60])
    with pytest.raises((TypeError, ValueError), match="`by`"):
        MetricBySegmentDisplay.from_scores(ONE, COUNTRY, bins=4)
    with pytest.raises(ValueError, match="`bins`"):
        MetricBySegmentDisplay.from_scores(ONE, numbers, bins=0)


def test_users_without_a_row_have_no_history():
    train = pd.DataFrame({"user": ["u1", "u1", "u1", "u2"], "item": list("aabc")})
    display = MetricBySegmentDisplay.from_history({"one": ONE}, train, bins=2)["one"]
    assert display.segments == ["0", "1", "2"]
    assert display.n_queries == [58, 1, 1]
    assert np.isnan(display.low[1])  # of one query
    with pytest.raises(ValueError, match=r"No user of `found`, such as .* in `train`"):
        MetricBySegmentDisplay.from_history(ONE, train.replace("u", "v", regex=True))


def test_what_has_no_segment_is_named():
    with pytest.raises(ValueError, match="`by` lacks 1 of 60"):
        MetricBySegmentDisplay.from_scores(ONE, dict.fromkeys(USERS[1:], 1))
    with pytest.raises(ValueError, match="`by` has 3 values"):
        MetricBySegmentDisplay.from_scores(ONE, [1, 2, 3])
    with pytest.raises(TypeError, match="`found` must be values"):
        MetricBySegmentDisplay.from_scores([0.5], [1])


def test_segments_without_values_say_so():
    nothing = PerQueryScores(USERS, {"mrr": np.full(60, np.nan)})
    display = MetricBySegmentDisplay.from_scores(nothing, COUNTRY)
    assert [text.get_text() for text in display.ax_.texts] == ["no query has a value"]


MEANS = {
    "a": {"ndcg@10": 0.3, "mean_rank": 5.0, "seconds": 3},
    "b": {"ndcg@10": 0.2, "mean_rank": 9.0, "seconds": 1},
    "c": {"ndcg@10": 0.1, "mean_rank": 2.0, "seconds": 2},
}


@pytest.mark.parametrize(
    ("other", "lower", "front"),
    [
        ("seconds", [], [True, False, False]),
        ("seconds", ["seconds"], [True, True, False]),
        ("mean_rank", [], [True, False, True]),
    ],
)
def test_the_front_knows_which_direction_is_better(other, lower, front):
    names = ["ndcg@10", other]
    display = TradeOffDisplay.from_means(MEANS, names, lower_is_better=lower)
    assert display.on_front.tolist() == front
    x, _ = display.front_.get_data()
    assert sorted(x) == [
        MEANS[m]["ndcg@10"] for m, on in zip("cba", front[::-1], strict=True) if on
    ]
    assert display.ax_.get_xlim()[0] == display.ax_.get_ylim()[0] == 0
    is_said = "lower is better" in display.ax_.get_ylabel()
    assert is_said == (other == "mean_rank" or bool(lower))


def test_an_axis_has_the_unit_and_the_direction_of_a_metric():
    means = {
        "one": {"Novelty@10": 2.0, "popularity@10": 3.0, "novelty(normalize=True)@5": 0.5}
    }

    def labels(*names):
        ax = TradeOffDisplay.from_means(means, names).ax_
        return [ax.get_xlabel(), ax.get_ylabel()]

    assert labels("Novelty@10", "popularity@10") == [
        "Novelty@10 (bits)",
        "popularity@10, lower is better",
    ]
    assert (
        labels("novelty(normalize=True)@5", "popularity@10")[0]
        == "novelty(normalize=True)@5"
    )


def test_a_point_without_a_number_is_not_on_the_front():
    display = TradeOffDisplay(model=["a", "b"], x=[1, 2], y=[1, np.nan])
    assert display.on_front.tolist() == [True, False]


@pytest.mark.parametrize(
    ("means", "metrics", "error", "message"),
    [
        ({}, None, TypeError, "`means` must be a mapping"),
        ({"a": 0.5}, None, TypeError, "`means` must be a mapping"),
        (np.ones(3), None, TypeError, "`means` must be a mapping"),
        (MEANS, None, ValueError, "`metrics` must name two numbers"),
        (MEANS, "ndcg@10", ValueError, "`metrics` must name two numbers"),
        (MEANS, -1, ValueError, "`metrics` must name two numbers, got"),
        (MEANS, ["ndcg@10", []], ValueError, "'seconds'"),
        (MEANS, ["ndcg@10", "secnds"], ValueError, "Did you mean 'seconds'"),
    ],
)
def test_bad_means_are_named(means, metrics, error, message):
    with pytest.raises(error, match=message):
        TradeOffDisplay.from_means(means, metrics)
    with pytest.raises(TypeError, match="`lower_is_better` must be names"):
        TradeOffDisplay.from_means(MEANS, ["ndcg@10", "seconds"], lower_is_better="seconds")
    for lower in (["secnds"], [set(), "seconds"]):
        with pytest.raises(ValueError, match=r"`lower_is_better` got .*'seconds'"):
            TradeOffDisplay.from_means(MEANS, ["ndcg@10", "seconds"], lower_is_better=lower)
    with pytest.raises(ValueError, match="of one length"):
        TradeOffDisplay(model=["a"], x=[1, 2], y=[1, 2]).plot()


def test_ranks_of_values_per_query_are_those_of_the_means_of_folds():
    fold = np.arange(60) % 3
    scores = {
        name: PerQueryScores(USERS, {"mae": one.scores["mrr"]}, fold=fold)
        for name, one in (("one", ONE), ("two", TWO))
    }
    means = [
        [one.scores["mae"][fold == f].mean() for f in range(3)] for one in scores.values()
    ]
    display = RanksDisplay.from_scores(scores)
    expected = np.where(np.array(means) >= np.max(means, axis=0), 1, 2)
    lower = "mae" in next(iter(scores.values())).lower_is_better
    assert display.ranks.tolist() == (3 - expected if lower else expected).tolist()
    assert ticks(display) == ["1", "2", "3"]
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]


def test_ranks_leave_out_what_is_missing_and_share_ties():
    scores = {"a": [1.0, np.nan, 2.0], "b": [1.0, 3.0, 1.0], "c": [0.0, 4.0, 3.0]}
    ranks = RanksDisplay.from_scores(scores, folds=["x", "y", "z"]).ranks
    expected = [[1.5, np.nan, 2], [1.5, 2, 3], [3, 1, 1]]
    np.testing.assert_array_equal(ranks, expected)


@pytest.mark.parametrize(
    ("scores", "folds", "error", "message"),
    [
        ([[1, 2]], None, TypeError, "`scores` must be a mapping"),
        ({"a": [1, 2], "b": [1]}, None, ValueError, "the same folds"),
        ({"a": 0.5}, None, ValueError, "one score per fold"),
        ({"a": [1, 2]}, ["x"], ValueError, "must have 2 names, got 1"),
        ({"a": ONE}, None, ValueError, "have no folds"),
        ({"a": [1, 2]}, "ab", ValueError, "`folds` must be 1-D"),
        ({"a": [1, 2]}, object, ValueError, "`folds` must be 1-D"),
    ],
)
def test_bad_scores_of_folds_are_named(scores, folds, error, message):
    with pytest.raises(error, match=message):
        RanksDisplay.from_scores(scores, folds=folds)


def test_values_that_do_not_fit_the_models_are_named():
    with pytest.raises(ValueError, match=r"got shape \(1, 2\) for 2 models"):
        RanksDisplay(model=["a", "b"], values=[[1, 2]]).plot()
