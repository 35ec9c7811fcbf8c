"""Features within the query, compared with plain loops."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline

from sklearn_rank.rankers import GroupRanker, QueryFeatures
from tests.estimator_checks import check_names, every_check, run_check


def by_loops(X, groups):
    """Return the statistics of each column, query by query."""
    found = np.full((*X.shape, 3), np.nan)
    for query in set(groups.tolist()):
        for column in range(X.shape[1]):
            rows = np.flatnonzero((groups == query) & ~np.isnan(X[:, column]))
            values = X[rows, column]
            if len(values) == 0:
                continue
            width, deviation = np.ptp(values), values.std()
            found[rows, column, 0] = rankdata(-values)
            found[rows, column, 1] = (values - values.mean()) / deviation if width else 0
            found[rows, column, 2] = (values - values.min()) / width if width else 0
    return found.reshape(len(X), -1)


@pytest.fixture
def rows(queries):
    """Tied values, missing ones, a query without any, and one of equal values."""
    X = np.round(queries.X, 1)
    X[::7, 2] = np.nan
    X[queries.query == 3, 1] = np.nan
    X[queries.query == 4] = 5.0
    return X


def test_as_plain_loops(rows, queries):
    new = QueryFeatures(append=False).fit_transform(rows, groups=queries.groups)
    np.testing.assert_allclose(new, by_loops(rows, queries.groups), atol=1e-12)
    one = QueryFeatures(["minmax"], append=False).fit_transform(rows, groups=queries.groups)
    np.testing.assert_array_equal(one, new[:, 2::3])


def test_by_hand():
    X = [[30.0], [20.0], [20.0], [50.0]]
    found = QueryFeatures().fit_transform(X, groups=["a", "a", "a", "b"])
    root = np.sqrt(2)
    np.testing.assert_allclose(
        found,
        [[30, 1, root, 1], [20, 2.5, -root / 2, 0], [20, 2.5, -root / 2, 0], [50, 1, 0, 0]],
    )


def test_a_linear_change_of_a_query_changes_nothing(rows, queries):
    before = QueryFeatures(append=False).fit_transform(rows, groups=queries.groups)
    factor, shift = 2.0 ** (queries.query % 5), queries.query * 8.0
    changed = rows * factor[:, None] + shift[:, None]
    after = QueryFeatures(append=False).fit_transform(changed, groups=queries.groups)
    np.testing.assert_allclose(after, before, atol=1e-9)


def test_huge_values_stay_finite():
    X = np.array([[1e308], [9e307], [0.0]])
    found = QueryFeatures(append=False).fit_transform(X, groups=[1, 1, 1])
    assert np.isfinite(found).all()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_keep_their_columns(library, rows, queries):
    frames = pytest.importorskip(library)
    X = frames.DataFrame(
        {"query": queries.groups, "a": rows[:, 0], "b": queries.query.astype(np.int32)}
    )
    model = QueryFeatures(["rank"], groups="query").fit(X)
    found = model.transform(X)
    assert isinstance(found, frames.DataFrame)
    assert list(found.columns) == ["query", "a", "b", "a_rank", "b_rank"]
    assert list(model.get_feature_names_out()) == list(found.columns)
    assert found["b"].dtype == X["b"].dtype
    assert list(found["query"]) == queries.groups.tolist()
    expected = by_loops(rows[:, :1], queries.groups)[:, 0]
    np.testing.assert_allclose(np.asarray(found["a_rank"]), expected)


def test_several_columns_make_a_query(queries):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"user": queries.query // 3, "a": queries.X[:, 0]})
    X["day"] = queries.query % 3
    found = QueryFeatures(groups=["user", "day"], append=False).fit_transform(X)
    np.testing.assert_allclose(found, by_loops(queries.X[:, :1], queries.groups))


def test_before_a_ranker_by_column_and_by_metadata(queries, with_routing):
    inner = HistGradientBoostingRegressor(max_iter=5)
    by_metadata = make_pipeline(QueryFeatures(), GroupRanker(inner))
    by_metadata.fit(queries.X, queries.y, groups=queries.groups)
    X = np.column_stack([queries.X, queries.query])
    by_column = make_pipeline(QueryFeatures(groups=4), GroupRanker(inner, groups=4))
    by_column.fit(X, queries.y)
    found = by_metadata.predict(queries.X, groups=queries.groups)
    np.testing.assert_array_equal(found, by_column.predict(X))


# Features may be missing, and this check makes queries missing as well.
REFUSED = {"check_estimators_pickle": (ValueError, "`groups` has 5 missing value")}


@every_check(QueryFeatures(groups=1), QueryFeatures(["rank"], groups=1, append=False))
def test_contract(estimator, check):
    run_check(estimator, check, refused=REFUSED)


def test_what_is_refused_are_checks():
    assert check_names(QueryFeatures(groups=1)) >= set(REFUSED)


def test_bad_input(queries):
    X, groups = queries.X, queries.groups
    for params, error, text in [
        ({"statistics": "rank"}, TypeError, "`statistics` must be a list"),
        ({"statistics": []}, ValueError, "`statistics` must name one or more"),
        ({"statistics": ["rank", "rank"]}, ValueError, "each once"),
        ({"statistics": ["median"]}, ValueError, "'rank', 'zscore', 'minmax'"),
        ({"append": "yes"}, ValueError, "`append`"),
        ({"groups": 9}, ValueError, "`groups=9` is not a column of X"),
    ]:
        with pytest.raises(error, match=text):
            QueryFeatures(**params).fit_transform(X, groups=groups)
    with pytest.raises(ValueError, match="QueryFeatures needs `groups`"):
        QueryFeatures().fit_transform(X)
    with pytest.raises(ValueError, match=r"`groups` has \d+ values, but X has"):
        QueryFeatures().fit_transform(X, groups=groups[1:])
    with pytest.raises(ValueError, match="infinity"):
        QueryFeatures().fit_transform(np.where(X > 1, np.inf, X), groups=groups)


def test_the_order_of_rows_does_not_change_a_digit():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(200, 3)), rng.integers(5, size=200)
    order = rng.permutation(200)
    features = QueryFeatures(append=False).fit(X)
    expected = features.transform(X, groups=groups)[order]
    found = features.transform(X[order], groups=groups[order])
    np.testing.assert_array_equal(found, expected, strict=True)
