"""Pictures of an evaluation: the metric at each length of list, intervals, candidates."""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from sklearn_rank._validation import require
from sklearn_rank.experiments._evaluation_text import percent

# Distinct for all kinds of color vision, and in print by marker and dash.
STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "marker": "o"},
    {"color": "#D55E00", "marker": "s", "linestyle": "--"},
    {"color": "#009E73", "marker": "^", "linestyle": ":"},
    {"color": "#CC79A7", "marker": "D", "linestyle": "-."},
    {"color": "#E69F00", "marker": "v", "linestyle": "--"},
    {"color": "#56B4E9", "marker": "P", "linestyle": ":"},
    {"color": "#000000", "marker": "X", "linestyle": "-."},
    {"color": "#7F7F7F", "marker": "<", "linestyle": "-"},
    {"color": "#8C510A", "marker": ">", "linestyle": "--"},
)


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


# Mean and ends of its interval by the label of a model.
Intervals = Mapping[str, tuple[float, float, float]]


# Takes width and height in inches.
NewFigure = Callable[[float, float], Any]


def new_figure(width: float, height: float, resolution: float = 150) -> Any:
    """Return an empty figure for a file; say how to install what draws it."""
    try:
        import matplotlib.figure
    except ImportError as error:
        raise require("matplotlib", "plot", "The picture") from error
    # Not pyplot, which would look for a screen.
    return matplotlib.figure.Figure((width, height), resolution, layout="constrained")


def shown_figure(width: float, height: float) -> Any:
    """Return an empty figure that notebooks and `pyplot.show` show."""
    new_figure(width, height)  # says what is missing
    from matplotlib import pyplot

    return pyplot.figure(figsize=(width, height), layout="constrained")


def as_png(figure: Any) -> bytes:
    """Return the bytes of a PNG file."""
    png = io.BytesIO()
    figure.savefig(png, format="png")
    return png.getvalue()


def draw_metric_at_k(
    curves: Mapping[str, Sequence[float]],
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
    styles = dict(zip(curves, cycle(STYLES), strict=False))
    if intervals:
        figure = new(6.4, 4.4 + 0.25 * len(intervals))
        axes, below = figure.subplots(2, height_ratios=[3.6, 0.5 + 0.25 * len(intervals)])
        _draw_rows(below, intervals, styles, tuned_by, level)
    else:
        figure = new(6.4, 4.0)
        axes = figure.subplots()
    for label, values in curves.items():
        style = styles[label]
        axes.plot(range(1, len(values) + 1), values, markersize=4, label=label, **style)
    axes.set_xlabel("k, length of the list")
    axes.set_ylabel(f"{metric}@k")
    axes.set_title(title)
    axes.set_ylim(bottom=0)
    longest = max(map(len, curves.values()))
    axes.set_xticks([1, *range(5, longest + 1, 5)])
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if not intervals:
        axes.legend(frameon=False, fontsize="small" if len(curves) > 3 else None)
    return figure


def draw_intervals(
    intervals: Intervals, metric: str, level: float, new: NewFigure = new_figure
) -> Any:
    """Return a figure with the mean and interval of each model."""
    figure = new(6.4, 1.0 + 0.3 * len(intervals))
    styles = dict(zip(intervals, cycle(STYLES), strict=False))
    _draw_rows(figure.subplots(), intervals, styles, metric, level)
    return figure


def draw_front(
    accuracy: np.ndarray,
    other: np.ndarray,
    models: Sequence[str],
    names: tuple[str, str],
    new: NewFigure = new_figure,
) -> Any:
    """Return a figure with a point for each candidate, those on the front joined."""
    figure = new(8.0, 4.0)
    axes = figure.subplots()
    front = np.flatnonzero(front_of(accuracy, other))
    front = front[np.argsort(accuracy[front])]
    axes.plot(accuracy[front], other[front], color="0.6", zorder=0, label="front")
    of_model = np.asarray(models, dtype=object)
    for model, style in zip(dict.fromkeys(models), cycle(STYLES), strict=False):
        rows = of_model == model
        axes.scatter(accuracy[rows], other[rows], color=style["color"], s=22, label=model)
    axes.set(xlabel=f"{names[0]}, mean over folds", ylabel=names[1])
    axes.set_title("Candidates: accuracy and novelty")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def front_of(accuracy: Iterable[float], other: Iterable[float]) -> np.ndarray:
    """Return which candidates are on the front: none is better in both, or in one alone."""
    points = np.column_stack([np.asarray(accuracy), np.asarray(other)])
    no_worse = (points[:, None] >= points[None]).all(axis=2)
    better = (points[:, None] > points[None]).any(axis=2)
    return np.logical_not((no_worse & better).any(axis=0))


def _draw_rows(
    axes: Any,
    intervals: Intervals,
    styles: Mapping[str, Mapping[str, Any]],
    metric: str,
    level: float,
) -> None:
    """Draw a line for each model: its mean, and its interval."""
    for place, (label, (mean, low, high)) in enumerate(intervals.items()):
        color, marker = (styles[label][name] for name in ("color", "marker"))
        axes.plot([low, high], [place, place], color=color)
        axes.plot([mean], [place], color=color, marker=marker, markersize=5)
    axes.set_yticks(range(len(intervals)), intervals, fontsize="small")
    axes.invert_yaxis()
    axes.set_xlabel(f"{metric}, with its {percent(level)} interval")
    axes.grid(alpha=0.3, axis="x")
    axes.spines[["top", "right"]].set_visible(False)
