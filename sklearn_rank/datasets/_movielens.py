"""Fetch MovieLens, as scikit-learn fetches its data sets."""

from __future__ import annotations

from http.client import HTTPException
from os import PathLike
from pathlib import Path
from typing import Literal

from sklearn.utils import Bunch

from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
    import_pandas,
)
from sklearn_rank.datasets._logs import read_log

_ADDRESS = "https://files.grouplens.org/datasets/movielens"
# The SHA-256 of each archive.
_ARCHIVES = {
    "100k": "50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229",
    "1m": "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
}


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
