"""Packed keys against tuples and stable sorts of the same numbers."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank._base._runs import (
    empty_keys,
    last_field,
    leading_field,
    order_by_codes,
    pack_keys,
    repeats_but_last,
    width_of,
)

WIDTHS = [(3, 4, 5), (0, 32, 0), (10, 10, 12), (1, 40, 23), (30, 0, 34), (0, 64, 0)]


@st.composite
def rows(draw):
    """Return widths and fields that fit into them, few of them or many alike."""
    widths = draw(st.sampled_from(WIDTHS))
    of_width = [
        st.sampled_from([0, 2**width // 2, 2**width - 1]) | st.integers(0, 2**width - 1)
        for width in widths
    ]
    return widths, draw(st.lists(st.tuples(*of_width), max_size=20))


@given(rows())
def test_keys_are_in_the_order_of_their_fields(widths_and_rows):
    widths, given_rows = widths_and_rows
    fields = np.array(given_rows, dtype=np.uint64).reshape(-1, 3).T
    keys = pack_keys(fields, widths, empty_keys(len(given_rows), widths))
    keys.sort()
    ordered = sorted(given_rows)
    assert keys.tolist() == [
        ((first << widths[1]) + second << widths[2]) + last
        for first, second, last in ordered
    ]
    assert leading_field(keys, widths).tolist() == [row[0] for row in ordered]
    assert last_field(keys, widths[2]).tolist() == [row[2] for row in ordered]
    assert repeats_but_last(keys, widths[2]).tolist() == [
        row[:2] == above[:2] for above, row in pairwise(ordered)
    ]


def test_short_keys_take_32_bits():
    assert empty_keys(1, (16, 16)).dtype == np.uint32
    assert empty_keys(1, (16, 17)).dtype == np.uint64


@pytest.mark.parametrize("widths", [(8, 8, 8), (20, 20, 20)])
def test_keys_add_up(widths):
    sides = np.array([5, 9]), np.array([3, 4]), np.array([-2, -7])
    keys = pack_keys(sides, widths, empty_keys(2, widths))
    keys += pack_keys((None, None, np.array([2, 8])), widths, empty_keys(2, widths))
    assert leading_field(keys, widths).tolist() == [5, 9]
    assert last_field(keys, widths[2]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("n_values", "width"), [(0, 0), (1, 0), (2, 1), (256, 8), (257, 9), (2**64, 64)]
)
def test_width(n_values, width):
    assert width_of(n_values) == width


@given(
    st.lists(st.integers(0, 40), max_size=60),
    st.sampled_from([np.intp, np.uint64, np.int32]),
    st.sampled_from([41, 2**31, 2**58, 2**63, 2**64]),
)
def test_order_by_codes(codes, dtype, n_codes):
    codes = np.array(codes, dtype=dtype)
    order = order_by_codes([codes], [n_codes])
    np.testing.assert_array_equal(order, np.argsort(codes, kind="stable"))
    assert order.dtype == np.intp


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=60))
def test_order_by_two_codes(pairs):
    one, other = np.array(pairs).T
    for n_others in (6, 2**62):
        order = order_by_codes([one, other], [6, n_others])
        np.testing.assert_array_equal(order, np.lexsort((other, one)))
