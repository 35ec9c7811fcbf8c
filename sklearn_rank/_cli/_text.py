"""What the command says about candidates and the comparison, as plain text."""

from argparse import Namespace

import pandas as pd

from sklearn_rank._cli._compare import Comparison
from sklearn_rank._cli._wording import counted

__all__ = ["describe_candidates", "describe_comparison", "verdict"]


def describe_candidates(candidates: pd.DataFrame, options: Namespace) -> str:
    """Return the candidates, best first, with mean and spread over the folds."""
    where = "windows of time" if options.cv == "time" else "last rows of each user"
    lines = [
        f"Candidates by {options.metric} on {counted(options.folds, 'fold')}, {where}, "
        "within the training period:",
        "    mean  ± spread",
    ]
    rows = candidates[["mean_test_score", "std_test_score", "candidate"]]
    lines += [
        f"  {mean:6.4f}    {_spread(spread, options.folds):^6}  {candidate}"
        for mean, spread, candidate in rows.itertuples(index=False)
    ]
    lines[2] += "  <- best"
    return "\n".join(lines)


def describe_comparison(comparison: Comparison) -> str:
    """Return the table of both models on the last period and what it means."""
    tuned, popularity = comparison.report["tuned"], comparison.report["popularity"]
    width = max(map(len, tuned))
    lines = [
        "On the last period, mean over users ± standard error:",
        f"{'':{width}}  {'tuned model':^17}  {'popularity':^17}  difference",
    ]
    for name, row in tuned.items():
        other = popularity[name]
        lines.append(
            f"{name:{width}}  {_with_error(row)}  {_with_error(other)}"
            f"  {row['mean'] - other['mean']:+10.4f}"
        )
    return "\n".join([*lines, "", verdict(comparison), f"As Python: {comparison.model}"])


def verdict(comparison: Comparison) -> str:
    """Return in words whether tuning was worth it."""
    if comparison.chose_popularity:
        return (
            "The search chose popularity: no matrix factorisation did better in "
            "validation.\nThe tuned model does not beat popularity; it is popularity."
        )
    tuned, popularity = comparison.scores["tuned"], comparison.scores["popularity"]
    beats = "beats" if comparison.beats_popularity else "does not beat"
    negated = " (negated, for lower is better)" if comparison.lower_is_better else ""
    users = comparison.per_user
    lines = [
        f"The tuned model {beats} popularity on the last period: {comparison.metric} "
        f"{tuned:.4f} against {popularity:.4f}{negated}.",
        f"By {users.metric} it is better for {counted(users.better, 'user')}, worse for "
        f"{users.worse:,} and equal for {users.equal:,}; "
        f"difference {users.difference:+.4f} ± {users.standard_error:.4f}.",
    ]
    if abs(users.difference) < 2 * users.standard_error:
        lines.append("That is less than two standard errors: chance alone may explain it.")
    return "\n".join(lines)


def _spread(spread: float, folds: int) -> str:
    return f"{spread:.4f}" if folds > 1 else "–"


def _with_error(row: dict) -> str:
    return f"{row['mean']:7.4f} ± {row['standard_error']:7.4f}"
