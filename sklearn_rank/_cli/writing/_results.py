"""The files that every command writes: candidates, report and picture, in one folder."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from sklearn_rank import __version__
from sklearn_rank._cli.writing._output_files import write_set
from sklearn_rank.experiments._as_json import as_json_types

PICTURE = "metric_at_k.png"
FRONT = "accuracy_and_novelty.png"
TEST_SCORES = "test_scores.txt"
# Of every command that tunes: in one folder there are never files of two runs.
FILE_NAMES = ("cv_results.csv", "report.txt", "report.json", PICTURE, FRONT, TEST_SCORES)


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
    return write_files(options["output"], files, pictures, FILE_NAMES)


def write_files(
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
