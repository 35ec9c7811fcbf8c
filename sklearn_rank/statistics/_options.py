"""The options of a comparison, checked, and corrections of p-values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._numbers import as_numbers, check_values
from sklearn_rank._base._validation import (
    check_integer,
    check_level,
    check_option,
    check_real,
    shorten,
)
from sklearn_rank.metrics._core._parameters import Range
from sklearn_rank.statistics._intervals_of_means import ALTERNATIVES
from sklearn_rank.typing import ArrayLike

TESTS = ("auto", "t", "randomization", "exact", "anytime")
CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "max_t", None)
FAMILIES = ("metric", "all")
INTERVALS = ("each", "simultaneous")
# Corrections that have simultaneous intervals.
SIMULTANEOUS_CORRECTIONS = ("holm", "bonferroni", "max_t")
WHY_NOT = {
    "tukey": "Tukey's test assumes equal variances of all models within a query, and that "
    "of SciPy is for independent samples.",
    "wilcoxon": "The hypothesis of Wilcoxon's test is not about the mean; "
    "to use it all the same, pass scipy.stats.wilcoxon.",
}


@dataclass(frozen=True, eq=False)
class Options:
    """The options of a comparison."""

    test: str | Callable
    alternative: str
    confidence_level: float
    correction: str | None
    family: str = "metric"
    margin: float | None = None
    n_resamples: int = 9999
    random_state: Any = None  # one that is checked, where flips are drawn
    intervals: str = "each"
    fewest: int = 2  # independent queries; fixed ones need no error

    def __post_init__(self) -> None:
        """Raise for an unknown option."""
        if not callable(self.test):
            why = WHY_NOT.get(str(self.test), "A callable f(a, b) is valid too.")
            check_option("test", self.test, TESTS, otherwise=why)
        check_option("alternative", self.alternative, ALTERNATIVES)
        check_level(self.confidence_level)
        why = WHY_NOT.get(str(self.correction), "")
        check_option("correction", self.correction, CORRECTIONS, otherwise=why)
        if self.test == "anytime" and self.correction == "max_t":
            raise ValueError(
                "`correction` 'max_t' flips the signs of a fixed number of queries, so it "
                "does not go with `test` 'anytime'; use 'holm' or 'bonferroni'."
            )
        check_option("family", self.family, FAMILIES)
        check_margin(self.margin)
        check_integer("n_resamples", self.n_resamples)
        check_option("intervals", self.intervals, INTERVALS)
        has_form = self.correction in SIMULTANEOUS_CORRECTIONS
        if self.intervals == "simultaneous" and not has_form:
            raise ValueError(
                f"`intervals` 'simultaneous' has no form for `correction` "
                f"{self.correction!r}; use 'holm', 'bonferroni' or 'max_t'."
            )

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return 1 - self.confidence_level

    def settings(self) -> dict[str, Any]:
        """Return the options, without the state of random numbers."""
        hidden = ("random_state", "fewest")
        return {name: value for name, value in vars(self).items() if name not in hidden}


def check_value_range(value_range: Any) -> Range | None:
    """Return the lowest and the highest possible value, None if not given."""
    if value_range is None:
        return None
    bounds = as_numbers(value_range, "value_range")
    if bounds.shape != (2,) or not 0 < float(bounds[1]) - float(bounds[0]) < np.inf:
        raise ValueError(
            "`value_range` must be the lowest and the highest value, two finite numbers "
            f"such as (0, 1), got {shorten(value_range)}."
        )
    return Range(float(bounds[0]), float(bounds[1]))


def check_within(name: str, values: np.ndarray, bounds: Range) -> None:
    """Raise if a value is outside the possible range."""
    is_outside = (values < bounds.low) | (values > bounds.high)
    kind = f"outside `value_range` ({bounds.low:g}, {bounds.high:g})"
    advice = "give the lowest and the highest possible value"
    check_values(name, values, is_outside, kind, advice)


def unbounded_error(option: str, method: str, name: str) -> ValueError:
    """Return the error for a method that needs a range, of values without a known one."""
    return ValueError(
        f"`{option}` {method!r} needs the lowest and the highest possible value, which are "
        f"not known of {name}; give `value_range`, such as (0, 1), or use 't'."
    )


def check_margin(margin: Any) -> float | None:
    """Return the smallest difference that matters, or None."""
    if margin is None:
        return None
    return check_real("margin", margin, "a finite number >= 0, or None", least=0)


# p-values corrected for the number of comparisons.


def correct_p_values(p_values: ArrayLike, correction: str | None) -> np.ndarray:
    """Return corrected p-values; NaN means no test and does not count."""
    adjusted = np.array(p_values, dtype=float)
    is_tested = ~np.isnan(adjusted)
    if is_tested.any() and correction is not None:
        adjusted[is_tested] = CORRECT[correction](adjusted[is_tested])
    return adjusted


def set_corrected(rows: Sequence[dict[str, Any]], correction: str | None) -> None:
    """Set the corrected p-values of rows that are one family."""
    p_adjusted = correct_p_values([row["p_value"] for row in rows], correction)
    for row, p_value in zip(rows, p_adjusted.tolist(), strict=True):
        row["p_adjusted"] = p_value


def _holm(p_values: np.ndarray) -> np.ndarray:
    order = np.argsort(p_values, kind="stable")
    steps = np.minimum(1, np.arange(len(order), 0, -1) * p_values[order])
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def _false_discovery(p_values: np.ndarray) -> np.ndarray:
    from scipy import stats

    return stats.false_discovery_control(p_values)


CORRECT: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "holm": _holm,
    "bonferroni": lambda p_values: np.minimum(1, len(p_values) * p_values),
    "fdr_bh": _false_discovery,
}
