import matplotlib
import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_validate

from sklearn_rank.datasets import make_ranking
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import PerQueryDisplay, PerQueryScores, per_query_scores
from sklearn_rank.model_selection import cross_validate_per_query
from sklearn_rank.statistics import compare_models, confidence_interval

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

BOUGHT = {"ann": {"tea", "milk"}, "bob": {"rice"}, "eve": {"jam"}}
ONE = {"ann": ["tea", "jam"], "bob": ["salt", "rice"], "eve": ["jam"]}
TWO = {"ann": ["jam", "tea", "salt"], "bob": ["rice"], "eve": ["jam"]}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def ranking():
    return make_ranking(n_queries=30, random_state=0)


def test_the_steps_are_the_shares_of_queries_up_to_each_value(ranking):
    X, y, groups = ranking
    display = PerQueryDisplay.from_predictions(
        y, X[:, 0], groups=groups, replace_undefined_by=0.0
    )
    values = per_query_scores(y, X[:, 0], groups=groups).scores["ndcg@10"]
    x, share = display.bars_.get_data()
    for value in np.nan_to_num(values):
        expected = np.mean(np.nan_to_num(values) <= value)
        assert share[x <= value].max() == pytest.approx(expected)
    assert share[0] == 0
    assert display.mean_.get_xdata()[0] == pytest.approx(np.nan_to_num(values).mean())
    assert f"(n = {len(values)})" in display.bars_.get_label()


@pytest.mark.parametrize(("level", "share"), [(0.95, "95%"), (0.999, "99.9%")])
def test_the_legend_says_what_stands_behind_the_plus_minus(level, share):
    one = PerQueryDisplay.from_predictions(
        **from_item_lists(BOUGHT, ONE), metrics="mrr", confidence_level=level
    )
    both = PerQueryDisplay.from_predictions(
        **from_item_lists(BOUGHT, TWO), metrics="mrr", baseline=one, confidence_level=level
    )
    for display in (one, both):
        title = display.ax_.get_legend().get_title().get_text()
        assert title == f"mrr, {share} interval"
    one.plot(confidence_level=None)
    assert "[" not in one.bars_.get_label()
    assert one.ax_.get_legend().get_title().get_text() == "mrr"


def test_models_on_one_axis_differ_in_color_and_marker(ranking):
    X, y, groups = ranking
    first = PerQueryDisplay.from_predictions(
        y, X[:, 0], groups=groups, replace_undefined_by=0.0
    )
    second = PerQueryDisplay.from_predictions(
        y, X[:, 1], groups=groups, replace_undefined_by=0.0, ax=first.ax_
    )
    assert first.mean_.get_color() != second.mean_.get_color()
    assert first.mean_.get_marker() != second.mean_.get_marker()
    assert second.bars_.get_color() == second.mean_.get_color()


def test_differences_of_lists_are_paired_by_user():
    one = PerQueryDisplay.from_predictions(
        **from_item_lists(BOUGHT, ONE), metrics="mrr", name="one"
    )
    backwards = dict(reversed(BOUGHT.items()))
    two = PerQueryDisplay.from_predictions(
        **from_item_lists(backwards, TWO), metrics="mrr", name="two", baseline=one
    )
    # ann: 1 / 2 - 1, bob: 1 - 1 / 2, eve: 1 - 1
    assert two.differences.tolist() == [0.5, 0.0, -0.5]
    labels = [area.get_label() for area in two.bars_]
    assert labels == ["better on 33%", "worse on 33%"]
    assert two.ax_.get_title(loc="left") == "two minus one"
    assert two.mean_.get_ydata()[0] == 0


def test_models_with_different_queries_are_refused():
    one = PerQueryDisplay.from_predictions(**from_item_lists(BOUGHT, ONE))
    fewer = {user: BOUGHT[user] for user in ("ann", "bob")}
    lists = {user: TWO[user] for user in fewer}
    message = "0 are not in the other one, and 1 of the other one"
    with pytest.raises(ValueError, match=message):
        PerQueryDisplay.from_predictions(**from_item_lists(fewer, lists), baseline=one)


def test_different_metrics_are_refused():
    one = PerQueryDisplay.from_predictions(**from_item_lists(BOUGHT, ONE), metrics="mrr")
    with pytest.raises(ValueError, match="same metric"):
        PerQueryDisplay.from_predictions(**from_item_lists(BOUGHT, TWO), baseline=one)
    with pytest.raises(ValueError, match=r"\['ndcg', 'mrr'\]; draw a picture of each"):
        PerQueryDisplay.from_predictions([1], [1], groups=[1], metrics=["ndcg", "mrr"])


def test_estimators_are_compared_on_the_same_rows(ranking):
    X, y, groups = ranking
    display = PerQueryDisplay.from_estimator(
        Ridge().fit(X, y),
        X,
        y,
        groups=groups,
        baseline=DummyRegressor().fit(X, y),
        replace_undefined_by=0.0,
    )
    assert display.differences.mean() > 0
    assert display.baseline.name == "DummyRegressor"


def test_an_estimator_needs_no_base_class(ranking):
    class First:
        def predict(self, X):
            return X[:, 0]

    X, y, groups = ranking
    display = PerQueryDisplay.from_estimator(First(), X, y, groups=groups, metrics="mrr")
    expected = PerQueryDisplay.from_predictions(y, X[:, 0], groups=groups, metrics="mrr")
    np.testing.assert_array_equal(display.scores, expected.scores)


def test_folds_are_compared_query_by_query(ranking):
    X, y, groups = ranking

    def display(model, baseline=None):
        found = cross_validate(
            model,
            X,
            y,
            groups=groups,
            cv=GroupKFold(3),
            scoring="r2",
            return_estimator=True,
            return_indices=True,
        )
        return PerQueryDisplay.from_cv_results(
            found, X, y, groups=groups, baseline=baseline, replace_undefined_by=0.0
        )

    baseline = display(DummyRegressor())
    assert len(display(Ridge(), baseline).differences) == 30


def test_undefined_queries_are_left_out_and_none_defined_is_an_error():
    with pytest.warns(UndefinedMetricWarning, match="1 of 2"):
        display = PerQueryDisplay.from_predictions(
            [1, 0, 0, 0], [4, 3, 2, 1], groups=list("aabb"), name="model"
        )
    assert display.bars_.get_label() == "model 1.000 (n = 1)"
    assert display.band_ is None


@pytest.mark.parametrize("baseline", [None, [1, 2]])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_picture_of_nothing_says_so_until_there_is_something(baseline):
    nothing = PerQueryDisplay.from_predictions(
        [0, 0], [2, 1], groups=list("aa"), baseline=baseline, name="none"
    )
    assert texts_in(nothing.ax_) == ["no query has a value"]
    PerQueryDisplay.from_predictions([0, 1], [2, 1], groups=list("aa"), ax=nothing.ax_)
    assert texts_in(nothing.ax_) == []


def texts_in(ax):
    return [text.get_text() for text in ax.texts]


def test_without_a_baseline_there_are_no_differences():
    display = PerQueryDisplay.from_predictions(**from_item_lists(BOUGHT, ONE))
    assert not hasattr(display, "differences")


def known(scores, groups, fold=None, **given):
    return PerQueryScores(groups, {"mrr": scores}, fold=fold, **given)


def test_known_values_are_drawn_as_they_are():
    found = per_query_scores(
        [0, 1, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1], groups=list("aabbcc"), metrics="mrr"
    )
    display = PerQueryDisplay.from_scores(found, name="model")
    assert display.groups.tolist() == ["a", "b", "c"]
    assert display.mean_.get_xdata()[0] == pytest.approx(found.mean()["mrr"])
    assert display.bars_.get_label() == "model 0.667 [0.184, 0.953] (n = 3)"
    expected = confidence_interval(found)["mrr"]
    assert expected.method == "exact"
    assert tuple(display.band_.get_xdata()) == (expected.low, expected.high)


def test_known_values_are_matched_by_label_and_fold():
    one = known([0.5, 1.0, 0.25], ["a", "a", "b"], [0, 1, 0])
    two = known([0.25, 0.5, 1.0], ["b", "a", "a"], [0, 1, 0])
    display = PerQueryDisplay.from_scores(one, baseline=two, baseline_name="two")
    assert display.differences.tolist() == [0.5, 0.0, -0.5]
    assert display.ax_.get_title(loc="left") == "model minus two"
    fewer = known([1.0, 1.0], ["a", "b"], [0, 0])
    with pytest.raises(ValueError, match="different queries"):
        PerQueryDisplay.from_scores(one, baseline=fewer)


def test_the_baseline_of_known_values_may_be_a_display():
    one = PerQueryDisplay.from_predictions(
        **from_item_lists(BOUGHT, ONE), metrics="mrr", name="one"
    )
    found = per_query_scores(**from_item_lists(BOUGHT, TWO), metrics="mrr")
    display = PerQueryDisplay.from_scores(found, baseline=one)
    assert display.differences.tolist() == [0.5, 0.0, -0.5]
    assert display.ax_.get_title(loc="left") == "model minus one"


def test_values_of_cross_validation_are_compared(ranking):
    X, y, groups = ranking
    ridge, constant = (
        cross_validate_per_query(
            model, X, y, groups=groups, metrics=["ndcg@5", "mrr"], cv=GroupKFold(3)
        )
        for model in (Ridge(), DummyRegressor())
    )
    display = PerQueryDisplay.from_scores(ridge, metric="mrr", baseline=constant)
    expected = ridge.difference(constant).mean()["mrr"]
    assert display.mean_.get_ydata()[0] == pytest.approx(expected)


def test_weights_count_in_the_mean():
    found = known([0.0, 1.0], ["a", "b"], weights={"mrr": [1.0, 3.0]})
    assert PerQueryDisplay.from_scores(found).mean_.get_xdata()[0] == 0.75
    none = known([0.0, 0.0], ["b", "a"])
    display = PerQueryDisplay.from_scores(found, baseline=none)
    assert display.mean_.get_ydata()[0] == 0.75


def test_a_query_gains_where_its_error_falls():
    rows = {"y_true": [1.0, 2.0, 3.0, 4.0], "groups": [0, 1, 2, 3], "metrics": "mae"}
    display = PerQueryDisplay.from_predictions(
        y_score=[1.0, 2.0, 3.0, 6.0], baseline=[2.0, 3.0, 4.0, 5.0], **rows
    )
    labels = [area.get_label() for area in display.bars_]
    assert labels == ["better on 75%", "worse on 25%"]
    assert display.bars_[0].get_paths()[0].vertices[:, 1].min() == -1


def test_the_known_metric_is_named_where_there_are_several():
    several = PerQueryScores(["a"], {"mrr": [1.0], "map": [1.0]})
    with pytest.raises(ValueError, match=r"metrics \['mrr', 'map'\]; name one"):
        PerQueryDisplay.from_scores(several)
    with pytest.raises(ValueError, match=r"got 'mmr'.*Did you mean 'mrr'"):
        PerQueryDisplay.from_scores(several, metric="mmr")
    assert PerQueryDisplay.from_scores(several, metric="map").metric == "map"
    with pytest.raises(ValueError, match="got 'map'"):
        PerQueryDisplay.from_scores(several, metric="map", baseline=known([1.0], ["a"]))


@pytest.mark.parametrize("bad", [5, "mrr", [0.5, 1.0], {"mrr": [1.0]}])
def test_what_is_no_values_per_query_is_named(bad):
    with pytest.raises(TypeError, match="`found` must be values as per_query_scores"):
        PerQueryDisplay.from_scores(bad)
    with pytest.raises(TypeError, match="`baseline` must be values as per_query_scores"):
        PerQueryDisplay.from_scores(known([1.0], ["a"]), baseline=bad)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_interval_is_that_of_the_comparison(level):
    scores = {
        "one": known([0.5, 1.0, 0.25, 0.5], list("abcd")),
        "two": known([1.0, 1.0, 0.0, 0.0], list("abcd")),
    }
    display = PerQueryDisplay.from_scores(
        scores["one"], baseline=scores["two"], confidence_level=level
    )
    with pytest.warns(UserWarning, match="4 queries"):
        found = compare_models(scores, baseline="two", confidence_level=level)
    row = found.row("one")
    low, height = display.band_.get_y(), display.band_.get_height()
    assert (low, low + height) == pytest.approx((row.low, row.high))


@pytest.mark.parametrize("weights", [None, {"mrr": np.tile([1.0, 2.0, 0.0, 4.0], 12)}])
def test_a_label_in_several_folds_is_one_cluster(weights):
    random = np.random.default_rng(0)
    labels, fold = np.repeat(np.arange(16), 3), np.tile([0, 1, 2], 16)
    of_label = random.normal(0, 0.1, 16)[labels]
    values = of_label + random.normal(0.5, 0.02, 48)
    values[5] = np.nan
    one = known(values, labels, fold, weights=weights)
    two = known(0 * values + 0.5, labels, fold, weights=weights)
    display = PerQueryDisplay.from_scores(one, baseline=two)
    row = compare_models({"one": one, "two": two}, baseline="two").row("one")
    low, height = display.band_.get_y(), display.band_.get_height()
    assert (low, low + height) == pytest.approx((row.low, row.high))
    alone = PerQueryDisplay.from_scores(one)
    found = confidence_interval(one)["mrr"]
    assert alone.band_.get_xdata() == pytest.approx((found.low, found.high))


def test_intervals_end_where_the_metric_does():
    y_true, groups = [0, 1, 0] + [1, 0, 0] * 3, np.repeat(range(4), 3)
    display = PerQueryDisplay.from_predictions(
        y_true, [3, 2, 1] * 4, groups=groups, metrics="mrr"
    )
    low, high = display.band_.get_xdata()
    alone = confidence_interval([0.5, 1, 1, 1], value_range=(0, 1))
    assert (low, high) == pytest.approx((alone.low, alone.high))
    expected = f"mrr 0.875 [{low:.3f}, {high:.3f}] (n = 4)"
    assert display.bars_.get_label() == expected
    ranks = PerQueryDisplay.from_predictions(
        y_true, [3, 2, 1] * 4, groups=groups, metrics="mean_rank"
    )
    assert ranks.band_.get_xdata()[0] == 1
    differences = PerQueryDisplay.from_predictions(
        [0, 0, 1, 1, 0, 0, 1, 0, 0],
        [3, 2, 1] * 3,
        groups=np.repeat(range(3), 3),
        metrics="hit_rate@1",
        baseline=[1, 2, 3, 1, 2, 3, 3, 2, 1],
    )
    low, height = differences.band_.get_y(), differences.band_.get_height()
    assert (low, low + height) == (-1, 1)


@pytest.mark.parametrize("name", [np.nan, np.array(["a", "b"]), 5])
def test_the_name_of_a_baseline_is_a_string(name):
    one = per_query_scores([1, 0], [2, 1], groups=[1, 1], metrics="mrr")
    with pytest.raises(TypeError, match="`name` must be a string or None"):
        PerQueryDisplay.from_scores(one, baseline=one, baseline_name=name)


def test_queries_at_the_ends_are_counted():
    y_true = [[1, 0], [1, 0], [0, 1], [0, 1]]
    scores = {"right": y_true, "mixed": [[2, 1]] * 4}
    display = PerQueryDisplay.from_predictions(y_true, scores, metrics="hit_rate@1")
    notes = [text.get_text() for text in display.ax_.texts]
    assert notes == ["100% have 1", "50% have 0"]
