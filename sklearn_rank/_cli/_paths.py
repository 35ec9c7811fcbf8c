"""Files to read: whether they are there, and their lines, packed or not."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sklearn_rank._cli._errors import InputError

__all__ = ["check_file", "open_lines"]


def check_file(path: str, needed: str) -> None:
    """Raise unless there is a file."""
    if not Path(path).exists():
        raise InputError(f"There is no file {path!r}; check the name and the folder.")
    if Path(path).is_dir():
        raise InputError(f"{path!r} is a folder; name {needed} in it.")


@contextmanager
def open_lines(path: str) -> Iterator[IO[bytes]]:
    """Open a file, gzip too; what goes wrong while it is read is an InputError."""
    opened: Any = gzip.open if path.lower().endswith(".gz") else open
    try:
        with opened(path, "rb") as lines:
            yield lines
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"Cannot read {path!r}: {error}") from error
