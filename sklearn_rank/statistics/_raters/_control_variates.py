"""Values of queries without what known deviations explain, and chances to be judged."""

from typing import Any

import numpy as np

from sklearn_rank._base._numbers import as_floats, check_values

# A direction with a smaller share of the largest one, or of all, is rounding.
LEAST_SHARE, LEAST_SHARE_OF_ALL = 1e-9, 1e-12
_LEAST_CHANCE = 1e-100


def inverse_chances(
    probability: Any, is_judged: np.ndarray, share: float, unit: str
) -> np.ndarray:
    """Return 1 over the chance to be judged by people, 0 for what was not judged.

    `share` is the chance where no probability is given.
    """
    chance = np.full(is_judged.shape, share)
    if probability is not None:
        numbers = as_floats(probability, "probability")
        if numbers.shape not in ((), is_judged.shape):
            raise ValueError(
                f"`probability` has shape {numbers.shape}; give one number, or one per "
                f"{unit}, shape {is_judged.shape}."
            )
        chance = np.broadcast_to(numbers, is_judged.shape)
    # The square of what one stands for is finite.
    is_wrong = is_judged & ~((chance >= _LEAST_CHANCE) & (chance <= 1))
    needed = (
        f"give the chance of each {unit} with a grade by people, at least "
        f"{_LEAST_CHANCE:g} and at most 1"
    )
    check_values("probability", chance, is_wrong, "missing or impossible", needed)
    return np.divide(1, chance, out=np.zeros(is_judged.shape), where=is_judged)


def _fit_slopes(values: np.ndarray, controls: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the slopes without each cluster, one row each, and below those of all queries.

    `values` are of series and queries, `controls` of series, queries and controls. One
    slope of each control serves all series; each is centered over its queries.
    Without query q the centered products of N queries lose N / (N - 1) times its own.
    """
    n_series, n_queries = values.shape
    size = np.sqrt(np.mean(controls**2, axis=(0, 1)))
    used = np.flatnonzero(size)
    both = np.dstack([controls[:, :, used] / size[used], values])
    both -= both.mean(axis=1, keepdims=True)
    sizes = np.bincount(codes)
    totals = np.zeros((len(sizes), n_series, both.shape[2]))
    products = np.zeros((len(sizes), both.shape[2], both.shape[2]))
    np.add.at(totals, codes, both.swapaxes(0, 1))
    np.add.at(products, codes, np.einsum("sni,snj->nij", both, both))
    own = products + np.einsum("csi,csj,c->cij", totals, totals, 1 / (n_queries - sizes))
    left = np.vstack([products.sum(axis=0) - own, [products.sum(axis=0)]])
    roots, axes = np.linalg.eigh(left[:, :-1, :-1])
    largest = roots.max(axis=1, initial=0, keepdims=True)
    least = np.maximum(LEAST_SHARE * largest, LEAST_SHARE_OF_ALL * values.size)
    inverse = np.divide(1, roots, out=np.zeros_like(roots), where=roots > least)
    slopes = np.zeros((len(left), len(size)))
    scaled_slopes = np.einsum("cij,cj,ckj,ck->ci", axes, inverse, axes, left[:, :-1, -1])
    slopes[:, used] = scaled_slopes / size[used]
    return slopes


def subtract_controls(
    values: np.ndarray, controls: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values without what controls of mean 0 explain, and the slopes of all.

    The slopes of a query are those without its cluster, so that no mean changes.
    """
    slopes = _fit_slopes(values, controls, codes)
    return values - np.einsum("snj,nj->sn", controls, slopes[codes]), slopes[-1]
