"""What was randomized: rows of a log summed to one a unit, such as a user."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._ids._paired import check_same_labels
from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.online._checked_columns import (
    first_rows,
    read_labels,
    read_numbers,
    read_numbers_or_nan,
    which,
)


@dataclass(frozen=True, eq=False)
class Units:
    """A value a unit; `arm` is the place of its variant in `variants`."""

    variants: list[Any]
    arm: np.ndarray
    outcome: np.ndarray
    denominator: np.ndarray | None
    covariate: np.ndarray | None
    n_filled: int  # units without a covariate of their own, which have the mean


def read_units(
    outcome: Any, variant: Any, unit: Any, denominator: Any, covariate: Any
) -> Units:
    """Return rows of a log as units; raise where they do not say what each unit had."""
    beside = {"unit": unit, "denominator": denominator, "covariate": covariate}
    check_same_labels({"outcome": outcome, "variant": variant, **beside})
    outcome = read_numbers("outcome", outcome)
    n_rows = len(outcome)
    variants, arm = read_labels("variant", variant, n_rows)
    labels: list[Any] = []
    codes = np.arange(n_rows)
    if unit is not None:
        labels, codes = read_labels("unit", unit, n_rows)
    first = first_rows(codes)
    _check_one_variant(labels, codes, arm, arm[first][codes], variants)
    rows, n_filled = Clusters(n_rows, codes), 0
    if denominator is not None:
        denominator = rows.sums(_read_denominator(denominator, n_rows))
    if covariate is not None:
        found = read_numbers_or_nan("covariate", covariate, n_rows)
        _check_constant(labels, codes, found, found[first][codes])
        covariate, n_filled = _filled(found[first])
    return Units(variants, arm[first], rows.sums(outcome), denominator, covariate, n_filled)


def _check_one_variant(
    units: list, codes: np.ndarray, arm: np.ndarray, expected: np.ndarray, variants: list
) -> None:
    if (arm != expected).any():
        count, shown = which(units, codes, arm != expected)
        raise ValueError(
            f"{count} unit(s) are in more than one variant, such as {shown}. The "
            "assignment is contaminated: find out why, for leaving such units out biases "
            "the result."
        )


def _read_denominator(values: Any, n_rows: int) -> np.ndarray:
    found = read_numbers("denominator", values, n_rows)
    if (found < 0).any():
        raise ValueError(
            f"`denominator` has {int((found < 0).sum())} negative value(s), the first in "
            f"row {int(np.argmax(found < 0))}; it counts, for instance, views."
        )
    return found


def _check_constant(
    units: list, codes: np.ndarray, values: np.ndarray, expected: np.ndarray
) -> None:
    is_same = (values == expected) | (np.isnan(values) & np.isnan(expected))
    if not is_same.all():
        count, shown = which(units, codes, ~is_same)
        raise ValueError(
            f"`covariate` has several values for {count} unit(s), such as {shown}; it is "
            "one value a unit, known before the experiment."
        )


def _filled(covariate: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the covariate with the mean for what is missing, and how many were."""
    is_missing = np.isnan(covariate)
    if is_missing.all():
        raise ValueError("`covariate` is missing for all units; leave it out.")
    if not is_missing.any():
        return covariate, 0
    known = covariate[~is_missing]
    mean = Clusters(len(known)).mean(known)
    return np.where(is_missing, mean, covariate), int(is_missing.sum())
