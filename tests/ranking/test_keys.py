"""The packed keys against the plain path: np.lexsort of exact ranks.

Places of rows on paper, for inputs of 2**31 rows and more: the key of a chunk counts up to
2**15 rows, or those of one query; a key for all rows gives way to chunks as soon as less
than 24 sort bits would be left, or 22 where few rows are asked for. `row`, `query` and
`starts` are intp, and the start of a chunk is a Python integer that is added to them.
`test_rows_beyond_32_bits` moves real chunks up there.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank._base._runs import starts_of
from sklearn_rank._ranking import _keys
from sklearn_rank._ranking._keys import (
    RankedRows,
    descend_within,
    rank_grouped_rows,
    rank_scattered_rows,
    sort_within,
)
from sklearn_rank.metrics import per_query_scores

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
    [2**15],
    [2**15 + 1],
    [2**15, 1],
    [1, 2**15, 0, 2**15 + 1, 3],
    [0, 140_000, 0, 2],
    [1] * (2**15 + 1),
    [0] * (2**15 + 7) + [5] + [0] * 2**15,
    [1, 0, 2] * 4_000,
    [100] * 100,
]
COUNTS = st.sampled_from([0, 1, 2, 3, 5, 31, 32, 33])


def plain_ranks(values, query, tagged):
    """Return the record by exact ranks, a lexsort and a count of each score."""
    rows, rank = np.arange(len(values)), np.unique(values, return_inverse=True)[1]
    order = np.lexsort((rows, -rank.astype(np.intp), query))
    n_rows = np.bincount(query)
    place = np.empty(len(values), dtype=np.intp)
    place[order] = rows - np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
    block = query * (rank.max(initial=0) + 1) + rank
    block = np.unique(block, return_inverse=True)[1]
    highest = np.full(block.max(initial=0) + 1, len(values))
    np.minimum.at(highest, block, place)
    row = order[np.isin(order, tagged)]
    tied = np.bincount(block)[block]
    return RankedRows(
        query[row], row, highest[block][row], tied[row], place[row], row % 7 + 1
    )


def assert_as_plain(found, values, query, tagged):
    expected = plain_ranks(values, query, tagged)
    for name, one, other in zip(RankedRows._fields, found, expected, strict=True):
        assert one.dtype.kind == "i", name
        np.testing.assert_array_equal(one, other, err_msg=name)


def assert_ranked_as_plain(values, sizes, share_tagged=0.4):
    """Both paths, for rows that lie together and for rows in no order."""
    rng = np.random.default_rng(len(values))
    query = np.repeat(np.arange(len(sizes)), sizes)
    is_tagged = rng.random(len(values)) < share_tagged
    is_tagged[values == -np.inf] = False  # those are not ranked
    before = values.copy()
    assert_as_plain(
        rank_in_parts(values, is_tagged, sizes), values, query, tagged_rows(is_tagged)
    )
    np.testing.assert_array_equal(values, before)

    shuffle = rng.permutation(len(values))
    values, query, is_tagged = values[shuffle], query[shuffle], is_tagged[shuffle]
    grade = np.where(is_tagged, np.arange(len(values)) % 7 + 1, 0)
    found = rank_scattered_rows(values, grade, query, starts_of(np.asarray(sizes)))
    assert_as_plain(joined(found, len(sizes)), values, query, tagged_rows(is_tagged))


def tagged_rows(is_tagged):
    return np.flatnonzero(is_tagged)


def rank_in_parts(values, is_tagged, sizes):
    def tagged_of(rows):
        places = np.flatnonzero(is_tagged[rows])
        return places, (places + rows.start) % 7 + 1

    starts = starts_of(np.asarray(sizes))
    return joined(rank_grouped_rows(values.__getitem__, tagged_of, starts), len(sizes))


def joined(parts, n_queries):
    parts = list(parts)
    lasts = [last for _, last, _ in parts]
    assert [first for first, _, _ in parts] == [0, *lasts[:-1]]
    assert lasts[-1] == n_queries
    return RankedRows(*map(np.concatenate, zip(*(part[2] for part in parts), strict=True)))


def assert_sorted_as_plain(values, sizes):
    query = np.repeat(np.arange(len(sizes)), sizes)
    expected = plain_ranks(values, query, np.arange(len(values))).row
    order = sort_within(values, starts_of(np.asarray(sizes)))
    np.testing.assert_array_equal(order, expected)
    assert order.dtype == np.intp


@st.composite
def adversarial(draw):
    """Rows of one type from a few values of it that are hard to tell apart."""
    dtype = draw(st.sampled_from(sorted(POOLS, key=str)))
    pool = draw(st.lists(st.sampled_from(POOLS[dtype]), min_size=1, max_size=6))
    sizes = draw(st.lists(COUNTS, min_size=1, max_size=8))
    picks = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pool = np.array(pool, dtype=dtype)
    return pool[picks.integers(0, len(pool), sum(sizes))], sizes


SHARES = st.sampled_from([0.05, 0.4, 1.0])


@given(adversarial(), SHARES)
def test_scores_that_are_hard_to_tell_apart(rows, share_tagged):
    assert_ranked_as_plain(*rows, share_tagged)
    assert_sorted_as_plain(*rows)


@given(adversarial(), SHARES)
def test_few_sort_bits_tell_less_and_changes_nothing(rows, share_tagged):
    """A key of so many bits for rows and queries that next to none are left."""
    sizes = [*rows[1], *[0] * 2**13]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_keys, "_sort_bits", coarse(_keys._sort_bits))
        assert_ranked_as_plain(rows[0], sizes, share_tagged)
        assert_sorted_as_plain(rows[0], sizes)


def coarse(sort_bits):
    return lambda score: sort_bits(score) & np.uint64(0xFFF << 52)


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
    assert_ranked_as_plain(values, np.diff(cuts))
    assert_sorted_as_plain(values, np.diff(cuts))


@given(st.lists(st.integers(I64.min, I64.max), min_size=1, max_size=70))
def test_any_integers(values):
    assert_ranked_as_plain(np.array(values, dtype=np.int64), [len(values)])
    assert_sorted_as_plain(np.array(values, dtype=np.int64), [len(values)])


@pytest.mark.parametrize("dtype", POOLS, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"{len(sizes)}x{max(sizes)}")
def test_sizes_of_queries(sizes, dtype):
    rng = np.random.default_rng(len(sizes))
    pool = np.array(POOLS[dtype], dtype=dtype)
    values = pool[rng.integers(0, len(pool), sum(sizes))]
    assert_ranked_as_plain(values, sizes)
    assert_sorted_as_plain(values, sizes)


@pytest.mark.parametrize("share_tagged", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"{len(sizes)}x{max(sizes)}")
def test_distinct_scores_take_one_path(sizes, share_tagged, monkeypatch):
    values = np.random.default_rng(0).permutation(sum(sizes)) / 2**20
    assert_sorted_as_plain(values, sizes)
    monkeypatch.setattr(_keys, "_sort_runs", None)
    assert_ranked_as_plain(values, sizes, share_tagged)


def test_a_few_ties_among_many_queries():
    rng = np.random.default_rng(1)
    sizes = rng.integers(0, 40, 3_000)
    values = rng.permutation(sizes.sum()).astype(float)
    same = rng.integers(0, len(values) - 1, 50)
    values[same] = values[same + 1]
    assert_ranked_as_plain(values, sizes)


@given(adversarial(), SHARES)
def test_rows_that_are_ranked_as_they_are_given(rows, share_tagged):
    """With ties and, now and then, one row that is not."""
    values, sizes = rows
    query = np.repeat(np.arange(len(sizes)), sizes)
    ordered = values[plain_ranks(values, query, np.arange(len(values))).row]
    assert_ranked_as_plain(ordered, sizes, share_tagged)
    distinct = np.arange(len(values))[::-1].astype(float)
    assert_ranked_as_plain(distinct, sizes, share_tagged)
    distinct[len(values) // 2 :] = -np.inf
    assert_ranked_as_plain(distinct, sizes, share_tagged)


def test_lists_in_order_are_not_sorted(monkeypatch):
    monkeypatch.setattr(_keys, "rank_run", None)
    values = np.array([3.0, 2.0, 1.0, -np.inf, -np.inf, 9.0, -np.inf, 0.5, 0.0])
    found = rank_in_parts(values, np.ones(9, dtype=bool), [5, 0, 2, 2])
    assert found.row.tolist() == list(range(9))
    assert found.place.tolist() == [0, 1, 2, 3, 4, 0, 1, 0, 1]
    assert found.query.tolist() == [0, 0, 0, 0, 0, 2, 2, 3, 3]


def test_rows_of_two_queries_in_any_order():
    score, query = np.array([1.0, 1.0, 2.0, 3.0]), np.array([0, 1, 1, 0])
    found = joined(rank_scattered_rows(score, np.ones(4), query, np.array([0, 2, 4])), 2)
    assert found.row.tolist() == [3, 0, 2, 1]
    found = joined(
        rank_scattered_rows(np.zeros(4), np.ones(4), query, np.array([0, 2, 4])), 2
    )
    assert found.tied.tolist() == [2, 2, 2, 2]


def test_rows_that_were_not_retrieved_stand_last():
    values = np.array([-np.inf, 2.0, -np.inf, 1.0, -np.inf, 3.0])
    is_tagged = np.array([True, False, True, True, False, True])
    for found in (
        rank_in_parts(values, is_tagged, [5, 1]),
        joined(
            rank_scattered_rows(
                values,
                is_tagged.astype(int),
                np.array([0, 0, 0, 0, 0, 1]),
                np.array([0, 5, 6]),
            ),
            2,
        ),
    ):
        assert found.row.tolist() == [3, 0, 2, 5]
        assert found.query.tolist() == [0, 0, 0, 1]
        assert found.above[[0, 3]].tolist() == found.place[[0, 3]].tolist() == [1, 0]
        assert (found.above[1:3] >= 2).all()


def test_too_many_queries_for_one_sort():
    n_rows = 2**20
    values, query = np.zeros(n_rows), np.arange(n_rows)
    assert (
        rank_scattered_rows(values, np.ones(n_rows), query, np.arange(n_rows + 1)) is None
    )
    query[-1] = 0  # a query of two rows, or a warning says that nothing is ranked
    values[-1] = 1
    y_true = np.arange(n_rows) % 3
    found = per_query_scores(y_true, values, groups=-query, metrics="cg@1").scores["cg@1"]
    np.testing.assert_array_equal(found[::-1], [y_true[-1], *y_true[1:-1]])


def test_neighbors_in_single_precision_are_not_tied():
    """A whole query that is one number in single precision, in descending order."""
    n_rows = 140_000
    values = 1 + F64.eps * np.arange(n_rows)
    assert len(np.unique(values.astype(np.float32))) < 3
    assert_ranked_as_plain(values, [n_rows])
    order = sort_within(values, np.array([0, n_rows]))
    np.testing.assert_array_equal(order, np.arange(n_rows)[::-1])


def test_overflow_of_double_precision_is_silent_and_exact():
    huge = np.longdouble(F64.max)
    values = np.array([huge * 2, huge * 4, huge, -huge * 2, -huge * 4, -np.inf, 1])
    with np.errstate(all="raise"):
        order = sort_within(values, np.array([0, 7]))
    assert order.tolist() == [1, 0, 2, 6, 3, 4, 5]


def test_zeros_of_both_signs_tie():
    zeros = np.array([-0.0, 0.0, -0.0])
    found = rank_in_parts(zeros, np.ones(3, dtype=bool), [3])
    assert found.row.tolist() == [0, 1, 2]
    assert found.above.tolist() == [0, 0, 0]
    assert found.tied.tolist() == [3, 3, 3]


@pytest.mark.parametrize("base", [2**31 - 2, 2**31, 2**40])
def test_rows_beyond_32_bits(base):
    values = np.array([1.0, 2.0, 2.0, 0.0, 5.0, 7.0])
    starts = base + np.array([0, 3, 4, 6])
    [(first, last, found)] = rank_grouped_rows(
        lambda rows: values[rows.start - base : rows.stop - base],
        lambda rows: (np.arange(rows.stop - rows.start), np.ones(6)),
        starts,
    )
    assert (first, last) == (0, 3)
    assert (found.row - base).tolist() == [1, 2, 0, 3, 5, 4]
    assert found.query.tolist() == [0, 0, 0, 1, 2, 2]
    assert found.row.dtype == found.query.dtype == np.intp


def test_no_rows_and_no_queries():
    nothing = np.zeros(0)
    assert list(rank_grouped_rows(nothing.__getitem__, None, np.array([0]))) == []
    assert sort_within(nothing, np.array([0])).tolist() == []


@given(
    st.lists(st.lists(st.sampled_from([0.5, 1, 2, 3, 7, 1e9, 40])), min_size=1, max_size=6),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([None, 1, 3]),
)
def test_descend_within(queries, spread, k):
    """Few values are counted, many are sorted; `spread` makes them many."""
    sizes = np.array([len(values) for values in queries])
    values = np.array([value for one in queries for value in one], dtype=float)
    values += spread * np.arange(len(values)) / 64
    query = np.repeat(np.arange(len(sizes)), sizes)
    found = descend_within(values, query, starts_of(sizes), k)
    rank = np.concatenate([np.arange(size) for size in sizes])
    expected = values[np.lexsort((-values, query))]
    np.testing.assert_array_equal(found, expected if k is None else expected[rank < k])


def test_descend_within_many_values():
    values = np.random.default_rng(0).random(1_000)
    query = np.repeat(np.arange(10), 100)
    found = descend_within(values, query, np.arange(11) * 100)
    np.testing.assert_array_equal(found, values[np.lexsort((-values, query))])
