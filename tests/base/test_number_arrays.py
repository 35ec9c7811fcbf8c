"""Numbers of any container as one array: in order as in Python, or an error."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import (
    NotNumbers,
    exact_as_floats,
    float_array,
    number_array,
    weighted_sums,
)
from sklearn_rank.distributed import QueryScorer
from sklearn_rank.metrics import precision_at_k_score

EDGES = [0, 1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, 2**63, 2**64 - 1, 2**64]
INTEGERS = st.sampled_from(EDGES + [-edge for edge in EDGES])
FLOATS = st.sampled_from([0.0, 0.5, -1.5, 2.0**53, 2.0**63, 1e300, -np.inf])
DECIMALS = st.sampled_from(
    [Decimal("0.1"), Decimal("0.10000000000000000001"), Decimal(2**53 + 1), Decimal("0.5")]
)
LISTS = st.one_of(
    st.lists(numbers, min_size=1, max_size=6)
    for numbers in (INTEGERS, INTEGERS | FLOATS, DECIMALS, INTEGERS | DECIMALS)
)

CONTAINERS = [
    list,
    lambda values: np.array(values, dtype=object),
    lambda values: pd.Series(values, dtype=object),
]


def in_order(numbers, values):
    """Return whether numbers are in the same order, and equal, where the values are."""
    pairs = zip(combinations(numbers, 2), combinations(values, 2), strict=True)
    return all((a < b) == (x < y) and (a == b) == (x == y) for (a, b), (x, y) in pairs)


@given(LISTS, st.sampled_from(CONTAINERS), st.sampled_from([number_array, float_array]))
def test_numbers_keep_their_order_or_are_refused(values, container, read):
    try:
        numbers = read(container(values), "`y`")
    except ValueError:
        with pytest.raises(ValueError, match="equal as floats of 64 bits"):
            read(container(values), "`y`")
        assert not in_order([float(value) for value in values], values)
    else:
        assert numbers.dtype.kind in "iuf"
        assert in_order(numbers.tolist(), values)


@given(LISTS)
def test_columns_and_rows_of_lists_are_read_as_vectors_are(values):
    for nested in ([[value] for value in values], [values]):
        try:
            expected = number_array(values, "`y`")
        except ValueError:
            with pytest.raises(ValueError, match="equal as floats"):
                number_array(nested, "`y`")
        else:
            found = number_array(nested, "`y`")
            assert found.ravel().tolist() == expected.tolist()
            assert found.shape == np.shape(nested)


@given(st.lists(INTEGERS, max_size=6), st.sampled_from(["i8", "u8"]))
def test_integers_as_floats_keep_their_order(values, dtype):
    limits = np.iinfo(dtype)
    fit = [value for value in values if limits.min <= value <= limits.max]
    floats = exact_as_floats(np.array(fit, dtype=dtype))
    assert floats.dtype == np.float64
    assert in_order(floats.tolist(), fit)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
def test_floats_keep_their_order_and_minus_infinity(dtype):
    scores = np.array([1, 1, -np.inf, 2, 2], dtype=dtype)
    scores[1] += np.finfo(dtype).eps
    floats = exact_as_floats(scores)
    assert floats.dtype == np.float64
    assert in_order(floats.tolist(), list(scores))
    np.testing.assert_array_equal(floats == -np.inf, scores == -np.inf)


def test_scores_that_floats_hold_stay_what_they_are():
    for dtype in (np.int64, np.uint64, np.float32, np.longdouble):
        scores = np.array([3, 1, 2**53, 2**60], dtype=dtype)
        assert exact_as_floats(scores).tolist() == [3, 1, 2**53, 2**60]
    floats = np.array([0.5, 1e300])
    assert exact_as_floats(floats) is floats


BIG = [2**53 + 1, 2**53]


@pytest.mark.parametrize(
    "score",
    [
        BIG,
        tuple(BIG),
        np.array(BIG),
        np.array(BIG, dtype=object),
        pd.Series(BIG),
        pd.Series(BIG, dtype=object),
        pd.Series(BIG, dtype="Int64"),
        pl.Series(BIG),
        [2**64 - 1, 2**64 - 2],
        [np.int64(2**53 + 1), 2**53],
        [2**53 + 2, np.float64(2**53)],
        [2**63, -1],
        [Decimal("0.2"), Decimal("0.1")],
        [Fraction(1, 3), Fraction(1, 4)],
        [2.0, Decimal("1.5")],
    ],
    ids=repr,
)
def test_one_number_in_every_form(score):
    """The relevant one is second, or first, and never both."""
    table = np.asarray(score, dtype=object).reshape(1, 2)
    flat = {"groups": [1, 1], "k": 1}
    assert precision_at_k_score([1, 0], score, **flat) == 1
    assert precision_at_k_score([0, 1], score, **flat) == 0
    for rows in (table, table.tolist()):
        assert precision_at_k_score([[1, 0]], rows, k=1) == 1
        assert precision_at_k_score([[0, 1]], rows, k=1) == 0


def test_columns_of_a_table_are_not_rounded_together():
    big = {"a": np.array([2**53 + 1]), "b": np.array([2.0**53]), "c": np.array([0.5])}
    for table in (pd.DataFrame(big), pl.DataFrame(big)):
        with pytest.raises(ValueError, match="9007199254740992"):
            precision_at_k_score([[0, 1, 0]], table, k=1)
    fine = pd.DataFrame({"a": [2**53 + 2], "b": [2.0**53], "c": [0.5]})
    assert precision_at_k_score([[1, 0, 0]], fine, k=1) == 1
    assert precision_at_k_score([[1, 0, 0]], pl.from_pandas(fine), k=1) == 1


@pytest.mark.parametrize(
    "score",
    [
        [2**63, -1, 2**63 + 1],
        [2**53 + 1, 2.0**53],
        [[2**53 + 1, 2.0**53]],
        [Decimal("0.1"), Decimal("0.10000000000000000001")],
        [Decimal("0.1"), 0.1],
        np.array([2**65, 2**65 + 1], dtype=object),
        [np.uint64(2**63), np.int64(-1), np.uint64(2**63 + 1)],
    ],
    ids=repr,
)
def test_what_would_become_a_tie_is_refused(score):
    with pytest.raises(ValueError, match=r"`y` has .* and .*, which are equal as floats"):
        number_array(score, "`y`")


def test_grades_are_floats_and_must_stay_apart():
    with pytest.raises(ValueError, match="9007199254740992 and 9007199254740993"):
        float_array(np.array([2**53, 2**53 + 1]), "`y`")
    assert float_array(np.array([2**53, 2**53 + 2]), "`y`").dtype == np.float64
    assert float_array([True, False], "`y`").tolist() == [1, 0]
    with pytest.raises(ValueError, match="equal as floats"):
        float_array(np.array([1, 1 + np.finfo("g").eps], dtype="g"), "`y`")


@pytest.mark.parametrize(
    "values",
    [
        [10**400, 1],
        np.array([10**400, 1]),
        [-(10**5000), 1],
        [Fraction(10**400), 1],
        [Decimal("1e400"), 1],
        [Decimal("-1e400"), 1],
    ],
    ids=["list", "array", "longer", "fraction", "decimal", "below"],
)
def test_numbers_beyond_floats_are_refused(values):
    with pytest.raises(ValueError, match=r"^`y` has a number beyond the range of floats"):
        number_array(values, "`y`")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["1", "2"], "has '1'"),
        ([1, "many"], "has 'many'"),
        (np.array(["1", 2], dtype=object), "'1'"),
        (pd.Series(["1", "2"], dtype=object), "'1'"),
        ([b"1", None], "b'1'"),
        ([1j, 2], "1j"),
        (np.array([1j, 2], dtype=object), "1j"),
        (np.array(["2020"], dtype="M8[Y]"), "datetime64"),
        (np.array([np.timedelta64(1, "s"), None], dtype=object), "timedelta64"),
        (object, "class 'object'"),
        (pd.NaT, "NaT"),
        ("abc", "'abc'"),
        ({"a": 1}, "{'a': 1}"),
        ((i for i in range(2)), "generator"),
        (np.zeros(2, dtype="i4,f8"), r"\(0, 0\."),
        (["x" * 1000, None], r"'x{50,60}\.\.\."),
        (["x" * 1000, "y"], r"'x{50,60}\.\.\."),
        (np.zeros(0, dtype="U1"), r"\[\]"),
    ],
)
def test_what_holds_no_numbers_is_shown(values, shown):
    with pytest.raises(NotNumbers, match=rf"^`y` must hold numbers, .*{shown}") as caught:
        number_array(values, "`y`")
    assert len(str(caught.value)) < 120


def test_rows_of_unequal_length_are_no_array():
    with pytest.raises(ValueError, match=r"^`y` must hold one number a row, or .*inhomo"):
        number_array([[1, 2], [3]], "`y`")


@pytest.mark.parametrize(
    "values",
    [
        [1, None],
        [1, pd.NA],
        np.array([True, None]),
        [np.float32(1), None],
        [Decimal(1), None],
        [2**53, float("nan")],
        pd.array([1, None]),
    ],
)
def test_missing_numbers_are_nan(values):
    numbers = number_array(values, "`y`")
    assert numbers.dtype == np.float64
    assert np.isnan(numbers).tolist() == [False, True]


def test_arrays_keep_their_type():
    for dtype in ("i1", "u8", "f2", "f4", "g", bool):
        array = np.ones(2, dtype=dtype)
        assert number_array(array, "`y`") is array
    assert number_array([2**63, 1], "`y`").dtype == np.uint64
    assert number_array(np.array([2**53 + 1, 1], dtype=object), "`y`").dtype == np.int64
    assert number_array(np.array([3, 1], dtype=object), "`y`").tolist() == [3, 1]
    assert number_array(5, "`y`").shape == ()


def test_long_values_are_not_shown_whole():
    assert shorten("ab") == "'ab'"
    assert shorten(10**50) == str(10**50)
    assert len(shorten("x" * 10**6)) < 100
    assert shorten(10**5000) == "an integer of 16610 bits"
    assert shorten([10**5000]) == "a very long list"


def test_sparse_weights_are_refused():
    weight = sparse.coo_array(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"`sample_weight` must be a dense .*coo_array"):
        precision_at_k_score([1, 0], [1, 2], groups=[1, 2], sample_weight=weight)
    with pytest.raises(ValueError, match=r"`sample_weight` must be a dense .*coo_array"):
        precision_at_k_score(np.eye(2), np.eye(2), sample_weight=weight)


@pytest.mark.parametrize("name", ["Int128", "UInt128"])
def test_integers_that_numpy_does_not_have(name):
    if not hasattr(pl, name):
        pytest.skip("this polars has no such type")
    column = pl.Series("user", [1, 2]).cast(getattr(pl, name))
    said = f"Column 'user' has the type {name}, which .*; cast it to {name[:-3]}64"
    for values in (column, pl.DataFrame({"item": [1, 2], "user": column})):
        with pytest.raises(TypeError, match=said):
            number_array(values, "`y`")
    with pytest.raises(TypeError, match=said):
        precision_at_k_score([1, 0], [1, 2], groups=column)
    score = QueryScorer("mrr", groups="user", y_true="grade", y_score="score")
    with pytest.raises(TypeError, match=said):
        score(pl.DataFrame({"user": column, "grade": [1, 0], "score": [1, 2]}))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_columns", [1, 2, 5, 10, 16, 9000])
def test_weighted_sums_of_equal_rows_are_equal(n_columns, dtype):
    rng = np.random.default_rng(0)
    row = rng.dirichlet(np.ones(n_columns)).astype(dtype)
    weights = rng.normal(size=n_columns)
    (alone,) = weighted_sums(row[None], weights)
    assert alone == pytest.approx(sum(row.astype(float) * weights), rel=1e-9, abs=1e-12)
    for n_rows in (2, 7, 63):
        for order in "CF":
            rows = np.array(np.tile(row, (n_rows, 1)), order=order)
            assert set(weighted_sums(rows, weights).tolist()) == {alone}


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int4"])
def test_small_numbers_of_machine_learning(name):
    kind = getattr(pytest.importorskip("ml_dtypes"), name)
    exact = np.array([0.5, 1.0, 2.0, 0.0]) if name != "int4" else np.arange(4.0)
    for values in (exact.astype(kind), list(exact.astype(kind))):
        found = number_array(values, "`x`")
        assert found.dtype.kind == "f"
        assert found.tolist() == exact.tolist()
    with pytest.raises(NotNumbers):
        number_array(np.array([b"ab", b"cd"], dtype="V2"), "`x`")
