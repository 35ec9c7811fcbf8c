"""The progress of a search: a live bar on a terminal, a few plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from sklearn_rank._base._time_left import SECONDS_BETWEEN_LINES, describe_time_left
from sklearn_rank._base._validation import check_installed

N_LINES = 10
NARROW = 60  # columns
# Takes the number of finished steps, of all steps, and the share of the work.
Advance = Callable[[int, int, float], None]


@contextmanager
def show_progress(description: str) -> Iterator[Advance]:
    """Show progress on stderr; call the yielded function after each step.

    It takes the number of finished steps, of all steps, and the share of the work.
    """
    start = monotonic()
    # None if stderr is closed.
    if sys.stderr is not None and sys.stderr.isatty():
        with _show_bar(description, start) as advance:
            yield advance
    else:
        yield _print_lines(description, start)


@contextmanager
def _show_bar(description: str, start: float) -> Iterator[Advance]:
    check_installed("rich", "cli", "The progress bar")
    from rich import console, progress

    terminal = console.Console(stderr=True)
    columns = [
        progress.BarColumn(bar_width=None),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[left]}"),
    ]
    if terminal.width >= NARROW:
        columns.insert(0, progress.TextColumn("{task.description}"))
        columns.insert(3, progress.TimeElapsedColumn())
    with progress.Progress(*columns, console=terminal, expand=True) as bar:
        task = bar.add_task(description, total=None, left="")

        def advance(done: int, total: int, share: float) -> None:
            left = describe_time_left(monotonic() - start, share)
            bar.update(task, completed=done, total=total, left=left)

        yield advance


def _print_lines(description: str, start: float) -> Advance:
    last = monotonic()

    def advance(done: int, total: int, share: float) -> None:
        nonlocal last
        is_tenth = done * N_LINES // total > (done - 1) * N_LINES // total
        is_late = monotonic() - last >= SECONDS_BETWEEN_LINES
        # The first line comes at once: it shows that the search runs.
        if done == 1 or is_tenth or is_late:
            last = monotonic()
            left = describe_time_left(monotonic() - start, share)
            line = f"{description}: {done} of {total}" + (f", {left}" if left else "")
            # A closed stderr must not stop the search.
            with suppress(OSError):
                print(line, file=sys.stderr, flush=True)

    return advance
