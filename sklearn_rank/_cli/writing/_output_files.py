"""Write a set of files into a folder atomically."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path

from sklearn_rank._cli._signals import held_back
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.writing._new_file import check_not_read, naming_failure
from sklearn_rank._surroundings._new_files import name_beside, open_beside

# The approximate size of the tables and the picture of a run.
ROOM = 2**18


def check_output(
    path: str, names: Sequence[str], inputs: Sequence[str | None] = ()
) -> None:
    """Raise unless files of these names can be written into a folder; leave no trace.

    A trial writes them, since only that detects full and read-only disks. No file may
    replace one of the `inputs`.
    """
    for name in names:
        check_not_read(str(Path(path, name)), inputs)
    with held_back(), ExitStack() as undo:
        folder = _make_folder(path, undo)
        targets = [_target(folder / name) for name in names]
        for example in {target.parent: target for target in targets}.values():
            _write_beside(example, bytes(ROOM), undo)


def write_set(path: str, files: Mapping[str, bytes], names: Iterable[str]) -> list[str]:
    """Write all files into a folder, or none, and then keep the old ones.

    `names` are all possible names of a set. Files of an earlier run that are in `names` but
    not in `files` are removed; their names are returned.
    """
    with held_back():
        with ExitStack() as undo:
            folder = _make_folder(path, undo)
            targets = {name: _target(folder / name) for name in names}
            # All are complete on the disk before the first is renamed.
            new = {
                name: _write_beside(targets[name], content, undo)
                for name, content in files.items()
            }
            old = {
                name: _set_aside(target, undo)
                for name, target in targets.items()
                if target.exists()
            }
            for name, unfinished in new.items():
                with _writing(targets[name]):
                    _rename(unfinished, targets[name], undo)
            undo.pop_all()
        for replaced in old.values():
            replaced.unlink()
        for parent in {target.parent for target in targets.values()}:
            _sync_folder(parent)
    return [name for name in old if name not in files]


def _make_folder(path: str, undo: ExitStack) -> Path:
    folder = Path(path).absolute()
    for part in reversed((folder, *folder.parents)):
        with _writing(part):
            _check_folder(path, part)
            if not part.exists():
                part.mkdir(exist_ok=True)
                undo.callback(_remove_empty, part)
    return folder


def _check_folder(path: str, part: Path) -> None:
    if part.is_symlink() and not part.exists():
        raise InputError(f"--output {path!r}: {_dangling(part)}")
    if part.exists() and not part.is_dir():
        raise InputError(f"--output {path!r}: {str(part)!r} is a file, not a folder.")


def _target(path: Path) -> Path:
    """Return the path of a file, with symbolic links resolved."""
    with _writing(path):
        if path.is_symlink() and not path.exists():
            raise InputError(f"Cannot write {str(path)!r}: {_dangling(path)}")
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "a device"
            raise InputError(
                f"Cannot write {str(path)!r}: it is {kind}, not a file. Move it away, or "
                "name another folder with --output."
            )
        return path.resolve() if path.is_symlink() else path


def _dangling(link: Path) -> str:
    return (
        f"{str(link)!r} is a symbolic link to {os.readlink(link)!r}, which does not exist. "
        "Create it, or remove the link."
    )


def _write_beside(target: Path, content: bytes, undo: ExitStack) -> Path:
    """Write a file beside its target, and flush it to the disk."""
    unfinished = name_beside(target)
    with _writing(target), open_beside(unfinished, target) as file:
        # Register the cleanup after open(): unlink fails on read-only disks.
        undo.callback(unfinished.unlink, missing_ok=True)
        file.write(content)
    return unfinished


def _set_aside(target: Path, undo: ExitStack) -> Path:
    aside = name_beside(target)
    with _writing(target):
        _rename(target, aside, undo)
    return aside


def _rename(source: Path, place: Path, undo: ExitStack) -> None:
    os.replace(source, place)
    undo.callback(os.replace, place, source)


def _remove_empty(folder: Path) -> None:
    # Not empty if another process writes into it.
    with suppress(OSError):
        folder.rmdir()


def _sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    # Windows and some network drives cannot do this; the files themselves are on the disk.
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _writing(path: Path) -> AbstractContextManager[None]:
    left = "No result was written; those of earlier runs are unchanged."
    return naming_failure(path, left)
