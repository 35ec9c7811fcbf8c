"""Catalogue: how its parts are read, what is wrong with them, and what metrics miss."""

import pickle
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import metrics as m
from sklearn_rank.metrics import Catalogue, per_query_scores, ranking_scores
from sklearn_rank.metrics._core._registry import METRICS

LOG = [["ann", "tea"], ["ann", "tea"], ["bob", "tea"], ["bob", "jam"], ["eve", "oat"]]
ROWS = {
    "y_true": [0, 1, 0, 1],
    "y_score": [2, 1, 2, 1],
    "groups": ["ann", "ann", "bob", "bob"],
    "items": ["jam", "oat", "tea", "new"],
}
FEATURES = {"jam": [1, 0], "oat": [0, 1], "tea": [1, 1], "new": [2, 2]}
USERS = {"jam": 1, "oat": 1, "tea": 2}
NEEDING = sorted(name for name, metric in METRICS.items() if metric.parts)


def novelty(popularity, rows=None, **given):
    rows = ROWS if rows is None else rows
    return m.novelty_at_k_score(**rows, popularity=popularity, n_users=3, **given)


# ---- a log -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "log",
    [
        LOG,
        np.array(LOG),
        pd.DataFrame(LOG, columns=["user", "item"]),
        pd.DataFrame(LOG, columns=["user", "item"]).astype("category"),
    ],
)
def test_a_log_of_any_kind(log):
    columns = ("user", "item") if hasattr(log, "columns") else (0, 1)
    found = Catalogue.from_interactions(log, user=columns[0], item=columns[1])
    assert found.items.tolist() == ["jam", "oat", "tea"]
    assert found.users.tolist() == ["ann", "bob", "eve"]
    assert found.popularity.tolist() == [1, 1, 2]
    assert found.counts.tolist() == [1, 1, 3]
    assert found.n_users == found.n_items == 3
    assert found.history.toarray().tolist() == [[0, 0, 1], [1, 0, 1], [0, 1, 0]]
    assert repr(found) == "Catalogue(3 items, 3 users: popularity, history)"


def test_it_is_frozen_and_pickles():
    catalogue = Catalogue.from_interactions(LOG, user=0, item=1, features=FEATURES)
    with pytest.raises(AttributeError):
        catalogue.n_users = 5
    again = pickle.loads(pickle.dumps(catalogue))
    names = ["novelty@2", "ild@2"]
    expected = ranking_scores(**ROWS_OF_KNOWN, catalogue=catalogue, metrics=names)
    assert ranking_scores(**ROWS_OF_KNOWN, catalogue=again, metrics=names) == expected


ROWS_OF_KNOWN = {**ROWS, "items": ["jam", "oat", "tea", "jam"]}


# ---- by id, by column, by row ----------------------------------------------------------


@pytest.mark.parametrize(
    "popularity",
    [USERS, pd.Series(USERS), pd.DataFrame({"n": USERS}), dict(reversed(USERS.items()))],
)
def test_popularity_by_id(popularity):
    expected = -np.log2([1 / 3, 1 / 3, 2 / 3, 1 / 3]).mean()
    assert novelty(popularity) == pytest.approx(expected)


def test_popularity_by_column_and_by_row():
    by_id = novelty(USERS)
    rows = {name: ROWS[name] for name in ("y_true", "y_score", "groups")}
    assert novelty([1, 1, 2, 0], rows) == pytest.approx(by_id)
    y_score = [[2, 1, -np.inf, -np.inf], [-np.inf, -np.inf, 2, 1]]
    grid = {"y_true": [[0, 1, 0, 0], [0, 0, 0, 1]], "y_score": y_score}
    assert novelty([1, 1, 2, 0], grid) == pytest.approx(by_id)
    labels = ["jam", "oat", "tea", "new"]
    assert novelty(USERS, {**grid, "items": labels}) == pytest.approx(by_id)
    assert novelty([1, 1, 2, 0], {**grid, "items": labels}) == pytest.approx(by_id)


def test_histories_by_row_of_a_grid():
    grid = {"y_true": np.eye(2, 3), "y_score": [[3, 2, 1], [1, 2, 3]]}
    history = sparse.csr_array([[1, 0, 0], [0, 5, 0]])
    assert m.novel_share_at_k_score(**grid, history=history, k=2) == 0.5
    by_user = {0: [0], 1: [1]}
    assert m.novel_share_at_k_score(**grid, items=[0, 1, 2], history=by_user, k=2) == 0.5
    with pytest.raises(ValueError, match="items of 1 users without labels, but 2 queries"):
        m.novel_share_at_k_score(**grid, history=history[:1], k=2)


def test_users_in_any_order():
    rows = {
        "y_true": [0] * 3,
        "y_score": [1] * 3,
        "groups": [30, 2, 10],
        "items": [5, 5, 5],
    }
    history = {30: [5, 4], 10: [4], 2: [5]}
    found = per_query_scores(
        **rows, catalogue=Catalogue(history=history), metrics="novel_share"
    )
    assert found.groups.tolist() == [2, 10, 30]
    assert found.scores["novel_share"].tolist() == [0, 1, 0]
    with pytest.raises(TypeError, match="Ids in `groups` are of another type"):
        per_query_scores(
            **rows | {"groups": ["a", "b", "c"]},
            catalogue=Catalogue(history=history),
            metrics="novel_share",
        )
    with pytest.raises(ValueError, match="`users` names 1 more than once"):
        ranking_scores(
            [[1]],
            [[1]],
            catalogue=Catalogue(history=[[1], [1]], users=[1, 1]),
            metrics="novel_share",
        )


@pytest.mark.parametrize(
    "features",
    [
        FEATURES,
        pd.DataFrame.from_dict(FEATURES, orient="index"),
        pd.DataFrame.from_dict(FEATURES, orient="index").iloc[::-1],
    ],
)
def test_features_by_id(features):
    found = per_query_scores(**ROWS, catalogue=Catalogue(features=features), metrics="ild")
    assert found.scores["ild"] == pytest.approx([1, 0], abs=1e-15)


def test_features_in_the_order_of_the_items():
    items, table = list(FEATURES), list(FEATURES.values())
    for features in (table, np.array(table), sparse.csr_array(table)):
        catalogue = Catalogue(items=items, features=features)
        for distance, expected in (("cosine", [1, 0]), ("hamming", [2, 2])):
            found = m.intra_list_distance_at_k_score(
                **{**ROWS, "items": ROWS["items"]},
                features=dict(zip(items, table, strict=True)),
                distance=distance,
            )
            name = f"ild(distance='{distance}')"
            several = per_query_scores(**ROWS, catalogue=catalogue, metrics=name)
            assert several.scores.popitem()[1] == pytest.approx(expected, abs=1e-15)
            assert found == pytest.approx(np.mean(expected))


def test_distances_of_a_matrix_and_of_a_function():
    apart = pd.DataFrame(
        [[0, 1, 2], [1, 0, 3], [2, 3, 0]], index=["jam", "oat", "tea"], dtype=float
    )
    catalogue = Catalogue(distance=apart)
    found = per_query_scores(**ROWS_OF_KNOWN, catalogue=catalogue, metrics="ild").scores
    assert found["ild"].tolist() == [1, 2]
    calls = []

    def far(one, other):
        calls.append((one, other))
        return float(len(one) + len(other))

    assert m.intra_list_distance_at_k_score(**ROWS, distance=far) == 6
    assert sorted(calls) == [("jam", "oat"), ("new", "tea")]
    grid = {"y_true": [[0, 0, 0]], "y_score": [[3, 2, 1]]}
    for matrix in (apart.to_numpy(), apart.to_numpy().tolist()):
        assert m.intra_list_distance_at_k_score(**grid, distance=matrix, k=2) == 1


@pytest.mark.parametrize(
    "categories",
    [
        {"jam": "A", "oat": "B", "tea": ["A", "B"], "new": None},
        {"jam": np.array("A"), "oat": "B", "tea": np.array(["A", "B"]), "new": None},
        pd.Series({"jam": "A", "oat": "B", "tea": ("A", "B"), "new": np.nan}),
        pd.DataFrame({"A": [1, 0, 1, 0], "B": [0, 1, 1, 0]}, index=list(FEATURES)),
    ],
)
def test_categories(categories):
    names = ["category_coverage@2", "category_entropy@2"]
    catalogue = Catalogue(categories=categories)
    found = per_query_scores(**ROWS, catalogue=catalogue, metrics=names).scores
    assert [values.tolist() for values in found.values()] == [[1, 1], [1, 1]]
    assert catalogue.category_names.tolist() == ["A", "B"]
    of_one = per_query_scores(**ROWS, catalogue=catalogue, metrics="category_coverage@1")
    assert of_one.scores["category_coverage@1"].tolist() == [0.5, 1]


# ---- unknown items ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unknown", "of_bob"),
    [("one_user", [2 / 3, 1 / 3]), ("skip", [2 / 3]), ("zero", [2 / 3, 1])],
)
def test_unknown_items(unknown, of_bob):
    """No users is as unknown as no place in the catalogue."""
    expected = (np.log2(3) - np.mean(np.log2(of_bob))) / 2
    assert novelty(USERS, unknown=unknown) == pytest.approx(expected)
    assert novelty(USERS | {"new": 0}, unknown=unknown) == pytest.approx(expected)


def test_the_mean_over_items_counts_those_that_are_known():
    """One item of ann, two of bob, one of them unknown; and one user without a list."""
    rows = {
        "y_true": [0, 0, 0, 1],
        "y_score": [1, 2, 1, -np.inf],
        "groups": ["ann", "bob", "bob", "eve"],
        "items": ["jam", "tea", "new", "tea"],
    }
    known = [np.log2(3), np.log2(3 / 2)]
    given = {"average": "items", "replace_undefined_by": np.nan}
    assert novelty(USERS, rows, **given, unknown="skip") == pytest.approx(np.mean(known))
    every = [*known, np.log2(3)]
    assert novelty(USERS, rows, **given) == pytest.approx(np.mean(every))
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 queries"):
        novelty(USERS, rows, average="items")


def test_a_catalogue_in_which_nobody_has_anything():
    nobody = Catalogue(popularity=dict.fromkeys(USERS, 0), n_users=4)
    names = ["novelty", "novelty(count='interactions')", "popularity", "long_tail", "efd"]
    names += ["popularity(normalize='max')", "popularity_percentile", "serendipity", "epc"]
    found = per_query_scores(**ROWS, catalogue=nobody, metrics=names)
    expected = [2, 0, 0, 1, 0, np.nan, 0]
    for values, value in zip(found.scores.values(), expected, strict=False):
        np.testing.assert_array_equal(values, [value] * 2)


def test_a_catalogue_of_nothing():
    """Before the first interaction no user has an item, and each is counted as one's."""
    assert novelty({}) == pytest.approx(np.log2(3))
    empty = Catalogue(items=list(USERS), history={}, reference={})
    assert (empty.n_items, empty.n_users) == (3, None)
    assert ranking_scores(**ROWS, catalogue=empty, metrics="novel_share@2") == {
        "novel_share@2": 1
    }
    for name in ("popularity_lift@2", "unexpectedness@2"):
        with pytest.warns(UndefinedMetricWarning, match="2 of 2 queries"):
            found = ranking_scores(**ROWS, catalogue=empty, metrics=name)
        assert np.isnan(found[name])
    larger = Catalogue(popularity=USERS, history={"ann": ["tea"]})
    with pytest.raises(ValueError, match="'novelty@2' needs the number of users"):
        ranking_scores(**ROWS, catalogue=larger, metrics="novelty@2")


def test_unknown_items_may_be_an_error():
    with pytest.raises(ValueError, match=r"item 'new' of query bob.*set `unknown`"):
        novelty(USERS, unknown="error")
    assert novelty(USERS, unknown="error", k=1) > 0  # it is not shown


def test_no_user_has_an_unknown_item():
    """Its share of users without it is 1; the mean has one item that is not relevant."""
    rows = {"y_true": [1, 1, 0], "y_score": [3, 2, 1], "groups": [0] * 3}
    given = {"items": ["new", "tea", "jam"], "popularity": USERS, "n_users": 4}
    found = m.epc_at_k_score(**rows, **given, k=3, discount=None)
    assert found == pytest.approx((1 + (1 - 2 / 4)) / 3)


def test_users_without_a_history_have_no_surprise():
    """Of the two users with jam one has tea, too: the cosine is 1 / sqrt(2 * 1)."""
    history = {"ann": ["tea", "jam"], "bob": ["tea"]}
    rows = {"y_true": [1, 1], "y_score": [1, 1], "groups": ["ann", "eve"]}
    found = per_query_scores(
        **rows,
        items=["jam", "jam"],
        catalogue=Catalogue(history=history),
        metrics="serendipity(unexpected='history')@1",
    )
    (values,) = found.scores.values()
    expected = [1 - (1 + 1 / np.sqrt(2)) / 2, np.nan]
    assert values == pytest.approx(expected, nan_ok=True)


def test_a_list_of_unknown_items_alone_is_undefined_where_they_are_skipped():
    rows = {"y_true": [0], "y_score": [1], "groups": [0], "items": ["new"]}
    assert np.isnan(novelty(USERS, rows, unknown="skip", replace_undefined_by=np.nan))


# ---- what is wrong ---------------------------------------------------------------------


@pytest.mark.parametrize("name", NEEDING)
def test_a_metric_without_a_catalogue_says_how_to_give_one(name):
    metric = METRICS[name]
    parts = [part for part in metric.parts if part.needed(metric.parameters)]
    text = rf"Metric '{name}' needs the .*{metric.function.__name__} `\w+=`.*catalogue="
    with pytest.raises(ValueError, match=text):
        ranking_scores(**ROWS, metrics=name)
    with pytest.raises(ValueError, match=f"Metric '{name}' needs {parts[0].holds[:20]}"):
        ranking_scores(**ROWS, metrics=name, catalogue=Catalogue())


def test_a_metric_that_misses_one_part_names_it():
    catalogue = Catalogue(popularity=USERS)
    with pytest.raises(ValueError, match="'novelty@2' needs the number of users"):
        ranking_scores(**ROWS, metrics="novelty@2", catalogue=catalogue)
    with pytest.raises(ValueError, match=r"history'.*needs the items of"):
        ranking_scores(
            **ROWS, metrics="serendipity(unexpected='history')", catalogue=catalogue
        )
    found = ranking_scores(**ROWS, metrics="serendipity", catalogue=catalogue)
    assert found["serendipity"] >= 0


def test_what_is_no_catalogue():
    with pytest.raises(TypeError, match="`catalogue` must be a Catalogue"):
        ranking_scores(**ROWS, metrics="novelty", catalogue=USERS)


def test_items_are_asked_for_where_values_are_by_id():
    rows = {name: ROWS[name] for name in ("y_true", "y_score", "groups")}
    with pytest.raises(ValueError, match="`items` is needed"):
        novelty(USERS, rows)
    with pytest.raises(ValueError, match="3 items without ids, but there are 4 rows"):
        novelty([1, 2, 3], rows)
    with pytest.raises(ValueError, match="`items` has ids, but the catalogue has none"):
        novelty([1, 2, 3, 0])


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (
            {"jam": -1},
            r"1 negative value\(s\), the first at 0 \(-1.0\); counts are 0 or more",
        ),
        ({"jam": np.nan}, "NaN"),
        ({"jam": np.inf}, "infinite"),
        ({"jam": 4}, "'jam' has 4 users, but there are 3 in all"),
        ({"jam": "many"}, "must hold numbers"),
        ({("jam",): 1, 5: 2}, "never be equal"),
    ],
)
def test_popularity_is_a_count(bad, text):
    with pytest.raises((ValueError, TypeError), match=text):
        novelty(bad)


def test_ids_of_another_type_are_no_unknown_items():
    with pytest.raises(
        TypeError, match=r"'jam' \(str\) and the catalogue has item 1 \(int\)"
    ):
        novelty({1: 1, 2: 1})


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        (pd.Timestamp(2024, 1, 1), datetime(2024, 1, 2)),
        (1, np.int64(2)),
        ("jam", np.str_("tea")),
    ],
)
def test_unknown_items_may_be_of_a_type_that_equals_the_known(known, unknown):
    items = np.empty(1, dtype=object)
    items[0] = unknown
    catalogue = Catalogue(popularity={known: 1}, n_users=2)
    found = ranking_scores(
        [1], [1], groups=[0], items=items, catalogue=catalogue, metrics="popularity@1"
    )
    assert found == {"popularity@1": 0}


@pytest.mark.parametrize("column", ["item", "item_id", "Item ID"])
def test_ids_in_a_column_are_not_taken_for_a_feature(column):
    # With ids that are numbers the default index would be taken for them.
    frame = pd.DataFrame({column: [1, 2, 0], "price": [3.0, 1.0, 2.0]})
    message = f"`features` has ids in the column '{column}', .*use set_index"
    with pytest.raises(ValueError, match=message):
        Catalogue(items=[0, 1, 2], features=frame)
    with pytest.raises(ValueError, match="`categories` has ids in the column"):
        Catalogue(items=[0, 1, 2], categories=frame)
    of_polars = pytest.importorskip("polars").DataFrame(frame)
    for part in ("features", "categories"):
        with pytest.raises(
            ValueError, match=rf"use to_pandas\(\)\.set_index\('{column}'\)"
        ):
            Catalogue(items=[0, 1, 2], **{part: of_polars})
    catalogue = Catalogue(items=[0, 1, 2], features=frame.set_index(column))
    assert catalogue.features.tolist() == [[2.0], [3.0], [1.0]]


def test_categories_in_columns_of_polars():
    frame = pytest.importorskip("polars").DataFrame({"jazz": [2, 1, 0], "rock": [0, 1, 3]})
    found = Catalogue(items=["x", "y", "z"], categories=frame)
    columns = {"groups": [0, 0], "items": ["x", "z"]}
    alike = Catalogue(items=["x", "y", "z"], categories=frame.to_pandas().to_numpy())
    for catalogue in (found, alike):
        value = ranking_scores(
            [1, 1], [2, 1], **columns, catalogue=catalogue, metrics="category_entropy@2"
        )
        assert value == {"category_entropy@2": 1.0}


def test_features_that_do_not_cover_the_catalogue():
    with pytest.raises(ValueError, match="1 of 3 items have no row, the first 'oat'"):
        Catalogue.from_interactions(LOG, user=0, item=1, features={"jam": [1], "tea": [0]})
    some = {name: FEATURES[name] for name in ("jam", "oat", "tea")}
    for distance in (None, "hamming", "jaccard"):
        with pytest.raises(ValueError, match="does not cover item 'new' of query bob"):
            m.intra_list_distance_at_k_score(**ROWS, features=some, distance=distance)


def test_lists_of_one_item_have_no_pairs():
    found = per_query_scores(
        **ROWS,
        metrics=["ild@1", "ild(distance='hamming')@1", "ild@2"],
        catalogue=Catalogue(features=FEATURES),
    ).scores
    assert np.isnan(found["ild@1"]).all()
    assert np.isnan(found["ild(distance='hamming')@1"]).all()
    assert not np.isnan(found["ild@2"]).any()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"items": ["a", "b", "a"]}, "`items` names 'a' more than once"),
        ({"items": ["a"], "features": [[1], [2]]}, r"`features` has 2 row\(s\), but there"),
        ({"popularity": [1, 2], "features": [[1]]}, "need a value for each item"),
        ({"popularity": {"a": 1}, "features": [[1]]}, "`features` has no ids, but other"),
        ({"features": [1, 2]}, "one row per item and one column per feature"),
        ({"features": [[np.nan]]}, "NaN"),
        ({"popularity": np.ones((2, 3))}, r"one number per item, got shape \(2, 3\)"),
        ({"categories": {"a": []}}, "`categories` is empty: no item has a category"),
        ({"categories": np.array([[-1, 2]])}, "`categories` has negative values"),
        ({"distance": [[1, 2]]}, "or a square matrix with a row"),
        ({"history": {"ann": "tea"}}, "must map each user to a list of ids"),
        ({"history": [[1, 0]], "users": [1, 2]}, "`users` has 2 labels, but"),
        ({"history": [1, 0]}, "must be a matrix users × items or a mapping"),
        ({"items": ["a"], "history": [[1, 0]]}, "`history` has 2 columns, but there are 1"),
        ({"popularity": [1], "n_users": 0}, "`n_users`"),
        ({"popularity": 5}, "`popularity` must be a mapping or a Series by id"),
    ],
)
def test_parts_that_cannot_be(given, text):
    with pytest.raises((ValueError, TypeError), match=text):
        Catalogue(**given)


@pytest.mark.parametrize(
    ("function", "given", "text"),
    [
        (
            m.intra_list_distance_at_k_score,
            {"distance": "cosin"},
            "`distance` got .* Valid: .*Or a function",
        ),
        (
            m.intra_list_distance_at_k_score,
            {"distance": 3},
            "`distance` got .* Valid: .*Or a function",
        ),
        (m.long_tail_at_k_score, {"popularity": USERS, "head": 1}, "`head` must be"),
        (m.novelty_at_k_score, {"popularity": USERS, "unknown": 0}, "`unknown`"),
        (m.novelty_at_k_score, {"popularity": USERS, "ties": "best"}, "no order of"),
        (m.intra_list_distance_at_k_score, {"distance": lambda one, other: np.nan}, "NaN"),
        (
            m.intra_list_distance_at_k_score,
            {"distance": lambda one, other: [1, 2]},
            r"`distance` must return a number for two ids, got \[1, 2\]",
        ),
    ],
)
def test_parameters_that_cannot_be(function, given, text):
    with pytest.raises(ValueError, match=text):
        function(**ROWS, **given)


def test_values_of_a_column_of_X():
    class Model:
        def predict(self, X):
            return X[:, 2]

    X = np.array([[0, 7.0, 2.0], [0, 8.0, 1.0], [1, 4.0, 1.0], [1, 9.0, 3.0]])
    scorer = m.make_ranking_scorer("mean_value@1", groups=0, values=1)
    assert scorer(Model(), X, [0, 0, 0, 1]) == (7 + 9) / 2


def test_values_of_rows_are_finite_numbers():
    rows = {name: ROWS[name] for name in ("y_true", "y_score", "groups")}
    with pytest.raises(ValueError, match="`values` is needed"):
        ranking_scores(**rows, metrics="mean_value")
    with pytest.raises(ValueError, match="`values`"):
        m.mean_value_at_k_score(**rows, values=[1, 2, np.nan, 3])


@pytest.mark.parametrize("name", ["epc", "efd"])
def test_relevant_items_below_the_cutoff_are_those_of_min_relevance(name):
    rows = {"y_true": [1, 1, 0], "y_score": [3, 2, 1], "groups": [0] * 3}
    catalogue = Catalogue(popularity={"a": 1, "b": 2, "c": 3}, n_users=4)
    given = {**rows, "items": [*"abc"], "catalogue": catalogue}
    names = [f"{name}(min_relevance={least})@1" for least in (1, 2)]
    found = per_query_scores(**given, metrics=names)
    assert found.scores[names[0]][0] > 0
    assert np.isnan(found.scores[names[1]][0])


def test_a_history_of_items_that_nobody_had_has_no_lift():
    catalogue = Catalogue(
        popularity={"a": 0, "b": 3}, history={"u": ["a"], "v": ["b"]}, n_users=4
    )
    found = per_query_scores(
        [0, 0],
        [1, 1],
        groups=[*"uv"],
        items=[*"bb"],
        catalogue=catalogue,
        metrics="popularity_lift@1",
    )
    np.testing.assert_array_equal(found.scores["popularity_lift@1"], [np.nan, 0])


def test_items_without_interactions():
    rows = [["ann", "tea"], ["ann", "tea"], ["bob", "tea"], ["bob", "jam"]]
    found = Catalogue.from_interactions(rows, items=["oil", "tea", "jam"])
    assert found.items.tolist() == ["oil", "tea", "jam"]
    assert found.popularity.tolist() == [0, 2, 1]
    assert found.counts.tolist() == [0, 3, 1]
    assert found.history.toarray().tolist() == [[0, 1, 0], [0, 1, 1]]
    assert (found.n_items, found.n_users) == (3, 2)


def test_features_in_the_order_of_items():
    rows = [["ann", "tea"], ["bob", "jam"]]
    items, features = ["oil", "tea", "jam"], [[1.0], [2.0], [3.0]]
    found = Catalogue.from_interactions(rows, items=items, features=features)
    assert found.features.tolist() == features


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["tea"], "`log` has 1 item.* that `items` lacks, the first 'jam'; add them"),
        ([1, 2], "Ids in `log` are of another type"),
        (["tea", "jam", "tea"], "`items` names 'tea' more than once"),
        (["tea", "jam", None], "missing value"),
        ({"tea", "jam"}, "`items` must be 1-D"),
    ],
)
def test_items_that_do_not_fit_a_log(items, message):
    with pytest.raises(ValueError, match=message):
        Catalogue.from_interactions([["ann", "tea"], ["bob", "jam"]], items=items)
