"""The verdict of a gate: what the interval of a difference shows against a margin."""

from collections.abc import Sequence
from dataclasses import dataclass

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
EXIT_CODES = {PASS: 0, FAIL: 1, UNDECIDED: 2}


@dataclass(frozen=True)
class Verdict:
    """What is known of the candidate by one metric."""

    metric: str
    lower_is_better: bool
    baseline: str
    candidate: str
    mean_baseline: float
    mean_candidate: float
    difference: float  # candidate - baseline
    low: float
    high: float
    confidence_level: float
    margin: float
    n_queries: int

    @property
    def verdict(self) -> str:
        """Return "pass", "fail" or "undecided"; without an interval, undecided."""
        low, high = self.low, self.high
        if self.lower_is_better:
            low, high = -high, -low
        if low >= -self.margin:
            return PASS
        return FAIL if high < -self.margin else UNDECIDED

    @property
    def name(self) -> str:
        """Return the metric and its direction, where that is not the usual one."""
        return self.metric + (" (lower is better)" if self.lower_is_better else "")

    @property
    def level(self) -> str:
        """Return the level of the interval as text."""
        return f"{100 * self.confidence_level:g} %"


def overall(verdicts: Sequence[Verdict]) -> str:
    """Return the verdict by all metrics, each of which has to pass."""
    found = {verdict.verdict for verdict in verdicts}
    return next(word for word in (FAIL, UNDECIDED, PASS) if word in found)
