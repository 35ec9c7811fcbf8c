"""How far a search is: a live bar on a terminal, a few plain lines elsewhere."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sklearn_rank._validation import require

N_LINES = 10


@contextmanager
def show_progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show progress on stderr; call what comes out of it once for each step done."""
    # None where stderr is closed.
    if sys.stderr is not None and sys.stderr.isatty():
        with _bar(what, total) as advance:
            yield advance
    else:
        yield _lines(what, total)


@contextmanager
def _bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    try:
        from rich import console, progress
    except ImportError as error:
        raise require("rich", "cli", "The progress bar") from error
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left:"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console.Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _lines(what: str, total: int) -> Callable[[], None]:
    lock = threading.Lock()
    done = 0

    def advance() -> None:
        nonlocal done
        with lock:
            done += 1
            if done * N_LINES // total > (done - 1) * N_LINES // total:
                # Nobody to read it is no reason to lose the search.
                with suppress(OSError):
                    print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)

    return advance
