"""Codes of rows of integers against sorted sets of tuples, on each of the paths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank._base import _distinct_labels
from sklearn_rank._base._distinct_labels import codes_of_rows

EDGES = [0, 1, 2, 2**8, 2**32 - 1, 2**32, 2**56, 2**63, 2**63 + 1, 2**64 - 1]
VALUES = st.sampled_from(EDGES) | st.integers(0, 2**64 - 1)
SLOTS = _distinct_labels.slots_of_rows


@st.composite
def columns_of_rows(draw):
    """Draw a few rows of one to three columns, and repeat them in no order."""
    row = st.tuples(*[VALUES] * draw(st.integers(1, 3)))
    distinct = np.array(draw(st.lists(row, min_size=1, max_size=40)), dtype=np.uint64)
    n_rows = draw(st.sampled_from([len(distinct), 50, 500]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return list(distinct[random.integers(0, len(distinct), n_rows)].T.copy())


def mixed(n_rows, n_distinct, width=1):
    """Return columns of rows that are drawn from so many distinct ones."""
    random = np.random.default_rng(0)
    distinct = random.integers(0, 2**64, (width, n_distinct), dtype=np.uint64)
    return list(distinct[:, random.integers(0, n_distinct, n_rows)])


def assert_codes(columns):
    chosen, codes = codes_of_rows(columns)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    labels = sorted(set(rows))
    assert [rows[row] for row in chosen] == labels
    assert [labels[code] for code in codes] == rows
    assert chosen.dtype == codes.dtype == np.intp


def hash_rows(monkeypatch, slots_of=SLOTS):
    """Hash however few rows there are; return a list of the rows of each attempt."""
    n_rows = []

    def slots(columns, bits, attempt):
        n_rows[attempt:] = [sum(n_rows[attempt:]) + len(columns[0])]
        return slots_of(columns, bits, attempt)

    monkeypatch.setattr(_distinct_labels, "_seem_distinct", lambda columns: False)
    monkeypatch.setattr(_distinct_labels, "_FEW_ROWS", 0)
    monkeypatch.setattr(_distinct_labels, "slots_of_rows", slots)
    return n_rows


@given(columns_of_rows())
def test_rows_that_are_sorted(columns):
    assert_codes(columns)


@given(columns_of_rows(), st.integers(1, 8), st.integers(1, 60), st.integers(1, 9))
def test_rows_that_are_hashed(columns, most_slot_bits, block, most_tables):
    with pytest.MonkeyPatch.context() as patch:
        hash_rows(patch)
        patch.setattr(_distinct_labels, "_MOST_SLOT_BITS", most_slot_bits)
        patch.setattr(_distinct_labels, "_MOST_TABLES", most_tables)
        patch.setattr(_distinct_labels, "CHUNK_VALUES", block)
        assert_codes(columns)


def test_rows_that_share_a_slot_go_into_another_table(monkeypatch):
    n_rows = hash_rows(monkeypatch)
    monkeypatch.setattr(_distinct_labels, "_MOST_SLOT_BITS", 5)
    monkeypatch.setattr(_distinct_labels, "_MOST_TABLES", 40)
    monkeypatch.delattr(_distinct_labels, "_codes_by_sorting")  # it is not needed
    assert_codes(mixed(2_000, 24, width=2))
    assert n_rows[0] == 2_000
    assert 1 < len(n_rows) < 40
    assert n_rows == sorted(n_rows, reverse=True)


def one_slot(columns, bits, attempt):
    return np.zeros(len(columns[0]), dtype=np.intp)


def last_slot(columns, bits, attempt):
    return np.full(len(columns[0]), (1 << bits) - 1)


def two_slots(columns, bits, attempt):
    return (columns[0] % np.uint64(2)).astype(np.intp)


def same_slots(columns, bits, attempt):
    return SLOTS(columns, bits)  # at each attempt


@pytest.mark.parametrize("slots_of", [one_slot, last_slot, two_slots, same_slots])
@given(columns=columns_of_rows())
def test_the_hash_is_never_trusted(slots_of, columns):
    with pytest.MonkeyPatch.context() as patch:
        hash_rows(patch, slots_of)
        assert_codes(columns)


def test_what_many_tables_do_not_tell_apart_is_sorted(monkeypatch):
    n_rows = hash_rows(monkeypatch, one_slot)
    assert_codes(mixed(2_000, 24, width=2))
    assert len(n_rows) == _distinct_labels._MOST_TABLES


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("n_distinct", [1, 2, 100, 3_000, 30_000, 300_000])
def test_many_rows_against_unique(n_distinct, width):
    columns = mixed(70_000, n_distinct, width)
    chosen, codes = codes_of_rows(columns)
    rows = np.stack(columns, axis=1)
    labels, expected = np.unique(rows, axis=0, return_inverse=True)
    np.testing.assert_array_equal(rows[chosen], labels)
    np.testing.assert_array_equal(codes, expected.ravel())


@pytest.mark.parametrize("width", [1, 3])
def test_only_rows_that_mostly_differ_are_all_sorted(width):
    assert _distinct_labels._seem_distinct(mixed(50_000, 1_000_000, width))
    assert not _distinct_labels._seem_distinct(mixed(50_000, 5_000, width))


COUNT, ZERO = np.arange(2**12, dtype=np.uint64), np.zeros(2**12, dtype=np.uint64)
HIGH = COUNT << np.uint64(52)
REGULAR = {
    "count": [COUNT],
    "high": [HIGH],
    "count, zero": [COUNT, ZERO],
    "zero, count": [ZERO, COUNT],
    "high, high": [HIGH, HIGH],
    "high, count": [HIGH, COUNT],
}


@pytest.mark.parametrize("attempt", range(_distinct_labels._MOST_TABLES))
@pytest.mark.parametrize("columns", REGULAR.values(), ids=REGULAR)
def test_the_hash_tells_regular_rows_apart(columns, attempt):
    """By chance 4,096 rows would take 3,200 of 8,192 slots."""
    assert len(np.unique(SLOTS(columns, 13, attempt))) > 2_500
