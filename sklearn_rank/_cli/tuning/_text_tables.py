"""Reports, candidates and the scores of models as plain text."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli.arguments._named_metrics import cutoff_of
from sklearn_rank._cli.printing._format import counted
from sklearn_rank._cli.printing._layout import bold
from sklearn_rank._cli.tuning._paired import LEVEL, PairedDifference
from sklearn_rank._text._table import BEST, aligned, wrapped
from sklearn_rank._text._table import beside as side_by_side
from sklearn_rank.statistics._text import p_text

TITLES = {"standard_error": "std error"}
# So many candidates are shown in full; of more, the first and the best of each model.
MOST_LINES = 16
FIRST_LINES = 8
# Where the other metrics are cut, if the tuned one says nothing else.
USUAL_CUTOFF = 10


def describe_candidates(
    candidates: pd.DataFrame,
    metric: str,
    folds: int,
    where: str,
    others: Mapping[str, str],
    width: int,
) -> str:
    """Return the candidates, best first, with mean and spread over the folds.

    `where` says of what the folds are. `others` are further metrics and the titles of
    their columns.
    """
    columns = {f"mean_test_{name}": title for name, title in others.items()}
    shown = candidates[_is_shown(candidates)]
    title = f"Candidates by {metric} on {counted(folds, 'fold')}{where}:"
    titles = "".join(f"  {name:>9}" for name in columns.values())
    lines = [wrapped(title, width), f"    mean  ± spread{titles}"]
    rows = shown[["mean_test_score", "std_test_score", "candidate", *columns]]
    for place, (mean, spread, candidate, *values) in enumerate(
        rows.itertuples(index=False)
    ):
        numbers = f"  {mean:6.4f}    {_spread(spread, folds):^6}"
        numbers += "".join(f"  {value:9.4f}" for value in values)
        is_best = place == 0
        row = side_by_side(numbers, candidate + f"  {BEST}" * is_best, width)
        lines += map(bold, row) if is_best else row
    n_hidden = len(candidates) - len(shown)
    if n_hidden:
        worse = f"{counted(n_hidden, 'candidate')} below the best of their model"
        lines.append(wrapped(f"  and {worse}: see cv_results.csv of --output", width))
    return "\n".join(lines)


def describe_reports(
    reports: Mapping[str, Mapping[str, Any]], metric: str, noun: str, width: int
) -> list[str]:
    """Return the lines of a table of means: the metric at each cutoff, the others at one.

    `reports` have the metrics of each model by name; `noun` is what the means are over.
    """
    of_first = next(iter(reports.values()))
    base, cutoff = cutoff_of(metric)
    cutoffs = {cutoff_of(name)[1] for name in of_first}
    others_at = next((k for k in (cutoff, USUAL_CUTOFF) if k in cutoffs), max(cutoffs))
    shown = sorted(
        (name for name in of_first if cutoff_of(name)[0] == base),
        key=lambda name: cutoff_of(name)[1],
    )
    shown += [
        name
        for name in of_first
        if cutoff_of(name)[1] == others_at and cutoff_of(name)[0] != base
    ]
    columns = [name for name in shown if name != metric]
    lines = [["", *columns]]
    for model, report in reports.items():
        lines.append([model, *(f"{report[name]['mean']:.4f}" for name in columns)])
    title = f"Other metrics, mean over {noun}; all of them with errors are in report.json:"
    return [wrapped(title, width), *aligned(lines, width)]


def describe_report(report: pd.DataFrame, width: int) -> str:
    """Return a report of metrics, perhaps by segment, as `ranking_report` prints it."""
    parts = report.index.to_frame(index=False).astype(str)
    # Segments stand below the name of their metric.
    metrics = parts["metric"].mask(parts["metric"].duplicated(), "")
    parts["metric"] = metrics.str.ljust(metrics.str.len().max())
    names = parts.agg("  ".join, axis="columns")
    lines = [["", *(TITLES.get(title, title) for title in map(str, report))]]
    for name, cells in zip(names, report.itertuples(index=False), strict=True):
        shown = (f"{one:.4f}" if isinstance(one, float) else str(one) for one in cells)
        lines.append([name, *shown])
    return "\n".join(aligned(lines, width))


def describe_paired(paired: PairedDifference, noun: str) -> str:
    """Return for how many lists one model is better than the other, and by how much."""
    text = (
        f"It is better for {counted(paired.better, noun)}, worse for "
        f"{paired.worse:,} and equal for {paired.equal:,}; "
        f"difference {paired.difference:+.4f}"
    )
    if paired.low is None or paired.high is None or paired.p_value is None:
        return f"{text}. One {noun} has no interval: chance alone may explain it."
    interval = f"{100 * LEVEL:g} % interval {paired.low:+.4f} to {paired.high:+.4f}"
    text += f" ± {paired.standard_error:.4f}, {interval}, p {p_text(paired.p_value)}."
    if paired.may_be_chance:
        text += " The interval has 0 in it: chance alone may explain it."
    return text


def _is_shown(candidates: pd.DataFrame) -> np.ndarray:
    place = np.arange(len(candidates))
    is_first_of_model = ~candidates["model"].duplicated().to_numpy()
    return (len(place) <= MOST_LINES) | (place < FIRST_LINES) | is_first_of_model


def _spread(spread: float, folds: int) -> str:
    return f"{spread:.4f}" if folds > 1 else "–"
