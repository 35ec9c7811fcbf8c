"""Weights of runs that make a metric of their weighted fusion high: coordinate ascent."""

from collections.abc import Callable

import numpy as np

# What the weight of one run is multiplied by, the others staying as they are.
_FACTORS = (0.0, 0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
_MOST_ROUNDS = 20
# What a gain has to be, so that rounding is none.
_LEAST_GAIN = 1e-9


def ascend(n_runs: int, score: Callable[[np.ndarray], float]) -> tuple[np.ndarray, float]:
    """Return weights that sum to 1, and the score that they have.

    Equal weights come first. Then one weight after the other is changed to what has the
    highest score, until no change of a single weight makes it higher.
    """
    weights = np.full(n_runs, 1 / n_runs)
    best = score(weights)
    for _ in range(_MOST_ROUNDS):
        before = best
        for run in range(n_runs):
            for candidate in _candidates(weights, run):
                found = score(candidate)
                if found > best + _LEAST_GAIN:
                    weights, best = candidate, found
        if best <= before:
            break
    return weights, best


def _candidates(weights: np.ndarray, run: int) -> list[np.ndarray]:
    found = []
    base = weights[run] or 1 / len(weights)
    for factor in _FACTORS:
        changed = weights.copy()
        changed[run] = base * factor
        if changed.sum() > 0:
            found.append(changed / changed.sum())
    return found
