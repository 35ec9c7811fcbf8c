"""Write a file in one step, and read files that may be packed."""

import errno
import os
import re
import secrets
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from stat import S_IFREG, S_ISDIR, S_ISREG, S_IWUSR
from typing import Any

# A file is written beside its target and moved when it is complete on the disk. No other
# module opens a file to write it.

# Where the system shows streams, devices and settings as files.
_OF_THE_SYSTEM = re.compile("/+(dev|proc)/")


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Give a file of bytes, which appears as `path` when it is complete, or not at all.

    For a symbolic link the target is replaced. A pipe, a device and all of /dev and /proc
    are opened and written into: a file in their place would break the machine. Only its
    owner may read a file before it is whole. Then it has the mode of the file that it
    replaces; without one, the mode of any new file.
    """
    path = os.fsdecode(path)
    target = Path(os.path.realpath(path))
    mode = check_writable(path)
    names = (os.path.abspath(path), str(target))
    if not S_ISREG(mode) or any(map(_OF_THE_SYSTEM.match, names)):
        with open(path, "wb") as stream:
            yield stream
        return
    # No other process uses the name, also on machines that share the disk.
    unfinished = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}.tmp")
    try:
        with open(unfinished, "x+b") as file:
            mode = (target if target.exists() else unfinished).stat().st_mode
            _set_mode(unfinished, 0o600)
            yield file
            _set_mode(unfinished, mode)
            file.flush()
            os.fsync(file.fileno())  # all is on the disk
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def check_writable(path: str) -> int:
    """Return the mode of what is there, or will be; raise if it must not be replaced.

    Who may write into a folder may replace all its files, also one that is read-only.
    """
    if not os.path.basename(path):
        raise _error(errno.EISDIR, path)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return S_IFREG
    if S_ISDIR(mode):
        raise _error(errno.EISDIR, path)
    if S_ISREG(mode) and not mode & S_IWUSR:
        raise _error(errno.EACCES, path)
    return mode


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


def _set_mode(path: Path, mode: int) -> None:
    # Some network drives have no modes.
    with suppress(OSError):
        path.chmod(mode & 0o777)


# A packed file is known by its first bytes, whatever its name ends in.

# How files begin that these modules read. Not every Python has all of them.
_STARTS = {
    "gzip": rb"\x1f\x8b",
    "bz2": rb"BZh[1-9](1AY&SY|\x17rE8P\x90)",
    "lzma": rb"\xfd7zXZ\x00",
    "zipfile": rb"PK(\x03\x04|\x05\x06)",
}
_LONGEST_START = 10
_DAMAGED = "it is damaged or incomplete; get it again"
_ERRORS_OF_MODULES = {"lzma": "LZMAError", "zipfile": "BadZipFile"}


class UnpackingError(ValueError):
    """A packed file cannot be unpacked; the message says what is wrong with it."""


@contextmanager
def open_unpacked(path: str | os.PathLike) -> Iterator[Any]:
    """Open a file of bytes once, which may be a pipe, and unpack it where it is packed."""
    with open(path, "rb") as file, unpacked(file) as plain:
        yield plain


@contextmanager
def unpacked(file: Any) -> Iterator[Any]:
    """Unpack a buffered file of bytes where it is packed; else give the file itself."""
    start = file.peek(_LONGEST_START)[:_LONGEST_START]
    kinds = [kind for kind, pattern in _STARTS.items() if re.match(pattern, start)]
    if not kinds:
        yield file
        return
    with raise_unpacking_errors(kinds[0]), _open_packed(kinds[0], file) as plain:
        yield plain


def _open_packed(kind: str, file: Any) -> Any:
    module = import_module(kind)
    return _open_zip(module, file) if kind == "zipfile" else module.open(file, "rb")


@contextmanager
def _open_zip(zipfile: Any, file: Any) -> Iterator[Any]:
    with open_archive(zipfile.ZipFile, file) as packed:
        files = [entry for entry in packed.infolist() if not entry.filename.endswith("/")]
        if len(files) != 1:
            raise UnpackingError("a zip has to hold one file; unpack it first")
        with open_archive(packed.open, files[0]) as plain:
            yield plain


def open_archive(opener: Callable[[Any], Any], source: Any) -> Any:
    """Return a zip, or a file in one; raise one error for all that zipfile raises."""
    try:
        return opener(source)
    except RuntimeError as error:
        raise UnpackingError(
            "it has a password, or a kind of packing that Python lacks; unpack it first"
        ) from error
    except (ValueError, OverflowError, LookupError, struct.error) as error:
        raise UnpackingError(_DAMAGED) from error


@contextmanager
def raise_unpacking_errors(kind: str) -> Iterator[None]:
    """Raise one error for all that the modules raise of bytes that are not right."""
    error_name = _ERRORS_OF_MODULES.get(kind)
    own = () if error_name is None else (getattr(import_module(kind), error_name),)
    try:
        yield
    except (EOFError, OSError, zlib.error, *own) as error:
        # Errors of the system have a number. They are not about the bytes, except for a
        # position before the start of the file.
        if getattr(error, "errno", None) not in (None, errno.EINVAL):
            raise
        raise UnpackingError(_DAMAGED) from error
