"""Write the files of a command into one folder; save and load the model of `tune`."""

import json
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import joblib
import pandas as pd

from sklearn_rank._base._machine import __version__
from sklearn_rank._cli._errors import InputError, quote_value
from sklearn_rank._cli._new_files import new_file, write_set
from sklearn_rank._cli.reading._judged_runs import ComparedRuns
from sklearn_rank._display._figures import as_png, new_figure
from sklearn_rank._display._page import build_page
from sklearn_rank._display._result import as_json_types
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._model_tuning import FRONT, NOVELTY
from sklearn_rank.recommenders import load_model
from sklearn_rank.recommenders._model_file import ZIP_START, write_model
from sklearn_rank.statistics import ModelComparison, ModelGate
from sklearn_rank.statistics._comparison_display import draw_each_metric

PAGE = "report.html"
PICTURE = "metric_at_k"
TEST_SCORES = "test_scores.txt"
# All files of commands that tune or compare: a folder never has files of two runs.
TUNED_FILES = (
    *("cv_results.csv", "report.txt", "report.json", PAGE),
    *(f"{PICTURE}.png", f"{FRONT}.png", TEST_SCORES),
)
COMPARED_PICTURE = "comparison.png"
COMPARED_FILES = (
    *("comparison.txt", "comparison.json", "per_query.csv", PAGE, COMPARED_PICTURE),
)


def write_results(
    options: Mapping[str, Any],
    tuned: ModelTuning,
    paragraphs: list[str],
    results: Mapping[str, Any],
    others: Mapping[str, str] | None = None,
) -> str:
    """Write the results into the folder of --output and return the lines that report it.

    `options`, what the search found and the further `results` go into report.json,
    `paragraphs` into report.txt. `others` are the files that only this command writes.
    """
    texts = {
        "cv_results.csv": tuned.candidates.to_csv(index=False),
        "report.txt": "\n\n".join(paragraphs) + "\n",
        **(others or {}),
        "report.json": as_json(options, {**tuned.to_dict(), **results}),
        PAGE: build_page(tuned),
    }
    kinds = [PICTURE] * bool(tuned.models_) + [FRONT] * (NOVELTY in tuned.metrics[1:])
    pictures = {f"{kind}.png": partial(tuned._figure, kind, new_figure) for kind in kinds}
    return _write_files(options["output"], texts, pictures, TUNED_FILES)


def _write_files(
    folder: str,
    texts: Mapping[str, str],
    pictures: Mapping[str, Callable[[], Any]],
    names: tuple[str, ...],
) -> str:
    """Write texts and pictures into a folder and return the lines that say so.

    Pictures are left out without matplotlib. `names` are all files that a run may write.
    """
    # A path among the options may have bytes that are not text.
    files = {name: text.encode(errors="backslashreplace") for name, text in texts.items()}
    lines = []
    for picture, draw in pictures.items():
        try:
            files[picture] = as_png(draw())
        except ImportError as error:
            lines.append(f"{picture} is left out. {error}")
    removed = write_set(folder, files, names)
    if removed:
        lines.append(f"Removed {', '.join(removed)} of an earlier run.")
    return "\n".join([f"Wrote {', '.join(files)} into {folder}.", *lines])


def as_json(options: Mapping[str, Any], results: Mapping[str, Any]) -> str:
    """Return the options and the results of a run as JSON."""
    kept = {name: value for name, value in options.items() if name != "command"}
    report = {"sklearn_rank": __version__, "options": kept, **results}
    return json.dumps(as_json_types(report), indent=2, allow_nan=False) + "\n"


def write_comparison(
    options: Namespace,
    compared: ComparedRuns | ModelGate,
    paragraphs: Sequence[str],
    *,
    lists: Mapping[str, Any] | None = None,
    **others: Any,
) -> str:
    """Write the files into the folder of --output and return the lines that report them.

    The page shows the `lists`, if they are known; `others` also go into comparison.json.
    """
    comparison = compared.comparison
    results = {**others, **comparison.to_dict(), "notes": compared.notes}
    texts = {
        "comparison.txt": "\n\n".join(paragraphs) + "\n",
        "comparison.json": as_json(vars(options), results),
        "per_query.csv": _per_query(comparison).to_csv(index=False),
        PAGE: comparison.to_html(lists=lists) or "",
    }
    pictures = {COMPARED_PICTURE: partial(draw_each_metric, comparison, new_figure)}
    return _write_files(options.output, texts, pictures, COMPARED_FILES)


def _per_query(comparison: ModelComparison) -> pd.DataFrame:
    """Return a row for each metric and query, a column per model; empty is undefined."""
    labels: Any = comparison.labels
    queries = pd.Index(labels, tupleize_cols=False)
    frames = {
        metric: pd.DataFrame(values, queries)
        for metric, values in comparison.values.items()
    }
    # A model may have any name, even "query".
    return pd.concat(frames, names=["metric", "query"]).reset_index(allow_duplicates=True)


# The model of `tune` is a file of data only, or a pickle if it needs other libraries.

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
            is_model_file = file.read(len(ZIP_START)) == ZIP_START
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
            f"{path!r} cannot be loaded as a pickle: {quote_value(error)}. Install what it "
            "needs, or fit the model again."
        ) from error
