"""Scorers where scikit-learn reads their name, or asks for what they do not have."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    LearningCurveDisplay,
    TunedThresholdClassifierCV,
    ValidationCurveDisplay,
    learning_curve,
    validation_curve,
)

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer, ndcg_score
from sklearn_rank.model_selection import TimeSplit, UserKFold
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import PopularityRecommender


@pytest.fixture
def log():
    X, y, groups = make_ranking(60, random_state=0)
    return np.column_stack([groups, X]), y


RANKER = GroupRanker(Ridge(), groups=0)
HOW = {"cv": UserKFold(4, user=0), "error_score": "raise"}


def scorer_of(metric):
    return make_ranking_scorer(metric, replace_undefined_by=np.nan)


@pytest.mark.parametrize(
    ("metric", "negate", "label"),
    [
        ("ndcg@5", False, "Ndcg@5"),
        ("ndcg@5", True, "Negative ndcg@5"),
        (ndcg_score, False, "Ndcg"),
        ("mean_rank", False, "Negative mean rank"),
        ("mean_rank", True, "Mean rank"),
    ],
)
def test_learning_curve(log, metric, negate, label):
    pytest.importorskip("matplotlib")
    found = LearningCurveDisplay.from_estimator(
        RANKER, *log, scoring=scorer_of(metric), negate_score=negate, **HOW
    )
    assert found.ax_.get_ylabel() == label
    _, _, test = learning_curve(RANKER, *log, scoring=scorer_of(metric), **HOW)
    assert np.array_equal(found.test_scores, test)


def test_validation_curve(log):
    pytest.importorskip("matplotlib")
    grid = {"param_name": "estimator__alpha", "param_range": [0.1, 1000.0]}
    found = ValidationCurveDisplay.from_estimator(
        RANKER, *log, **grid, scoring=scorer_of("mrr@3"), **HOW
    )
    _, test = validation_curve(RANKER, *log, **grid, scoring=scorer_of("mrr@3"), **HOW)
    assert found.ax_.get_ylabel() == "Mrr@3"
    assert np.array_equal(found.test_scores, test)


def test_learning_curve_of_a_recommender():
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    log = make_interactions(200, 200, 5000, random_state=0, as_frame=True)
    with pytest.warns(MisleadingScoreWarning, match="rows are those of fit"):
        found = LearningCurveDisplay.from_estimator(
            PopularityRecommender(),
            log,
            None,
            cv=TimeSplit(2, test_size="28D", time="time"),
            scoring=make_recommender_scorer("recall@5"),
            error_score="raise",
        )
    assert found.ax_.get_ylabel() == "Recall@5"


def test_a_picture_is_of_one_metric(log):
    pytest.importorskip("matplotlib")
    with pytest.raises(AttributeError, match="a picture is of one metric, so make a scor"):
        LearningCurveDisplay.from_estimator(
            RANKER, *log, scoring=scorer_of(["ndcg", "mrr"]), **HOW
        )


@pytest.mark.parametrize("make", [make_ranking_scorer, make_recommender_scorer])
def test_a_threshold_needs_a_metric_of_decisions(log, make):
    X, y = log
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=make("ndcg@5"))
    with pytest.raises(
        AttributeError, match="give it a metric of decisions, such as scori"
    ):
        tuned.fit(X, y > 0)
    assert tuned.set_params(scoring="f1").fit(X, y > 0).best_score_ > 0.5


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, "pickle"])
def test_copies_have_the_name_too(copied):
    scorer = make_ranking_scorer("mean_rank")
    if copied == "pickle":
        assert pickle.loads(pickle.dumps(scorer)).__name__ == "neg_mean_rank"
    else:
        assert copied(scorer).__name__ == "neg_mean_rank"


def test_what_is_not_there_is_missing_as_in_other_objects():
    scorer = make_ranking_scorer("ndcg")
    assert not hasattr(scorer, "fit")
    with pytest.raises(AttributeError, match=r"'RankingScorer' .* no attribute 'fit'\."):
        scorer.fit  # noqa: B018
