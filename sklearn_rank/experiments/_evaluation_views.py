"""The table of an evaluation, as text and as HTML, and its pictures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._text import format_interval, name_interval
from sklearn_rank._display._figures import (
    DEFAULT_SIZE,
    draw_band,
    finish_axes,
    format_mean,
    give_styles,
    legend_label,
    mark_cutoff,
    new_figure,
    short_names,
    start_at_zero,
    text_color,
    tick_cutoffs,
)
from sklearn_rank._display._section import Section
from sklearn_rank.experiments._means import MeanEstimate
from sklearn_rank.metrics import TradeOffDisplay

MARK = "*"  # of a model that may be as good as the best
# Mean and ends of its interval by the label of a model.
Intervals = Mapping[str, tuple[float, float, float]]
# A function of width and height in inches.
NewFigure = Callable[[float, float], Any]
# Means at k = 1, 2, ..., and the ends of their intervals.
Curve = tuple[Sequence[float], Sequence[float], Sequence[float]]
ROW_HEIGHT = 0.4  # of a model with its interval, in inches


def notes(means: Iterable[MeanEstimate], level: float) -> list[str]:
    """Return what the marks of the table mean."""
    means = list(means)
    if len(means) < 2:
        return []
    if any(mean.low is None for mean in means):
        return ["Without intervals, chance alone may explain every difference."]
    if sum(mean.may_be_best for mean in means) < 2:
        return [
            "The best is significantly better than every other model "
            f"(p ≤ {1 - level:.2g}, Holm)."
        ]
    return [
        f"{MARK} not significantly worse than the best (paired t tests of all pairs, "
        f"p > {1 - level:.2g}, Holm)."
    ]


def means_section(
    means: Mapping[str, MeanEstimate],
    titles: Mapping[str, str],
    level: float,
    head: Sequence[str] = (),
) -> Section:
    """Return a table of models with the intervals of their means, and its notes."""
    has_errors = any(mean.standard_error is not None for mean in means.values())
    lines = [["model", "mean ", *["SE", name_interval(level)] * has_errors]]
    for name, mean in means.items():
        mark = MARK if mean.may_be_best and not mean.is_best else " "
        cells = [titles[name], f"{mean.mean:.4f}{mark}"]
        if mean.low is not None and mean.high is not None:
            error = f"{mean.standard_error:.4f}"
            cells += [error, format_interval(mean.low, mean.high)]
        lines.append(cells)
    best = next((n for n, mean in enumerate(means.values()) if mean.is_best), None)
    below = notes(means.values(), level)
    return Section(head, lines, below, best=best, names_last=True)


class EvaluationDisplay:
    """A drawn picture of models.

    Parameters
    ----------
    figure_ : matplotlib Figure
        What is drawn.
    """

    def __init__(self, figure_: Any):
        self.figure_ = figure_
        self.axes_ = list(figure_.axes)


def draw_metric_at_k(
    curves: Mapping[str, Curve],
    metric: str,
    title: str,
    tuned_by: str = "",
    intervals: Intervals | None = None,
    level: float = 0.95,
    new: NewFigure = new_figure,
) -> Any:
    """Return a figure with a line for each model, the first the most prominent.

    `intervals` are of the metric `tuned_by`; they are drawn below the lines, and name them.
    """
    rows = ROW_HEIGHT * len(intervals or ())
    figure = new(DEFAULT_SIZE[0], 4.0 + (0.4 + rows if intervals else 0))
    parts = [3.6, 0.5 + rows] if intervals else [1]
    axes, *below = figure.subplots(len(parts), height_ratios=parts, squeeze=False)[:, 0]
    give_styles(axes)
    lines = {}
    for label, (values, low, high) in curves.items():
        # Rows below name the models, and say more than a legend.
        text = None if intervals else legend_label(label, number=format_mean(values[-1]))
        places = range(1, len(values) + 1)
        (lines[label],) = axes.plot(places, values, markersize=4, label=text)
        draw_band(lines[label], places, low, high, None)
    k = tuned_by.rpartition("@")[2]
    if k.isdecimal():
        mark_cutoff(axes, int(k))
    axes.set(xlabel="k, length of the list", ylabel=f"{metric}@k")
    has_bands = np.isfinite([low for _, low, _ in curves.values()]).any()
    axes.set_title(f"{title}, with {name_interval(level)}" if has_bands else title)
    start_at_zero(axes)
    tick_cutoffs(axes)
    longest = max(len(values) for values, *_ in curves.values())
    finish_axes(axes, f"{metric}@{longest}", at_ends=True)
    if intervals:
        _draw_rows(below[0], intervals, tuned_by, level, lines)
    return figure


def draw_intervals(
    intervals: Intervals, metric: str, level: float, new: NewFigure = new_figure
) -> Any:
    """Return a figure with the mean and interval of each model."""
    figure = new(DEFAULT_SIZE[0], 1.0 + ROW_HEIGHT * len(intervals))
    _draw_rows(figure.subplots(), intervals, metric, level)
    return figure


def draw_front(
    accuracy: np.ndarray,
    other: np.ndarray,
    models: Sequence[str],
    names: tuple[str, str],
    winner: tuple[float, float],
    new: NewFigure = new_figure,
) -> Any:
    """Return a figure with a point for each candidate, those on the front joined."""
    axes = new(*DEFAULT_SIZE).subplots()
    TradeOffDisplay(model=models, x=accuracy, y=other, names=names).plot(axes)
    axes.set(title="Candidates, mean over folds; the winner in a ring")
    axes.plot(*winner, "o", markersize=14, color=text_color(axes), fillstyle="none")
    axes.autoscale()  # candidates are much alike
    return axes.figure


def _draw_rows(
    axes: Any,
    intervals: Intervals,
    metric: str,
    level: float,
    lines: Mapping[str, Any] | None = None,
) -> None:
    """Draw a line for each model: its mean, and its interval."""
    give_styles(axes)
    for row, (label, (mean, low, high)) in enumerate(intervals.items()):
        (point,) = axes.plot([mean], [row], markersize=5)
        if lines:
            point.set(color=lines[label].get_color(), marker=lines[label].get_marker())
        look = {"color": point.get_color(), "linestyle": "-", "marker": ""}
        axes.plot([low, high], [row, row], **look)
    rows = zip(short_names(intervals), intervals.values(), strict=True)
    for row, (name, ends) in enumerate(rows):
        # Above its row, so that long names take no width.
        text = legend_label(name, number=format_mean(*ends))
        across = axes.get_yaxis_transform()
        axes.text(0.01, row - 0.2, text, transform=across, va="bottom", fontsize="small")
    axes.set_yticks([])
    axes.set_ylim(len(intervals) - 0.5, -0.9)
    axes.set_xlabel(f"{metric}, with its {name_interval(level)}")
    finish_axes(axes)
    axes.grid(visible=False, axis="y")
