"""Gains of grades and discounts of ranks, the two factors of graded metrics."""

from collections.abc import Callable

import numpy as np

from sklearn_rank._ranked_lists import RankedLists
from sklearn_rank._validation import as_numbers, suggest

__all__ = ["Discount", "Gain", "discounts", "gains"]

Gain = str | Callable[[np.ndarray], np.ndarray]
Discount = str | Callable[[np.ndarray], np.ndarray]


def gains(lists: RankedLists, gain: Gain) -> np.ndarray:
    """Return the gain of each graded row."""
    if callable(gain):
        # The places that no row fills are irrelevant: grade 0 must be worth nothing.
        worth = as_numbers(gain(np.r_[0.0, lists.grade]), "gain(grades)")
        if worth.shape != (len(lists.grade) + 1,) or worth[0] != 0:
            raise ValueError(
                "`gain` must map an array of grades to as many gains, and grade 0 to 0 "
                f"(lists are filled up with irrelevant items); got shape {worth.shape}, "
                f"gain(0) = {worth.ravel()[:1]}."
            )
        if not (worth.min() >= 0 and worth.max() < np.inf):
            raise ValueError("`gain` must return finite gains of 0 or more.")
        return worth[1:].astype(np.float64)
    if gain == "linear":
        return lists.grade
    if gain == "exponential":
        return np.exp2(lists.grade) - 1
    raise ValueError(
        f"`gain` got {gain!r}. {suggest(gain, ('linear', 'exponential'))} "
        "Or a function of the grades."
    )


def discounts(rank: np.ndarray, discount: Discount, log_base: float) -> np.ndarray:
    """Return the discount of each rank, from a table of all ranks."""
    if len(rank) == 0:
        return np.ones(0)
    ranks = np.arange(1, rank.max() + 1)
    if callable(discount):
        table = as_numbers(discount(ranks), "discount(ranks)")
        if table.shape != ranks.shape or not np.isfinite(table).all():
            raise ValueError(
                "`discount` must map an array of ranks (1, 2, ...) to as many finite "
                f"factors, got shape {table.shape} for {len(ranks)} ranks."
            )
    elif discount in DISCOUNTS:
        table = DISCOUNTS[discount](ranks, log_base)
    else:
        raise ValueError(
            f"`discount` got {discount!r}. {suggest(discount, DISCOUNTS)} "
            "Or a function of the ranks."
        )
    return table[rank - 1]


def _log(rank: np.ndarray, log_base: float) -> np.ndarray:
    return np.log2(log_base) / np.log2(rank + 1)


def _jarvelin(rank: np.ndarray, log_base: float) -> np.ndarray:
    return 1 / np.maximum(1, np.log2(rank) / np.log2(log_base))


def _reciprocal(rank: np.ndarray, log_base: float) -> np.ndarray:
    return 1 / rank


DISCOUNTS = {"log": _log, "jarvelin": _jarvelin, "reciprocal": _reciprocal}
