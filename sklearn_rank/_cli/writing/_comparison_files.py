"""The files of a comparison: its text, its numbers, the values per query, a picture."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from sklearn_rank._cli.arguments._comparison_arguments import NAMES, PICTURE, TEXTS
from sklearn_rank._cli.reading._compared import Compared
from sklearn_rank._cli.writing._comparison_picture import draw_comparison
from sklearn_rank._cli.writing._results import as_json, write_files
from sklearn_rank.statistics import ModelComparison


def write_comparison(
    options: Mapping[str, Any],
    compared: Compared,
    paragraphs: Sequence[str],
    others: Mapping[str, Any] | None = None,
) -> str:
    """Write the files into the folder of --output and return the lines that say so.

    `others` is what else goes into comparison.json.
    """
    comparison = compared.comparison
    found = {
        **(others or {}),
        "settings": comparison.settings,
        "comparisons": [dict(row) for row in comparison.rows()],
        "means": pd.DataFrame(comparison.means).to_dict("records"),
        "n_undefined": comparison.n_undefined,
        "notes": compared.notes,
    }
    texts = (
        "\n\n".join(paragraphs) + "\n",
        as_json(options, found),
        _per_query(comparison).to_csv(index=False),
    )
    files = {
        name: text.encode(errors="backslashreplace")
        for name, text in zip(TEXTS, texts, strict=True)
    }
    pictures = {PICTURE: partial(draw_comparison, comparison)}
    return write_files(options["output"], files, pictures, NAMES)


def _per_query(comparison: ModelComparison) -> pd.DataFrame:
    """Return a row a metric and query, with a column a model; empty is undefined."""
    labels = comparison.labels
    parts = [
        pd.DataFrame(dict(enumerate([[metric] * len(labels), labels, *values.values()])))
        for metric, values in comparison.values.items()
    ]
    models = next(iter(comparison.values.values()))
    # Named at the end, for a model may have any name, "query" too.
    return pd.concat(parts).set_axis(["metric", "query", *models], axis="columns")
