"""The files of a run of `rank`."""

from argparse import Namespace
from dataclasses import asdict

import pandas as pd

from sklearn_rank._cli._picture import draw_metric_at_k
from sklearn_rank._cli._results import PICTURE, as_json, write_results
from sklearn_rank._cli.rank._comparison import Comparison
from sklearn_rank._cli.rank._queries import Queries
from sklearn_rank._cli.rank._text import TITLES

NAMES = ("cv_results.csv", "report.txt", "report.json", PICTURE, "test_scores.txt")


def write_run(
    options: Namespace,
    files: dict[str, Queries],
    candidates: pd.DataFrame,
    model: str,
    comparison: Comparison | None,
    said: list[str],
) -> str:
    """Write the files of a run and return the lines that say so.

    `files` are the training queries and perhaps the test queries, `model` is the best as
    Python.
    """
    found = {
        **{name: _about(queries) for name, queries in files.items()},
        "candidates": candidates.to_dict("records"),
        "model": model,
    }
    contents = {
        "cv_results.csv": candidates.to_csv(index=False),
        "report.txt": "\n\n".join(said) + "\n",
    }
    if comparison is None:
        contents["report.json"] = as_json(options, found)
        return write_results(options.output, contents, None, NAMES)
    judged = asdict(comparison)
    scores = judged.pop("test_scores")
    contents["test_scores.txt"] = "".join(f"{score!r}\n" for score in scores.tolist())
    contents["report.json"] = as_json(options, {**found, "comparison": judged})
    return write_results(options.output, contents, lambda: _draw(comparison), NAMES)


def _about(queries: Queries) -> dict:
    return {
        "source": queries.source,
        "rows": len(queries.y),
        "queries": len(queries.sizes),
        "features": queries.n_features,
        "highest_grade": queries.y.max(),
    }


def _draw(comparison: Comparison) -> bytes:
    curves = {TITLES[model]: values for model, values in comparison.curves.items()}
    return draw_metric_at_k(curves, comparison.curve_metric, "Test queries, mean")
