"""The files of a run of `rank`."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from sklearn_rank._cli._paired import as_dicts
from sklearn_rank._cli._picture import draw_metric_at_k
from sklearn_rank._cli._results import PICTURE, TEST_SCORES, write_results
from sklearn_rank._cli.rank._comparison import RankerComparison
from sklearn_rank._cli.rank._queries import Queries
from sklearn_rank._cli.rank._text import TITLES


def write_run(
    options: Mapping[str, Any],
    files: dict[str, Queries],
    candidates: pd.DataFrame,
    model: str,
    comparison: RankerComparison | None,
    paragraphs: list[str],
) -> str:
    """Write the files of a run and return the lines that say so.

    `files` are the training queries and perhaps the test queries, `model` is the best as
    Python.
    """
    found: dict[str, Any] = {
        **{name: _about(queries) for name, queries in files.items()},
        "candidates": candidates.to_dict("records"),
        "model": model,
    }
    if comparison is None:
        return write_results(options, candidates, paragraphs, found, {})
    against = as_dicts(comparison.against)
    found["comparison"] = {**asdict(comparison), "against": against}
    scores = found["comparison"].pop("test_scores").tolist()
    return write_results(
        options,
        candidates,
        paragraphs,
        found,
        {PICTURE: lambda: _draw(comparison)},
        others={TEST_SCORES: "".join(f"{score!r}\n" for score in scores)},
    )


def _about(queries: Queries) -> dict:
    return {
        "source": queries.source,
        "rows": len(queries.y),
        "queries": len(queries.sizes),
        "features": queries.n_features,
        "highest_grade": queries.y.max(),
    }


def _draw(comparison: RankerComparison) -> bytes:
    curves = {TITLES[model]: values for model, values in comparison.curves.items()}
    return draw_metric_at_k(curves, comparison.curve_metric, "Test queries, mean")
