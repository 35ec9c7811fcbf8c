"""from_item_lists against a plain loop, and its errors."""

import re
from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from sklearn_rank.inputs import from_item_lists

IDS = st.integers(-3, 6)
LISTS = st.lists(IDS, max_size=6, unique=True)
TRUTHS = st.one_of(
    st.sets(IDS, max_size=6), LISTS, st.dictionaries(IDS, st.integers(0, 4), max_size=6)
)
USERS = st.text("abc", min_size=1, max_size=2)


def rows_by_loop(y_true, y_pred):
    """Return the (user, grade, score) that a reader of the docs would write down."""
    rows = []
    for user in list(y_true) + [user for user in y_pred if user not in y_true]:
        truth, ranked = y_true.get(user, {}), list(y_pred.get(user, []))
        grades = truth if isinstance(truth, dict) else dict.fromkeys(truth, 1)
        mine = [(user, grades.get(i, 0), -r) for r, i in enumerate(ranked, 1)]
        mine += [(user, grades[i], -np.inf) for i in grades if i not in ranked]
        rows += mine or [(user, 0, -np.inf)]
    return rows


def rows_of(bunch, *more):
    assert list(bunch) == ["y_true", "y_score", "groups", *more]
    assert bunch.y_true.dtype == bunch.y_score.dtype == np.float64
    columns = bunch.groups.tolist(), bunch.y_true.tolist(), bunch.y_score.tolist()
    columns += tuple(bunch[name].tolist() for name in more)
    return list(zip(*columns, strict=True))


@given(
    st.dictionaries(USERS, TRUTHS, max_size=5), st.dictionaries(USERS, LISTS, max_size=5)
)
def test_mappings_give_the_rows_of_a_plain_loop(y_true, y_pred):
    assert rows_of(from_item_lists(y_true, y_pred)) == rows_by_loop(y_true, y_pred)


@given(st.lists(st.tuples(TRUTHS, LISTS), max_size=5))
def test_sequences_are_matched_by_position(pairs):
    y_true, y_pred = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = rows_by_loop(dict(enumerate(y_true)), dict(enumerate(y_pred)))
    assert rows_of(from_item_lists(y_true, y_pred)) == expected


NAMES = st.sampled_from(["", "a", "b", "ab", "é", "日本語", "item 10", "item 9", "1"])
THREE = {"min_size": 3, "max_size": 3}


@pytest.mark.parametrize("kind", [np.str_, object])
@given(
    st.lists(st.lists(st.one_of(NAMES, st.just(2)), max_size=4, unique=True), **THREE),
    st.lists(st.lists(NAMES, min_size=2, max_size=2, unique=True), **THREE),
)
def test_arrays_of_strings_give_the_rows_of_lists(kind, y_true, y_pred):
    y_true = [[*one, "z"] for one in y_true]
    expected = from_item_lists(y_true, y_pred, return_items=True, exclude=[["b"]] * 3)
    for lists in (np.array(y_pred, kind), [np.array(one, kind) for one in y_pred]):
        for truth in (y_true, [np.array(one, object) for one in y_true]):
            rows = from_item_lists(truth, lists, return_items=True, exclude=[["b"]] * 3)
            assert rows_of(rows, "items") == rows_of(expected, "items")


def test_bytes_in_arrays_are_no_strings():
    lists = np.array([["a", "b"]])
    rows = from_item_lists([[b"b"]], lists.astype("S"), filler=b"b")
    assert rows.y_true.tolist() == [-0.0, 1.0]
    assert rows.y_score.tolist() == [-1.0, -np.inf]
    with pytest.raises(TypeError, match=r"item b'b' \(bytes\) and .* item 'a' \(str\)"):
        from_item_lists([[b"b"]], lists)
    with pytest.raises(TypeError, match=r"`exclude` has item 'a' \(str\) and another"):
        from_item_lists([[b"b"]], lists.astype("S"), exclude=[np.array(["a"])])


@pytest.mark.parametrize(
    "rename",
    [
        str,
        float,
        np.int16,
        np.uint64,
        lambda i: (i, "x"),
        lambda i: np.str_(i),
        lambda i: 2**31 + i,
        lambda i: 2**62 + i,
        lambda i: i * (2**32 // 9) - 2**31,
        lambda i: i * 2**26 - 2**40,
        lambda i: i - 2**63 if i < 5 else 2**62 + i,
        lambda i: 2**70 + i,
        lambda i: i * 10**13 - 5 * 10**15,
        lambda i: i + 0.5,
        lambda i: date(2020, 1, i + 1),
        lambda i: np.datetime64("2020-01-01", "ns") + np.timedelta64(i, "ns"),
        lambda i: i if i % 2 else str(i),
    ],
)
def test_any_type_of_id_gives_the_same_rows(rename):
    rng = np.random.default_rng(0)
    y_true = [set(rng.permutation(9)[: rng.integers(5)].tolist()) for _ in range(20)]
    y_pred = [rng.permutation(9)[: rng.integers(5)].tolist() for _ in range(20)]
    renamed = from_item_lists(
        [list(map(rename, sorted(truth))) for truth in y_true],
        [list(map(rename, ranked)) for ranked in y_pred],
    )
    expected = from_item_lists([sorted(truth) for truth in y_true], y_pred)
    assert rows_of(renamed) == rows_of(expected)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float64, object, str])
def test_a_2d_array_is_a_list_of_its_rows(dtype):
    ranked = np.array([[3, 1, 2], [5, 3, 4]]).astype(dtype)
    y_true = [{ranked[0, 1]}, {ranked[1, 0]: 2, ranked[0, 2]: 1}]
    expected = [(0, 0, -1), (0, 1, -2), (0, 0, -3)]
    expected += [(1, 2, -1), (1, 0, -2), (1, 0, -3), (1, 1, -np.inf)]
    assert rows_of(from_item_lists(y_true, ranked)) == expected
    assert rows_of(from_item_lists(y_true, ranked.tolist())) == expected
    assert rows_of(from_item_lists(y_true, list(ranked))) == expected


@pytest.mark.parametrize(
    "container",
    [list, tuple, np.array, pd.Series, pl.Series, lambda ids: dict.fromkeys(ids).keys()],
)
def test_any_ordered_container_holds_a_list(container):
    rows = from_item_lists([[7], [9]], [container([9, 7]), container([8, 9])])
    assert rows.y_true.tolist() == [0, 1, 0, 1]


def test_a_pandas_series_of_lists_is_matched_by_its_index():
    log = pd.DataFrame({"user": ["b", "a", "b"], "item": [1, 2, 3]})
    y_true = log.groupby("user")["item"].agg(list)
    y_pred = pd.Series([[3], [5]], index=["b", "a"])
    expected = rows_by_loop({"a": [2], "b": [1, 3]}, {"b": [3], "a": [5]})
    assert rows_of(from_item_lists(y_true, y_pred)) == expected


def test_a_pandas_series_names_the_users_of_an_array():
    y_true = pd.Series([{2}, {1, 3}], index=["b", "a"])
    rows = from_item_lists(y_true, np.array([[2, 5], [3, 4]]))
    assert rows_of(rows) == [
        ("b", 1, -1),
        ("b", 0, -2),
        ("a", 1, -1),
        ("a", 0, -2),
        ("a", 1, -np.inf),
    ]
    with pytest.raises(ValueError, match="item 4 twice for user 'a'"):
        from_item_lists(y_true, np.array([[2, 5], [4, 4]]))


def test_a_polars_series_of_lists_is_a_sequence():
    rows = from_item_lists(pl.Series([[1], [2, 3]]), pl.Series([[1], [3]]))
    assert rows_of(rows) == [(0, 1, -1), (1, 1, -1), (1, 1, -np.inf)]


def test_counts_are_grades():
    rows = from_item_lists({"u": Counter("aab")}, {"u": ["b", "a"]})
    assert rows.y_true.tolist() == [1, 2]


def test_many_users_are_matched_as_few_are():
    rng = np.random.default_rng(1)
    y_pred = rng.permuted(np.tile(np.arange(40), (6000, 1)), axis=1)[:, :15]
    y_true = [set(rng.permutation(40)[: rng.integers(4)].tolist()) for _ in y_pred]
    y_true[17] = dict.fromkeys(range(40), 2)
    expected = rows_by_loop(dict(enumerate(y_true)), dict(enumerate(y_pred.tolist())))
    # The relevant items that were missed may come in any order.
    assert sorted(rows_of(from_item_lists(y_true, y_pred))) == sorted(expected)


@pytest.mark.parametrize("last", [2**40, -(2**31) - 1, 2**70, "seven", 1.5, None])
def test_one_other_id_after_many_changes_nothing(last):
    y_pred = [[user % 7, 9, 8] for user in range(1000)] + [[3, last]]
    y_true = [{user % 5, 8} for user in range(1000)] + [[3]]
    rows = from_item_lists(y_true, y_pred)
    expected = rows_by_loop(dict(enumerate(y_true)), dict(enumerate(y_pred)))
    assert rows_of(rows) == (expected[:-1] if last is None else expected)


@given(st.lists(st.tuples(st.lists(IDS), st.lists(IDS)), min_size=1, max_size=4))
def test_the_first_item_named_twice_is_told(pairs):
    sides = {name: [pair[i] for pair in pairs] for i, name in enumerate(["true", "pred"])}
    twice = [
        f"`y_{side}` has item {item} twice for user {user};"
        for side in ("pred", "true")
        for user, ids in enumerate(sides[side])
        for place, item in enumerate(ids)
        if item in ids[place + 1 :]
    ]
    if twice:
        with pytest.raises(ValueError, match=re.escape(twice[0])):
            from_item_lists(sides["true"], sides["pred"])
    else:
        rows = from_item_lists(sides["true"], sides["pred"])
        assert rows.groups[-1] == len(pairs) - 1


def test_users_in_another_order_keep_their_lists():
    y_true = {user: [user, -5] for user in range(300)}
    y_pred = {user: np.array([user, -7]) for user in reversed(range(5, 305))}
    assert rows_of(from_item_lists(y_true, y_pred)) == rows_by_loop(y_true, y_pred)


def test_one_user_may_hold_more_than_a_chunk():
    ids = np.arange(100_000)
    rows = from_item_lists([[], ids[::2], []], [[], ids, [1]])
    assert rows.groups.tolist() == [0] + [1] * len(ids) + [2]
    assert rows.y_true[1:-1].tolist() == [1, 0] * 50_000


def test_users_with_nothing_are_all_kept():
    rows = from_item_lists([()] * 100_000 + [[1]], [()] * 100_000 + [[1]])
    assert rows.groups.tolist() == list(range(100_001))
    assert rows.y_score.tolist() == [-np.inf] * 100_000 + [-1]


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), pd.NA, pd.NaT])
def test_missing_ids_end_a_list(missing):
    rows = from_item_lists([{"a"}, {"b"}], [["a", missing, missing], ["c", "b", "d"]])
    assert rows_of(rows) == [(0, 1, -1), (1, 0, -1), (1, 1, -2), (1, 0, -3)]


def test_mappings_without_any_item():
    rows = from_item_lists([["a"], ["b", "c"]], [{}, {}])
    assert rows["y_score"].tolist() == [-np.inf] * 3
    assert rows["groups"].tolist() == [0, 1, 1]


def test_missing_ids_end_a_row_of_numbers():
    rows = from_item_lists([{4}, {6}], np.array([[4, np.nan], [5, 6]]))
    assert rows_of(rows) == [(0, 1, -1), (1, 0, -1), (1, 1, -2)]


@pytest.mark.parametrize("filler", [-1, -1.0, np.int64(-1), "none"])
def test_fillers_end_a_list(filler):
    plain = filler if isinstance(filler, str) else int(filler)
    y_pred = [[plain, plain], [4, plain], [4, 5]]
    rows = from_item_lists([{4}, {4}, {5}], y_pred, filler=filler)
    expected = [(0, 1, -np.inf), (1, 1, -1), (2, 0, -1), (2, 1, -2)]
    assert rows_of(rows) == expected


def test_fillers_and_missing_ids_end_lists_together():
    rows = from_item_lists([{"a"}], [["a", pd.NA, "none", None]], filler="none")
    assert rows_of(rows) == [(0, 1, -1)]


@pytest.mark.parametrize("filler", [-1, 1.5, "none"])
def test_a_filler_that_never_occurs_changes_nothing(filler):
    with_filler = from_item_lists([{4}], [[4, 5]], filler=filler)
    assert rows_of(with_filler) == rows_of(from_item_lists([{4}], [[4, 5]]))


@pytest.mark.parametrize(
    "filler",
    [np.array([-1]), np.array(-1), [-1], {-1}, pd.Series([-1]), sparse.eye_array(1)],
    ids=type,
)
@pytest.mark.parametrize("y_pred", [[[1, -1]], [["a", "b"]], [[2**40, -(2**40)]]])
def test_a_filler_is_one_id(filler, y_pred):
    with pytest.raises(TypeError, match="`filler` must be one id that marks"):
        from_item_lists([[1]], y_pred, filler=filler)


@pytest.mark.parametrize(
    "filler",
    [
        pd.NA,
        np.nan,
        pd.NaT,
        np.inf,
        -np.inf,
        10**400,
        1j,
        -1.5,
        "-1",
        np.uint64(9),
        np.datetime64("2020"),
        (-1,),
        Decimal("nan"),
        2.0**80,
    ],
    ids=repr,
)
@pytest.mark.parametrize("items", [[4, -1], [2**40, -(2**40)], ["a", -1], [0.5, -1]])
def test_a_filler_that_equals_no_id_changes_nothing(filler, items):
    rows = from_item_lists([[items[0]]], [items], filler=filler)
    assert rows_of(rows) == [(0, 1, -1), (0, 0, -2)]


@pytest.mark.parametrize("filler", [-1, -1.0, Decimal(-1), Fraction(-1), np.int8(-1)])
@pytest.mark.parametrize(
    "last", [4, 2**31, 2**32, 2**40, -(2**62), 2**70, "a", 0.5], ids=repr
)
def test_a_filler_is_found_among_ids_of_any_kind(filler, last):
    rows = from_item_lists([[last], [3]], [[last, -1], [5, 3]], filler=filler)
    assert rows_of(rows) == [(0, 1, -1), (1, 0, -1), (1, 1, -2)]


def test_ids_keep_null_characters():
    rows = from_item_lists({"u": {"a\0"}, "u\0": {"a"}}, {"u": ["a", "a\0"], "u\0": ["a"]})
    assert rows_of(rows) == [("u", 0, -1), ("u", 1, -2), ("u\0", 1, -1)]


@pytest.mark.parametrize("users", [[2**63, -1, 2**63 + 1], [2**53, 2**53 + 1, 0.5]])
def test_users_are_not_rounded(users):
    items = {user: [1] for user in users}
    rows = from_item_lists(items, items)
    assert rows.groups.tolist() == users


def test_ids_with_decimals_stay_apart():
    """Whole numbers among floats are integers, as a data frame makes floats of them."""
    rows = from_item_lists(np.array([[1.2], [2.0]]), np.array([[1.7, 1.2], [2.0, 2.5]]))
    assert rows.y_true.tolist() == [0, 1, 1, 0]
    assert from_item_lists([{1}], np.array([[1.7]])).y_true.tolist() == [0, 1]


def test_ids_are_not_rounded():
    ids = [2**53, 2**53 + 1, 2**63, 2**63 + 1, -1, 0.5]
    rows = from_item_lists([ids], [ids[::-1]])
    assert rows.y_true.tolist() == [1] * len(ids)
    rows = from_item_lists([[2**53]], [[2**53 + 1, 2.0**53]])
    assert rows.y_true.tolist() == [0, 1]


def test_inputs_stay_as_they_are():
    y_true, y_pred = {"u": {1: 2.0}}, {"v": [3, 1]}
    from_item_lists(y_true, y_pred)
    assert y_true == {"u": {1: 2.0}}
    assert y_pred == {"v": [3, 1]}


ERRORS = [
    (sparse.csr_array(np.eye(2)), [[1]], TypeError, "`y_true` is a sparse matrix"),
    (
        {"ann": ["x", "x"]},
        {"ann": ["y"]},
        ValueError,
        "`y_true` has item 'x' twice for user 'ann'",
    ),
    (
        {"ann": ["x"]},
        {"ann": ["y", "z", "y"]},
        ValueError,
        "`y_pred` has item 'y' twice.*'ann'",
    ),
    ([[1], [2]], np.array([[1, 2], [3, 3]]), ValueError, "item 3 twice for user 1;"),
    ({"u": {1}}, {"u": ["1"]}, TypeError, r"user 'u' has item 1 \(int\) and .*'1' \(str\)"),
    ([[], {1}], [["1"], []], TypeError, r"user 1 has item 1 \(int\) and .* user 0 "),
    ({1: {5}}, {"1": [5]}, TypeError, r"Users cannot be compared.* 1 \(int\).*'1' \(str\)"),
    ({"u": {"x": -0.5}}, {"u": ["x"]}, ValueError, "item 'x' of user 'u' has the grade -0"),
    ([{1}, {2: np.nan}], [[], []], ValueError, "item 2 of user 1 has the grade nan;"),
    ([{2: np.inf}], [[]], ValueError, "item 2 of user 0 has the grade inf;"),
    ([{2: "3"}], [[]], TypeError, "item 2 of user 0 has the grade '3';"),
    ([{2: None}], [[]], TypeError, "item 2 of user 0 has the grade None;"),
    ([{None}], [[]], ValueError, "item None of user 0 is a missing value"),
    (
        [{1}],
        [[None, 1]],
        ValueError,
        "item None of user 0 marks an empty place, but item 1",
    ),
    ([{1}], [[1], [2]], ValueError, "`y_true` has 1 users, but `y_pred` has 2"),
    ({0: {1}}, [[1]], TypeError, "`y_true` is a mapping over users, but `y_pred`"),
    ([[1]], {0: [1]}, TypeError, "`y_pred` is a mapping over users, but `y_true`"),
    ([["a"]], ["ab"], TypeError, "`y_pred` of user 0 is 'ab'; each user or query needs"),
    (
        {"u": [3]},
        {"u": 3},
        TypeError,
        "`y_pred` of user 'u' is 3; each user or query needs",
    ),
    ([[3]], np.array([3]), TypeError, "`y_pred` of user 0 is"),
    ([None], [[3]], ValueError, "item None of user 0 is a missing value"),
    ([{3}], [{3, 4}], TypeError, "`y_pred` of user 0 is {3, 4}; a set has no order"),
    ([{3}], [np.zeros((2, 2))], ValueError, "`y_pred` of user 0 has 2 dimensions"),
    ([{3}], np.zeros((1, 2, 2)), ValueError, r"got shape \(1, 2, 2\)"),
    ("ab", [[1]], TypeError, "`y_true` must be a mapping or a sequence over users"),
    (None, [[1]], TypeError, "`y_true` must be a mapping or a sequence over users"),
    ([[[1]]], [[1]], TypeError, "Item ids must be hashable"),
    (
        pd.DataFrame({"u": [1]}),
        [[1]],
        TypeError,
        "`y_true` is a DataFrame; use from_frames",
    ),
    (
        pd.Series([[1], [2]], index=["a", "a"]),
        {},
        ValueError,
        "user 'a' twice in its index",
    ),
    (
        pd.Series([[1], [2]], index=[pd.NA, 1]),
        {1: [1]},
        ValueError,
        "`y_true` has the user <NA>, a missing value, at position 0",
    ),
    ({1: [1]}, {None: [1]}, ValueError, "`y_pred` has the user None, a missing value"),
    ([{2: 10**400}], [[]], ValueError, "`y_true` has a number beyond the range of floats"),
    ([{1: 2**53 + 1, 2: 2**53}], [[]], ValueError, "which are equal as floats"),
    ([{2: np.timedelta64(1, "s")}], [[]], TypeError, "item 2 of user 0 has the grade"),
    ({(1,), (2,)}, [[1], [2]], TypeError, "`y_true` is a set, whose users have no order"),
    ([[1]], frozenset([(1,)]), TypeError, "`y_pred` is a set, whose users have no order"),
    (
        [sparse.csr_matrix(np.eye(2))],
        [[1]],
        TypeError,
        r"of user 0 is (?s:.*)indices of the row",
    ),
    ([pd.DataFrame({"a": [1, 2]})], [[1]], TypeError, r"0 is (?s:.*)the column of ids"),
    ({7: [1]}, {7: pd.DataFrame({"a": [1]})}, TypeError, r"user 7 is (?s:.*)the column of"),
    ([[1]], [pl.DataFrame({"a": [1]})], TypeError, r"0 is (?s:.*)the column of ids"),
    ([[1]], [[np.ma.masked, 1]], TypeError, "Item ids must be hashable"),
    ([[1]], [10**5000], TypeError, "of user 0 is an integer of 16610 bits; each user"),
    ("x" * 10**6, [[1]], TypeError, r"over users, got 'x{50,60}\.\.\."),
    (
        [["x" * 10**6] * 2],
        [["x"]],
        ValueError,
        r"has item 'x{50,60}\.\.\. \(1000002 characters\) twice for user 0",
    ),
    ([[10**4000]], [["x"]], TypeError, r"has item an integer of 13288 bits \(int\) and"),
]


@pytest.mark.parametrize(("y_true", "y_pred", "error", "message"), ERRORS)
def test_errors_name_what_is_wrong(y_true, y_pred, error, message):
    with pytest.raises(error, match=message) as caught:
        from_item_lists(y_true, y_pred)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_relevant_item_among_others(missing):
    message = r"missing value; remove it"
    with pytest.raises(ValueError, match=message):
        from_item_lists({"u": ["a", missing, "b"]}, {"u": ["a"]})
    with pytest.raises(ValueError, match=message):
        from_item_lists({"u": [1.5, missing]}, {"u": [1.5, 2.5]})


@pytest.mark.parametrize("unit", ["s", "ns"])
def test_items_that_are_moments_come_back_as_moments(unit):
    days = np.array(["2024-01-01", "2024-01-02"], dtype=f"datetime64[{unit}]")
    rows = from_item_lists({"u": [days[1]]}, {"u": days}, return_items=True)
    assert rows.y_true.tolist() == [0, 1]
    assert rows["items"].dtype == days.dtype
    np.testing.assert_array_equal(rows["items"], days)
