import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.model_selection import _k_core, k_core
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


def chain(n_users):
    """Return users and items in a chain that breaks one row at a time, from its end."""
    return np.repeat(np.arange(n_users), 2)[1:], np.repeat(np.arange(n_users), 2)[:-1]


def test_a_long_chain_falls_apart():
    assert not k_core(*chain(500), 2, 2).any()


@pytest.mark.parametrize("n_turns", [0, 1, 3, 1_000])
@pytest.mark.parametrize("density", [2.0, 2.25, 3.5])
def test_turns_and_followed_losses_find_the_same_core(monkeypatch, n_turns, density):
    """Near density 2.25 a log falls apart slowly, in 27 turns."""
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 2_000, (2, int(2_000 * density)))
    kept = k_core(users, items, 3, 2)
    assert kept.any() == (density > 2)
    monkeypatch.setattr(_k_core, "_FULL_TURNS", n_turns)
    assert (k_core(users, items, 3, 2) == kept).all()


@pytest.mark.parametrize("seed", range(5))
def test_chains_beside_a_core(seed):
    rng = np.random.default_rng(seed)
    core = np.arange(12).repeat(4), np.tile(np.arange(4), 12)
    ends = [chain(length) for length in (3, 20, 40)]
    # Two chains hang from the core, one is alone; all of them fall apart.
    users = np.concatenate(
        [core[0], *(100 * i + own for i, (own, _) in enumerate(ends, 1))]
    )
    items = np.concatenate(
        [core[1], *(100 * i + own for i, (_, own) in enumerate(ends, 1))]
    )
    users, items = np.append(users, [0, 1]), np.append(items, [102, 219])
    order = rng.permutation(len(users))
    kept = k_core(users[order], items[order], 2, 2)
    expected = core_by_loops(users[order].tolist(), items[order].tolist(), 2, 2)
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
