"""The command line, `sklearn-rank`; `_commands` lists what it does."""

import os
import sys
import threading
import traceback
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from sklearn_rank._cli._commands import error_code, load_command, parse_arguments
from sklearn_rank._cli._errors import InputError, Stopped, stop_on_signals
from sklearn_rank._cli._printing import ClosedPipe, escape_unprintable, flush, print_error

__all__ = ["main", "run_program"]

# The exit code of shells for programs that SIGPIPE ended.
CLOSED_PIPE = 141
# The environment variable for reports of defects.
SHOWS_TRACEBACK = "SKLEARN_RANK_TRACEBACK"


def run_program() -> NoReturn:
    """Run the command line and end the process with its exit code.

    Python ends with 1 after an error that nothing catches, which is a verdict of `gate`.
    """
    try:
        code = main()
    except Exception as error:
        if os.environ.get(SHOWS_TRACEBACK) == "1":
            traceback.print_exception(error)
        print_error(
            f"error: {type(error).__name__}: {error} (This is a defect of the program; "
            f"{SHOWS_TRACEBACK}=1 shows where.)"
        )
        code = error_code(None)
    if code and threading.active_count() > 1:
        # A command that stops early, as by Ctrl-C, leaves threads inside compiled code.
        # The shutdown of Python would end them there, and C++ aborts the process then.
        with suppress(ClosedPipe):
            flush()
        os._exit(code)
    sys.exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments without the name of the program; None takes those of the process.

    Returns
    -------
    int
        0 on success, 2 for unusable input (one line on stderr explains it), 130 when
        interrupted, 143 when terminated, and 141, silently, when the reader of the output
        closed the pipe. `gate` returns 0 for pass, 1 for fail, 2 for undecided, and 3 for
        unusable input.
    """
    escape_unprintable()
    try:
        with stop_on_signals():
            return _run(_parse(argv))
    except ClosedPipe:
        return CLOSED_PIPE
    except Stopped as stopped:
        print_error("terminated; no file is half written.")
        # The exit codes of shells.
        return 128 + stopped.number
    except KeyboardInterrupt:
        print_error("interrupted; no file is half written.")
        return 130
    except MemoryError as error:
        print_error(f"error: There is not enough memory. {error}")
        return error_code(argv)
    # The package raises ValueError for wrong input.
    except (InputError, ValueError, ImportError, OSError) as error:
        print_error(f"error: {error}")
        return error_code(argv)


def _parse(argv: Sequence[str] | None) -> Namespace:
    """Return the options, or print a help text and exit."""
    try:
        return parse_arguments(argv)
    finally:
        flush()


def _run(options: Namespace) -> int:
    # `--help` loads neither this nor the command, so that it is fast.
    from threadpoolctl import threadpool_limits

    from sklearn_rank._cli._printing import print_warnings_as_notes

    run = load_command(options.command)
    # The matrix products are too small for several BLAS threads: they took six times the
    # CPU time. `--jobs` uses the cores better.
    with threadpool_limits(1), print_warnings_as_notes() as options.warned:
        return run(options) or 0
