"""A fitted model in a file: a line of JSON that says what it is, then joblib's bytes."""

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import sklearn

from sklearn_rank import __version__
from sklearn_rank._cli.printing._errors import InputError, shown
from sklearn_rank._cli.writing._new_file import new_file

TRUST = (
    "A model file runs code when it is loaded: load only files of people whom you trust."
)
ANY_START = b'{"sklearn-rank model": '
START = ANY_START + b"1, "
LONGEST_HEADER = 2**20
DIGEST_SIZE = hashlib.sha256().digest_size
# A model of another feature release may load, and then give other numbers.
CHECKED = ("sklearn-rank", "scikit-learn")


@dataclass(frozen=True)
class SavedModel:
    """A model, and how the log was read that it was fitted on."""

    model: Any
    columns: dict[str, str]  # by role: user, item, and time and rating where used
    metric: str | None  # that it was tuned by
    versions: dict[str, str]  # of packages, when it was saved


def write_model(
    path: str,
    model: Any,
    *,
    columns: Mapping[str, str],
    metric: str | None,
    force: bool = False,
) -> None:
    """Write a fitted model to a file, complete or not at all.

    `columns` are the names of columns by role, `metric` is what the model was tuned by.
    A file of that name is replaced only with `force`.
    """
    about = {"versions": _versions(), "columns": dict(columns), "metric": metric}
    header = START + json.dumps(about)[1:].encode() + b"\n"
    with new_file(path, force=force) as file:
        # The place of the digest, which is known when the model is written.
        file.write(header + bytes(DIGEST_SIZE))
        joblib.dump(model, file)
        file.seek(len(header) + DIGEST_SIZE)
        digest = _digest(header, file)
        file.seek(len(header))
        file.write(digest)


def read_model(path: str) -> SavedModel:
    """Return what `write_model` wrote; trust whoever made the file.

    No code of the file runs before its versions and its bytes are checked.
    """
    try:
        with open(path, "rb") as file:
            about = _read_header(path, file)
            _check_versions(path, about["versions"])
            return SavedModel(_load(path, file), **about)
    except OSError as error:
        raise InputError(f"Cannot read {path!r}: {error.strerror or error}.") from error


def _versions() -> dict[str, str]:
    return {
        "sklearn-rank": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "joblib": joblib.__version__,
        "python": platform.python_version(),
    }


def _digest(header: bytes, file: Any) -> bytes:
    """Return the digest of the header and of what follows in the file."""
    return hashlib.file_digest(file, lambda: hashlib.sha256(header)).digest()


def _read_header(path: str, file: Any) -> dict[str, Any]:
    """Return what the first line says, and leave the file where the model begins."""
    header = file.readline(LONGEST_HEADER)
    if header.startswith(ANY_START) and not header.startswith(START):
        raise InputError(
            f"The model {path!r} has the form of another release of sklearn-rank; install "
            "that release, or fit it again with this one."
        )
    if not header.startswith(START):
        raise InputError(
            f"{path!r} is no model file of sklearn-rank; `sklearn-rank tune --save` makes "
            "one."
        )
    digest = file.read(DIGEST_SIZE)
    start = file.tell()
    if _digest(header, file) != digest:
        raise InputError(
            f"The model {path!r} is damaged or not whole; copy it again, or fit it again."
        )
    file.seek(start)
    about = _parsed(header)
    if about is None:
        raise InputError(
            f"The first line of the model {path!r} is not as sklearn-rank writes it; fit "
            "the model again with `sklearn-rank tune --save`."
        )
    return about


def _parsed(header: bytes) -> dict[str, Any] | None:
    """Return what a first line says, None where it does not say all that is needed."""
    try:
        read = json.loads(header)
        about = {name: read[name] for name in ("versions", "columns", "metric")}
    except (ValueError, KeyError, RecursionError):
        return None
    versions, columns, metric = about.values()
    is_whole = (
        _are_names(versions)
        and set(CHECKED) <= set(versions)
        and _are_names(columns)
        and isinstance(metric, str | None)
    )
    return about if is_whole else None


def _are_names(given: Any) -> bool:
    return isinstance(given, dict) and all(isinstance(one, str) for one in given.values())


def _check_versions(path: str, saved: Mapping[str, str]) -> None:
    here = _versions()
    if all(_release(saved[name]) == _release(here[name]) for name in CHECKED):
        return
    made, found = (
        " and ".join(f"{name} {versions[name]}" for name in CHECKED)
        for versions in (saved, here)
    )
    raise InputError(
        f"The model {path!r} was saved with {made}; here are {found}, with which it may "
        "give other results. Install those versions, or fit it again with these."
    )


def _release(version: str) -> list[str]:
    return version.split(".")[:2]


def _load(path: str, file: Any) -> Any:
    try:
        return joblib.load(file)
    # The bytes are those that were written: what is missing is the code of the model.
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"The model {path!r} needs code that is not here: {shown(error)}. Install the "
            "package that it comes from."
        ) from error
