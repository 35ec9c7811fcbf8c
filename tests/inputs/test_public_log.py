"""InteractionLog in place of X: the same results, each column read once, clear errors."""

import pickle
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import default_models, evaluate_models, tune_models
from sklearn_rank.inputs import InteractionLog
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer
from sklearn_rank.model_selection import (
    LeaveLastOut,
    TimeSplit,
    UserKFold,
    cross_validate_per_query,
    describe_split,
    train_valid_test_split,
)
from sklearn_rank.rankers import GroupRanker, QueryFeatures
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
    RepeatRecommender,
    TwoStageRecommender,
)

NAMES = {"user": "who", "item": "thing", "time": "when"}


@pytest.fixture(scope="module")
def frame():
    log = make_interactions(150, 90, 3_000, random_state=0, as_frame=True)
    return log.rename(columns=NAMES).assign(price=range(len(log)))


@pytest.fixture
def log(frame):
    return InteractionLog(frame, **NAMES)


@pytest.fixture(scope="module")
def ratings(frame):
    return np.random.default_rng(0).integers(1, 6, len(frame)).astype(float)


def test_what_it_shows(frame, log):
    assert len(log) == log.n_rows == 3_000
    assert log.shape == (3_000, 4)
    assert log.columns == NAMES
    np.testing.assert_array_equal(log.users_, np.unique(frame["who"]))
    np.testing.assert_array_equal(log.items_, np.unique(frame["thing"]))
    assert log.to_frame() is frame
    assert repr(log) == (
        "InteractionLog: 3,000 rows of 150 users and 90 items, 2024-01-01 to 2024-12-30; "
        "columns who, thing, when"
    )


@pytest.mark.parametrize("rows", [[5, 1, 7], slice(10, 20), "mask", (np.arange(4), ...)])
def test_some_rows(frame, log, ratings, rows):
    log = InteractionLog(frame, ratings, **NAMES)
    if isinstance(rows, str):
        rows = np.arange(3_000) % 7 == 2
    own = rows[0] if isinstance(rows, tuple) else rows
    some = log[rows]
    pd.testing.assert_frame_equal(some.to_frame(), frame.iloc[own])
    np.testing.assert_array_equal(some.users_, np.unique(frame["who"].iloc[own]))
    np.testing.assert_array_equal(some.y, ratings[own])
    again = pickle.loads(pickle.dumps(some))
    assert repr(again) == repr(some)
    np.testing.assert_array_equal(again[:2].items_, some[:2].items_)


MODELS = [
    PopularityRecommender(half_life="20D"),
    EASERecommender(),
    ItemNeighborsRecommender(recency=2.0),
    RepeatRecommender(),
    TwoStageRecommender(
        [("ease", EASERecommender())], LinearRegression(), n_candidates=10, n_windows=1
    ),
]


# Scores the rows of fit.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("rated", [False, True])
def test_models_learn_the_same(frame, ratings, model, rated):
    y = ratings if rated else None
    log = InteractionLog(frame, y, **NAMES)
    params = {**model.get_params(deep=False), **NAMES}
    plain = type(model)(**params).fit(frame, y)
    fitted = type(model)(**model.get_params(deep=False)).fit(log)
    users = np.unique(frame["who"])
    np.testing.assert_array_equal(fitted.recommend(users, 9), plain.recommend(users, 9))
    for name in ("item_weights_", "popularity_", "user_column_", "feature_names_in_"):
        if hasattr(plain, name):
            np.testing.assert_array_equal(getattr(fitted, name), getattr(plain, name))
    scorer = make_recommender_scorer("ndcg@10", exclude_seen=False)
    test = np.arange(2_500, 3_000)
    value = None if y is None else y[test]
    assert scorer(fitted, log[test]) == scorer(plain, frame.iloc[test], value)
    np.testing.assert_array_equal(
        fitted.predict(log[test]), plain.predict(frame.iloc[test])
    )


@pytest.mark.parametrize(
    "make", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.to_numpy, "records"]
)
def test_tables_of_all_kinds(frame, make):
    table = frame.to_records(index=False) if make == "records" else make(frame)
    columns = {"time": 2} if make is pd.DataFrame.to_numpy else NAMES
    log = InteractionLog(np.asarray(table) if make == "records" else table, **columns)
    lists = PopularityRecommender(half_life="20D").fit(log[500:]).recommend([3, 4], 5)
    plain = PopularityRecommender(half_life="20D", **NAMES).fit(frame.iloc[500:])
    np.testing.assert_array_equal(lists, plain.recommend([3, 4], 5))


@pytest.mark.parametrize(
    "make", [TimeSplit, LeaveLastOut, UserKFold], ids=lambda make: make.__name__
)
def test_splitters_give_the_same_rows(frame, log, make):
    options = {} if make is UserKFold else {"cold_users": "drop", "seen_items": "drop"}
    for of_log, of_frame in zip(
        make(**options).split(log), make(**options, **NAMES).split(frame), strict=True
    ):
        for part in (0, 1):
            np.testing.assert_array_equal(of_log[part], of_frame[part])
    described = describe_split(make(**options), log, check=None)
    assert described == describe_split(make(**options, **NAMES), frame, check=None)


def test_searches_of_scikit_learn(frame, log):
    scorer, grid = make_recommender_scorer("ndcg@10"), {"half_life": ["3D", "30D"]}
    by_log = GridSearchCV(PopularityRecommender(), grid, scoring=scorer, cv=TimeSplit(3))
    plain = GridSearchCV(
        PopularityRecommender(**NAMES), grid, scoring=scorer, cv=TimeSplit(3, **NAMES)
    )
    by_log.fit(log)
    plain.fit(frame)
    for name in ("split0_test_score", "split1_test_score", "split2_test_score"):
        np.testing.assert_array_equal(by_log.cv_results_[name], plain.cv_results_[name])


def test_values_per_user_and_three_parts(frame, log):
    cv = TimeSplit(2, seen_items="drop")
    own = TimeSplit(2, seen_items="drop", **NAMES)
    of_log = cross_validate_per_query(EASERecommender(), log, cv=cv)
    plain = cross_validate_per_query(
        EASERecommender(user="who", item="thing"), frame, cv=own
    )
    np.testing.assert_equal(dict(of_log.scores), dict(plain.scores))
    parts = train_valid_test_split(log, splitter=TimeSplit())
    for part, rows in zip(
        parts, train_valid_test_split(frame, splitter=TimeSplit(**NAMES)), strict=True
    ):
        assert isinstance(part, InteractionLog)
        pd.testing.assert_frame_equal(part.to_frame(), rows)


@pytest.mark.parametrize("cv", ["time", "random", TimeSplit(2)])
@pytest.mark.parametrize("rated", [False, True])
def test_experiments(frame, ratings, cv, rated):
    y = ratings if rated else None
    log = InteractionLog(frame, y, **NAMES)
    options = {"models": ["popularity", "neighbors"], "cv": cv, "n_splits": 2}
    by_log = tune_models(log, **options)
    assert str(by_log) == str(tune_models(frame, y, **NAMES, **options))
    test = (log[2_500:], None)
    test_frame = (frame.iloc[2_500:], None if y is None else y[2_500:])
    by_log = tune_models(log[:2_500], test=test, **options)
    first = frame.iloc[:2_500], None if y is None else y[:2_500]
    assert str(by_log) == str(tune_models(*first, test=test_frame, **NAMES, **options))
    assert repr(default_models(log)) == repr(default_models(frame, y, **NAMES))


def test_models_are_evaluated_on_a_log(frame, log):
    models = {"ease": EASERecommender().fit(log[:2_000])}
    found = evaluate_models(models, log[2_000:], by="who")
    rows = frame.iloc[2_000:]
    plain = evaluate_models(models, rows, user="who", item="thing", by="who")
    assert str(found) == str(plain)


def test_other_columns_than_those_of_the_log_are_read(frame, log):
    own = PopularityRecommender(item="price").fit(log)
    assert own.item_column_ == "price"
    assert len(own.items_) == 3_000
    with pytest.raises(ValueError, match="`time='date'` is not a column of X"):
        PopularityRecommender(time="date", half_life="3D").fit(log)
    rows = next(TimeSplit(2, 1, time="price").split(log))
    np.testing.assert_array_equal(rows[1], [2_998])


def test_update_takes_a_log(frame, log):
    updated = PopularityRecommender().fit(log[:2_000]).update(log[2_000:])
    plain = PopularityRecommender(user="who", item="thing")
    plain.fit(frame.iloc[:2_000]).update(frame.iloc[2_000:])
    np.testing.assert_array_equal(updated.popularity_, plain.popularity_)


def test_lists_from_the_rows_before_take_the_time_of_the_log(frame, log):
    scorer = make_recommender_scorer("ndcg@10", reveal=True)
    of_log = scorer(EASERecommender().fit(log[:2_000]), log[2_000:])
    plain = EASERecommender(**NAMES).fit(frame.iloc[:2_000])
    assert of_log == scorer(plain, frame.iloc[2_000:])


def test_a_matrix_that_is_changed_in_place_leaves_the_log_alone(log):
    class Pruned(EASERecommender):
        def fit_interactions(self, interactions):
            interactions.data[interactions.indices % 2 == 0] = 0
            interactions.eliminate_zeros()
            super().fit_interactions(interactions)

    before = EASERecommender().fit(log).item_weights_
    Pruned().fit(log)
    np.testing.assert_array_equal(EASERecommender().fit(log).item_weights_, before)


def test_y_beside_a_log(log, ratings):
    expected = r"`y` is in the log; give it there: InteractionLog\(X, y\)\."
    model = PopularityRecommender().fit(log)
    calls = [
        lambda: model.fit(log, ratings),
        lambda: model.update(log, ratings),
        lambda: make_recommender_scorer("ndcg@10")(model, log, ratings),
        lambda: tune_models(log, ratings),
        lambda: evaluate_models({"a": model}, log, ratings),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=expected):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda log: GroupRanker(LinearRegression(), groups="who").fit(log, np.ones(3_000)),
        lambda log: QueryFeatures(groups="who").fit(log),
        lambda log: LinearRegression().fit(log, np.ones(3_000)),
        lambda log: make_ranking_scorer("ndcg@10", groups="who")(
            LinearRegression().fit(np.ones((9, 4)), np.ones(9)), log, np.ones(3_000)
        ),
    ],
)
def test_elsewhere_the_table_is_needed(log, call):
    with pytest.raises(TypeError, match=r"is an InteractionLog, .* pass X\.to_frame\(\)"):
        call(log)


@pytest.mark.parametrize(
    ("change", "words", "error"),
    [
        ({"who": None}, "`user` has 1 missing value.s., the first in row 1", ValueError),
        ({"thing": [[1]]}, "not hashable|hashable", TypeError),
    ],
)
def test_ids_that_are_none(frame, change, words, error):
    rows = frame.astype(object).head(4).copy()
    [(column, value)] = change.items()
    rows[column] = [*rows[column][:1], value, *rows[column][2:]]
    with pytest.raises(error, match=words):
        InteractionLog(rows, **NAMES)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1.0, np.nan, 1, 1], "`y` has 1 NaN value.* first at 1"),
        ([1.0, np.inf, 1, 1], "`y`"),
        ([1.0, 1, 1], "`y` has 3 values, but X has 4 rows"),
        ([1, "a", 1, 1], "`y`"),
        (pd.Series([1.0, 2, 3, 4], index=[3, 2, 1, 0]), "one index in two orders"),
    ],
)
def test_ratings_that_are_none(frame, y, words):
    index = list(range(4))
    with pytest.raises(ValueError, match=words):
        InteractionLog(frame.head(4).set_axis(index), y, **NAMES)


def test_columns_that_are_none(frame):
    with pytest.raises(ValueError, match="No column of X is named 'user'"):
        InteractionLog(frame)
    with pytest.raises(ValueError, match=r"'whom'.* is not a column of X.*'who'"):
        InteractionLog(frame, user="whom", item="thing")
    with pytest.raises(TypeError, match=r"not in memory; pass X\.collect"):
        InteractionLog(pl.from_pandas(frame).lazy())
    with pytest.raises(TypeError, match="`X` must be a list, an array or a frame"):
        InteractionLog({"who": [1]}, user=0, item=1)


class Seen(PopularityRecommender):
    """Notes what `fit` gets."""

    seen: ClassVar[list] = []

    def fit(self, X, y=None):
        self.seen.append((type(X), list(X.columns)))
        return super().fit(X, y)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas])
def test_a_class_with_its_own_fit_gets_frames_with_all_columns(frame, make):
    Seen.seen.clear()
    table = make(frame)
    tune_models(table, **NAMES, models={"own": Seen(user="who", item="thing")})
    assert set(map(repr, Seen.seen)) == {repr((type(table), list(frame.columns)))}


def test_a_model_alone_scores_as_in_the_search(frame, log):
    scores = cross_val_score(
        EASERecommender(),
        log,
        scoring=make_recommender_scorer("ndcg@10"),
        cv=TimeSplit(2, seen_items="drop", cold_users="drop"),
        error_score="raise",
    )
    tuned = tune_models(
        frame,
        **NAMES,
        models={"ease": EASERecommender()},
        cv=TimeSplit(2, seen_items="drop", cold_users="drop", **NAMES),
        test_size=None,
    )
    found = [tuned.cv_results_[f"split{fold}_test_score"][0] for fold in range(2)]
    np.testing.assert_allclose(found, scores, rtol=1e-12)


def test_a_splitter_with_another_column_reads_the_table():
    frame = make_interactions(60, 80, 800, random_state=0, as_frame=True)
    frame = frame.assign(other=frame["time"].to_numpy()[::-1])
    cv = TimeSplit(2, time="other")
    log = InteractionLog(frame, time="time")
    assert str(describe_split(cv, log)) == str(describe_split(cv, frame))
