"""Rankers where scikit-learn wants a regressor, and features chosen by a ranker."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import StackingRegressor, VotingRegressor
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from sklearn_rank.metrics import MetricAtKDisplay, make_ranking_scorer, ndcg_score
from sklearn_rank.model_selection import UserKFold
from sklearn_rank.rankers import GroupRanker, PairwiseRanker
from tests.rankers.conftest import lightgbm_ranker

KINDS = {
    "booster": lambda groups: GroupRanker(
        lightgbm_ranker(importance_type="gain"), groups=groups
    ),
    "linear": lambda groups: GroupRanker(Ridge(), groups=groups),
    "classifier": lambda groups: GroupRanker(LogisticRegression(), groups=groups),
    "pairwise": lambda groups: PairwiseRanker(LogisticRegression(), groups=groups),
}


@pytest.fixture(params=list(KINDS))
def make(request):
    return KINDS[request.param]


@pytest.fixture
def frame(queries):
    """The query stands between the features, to show which values are whose."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(queries.X, columns=list("abcd"))
    X.insert(1, "query", queries.groups)
    return X


def score(scores, queries):
    return ndcg_score(queries.y, scores, groups=queries.groups)


def test_votes(make, frame, queries):
    members = [("ranker", make("query")), ("ridge", GroupRanker(Ridge(), groups="query"))]
    votes = VotingRegressor(members).fit(frame, queries.y)
    parts = [model.fit(frame, queries.y).predict(frame) for _, model in members]
    assert np.allclose(votes.predict(frame), np.mean(parts, axis=0))


def test_votes_with_routing(make, queries, with_routing):
    votes = VotingRegressor([("ranker", make(None)), ("ridge", GroupRanker(Ridge()))])
    votes.fit(queries.X, queries.y, groups=queries.groups)
    assert score(votes.predict(queries.X), queries) > 0.7


def test_stacks(make, frame, queries):
    stack = StackingRegressor(
        [("ranker", make("query"))], Ridge(), cv=UserKFold(3, user="query")
    ).fit(frame, queries.y)
    assert score(stack.predict(frame), queries) > 0.7


def test_stacks_with_routing(make, queries, with_routing):
    stack = StackingRegressor(
        [("ranker", make(None))], GroupRanker(Ridge()), cv=GroupKFold(3)
    ).fit(queries.X, queries.y, groups=queries.groups)
    assert score(stack.predict(queries.X), queries) > 0.7


def test_a_stack_tells_scorers_and_pictures_the_column_of_its_rankers(frame, queries):
    without_query = ColumnTransformer([("numbers", "passthrough", list("abcd"))])
    plain = make_pipeline(without_query, Ridge())
    members = [("plain", plain), ("ranker", GroupRanker(Ridge(), groups="query"))]
    stack = StackingRegressor(members, Ridge(), cv=UserKFold(3, user="query"))
    stack.fit(frame, queries.y)
    expected = ndcg_score(queries.y, stack.predict(frame), groups=queries.groups, k=3)
    assert make_ranking_scorer("ndcg@3")(stack, frame, queries.y) == expected
    votes = VotingRegressor(members).fit(frame, queries.y)
    assert make_ranking_scorer("ndcg")(votes, frame, queries.y) == score(
        votes.predict(frame), queries
    )


def test_picture_of_a_stack(frame, queries):
    pytest.importorskip("matplotlib")
    members = [("ranker", GroupRanker(Ridge(), groups="query"))]
    stack = StackingRegressor(members, Ridge(), cv=UserKFold(3, user="query"))
    display = MetricAtKDisplay.from_estimator(stack.fit(frame, queries.y), frame, queries.y)
    expected = ndcg_score(queries.y, stack.predict(frame), groups=queries.groups, k=1)
    assert display.mean["ndcg"][0] == expected


def test_partial_dependence(make, frame, queries):
    ranker = make("query").fit(frame, queries.y)
    found = partial_dependence(ranker, frame, ["a"], grid_resolution=5)
    assert found["average"].shape == (1, 5)
    assert found["average"][0, -1] > found["average"][0, 0]


def test_permutation_importance_by_the_own_score(make, frame, queries):
    ranker = make("query").fit(frame, queries.y)
    scorer = make_ranking_scorer("ndcg", groups="query", replace_undefined_by=0)
    found = permutation_importance(
        ranker, frame, queries.y, n_repeats=3, random_state=0, scoring=scorer
    )
    assert np.argmax(np.delete(found.importances_mean, 1)) == 0


def importances_of(ranker):
    name = "coef_" if hasattr(ranker, "coef_") else "feature_importances_"
    return np.atleast_2d(getattr(ranker, name))


@pytest.mark.parametrize("form", ["names", "positions", "two columns"])
def test_importances_are_as_many_as_columns(make, form, frame, queries):
    X, groups, positions = frame, "query", [1]
    if form == "positions":
        X, groups = frame.assign(query=queries.query).to_numpy(), 1
    if form == "two columns":
        X, groups, positions = frame.assign(day=queries.query % 3), ["day", "query"], [1, 5]
    ranker = make(groups).fit(X, queries.y)
    bare = make(None).fit(queries.X, queries.y, groups=queries.groups)
    found = importances_of(ranker)
    assert found.shape[1] == ranker.n_features_in_
    assert np.allclose(found[:, positions], 0)
    assert np.allclose(np.delete(found, positions, axis=1), importances_of(bare))
    if form != "positions":
        assert found.shape[1] == len(ranker.feature_names_in_)


def test_select_from_model(make, frame, queries):
    chosen = SelectFromModel(make("query"), max_features=2, threshold=-np.inf)
    chosen.fit(frame, queries.y)
    assert "query" not in chosen.get_feature_names_out()
    assert "a" in chosen.get_feature_names_out()
    assert chosen.transform(frame).shape == (len(frame), 2)


def test_recursive_elimination(make, frame, queries):
    def keep_query(ranker):
        importances = np.abs(importances_of(ranker)).sum(axis=0)
        return np.r_[importances.max() + 1, importances[1:]]

    X = frame.assign(query=queries.query)[["query", *"abcd"]]
    by_column = RFE(make(0), n_features_to_select=2, importance_getter=keep_query)
    by_column.fit(X, queries.y)
    assert by_column.get_feature_names_out().tolist() == ["query", "a"]
    with config_context(enable_metadata_routing=True):
        by_metadata = RFE(make(None), n_features_to_select=1)
        by_metadata.fit(queries.X, queries.y, groups=queries.groups)
    assert by_metadata.support_.tolist() == [True, False, False, False]


def test_a_search_in_a_search_splits_by_the_column(make, frame, queries):
    name, values = "estimator__alpha", [0.1, 10.0]
    if not isinstance(make("query").estimator, Ridge):
        name, values = "random_state", [0, 1]
    search = GridSearchCV(
        make("query"), {name: values}, cv=UserKFold(2, user="query"), error_score="raise"
    )
    scores = cross_val_score(
        search, frame, queries.y, cv=UserKFold(3, user="query"), error_score="raise"
    )
    assert (scores > 0.5).all()
    with pytest.raises(ValueError, match=r"split by the column too, .*user='column'"):
        make(None).fit(queries.X, queries.y)


def test_a_query_may_be_several_columns(make, queries):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(queries.X, columns=list("abcd"))
    X.insert(2, "user", queries.query // 3)
    X["day"] = np.array(["mon", "tue", "wed"])[queries.query % 3]
    passed = make(None).fit(queries.X, queries.y, groups=queries.groups)
    ranker = make(["user", "day"]).fit(X, queries.y)
    assert np.allclose(ranker.predict(X), passed.predict(queries.X))
    assert np.allclose(ranker.predict(X[list("abcd")]), passed.predict(queries.X))
    assert ranker.score(X, queries.y) == pytest.approx(
        passed.score(queries.X, queries.y, groups=queries.groups)
    )
    reverse = make(["day", "user"]).fit(X, queries.y)
    assert reverse.score(X, queries.y) == pytest.approx(ranker.score(X, queries.y))
    numbers = X.assign(day=queries.query % 3).to_numpy()
    by_position = make([2, -1]).fit(numbers, queries.y)
    assert np.allclose(by_position.predict(numbers), ranker.predict(X))
    assert np.allclose(by_position.predict(queries.X), ranker.predict(X))


def test_bad_lists_of_columns(frame, queries):
    for groups, text in [
        (["query", "shop"], "`groups='shop'` is not a column of X"),
        ([], "`groups` is an empty list"),
        (["query", "a", "b", "c", "d"], "a minimum of 6 is required"),
    ]:
        with pytest.raises(ValueError, match=text):
            GroupRanker(Ridge(), groups=groups).fit(frame, queries.y)
    missing = frame.assign(day=np.where(queries.query == 3, np.nan, 1.0))
    with pytest.raises(ValueError, match=r"`groups` has .* missing"):
        GroupRanker(Ridge(), groups=["query", "day"]).fit(missing, queries.y)
