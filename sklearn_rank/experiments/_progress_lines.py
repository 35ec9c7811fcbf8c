"""What a search writes while it runs: one line that is renewed, or a line per step."""

import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from threading import Lock
from time import monotonic

import numpy as np

from sklearn_rank._base._time_left import (
    SECONDS_BETWEEN_LINES,
    describe_duration,
    describe_time_left,
)
from sklearn_rank.metrics._core._metric import BoundMetric


class ProgressLines:
    """Writes on stderr how far a search is.

    With `verbose` 1 a terminal shows one line that is renewed. Elsewhere a line comes when
    a model is done, and at least every half minute. With 2 a line comes after each step.
    """

    def __init__(self, verbose: int, metric: BoundMetric):
        self.verbose, self.metric = verbose, metric
        # None if stderr is closed.
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._is_renewed = verbose == 1 and is_terminal
        self._lock = Lock()
        self.begin("", {})

    def begin(self, title: str, n_steps: Mapping[str, int]) -> None:
        """Begin with work of so many steps for each model."""
        self.title, self._n_left = title, Counter(n_steps)
        self._n_steps, self._n_done = sum(n_steps.values()), 0
        self._scores: dict[str, dict[str, list[float]]] = defaultdict(dict)
        self._start = self._last = monotonic()

    def add(
        self,
        model: str,
        candidate: str,
        score: float,
        *,
        share: float | None = None,
        fold: str = "",
    ) -> None:
        """Report a step of a candidate, after a share of the work, by default of steps."""
        if self.verbose == 0:
            return
        with self._lock:
            self._n_done += 1
            self._n_left[model] -= 1
            self._scores[model].setdefault(candidate, []).append(score)
            now = monotonic()
            share = self._n_done / self._n_steps if share is None else share
            left = describe_time_left(now - self._start, share)
            left = left and f", {left}"
            head = f"{self.title}: {self._n_done} of {self._n_steps}"
            is_late = now - self._last >= SECONDS_BETWEEN_LINES
            if self.verbose == 2:
                self._write(f"{head}, {candidate}{fold}: {self._describe(score)}{left}")
            elif self._is_renewed:
                self._write(f"{head}, {model}{left}")
            elif self._n_left[model] == 0:
                n, best = len(self._scores[model]), self._best_mean(model)
                of = "" if n == 1 else f" (best of {n:,})"
                self._write(f"{head}, {model}: {self._describe(best)}{of}{left}")
            elif is_late:
                self._write(f"{head}{left}")

    def end(self) -> None:
        """End the line that is renewed, and tell how long it took."""
        if self.verbose and self._n_done:
            steps = f"{self.title}: {self._n_done} of {self._n_steps}"
            seconds = monotonic() - self._start
            self._write(f"{steps}, after {describe_duration(seconds)}", is_last=True)

    def _best_mean(self, model: str) -> float:
        """Return the best mean of the candidates with the most steps."""
        scores = self._scores[model].values()
        most = max(map(len, scores))
        means = [float(np.mean(own)) for own in scores if len(own) == most]
        best = np.nanmin if self.metric.lower_is_better else np.nanmax
        return np.nan if np.isnan(means).all() else float(best(means))

    def _describe(self, score: float) -> str:
        return "failed" if np.isnan(score) else f"{self.metric.name} {score:.4f}"

    def _write(self, line: str, *, is_last: bool = False) -> None:
        self._last = monotonic()
        end = "\n"
        if self._is_renewed:
            width = shutil.get_terminal_size().columns - 1
            # The line before may have been longer.
            line = "\r" + line[:width].ljust(width)
            end = "\n" if is_last else ""
        # A closed stderr must not stop the search.
        with suppress(OSError):
            print(line, end=end, file=sys.stderr, flush=True)
