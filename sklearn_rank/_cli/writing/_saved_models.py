"""Save and load the model of `tune`: data only, or a pickle if it needs other libraries."""

from typing import Any

import joblib

from sklearn_rank._cli.printing._errors import InputError, shown
from sklearn_rank._cli.writing._new_file import new_file
from sklearn_rank.recommenders import load_model
from sklearn_rank.recommenders._model_file import START, write_model

PICKLE = (
    "It is a pickle, which runs code when it is loaded: `recommend` needs --trust; use it "
    "only for files of people you trust."
)


def save_model(path: str, model: Any, *, force: bool = False) -> bool:
    """Write a fitted model atomically; return whether it is a pickle.

    A file of that name is replaced only with `force`.
    """
    with new_file(path, force=force) as file:
        try:
            write_model(model, file)
        except TypeError:  # it has objects of other libraries
            file.seek(0)
            file.truncate()
            joblib.dump(model, file)
            return True
    return False


def read_model(path: str, *, trust: bool = False) -> Any:
    """Return the model in a file; with `trust` it may be a pickle, and its code runs."""
    try:
        with open(path, "rb") as file:
            is_model_file = file.read(len(START)) == START
        if is_model_file:
            return load_model(path)
    except OSError as error:
        raise InputError(f"Cannot read {path!r}: {error.strerror or error}.") from error
    if not trust:
        raise InputError(
            f"{path!r} is not a model file of sklearn-rank; `sklearn-rank tune --save` and "
            "save_model make one. If it is a pickle, add --trust, which runs the code in "
            "it: only if you trust its author."
        )
    try:
        return joblib.load(path)
    except Exception as error:  # its code may raise anything
        raise InputError(
            f"{path!r} cannot be loaded as a pickle: {shown(error)}. Install what it "
            "needs, or fit the model again."
        ) from error
