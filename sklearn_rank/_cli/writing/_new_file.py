"""A file that a command makes: complete or not there, and never in place of another."""

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from sklearn_rank._cli._signals import held_back
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._surroundings._new_files import name_beside, whole_file


def check_new_file(path: str, *, force: bool, inputs: Iterable[str | None] = ()) -> None:
    """Raise unless the file can be written; it is tried out, and leaves no trace.

    With `force` it may replace a file of that name, but none of the `inputs`.
    """
    check_not_read(path, inputs)
    unfinished = name_beside(_target(path, force=force))
    with held_back(), _writing(path):
        unfinished.touch(exist_ok=False)
        unfinished.unlink()


def check_appendable(path: str, inputs: Iterable[str | None]) -> None:
    """Raise unless text can be added to a file, which may be new; it is tried out."""
    check_not_read(path, inputs)
    is_new = not os.path.lexists(path)
    with held_back(), _writing(path):
        open(path, "a").close()
        if is_new:
            os.unlink(path)


def check_apart(path: str, folder: str, names: Iterable[str]) -> None:
    """Raise where a file is one of those that go into a folder."""
    target = os.path.realpath(path)
    if target in (os.path.realpath(Path(folder, name)) for name in names):
        raise InputError(
            f"{path!r} is one of the files that --output {folder!r} writes; name another."
        )


def check_not_read(path: str, inputs: Iterable[str | None]) -> None:
    """Raise where a file or folder to write to is one that is read, or lies in one.

    Links and other spellings of a name do not hide it.
    """
    target = Path(os.path.realpath(path))
    itself, folders = _identities(target), _identities(*target.parents)
    for given in inputs:
        if given is None:
            continue
        read = _identities(given)
        if read & itself:
            raise InputError(
                f"{path!r} is read here, and is not written to; name another to write to."
            )
        if read & folders and os.path.isdir(given):
            raise InputError(
                f"{path!r} lies in {given!r}, which is read here; write to another folder."
            )


def _identities(*paths: str | Path) -> set[tuple[int, int]]:
    """Return what the system knows files by, whatever their names; of those that exist."""
    found = set()
    for path in paths:
        # A name that no file can have, such as a very long one, has no identity either.
        with suppress(OSError, ValueError):
            status = os.stat(path)
            found.add((status.st_dev, status.st_ino))
    return found


@contextmanager
def new_file(path: str, *, force: bool) -> Iterator[Any]:
    """Give a file of bytes to write and to read, which then appears under its name."""

    def replace(unfinished: Path, target: Path) -> None:
        with held_back():
            # Somebody else may have made it by now.
            os.replace(unfinished, _target(path, force=force))

    with _writing(path), whole_file(_target(path, force=force), replace) as file:
        yield file


@contextmanager
def telling_failure(path: str | Path, what_is_left: str) -> Iterator[None]:
    """Turn what the system says into an InputError, which says what is left on the disk."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"Cannot write {str(path)!r}: {error.strerror or error}. {what_is_left}"
        ) from error


def _target(path: str, *, force: bool) -> Path:
    """Return where the file goes, which is elsewhere if a symbolic link says so."""
    target = Path(path)
    with _writing(path):
        if target.is_dir():
            raise InputError(f"{path!r} is no name of a file; name a file to write.")
        if target.exists() and not target.is_file():
            raise InputError(f"Cannot write {path!r}: it is a device, not a file.")
        if os.path.lexists(target) and not force:
            raise InputError(
                f"{path!r} exists; name another file, or replace it with --force."
            )
        parent = target.absolute().parent
        if not parent.is_dir():
            raise InputError(f"Cannot write {path!r}: there is no folder {str(parent)!r}.")
        return target.resolve()


def _writing(path: str) -> AbstractContextManager[None]:
    return telling_failure(path, "Nothing was written.")
