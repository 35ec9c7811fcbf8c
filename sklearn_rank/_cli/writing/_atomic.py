"""The one way to write a file: beside its place, down to the disk, and then into it."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn_rank._cli.printing._errors import InputError


def name_beside(target: Path) -> Path:
    """Return a name that no other process has, on no machine that shares the disk."""
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")


@contextmanager
def open_beside(unfinished: Path) -> Iterator[Any]:
    """Give a new file of bytes to write and to read; in the end all is on the disk."""
    with open(unfinished, "x+b") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def telling_failure(path: str | Path, what_is_left: str) -> Iterator[None]:
    """Turn what the system says into an InputError, which says what is left on the disk."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"Cannot write {str(path)!r}: {error.strerror or error}. {what_is_left}"
        ) from error
