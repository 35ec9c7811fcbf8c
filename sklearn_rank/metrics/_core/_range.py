"""Range: the lowest and the highest value that a metric can have."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Range:
    """The lowest and the highest value, and what the highest one depends on."""

    low: float = 0.0
    high: float = 1.0
    high_is: str = ""

    def __str__(self) -> str:
        """Return the range in words."""
        if self.high_is and self.low == -np.inf:
            return self.high_is
        if self.high_is:
            return f"{self.low:g} to {self.high_is}"
        high = f"to {self.high:g}" if np.isfinite(self.high) else "or more"
        return f"{self.low:g} {high}"

    @property
    def is_bounded(self) -> bool:
        """Whether the difference of two values has a bound."""
        return bool(np.isfinite(self.high - self.low))

    def including(self, value: float) -> "Range":
        """Return the range including a value that replaces undefined ones."""
        return Range(min(self.low, value), max(self.high, value))

    def of_differences(self) -> "Range":
        """Return the range of the difference of two values."""
        width = self.high - self.low
        return Range(-width, width)

    def clip(self, interval: Any) -> tuple[Any, Any]:
        """Return the ends of an interval within the range; NaN stays."""
        low, high = interval
        return np.clip(low, self.low, self.high), np.clip(high, self.low, self.high)


# The range of most metrics.
SHARE = Range()
# The range of unknown values.
ANY = Range(-np.inf, np.inf)
ZERO_OR_MORE = Range(0.0, np.inf)

# A range, or how it follows from parameters of the metric, which are named as there.
Declared = Range | Callable[..., Range]
