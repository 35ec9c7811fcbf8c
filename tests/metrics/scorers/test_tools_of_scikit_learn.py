"""Scorers in each of scikit-learn's tools: the same numbers with routing on and off."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.compose import make_column_transformer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer, ndcg_score
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import ItemNeighborsRecommender

# Small logs repeat most pairs, on purpose: their scores are compared with those of loops.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.exceptions.MisleadingScoreWarning"
)


def make_queries(n_queries=18, n_features=4):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(n_queries), rng.integers(4, 9, n_queries))
    features = rng.normal(size=(len(groups), n_features))
    worth = features[:, 0] + 0.5 * features[:, 1] + rng.normal(size=len(groups))
    order = rng.permutation(len(groups))
    grades = np.digitize(worth, [0, 1, 2])
    return np.column_stack([groups, features])[order], grades[order], groups[order]


X, Y, GROUPS = make_queries()  # column 0 holds the groups too
FEATURES = X[:, 1:]
FOLDS = GroupKFold(3)
STRICT = {"error_score": "raise"}
GRID = {"ridge__alpha": [0.01, 10.0, 1e4]}


def ranker(alpha=1.0):
    """Return a model that ignores the column of groups."""
    drop = make_column_transformer(("drop", [0]), remainder="passthrough")
    return make_pipeline(drop, Ridge(alpha=alpha))


def scorer_of(groups, metric="ndcg@3"):
    return make_ranking_scorer(metric, groups=groups, replace_undefined_by=0.0)


def by_hand(alpha, rows="test"):
    """Return the score of each fold from a plain loop."""
    scores = []
    for train, test in FOLDS.split(X, Y, GROUPS):
        model = Ridge(alpha=alpha).fit(FEATURES[train], Y[train])
        scored = test if rows == "test" else train
        scores.append(
            ndcg_score(
                Y[scored],
                model.predict(FEATURES[scored]),
                groups=GROUPS[scored],
                k=3,
                replace_undefined_by=0.0,
            )
        )
    return scores


def search(make):
    def run(scorer, passed):
        found = make(scorer).fit(X, Y, **passed)
        results = found.cv_results_
        return [results[f"split{fold}_test_score"] for fold in range(3)]

    return run


def function(tool, **options):
    def run(scorer, passed):
        result = tool(ranker(), X, Y, cv=FOLDS, scoring=scorer, **options, **passed)
        if isinstance(result, dict):
            return [result["test_score"], result["train_score"]]
        return np.ravel(result) if tool is cross_val_score else result[-2:]

    return run


def permutation_test(scorer, passed):
    score, _, p_value = permutation_test_score(
        ranker(), X, Y, cv=FOLDS, scoring=scorer, n_permutations=9, random_state=0, **passed
    )
    assert p_value == 1 / 10
    return score


def nested(scorer, passed):
    inner = GridSearchCV(ranker(), GRID, scoring=scorer, cv=GroupKFold(2), **STRICT)
    passed = {**passed, "params": {"groups": GROUPS}}  # without routing: of the inner fit
    return cross_val_score(inner, X, Y, cv=FOLDS, scoring=scorer, **STRICT, **passed)


SEARCHES = {
    "GridSearchCV": search(
        lambda scorer: GridSearchCV(ranker(), GRID, scoring=scorer, cv=FOLDS, **STRICT)
    ),
    "RandomizedSearchCV": search(
        lambda scorer: RandomizedSearchCV(
            ranker(), GRID, n_iter=2, scoring=scorer, cv=FOLDS, random_state=0, **STRICT
        )
    ),
    "HalvingGridSearchCV": search(
        lambda scorer: HalvingGridSearchCV(
            ranker(),
            GRID,
            scoring=scorer,
            cv=FOLDS,
            resource="ridge__max_iter",
            max_resources=9,
            **STRICT,
        )
    ),
    "HalvingRandomSearchCV": search(
        lambda scorer: HalvingRandomSearchCV(
            ranker(),
            GRID,
            n_candidates=3,
            scoring=scorer,
            cv=FOLDS,
            resource="ridge__max_iter",
            max_resources=9,
            random_state=0,
            **STRICT,
        )
    ),
}
FUNCTIONS = {
    "cross_validate": function(cross_validate, return_train_score=True, **STRICT),
    "cross_val_score": function(cross_val_score, **STRICT),
    "learning_curve": function(learning_curve, train_sizes=[0.5, 1.0], **STRICT),
    "validation_curve": function(
        validation_curve, param_name="ridge__alpha", param_range=[0.1, 1e4], **STRICT
    ),
    "permutation_test_score": permutation_test,
    "nested search": nested,
}
TOOLS = SEARCHES | FUNCTIONS


def passed_to(tool, routing):
    """Return how groups are passed to a tool."""
    as_params = routing and tool in FUNCTIONS
    return {"params": {"groups": GROUPS}} if as_params else {"groups": GROUPS}


@pytest.mark.parametrize("tool", TOOLS)
def test_column_and_metadata_give_the_same_numbers(tool):
    by_column = TOOLS[tool](scorer_of(0), passed_to(tool, False))
    with config_context(enable_metadata_routing=True):
        by_metadata = TOOLS[tool](scorer_of(None), passed_to(tool, True))
        by_both = TOOLS[tool](scorer_of(0), passed_to(tool, True))
    assert np.isfinite(by_column).all()
    np.testing.assert_array_equal(by_metadata, by_column)
    np.testing.assert_array_equal(by_both, by_column)


@pytest.mark.parametrize("tool", TOOLS)
def test_without_routing_groups_passed_to_a_tool_are_missed(tool):
    with pytest.raises(ValueError, match="got no groups and cannot tell"):
        TOOLS[tool](scorer_of(None), passed_to(tool, False))


def test_numbers_are_those_of_a_plain_loop():
    found = np.transpose(TOOLS["GridSearchCV"](scorer_of(0), {"groups": GROUPS}))
    np.testing.assert_allclose(found, [by_hand(alpha) for alpha in GRID["ridge__alpha"]])
    test, train = TOOLS["cross_validate"](scorer_of(0), {"groups": GROUPS})
    np.testing.assert_allclose(test, by_hand(1.0))
    np.testing.assert_allclose(train, by_hand(1.0, "train"))


def test_a_scorer_that_fails_shows_as_nan_with_the_reason():
    with pytest.warns(UserWarning, match="got no groups and cannot tell"):
        scores = cross_val_score(
            ranker(), X, Y, groups=GROUPS, cv=FOLDS, scoring=scorer_of(None)
        )
    assert np.isnan(scores).all()


def test_several_metrics_in_cross_validate():
    metrics = ["ndcg@3", "mean_rank"]
    options = {"cv": FOLDS, "return_train_score": True, **STRICT}
    scorer = scorer_of(0, metrics)
    found = cross_validate(ranker(), X, Y, groups=GROUPS, scoring=scorer, **options)
    np.testing.assert_allclose(found["test_ndcg@3"], by_hand(1.0))
    np.testing.assert_allclose(found["train_ndcg@3"], by_hand(1.0, "train"))
    assert (found["test_neg_mean_rank"] < -1).all()
    with config_context(enable_metadata_routing=True):
        scorer, params = scorer_of(None, metrics), {"groups": GROUPS}
        same = cross_validate(ranker(), X, Y, params=params, scoring=scorer, **options)
    for metric in ("ndcg@3", "neg_mean_rank"):
        for name in (f"test_{metric}", f"train_{metric}"):
            np.testing.assert_array_equal(same[name], found[name])


def test_a_dict_of_scorers_beside_those_of_scikit_learn():
    scoring = {"ndcg": scorer_of(0), "r2": "r2"}
    found = cross_validate(ranker(), X, Y, groups=GROUPS, cv=FOLDS, scoring=scoring)
    np.testing.assert_allclose(found["test_ndcg"], by_hand(1.0))
    assert (found["test_r2"] < 1).all()


@pytest.mark.parametrize("routing", [False, True])
def test_permutation_importance_with_a_column_of_groups(routing):
    table = pd.DataFrame(FEATURES, columns=list("abcd"))
    table = table.assign(constant=1.0, query=GROUPS)
    drop = make_column_transformer(("drop", ["query"]), remainder="passthrough")
    model = make_pipeline(drop, Ridge()).fit(table, Y)
    scorer = scorer_of("query", ["ndcg@3", "mrr"])
    with config_context(enable_metadata_routing=routing):
        found = permutation_importance(
            model, table, Y, scoring=scorer, n_repeats=5, random_state=0
        )
    assert set(found) == {"ndcg@3", "mrr"}
    assert found["ndcg@3"].importances_mean[:4].argmax() == 0
    # The groups are permuted as well, so a number for them means nothing.
    assert found["mrr"].importances.shape == (6, 5)
    assert (found["mrr"].importances[4] == 0).all()


def with_routing(run, *arguments, **params):
    with config_context(enable_metadata_routing=True):
        return run(*arguments, **params)


def keep_groups(model):
    """Return importances that keep the column of groups to the last."""
    weights = np.abs(model["ridge"].coef_)
    return np.concatenate([[weights.max() + 1], weights])


def test_recursive_elimination():
    selector = RFECV(Ridge(), cv=FOLDS, scoring=scorer_of(None))
    by_metadata = with_routing(selector.fit, FEATURES, Y, groups=GROUPS)
    by_column = RFECV(
        ranker(),
        cv=FOLDS,
        scoring=scorer_of(0),
        min_features_to_select=2,
        importance_getter=keep_groups,
    ).fit(X, Y, groups=GROUPS)
    np.testing.assert_array_equal(by_column.support_[1:], by_metadata.support_)
    np.testing.assert_allclose(
        by_column.cv_results_["mean_test_score"], by_metadata.cv_results_["mean_test_score"]
    )


def test_sequential_selection_needs_routing():
    selector = SequentialFeatureSelector(
        Ridge(), n_features_to_select=1, cv=FOLDS, scoring=scorer_of(None)
    )
    found = with_routing(selector.fit, FEATURES, Y, groups=GROUPS).get_support()
    scores = [
        with_routing(
            cross_val_score,
            Ridge(),
            FEATURES[:, [feature]],
            Y,
            cv=FOLDS,
            scoring=scorer_of(None),
            params={"groups": GROUPS},
        ).mean()
        for feature in range(FEATURES.shape[1])
    ]
    assert found.tolist() == [score == max(scores) for score in scores]


def test_a_pipeline_scores_with_groups():
    model = make_pipeline(StandardScaler(), GroupRanker(Ridge()))
    with config_context(enable_metadata_routing=True):
        model.fit(FEATURES, Y, groups=GROUPS)
        score = model.score(FEATURES, Y, groups=GROUPS)
    expected = ndcg_score(Y, model.predict(FEATURES), groups=GROUPS)
    assert score == expected


def test_the_score_of_the_estimator_is_used_without_a_scorer():
    # Not in a pipeline, whose score gets no groups before scikit-learn 1.8.
    model, grid = GroupRanker(Ridge()), {"estimator__alpha": [0.01, 1e4]}
    with config_context(enable_metadata_routing=True):
        own, scorer = (
            GridSearchCV(model, grid, cv=FOLDS, scoring=scoring, **STRICT).fit(
                FEATURES, Y, groups=GROUPS
            )
            for scoring in (None, make_ranking_scorer("ndcg"))
        )
    np.testing.assert_array_equal(
        own.cv_results_["mean_test_score"], scorer.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize("routing", [False, True])
def test_a_search_inside_a_pipeline(routing):
    inner = GridSearchCV(ranker(), GRID, scoring=scorer_of(0), cv=FOLDS, **STRICT)
    model = make_pipeline("passthrough", inner)
    name = "groups" if routing else "gridsearchcv__groups"
    with config_context(enable_metadata_routing=routing):
        model.fit(X, Y, **{name: GROUPS})
        score = model.score(X, Y)
    found = model[-1]
    alone = search(lambda scorer: inner)(None, {"groups": GROUPS})
    np.testing.assert_array_equal(
        [found.cv_results_[f"split{fold}_test_score"] for fold in range(3)], alone
    )
    assert score == scorer_of(0)(model, X, Y)


@pytest.mark.parametrize("routing", [False, True])
def test_a_search_inside_a_pipeline_in_cross_validation(routing):
    inner = GridSearchCV(ranker(), GRID, scoring=scorer_of(0), cv=GroupKFold(2), **STRICT)
    model = make_pipeline("passthrough", inner)
    name = "groups" if routing else "gridsearchcv__groups"
    passed = {"params": {name: GROUPS}} | ({} if routing else {"groups": GROUPS})
    with config_context(enable_metadata_routing=routing):
        scores = cross_val_score(
            model, X, Y, cv=FOLDS, scoring=scorer_of(0), **STRICT, **passed
        )
    expected = nested(scorer_of(0), {"groups": GROUPS})
    np.testing.assert_array_equal(scores, expected)


# It calls itself, and parts of optuna that it imports, experimental, and has the tags of
# scikit-learn 1.5.
@pytest.mark.filterwarnings("ignore:The OptunaSearchCV or classes:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:`optuna.terminator` module:FutureWarning")
@pytest.mark.parametrize("routing", [False, True])
def test_optuna_search_with_a_column_of_groups(routing):
    optuna = pytest.importorskip("optuna")
    integration = pytest.importorskip("optuna_integration")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = {"ridge__alpha": optuna.distributions.FloatDistribution(0.01, 1e4, log=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        # It can hand groups on without routing only: here the folds are made before.
        found = integration.OptunaSearchCV(
            ranker(),
            space,
            cv=list(FOLDS.split(X, Y, GROUPS)) if routing else FOLDS,
            n_trials=4,
            random_state=0,
            scoring=scorer_of(0),
            **STRICT,
        )
    with config_context(enable_metadata_routing=routing):
        found.fit(X, Y, **({} if routing else {"groups": GROUPS}))
    expected = np.mean(by_hand(found.best_params_["ridge__alpha"]))
    assert found.best_score_ == pytest.approx(expected)


def make_log():
    rng = np.random.default_rng(0)
    users = rng.integers(0, 25, 500)
    items = (users % 3 * 5 + rng.geometric(0.15, 500)) % 30
    return pd.DataFrame({"user": users, "item": items, "time": np.arange(500)})


LOG = make_log()
# Windows of one size, for a learning curve cuts all training rows to the fewest of them.
TIMED = TimeSplit(3, test_size=0.15, train_size=0.5, time="time")
NEIGHBORS = {"n_neighbors": [1, 5, 20]}


def recommender_search(tool, **options):
    def run(model, scorer):
        found = tool(model, NEIGHBORS, cv=TIMED, scoring=scorer, **options, **STRICT)
        results = found.fit(LOG).cv_results_
        one = results["params"].index({"n_neighbors": 1})
        return [results[f"split{fold}_test_score"][one] for fold in range(3)]

    return run


def recommender_function(tool, **options):
    def run(model, scorer):
        result = tool(model, LOG, cv=TIMED, scoring=scorer, **options, **STRICT)
        if isinstance(result, dict):
            # Nothing that was seen in training is recommended again.
            assert (result["train_score"] == 0).all()
            return result["test_score"]
        return result if tool is cross_val_score else result[-1][0]

    return run


RECOMMENDER_TOOLS = {
    "GridSearchCV": recommender_search(GridSearchCV),
    "RandomizedSearchCV": recommender_search(RandomizedSearchCV, n_iter=3, random_state=0),
    "cross_validate": recommender_function(cross_validate, return_train_score=True),
    "cross_val_score": recommender_function(cross_val_score),
    "validation_curve": recommender_function(
        validation_curve, y=None, param_name="n_neighbors", param_range=[1, 5]
    ),
    "learning_curve": recommender_function(learning_curve, y=None, train_sizes=[1.0]),
}


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("tool", RECOMMENDER_TOOLS)
def test_recommenders_score_the_same_in_every_tool(tool, routing):
    scorer = make_recommender_scorer("ndcg@5", user="user", item="item")
    model = ItemNeighborsRecommender(user="user", item="item", n_neighbors=1)
    expected = []
    for train, test in TIMED.split(LOG):
        fitted = ItemNeighborsRecommender(user="user", item="item", n_neighbors=1)
        expected.append(scorer(fitted.fit(LOG.iloc[train]), LOG.iloc[test]))
    with config_context(enable_metadata_routing=routing):
        found = RECOMMENDER_TOOLS[tool](model, scorer)
    np.testing.assert_array_equal(found, expected)
