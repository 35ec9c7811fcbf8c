"""The files of a run of `rank`."""

from collections.abc import Mapping
from typing import Any

from sklearn_rank._cli.rank._text import TITLES
from sklearn_rank._cli.reading._query_files import Queries
from sklearn_rank._cli.tuning._experiment import Comparison
from sklearn_rank._cli.writing._results import PICTURE, TEST_SCORES, write_results
from sklearn_rank.experiments import ModelTuning


def write_run(
    options: Mapping[str, Any],
    files: dict[str, Queries],
    tuned: ModelTuning,
    model: str,
    comparison: Comparison | None,
    paragraphs: list[str],
) -> str:
    """Write the files of a run and return the lines that say so.

    `files` are the training queries and perhaps the test queries, `model` is the best as
    Python.
    """
    candidates = tuned.candidates
    found: dict[str, Any] = {
        **{name: _about(queries) for name, queries in files.items()},
        "candidates": candidates.to_dict("records"),
        "model": model,
    }
    if comparison is None:
        return write_results(options, candidates, paragraphs, found, {})
    found["comparison"] = {
        "metric": options["metric"],
        "lower_is_better": comparison.lower_is_better,
        # The title of the winner without its values.
        "chosen": str(candidates["model"].iloc[0]),
        "means": {name: comparison.mean(name) for name in comparison.models},
        **comparison.records(),
    }
    scores = tuned.models_[tuned.best_name_].predict(files["test"].X).tolist()
    titles = {name: TITLES[name] for name in comparison.models}
    return write_results(
        options,
        candidates,
        paragraphs,
        found,
        {PICTURE: comparison.picture(titles, "Test queries, mean")},
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
