"""Groups reach the steps of a pipeline that ask for them, when an estimator is scored."""

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import MetricAtKDisplay, make_ranking_scorer
from sklearn_rank.model_selection import cross_validate_per_query
from sklearn_rank.rankers import GroupRanker, QueryFeatures, RankFusion

X, Y, GROUPS = make_ranking(60, random_state=0)
CV = GroupKFold(3)
SCORER = make_ranking_scorer("ndcg@10")


@pytest.fixture(autouse=True)
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(scope="module")
def by_hand():
    """The scores of a plain loop, with scikit-learn's nDCG: .916, .920, .920 in 1.9."""
    scores = []
    for train, test in CV.split(X, Y, GROUPS):
        new = QueryFeatures().fit_transform(X[train], groups=GROUPS[train])
        model = Ridge().fit(new, Y[train])
        new = QueryFeatures().fit_transform(X[test], groups=GROUPS[test])
        predicted, values = model.predict(new), []
        for query in np.unique(GROUPS[test]):
            rows = GROUPS[test] == query
            if Y[test][rows].any():
                values.append(ndcg_score([Y[test][rows]], [predicted[rows]], k=10))
        scores.append(np.mean(values))
    return pytest.approx(scores, rel=1e-9)


def test_a_pipeline(by_hand):
    model = make_pipeline(QueryFeatures(), GroupRanker(Ridge()))
    assert cross_validated(model) == by_hand


def test_the_values_of_queries(by_hand):
    model = make_pipeline(QueryFeatures(), GroupRanker(Ridge()))
    found = cross_validate_per_query(model, X, Y, groups=GROUPS, cv=CV)
    values = found.scores["ndcg@10"]
    means = [np.nanmean(values[found.fold == fold]) for fold in range(3)]
    assert means == by_hand


def test_a_union_of_features(by_hand):
    # Numbers beside what compares them are the columns of QueryFeatures.
    union = FeatureUnion(
        [("numbers", FunctionTransformer()), ("within", QueryFeatures(append=False))]
    )
    model = make_pipeline(union, GroupRanker(Ridge()))
    assert cross_validated(model) == by_hand


def test_a_search_within_cross_validation(by_hand):
    search = GridSearchCV(
        make_pipeline(QueryFeatures(), GroupRanker(Ridge())),
        {"groupranker__estimator__alpha": [1.0]},
        scoring=SCORER,
        cv=CV,
        error_score="raise",
    )
    assert cross_validated(search) == by_hand


def test_a_search_within_a_pipeline(by_hand):
    search = GridSearchCV(
        GroupRanker(Ridge()), {"estimator__alpha": [1.0]}, scoring=SCORER, cv=CV
    )
    model = make_pipeline(QueryFeatures(), search)
    assert cross_validated(model) == by_hand


def test_a_last_step_that_predicts_by_query():
    fusion = cross_validated(RankFusion())
    piped = cross_validated(make_pipeline(FunctionTransformer(), RankFusion()))
    assert piped.tolist() == fusion.tolist()


def test_displays():
    pytest.importorskip("matplotlib")
    model = make_pipeline(QueryFeatures(), GroupRanker(Ridge())).fit(X, Y, groups=GROUPS)
    display = MetricAtKDisplay.from_estimator(
        model, X, Y, groups=GROUPS, metrics="ndcg", k=10
    )
    assert display.mean["ndcg"][-1] == pytest.approx(SCORER(model, X, Y, groups=GROUPS))


def test_steps_that_do_not_ask_get_none():
    plain = cross_validated(make_pipeline(StandardScaler(), GroupRanker(Ridge())))
    assert np.isfinite(plain).all()
    silent = QueryFeatures().set_transform_request(groups=False)
    with pytest.raises(ValueError, match="QueryFeatures needs `groups`"):
        cross_validated(make_pipeline(silent, GroupRanker(Ridge())))


def cross_validated(model):
    given = {"groups": GROUPS}
    found = cross_validate(
        model, X, Y, scoring=SCORER, cv=CV, params=given, error_score="raise"
    )
    return found["test_score"]
