"""Pictures of cross-validations that hold out some queries more than once."""

from datetime import date

import matplotlib
import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import ShuffleSplit, cross_validate

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import (
    MetricAtKDisplay,
    PerQueryDisplay,
    PrecisionRecallAtKDisplay,
)
from sklearn_rank.metrics._plot._rows_of_estimators import name_queries, number_queries
from sklearn_rank.model_selection import cross_validate_per_query
from sklearn_rank.statistics import confidence_interval

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def ranking():
    return make_ranking(n_queries=30, random_state=0)


def repeated(ranking):
    """Return what is needed to draw a cross-validation that holds out queries thrice."""
    X, y, groups = ranking
    cv = ShuffleSplit(3, test_size=0.7, random_state=0)
    splits = [
        (np.flatnonzero(~held_out), np.flatnonzero(held_out))
        for _, queries in cv.split(np.unique(groups))
        for held_out in [np.isin(groups, queries)]
    ]
    found = cross_validate(
        Ridge(), X, y, cv=splits, scoring="r2", return_estimator=True, return_indices=True
    )
    values = cross_validate_per_query(
        Ridge(), X, y, groups=groups, cv=splits, metrics="precision@5"
    )
    return (found, X, y), {"groups": groups}, values


def test_a_query_in_several_folds_is_one_cluster_of_the_bands(ranking):
    """As many values as it has folds, but they are much alike."""
    arguments, labels, values = repeated(ranking)
    expected = confidence_interval(values)["precision@5"]
    display = MetricAtKDisplay.from_cv_results(
        *arguments, **labels, metrics="precision", k=[5]
    )
    (band,) = display.bands_
    ends = band.get_datalim(display.ax_.transData).intervaly
    assert tuple(ends) == pytest.approx((expected.low, expected.high))
    assert display.n_clusters < display.n_queries == expected.n_queries
    curve = PrecisionRecallAtKDisplay.from_cv_results(*arguments, **labels)
    assert curve.standard_error[4] == pytest.approx(expected.standard_error)
    assert curve.n_clusters == display.n_clusters


@pytest.mark.parametrize("metric", ["precision@5", "map@5", "map(average='geometric')@5"])
def test_a_query_in_several_folds_is_one_cluster_of_its_interval(metric, ranking):
    arguments, labels, _ = repeated(ranking)
    display = PerQueryDisplay.from_cv_results(*arguments, **labels, metrics=metric)
    found = display._found
    assert len(found.groups) > len(np.unique(found.groups))
    into, back = (np.log, np.exp) if "geometric" in metric else (np.array, np.array)
    values = into(np.maximum(found.scores[metric], 1e-5 if into is np.log else 0))
    how = {"method": "t"} if into is np.log else {"value_range": (0, 1)}
    expected = confidence_interval(values, groups=found.groups, **how)
    mean = float(back(expected.mean))
    slope = mean if into is np.log else 1  # of exp
    below, above = expected.mean - expected.low, expected.high - expected.mean
    ends = (max(mean - slope * below, 0), min(mean + slope * above, 1))
    assert display.band_.get_xdata() == pytest.approx(ends)


def test_queries_of_the_2d_form_are_known_by_their_place(ranking):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = (X @ np.ones((3, 8)) + np.random.default_rng(1).normal(size=(40, 8)) > 1) * 1.0
    cv = ShuffleSplit(3, test_size=0.7, random_state=0)
    found = cross_validate(
        Ridge(), X, y, cv=cv, scoring="r2", return_estimator=True, return_indices=True
    )
    display = PerQueryDisplay.from_cv_results(
        found, X, y, metrics="precision@5", replace_undefined_by=0.0
    )
    assert display.groups.tolist() == np.concatenate(found["indices"]["test"]).tolist()
    assert display._found.fold.tolist() == np.repeat([0, 1, 2], 28).tolist()


def test_labels_that_read_alike_stay_apart():
    day, text = date(2024, 1, 2), "2024-01-02"
    folds = [np.array([day, day, text], object), np.array([day, text, "x"], object)]
    names, held_out = name_queries(folds)
    assert len(set(names.tolist())) == 5
    assert names[0] == names[1]
    assert held_out.labels[[held_out.query_index[n] for n in names.tolist()]].tolist() == [
        *folds[0],
        *folds[1],
    ]


def test_queries_of_one_fold_each_keep_their_labels():
    names, held_out = name_queries([["a", "a", "b"], ["c"]])
    assert (names.tolist(), held_out) == (["a", "a", "b", "c"], None)
    assert number_queries([np.array([2, 0]), np.array([1])]) is None
