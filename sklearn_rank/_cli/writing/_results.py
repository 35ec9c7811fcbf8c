"""The files of a command in one folder: tables, texts, numbers and pictures."""

import json
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from sklearn_rank import __version__
from sklearn_rank._cli.writing._output_files import write_set
from sklearn_rank._values._as_json import as_json_types
from sklearn_rank.experiments._evaluation_plot import as_png, new_figure
from sklearn_rank.statistics import ModelComparison

PICTURE = "metric_at_k.png"
FRONT = "accuracy_and_novelty.png"
TEST_SCORES = "test_scores.txt"
# Of all that tune, and of all that compare: in one folder there are never files of two.
TUNED_FILES = ("cv_results.csv", "report.txt", "report.json", PICTURE, FRONT, TEST_SCORES)
COMPARED_TEXTS = ("comparison.txt", "comparison.json", "per_query.csv")
COMPARED_PICTURE = "comparison.png"
COMPARED_FILES = (*COMPARED_TEXTS, COMPARED_PICTURE)
# In inches, and letters; what matplotlib draws at once has fewer than 2**16 pixels a side.
WIDTH, HEIGHT_OF_MODEL, HEIGHT_BESIDE = 6.4, 0.4, 1.4
OF_LETTER = 0.1
MOST_LETTERS = 30
RESOLUTION = 150
MOST_PIXELS = 60_000


def write_results(
    options: Mapping[str, Any],
    candidates: pd.DataFrame,
    paragraphs: list[str],
    found: Mapping[str, Any],
    pictures: Mapping[str, Callable[[], bytes]],
    others: Mapping[str, str] | None = None,
) -> str:
    """Write the results into the folder of --output and return the lines that say so.

    `options` and what was `found` go into report.json, `paragraphs` into report.txt.
    `pictures` draw those, which are left out where matplotlib is missing. `others` are the
    files that only this command writes.
    """
    texts = {
        "cv_results.csv": candidates.to_csv(index=False),
        "report.txt": "\n\n".join(paragraphs) + "\n",
        **(others or {}),
        "report.json": as_json(options, found),
    }
    # A path among the options may hold bytes that are no text.
    files = {name: text.encode(errors="backslashreplace") for name, text in texts.items()}
    return _write_files(options["output"], files, pictures, TUNED_FILES)


def _write_files(
    folder: str,
    files: dict[str, bytes],
    pictures: Mapping[str, Callable[[], bytes]],
    names: tuple[str, ...],
) -> str:
    """Write files and pictures into a folder and return the lines that say so.

    Pictures are left out where matplotlib is missing. `names` are all files that a run may
    write.
    """
    lines = []
    for picture, draw in pictures.items():
        try:
            files = {**files, picture: draw()}
        except ImportError as error:
            lines.append(f"{picture} is left out. {error}")
    removed = write_set(folder, files, names)
    if removed:
        lines.append(f"Removed {', '.join(removed)} of an earlier run.")
    return "\n".join([f"Wrote {', '.join(files)} into {folder}.", *lines])


def as_json(options: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return the options of a run and what it found, as JSON."""
    given = {name: value for name, value in options.items() if name != "command"}
    report = {"sklearn_rank": __version__, "options": given, **found}
    return json.dumps(as_json_types(report), indent=2, allow_nan=False) + "\n"


def write_comparison(
    options: Mapping[str, Any],
    comparison: ModelComparison,
    notes: Sequence[str],
    paragraphs: Sequence[str],
    others: Mapping[str, Any] | None = None,
) -> str:
    """Write the files into the folder of --output and return the lines that say so.

    `others` is what else goes into comparison.json.
    """
    found = {
        **(others or {}),
        "settings": comparison.settings,
        "comparisons": [dict(row) for row in comparison.rows()],
        "means": pd.DataFrame(comparison.means).to_dict("records"),
        "n_undefined": comparison.n_undefined,
        "notes": notes,
    }
    texts = (
        "\n\n".join(paragraphs) + "\n",
        as_json(options, found),
        _per_query(comparison).to_csv(index=False),
    )
    files = {
        name: text.encode(errors="backslashreplace")
        for name, text in zip(COMPARED_TEXTS, texts, strict=True)
    }
    pictures = {COMPARED_PICTURE: partial(_draw_comparison, comparison)}
    return _write_files(options["output"], files, pictures, COMPARED_FILES)


def _per_query(comparison: ModelComparison) -> pd.DataFrame:
    """Return a row a metric and query, with a column a model; empty is undefined."""
    labels = comparison.labels
    assert labels is not None  # as of all comparisons of queries
    parts = [
        pd.DataFrame(dict(enumerate([[metric] * len(labels), labels, *values.values()])))
        for metric, values in comparison.values.items()
    ]
    models = next(iter(comparison.values.values()))
    # Named at the end, for a model may have any name, "query" too.
    return pd.concat(parts).set_axis(["metric", "query", *models], axis="columns")


def _draw_comparison(comparison: ModelComparison) -> bytes:
    """Return a PNG with a part for each metric."""
    metrics = list(dict.fromkeys(comparison.columns["metric"].tolist()))
    names = _short_names(comparison.means["model"].tolist())
    is_matrix = comparison.settings["baseline"] is None
    width, height = _size_of_part(names.values(), is_matrix=is_matrix)
    resolution = min(RESOLUTION, MOST_PIXELS / max(height * len(metrics), width))
    shown = _renamed(comparison, names)
    figure = new_figure(width, height * len(metrics), resolution)
    import matplotlib as mpl  # which is there, as the figure is

    # Names of files are no formulas, and may have letters that no font at hand has.
    with mpl.rc_context({"text.parse_math": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        axes = figure.subplots(len(metrics), squeeze=False)[:, 0]
        for ax, metric in zip(axes, metrics, strict=True):
            shown.plot(metric=metric, ax=ax)
        return as_png(figure)


def _short_names(models: Iterable[str]) -> dict[str, str]:
    """Return names that leave room for the picture, and are distinct."""
    half = MOST_LETTERS // 2
    names = {
        name: name if len(name) <= MOST_LETTERS else f"{name[:half]}…{name[-half:]}"
        for name in models
    }
    if len(set(names.values())) == len(names):
        return names
    return {name: f"{n}: {short}" for n, (name, short) in enumerate(names.items(), 1)}


def _size_of_part(names: Collection[str], *, is_matrix: bool) -> tuple[float, float]:
    """Return width and height; names stand beside a picture, and aslant below a matrix."""
    beside = OF_LETTER * max(map(len, names))
    below = beside / 2 if is_matrix else 0.0
    return WIDTH + beside, HEIGHT_BESIDE + HEIGHT_OF_MODEL * len(names) + below


def _renamed(comparison: ModelComparison, names: Mapping[str, str]) -> ModelComparison:
    """Return what the picture needs of a comparison, with other names of the models."""
    rows = [
        {**row, "model": names[row.model], "baseline": names[row.baseline]}
        for row in comparison.rows()
    ]
    return ModelComparison(
        rows, lower_is_better=comparison.lower_is_better, settings=comparison.settings
    )
