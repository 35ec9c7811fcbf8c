"""Candidates and the scores of models as plain text."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli._format import counted
from sklearn_rank._cli._paired import LEVEL, PairedDifference
from sklearn_rank.statistics._text import p_text

# So many candidates are shown in full; of more, the first and the best of each model.
MOST_LINES = 16
FIRST_LINES = 8
WIDTH = 17


def describe_candidates(
    candidates: pd.DataFrame,
    metric: str,
    folds: int,
    where: str,
    beside: Mapping[str, str] | None = None,
) -> str:
    """Return the candidates, best first, with mean and spread over the folds.

    `where` says of what the folds are. `beside` are further metrics and the titles of
    their columns.
    """
    others = {f"mean_test_{name}": title for name, title in (beside or {}).items()}
    shown = candidates[_is_shown(candidates)]
    title = f"Candidates by {metric} on {counted(folds, 'fold')}{where}:"
    titles = "".join(f"  {name:>9}" for name in others.values())
    lines = [title, f"    mean  ± spread{titles}"]
    rows = shown[["mean_test_score", "std_test_score", "candidate", *others]]
    lines += [
        f"  {mean:6.4f}    {_spread(spread, folds):^6}"
        + "".join(f"  {value:9.4f}" for value in values)
        + f"  {candidate}"
        for mean, spread, candidate, *values in rows.itertuples(index=False)
    ]
    lines[2] += "  <- best"
    n_hidden = len(candidates) - len(shown)
    if n_hidden:
        worse = f"{counted(n_hidden, 'candidate')} below the best of their model"
        lines.append(f"  and {worse}: see cv_results.csv of --output")
    return "\n".join(lines)


def side_by_side(reports: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a line of titles, then one a metric: mean ± standard error of each model."""
    metrics = list(next(iter(reports.values())))
    name_width = max(map(len, metrics))
    widths = [max(WIDTH, len(title)) for title in reports]
    rows = {"": list(reports)}
    for metric in metrics:
        rows[metric] = [_with_error(report[metric]) for report in reports.values()]
    lines = [
        f"{name:{name_width}}"
        + "".join(f"  {cell:^{width}}" for cell, width in zip(cells, widths, strict=True))
        for name, cells in rows.items()
    ]
    return [line.rstrip() for line in lines]


def describe_paired(paired: PairedDifference, noun: str) -> list[str]:
    """Return for how many lists one model is better than the other, and by how much."""
    text = (
        f"By {paired.metric} it is better for {counted(paired.better, noun)}, worse for "
        f"{paired.worse:,} and equal for {paired.equal:,}; "
        f"difference {paired.difference:+.4f} ± {paired.standard_error:.4f}"
    )
    if paired.interval is None or paired.p_value is None:
        return [f"{text}.", f"One {noun} has no interval: chance alone may explain it."]
    low, high = paired.interval
    interval = f"{100 * LEVEL:g} % interval {low:+.4f} to {high:+.4f}"
    lines = [f"{text}, {interval}, p {p_text(paired.p_value)}."]
    if paired.may_be_chance:
        lines.append("The interval has 0 in it: chance alone may explain it.")
    return lines


def _is_shown(candidates: pd.DataFrame) -> np.ndarray:
    place = np.arange(len(candidates))
    is_first_of_model = ~candidates["model"].duplicated().to_numpy()
    return (len(place) <= MOST_LINES) | (place < FIRST_LINES) | is_first_of_model


def _spread(spread: float, folds: int) -> str:
    return f"{spread:.4f}" if folds > 1 else "–"


def _with_error(row: Mapping[str, float]) -> str:
    return f"{row['mean']:7.4f} ± {row['standard_error']:7.4f}"
