"""What `rank` says about the comparison."""

from collections.abc import Mapping
from typing import Any

from sklearn_rank._cli.reading._query_files import Queries
from sklearn_rank._cli.tuning._comparison import (
    TUNED,
    Comparison,
    describe_paired,
    describe_reports,
)
from sklearn_rank._cli.writing._results import PICTURE, TEST_SCORES, write_results
from sklearn_rank._text._table import wrapped
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._ranker_families import EQUAL, RANKERS, UNTUNED

ALL_EQUAL = RANKERS[EQUAL].title
TITLES = {TUNED: "tuned model", "untuned": "untuned model", EQUAL: ALL_EQUAL}


def describe_comparison(comparison: Comparison, metric: str, width: int) -> str:
    """Return the table of all models on the test queries and what it means."""
    found = comparison.of_models("report")
    reports = {TITLES[model]: report for model, report in found.items()}
    table = describe_reports(reports, metric, "test queries", width)
    return "\n".join([*table, "", wrapped(verdict(comparison, metric), width)])


def verdict(comparison: Comparison, metric: str) -> str:
    """Return in words whether the tuned model ranks, and whether tuning was worth it."""
    best = comparison.models[TUNED]
    if best == EQUAL:
        return f"The search chose {ALL_EQUAL}: no model did better in validation."
    lines = _against(comparison, EQUAL, ALL_EQUAL, metric)
    if best.startswith(UNTUNED):
        lines.append("The search chose the untuned model: its own values did best.")
    elif "untuned" in comparison.models:
        lines += _against(comparison, "untuned", "the untuned model", metric)
    return "\n".join(lines)


def _against(comparison: Comparison, other: str, title: str, metric: str) -> list[str]:
    tuned, beaten = comparison.mean(TUNED), comparison.mean(other)
    lower = " (lower is better)" if comparison.lower_is_better else ""
    beats = "beats" if comparison.is_better(TUNED, other) else "does not beat"
    return [
        f"The tuned model {beats} {title}: {metric} {tuned:.4f} against {beaten:.4f}"
        f"{lower}.",
        describe_paired(comparison.against[other], "query"),
    ]


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
