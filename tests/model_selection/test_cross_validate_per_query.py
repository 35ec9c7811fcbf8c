"""Values per query of all folds against plain loops, and against cross_validate."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import (
    make_ranking_scorer,
    make_recommender_scorer,
    ndcg_score,
    per_query_scores,
)
from sklearn_rank.model_selection import LeaveLastOut, TimeSplit, cross_validate_per_query
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import ItemNeighborsRecommender, PopularityRecommender

# Small logs repeat most pairs, on purpose: their scores are compared with those of loops.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.exceptions.MisleadingScoreWarning"
)


def make_queries(n_queries=17):
    """Return queries of which no three folds have the same number."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(n_queries), rng.integers(4, 9, n_queries))
    X = rng.normal(size=(len(groups), 3))
    y = np.digitize(X[:, 0] + rng.normal(size=len(groups)), [0.5, 1.5])
    first = np.searchsorted(groups, np.arange(n_queries))
    y[first] = 2
    order = rng.permutation(len(groups))
    labels = np.array([f"query {group:02d}" for group in groups])
    return X[order], y[order], labels[order]


X, Y, GROUPS = make_queries()
FOLDS = GroupKFold(3)
METRICS = ["ndcg@3", "mean_rank"]


def by_hand(fit, X=X, cv=FOLDS):
    """Return (label, fold, values) of each query of each fold, from a plain loop."""
    rows = []
    for fold, (train, test) in enumerate(cv.split(X, Y, GROUPS)):
        scores = fit(train).predict(X[test])
        for label in sorted(set(GROUPS[test])):
            of_query = GROUPS[test] == label
            found = per_query_scores(
                Y[test][of_query],
                scores[of_query],
                groups=GROUPS[test][of_query],
                metrics=METRICS,
            ).scores
            rows.append((label, fold, *(found[name].item() for name in METRICS)))
    return rows


def ridge(train):
    return Ridge().fit(X[train], Y[train])


def rows_of(found):
    values = [found.scores[name] for name in found.scores]
    return list(zip(found.groups, found.fold, *values, strict=True))


def run(*arguments, routing=False, **options):
    with config_context(enable_metadata_routing=routing):
        return cross_validate_per_query(*arguments, **options)


@pytest.mark.parametrize("routing", [False, True])
def test_values_are_those_of_a_plain_loop(routing):
    options = {"metrics": METRICS, "cv": FOLDS, "routing": routing}
    found = run(Ridge(), X, Y, groups=GROUPS, **options)
    assert rows_of(found) == by_hand(ridge)
    if routing:
        same = run(Ridge(), X, Y, params={"groups": GROUPS}, **options)
        assert rows_of(same) == rows_of(found)


def test_the_mean_of_each_fold_is_the_score_of_cross_validate():
    with_groups = np.column_stack([X, np.unique(GROUPS, return_inverse=True)[1]])
    scorer = make_ranking_scorer(METRICS, groups=-1)
    options = {"cv": FOLDS, "groups": GROUPS}
    scores = cross_validate(Ridge(), with_groups, Y, scoring=scorer, **options)
    found = cross_validate_per_query(
        Ridge(), with_groups, Y, metrics=scorer, groups=-1, cv=FOLDS
    )
    frame = found.to_frame().groupby("fold").mean()
    assert frame["ndcg@3"].to_numpy() == pytest.approx(scores["test_ndcg@3"])
    assert frame["mean_rank"].to_numpy() == pytest.approx(-scores["test_neg_mean_rank"])


def test_a_frame_has_a_row_a_query():
    found = cross_validate_per_query(
        Ridge(), X, Y, metrics=METRICS, groups=GROUPS, cv=FOLDS
    )
    frame = found.to_frame()
    assert list(frame.columns) == ["fold", *METRICS]
    assert frame.index.name == "group"
    assert list(frame.itertuples(name=None)) == rows_of(found)
    assert sorted(frame.index) == sorted(set(GROUPS))


def test_estimators_get_their_values_in_the_same_order():
    one, other = (
        cross_validate_per_query(model, X, Y, groups=GROUPS, cv=FOLDS)
        for model in (Ridge(), LogisticRegression())
    )
    np.testing.assert_array_equal(one.groups, other.groups)
    np.testing.assert_array_equal(one.fold, other.fold)
    assert (one.scores["ndcg@10"] != other.scores["ndcg@10"]).any()


@pytest.mark.parametrize("routing", [False, True])
def test_rankers_get_groups_in_fit(routing):
    found = run(
        GroupRanker(Ridge()),
        X,
        Y,
        groups=GROUPS,
        metrics=METRICS,
        cv=FOLDS,
        routing=routing,
    )

    def fit(train):
        return GroupRanker(Ridge()).fit(X[train], Y[train], groups=GROUPS[train])

    assert rows_of(found) == by_hand(fit)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_groups_come_from_a_column(library, routing):
    table = pd.DataFrame(X, columns=list("abc")).assign(query=GROUPS)
    table = table if library == "pandas" else pl.from_pandas(table)
    ranker = GroupRanker(Ridge(), groups="query")
    options = {"cv": FOLDS, "routing": routing}
    found = run(ranker, table, Y, metrics=METRICS, groups="query", **options)
    scorer = make_ranking_scorer(METRICS, groups="query")
    same = run(ranker, table, Y, metrics=scorer, **options)
    ranked = run(GroupRanker(Ridge()), X, Y, metrics=METRICS, groups=GROUPS, **options)
    assert rows_of(found) == rows_of(same) == rows_of(ranked)


@pytest.mark.parametrize("convert", [sparse.csr_matrix, sparse.coo_array, list])
def test_other_containers(convert):
    options = {"metrics": METRICS, "cv": FOLDS}
    found = cross_validate_per_query(
        Ridge(solver="lsqr", tol=1e-12), convert(X), list(Y), groups=list(GROUPS), **options
    )
    dense = cross_validate_per_query(Ridge(), X, Y, groups=GROUPS, **options)
    assert found.groups.tolist() == dense.groups.tolist()
    np.testing.assert_allclose(found.scores["ndcg@3"], dense.scores["ndcg@3"])


def test_pipelines_and_searches():
    inner = GridSearchCV(
        Ridge(),
        {"alpha": [0.1, 10]},
        scoring=make_ranking_scorer("ndcg@3"),
        cv=GroupKFold(2),
    )
    model = make_pipeline(StandardScaler(), inner)
    found = run(
        model, X, Y, groups=GROUPS, metrics=METRICS, cv=FOLDS, routing=True, n_jobs=2
    )

    def fit(train):
        return model.fit(X[train], Y[train], groups=GROUPS[train])

    with config_context(enable_metadata_routing=True):
        assert rows_of(found) == by_hand(fit)


def test_what_is_given_is_neither_fitted_nor_changed():
    model, table = Ridge(), X.copy()
    cross_validate_per_query(model, table, Y, groups=GROUPS, cv=FOLDS)
    assert not hasattr(model, "coef_")
    np.testing.assert_array_equal(table, X)


def test_what_has_a_value_a_row_is_split_like_the_rows():
    class Weighted(BaseEstimator):
        def fit(self, X, y, sample_weight=None, names=None, scale=1.0):
            assert len(sample_weight) == len(X)
            assert names == ["one", "two"]
            self.ridge_ = Ridge().fit(X, y, np.asarray(sample_weight) * scale)
            return self

        def predict(self, X):
            return self.ridge_.predict(X)

    weight = np.random.default_rng(1).random(len(Y))

    def fit(train):
        return Ridge().fit(X[train], Y[train], 3.0 * weight[train])

    for given in (weight, weight.tolist(), pd.Series(weight)):
        params = {"sample_weight": given, "names": ["one", "two"], "scale": 3.0}
        found = cross_validate_per_query(
            Weighted(), X, Y, groups=GROUPS, metrics=METRICS, cv=FOLDS, params=params
        )
        assert rows_of(found) == by_hand(fit)


def test_the_scorer_says_how_to_score():
    model = LogisticRegression()
    scorer = make_ranking_scorer(
        "ndcg@3", response_method="predict", ties="worst", replace_undefined_by=0.0
    )
    found = cross_validate_per_query(
        model, X, Y, metrics=scorer, groups=GROUPS, cv=GroupKFold(17)
    )
    expected = []
    for train, test in GroupKFold(17).split(X, Y, GROUPS):
        predicted = model.fit(X[train], Y[train]).predict(X[test])
        expected.append(
            ndcg_score(Y[test], predicted, groups=GROUPS[test], k=3, ties="worst")
        )
    assert found.scores["ndcg@3"].tolist() == expected


def test_undefined_values_stay_nan_without_a_warning():
    nothing = np.where(GROUPS == "query 03", 0, Y)
    found = cross_validate_per_query(
        Ridge(), X, nothing, metrics="mrr", groups=GROUPS, cv=FOLDS
    )
    assert found.groups[np.isnan(found.scores["mrr"])].tolist() == ["query 03"]


def test_the_grid_form_numbers_its_rows():
    rng = np.random.default_rng(0)
    features, grades = rng.normal(size=(12, 3)), rng.integers(0, 3, (12, 5))
    grades[:, 0] = 2
    cv = KFold(3, shuffle=True, random_state=0)
    found = cross_validate_per_query(Ridge(), features, grades, metrics="ndcg", cv=cv)
    for fold, (train, test) in enumerate(cv.split(features)):
        predicted = Ridge().fit(features[train], grades[train]).predict(features[test])
        of_fold = found.fold == fold
        assert found.groups[of_fold].tolist() == test.tolist()
        for row, value in zip(range(len(test)), found.scores["ndcg"][of_fold], strict=True):
            expected = ndcg_score(grades[test[row]][None], predicted[row][None])
            assert value == pytest.approx(expected)


def test_a_column_of_grades_is_not_the_grid_form():
    found = cross_validate_per_query(
        Ridge(), X, Y[:, None], groups=GROUPS, metrics=METRICS, cv=FOLDS
    )
    assert found.groups.tolist() == [label for label, *_ in by_hand(ridge)]


def test_masks_in_place_of_row_numbers():
    folds = list(FOLDS.split(X, Y, GROUPS))
    masks = [
        tuple(np.isin(np.arange(len(Y)), rows) for rows in train_and_test)
        for train_and_test in folds
    ]
    found, same = (
        cross_validate_per_query(Ridge(), X, Y, groups=GROUPS, cv=cv, metrics=METRICS)
        for cv in (masks, folds)
    )
    assert rows_of(found) == rows_of(same) == by_hand(ridge)


def test_a_query_of_several_folds_stands_there_once_for_each():
    cv = GroupShuffleSplit(5, test_size=0.5, random_state=0)
    found = cross_validate_per_query(Ridge(), X, Y, groups=GROUPS, metrics=METRICS, cv=cv)
    assert rows_of(found) == by_hand(ridge, cv=cv)
    assert len(set(found.groups)) < len(found.groups)


def make_log():
    rng = np.random.default_rng(0)
    users = rng.integers(0, 20, 400)
    items = (users % 3 * 5 + rng.geometric(0.15, 400)) % 25
    return pd.DataFrame({"user": users, "item": items, "time": np.arange(400)})


LOG = make_log()
COLUMNS = {"user": "user", "item": "item"}


@pytest.mark.filterwarnings("ignore:100% of the relevant")  # of users scored alone
@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize(
    "cv", [TimeSplit(3, time="time"), LeaveLastOut(2, 2, user="user", time="time")]
)
def test_recommenders(cv, routing):
    model = ItemNeighborsRecommender(**COLUMNS)
    found = run(
        model, LOG, metrics=["ndcg@5", "recall@5"], cv=cv, routing=routing, **COLUMNS
    )
    expected = []
    for fold, (train, test) in enumerate(cv.split(LOG)):
        fitted = ItemNeighborsRecommender(**COLUMNS).fit(LOG.iloc[train])
        rows = LOG.iloc[test]
        for user in sorted(set(rows["user"])):
            scorer = make_recommender_scorer(["ndcg@5", "recall@5"], **COLUMNS)
            score = scorer(fitted, rows[rows["user"] == user])
            expected.append((user, fold, *score.values()))
    assert found.groups.tolist() == [row[0] for row in expected]
    assert found.fold.tolist() == [row[1] for row in expected]
    assert found.scores["ndcg@5"].tolist() == [row[2] for row in expected]
    assert found.scores["recall@5"].tolist() == [row[3] for row in expected]


def test_recommenders_with_grades_and_a_scorer():
    grades = 1 + LOG["item"] % 3
    scorer = make_recommender_scorer("ndcg@5", min_relevance=2, **COLUMNS)
    cv = TimeSplit(1, time="time")
    model = make_pipeline("passthrough", PopularityRecommender(**COLUMNS))
    found = cross_validate_per_query(model, LOG, grades, metrics=scorer, cv=cv)
    ((train, test),) = cv.split(LOG)
    fitted = model.fit(LOG.iloc[train], grades.iloc[train])
    expected = scorer.per_query(fitted, LOG.iloc[test], grades.iloc[test])
    np.testing.assert_array_equal(found.scores["ndcg@5"], expected.scores["ndcg@5"])


def test_queries_in_train_and_test_are_warned_of():
    message = r"16 of \d+ queries have rows in the training data too.* Use GroupKFold"
    with pytest.warns(MisleadingScoreWarning, match=message) as caught:
        cross_validate_per_query(Ridge(), X, Y, metrics="mrr", groups=GROUPS, cv=shuffled())
    assert caught[0].filename == __file__


def shuffled():
    return list(KFold(3, shuffle=True, random_state=0).split(X))


def test_splitters_of_this_package_split_users_on_purpose():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_validate_per_query(
            PopularityRecommender(**COLUMNS),
            LOG,
            1 + np.arange(len(LOG)) % 2,
            groups="user",
            cv=LeaveLastOut(3, user="user", time="time"),
        )
        with config_context(enable_metadata_routing=True):
            cross_validate_per_query(
                PopularityRecommender(**COLUMNS),
                LOG,
                1 + np.arange(len(LOG)) % 2,
                groups="user",
                cv=LeaveLastOut(3, time="time").set_split_request(users=True),
                params={"users": LOG["user"]},
            )


def test_missing_groups_are_an_error():
    with pytest.raises(ValueError, match="got no groups"):
        cross_validate_per_query(Ridge(), X, Y, cv=3)
    with pytest.raises(ValueError, match="GroupRanker needs `groups`"):
        cross_validate_per_query(GroupRanker(Ridge()), X, Y, cv=3)
    with pytest.raises(ValueError, match="`groups='query'` names a column, but X has no"):
        cross_validate_per_query(Ridge(), X, Y, groups="query", cv=FOLDS)


@pytest.mark.parametrize("routing", [False, True])
def test_groups_of_another_length_are_an_error(routing):
    with pytest.raises(ValueError, match=r"`groups` has \d+ values, but X has"):
        run(Ridge(), X, Y, groups=GROUPS[1:], cv=shuffled(), routing=routing)


def test_what_nobody_requests_is_an_error():
    with pytest.raises(TypeError, match=r"cross_validate_per_query.*'querys'"):
        run(Ridge(), X, Y, params={"querys": GROUPS}, cv=FOLDS, routing=True)


class ForeignScorer:
    """A scorer that is not of this package, though it looks like one."""

    def __call__(self, estimator, X, y):
        return 0.0

    per_query = silent_on = __call__


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"metrics": "ndgc"}, ValueError, "Unknown metric 'ndgc'"),
        ({"user": 0}, TypeError, "Ridge has no method recommend"),
        ({"item": 0}, TypeError, "Ridge has no method recommend"),
        (
            {"metrics": make_recommender_scorer("mrr"), "item": 1},
            ValueError,
            "`metrics` is a scorer.*leave out `user` and `item`",
        ),
        (
            {"metrics": make_recommender_scorer("mrr"), "user": 0, "item": 1},
            ValueError,
            "`metrics` is a scorer.*leave out `user` and `item`",
        ),
        ({"metrics": make_scorer(ndcg_score)}, TypeError, "has no values per query"),
        ({"metrics": ForeignScorer()}, TypeError, "or a scorer from make_ranking_scorer"),
        ({"user": 0, "item": 1}, TypeError, "Ridge has no method recommend"),
    ],
)
def test_wrong_arguments(options, kind, message):
    with pytest.raises(kind, match=message):
        cross_validate_per_query(Ridge(), X, Y, groups=GROUPS, cv=FOLDS, **options)


def test_errors_of_an_estimator_are_raised():
    with pytest.raises(ValueError, match="Input X contains NaN"):
        cross_validate_per_query(Ridge(), X * np.nan, Y, groups=GROUPS, cv=FOLDS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cv": "x"}, "`cv` must be a splitter"),
        ({"cv": GroupKFold}, "`cv` must be a splitter"),
        ({"cv": 2.5}, "`cv` must be a splitter"),
        ({"cv": []}, "`cv` has no folds"),
        ({"cv": [None]}, "Fold 0 of `cv` must be a pair .* got None"),
        ({"cv": [([0], [99])]}, "Fold 0 of `cv` has test row 99"),
        ({"cv": [([0.5], [1])]}, "Fold 0 of `cv` must have train rows"),
        ({"params": 5}, "`params` must be a dict .* got 5"),
        ({"params": np.ones(6)}, "`params` must be a dict"),
        ({"params": {1: GROUPS}}, "`params` must be a dict of values by name of argument"),
        ({"groups": np.array(5)}, r"`groups` must be a list.* got array\(5\)"),
        ({"groups": np.timedelta64(1, "D")}, "`groups` must be a list"),
        ({"X": 5}, "`X` must be a list.* got 5"),
        ({"X": None}, "`X` must be a list"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    given = {"X": np.eye(6), "y": [0, 1] * 3, "groups": [1, 1, 2, 2, 3, 3]}
    given |= {"cv": GroupKFold(2), **arguments}
    with pytest.raises((TypeError, ValueError), match=message):
        cross_validate_per_query(Ridge(), **given)
