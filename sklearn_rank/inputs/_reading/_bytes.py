"""The bytes of a path, a pipe or an open file, unpacked."""

import io
import os
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sklearn_rank._base._files import UnpackingError, unpacked
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._text import escape_controls
from sklearn_rank._base._validation import is_iterable

STDIN = "-"
# A packed file of a few bytes can stand for a full disk.
_MOST_UNPACKED = 2**30
_MOST_TIMES = 100
_LONGEST_PATH = 2**12


class FileError(ValueError):
    """A file cannot be read; the message is one line with the place and a remedy."""

    def __init__(self, message: str):
        super().__init__(escape_controls(message))


class Content(NamedTuple):
    """The bytes of a file, and how messages name it."""

    name: str
    data: bytes
    endings: frozenset[str]
    value: Any = None  # a mapping or records in place of a file

    def text(self) -> str:
        """Return the text; raise if it is not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise FileError(
                f"{self.name} is not UTF-8 text: line {line}: {error}. Convert it: iconv "
                "-f latin1 -t utf-8."
            ) from error


def read_content(file: Any, argument: str, split: str | None = None) -> Content:
    """Return the content of a path, of "-" (the standard input), a file or lines."""
    is_value = isinstance(file, list) and file and isinstance(file[0], Mapping)
    if is_value or isinstance(file, Mapping):
        return Content(f"`{argument}`", b"", frozenset(), file)
    if isinstance(file, str | os.PathLike) and os.fspath(file) == STDIN:
        data = _unpack(
            io.BufferedReader(io.BytesIO(sys.stdin.buffer.read())), "standard input"
        )
        return Content("standard input", data.removeprefix(BOM_UTF8), frozenset())
    if isinstance(file, str | os.PathLike):
        path = _find_judgments(_check_path(file, argument), split)
        name = repr(path)
        with open(path, "rb") as stream:
            data = _unpack(stream, name)
        endings = frozenset(ending.lower() for ending in Path(path).suffixes)
        return Content(name, data.removeprefix(BOM_UTF8), endings)
    label = getattr(file, "name", None)
    name = f"`{argument}`"
    if isinstance(label, str | os.PathLike):
        name = repr(os.fspath(label))
    if hasattr(file, "columns"):
        raise TypeError(f"{name} is a table in memory; from_frames reads tables.")
    if isinstance(file, bytes | bytearray) or not is_iterable(file):
        raise TypeError(
            f"{name} must be a path or an open file, or lines of text, got {shorten(file)}."
        )
    return Content(name, _join_lines(file, name).removeprefix(BOM_UTF8), frozenset())


def _check_path(file: Any, argument: str) -> str:
    path = os.fspath(file)
    is_text = "\n" in path and not os.path.exists(path)
    if is_text or "\0" in path or len(path) > _LONGEST_PATH:
        raise ValueError(
            f"`{argument}`: {shorten(path)} is not a path. Pass the text of a file as "
            "io.StringIO(text)."
        )
    if Path(path).is_char_device():
        raise FileError(f"{path!r} is a device, which may have no end; name a file.")
    return path


def _unpack(stream: io.BufferedIOBase, name: str) -> bytes:
    size = stream.seek(0, os.SEEK_END) if stream.seekable() else 0
    if stream.seekable():
        stream.seek(0)
    try:
        with unpacked(stream) as plain:
            if plain is stream:
                return plain.read()
            data = plain.read(_most_unpacked(size) + 1)
    except UnpackingError as error:
        raise FileError(f"Cannot read {name}: {error}.") from error
    check_size(name, len(data), size)
    return data


def _most_unpacked(size: int) -> int:
    return max(_MOST_UNPACKED, _MOST_TIMES * size)


def check_size(name: str, unpacked_size: int, size: int) -> None:
    """Raise for a packed file that would fill the memory."""
    if unpacked_size > _most_unpacked(size):
        raise FileError(
            f"{name} has more than {_most_unpacked(size):,} bytes unpacked, and {size:,} "
            "packed; unpack it first if this is meant."
        )


def _join_lines(file: Iterable, name: str) -> bytes:
    lines = []
    for number, line in enumerate(file, 1):
        if not isinstance(line, str | bytes | bytearray):
            raise TypeError(
                f"{name} must be a path, or a file or a list of lines, but line {number} "
                f"is {shorten(line)}."
            )
        try:
            text = line.encode() if isinstance(line, str) else bytes(line)
        except UnicodeError as error:
            raise FileError(f"{name} is not UTF-8 text: line {number}: {error}.") from error
        lines.append(text if text.endswith(b"\n") else text + b"\n")
    return b"".join(lines)


def _find_judgments(path: str, split: str | None) -> str:
    """Return the judgments in a folder of BEIR or MTEB; another path as it is."""
    if not os.path.isdir(path):
        return path
    files = sorted(Path(path, "qrels").glob("*"))
    chosen = [
        file for file in files if re.split(r"[-.]", file.name)[0] == (split or "test")
    ]
    if split is None and not chosen and len(files) == 1:
        chosen = files
    if len(chosen) != 1:
        names = ", ".join(file.name for file in files)
        if not files:
            raise FileError(f"{path!r} is a folder without qrels/; name a file in it.")
        has = f"a folder with {names} in qrels"
        raise FileError(f"{path!r} is {has}; name a file, or the split with `split`.")
    return str(chosen[0])
