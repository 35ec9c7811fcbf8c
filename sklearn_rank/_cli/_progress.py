"""How far a search is: a live bar on a terminal, a few plain lines elsewhere."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from time import monotonic

from sklearn_rank._validation import require

N_LINES = 10
SECONDS_BETWEEN_LINES = 30
# Before that nobody can tell how long it will take: seconds, and the share of the work.
SHORT = 2.0
LEAST_SHARE = 0.05
NARROW = 60  # columns
UNITS = ((3600.0, "h"), (60.0, "min"), (1.0, "s"))


@contextmanager
def show_progress(
    what: str, total: int, weights: Sequence[float] | None = None
) -> Iterator[Callable[[], None]]:
    """Show progress on stderr; call what comes out of it once for each step done.

    `weights` say how much longer one step takes than another, in the order of the steps.
    """
    pace = _Pace([1.0] * total if weights is None else weights)
    # None where stderr is closed.
    if sys.stderr is not None and sys.stderr.isatty():
        with _bar(what, total, pace) as advance:
            yield advance
    else:
        yield _lines(what, total, pace)


class _Pace:
    """How long the rest may take, by what the steps so far took."""

    def __init__(self, weights: Sequence[float]):
        self._done = [0.0, *accumulate(weights)]
        self._start = monotonic()

    def left(self, done: int) -> str:
        """Return the time left in words, "" where it cannot be told yet."""
        elapsed, share = monotonic() - self._start, self._done[done] / self._done[-1]
        if done == len(self._done) - 1 or elapsed < SHORT or share < LEAST_SHARE:
            return ""
        seconds = elapsed * (1 / share - 1)
        return f"about {_duration(seconds)} left"


def _duration(seconds: float) -> str:
    """Return seconds in the largest unit of which there are two."""
    size, unit = next((u for u in UNITS if seconds >= 2 * u[0]), UNITS[-1])
    return f"{max(round(seconds / size), 1)} {unit}"


@contextmanager
def _bar(what: str, total: int, pace: _Pace) -> Iterator[Callable[[], None]]:
    try:
        from rich import console, progress
    except ImportError as error:
        raise require("rich", "cli", "The progress bar") from error
    terminal = console.Console(stderr=True)
    columns = [
        progress.BarColumn(bar_width=None),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[left]}"),
    ]
    if terminal.width >= NARROW:
        columns.insert(0, progress.TextColumn("{task.description}"))
        columns.insert(3, progress.TimeElapsedColumn())
    done = 0
    lock = threading.Lock()
    with progress.Progress(*columns, console=terminal, expand=True) as bar:
        task = bar.add_task(what, total=total, left="")

        def advance() -> None:
            nonlocal done
            with lock:
                done += 1
                bar.update(task, completed=done, left=pace.left(done))

        yield advance


def _lines(what: str, total: int, pace: _Pace) -> Callable[[], None]:
    lock = threading.Lock()
    done = 0
    last = monotonic()

    def advance() -> None:
        nonlocal done, last
        with lock:
            done += 1
            is_tenth = done * N_LINES // total > (done - 1) * N_LINES // total
            is_late = monotonic() - last >= SECONDS_BETWEEN_LINES
            # The first at once: it says that the search runs.
            if done == 1 or is_tenth or is_late:
                last = monotonic()
                left = pace.left(done)
                line = f"{what}: {done} of {total}" + (f", {left}" if left else "")
                # Nobody to read it is no reason to lose the search.
                with suppress(OSError):
                    print(line, file=sys.stderr, flush=True)

    return advance
