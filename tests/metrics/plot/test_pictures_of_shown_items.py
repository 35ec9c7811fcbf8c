"""Pictures of what lists show."""

import numpy as np
import pytest
from sklearn.model_selection import cross_validate

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import (
    Catalogue,
    MetricAtKDisplay,
    PerQueryDisplay,
    make_recommender_scorer,
    ranking_scores,
)
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import ItemNeighborsRecommender, PopularityRecommender
from tests.metrics.families.test_shown_values import CATALOGUE, ROWS

pytest.importorskip("matplotlib")
COLUMNS = {"user": "user", "item": "item"}
LOG = make_interactions(80, 100, 1900, random_state=0, as_frame=True)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    __import__("matplotlib.pyplot").pyplot.close("all")


def test_of_given_scores():
    names = ["novelty", "ild"]
    display = MetricAtKDisplay.from_predictions(
        **ROWS, catalogue=CATALOGUE, metrics=names, k=3
    )
    expected = [
        ranking_scores(**ROWS, catalogue=CATALOGUE, metrics=f"novelty@{k}")[f"novelty@{k}"]
        for k in (1, 2, 3)
    ]
    assert display.mean["novelty"].tolist() == expected
    assert np.isnan(display.mean["ild"][0])  # of one item
    each = PerQueryDisplay.from_predictions(
        **ROWS, catalogue=CATALOGUE, metrics="novelty@3", baseline=ROWS["y_score"]
    )
    assert each.differences.tolist() == [0] * 4


def test_a_recommender_tells_what_it_was_fitted_to():
    train, test = LOG[:1500], LOG[1500:]
    model = ItemNeighborsRecommender(**COLUMNS).fit(train)
    display = MetricAtKDisplay.from_estimator(
        model, test, metrics=["novelty", "ndcg"], k=[5], **COLUMNS
    )
    expected = make_recommender_scorer(["novelty@5", "ndcg@5"], **COLUMNS)(model, test)
    assert display.mean["novelty"] == [pytest.approx(expected["novelty@5"], rel=1e-14)]
    other = PopularityRecommender(**COLUMNS).fit(train)
    each = PerQueryDisplay.from_estimator(
        model, test, metrics="novelty@5", baseline=other, **COLUMNS
    )
    assert each.differences.mean() > 0


def test_folds_take_one_catalogue():
    found = cross_validate(
        PopularityRecommender(**COLUMNS),
        LOG,
        cv=TimeSplit(2, time="time"),
        scoring=make_recommender_scorer("ndcg@5", **COLUMNS),
        return_estimator=True,
        return_indices=True,
    )
    catalogue = Catalogue.from_interactions(LOG)
    display = PerQueryDisplay.from_cv_results(
        found, LOG, metrics="novelty@5", catalogue=catalogue, **COLUMNS
    )
    assert np.isfinite(display.scores).all()
    with pytest.raises(ValueError, match=r"'novelty@5' needs .*`catalogue=`"):
        PerQueryDisplay.from_cv_results(found, LOG, metrics="novelty@5", **COLUMNS)
