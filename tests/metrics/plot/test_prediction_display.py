"""What the makers of all displays share."""

import matplotlib
import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_validate

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import (
    MetricAtKDisplay,
    PerQueryDisplay,
    PrecisionRecallAtKDisplay,
    make_recommender_scorer,
    ranking_report,
)
from sklearn_rank.model_selection import LeaveLastOut
from sklearn_rank.recommenders import PopularityRecommender, RandomRecommender

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

DISPLAYS = (MetricAtKDisplay, PrecisionRecallAtKDisplay, PerQueryDisplay)
# Query 2 has no relevant document; "trec_eval" counts it as 0.
QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 0}, "3": {"a": 0, "b": 2}}
RUN = {
    "1": {"a": 1.0, "b": 3.0, "c": 2.0},
    "2": {"a": 1.0, "b": 2.0},
    "3": {"a": 2.0, "b": 1.0},
}
ROWS = {
    "y_true": [grade for of in QRELS.values() for grade in of.values()],
    "y_score": [score for of in RUN.values() for score in of.values()],
    "groups": [query for query, of in QRELS.items() for _ in of],
}


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


@pytest.fixture(scope="module")
def in_folds(ranking):
    X, y, groups = ranking
    return cross_validate(
        Ridge(),
        X,
        y,
        groups=groups,
        cv=GroupKFold(3),
        scoring="r2",
        return_estimator=True,
        return_indices=True,
    )


@pytest.fixture(scope="module")
def trec_eval():
    """Means of measures over all queries, as the library has them."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    measures = {"ndcg_cut", "P", "recall"}
    cutoffs = {f"{measure}.1,2,3" for measure in measures}
    found = pytrec_eval.RelevanceEvaluator(QRELS, cutoffs).evaluate(RUN)
    return {
        measure: np.array(
            [
                np.mean([found[query][f"{measure}_{k}"] for query in QRELS])
                for k in (1, 2, 3)
            ]
        )
        for measure in measures
    }


def test_metrics_at_k_follow_a_library(trec_eval):
    display = MetricAtKDisplay.from_predictions(
        **ROWS, metrics=["ndcg", "recall"], convention="trec_eval"
    )
    np.testing.assert_allclose(display.mean["ndcg"], trec_eval["ndcg_cut"])
    np.testing.assert_allclose(display.mean["recall"], trec_eval["recall"])
    assert display.n_queries == 3


def test_precision_and_recall_follow_a_library(trec_eval):
    display = PrecisionRecallAtKDisplay.from_predictions(**ROWS, convention="trec_eval")
    np.testing.assert_allclose(display.precision, trec_eval["P"])
    np.testing.assert_allclose(display.recall, trec_eval["recall"])
    assert display.n_queries == 3


def test_values_per_query_follow_a_library(trec_eval):
    display = PerQueryDisplay.from_predictions(
        **ROWS, metrics="ndcg@2", convention="trec_eval"
    )
    assert display.mean_.get_xdata()[0] == pytest.approx(trec_eval["ndcg_cut"][1])
    assert display.scores.shape == (3,)


def test_other_recall_than_that_of_the_curve_is_refused():
    with pytest.raises(ValueError, match="'lenskit' has precision with denominator='l"):
        PrecisionRecallAtKDisplay.from_predictions(**ROWS, convention="lenskit")
    with pytest.raises(ValueError, match="'sklearn' has no parameters for metric 'preci"):
        PrecisionRecallAtKDisplay.from_predictions(**ROWS, convention="sklearn")


def test_means_and_errors_are_those_of_the_report():
    weighted = {**ROWS, "sample_weight": [2, 2, 2, 1, 1, 3, 3]}
    metrics = ["precision@1", "precision@2", "recall@2"]
    report = ranking_report(**weighted, metrics=metrics, output_dict=True)
    with pytest.warns(UndefinedMetricWarning, match="1 of 3") as warned:
        display = PrecisionRecallAtKDisplay.from_predictions(**weighted)
    assert len(warned) == 1
    for k in (1, 2):
        row = report[f"precision@{k}"]
        assert display.precision[k - 1] == pytest.approx(row["mean"])
        assert display.standard_error[k - 1] == pytest.approx(row["standard_error"])
    assert display.recall[1] == pytest.approx(report["recall@2"]["mean"])
    assert display.n_queries == 2


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_wrong_keyword_has_the_keywords_of_the_picture(display, ranking, in_folds):
    X, y, groups = ranking
    held_out = {"groups": groups, "replace_undefined_by": 0.0}
    wrong = r"^plot\(\) has no parameter 'colour'\. It has ax, name, "
    with pytest.raises(TypeError, match=wrong):
        display.from_predictions(y, X[:, 0], **held_out, colour="red")
    with pytest.raises(TypeError, match=wrong):
        display.from_estimator(Ridge().fit(X, y), X, y, **held_out, colour="red")
    with pytest.raises(TypeError, match=wrong):
        display.from_cv_results(in_folds, X, y, **held_out, colour="red")


@pytest.mark.parametrize("display", DISPLAYS)
def test_folds_take_no_weights(display, ranking, in_folds):
    X, y, groups = ranking
    message = rf"{display.__name__}\.from_cv_results\(\).*'sample_weight'"
    with pytest.raises(TypeError, match=message):
        display.from_cv_results(
            in_folds, X, y, groups=groups, sample_weight=np.ones(len(y))
        )


def test_weights_of_estimators_are_those_of_rows(ranking):
    X, y, groups = ranking
    model = Ridge().fit(X, y)
    weight = np.unique(groups, return_inverse=True)[1] + 1.0
    shared = {"groups": groups, "k": [5], "replace_undefined_by": 0.0}
    of_model = MetricAtKDisplay.from_estimator(model, X, y, sample_weight=weight, **shared)
    of_scores = MetricAtKDisplay.from_predictions(
        y, model.predict(X), sample_weight=weight, **shared
    )
    assert of_model.mean["ndcg"] == of_scores.mean["ndcg"]


def test_metrics_of_the_whole_catalog_get_all_of_it(log):
    model = PopularityRecommender().fit(log[:2500])
    expected = make_recommender_scorer("fallout@5")(model, log[2500:])
    at_k = MetricAtKDisplay.from_estimator(model, log[2500:], metrics="fallout", k=[5])
    per_query = PerQueryDisplay.from_estimator(model, log[2500:], metrics="fallout@5")
    assert per_query.ax_.get_xlabel() == "fallout@5 of a user"
    assert per_query.ax_.get_ylabel() == "share of users up to the value"
    # A scorer negates what is better when lower.
    assert at_k.mean["fallout"][0] == pytest.approx(-expected)
    assert per_query.mean_.get_xdata()[0] == pytest.approx(-expected)


def test_pictures_of_a_recommender_speak_of_users(log):
    model = PopularityRecommender().fit(log[:2500])
    held_out, random = log[2500:], RandomRecommender(random_state=0).fit(log[:2500])
    display = PerQueryDisplay.from_estimator(model, held_out, baseline=random)
    assert display.ax_.get_xlabel().startswith("users, sorted (n = ")
    assert MetricAtKDisplay.from_estimator(model, held_out).ax_.get_ylabel().endswith("@k")
    both = MetricAtKDisplay.from_estimator(model, held_out, metrics=["ndcg", "recall"])
    assert both.ax_.get_ylabel() == "mean over users"
    folds = cross_validate(
        PopularityRecommender(),
        log,
        cv=LeaveLastOut(time="time"),
        scoring=make_recommender_scorer("ndcg@5"),
        return_estimator=True,
        return_indices=True,
    )
    assert PerQueryDisplay.from_cv_results(folds, log).ax_.get_xlabel().endswith("a user")
    PrecisionRecallAtKDisplay.from_cv_results(folds, log)


def test_a_recommender_whose_catalog_is_unknown_needs_a_cutoff(log):
    class Always(BaseEstimator):
        def fit(self, X, y=None):
            self.fitted_ = True
            return self

        def recommend(self, users, k):
            return np.tile(np.arange(k), (len(users), 1))

    model = Always().fit(log)
    assert len(PrecisionRecallAtKDisplay.from_estimator(model, log, max_k=3).recall) == 3
    with pytest.raises(TypeError, match="Always has no `items_`"):
        PrecisionRecallAtKDisplay.from_estimator(model, log, max_k=None)
    with pytest.raises(TypeError, match="Always has no `items_`"):
        PerQueryDisplay.from_estimator(model, log, metrics="map")
