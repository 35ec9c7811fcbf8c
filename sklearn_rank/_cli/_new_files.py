"""Write new files, tables and sets of files atomically."""

import gzip
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_rank._base._files import (
    atomic_file,
    check_writable,
    open_temporary,
    temporary_name,
    temporary_start,
)
from sklearn_rank._base._validation import check_installed
from sklearn_rank._cli._errors import InputError, delay_signals
from sklearn_rank._cli._printing import print_notes


def check_new_file(path: str, *, force: bool, inputs: Iterable[str | None] = ()) -> None:
    """Raise unless the file can be written; a trial writes it and leaves no trace.

    With `force` it may replace a file of that name, but not one of the `inputs`.
    """
    check_not_read(path, inputs)
    target = _target(path, force=force)
    _note_unfinished([target])
    unfinished = temporary_name(target)
    with delay_signals(), _name_failed_write(path):
        unfinished.touch(exist_ok=False)
        unfinished.unlink()


def check_appendable(path: str, inputs: Iterable[str | None]) -> None:
    """Raise unless text can be appended to a file, which may be new; a trial opens it."""
    check_not_read(path, inputs)
    is_new = not os.path.lexists(path)
    with delay_signals(), _name_failed_write(path):
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
    for source in inputs:
        if source is None:
            continue
        read = _identities(source)
        if read & itself:
            raise InputError(
                f"{path!r} is an input and is never overwritten; name another output."
            )
        if read & folders and os.path.isdir(source):
            raise InputError(
                f"{path!r} lies in {source!r}, which is an input; write to another folder."
            )


def _note_unfinished(targets: Iterable[Path]) -> None:
    """Tell of files that runs left unfinished beside these, as a kill does."""
    for target in targets:
        start = escape(temporary_start(target))
        unfinished = target.parent.glob(f"{start}{'[0-9a-f]' * 16}.tmp")
        for left in sorted(unfinished):
            print_notes(
                f"{str(left)!r} is unfinished, or an old copy that a run left which was "
                "killed. Remove it if no other run writes there now."
            )


def _identities(*paths: str | Path) -> set[tuple[int, int]]:
    """Return the identities (device and inode) of the files that exist."""
    identities = set()
    for path in paths:
        # An invalid name, such as a very long one, has no identity either.
        with suppress(OSError, ValueError):
            status = os.stat(path)
            identities.add((status.st_dev, status.st_ino))
    return identities


@contextmanager
def new_file(path: str, *, force: bool) -> Iterator[Any]:
    """Open a temporary binary file, then move it to its name."""

    def replace(unfinished: Path, target: Path) -> None:
        with delay_signals():
            # Another process may have made it in the meantime.
            target = _target(path, force=force)
            if force or not _is_linked(unfinished, target):
                os.replace(unfinished, target)

    _target(path, force=force)
    with _name_failed_write(path), atomic_file(path, replace) as file:
        yield file


def _is_linked(unfinished: Path, target: Path) -> bool:
    """Return whether a file got a new name; False where links are not possible.

    Of two processes that link to one name only the first succeeds.
    """
    try:
        os.link(unfinished, target)
    except FileExistsError as error:
        raise _exists_error(target) from error
    except OSError:
        return False
    return True


def _exists_error(path: str | Path) -> InputError:
    text = f"{str(path)!r} exists; name another file, or replace it with --force."
    return InputError(text)


@contextmanager
def _name_failed_write(path: str | Path) -> Iterator[None]:
    """Turn an OSError into an InputError that names the file."""
    try:
        yield
    except OSError as error:
        message = f"Cannot write {str(path)!r}: {error.strerror or error}."
        raise InputError(f"{message} Nothing was written.") from error


def _target(path: str, *, force: bool) -> Path:
    """Return the path of the file, with symbolic links resolved."""
    target = _resolve(Path(path))
    if target.exists() and not force:
        raise _exists_error(path)
    if not target.parent.is_dir():
        raise InputError(
            f"Cannot write {path!r}: there is no folder {str(target.parent)!r}."
        )
    return target


# Tables are written part by part, in the format of their ending.

Write = Callable[[pd.DataFrame], None]


def is_table(path: str) -> bool:
    """Return whether a file has the ending of a table."""
    return _form_of(path) is not None


def check_new_table(path: str, *, force: bool, inputs: Iterable[str | None] = ()) -> None:
    """Raise unless a table can be written, as `check_new_file` does."""
    form = _form_of(path)
    if form is None:
        raise InputError(f"{path!r} needs an ending for its format: {', '.join(FORMS)}.")
    if form is _parquet:
        _import_parquet()
    check_new_file(path, force=force, inputs=inputs)


@contextmanager
def new_table(path: str, *, force: bool) -> Iterator[Write]:
    """Yield a function that adds rows to a table; the file is written atomically."""
    form = _form_of(path)
    assert form is not None  # check_new_table has checked it
    with new_file(path, force=force) as file, form(file) as write:
        yield write


@contextmanager
def _csv(file: Any, separator: str = ",") -> Iterator[Write]:
    def write(rows: pd.DataFrame) -> None:
        form: Any = {"sep": separator, "header": file.tell() == 0, "lineterminator": "\n"}
        rows.to_csv(file, index=False, mode="wb", **form)

    yield write


@contextmanager
def _packed_csv(file: Any) -> Iterator[Write]:
    # Without a time stamp, so that equal tables are equal files.
    packed = gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="")
    with packed, _csv(packed) as write:
        yield write


@contextmanager
def _parquet(file: Any) -> Iterator[Write]:
    pyarrow, parquet = _import_parquet()
    writer = None

    def write(rows: pd.DataFrame) -> None:
        nonlocal writer
        schema = None if writer is None else writer.schema
        table = pyarrow.Table.from_pandas(rows, schema, preserve_index=False)
        if writer is None:
            writer = parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


FORMS = {
    ".csv": _csv,
    ".csv.gz": _packed_csv,
    ".tsv": partial(_csv, separator="\t"),
    ".parquet": _parquet,
    ".pq": _parquet,
}


def _form_of(path: str) -> Any:
    return next((form for end, form in FORMS.items() if path.lower().endswith(end)), None)


def _import_parquet() -> tuple[Any, Any]:
    check_installed("pyarrow.parquet", "arrow", "A parquet file")
    import pyarrow
    from pyarrow import parquet

    return pyarrow, parquet


# All files of a set are written, or none.

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
    with delay_signals(), ExitStack() as undo:
        folder = _make_folder(path, undo)
        targets = [_resolve(folder / name) for name in names]
        _note_unfinished(targets)
        for example in {target.parent: target for target in targets}.values():
            _write_beside(example, bytes(ROOM), undo)


def write_set(path: str, files: Mapping[str, bytes], names: Iterable[str]) -> list[str]:
    """Write all files into a folder, or none, and then keep the old ones.

    `names` are all possible names of a set. Files of an earlier run that are in `names` but
    not in `files` are removed; their names are returned.
    """
    with delay_signals():
        with ExitStack() as undo:
            folder = _make_folder(path, undo)
            targets = {name: _resolve(folder / name) for name in names}
            # All are complete on the disk before the first is renamed.
            new = {
                name: _write_beside(targets[name], content, undo)
                for name, content in files.items()
            }
            old = {
                name: _keep_old(target, undo)
                for name, target in targets.items()
                if target.exists()
            }
            # A new file replaces an old one in one step: no name is ever missing.
            for name in dict.fromkeys([*new, *old]):
                target = targets[name]
                with _name_failed_write(target):
                    if name in new:
                        os.replace(new[name], target)
                    else:
                        target.unlink()
                if name in old:
                    undo.callback(os.replace, old[name], target)
                else:
                    undo.callback(target.unlink)
            undo.pop_all()
        for replaced in old.values():
            replaced.unlink()
        for parent in {target.parent for target in targets.values()}:
            _sync_folder(parent)
    return [name for name in old if name not in files]


def _make_folder(path: str, undo: ExitStack) -> Path:
    folder = Path(path).absolute()
    for part in reversed((folder, *folder.parents)):
        with _name_failed_write(part):
            if part.is_symlink() and not part.exists():
                raise InputError(f"--output {path!r}: {_describe_dangling_link(part)}")
            if part.exists() and not part.is_dir():
                raise InputError(
                    f"--output {path!r}: {str(part)!r} is a file, not a folder."
                )
            if not part.exists():
                part.mkdir(exist_ok=True)
                undo.callback(_remove_empty, part)
    return folder


def _resolve(path: Path) -> Path:
    """Return the path of a file, with symbolic links resolved."""
    with _name_failed_write(path):
        if path.is_symlink() and not path.exists():
            raise InputError(f"Cannot write {str(path)!r}: {_describe_dangling_link(path)}")
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "a device"
            raise InputError(
                f"Cannot write {str(path)!r}: it is {kind}, not a file. Move it away, or "
                "name another one."
            )
        check_writable(str(path))
        return path.resolve()


def _describe_dangling_link(link: Path) -> str:
    return (
        f"{str(link)!r} is a symbolic link to {os.readlink(link)!r}, which does not exist. "
        "Create it, or remove the link."
    )


def _write_beside(target: Path, content: bytes, undo: ExitStack) -> Path:
    """Write a file beside its target, and flush it to the disk."""
    unfinished = temporary_name(target)
    with _name_failed_write(target), open_temporary(unfinished, target) as file:
        # Register the cleanup after open(): unlink fails on read-only disks.
        undo.callback(unfinished.unlink, missing_ok=True)
        file.write(content)
    return unfinished


def _keep_old(target: Path, undo: ExitStack) -> Path:
    """Give a file a second name beside it; where links are not possible, copy it."""
    aside = temporary_name(target)
    with _name_failed_write(target):
        try:
            os.link(target, aside)
        except OSError:
            return _write_beside(target, target.read_bytes(), undo)
    undo.callback(aside.unlink, missing_ok=True)
    return aside


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
