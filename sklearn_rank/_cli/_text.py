"""What `tune` says about candidates and the comparison."""

from argparse import Namespace

import pandas as pd

from sklearn_rank._cli._compare import Comparison
from sklearn_rank._cli._tables import describe_candidates, describe_paired, side_by_side
from sklearn_rank._cli._wording import counted

__all__ = ["describe_comparison", "describe_search", "verdict"]


def describe_search(candidates: pd.DataFrame, options: Namespace) -> str:
    """Return the candidates, best first, with mean and spread over the folds."""
    where = "windows of time" if options.cv == "time" else "last rows of each user"
    title = (
        f"Candidates by {options.metric} on {counted(options.folds, 'fold')}, {where}, "
        "within the training period:"
    )
    return describe_candidates(candidates, title, options.folds)


def describe_comparison(comparison: Comparison) -> str:
    """Return the table of both models on the last period and what it means."""
    tuned, popularity = comparison.report["tuned"], comparison.report["popularity"]
    head, *rows = side_by_side({"tuned model": tuned, "popularity": popularity})
    differences = [tuned[name]["mean"] - popularity[name]["mean"] for name in tuned]
    lines = [
        "On the last period, mean over users ± standard error:",
        f"{head}  difference",
        *(f"{row}  {by:+10.4f}" for row, by in zip(rows, differences, strict=True)),
    ]
    return "\n".join([*lines, "", verdict(comparison), f"As Python: {comparison.model}"])


def verdict(comparison: Comparison) -> str:
    """Return in words whether tuning was worth it."""
    if comparison.chose_popularity:
        return (
            "The search chose popularity: no other candidate did better in validation.\n"
            "The tuned model does not beat popularity; it is popularity."
        )
    tuned, popularity = comparison.scores["tuned"], comparison.scores["popularity"]
    beats = "beats" if comparison.beats_popularity else "does not beat"
    negated = " (negated, for lower is better)" if comparison.lower_is_better else ""
    lines = [
        f"The tuned model {beats} popularity on the last period: {comparison.metric} "
        f"{tuned:.4f} against {popularity:.4f}{negated}.",
        *describe_paired(comparison.per_user, "user"),
    ]
    return "\n".join(lines)
