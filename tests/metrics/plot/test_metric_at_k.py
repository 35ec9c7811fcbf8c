import re
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import (
    MetricAtKDisplay,
    PerQueryDisplay,
    PrecisionRecallAtKDisplay,
    make_recommender_scorer,
    ndcg_score,
    per_query_scores,
    precision_at_k_score,
)
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import confidence_interval
from tests.drawn_labels import read_labels

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

DISPLAYS = (MetricAtKDisplay, PrecisionRecallAtKDisplay, PerQueryDisplay)
Y_TRUE = [0, 1, 0, 1, 0, 0, 1, 1]
Y_SCORE = [6, 5, 4, 3, 2, 1, 8, 7]
GROUPS = list("aaabbbcc")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def ranking():
    return make_ranking(n_queries=30, random_state=0)


@pytest.fixture(scope="module")
def log():
    return make_interactions(200, 100, 3000, random_state=0, as_frame=True)


def cross_validated(X, y, groups, cv):
    return cross_validate(
        Ridge(),
        X,
        y,
        cv=cv,
        groups=groups,
        scoring="r2",
        return_estimator=True,
        return_indices=True,
    )


def test_the_curve_is_the_metric_at_each_k():
    display = MetricAtKDisplay.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS, k=5)
    expected = [ndcg_score(Y_TRUE, Y_SCORE, groups=GROUPS, k=k) for k in range(1, 6)]
    np.testing.assert_allclose(display.lines_[0].get_ydata(), expected)
    np.testing.assert_array_equal(display.lines_[0].get_xdata(), [1, 2, 3, 4, 5])


def test_beyond_the_list_precision_falls_as_one_over_k():
    display = MetricAtKDisplay.from_predictions(
        Y_TRUE, Y_SCORE, groups=GROUPS, metrics="precision", k=[3, 30]
    )
    at_3, at_30 = display.mean["precision"]
    assert at_30 == pytest.approx(at_3 / 10)


def test_without_k_the_curve_ends_with_the_longest_list_or_at_20(ranking):
    display = MetricAtKDisplay.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS)
    assert display.k.tolist() == [1, 2, 3]
    X, y, groups = ranking
    longest = np.unique(groups, return_counts=True)[1].max()
    display = MetricAtKDisplay.from_predictions(
        y, X[:, 0], groups=groups, replace_undefined_by=0.0
    )
    assert len(display.k) == min(longest, 20)


def test_the_band_is_the_interval_of_the_mean(ranking):
    X, y, groups = ranking
    display = MetricAtKDisplay.from_predictions(
        y, X[:, 0], groups=groups, k=[5], replace_undefined_by=0.0
    )
    values = per_query_scores(y, X[:, 0], groups=groups, metrics="ndcg@5").scores["ndcg@5"]
    values = np.nan_to_num(values)
    expected = confidence_interval(values, value_range=(0, 1))
    drawn = display.bands_[0].get_paths()[0].vertices[:, 1]
    assert (drawn.min(), drawn.max()) == pytest.approx((expected.low, expected.high))


def test_several_metrics_and_several_models_share_an_axis():
    first = MetricAtKDisplay.from_predictions(
        Y_TRUE, Y_SCORE, groups=GROUPS, metrics=["ndcg", "recall"], name="one"
    )
    second = MetricAtKDisplay.from_predictions(
        Y_TRUE, Y_TRUE, groups=GROUPS, metrics="recall", name="two", ax=first.ax_
    )
    assert second.ax_ is first.ax_
    assert second.figure_ is first.figure_
    title, labels = read_labels(first.ax_)
    starts = ["one, ndcg 0", "one, recall 1.000", "two 1.000 [0.292, 1.000]"]
    assert all(map(str.startswith, labels, starts))
    assert title.endswith("n = 3")
    colors = {line.get_color() for line in first.ax_.lines}
    assert len(colors) == 3


def test_a_display_draws_again_with_other_words():
    display = MetricAtKDisplay.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS)
    again = display.plot(name="again", confidence_level=None, line_kw={"color": "red"})
    assert again is display
    assert display.bands_ == []
    assert display.lines_[0].get_color() == "red"
    assert display.lines_[0].get_label() == f"again {display.mean['ndcg'][-1]:.3f} (n = 3)"


def test_undefined_queries_are_left_out_of_the_count_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match="1 of 2"):
        display = MetricAtKDisplay.from_predictions(
            [1, 0, 0, 0], [4, 3, 2, 1], groups=list("aabb"), name="model"
        )
    assert display.lines_[0].get_label() == "model 1.000 (n = 1)"
    assert np.isfinite(display.lines_[0].get_ydata()).all()


def test_groups_come_as_labels_or_as_a_column(ranking):
    X, y, groups = ranking
    model = Ridge().fit(X, y)
    with_labels = MetricAtKDisplay.from_estimator(
        model, X, y, groups=groups, replace_undefined_by=0.0
    )
    assert re.fullmatch(
        r"Ridge 0\.\d{3} \[0\.\d{3}, 0\.\d{3}\] \(n = 30\)",
        with_labels.lines_[0].get_label(),
    )

    class IgnoresFirstColumn(BaseEstimator):
        def fit(self, X, y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return model.predict(X[:, 1:])

    X_with_query = np.column_stack([groups, X])
    by_column = MetricAtKDisplay.from_estimator(
        IgnoresFirstColumn().fit(X, y), X_with_query, y, groups=0, replace_undefined_by=0.0
    )
    np.testing.assert_allclose(by_column.mean["ndcg"], with_labels.mean["ndcg"])


def test_a_recommender_is_judged_by_what_it_recommends(log):
    model = PopularityRecommender().fit(log[:2500])
    display = MetricAtKDisplay.from_estimator(model, log[2500:], k=[3, 10])
    for place, k in enumerate((3, 10)):
        scorer = make_recommender_scorer(f"ndcg@{k}")
        assert display.mean["ndcg"][place] == pytest.approx(scorer(model, log[2500:]))


def test_cv_results_pool_the_held_out_queries_of_all_folds(ranking):
    X, y, groups = ranking
    found = cross_validated(X, y, groups, GroupKFold(3))
    display = MetricAtKDisplay.from_cv_results(
        found, X, y, groups=groups, k=[5], replace_undefined_by=0.0
    )
    predicted = np.empty(len(y))
    for model, test in zip(found["estimator"], found["indices"]["test"], strict=True):
        predicted[test] = model.predict(X[test])
    expected = ndcg_score(y, predicted, groups=groups, k=5, replace_undefined_by=0.0)
    assert display.mean["ndcg"][0] == pytest.approx(expected)


def test_a_query_in_two_folds_counts_for_each(ranking):
    X, y, groups = ranking
    found = cross_validated(X, y, None, KFold(2, shuffle=True, random_state=0))
    display = MetricAtKDisplay.from_cv_results(
        found, X, y, groups=groups, k=[5], replace_undefined_by=0.0
    )
    assert display.n_queries == 60


def test_bands_end_where_the_metric_does():
    y_true = [0, 1, 0] + [1, 0, 0] * 3
    display = MetricAtKDisplay.from_predictions(
        y_true, [3, 2, 1] * 4, groups=np.repeat(range(4), 3), metrics="mrr", k=[3]
    )
    ends = display.bands_[0].get_datalim(display.ax_.transData).intervaly
    expected = confidence_interval([0.5, 1, 1, 1], value_range=(0, 1))
    assert expected.method == "exact"
    assert tuple(ends) == pytest.approx((expected.low, expected.high))
    curve = PrecisionRecallAtKDisplay.from_predictions(
        y_true, [3, 2, 1] * 4, groups=np.repeat(range(4), 3)
    )
    ends = curve.band_.get_datalim(curve.ax_.transData).intervaly
    assert 0 < ends[0] < ends[1] <= 1


@pytest.mark.parametrize(
    ("metrics", "k", "message"),
    [
        ("auc", None, "no cutoff"),
        ("ndcg@5", None, "without cutoff"),
        ("nope", None, "Unknown metric"),
        ("mae", None, "no cutoff"),
        ("ndcg", [], "`k` is empty"),
        ("ndcg", 0, "`k` must be an integer >= 1"),
    ],
)
def test_wrong_metrics_and_cutoffs_are_named(metrics, k, message):
    with pytest.raises(ValueError, match=message):
        MetricAtKDisplay.from_predictions(
            Y_TRUE, Y_SCORE, groups=GROUPS, metrics=metrics, k=k
        )


@pytest.mark.parametrize("k", [1001, 10**9, range(10**9), list(range(1, 2000))])
def test_more_cutoffs_than_a_picture_shows_are_refused(k, log):
    with pytest.raises(ValueError, match=r"`k` has \d+ cutoffs.*1000 at most"):
        MetricAtKDisplay.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS, k=k)
    model = PopularityRecommender().fit(log[:2500])
    with pytest.raises(ValueError, match=r"`k` has \d+ cutoffs.*1000 at most"):
        MetricAtKDisplay.from_estimator(model, log[2500:], k=k)


def test_cutoffs_in_any_order_and_of_any_type(log):
    cutoffs = [np.int8(3), 10**9, 1, 3]
    display = MetricAtKDisplay.from_predictions(
        Y_TRUE, Y_SCORE, groups=GROUPS, metrics="precision", k=cutoffs
    )
    assert display.k.tolist() == [1, 3, 10**9]
    assert 0 < display.mean["precision"][2] < 1e-8
    model = PopularityRecommender().fit(log[:2500])
    of_model = MetricAtKDisplay.from_estimator(model, log[2500:], k=cutoffs)
    assert of_model.k.tolist() == [1, 3, 10**9]
    up_to = MetricAtKDisplay.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS, k=np.uint8(4))
    assert up_to.k.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("k", ["5", {3: 1}, 2.5, [1, None], np.ones((2, 2), int), True])
def test_what_is_no_cutoff_is_named(k):
    with pytest.raises(TypeError, match="`k` must be an integer"):
        MetricAtKDisplay.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS, k=k)


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize(
    ("parameter", "bad"),
    [
        ("name", 5),
        ("name", np.array(["a", "b"])),
        ("name", pd.NA),
        ("ax", pd.Series([1, 2])),
        ("ax", "left"),
        ("ax", [1, 2]),
    ],
)
def test_what_is_no_name_and_no_axis_is_named(display, parameter, bad):
    with pytest.raises(TypeError, match=f"`{parameter}` must be"):
        display.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS, **{parameter: bad})


@pytest.mark.parametrize(
    ("display", "parameter"),
    [
        (MetricAtKDisplay, "line_kw"),
        (MetricAtKDisplay, "band_kw"),
        (PrecisionRecallAtKDisplay, "line_kw"),
        (PrecisionRecallAtKDisplay, "band_kw"),
        (PerQueryDisplay, "bar_kw"),
        (PerQueryDisplay, "mean_kw"),
    ],
)
@pytest.mark.parametrize("bad", [5, "red", ["red"], np.array([1, 2]), True])
def test_keywords_are_dicts(display, parameter, bad):
    with pytest.raises(TypeError, match=f"`{parameter}` must be a dict of keywords"):
        display.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS, **{parameter: bad})


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("bad", [5, None, "folds", [1]])
def test_results_that_are_no_dict_are_named(display, bad, ranking):
    X, y, groups = ranking
    with pytest.raises(ValueError, match=r"`cv_results` must come.*lacks \['estimator'"):
        display.from_cv_results(bad, X, y, groups=groups)


@pytest.mark.parametrize("display", DISPLAYS)
def test_no_rows_are_named(display, ranking, log):
    X, y, groups = ranking
    ranker, recommender = Ridge().fit(X, y), PopularityRecommender().fit(log)
    for nothing in (None, 3, X[:0], log[:0]):
        with pytest.raises(ValueError, match=r"needs X, a table|X has none"):
            display.from_estimator(recommender, nothing)
        with pytest.raises(ValueError, match=r"needs X, a table|X has none"):
            display.from_estimator(ranker, nothing, y, groups=groups)


@pytest.mark.parametrize("display", DISPLAYS)
def test_unfitted_estimators_are_refused(display, ranking, log):
    X, y, groups = ranking
    with pytest.raises(NotFittedError, match="Ridge"):
        display.from_estimator(Ridge(), X, y, groups=groups)
    with pytest.raises(NotFittedError, match="Popularity"):
        display.from_estimator(PopularityRecommender(), log)
    with pytest.raises(TypeError, match="the class Ridge"):
        display.from_estimator(Ridge, X, y, groups=groups)


@pytest.mark.parametrize("display", DISPLAYS)
def test_what_is_missing_is_named(display, ranking):
    X, y, groups = ranking
    model = Ridge().fit(X, y)
    with pytest.raises(ValueError, match="`groups`, the query of each row, is needed"):
        display.from_estimator(model, X, y)
    with pytest.raises(ValueError, match="`y`"):
        display.from_estimator(model, X, groups=groups)
    with pytest.raises(ValueError, match="return_indices=True"):
        display.from_cv_results({"test_score": [1.0]}, X, y, groups=groups)
    with pytest.raises(TypeError, match="`ax`"):
        display.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS, ax=3)
    with pytest.raises(ValueError, match="`confidence_level`"):
        display.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS, confidence_level=95)


@pytest.mark.parametrize("display", DISPLAYS)
def test_without_matplotlib_the_error_says_what_to_install(display, monkeypatch, ranking):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    X, y, groups = ranking
    install = r"sklearn-rank\[plot\]"
    with pytest.raises(ImportError, match=install):
        display.from_predictions(Y_TRUE, Y_SCORE, groups=GROUPS)
    with pytest.raises(ImportError, match=install):
        display.from_estimator(Ridge(), X, y, groups=groups)
    with pytest.raises(ImportError, match=install):
        display.from_cv_results({}, X, y, groups=groups)


def test_a_search_is_named_after_its_best_estimator(ranking):
    X, y, groups = ranking
    search = GridSearchCV(Ridge(), {"alpha": [1, 10]}, scoring="r2").fit(X, y)
    display = MetricAtKDisplay.from_estimator(
        search, X, y, groups=groups, replace_undefined_by=0.0
    )
    assert display.name == "Ridge"


def test_weights_reach_the_mean():
    weight = [3, 3, 3, 1, 1, 1, 0, 0]
    display = MetricAtKDisplay.from_predictions(
        Y_TRUE, Y_SCORE, groups=GROUPS, metrics="precision", k=[2], sample_weight=weight
    )
    expected = precision_at_k_score(
        Y_TRUE, Y_SCORE, groups=GROUPS, k=2, sample_weight=weight
    )
    assert display.mean["precision"][0] == pytest.approx(expected)


def test_the_legend_shows_the_cutoff_that_is_asked_for():
    curves = {"k": [1, 5, 10], "mean": {"ndcg": [0.25, 0.5, 0.75]}}
    display = MetricAtKDisplay(**curves, name="one").plot(labeled_k=5)
    MetricAtKDisplay(**curves, name="two").plot(display.ax_, labeled_k=5)
    title, labels = read_labels(display.ax_)
    assert title == "ndcg@5, 95% interval"
    assert labels == ["one 0.500", "two 0.500"]
    (mark,) = [one for one in display.ax_.collections if one.get_gid() == "k"]
    assert mark.get_segments()[0][:, 0].tolist() == [5, 5]
    assert display.ax_.get_ylim()[0] == 0
    with pytest.raises(ValueError, match=r"`labeled_k` .*7"):
        MetricAtKDisplay(**curves).plot(labeled_k=7)
