"""The scripts that users write: ten lines each, on a made-up log of 100,000 rows."""

import warnings

import pytest
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import default_models, evaluate_models, tune_models
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    ImplicitRecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
    RecommenderMixin,
)

COLUMNS = {"user": "user", "item": "item", "time": "time"}


class Together(RecommenderMixin, BaseEstimator):
    """Items by how many users have them beside those of the history."""

    def __init__(self, user=None, item=None, power=1.0):
        self.user = user
        self.item = item
        self.power = power

    def fit_interactions(self, interactions):
        bought = (interactions > 0).astype(float)
        together = (bought.T @ bought).toarray()
        together /= together.diagonal() ** self.power
        self.together_ = together

    def score_histories(self, histories):
        return (histories > 0).astype(float) @ self.together_


class Broken(Together):
    def fit_interactions(self, interactions):
        raise MemoryError("no room")


@pytest.fixture(scope="module")
def log():
    return make_interactions(2000, 1000, 100_000, random_state=0, as_frame=True)


@pytest.fixture(scope="module")
def found(log):
    cv = TimeSplit(1, 0.2, cold_users="drop", seen_items="drop", time="time")
    train, test = next(cv.split(log))
    models = {
        "EASE": EASERecommender(regularization=100),
        "kNN": ItemNeighborsRecommender(),
        "popular": PopularityRecommender(),
    }
    fitted = {name: model.fit(log.iloc[train]) for name, model in models.items()}
    metrics = ["ndcg@10", "recall@10", "novelty@10", "coverage@10"]
    return evaluate_models(fitted, log.iloc[test], metrics=metrics)


def test_own_models_and_those_of_others_one_of_which_fails(log):
    als = pytest.importorskip("implicit.als").AlternatingLeastSquares
    models = default_models(log, **COLUMNS, names=["popularity"])
    models["together"] = Together(), {"power": [0.5, 1.0]}
    with threadpool_limits(1):
        own = ImplicitRecommender(als(random_state=0, num_threads=1))
        models["als"] = own, {"model__factors": [8, 16]}
        models["broken"] = Broken()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of the broken one
            text = str(tune_models(log, **COLUMNS, models=models, refit=False))
    assert "Failed: broken, 1 candidate (MemoryError: no room)" in text
    assert "als, factors 16 (tuned)  <- best" in text
    assert "together, power 0.5" in text
    assert "  0.1152   0.0034  [0.1085, 0.1220]  popularity\n" in text
    assert (
        "0.1138   0.0033  [0.1072, 0.1205]  time-decayed popularity, half-life 100D" in text
    )


def test_three_fitted_models(found):
    assert found.to_frame().round(4).to_string() == (
        "         ndcg@10  recall@10  novelty@10  coverage@10\n"
        "EASE      0.2709     0.2038      3.1718        0.571\n"
        "kNN       0.2385     0.1934      2.9801        0.493\n"
        "popular   0.1152     0.0965      2.0139        0.045"
    )


def test_a_paper(found, log):
    pytest.importorskip("jinja2")
    assert "0.2709$^{bc}$" in found.superscripts(markup="latex").to_latex()
    activity = (log["user"].value_counts() > 50).map({True: "heavy", False: "light"})
    frame = found.segments(by=activity)
    assert list(frame.columns) == ["all", "heavy", "light", "heavy - light"]
    assert " (SE " in frame.loc["EASE", "heavy - light"]


def test_a_notebook(log, tmp_path):
    options = {"time_budget": 60, "memory": tmp_path, "search": "halving", "refit": False}
    tuned = tune_models(log, **COLUMNS, models=["neighbors"], **options)
    assert tuned._repr_html_().startswith("<div")
    assert len(tuned.plot().axes_) == 2
