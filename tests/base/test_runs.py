"""Runs of rows against plain loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank._base._runs import (
    begins_run,
    cut_runs,
    ranges,
    sizes_of,
    starts_of,
    starts_where,
)


@given(st.lists(st.integers(0, 5), max_size=20))
def test_starts_and_sizes(sizes):
    starts = starts_of(np.array(sizes, dtype=np.intp))
    assert starts.tolist() == [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    assert sizes_of(starts).tolist() == sizes


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=20))
def test_where_runs_begin(rows):
    one, other = np.array(rows, dtype=np.intp).reshape(-1, 2).T
    begins = begins_run(one, other)
    assert begins.tolist() == [i == 0 or rows[i] != rows[i - 1] for i in range(len(rows))]
    assert begins_run(one).tolist() == begins_run(one, one).tolist()
    starts = starts_where(begins)
    assert starts.tolist() == [*np.flatnonzero(begins), len(rows)]


@given(st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 5)), max_size=20))
def test_ranges(runs):
    first, sizes = np.array(runs, dtype=np.intp).reshape(-1, 2).T
    expected = [row for start, size in runs for row in range(start, start + size)]
    assert ranges(first, sizes).tolist() == expected
    offsets = [place for _, size in runs for place in range(size)]
    assert ranges(0, sizes).tolist() == offsets


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 12))
def test_cut_runs(sizes, most):
    """Each piece takes as many whole runs as it may."""
    pieces = list(cut_runs(starts_of(np.array(sizes, dtype=np.intp)), most))
    lasts = [last for _, last in pieces]
    assert [first for first, _ in pieces] == [0, *lasts][: len(pieces)]
    assert lasts[-1:] == ([len(sizes)] if sizes else [])
    for first, last in pieces:
        assert last == first + 1 or sum(sizes[first:last]) <= most
        assert last - first <= most
        is_full = last - first == most or last == len(sizes)
        assert is_full or sum(sizes[first : last + 1]) > most
