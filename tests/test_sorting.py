"""The packed keys against the plain road: np.lexsort of exact ranks.

Places of rows on paper, for inputs of 2**31 rows and more: a key holds the place within
its chunk, which has at most 2**13 rows beside other queries and 32 bits to count a query
that stands alone; `order`, `query` and `starts` are intp, and the start of a chunk is a
Python integer that is added to them. SciPy's counting sort holds int32, so it is used
below 2**31 rows only. `test_rows_beyond_32_bits` moves real chunks up there.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank._sorting import (
    group_integers,
    order_by_code,
    sort_within,
    sorted_chunks,
)

F64, F32 = np.finfo(np.float64), np.finfo(np.float32)
I64, U64 = np.iinfo(np.int64), np.iinfo(np.uint64)
TINY = [F64.smallest_subnormal, -F64.smallest_subnormal, F64.tiny, 1e-320, -1e-320, 1e-40]
HUGE = [F64.max, -F64.max, 1e300, 2e300, -1e300, 1e39, 2e39, float(F32.max), 3.5e38]
# Different scores that are one number in single precision.
CLOSE = [1.0, 1 + F64.eps, 1 - F64.epsneg, 1 + 1e-9, 0.1 + 0.2, 0.3, -1.0, -1 - F64.eps]
ZEROS = [0.0, -0.0]
POOLS = {
    np.float64: TINY + HUGE + CLOSE + ZEROS + [-np.inf],
    np.float32: [0.0, -0.0, 1e-45, -1e-45, F32.max, F32.min, F32.tiny, 1.0, -np.inf],
    np.float16: [0.0, -0.0, 6e-8, -6e-8, 65504.0, -65504.0, 1.0, 1.001, -np.inf],
    np.longdouble: [
        *CLOSE,
        *ZEROS,
        *HUGE,
        -np.inf,
        *(np.longdouble(1) + np.finfo(np.longdouble).eps * np.arange(3)),
    ],
    np.int64: [
        I64.min,
        I64.min + 1,
        I64.max,
        I64.max - 1,
        2**53,
        2**53 + 1,
        -(2**53),
        0,
        -1,
    ],
    np.uint64: [0, 1, U64.max, U64.max - 1, 2**63, 2**63 - 1, 2**53, 2**53 + 1],
    np.int8: [-128, 127, 0, -1, 1],
    np.bool_: [False, True],
}
SIZES = [
    [0],
    [1],
    [31],
    [32],
    [33],
    [32] * 5,
    [33] * 5,
    [0, 31, 0, 0, 32, 33, 0],
    [2**13],
    [2**13 + 1],
    [2**13, 1],
    [1, 2**13, 0, 2**13 + 1, 3],
    [0, 70_000, 0, 2],
    [1] * (2**13 + 1),
    [0] * (2**13 + 7) + [5] + [0] * 2**13,
    [1, 0, 2] * 4_000,
    [100] * 100,
]
COUNTS = st.sampled_from([0, 1, 2, 3, 5, 31, 32, 33])


def starts_of(sizes):
    return np.r_[0, np.cumsum(sizes, dtype=np.intp)]


def plain_order(values, starts):
    """Rows by query, by descending value and by place, with ranks that are exact."""
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    rank = np.unique(values, return_inverse=True)[1].astype(np.intp)
    return np.lexsort((np.arange(len(values)), -rank, query)), query


def assert_sorted_as_plain(values, sizes):
    starts = starts_of(sizes)
    expected, query = plain_order(values, starts)
    before = values.copy()
    chunks = list(sorted_chunks(values.__getitem__, starts))

    stops = [chunk.rows.stop for chunk in chunks]
    assert [chunk.rows.start for chunk in chunks] == [0, *stops[:-1]]
    assert stops[-1] == len(values)
    order = np.concatenate([chunk.order + chunk.rows.start for chunk in chunks])
    np.testing.assert_array_equal(order, expected)
    np.testing.assert_array_equal(np.concatenate([c.query for c in chunks]), query)
    np.testing.assert_array_equal(sort_within(values, starts), expected)

    ranked = values[expected]
    repeats = np.r_[False, (ranked[1:] == ranked[:-1]) & (query[1:] == query[:-1])]
    found = [_repeats_of(chunk) for chunk in chunks]
    np.testing.assert_array_equal(np.concatenate(found), repeats[: len(values)])
    assert order.dtype == np.intp
    np.testing.assert_array_equal(values, before)


def _repeats_of(chunk):
    if chunk.repeats is None:
        return np.zeros(len(chunk.order), dtype=bool)
    return chunk.repeats


@st.composite
def adversarial(draw):
    """Rows of one type from a few values of it that are hard to tell apart."""
    dtype = draw(st.sampled_from(sorted(POOLS, key=str)))
    pool = draw(st.lists(st.sampled_from(POOLS[dtype]), min_size=1, max_size=6))
    sizes = draw(st.lists(COUNTS, min_size=1, max_size=8))
    picks = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pool = np.array(pool, dtype=dtype)
    return pool[picks.integers(0, len(pool), sum(sizes))], sizes


@given(adversarial())
def test_scores_that_are_hard_to_tell_apart(rows):
    assert_sorted_as_plain(*rows)


@given(
    st.lists(st.floats(allow_nan=False, max_value=F64.max), min_size=1, max_size=70),
    st.sampled_from([np.float64, np.float32, np.float16]),
    st.integers(1, 5),
)
def test_any_floats(values, dtype, n_queries):
    with np.errstate(over="ignore"):
        values = np.array(values).astype(dtype)
    values = values[values < np.inf]
    cuts = np.linspace(0, len(values), n_queries + 1).astype(int)
    assert_sorted_as_plain(values, np.diff(cuts))


@given(st.lists(st.integers(I64.min, I64.max), min_size=1, max_size=70))
def test_any_integers(values):
    assert_sorted_as_plain(np.array(values, dtype=np.int64), [len(values)])


@pytest.mark.parametrize("dtype", POOLS, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"{len(sizes)}x{max(sizes)}")
def test_sizes_of_queries(sizes, dtype):
    rng = np.random.default_rng(len(sizes))
    pool = np.array(POOLS[dtype], dtype=dtype)
    assert_sorted_as_plain(pool[rng.integers(0, len(pool), sum(sizes))], sizes)


@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"{len(sizes)}x{max(sizes)}")
def test_distinct_scores_have_no_repeats(sizes):
    values = np.random.default_rng(0).permutation(sum(sizes)) / 2**20
    assert_sorted_as_plain(values, sizes)
    chunks = sorted_chunks(values.__getitem__, starts_of(sizes))
    assert all(chunk.repeats is None for chunk in chunks)


def test_neighbours_in_double_precision_are_not_tied():
    """A whole query that is one number in single precision, in descending order."""
    n_rows = 70_000
    values = 1 + F64.eps * np.arange(n_rows)
    assert len(np.unique(values.astype(np.float32))) < 3
    [chunk] = sorted_chunks(values.__getitem__, np.array([0, n_rows]))
    np.testing.assert_array_equal(chunk.order, np.arange(n_rows)[::-1])
    assert chunk.repeats is None or not chunk.repeats.any()


def test_overflow_of_single_precision_is_silent_and_exact():
    values = np.array([1e39, F64.max, 1e300, -1e39, -F64.max, -np.inf, F32.max])
    with np.errstate(all="raise"):
        order = sort_within(values, np.array([0, 7]))
    assert order.tolist() == [1, 2, 0, 6, 3, 4, 5]


def test_zeros_of_both_signs_tie():
    [chunk] = sorted_chunks(np.array([-0.0, 0.0, -0.0]).__getitem__, np.array([0, 3]))
    assert chunk.order.tolist() == [0, 1, 2]
    assert chunk.repeats.tolist() == [False, True, True]


@pytest.mark.parametrize("base", [2**31 - 2, 2**31, 2**40])
def test_rows_beyond_32_bits(base):
    values = np.array([1.0, 2.0, 2.0, 0.0, 5.0, 7.0])
    starts = base + np.array([0, 3, 4, 6])
    [chunk] = sorted_chunks(
        lambda rows: values[rows.start - base : rows.stop - base], starts
    )
    assert chunk.rows == slice(base, base + 6)
    rows = chunk.order + chunk.rows.start
    assert (rows - base).tolist() == [1, 2, 0, 3, 5, 4]
    assert chunk.query.tolist() == [0, 0, 0, 1, 2, 2]
    assert rows.dtype == chunk.query.dtype == np.intp


def test_no_rows_and_no_queries():
    assert list(sorted_chunks(np.zeros(0).__getitem__, np.array([0]))) == []
    assert sort_within(np.zeros(0), np.array([0])).tolist() == []


@given(
    st.lists(st.integers(0, 40), max_size=60),
    st.sampled_from([np.intp, np.uint64, np.int32]),
    st.sampled_from([41, 2**31, 2**58, 2**63, 2**64]),
)
def test_order_by_code(codes, dtype, n_codes):
    codes = np.array(codes, dtype=dtype)
    order = order_by_code(codes, n_codes)
    np.testing.assert_array_equal(order, np.argsort(codes, kind="stable"))
    assert order.dtype == np.intp


INTEGERS = [np.dtype(f"{kind}{width}") for kind in "iu" for width in (1, 2, 4, 8)]


@st.composite
def integers(draw):
    """Integers of one width, anywhere in its range, close together or far apart."""
    dtype = draw(st.sampled_from(INTEGERS))
    limits = np.iinfo(dtype)
    lowest = draw(
        st.sampled_from([limits.min, 0, limits.max])
        | st.integers(int(limits.min), int(limits.max))
    )
    span = draw(st.sampled_from([0, 1, 20, 255, 40_000, 2**33, 2**64]))
    highest = min(limits.max, lowest + span)
    values = draw(st.lists(st.integers(lowest, highest), min_size=1, max_size=40))
    repeats = draw(st.sampled_from([1, 2, 3_000 // len(values)]))
    return np.tile(np.array(values, dtype=dtype), repeats)


@given(integers())
def test_group_integers(values):
    grouped = group_integers(values)
    span = int(values.max()) - int(values.min()) + 1
    if grouped is None:
        assert span.bit_length() + len(values).bit_length() > 64
        return
    order, first = grouped
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
    expected = np.unique(values[order], return_index=True)[1]
    np.testing.assert_array_equal(first, expected)
    assert order.dtype == first.dtype == np.intp


def test_narrow_integers_do_not_wrap_around():
    values = np.tile(np.array([-100, 99, 5], dtype=np.int8), 100)
    order, first = group_integers(values)
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
    assert first.tolist() == [0, 100, 200]


def test_a_range_too_wide_for_a_key_is_left_to_others():
    assert group_integers(np.array([I64.min, I64.max])) is None
    assert group_integers(np.array([0, U64.max], dtype=np.uint64)) is None
