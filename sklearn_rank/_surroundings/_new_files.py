"""The one way to write a file: beside its place, down to the disk, and then into it."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


def name_beside(target: Path) -> Path:
    """Return a name that no other process has, on no machine that shares the disk."""
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")


@contextmanager
def open_beside(unfinished: Path, target: Path) -> Iterator[Any]:
    """Give a new file of bytes to write and to read; in the end all is on the disk.

    Only its owner may read it before it is whole. Then it has the mode of the file that it
    replaces; without one, the mode of any new file.
    """
    with open(unfinished, "x+b") as file:
        mode = (target if target.exists() else unfinished).stat().st_mode
        _set_mode(unfinished, 0o600)
        yield file
        _set_mode(unfinished, mode)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def whole_file(
    target: Path, replace: Callable[[Path, Path], None] | None = None
) -> Iterator[Any]:
    """Give a file of bytes, which appears as `target` when it is complete, or not at all.

    `replace` moves it into its place; None: os.replace.
    """
    unfinished = name_beside(target)
    try:
        with open_beside(unfinished, target) as file:
            yield file
        (replace or os.replace)(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _set_mode(path: Path, mode: int) -> None:
    # Some network drives have no modes.
    with suppress(OSError):
        path.chmod(mode & 0o777)
