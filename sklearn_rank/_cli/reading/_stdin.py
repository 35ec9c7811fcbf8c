"""Let - stand for the standard input among the files of a command."""

import shutil
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sklearn_rank._cli._errors import InputError

STDIN = "-"
# The options of all commands that name files to read.
INPUTS = (
    *("path", "test", "train", "log", "model", "runs", "baseline", "candidate", "qrels"),
    *("truth", "users", "items", "groups", "test_groups"),
)


@contextmanager
def stdin_as_file(options: Namespace) -> Iterator[None]:
    """Let the option that is - name a file with the standard input.

    Files are read more than once: to find their form, and again for their rows.
    """
    names = [name for name in INPUTS if STDIN in _as_list(getattr(options, name, None))]
    if not names:
        yield
        return
    if len(names) > 1 or _as_list(getattr(options, names[0])).count(STDIN) > 1:
        raise InputError("- is the standard input, which can be read once; name files.")
    with tempfile.TemporaryDirectory() as folder:
        path = _save_stdin(Path(folder))
        value = getattr(options, names[0])
        one_of = [path if file == STDIN else file for file in value]
        setattr(options, names[0], path if value == STDIN else one_of)
        yield


def _as_list(value: object) -> list:
    return value if isinstance(value, list) else [value]


def _save_stdin(folder: Path) -> str:
    """Write the standard input into a file; its name says whether it is JSON."""
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with path.open("rb") as file:
        first = file.read(1024).lstrip()[:1]
    return str(path.rename(path.with_suffix(".json")) if first == b"{" else path)
