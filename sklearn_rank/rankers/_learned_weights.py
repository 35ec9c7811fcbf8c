"""Weights of runs that stay equal unless others are shown to be better."""

from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
from scipy import stats

from sklearn_rank._base._messages import quantity

# Into how many parts the sum of the weights is divided, by the number of runs.
_PARTS = {2: 10, 3: 6, 4: 4}
_LEAST_QUERIES = 10
_N_DRAWS = 999
_LEVEL = 0.05
# Smaller gains, as a share of the largest gain of a query, are rounding error.
_ROUNDING = 1e-10
# Queries whose draws are in memory together; a product of large matrices is faster.
_QUERIES_AT_ONCE = 5000


def candidate_weights(n_runs: int) -> np.ndarray:
    """Return the weights that are compared, a row each, equal ones first.

    Any permutation of the runs turns each candidate into a candidate.
    """
    if n_runs in _PARTS:
        n_parts = _PARTS[n_runs]
        rows = product(range(n_parts + 1), repeat=n_runs)
        grid = np.array([row for row in rows if sum(row) == n_parts]) * n_runs / n_parts
        return grid[np.argsort(np.abs(grid - 1).sum(axis=1), kind="stable")]
    each = np.eye(n_runs)
    grid = np.vstack([np.ones(n_runs), 1 - each, 1 + each])  # left out, and doubled
    return grid[grid.any(axis=1)]


def choose_weights(
    grid: np.ndarray, values: np.ndarray, weight: np.ndarray, name: str
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the weights, and what `RankFusion.tuning_` says of them.

    `values` has a row for each query and a column for each candidate, higher is better.
    """
    n = len(values)
    if n < _LEAST_QUERIES:
        needed = f"to learn weights takes {_LEAST_QUERIES}, so equal weights stay."
        text = f"{quantity(n, 'query')}: {needed}"
        return grid[0], {
            **dict.fromkeys(("gain", "gain_in_sample", "low", "high", "p"), np.nan),
            **{"leaves": False, "best": grid[0], "n_queries": n, "text": text},
        }
    share = (weight / weight.sum())[:, None]
    gains = values - values[:, :1]
    parts = share * gains
    means = parts.sum(axis=0)
    rounding = _ROUNDING * np.abs(gains).max()
    best = int(_first_best(means, rounding))
    held_out = float(parts[np.arange(n), _first_best(means - parts, rounding)].sum())
    rng = np.random.default_rng(0)
    p = _swap_test(grid, parts, means[best] - rounding, rng)
    half = _half_widths(share * (gains - means), rng)[best]
    mean, low, high = (float(means[best] + add) for add in (0, -half, half))
    leaves = p <= _LEVEL and held_out > 0
    verdict = "equal weights replaced by" if leaves else "equal weights stay; best"
    weights = ", ".join(f"{number:.3g}" for number in grid[best])
    text = (
        f"{quantity(n, 'query')}: {verdict} {weights}: {name} {held_out:+.2g} held out, in "
        f"sample {mean:+.2g} [{low:+.2g}, {high:+.2g}] over all weights; test that the "
        f"runs are alike: p = {p:.2g}"
    )
    return grid[best if leaves else 0], {
        **{"leaves": leaves, "best": grid[best], "gain": held_out, "gain_in_sample": mean},
        **{"low": low, "high": high, "p": p, "n_queries": n, "text": text},
    }


def _first_best(means: np.ndarray, rounding: float) -> np.ndarray:
    return np.argmax(means >= means.max(axis=-1, keepdims=True) - rounding, axis=-1)


def _swap_test(grid: np.ndarray, parts: np.ndarray, reached: float, rng: Any) -> float:
    """Return the p-value of the best mean if runs are exchangeable in each query."""
    n_runs = grid.shape[1]
    orders: Any = permutations(range(n_runs))
    if n_runs not in _PARTS:  # rotations are a group, too, and few for any number of runs
        orders = [np.roll(np.arange(n_runs), shift) for shift in range(n_runs)]
    column = {tuple(weights): index for index, weights in enumerate(grid.tolist())}
    swaps = [[column[tuple(row)] for row in grid[:, [*o]].tolist()] for o in orders]
    highest = _draw_sums(parts, swaps, rng).max(axis=1)
    return (1 + int(np.count_nonzero(highest >= reached))) / (1 + _N_DRAWS)


def _half_widths(parts: np.ndarray, rng: Any) -> np.ndarray:
    """Return half widths of intervals that hold for all candidates together.

    `parts` are those of each query in the differences from the means.
    """
    n, n_columns = parts.shape
    squares = (parts**2).sum(axis=0)
    error = np.sqrt(squares * n / (n - 1))
    flips = [slice(n_columns), slice(n_columns, None)]
    sums = _draw_sums(np.hstack([parts, -parts]), flips, rng)
    rest = np.sqrt(np.maximum(squares - sums**2 / n, 0) * n / (n - 1))
    t = np.divide(np.abs(sums), rest, out=np.zeros_like(sums), where=rest > 0)
    highest = np.quantile(t.max(axis=1), 1 - _LEVEL)
    return max(highest, stats.t.ppf(1 - _LEVEL / 2, n - 1)) * error


def _draw_sums(parts: np.ndarray, ways: Sequence[Any], rng: Any) -> np.ndarray:
    """Return sums over queries, drawn many times, each query in one of the ways.

    A way is the columns of `parts` that stand for the candidates.
    """
    sums = np.tile(parts[:, ways[0]].sum(axis=0), (_N_DRAWS, 1))
    for start in range(0, len(parts), _QUERIES_AT_ONCE):
        block = parts[start : start + _QUERIES_AT_ONCE]
        drawn = rng.integers(len(ways), size=(_N_DRAWS, len(block)), dtype=np.uint16)
        for number, columns in enumerate(ways[1:], 1):
            change = block[:, columns] - block[:, ways[0]]
            sums += (drawn == number).astype(float) @ change
    return sums
