"""Files to read: whether they are there, their lines, packed or not, and a limit."""

import bz2
import gzip
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

from sklearn_rank._cli._errors import InputError

# Models hold numbers in single precision, and square and sum them in double precision.
LARGEST = 1e30


def check_file(path: str, needed: str) -> None:
    """Raise unless there is a file."""
    try:
        kind = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(
            f"There is no file {path!r}; check the name and the folder."
        ) from error
    except OSError as error:
        raise InputError(f"Cannot read {path!r}: {error.strerror or error}.") from error
    if S_ISDIR(kind):
        raise InputError(f"{path!r} is a folder; name {needed} in it.")
    if not S_ISREG(kind):
        # It may have no end, and it can be read only once.
        raise InputError(f"{path!r} is no regular file; save what it holds in {needed}.")


@contextmanager
def open_lines(path: str) -> Iterator[Any]:
    """Open a file of bytes, packed or not; what goes wrong in reading is an InputError."""
    try:
        with OPENERS.get(Path(path).suffix.lower(), open)(path, "rb") as lines:
            yield lines
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        # What the system says, or else what is wrong with the bytes.
        why = getattr(error, "strerror", None) or (
            "it is not whole, or not packed as its ending says; get it again, or rename it"
        )
        raise InputError(f"Cannot read {path!r}: {why}.") from error


@contextmanager
def _open_zip(path: str, mode: str) -> Iterator[Any]:
    with zipfile.ZipFile(path) as packed:
        files = [entry for entry in packed.infolist() if not entry.is_dir()]
        if len(files) != 1 or files[0].flag_bits & 1:
            raise InputError(
                f"{path!r} has to hold one file, without a password; unpack it first."
            )
        with packed.open(files[0]) as lines:
            yield lines


OPENERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _open_zip,
}
