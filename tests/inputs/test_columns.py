"""Columns of every container: taken, dropped, and compared with what is passed."""

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from sklearn_rank.inputs._columns import (
    column_or_metadata,
    drop_column,
    find_column,
    has_column,
    take_column,
    take_rows,
)

USERS, ITEMS = [3, 1, 3, 2], [7.5, 0.0, 8.0, 0.0]
ROWS = list(zip(USERS, ITEMS, strict=True))


def pandas_frame(columns=("user", "item")):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(
        dict(zip(columns, (USERS, ITEMS), strict=True)), index=[9, 8, 9, 7]
    )


def polars_frame():
    polars = pytest.importorskip("polars")
    return polars.DataFrame({"user": USERS, "item": ITEMS})


def structured():
    return np.array(ROWS, dtype=[("user", "i4"), ("item", "f8")])


NAMED = {"pandas": pandas_frame, "polars": polars_frame, "structured": structured}
NUMBERED = {
    "ndarray": lambda: np.array(ROWS),
    "objects": lambda: np.array(ROWS, dtype=object),
    "fortran": lambda: np.asfortranarray(ROWS),
    "tuples": lambda: ROWS,
    "lists": lambda: [list(row) for row in ROWS],
    "csr_array": lambda: sparse.csr_array(ROWS),
    "csr_matrix": lambda: sparse.csr_matrix(ROWS),
    "csc_array": lambda: sparse.csc_array(ROWS),
    "coo_array": lambda: sparse.coo_array(ROWS),
}
CONTAINERS = NAMED | NUMBERED
every_container = pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
named_container = pytest.mark.parametrize("make", NAMED.values(), ids=NAMED)
numbered_container = pytest.mark.parametrize("make", NUMBERED.values(), ids=NUMBERED)


def plain(column):
    return np.asarray(column).tolist()


@every_container
@pytest.mark.parametrize(
    ("position", "expected"), [(0, USERS), (1, ITEMS), (-1, ITEMS), (np.int64(-2), USERS)]
)
def test_take_by_position(make, position, expected):
    column = take_column(make(), position, name="user")
    assert np.shape(column) == (4,)
    assert plain(column) == expected


@named_container
def test_take_by_name(make):
    assert plain(take_column(make(), "user", name="user")) == USERS
    assert plain(take_column(make(), "item", name="item")) == ITEMS


@pytest.mark.parametrize("make", [pandas_frame, polars_frame])
def test_a_column_of_a_frame_is_a_series_of_its_type(make):
    X = make()
    assert type(take_column(X, "user", name="user")) is type(X["user"])
    assert take_column(X, "user", name="user").dtype == X["user"].dtype


@every_container
@pytest.mark.parametrize("position", [0, 1, -1])
def test_drop_leaves_the_other_column_in_the_same_container(make, position):
    X = make()
    rest = drop_column(X, position, name="groups")
    assert isinstance(rest, np.ndarray if isinstance(X, list) else type(X)) or (
        sparse.issparse(X) and sparse.issparse(rest)
    )
    expected = ITEMS if position == 0 else USERS
    assert plain(take_column(rest, 0, name="other")) == expected
    assert not has_column(rest, 1)
    assert plain(take_column(X, 0, name="user")) == USERS


@named_container
def test_drop_by_name(make):
    rest = drop_column(make(), "user", name="groups")
    assert plain(take_column(rest, "item", name="item")) == ITEMS
    assert not has_column(rest, "user")


@every_container
@pytest.mark.parametrize("position", [2, -3, 10**12])
def test_no_such_position(make, position):
    for act in (take_column, drop_column):
        with pytest.raises(ValueError, match=rf"`user={position}` .*X.* 2 column"):
            act(make(), position, name="user")
    assert not has_column(make(), position)


@named_container
def test_no_such_name(make):
    for act in (take_column, drop_column):
        with pytest.raises(ValueError, match=r"`user='usr'`.*Did you mean 'user'"):
            act(make(), "usr", name="user")


@numbered_container
@pytest.mark.parametrize("name", ["user", 1.0, True, None])
def test_a_name_where_there_are_none(make, name):
    for act in (take_column, drop_column):
        with pytest.raises(ValueError, match=r"no column names.*position \(0 to 1\)"):
            act(make(), name, name="user")


@named_container
def test_true_is_no_position(make):
    with pytest.raises(ValueError, match="`user=True` is not a column"):
        take_column(make(), True, name="user")


@pytest.mark.parametrize("X", [np.arange(4), [], np.zeros((2, 2, 2))])
def test_what_is_no_table(X):
    with pytest.raises(ValueError, match="so X must be 2-D"):
        take_column(X, 0, name="user")


def test_two_columns_of_one_name():
    X = pandas_frame()
    X.columns = ["user", "user"]
    with pytest.raises(ValueError, match="2 columns named 'user'"):
        take_column(X, "user", name="user")
    assert plain(take_column(X, 1, name="user")) == ITEMS


def test_integers_count_positions_even_where_names_are_integers():
    X = pandas_frame(columns=(1, 0))
    assert plain(take_column(X, 0, name="user")) == USERS
    assert plain(take_column(drop_column(X, 0, name="user"), 0, name="item")) == ITEMS


def test_names_of_several_levels():
    X = pandas_frame(columns=(("id", "user"), ("id", "item")))
    assert plain(take_column(X, ("id", "item"), name="item")) == ITEMS


def test_lists_keep_the_types_of_ids():
    X = [["ann", 1], ["bob", "1"]]
    assert take_column(X, 0, name="user").tolist() == ["ann", "bob"]
    assert take_column(X, 1, name="item").tolist() == [1, "1"]
    assert drop_column(X, 0, name="user").tolist() == [[1], ["1"]]


@every_container
@given(rows=st.lists(st.integers(0, 3), max_size=6))
def test_take_rows(make, rows):
    X = make()
    if sparse.issparse(X) and not rows:
        rows = [0]
    if not rows and isinstance(X, list):
        return
    index = np.array(rows, dtype=np.intp)
    taken = take_rows(X, index)
    expected = [USERS[row] for row in rows]
    assert plain(take_column(taken, 0, name="user")) == expected


@every_container
def test_passed_or_column(make):
    ask = {"name": "users", "parameter": "user"}
    X = make()
    assert column_or_metadata(X, None, None, **ask) is None
    assert plain(column_or_metadata(X, None, 0, **ask)) == USERS
    passed = np.array([5, 5, 5, 6])
    assert column_or_metadata(X, passed, None, **ask) is passed
    assert column_or_metadata(None, passed, 0, **ask) is passed
    assert column_or_metadata(X, passed, 7, **ask) is passed
    for same in (np.array(USERS), list(USERS), np.array(USERS, dtype=np.float32)):
        assert column_or_metadata(X, same, 0, **ask) is same
    with pytest.raises(ValueError, match=r"`users` was passed and `user` names.*differ"):
        column_or_metadata(X, passed, 0, **ask)


def test_neither_passed_nor_a_column_is_an_error_of_the_column():
    with pytest.raises(ValueError, match="`user='usr'` is not a column"):
        column_or_metadata(pandas_frame(), None, "usr", name="users", parameter="user")


def test_unequal_lengths_are_left_to_the_caller():
    passed = [1, 2]
    ask = {"name": "users", "parameter": "user"}
    assert column_or_metadata(np.array(ROWS), passed, 0, **ask) is passed


def test_passed_strings_are_not_numbers():
    X = np.array([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="differ"):
        column_or_metadata(X, ["1", "3"], 0, name="users", parameter="user")


UNITS = ["M8[s]", "M8[us]", "M8[ns]"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("passed_unit", [*UNITS, object])
def test_the_same_times_in_another_unit(unit, passed_unit):
    days = [datetime(2024, 5, 1), datetime(2024, 5, 2)]
    X = np.array([(day,) for day in days], dtype=[("time", unit)])
    passed = np.array(days, dtype="M8[us]").astype(passed_unit)
    ask = {"name": "times", "parameter": "time"}
    assert column_or_metadata(X, passed, "time", **ask) is passed


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ["b", "User"],
            r"`user='user'` is not a column of the frame\. Did you mean 'User'\?",
        ),
        ([], r"is not a column of the frame\. Valid: none"),
        (["user", "item", "user"], r"^The frame has 2 columns named 'user'; rename them"),
    ],
)
def test_one_column_is_found_or_one_is_suggested(names, message):
    assert find_column("user", ["item", "user"], parameter="user") == 1
    assert find_column(("a", 1), iter([0, ("a", 1)]), parameter="user") == 1
    with pytest.raises(ValueError, match=message):
        find_column("user", names, parameter="user", of="the frame")
