"""Files of fitted recommenders; reading them runs no code.

The file is a zip of arrays, as numpy.savez writes it, with JSON that describes them.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import zlib
from os import PathLike
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo, is_zipfile

from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._files import atomic_file
from sklearn_rank._base._machine import versions
from sklearn_rank._base._validation import shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._stored_values import (
    StoredValueError,
    ValueReader,
    ValueWriter,
    json_bytes,
    public_name,
)

# Increased when the format changes.
FORMAT = 2
ZIP_START = b"PK"  # of every zip file
ABOUT_ENTRY = "model.json"
# Versions of packages: errors show those of a file, which may have any text.
_VERSION = re.compile(r"v?\d[\w.!+-]{0,63}", re.ASCII)
# Errors of zip files, JSON and constructors for damaged content.
_DAMAGE_ERRORS = (
    *(BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError),
)


@explained
def save_model(model: RecommenderMixin, path: str | PathLike[str]) -> None:
    """Write a fitted recommender to a file that `load_model` reads.

    The file holds numbers, text and arrays, and nothing that runs when it is read. What
    `load_model` returns gives the same lists and scores, to the last bit.

    All recommenders of this package can be saved, with what they hold of
    `sklearn.decomposition`, `sklearn.linear_model`, `sklearn.impute`,
    `sklearn.preprocessing`, and of pipelines of these. `ImplicitRecommender`, rankers of
    other libraries and classes of your own are refused: keep them by ``joblib.dump``, a
    pickle. Loading a pickle runs its code.

    Parameters
    ----------
    model : recommender
        A fitted recommender. For a search pass ``best_estimator_``.
    path : str or path
        Name of the file, with any ending; ``.npz`` says that `numpy.load` opens it. A file
        of this name is replaced once the new one is complete.

    Raises
    ------
    TypeError
        If the model is not a recommender of this package, or holds an object that is
        neither a number, text, a date nor an array, such as ids of a class of your own.
    NotFittedError
        If the model is not fitted.
    ValueError
        If `path` is a folder or a device.
    OSError
        If the file cannot be written; one that was there stays.

    See Also
    --------
    load_model : Read the file.

    Notes
    -----
    The file is a zip with an entry for each array, in the format ``.npy``, and an entry
    ``model.json``: the number of the format, the versions of the packages, the parameters,
    and for each array its SHA-256. These digests tell of damage. They are not a signature:
    a person who changes an array can change its digest, too.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_rank.recommenders import EASERecommender, load_model, save_model
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["eve", "milk"]]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ease.npz")
    ...     save_model(EASERecommender().fit(X), path)
    ...     model = load_model(path)
    >>> model.recommend(["eve"], k=1).tolist()
    [['tea']]
    """
    if not _is_recommender(model):
        raise TypeError(
            "`model` must be a fitted recommender of sklearn_rank.recommenders, got "
            f"{shorten(model)}. From a search pass `best_estimator_`, from a pipeline its "
            "last step. Save your own class with joblib.dump, as a pickle."
        )
    check_is_fitted(model)
    target = Path(path)
    if target.exists() and not target.is_file():
        raise ValueError(
            f"`path` must name a file, got the folder or device {shorten(path)}."
        )
    with atomic_file(target) as file:
        write_model(model, file)


@explained
def load_model(path: str | PathLike[str]) -> RecommenderMixin:
    """Read a recommender that `save_model` wrote.

    Nothing in the file is run, so that a file from anywhere may be read. Whether its
    numbers are those of its maker, it cannot prove: the digests in it tell of damage, and
    are not a signature.

    Parameters
    ----------
    path : str or path
        Name of the file.

    Returns
    -------
    model : recommender
        The fitted recommender, of the class that was saved.

    Raises
    ------
    ValueError
        If the file is not a model file, is damaged, incomplete or compressed, holds no
        recommender, has an array that was changed, was written by another release in a form
        that this one does not know, or holds a decomposition of another release of
        scikit-learn.
    OSError
        If the file cannot be read.

    See Also
    --------
    save_model : Write the file; says what is in it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_rank.recommenders import PopularityRecommender, load_model, save_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "popular.npz")
    ...     save_model(PopularityRecommender().fit([["ann", "tea"]]), path)
    ...     print(load_model(path))
    PopularityRecommender()
    """
    # `open` would take a number as a file descriptor, and close it.
    with open(Path(path), "rb") as file:
        return _read_model(file, repr(os.fspath(path)))


def write_model(model: Any, file: IO[bytes]) -> None:
    """Write a fitted recommender to an open file."""
    digests = {}
    with ZipFile(file, "w") as archive:

        def add(name: str, content: bytes) -> None:
            # A fixed time: equal models make equal files.
            archive.writestr(ZipInfo(name), content)
            digests[name] = hashlib.sha256(content).hexdigest()

        written = ValueWriter(add).write(model, "")
        about = {"format": FORMAT, "versions": versions(), "sha256": digests}
        add(ABOUT_ENTRY, json_bytes(about | {"model": written}))


def _read_model(file: IO[bytes], name: str) -> Any:
    if file.read(len(ZIP_START)) != ZIP_START:
        raise ValueError(
            f"{name} is not a model file that `save_model` wrote. If it is a pickle, "
            "joblib.load reads it and runs its code: do so only if you trust its source."
        )
    if not is_zipfile(file):
        raise ValueError(f"The model file {name} is incomplete; copy or save it again.")
    try:
        with ZipFile(file) as archive:
            if ABOUT_ENTRY not in archive.namelist():
                raise StoredValueError(
                    f"has no entry {ABOUT_ENTRY!r}, which `save_model` writes"
                )
            if any(info.compress_type != ZIP_STORED for info in archive.infolist()):
                # A few bytes of a compressed entry can fill the memory.
                raise StoredValueError(
                    "is compressed, and `save_model` compresses nothing. If you trust its "
                    "source, unpack it and pack it again without compression"
                )
            about = json.loads(archive.read(ABOUT_ENTRY))
            return _read_archive(archive, about)
    except StoredValueError as error:
        raise ValueError(f"The file {name} {error}.") from error
    except (*_DAMAGE_ERRORS, RecursionError, OSError) as error:
        # A place before the start of the file cannot be read; other such errors are the
        # machine's.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise ValueError(
            f"The model file {name} is damaged, or not as `save_model` writes it; copy or "
            f"save it again ({type(error).__name__}: {error})."
        ) from error


def _read_archive(archive: ZipFile, about: dict[str, Any]) -> Any:
    written, here = about["versions"], versions()
    # A later format may name other packages.
    for package in ("sklearn-rank", "scikit-learn"):
        version = written.get(package, "0")
        if not (isinstance(version, str) and _VERSION.fullmatch(version)):
            raise ValueError(f"{shorten(version)} is not a version of {package}")
    if type(about["format"]) is not int or about["format"] < 1:
        raise ValueError(f"{shorten(about['format'])} is not a format")
    if about["format"] < FORMAT:
        raise StoredValueError(
            f"is in format {about['format']}, and this release reads format {FORMAT}. Fit "
            "the model again, and save it"
        )
    if about["format"] > FORMAT:
        raise StoredValueError(
            f"was written by sklearn-rank {written['sklearn-rank']} in format "
            f"{shorten(about['format'])}; this is sklearn-rank {here['sklearn-rank']}, "
            f"which reads format {FORMAT}. Install sklearn-rank "
            f"{written['sklearn-rank']} or newer"
        )

    def entry(name: str) -> bytes:
        content = archive.read(name)
        if hashlib.sha256(content).hexdigest() != about["sha256"][name]:
            raise StoredValueError(
                f"has an array, {shorten(name)}, that was changed after it was saved: "
                "its SHA-256 digest differs. Copy or save the model again"
            )
        return content

    def check(kind: str) -> None:
        saved, current = written["scikit-learn"], here["scikit-learn"]
        if kind.startswith("sklearn.") and _release(saved) != _release(current):
            raise StoredValueError(
                f"holds {kind} of scikit-learn {saved}; with scikit-learn {current} it may "
                "give different numbers. Install that release, or fit the model again"
            )

    model = ValueReader(entry, check).read(about["model"])
    if not _is_recommender(model):
        raise StoredValueError(
            f"holds a value of the class {type(model).__name__}, which is not a "
            "recommender of this package"
        )
    check_is_fitted(model)
    return model


def _is_recommender(model: Any) -> bool:
    return public_name(type(model)) is not None and hasattr(model, "recommend")


def _release(version: str) -> list[str]:
    return version.split(".")[:2]
