"""Check and open input files, compressed or not."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from stat import S_ISDIR, S_ISREG
from typing import Any

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._surroundings._unpacking import UnpackingError, open_unpacked

# Endings of compressed files; their bytes decide.
PACKED = (".gz", ".bz2", ".xz", ".zip")
# Models hold numbers in single precision, and square and sum them in double precision.
LARGEST = 1e30


def check_file(path: str, needed: str) -> None:
    """Raise unless the file exists."""
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
        # A pipe may be endless, and can be read only once.
        raise InputError(f"{path!r} is not a regular file; save its content in {needed}.")


@contextmanager
def open_lines(path: str) -> Iterator[Any]:
    """Open a binary file, compressed or not; errors in reading become an InputError."""
    try:
        with open_unpacked(path) as lines:
            yield lines
    except UnpackingError as error:
        raise InputError(f"Cannot read {path!r}: {error}.") from error
    except OSError as error:
        raise InputError(f"Cannot read {path!r}: {error.strerror or error}.") from error
