"""Read a pyarrow Dataset in batches; name the file of an error."""

from collections.abc import Iterator, Sequence
from typing import Any


def is_dataset(given: Any) -> bool:
    """Return whether this is a Dataset of pyarrow, or of a library that follows it."""
    return hasattr(given, "schema") and hasattr(given, "scanner")


def batches_of(
    files: Any, columns: Sequence[str], *, bounded: bool
) -> Iterator[tuple[Any, str | None]]:
    """Yield batches with the needed columns, and the file of each if known.

    `bounded` says whether to read them in little memory.
    """
    options = _in_little_memory(files) if bounded else {}
    scanner = files.scanner(columns=list(columns), **options)
    if not hasattr(scanner, "scan_batches"):
        yield from ((batch, None) for batch in scanner.to_batches())
        return
    from pyarrow import ArrowException

    path = None
    try:
        for tagged in scanner.scan_batches():
            path = getattr(tagged.fragment, "path", None)
            yield tagged.record_batch, path
    except (OSError, ArrowException) as error:
        _raise_with_file(files, columns, path)
        raise error


def count_rows(files: Any) -> int:
    """Return the number of rows of all files from their footers."""
    from pyarrow import ArrowException

    try:
        return int(files.count_rows())
    except (OSError, ArrowException) as error:
        _raise_with_file(files, [], None)
        raise error


def _in_little_memory(files: Any) -> dict[str, Any]:
    """Return options to read a Dataset with few waiting tables and no whole row groups."""
    from pyarrow import dataset

    options = {"use_threads": False, "batch_size": 2**16}
    options |= {"batch_readahead": 0, "fragment_readahead": 0}
    if isinstance(getattr(files, "format", None), dataset.ParquetFileFormat):
        options["fragment_scan_options"] = dataset.ParquetFragmentScanOptions(
            use_buffered_stream=True, pre_buffer=False
        )
    return options


def _raise_with_file(files: Any, columns: Sequence[str], path: str | None) -> None:
    """Raise the error of the first unreadable file after the last one read."""
    from pyarrow import ArrowException

    paths = list(getattr(files, "files", []))
    last = paths.index(path) if path in paths else 0
    for file in list(files.get_fragments())[last:]:
        try:
            for _ in file.to_batches(schema=files.schema, columns=list(columns)):
                pass
        except (OSError, ArrowException) as error:
            kind = OSError if isinstance(error, OSError) else ValueError
            raise kind(
                f"Cannot read {getattr(file, 'path', None)!r}: "
                f"{str(error).strip().rstrip('.')}. {_unlike(file, files, columns)}"
            ) from error


def _unlike(file: Any, files: Any, columns: Sequence[str]) -> str:
    """Return how the columns of a file differ from the Dataset's, else advice."""
    from pyarrow import ArrowException

    form = type(files.format).__name__.removesuffix("FileFormat")
    damaged = f"It is not a complete {form} file; write it again."
    try:
        found = file.physical_schema
    except (OSError, ArrowException):
        return damaged
    for name in columns:
        wanted = files.schema.field(name).type
        if name in found.names and found.field(name).type != wanted:
            return (
                f"Its column {name!r} is {found.field(name).type}, that of the Dataset "
                f"{wanted}; cast them to one type."
            )
    return damaged
