"""Write a new file atomically; never overwrite another without --force."""

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from sklearn_rank._cli._signals import held_back
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._surroundings._new_files import name_beside, whole_file


def check_new_file(path: str, *, force: bool, inputs: Iterable[str | None] = ()) -> None:
    """Raise unless the file can be written; a trial writes it and leaves no trace.

    With `force` it may replace a file of that name, but not one of the `inputs`.
    """
    check_not_read(path, inputs)
    unfinished = name_beside(_target(path, force=force))
    with held_back(), _writing(path):
        unfinished.touch(exist_ok=False)
        unfinished.unlink()


def check_appendable(path: str, inputs: Iterable[str | None]) -> None:
    """Raise unless text can be appended to a file, which may be new; a trial opens it."""
    check_not_read(path, inputs)
    is_new = not os.path.lexists(path)
    with held_back(), _writing(path):
        open(path, "a").close()
        if is_new:
            os.unlink(path)


def check_apart(path: str, folder: str, names: Iterable[str]) -> None:
    """Raise if a file is one of those that go into a folder."""
    target = os.path.realpath(path)
    if target in (os.path.realpath(Path(folder, name)) for name in names):
        raise InputError(
            f"{path!r} is one of the files that --output {folder!r} writes; name another."
        )


def check_not_read(path: str, inputs: Iterable[str | None]) -> None:
    """Raise if an output is an input or lies in an input folder.

    Links and other spellings of a name are resolved.
    """
    target = Path(os.path.realpath(path))
    itself, folders = _identities(target), _identities(*target.parents)
    for given in inputs:
        if given is None:
            continue
        read = _identities(given)
        if read & itself:
            raise InputError(
                f"{path!r} is an input and is never overwritten; name another output."
            )
        if read & folders and os.path.isdir(given):
            raise InputError(
                f"{path!r} lies in {given!r}, which is an input; write to another folder."
            )


def _identities(*paths: str | Path) -> set[tuple[int, int]]:
    """Return the identities (device and inode) of the files that exist."""
    found = set()
    for path in paths:
        # An invalid name, such as a very long one, has no identity either.
        with suppress(OSError, ValueError):
            status = os.stat(path)
            found.add((status.st_dev, status.st_ino))
    return found


@contextmanager
def new_file(path: str, *, force: bool) -> Iterator[Any]:
    """Open a temporary binary file, then move it to its name."""

    def replace(unfinished: Path, target: Path) -> None:
        with held_back():
            # Another process may have made it in the meantime.
            os.replace(unfinished, _target(path, force=force))

    with _writing(path), whole_file(_target(path, force=force), replace) as file:
        yield file


@contextmanager
def naming_failure(path: str | Path, what_is_left: str) -> Iterator[None]:
    """Turn an OSError into an InputError that names what is left on the disk."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"Cannot write {str(path)!r}: {error.strerror or error}. {what_is_left}"
        ) from error


def _target(path: str, *, force: bool) -> Path:
    """Return the path of the file, with symbolic links resolved."""
    target = Path(path)
    with _writing(path):
        if target.is_dir():
            raise InputError(f"{path!r} is not a file name; name a file to write.")
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
    return naming_failure(path, "Nothing was written.")
