"""The command line, `sklearn-rank`; `_commands` lists what it does."""

from argparse import Namespace
from collections.abc import Sequence
from importlib.util import find_spec

from sklearn_rank._cli._commands import error_code, load_command, parse_arguments
from sklearn_rank._cli._signals import Stopped, stopping
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._printing import (
    ClosedPipe,
    escape_unprintable,
    flush,
    print_error,
)

__all__ = ["main"]

# As shells say of programs that SIGPIPE ends.
CLOSED_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments without the name of the program; None takes those of the process.

    Returns
    -------
    int
        0 when all went well, 2 for input that cannot be used (with one line on stderr
        that says why), 130 when interrupted, 143 when terminated, and 141, without a
        word, when whoever reads the output is gone. `gate` returns 0 for pass, 1 for fail,
        2 for undecided, and 3 for input that cannot be used.
    """
    escape_unprintable()
    try:
        with stopping():
            return _run(_parse(argv))
    except ClosedPipe:
        return CLOSED_PIPE
    except Stopped as stopped:
        print_error("terminated; no file is half written.")
        # As shells say it.
        return 128 + stopped.number
    except KeyboardInterrupt:
        print_error("interrupted; no file is half written.")
        return 130
    except MemoryError as error:
        print_error(f"error: There is not enough memory. {error}")
        return error_code(argv)
    # The package raises ValueError for what the caller has to change.
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
    if find_spec("pandas") is None:
        # What takes a while to load is loaded where an interrupt is caught.
        from sklearn_rank._validation import require

        raise require("pandas", "cli", "The command line")
    # Neither this nor the command is loaded for `--help`, which need not wait for it.
    from threadpoolctl import threadpool_limits

    from sklearn_rank._cli.printing._printing import warnings_as_notes

    run = load_command(options.command)
    # The products are too small for several BLAS threads each: six times the work of
    # the processor, measured. `--jobs` uses the cores better.
    with threadpool_limits(1), warnings_as_notes():
        return run(options) or 0
