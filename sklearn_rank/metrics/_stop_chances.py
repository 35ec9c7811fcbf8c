"""Chances to stop at the first, second, ... of some rows in random order.

E_i is the mean over all orders of the probability of going on after i rows, an elementary
symmetric mean, and D_i = E_i - E_(i + 1) that of stopping at the next one. D is added up
without the difference, so that it keeps its digits where the user hardly ever stops.

All the functions take the rows of one grade by block of ties: `count` of them, each with
the probability `unsatisfied` to go on. `wanted` is how many values each block wants. They
return D, block after block.
"""

from collections.abc import Iterator

import numpy as np

from sklearn_rank._runs import ranges
from sklearn_rank.metrics._worth import hypergeometric, ragged_rows

__all__ = ["chances_by_grade", "chances_by_row"]

# Values that are worked out at once: they bound the memory.
_CELLS_AT_ONCE = 1 << 20


def chances_by_row(
    block: np.ndarray, count: np.ndarray, unsatisfied: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Add one row after the other to all blocks at once; each `count` is 1."""
    stops = np.empty(wanted.sum())
    of_value = np.repeat(np.arange(len(wanted)), wanted)
    n_rows = np.bincount(block, minlength=len(wanted))
    first = np.cumsum(n_rows) - n_rows
    for cells, inside in ragged_rows(wanted):
        blocks = of_value[cells[:, 0]]
        # Those with the most rows first: the others are ready after a few steps.
        order = np.argsort(-n_rows[blocks], kind="stable")
        n_steps, row = n_rows[blocks][order], first[blocks][order]
        going_on, stopping = np.ones(inside.shape), np.zeros(inside.shape)
        for step in range(int(n_steps[0])):
            some = slice(np.searchsorted(-n_steps, -step))
            factor = unsatisfied[row[some] + step][:, None]
            _add_row(going_on[some], stopping[some], step + 1, factor)
        stops[cells[order][inside[order]]] = stopping[inside[order]]
    return stops


def _add_row(
    going_on: np.ndarray, stopping: np.ndarray, n_rows: int, unsatisfied: np.ndarray
) -> None:
    """Make E and D, in place, those of `n_rows` rows: one more, anywhere among them."""
    i = np.arange(min(going_on.shape[1], n_rows + 1))
    is_above, going_on, stopping = i / n_rows, going_on[:, : len(i)], stopping[:, : len(i)]
    passed = is_above[1:] * unsatisfied
    stopped_above = passed * stopping[:, :-1]
    stopping *= np.maximum(1 - (i + 1) / n_rows, 0)
    stopping += (1 - unsatisfied) / n_rows * going_on
    stopping[:, 1:] += stopped_above
    passed *= going_on[:, :-1]
    going_on *= 1 - is_above
    going_on[:, 1:] += passed


def chances_by_grade(
    block: np.ndarray, count: np.ndarray, unsatisfied: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Begin with the rows of one grade, and join two sets of rows until one is left.

    Of n rows of one grade, E_i is the i-th power. The steps for each block are those of its
    number of grades, and the values in each are as many as are wanted.
    """
    n_values = np.minimum(count + 1, wanted[block])
    i, satisfied = ranges(0, n_values), 1 - unsatisfied
    going_on = unsatisfied.repeat(n_values) ** i
    stopping = np.where(i < count.repeat(n_values), going_on, 0)
    stopping *= satisfied.repeat(n_values)
    while len(block) > len(wanted):
        starts = np.cumsum(n_values) - n_values
        n_sets = np.bincount(block)
        number = ranges(0, n_sets)
        left = np.flatnonzero((number % 2 == 0) & (number + 1 < n_sets[block]))
        is_single = (number % 2 == 0) & (number + 1 == n_sets[block])
        kept = np.flatnonzero(number % 2 == 0)
        both = count[left] + count[left + 1]
        n_joined = np.minimum(both + 1, wanted[block[left]])
        joined = _join(
            going_on, stopping, starts[left], starts[left + 1], count[left], both, n_joined
        )
        new_count, new_values = count.copy(), n_values.copy()
        new_count[left], new_values[left] = both, n_joined
        target = is_single[kept].repeat(new_values[kept])
        source = is_single.repeat(n_values)
        longer = np.empty((2, len(target)))
        longer[:, ~target] = joined
        longer[:, target] = going_on[source], stopping[source]
        going_on, stopping = longer
        block, count, n_values = block[kept], new_count[kept], new_values[kept]
    return stopping[ranges(np.cumsum(n_values) - n_values, wanted)]


def _join(
    going_on: np.ndarray,
    stopping: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    n_first: np.ndarray,
    n_both: np.ndarray,
    n_values: np.ndarray,
) -> np.ndarray:
    """Return E and D of pairs of sets, whose values begin at `first` and at `second`.

    Of the first i rows, the number h that are of the first set is hypergeometric, and so
    is the next one with probability (n_first - h) / (n_both - i).
    """
    pair, i = np.repeat(np.arange(len(first)), n_values), ranges(0, n_values)
    result = np.empty((2, len(pair)))
    for cases in _pieces(np.minimum(i, n_first[pair])):
        of_pair, drawn = pair[cases], i[cases]
        case, h, chance = hypergeometric(n_both[of_pair], n_first[of_pair], drawn)
        of_pair, drawn = of_pair[case], drawn[case]
        one, other = first[of_pair] + h, second[of_pair] + drawn - h
        of_first = (n_first[of_pair] - h) / np.maximum(n_both[of_pair] - drawn, 1)
        stops = of_first * stopping[one] * going_on[other]
        stops += (1 - of_first) * going_on[one] * stopping[other]
        n_cases = cases.stop - cases.start
        result[0, cases] = np.bincount(
            case, chance * going_on[one] * going_on[other], n_cases
        )
        result[1, cases] = np.bincount(case, chance * stops, n_cases)
    return result


def _pieces(most: np.ndarray) -> Iterator[slice]:
    """Yield slices of cases with `most` + 1 numbers each, so that memory stays bounded."""
    # See `hypergeometric` for how many numbers are likely at all.
    size = np.minimum(most, 2 * np.sqrt(24 * most) + 5) + 1
    bounds = np.flatnonzero(np.diff(np.cumsum(size) // _CELLS_AT_ONCE, prepend=-1))
    for start, stop in zip(bounds, np.append(bounds[1:], len(most)), strict=True):
        yield slice(int(start), int(stop))
