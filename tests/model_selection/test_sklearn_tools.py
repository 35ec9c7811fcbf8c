"""Each splitter in each of scikit-learn's tools, with metadata routing on and off."""

import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import StackingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
)

N_USERS, N_ROWS = 12, 240
GRID = {"alpha": [0.1, 10.0]}
SPLITTERS = {
    "LeaveLastOut": lambda **columns: LeaveLastOut(2, 2, **columns),
    "LeaveRandomOut": lambda **columns: LeaveRandomOut(2, 2, random_state=0, **columns),
    "TimeSplit": lambda **columns: TimeSplit(2, 0.2, cold_items="drop", **columns),
    "UserKFold": lambda **columns: UserKFold(3, Last(3), **columns),
    "UserTimeSplit": lambda **columns: UserTimeSplit(2, test_size=0.4, **columns),
}


def make_log():
    random = np.random.default_rng(0)
    users = random.integers(0, N_USERS, N_ROWS)
    items = random.integers(0, 6, N_ROWS)
    times = random.permutation(N_ROWS)
    X = np.column_stack([users, items, times, random.normal(size=N_ROWS)]).astype(float)
    return X, X[:, 3] + 0.1 * random.normal(size=N_ROWS)


X, y = make_log()
METADATA = {"users": X[:, 0], "items": X[:, 1], "times": X[:, 2]}


def search(make):
    def run(cv, params):
        fitted = make(cv).fit(X, y, **params)
        assert fitted.n_splits_ == cv.get_n_splits()
        return fitted.cv_results_["mean_test_score"]

    return run


def nested(cv, params):
    inner = GridSearchCV(Ridge(), GRID, cv=cv, error_score="raise")
    more = {"params": params} if params else {}
    return cross_val_score(inner, X, y, cv=cv, error_score="raise", **more)


def function(tool, **options):
    def run(cv, params):
        more = {"params": params} if params else {}
        result = tool(Ridge(), X, y, cv=cv, **options, **more)
        if isinstance(result, dict):
            return result["test_score"]
        return np.ravel(result[-1] if isinstance(result, tuple) else result)

    return run


def permutation_test(cv, params):
    more = {"params": params} if params else {}
    score, *_ = permutation_test_score(
        Ridge(), X, y, cv=cv, n_permutations=3, random_state=0, **more
    )
    return score


def select_features(cv, params):
    fitted = RFECV(Ridge(), cv=cv).fit(X, y, **params)
    return fitted.cv_results_["mean_test_score"]


OPTIONS = {"error_score": "raise"}
TOOLS = {
    "GridSearchCV": search(lambda cv: GridSearchCV(Ridge(), GRID, cv=cv, **OPTIONS)),
    "RandomizedSearchCV": search(
        lambda cv: RandomizedSearchCV(
            Ridge(), GRID, n_iter=2, cv=cv, random_state=0, **OPTIONS
        )
    ),
    "HalvingGridSearchCV": search(
        lambda cv: HalvingGridSearchCV(
            Ridge(), GRID, cv=cv, resource="max_iter", max_resources=9, **OPTIONS
        )
    ),
    "HalvingRandomSearchCV": search(
        lambda cv: HalvingRandomSearchCV(
            Ridge(),
            GRID,
            n_candidates=2,
            cv=cv,
            resource="max_iter",
            max_resources=9,
            random_state=0,
            **OPTIONS,
        )
    ),
    "nested search": nested,
    "cross_validate": function(cross_validate, **OPTIONS),
    "cross_val_score": function(cross_val_score, **OPTIONS),
    "learning_curve": function(learning_curve, train_sizes=[0.5, 1.0], **OPTIONS),
    "validation_curve": function(
        validation_curve, param_name="alpha", param_range=[0.1, 1.0], **OPTIONS
    ),
    "permutation_test_score": permutation_test,
    "RFECV": select_features,
}


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("tool", TOOLS)
def test_columns_with_routing_off_and_metadata_with_routing_on(tool, splitter):
    by_column = TOOLS[tool](SPLITTERS[splitter](user=0, item=1, time=2), {})
    with config_context(enable_metadata_routing=True):
        by_metadata = TOOLS[tool](SPLITTERS[splitter](), METADATA)
        by_column_too = TOOLS[tool](SPLITTERS[splitter](user=0, item=1, time=2), {})
    assert np.isfinite(by_column).all()
    np.testing.assert_array_equal(by_metadata, by_column)
    np.testing.assert_array_equal(by_column_too, by_column)


def test_groups_reach_the_splitter_with_routing_off():
    cv = LeaveLastOut(time=2)
    found = GridSearchCV(Ridge(), GRID, cv=cv).fit(X, y, groups=X[:, 0])
    same = GridSearchCV(Ridge(), GRID, cv=LeaveLastOut(user=0, time=2)).fit(X, y)
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"]
    )


def test_metadata_can_be_renamed_and_refused():
    with config_context(enable_metadata_routing=True):
        cv = LeaveLastOut().set_split_request(users="customer", times="date")
        renamed = {"customer": X[:, 0], "date": X[:, 2]}
        scores = cross_val_score(Ridge(), X, y, cv=cv, params=renamed)
        expected = cross_val_score(Ridge(), X, y, cv=LeaveLastOut(user=0, time=2))
        np.testing.assert_array_equal(scores, expected)
        refusing = LeaveLastOut(user=0, time=2).set_split_request(groups=False)
        with pytest.raises(TypeError, match="groups"):
            cross_val_score(Ridge(), X, y, cv=refusing, params={"groups": X[:, 1]})


def test_halving_refuses_draws_that_are_not_repeatable():
    cv = LeaveRandomOut(user=0)
    with pytest.raises(ValueError, match="consistent folds"):
        HalvingGridSearchCV(Ridge(), GRID, cv=cv).fit(X, y)


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_tools_that_need_a_prediction_of_every_row_refuse(splitter):
    cv = SPLITTERS[splitter](user=0, item=1, time=2)
    with pytest.raises(ValueError, match="only works for partitions"):
        cross_val_predict(Ridge(), X, y, cv=cv)
    with pytest.raises(ValueError, match="only works for partitions"):
        StackingRegressor([("ridge", Ridge())], Ridge(), cv=cv).fit(X, y)


def test_whole_users_are_a_partition_and_can_be_predicted():
    predicted = cross_val_predict(DummyRegressor(), X, y, cv=UserKFold(3, user=0))
    assert predicted.shape == y.shape


def optuna_search(cv):
    optuna = pytest.importorskip("optuna")
    integration = pytest.importorskip("optuna_integration")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = {"alpha": optuna.distributions.FloatDistribution(0.1, 10, log=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it calls itself experimental
        return integration.OptunaSearchCV(
            Ridge(), space, cv=cv, n_trials=3, random_state=0, error_score="raise"
        )


# Before scikit-learn 1.7: it misses __sklearn_tags__ in OptunaSearchCV.
@pytest.mark.filterwarnings("ignore:The OptunaSearchCV or classes:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:`optuna.terminator` module:FutureWarning")
@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_optuna_tunes_over_each_splitter(splitter, routing):
    cv = SPLITTERS[splitter](user=0, item=1, time=2)
    with config_context(enable_metadata_routing=routing):
        found = optuna_search(cv).fit(X, y)
    assert found.n_splits_ == cv.get_n_splits()
    folds = cv.split(X)
    scores = [
        Ridge(**found.best_params_).fit(X[train], y[train]).score(X[test], y[test])
        for train, test in folds
    ]
    assert found.best_score_ == pytest.approx(np.mean(scores))
