"""Read the log of a public data set from its archive, folder or file."""

from __future__ import annotations

import csv
import gzip
import math
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import cache, partial
from http.client import HTTPException
from importlib import resources
from io import BytesIO, TextIOWrapper
from itertools import islice
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from zipfile import ZipFile, is_zipfile

from sklearn_rank._base._files import (
    UnpackingError,
    open_archive,
    open_unpacked,
    raise_unpacking_errors,
)
from sklearn_rank._base._text import escape_controls
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
    import_pandas,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank.typing import Bunch

# What stands for the separator of two characters, for which pandas has a slow parser only.
_ONE_CHARACTER = "\x1f"
_LONGEST_ROW = 100_000
# Beyond this, floats round whole numbers.
_LARGEST_EXACT = 2**53


@cache
def load_formats() -> dict[str, dict[str, Any]]:
    """Return what each data set declares, by its name."""
    return tomllib.loads(
        resources.files(__package__).joinpath("logs.toml").read_text("utf-8")
    )


@explained
def read_log(source: str | PathLike[str], dataset: str | None = None) -> Bunch:
    r"""
    Read the log of a public data set as it is downloaded.

    The names of the files and their first rows say which data set it is. Columns get the
    names that the other functions of this package expect, and times become dates.

    Parameters
    ----------
    source : str or path
        A zip, a folder or a file, which may be packed by gzip. Unpack other archives.
    dataset : str, default=None
        "movielens-100k"; "movielens-1m", also for 10M; "movielens", for 20M and later and
        the latest; "amazon-2023"; "amazon", for 2014 and 2018; "retailrocket"; "yoochoose";
        "online-retail-ii" as CSV; "lastfm-360k". By default the one that the files fit. A
        single file may have any name if this is given.

    Returns
    -------
    Bunch
        ``frame``: a pandas DataFrame that begins with ``user``, ``item`` and, if the data
        set has them, ``rating`` and ``time`` (in UTC), and goes on with its other columns.
        ``item_features`` and ``user_features``: DataFrames that begin with the id, or None.
        ``dataset``: its name. ``n_left_out``: the number of rows that are not in ``frame``:
        those without a user or an item and, in "online-retail-ii", returns. ``DESCR``:
        source, terms and citation.

    Raises
    ------
    ValueError
        If no file, or several, fit a data set, or the file cannot be read.
    FileNotFoundError
        If `source` does not exist.
    ImportError
        If pandas is not installed.

    See Also
    --------
    fetch_movielens : Download a data set, and read it.
    make_interactions : A synthetic log of users, items and times.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn_rank.datasets import read_log
    >>> with TemporaryDirectory() as folder:
    ...     rows = "196\t242\t3\t881250949\n186\t302\t3\t891717742\n"
    ...     _ = Path(folder, "u.data").write_text(rows)
    ...     log = read_log(folder)
    >>> log.dataset
    'movielens-100k'
    >>> log.frame
       user  item  rating                time
    0   196   242       3 1997-12-04 15:55:49
    1   186   302       3 1998-04-04 19:22:22
    """
    pd = import_pandas("read_log")
    check_given("source", source, isinstance(source, str | PathLike), "a path")
    if dataset is not None:
        check_option("dataset", dataset, load_formats())
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(
            f"{fspath(source)!r} does not exist; pass the archive, folder or file of a "
            "data set that you downloaded, or see fetch_movielens."
        )
    try:
        return _read_log(pd, path, dataset)
    except UnpackingError as error:
        message = f"cannot be unpacked: {error}."
    except ValueError as error:
        message = str(error)
    # Names and cells of the file may hold controls, which a cause would show as they are.
    raise ValueError(f"`source` {escape_controls(message)}")


def _read_log(pd: Any, path: Path, dataset: str | None) -> Bunch:
    files = _list_files(path)
    format_name, name = _find_log(path, files, dataset)
    form = load_formats()[format_name]
    try:
        frame, n_left_out = _clean(pd, path, name, form)
        items, users = (
            _read_beside(path, name, files, form.get(of)) for of in ("items", "users")
        )
    except UnpackingError:
        raise
    except ValueError as error:
        raise ValueError(f"cannot be read as {format_name!r}: {error}") from error
    return Bunch(
        frame=frame,
        item_features=items,
        user_features=users,
        dataset=format_name,
        n_left_out=n_left_out,
        DESCR=form["about"].strip(),
    )


def _find_log(source: Path, files: list[str], dataset: str | None) -> tuple[str, str]:
    """Return the name of the data set that is there, and of the file with its log."""
    is_named = dataset is not None and not source.is_dir() and len(files) == 1
    fitting = [
        (format_name, file)
        for format_name, form in load_formats().items()
        if dataset in (None, format_name)
        for file in files
        if (is_named or fnmatchcase(_plain_name(file), form["log"]["file"]))
        and _begins_well(source, file, **form["log"])
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(f"{file} ({format_name})" for format_name, file in fitting[:5])
        raise ValueError(
            f"has {len(fitting)} files that fit: {names}; pass one of the files."
        )
    raise ValueError(
        f"has no log of {dataset or ' or '.join(load_formats())}; it has "
        f"{', '.join(files[:5]) or 'no file'}. Read other logs with pandas.read_csv, and "
        "name the columns user, item and, if there are any, rating and time."
    )


def _list_files(source: Path) -> list[str]:
    if source.is_dir():
        files = (path for path in source.rglob("*") if path.is_file())
        return sorted(path.relative_to(source).as_posix() for path in files)
    if not is_zipfile(source):
        return [source.name]
    with _open_archive(source) as archive:
        names = archive.namelist()
    # Archives of one system have a second file beside each, with its attributes.
    return [name for name in names if not name.endswith("/") and "__MACOSX/" not in name]


def _plain_name(file: str) -> str:
    return PurePosixPath(file).name.removesuffix(".gz")


@contextmanager
def _open_archive(source: Path) -> Iterator[ZipFile]:
    with raise_unpacking_errors("zipfile"), open_archive(ZipFile, source) as archive:
        yield archive


@contextmanager
def _open_file(source: Path, file: str) -> Iterator[Any]:
    """Open one of the files, unpacked."""
    if source.is_dir() or not is_zipfile(source):
        with open_unpacked(source / file if source.is_dir() else source) as plain:
            yield plain
        return
    with _open_archive(source) as archive, open_archive(archive.open, file) as packed:
        # What unpacks is closed with what it reads.
        yield gzip.GzipFile(fileobj=packed) if file.endswith(".gz") else packed


def _begins_well(
    source: Path, name: str, columns: Any, separator: str = ",", **_: Any
) -> bool:
    """Return whether the first row is the header, or one without a header."""
    with _open_file(source, name) as plain:
        text = plain.readline(_LONGEST_ROW).decode("utf-8-sig", "replace")
    text = re.split("[\r\n]", text, maxsplit=1)[0]
    row = next(csv.reader([text])) if separator == "," else text.split(separator)
    if isinstance(columns, dict):
        return set(columns) <= set(row)
    # A header has a word where a file without one has a rating.
    rating = dict(zip(columns, row, strict=False)).get("rating", "0")
    return len(row) == len(columns) and rating.replace(".", "", 1).isdecimal()


def _read_table(source: Path, file: str, table: dict[str, Any]) -> Any:
    try:
        return _parse(source, file, "utf-8", **table)
    except UnicodeDecodeError:  # older files; every byte is a letter in Latin-1
        return _parse(source, file, "latin-1", **table)
    except UnpackingError:
        raise
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error


def _parse(
    source: Path,
    name: str,
    encoding: str,
    columns: Any,
    separator: str = ",",
    text: tuple[str, ...] = (),
    **_: Any,
) -> Any:
    import pandas as pd

    has_header = isinstance(columns, dict)
    is_short = len(separator) == 1
    # Without it pandas below 3 ends the process on 1e2147483648; later ones have no other.
    precision: Any = {"float_precision": "round_trip"} if pd.__version__ < "3" else {}
    with _open_file(source, name) as plain:
        if not is_short:
            delimiter = _ONE_CHARACTER.encode()
            plain = BytesIO(plain.read().replace(separator.encode(), delimiter))
        frame = pd.read_csv(
            plain,
            sep=separator if is_short else _ONE_CHARACTER,
            header=0 if has_header else None,
            names=None if has_header else columns,
            dtype=dict.fromkeys(text, str),
            encoding=encoding,
            # Elsewhere a quote is a letter, such as in the title of a film.
            quoting=csv.QUOTE_MINIMAL if separator == "," else csv.QUOTE_NONE,
            # "NA" and "None" are names, too.
            keep_default_na=False,
            na_values=[""],
            low_memory=False,
            **precision,
        )
    if not isinstance(frame.index, pd.RangeIndex):  # the first cells became labels
        raise ValueError("its rows have more cells than columns are named.")
    return frame.rename(columns=columns) if has_header else frame


def _clean(pd: Any, source: Path, name: str, form: dict[str, Any]) -> tuple[Any, int]:
    """Return the rows with a user and an item, and how many rows are left out."""
    frame = _read_table(source, name, form["log"])
    refuse = partial(_refuse_cells, source, name, form["log"])
    if "length_of_items" in form:
        frame = _name_by_length(frame, form["length_of_items"])
    numbers = ["time"] if "unit" in form else []
    for column in {"rating", "quantity", *numbers}.intersection(frame):
        frame[column] = _as_numbers(frame[column])
        is_wrong = frame[column].notna() & ~(frame[column].abs() <= _LARGEST_EXACT)
        refuse(is_wrong, f"no {column} up to 2**53")
    is_out = frame["user"].isna() | frame["item"].isna()
    if form.get("has_returns"):
        is_out |= frame["invoice"].str.startswith("C", na=False) | (frame["quantity"] <= 0)
    frame = frame[~is_out]
    for column in ("user", "item"):
        ids = frame[column]
        if ids.dtype.kind == "f":  # integers, in a column with gaps
            is_whole = (ids % 1 == 0) & (ids.abs() <= _LARGEST_EXACT)
            refuse(~is_whole, f"no {column} that is a whole number up to 2**53")
            frame[column] = ids.astype("int64")
    if "time" in frame:
        unit = form.get("unit")
        options = {"unit": unit} if unit else {"format": "ISO8601"}
        time = pd.to_datetime(frame["time"], utc=True, errors="coerce", **options)
        refuse(time.isna() & frame["time"].notna(), "no time")
        frame["time"] = time.dt.tz_localize(None)
    first = [column for column in ("user", "item", "rating", "time") if column in frame]
    columns = [*first, *frame.columns.difference(first, sort=False)]
    return frame[columns].reset_index(drop=True), int(is_out.sum())


def _as_numbers(cells: Any) -> Any:
    """Return numbers, infinite where a cell is something else; missing ones stay so."""
    if cells.dtype.kind in "iuf":
        return cells
    return cells.map(lambda cell: _as_number(str(cell)), na_action="ignore").astype(float)


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.inf


def _refuse_cells(
    source: Path, name: str, table: dict[str, Any], is_wrong: Any, needed: str
) -> None:
    """Raise with the line of the first of the rows that are wrong, if there is one."""
    if not is_wrong.any():
        return
    # Rows count as the table was read; the line of names does not count.
    row = int(is_wrong.idxmax()) + isinstance(table["columns"], dict)
    line = row + 1
    separator = table.get("separator", ",")
    quoting: Any = csv.QUOTE_MINIMAL if separator == "," else csv.QUOTE_NONE
    with _open_file(source, name) as plain:
        reader = csv.reader(TextIOWrapper(plain, "latin-1", newline=""), quoting=quoting)
        # pandas skips empty lines.
        lines = (
            reader.line_num for cells in reader if cells[1:] or "".join(cells).strip(" ")
        )
        with suppress(csv.Error):  # a field that is too long
            line = next(islice(lines, row, None), line)
    raise ValueError(f"{name}: line {line} has {needed}.")


def _name_by_length(frame: Any, length: int) -> Any:
    """Name the columns of ids: items are those with ids of this length only."""
    is_item = [(frame[name].str.len() == length).all() for name in ("first", "second")]
    if is_item[0] == is_item[1]:
        raise ValueError(
            f"users and items look alike: ids of items have {length} characters, and those "
            "of users do not. Name the columns yourself, with pandas.read_csv."
        )
    names = ("item", "user") if is_item[0] else ("user", "item")
    return frame.rename(columns=dict(zip(("first", "second"), names, strict=True)))


def _read_beside(
    source: Path, log: str, files: list[str], table: dict[str, Any] | None
) -> Any:
    """Return the table beside the log, or None."""
    if table is None:
        return None
    file = PurePosixPath(log).with_name(table["file"]).as_posix()
    return _read_table(source, file, table) if file in files else None


# Fetch MovieLens, as scikit-learn fetches its data sets.

_ADDRESS = "https://files.grouplens.org/datasets/movielens"
# The SHA-256 of each archive.
_ARCHIVES = {
    "100k": "50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229",
    "1m": "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
}


@explained
def fetch_movielens(
    name: Literal["100k", "1m"] = "100k",
    *,
    data_home: str | PathLike[str] | None = None,
    download_if_missing: bool = True,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Bunch:
    """
    Download MovieLens once, and read its ratings of films.

    The archive stays in ``data_home``; later calls open no address. Its terms allow
    research; see ``DESCR`` and the README in the archive.

    Parameters
    ----------
    name : {"100k", "1m"}, default="100k"
        100,000 ratings by 943 users of 1,682 films, or 1,000,209 by 6,040 of 3,706.
        Download the larger ones yourself, and pass them to :func:`read_log`.
    data_home : str or path, default=None
        The folder for data; the archive is put into its folder ``movielens``. By default
        that of scikit-learn, ``~/scikit_learn_data``.
    download_if_missing : bool, default=True
        Whether to download; False raises if the archive is not there.
    n_retries : int, default=3
        How often to try again if the download fails.
    delay : float, default=1.0
        Seconds between two tries.

    Returns
    -------
    Bunch
        What :func:`read_log` returns of the archive.

    Raises
    ------
    OSError
        If the archive is not there and cannot be downloaded, or is not the one that is
        expected: the message names the address, the reason, and where to put the file.
    ValueError
        If there is no data set of this name.
    ImportError
        If pandas is not installed.

    See Also
    --------
    read_log : Read other public data sets.
    make_interactions : A synthetic log, without a download.

    Examples
    --------
    >>> from sklearn_rank.datasets import fetch_movielens
    >>> movielens = fetch_movielens()  # doctest: +SKIP
    >>> movielens.frame.shape  # doctest: +SKIP
    (100000, 4)
    >>> movielens.item_features["title"][0]  # doctest: +SKIP
    'Toy Story (1995)'
    """
    # Beside its data scikit-learn loads what many calls of this package do not need.
    from sklearn.datasets import fetch_file, get_data_home

    import_pandas("fetch_movielens")
    check_option(
        "name", name, _ARCHIVES, otherwise="Download others, and read them with read_log."
    )
    is_path = data_home is None or isinstance(data_home, str | PathLike)
    check_given("data_home", data_home, is_path, "a path or None (that of scikit-learn)")
    check_option("download_if_missing", download_if_missing, (True, False))
    n_retries = check_integer("n_retries", n_retries, minimum=0)
    delay = check_real("delay", delay, "a number of seconds >= 0", least=0)
    folder = Path(get_data_home(data_home)) / "movielens"
    url = f"{_ADDRESS}/ml-{name}.zip"
    path = folder / f"ml-{name}.zip"
    advice = (
        f"Download {url} by other means to {str(path)!r} and call this again, or call "
        "read_log with the path of a copy that you have."
    )
    if not download_if_missing and not path.exists():
        raise OSError(f"The archive is missing, and download_if_missing=False. {advice}")
    if download_if_missing:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # scikit-learn checks what is there already, too.
            fetch_file(url, folder, None, _ARCHIVES[name], n_retries, delay)
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise OSError(f"{url} cannot be downloaded: {reason}. {advice}") from error
    return read_log(path)
