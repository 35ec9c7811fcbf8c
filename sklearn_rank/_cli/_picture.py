"""Pictures as files, and that of a run: the metric at each length of the list."""

import io
from collections.abc import Mapping
from itertools import cycle
from typing import Any

from sklearn_rank._validation import require

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


def new_figure(width: float, height: float, resolution: float = 150) -> Any:
    """Return an empty figure of so many inches; say how to install what draws it."""
    try:
        import matplotlib.figure
    except ImportError as error:
        raise require("matplotlib", "plot", "The picture") from error
    # Not pyplot, which would look for a screen.
    return matplotlib.figure.Figure((width, height), resolution, layout="constrained")


def as_png(figure: Any) -> bytes:
    """Return the bytes of a PNG file."""
    png = io.BytesIO()
    figure.savefig(png, format="png")
    return png.getvalue()


def draw_metric_at_k(
    curves: Mapping[str, list[float]],
    metric: str,
    title: str,
    tuned_by: str = "",
    intervals: Mapping[str, tuple[float, float, float]] | None = None,
) -> bytes:
    """Return a PNG with a line for each model, the first the most prominent.

    `intervals` are the mean of each model by the metric that it was `tuned_by`, and the
    ends of its interval; they are drawn below the lines, and name them.
    """
    styles = dict(zip(curves, cycle(STYLES), strict=False))
    if intervals:
        figure = new_figure(6.4, 4.4 + 0.25 * len(intervals))
        axes, below = figure.subplots(2, height_ratios=[3.6, 0.5 + 0.25 * len(intervals)])
        _draw_intervals(below, intervals, styles, tuned_by)
    else:
        figure = new_figure(6.4, 4.0)
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
    return as_png(figure)


def _draw_intervals(
    axes: Any,
    intervals: Mapping[str, tuple[float, float, float]],
    styles: Mapping[str, Mapping[str, Any]],
    metric: str,
) -> None:
    """Draw a line for each model: its mean, and its interval."""
    for place, (label, (mean, low, high)) in enumerate(intervals.items()):
        color, marker = (styles[label][name] for name in ("color", "marker"))
        axes.plot([low, high], [place, place], color=color)
        axes.plot([mean], [place], color=color, marker=marker, markersize=5)
    axes.set_yticks(range(len(intervals)), intervals, fontsize="small")
    axes.invert_yaxis()
    axes.set_xlabel(f"{metric}, with its 95 % interval")
    axes.grid(alpha=0.3, axis="x")
    axes.spines[["top", "right"]].set_visible(False)
