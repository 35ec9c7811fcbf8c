import matplotlib
import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import auc
from sklearn.model_selection import GroupKFold, cross_validate

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import (
    PrecisionRecallAtKDisplay,
    make_recommender_scorer,
    precision_recall_at_k_curve,
)
from sklearn_rank.recommenders import PopularityRecommender

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_curve_and_its_area_are_those_of_the_function():
    X, y, groups = make_ranking(n_queries=30, random_state=0)
    display = PrecisionRecallAtKDisplay.from_predictions(
        y, X[:, 0], groups=groups, max_k=7, replace_undefined_by=0.0, name="first"
    )
    precision, recall, _ = precision_recall_at_k_curve(
        y, X[:, 0], groups=groups, max_k=7, replace_undefined_by=0.0
    )
    np.testing.assert_allclose(display.line_.get_xdata(), recall)
    np.testing.assert_allclose(display.line_.get_ydata(), precision)
    assert display.area == pytest.approx(auc(recall, precision))
    assert display.line_.get_label() == f"first {display.area:.3f} (n = 30)"
    title = display.ax_.get_legend().get_title().get_text()
    assert title == "area to k = 7, 95% interval"
    assert display.ax_.get_xlim()[1] == pytest.approx(1.05 * recall.max())
    assert display.ax_.get_ylim()[0] == 0
    assert [mark.get_text() for mark in display.marks_] == ["1", "2", "5"]


def test_the_curve_ends_with_the_longest_list():
    display = PrecisionRecallAtKDisplay.from_predictions(
        [0, 1, 1], [3, 2, 1], groups=[0, 0, 0], max_k=50
    )
    assert len(display.recall) == 3


@pytest.mark.parametrize("max_k", [np.ones(2), "5", [5], 2.5, True])
def test_what_is_no_cutoff_is_named(max_k):
    log = make_interactions(50, 30, 300, random_state=0, as_frame=True)
    model = PopularityRecommender().fit(log)
    with pytest.raises(TypeError, match="`max_k` must be an integer"):
        PrecisionRecallAtKDisplay.from_estimator(model, log, max_k=max_k)
    with pytest.raises(TypeError, match="`max_k` must be an integer"):
        PrecisionRecallAtKDisplay.from_predictions(
            [0, 1], [2, 1], groups=[0, 0], max_k=max_k
        )


def test_a_cutoff_far_below_the_end_ends_with_the_list():
    display = PrecisionRecallAtKDisplay.from_predictions(
        [0, 1, 1], [3, 2, 1], groups=[0, 0, 0], max_k=2**53
    )
    assert len(display.recall) == 3


def test_one_cutoff_has_no_area_and_one_query_no_band():
    display = PrecisionRecallAtKDisplay.from_predictions(
        [1, 0], [2, 1], groups=[0, 0], max_k=1
    )
    assert np.isnan(display.area)
    assert len(display.band_.get_paths()) == 0
    assert display.plot(confidence_level=None).band_ is None


def test_band_is_widest_where_queries_differ_most():
    groups = np.repeat(np.arange(20), 2)
    y_true = np.where(groups % 2 == 0, np.tile([1, 0], 20), np.tile([0, 1], 20))
    display = PrecisionRecallAtKDisplay.from_predictions(
        y_true, np.tile([2, 1], 20), groups=groups
    )
    # At k = 1 half of the queries have a hit; at k = 2 each has precision 1 / 2.
    expected = np.sqrt(0.25 * 20 / 19 / 20)
    np.testing.assert_allclose(display.standard_error, [expected, 0], atol=1e-12)


def test_recommenders_and_folds():
    log = make_interactions(200, 100, 3000, random_state=0, as_frame=True)
    model = PopularityRecommender().fit(log[:2500])
    display = PrecisionRecallAtKDisplay.from_estimator(model, log[2500:], max_k=10)
    scorer = make_recommender_scorer("recall@10")
    assert display.recall[-1] == pytest.approx(scorer(model, log[2500:]))

    X, y, groups = make_ranking(n_queries=30, random_state=0)
    found = cross_validate(
        Ridge(),
        X,
        y,
        groups=groups,
        cv=GroupKFold(3),
        scoring="r2",
        return_estimator=True,
        return_indices=True,
    )
    display = PrecisionRecallAtKDisplay.from_cv_results(
        found, X, y, groups=groups, replace_undefined_by=0.0
    )
    assert display.n_queries == 30


def test_numbers_of_cutoffs_do_not_collide():
    precision, recall = np.full(20, 0.5), np.linspace(0.99, 1, 20)
    display = PrecisionRecallAtKDisplay(precision=precision, recall=recall).plot()
    assert [mark.get_text() for mark in display.marks_] == ["1"]


def test_a_band_of_given_errors_is_by_their_number_of_queries():
    display = PrecisionRecallAtKDisplay(
        precision=[0.5, 0.4], recall=[0.2, 0.4], standard_error=[0.1, 0.1], n_queries=9
    ).plot()
    lows = display.band_.get_paths()[0].vertices[:, 1].min()
    assert lows == pytest.approx(0.4 - 2.306 * 0.1, abs=1e-3)  # Student's t, 8 degrees
