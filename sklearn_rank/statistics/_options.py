"""The options of a comparison, checked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._validation import (
    as_numbers,
    check_integer,
    check_level,
    check_option,
    check_real,
    check_values,
    shorten,
)
from sklearn_rank.metrics._core._range import Range
from sklearn_rank.statistics._corrections import CORRECTIONS
from sklearn_rank.statistics._t import ALTERNATIVES

TESTS = ("auto", "t", "randomization", "exact")
FAMILIES = ("metric", "all")
INTERVALS = ("each", "simultaneous")
# Corrections that allow simultaneous intervals.
TOGETHER = ("holm", "bonferroni", "max_t")


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

    def __post_init__(self) -> None:
        """Raise for an unknown option."""
        if not callable(self.test):
            _check_test(self.test)
        check_option("alternative", self.alternative, ALTERNATIVES)
        check_level(self.confidence_level)
        if isinstance(self.correction, str) and self.correction == "tukey":
            raise ValueError(
                "`correction` got 'tukey', which assumes equal variances of all models "
                "within a query; use 'holm' or 'max_t'."
            )
        check_option("correction", self.correction, CORRECTIONS)
        check_option("family", self.family, FAMILIES)
        check_margin(self.margin)
        check_integer("n_resamples", self.n_resamples)
        check_option("intervals", self.intervals, INTERVALS)
        if self.intervals == "simultaneous" and self.correction not in TOGETHER:
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
        return {name: value for name, value in vars(self).items() if name != "random_state"}


def _check_test(test: Any) -> None:
    why = {
        "tukey": "Tukey's test assumes equal variances of all models within a query, and "
        "that of SciPy is for independent samples",
        "wilcoxon": "its hypothesis is not about the mean; scipy.stats.wilcoxon will do "
        "as a callable",
    }
    if isinstance(test, str) and test in why:
        raise ValueError(
            f"`test` got {test!r}: {why[test]}. Use 'auto', 't' or 'randomization'."
        )
    check_option("test", test, TESTS, otherwise="A callable f(a, b) is valid too.")


def check_value_range(value_range: Any) -> Range | None:
    """Return the lowest and the highest possible value, None if not given."""
    if value_range is None:
        return None
    found = as_numbers(value_range, "value_range")
    if found.shape != (2,) or not 0 < float(found[1]) - float(found[0]) < np.inf:
        raise ValueError(
            "`value_range` must be the lowest and the highest value, two finite numbers "
            f"such as (0, 1), got {shorten(value_range)}."
        )
    return Range(float(found[0]), float(found[1]))


def check_within(name: str, values: np.ndarray, bounds: Range) -> None:
    """Raise if a value is outside the possible range."""
    is_outside = (values < bounds.low) | (values > bounds.high)
    kind = f"outside `value_range` ({bounds.low:g}, {bounds.high:g})"
    advice = "give the lowest and the highest possible value"
    check_values(name, values, is_outside, kind, advice)


def not_bounded(option: str, name: str) -> ValueError:
    """Return the error for exact intervals of values without a known range."""
    return ValueError(
        f"`{option}` 'exact' needs the lowest and the highest possible value, which are "
        f"not known of {name}; give `value_range`, such as (0, 1), or use 't'."
    )


def check_margin(margin: Any) -> float | None:
    """Return the smallest difference that matters, or None."""
    if margin is None:
        return None
    return check_real("margin", margin, "a finite number >= 0, or None", least=0)
