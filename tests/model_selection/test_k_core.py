import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.model_selection import k_core
from tests.model_selection.strategies import logs


def core_by_loops(users, items, min_user, min_item):
    rows = set(range(len(users)))
    while True:
        bad = {
            row
            for row in rows
            if sum(users[other] == users[row] for other in rows) < min_user
            or sum(items[other] == items[row] for other in rows) < min_item
        }
        if not bad:
            return sorted(rows)
        rows.remove(min(bad))  # one at a time: the order must not matter


@given(logs(min_rows=1), st.integers(1, 4), st.integers(1, 4))
def test_core_is_what_loops_say(log, min_user, min_item):
    users, items, _ = log
    kept = k_core(users, items, min_user, min_item)
    assert kept.dtype == bool
    expected = core_by_loops(users.tolist(), items.tolist(), min_user, min_item)
    assert np.flatnonzero(kept).tolist() == expected


def test_one_pass_is_not_enough():
    # Item z goes first, then cy has one row, then item y has one, then bob, ...
    users = ["ann", "bob", "bob", "cy", "cy"]
    items = ["x", "x", "y", "y", "z"]
    assert not k_core(users, items, 2, 2).any()


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"`users` has 2 .* `items` has 1"):
        k_core([1, 2], [1])
    with pytest.raises(ValueError, match="min_user"):
        k_core([1], [1], min_user=0)
    with pytest.raises(ValueError, match=r"`items` has 1 missing .* row 1"):
        k_core([1, 2], ["a", None])


def test_no_rows_stay_no_rows():
    assert k_core([], []).tolist() == []
