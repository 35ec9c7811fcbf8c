"""p-values corrected for the number of comparisons."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "max_t", None)


def corrected(p_values: np.ndarray, correction: str | None) -> np.ndarray:
    """Return corrected p-values; NaN means no test and does not count."""
    p_values = np.asarray(p_values, dtype=float)
    adjusted = np.full(p_values.shape, np.nan)
    is_tested = ~np.isnan(p_values)
    tested = p_values[is_tested]
    if len(tested) and correction is not None:
        tested = {"holm": _holm, "bonferroni": _bonferroni, "fdr_bh": _fdr_bh}[correction](
            tested
        )
    adjusted[is_tested] = tested
    return adjusted


def set_corrected(rows: Sequence[dict[str, Any]], correction: str | None) -> None:
    """Set the corrected p-values of rows that are one family."""
    set_adjusted(rows, corrected(np.array([row["p_value"] for row in rows]), correction))


def set_adjusted(rows: Sequence[dict[str, Any]], p_adjusted: np.ndarray) -> None:
    """Set p-values that are corrected already."""
    for row, p_value in zip(rows, p_adjusted.tolist(), strict=True):
        row["p_adjusted"] = p_value


def _bonferroni(p_values: np.ndarray) -> np.ndarray:
    return np.minimum(1, len(p_values) * p_values)


def _holm(p_values: np.ndarray) -> np.ndarray:
    order = np.argsort(p_values, kind="stable")
    steps = np.minimum(1, np.arange(len(order), 0, -1) * p_values[order])
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def _fdr_bh(p_values: np.ndarray) -> np.ndarray:
    return stats.false_discovery_control(p_values)
