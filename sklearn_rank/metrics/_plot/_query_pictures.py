"""Two pictures of values per query: the distribution, and sorted differences."""

from typing import Any

import numpy as np

from sklearn_rank._display._figures import BETTER, WORSE, format_mean, text_color
from sklearn_rank.metrics._core._mean_intervals import average_of
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._plot._prediction_display import intervals_of

# Least share of queries with the same value that is noted, and gap between two notes.
LEAST_NOTED, LEAST_GAP = 0.1, 0.06
# The bars, the mean, and the interval around it.
Artists = tuple[Any, Any, Any]
# The look and the heights of queries that gain, and of those that lose.
Parts = list[tuple[dict[str, Any], np.ndarray]]


def largest_first(values: Any) -> np.ndarray:
    """Return the defined values in descending order."""
    return -np.sort(-values[~np.isnan(values)])


def draw_distribution(
    ax: Any, values: np.ndarray, average: Any, label: str, bar_kw: dict, mean_kw: dict
) -> Artists:
    """Draw the share of queries up to each value, which ascend, and a point at the mean."""
    mean, ends = average
    share = np.linspace(0, 1, len(values) + 1)
    defaults = {"label": label, "drawstyle": "steps-post", "markevery": []}
    places = np.append(values[:1] if len(values) else np.nan, values)
    (steps,) = ax.plot(places, share, **defaults | bar_kw)
    # The point is on the steps, so that intervals of models do not overlap.
    height = share[np.searchsorted(values, mean, "right")]
    look = {"color": steps.get_color(), "marker": steps.get_marker(), "linestyle": ""}
    (point,) = ax.plot([mean], [height], **look | mean_kw)
    band = None
    if not np.isnan(ends[0]):
        (band,) = ax.plot(ends, [height] * 2, "-", color=point.get_color(), marker="|")
    _note_extremes(ax, values, steps.get_color())
    return steps, point, band


def _note_extremes(ax: Any, values: np.ndarray, color: Any) -> None:
    """Write how many queries have 0, and 1, where it is a tenth or more."""
    points = [text.xy for text in ax.texts if hasattr(text, "xy")]
    for value, where in ((0, (6, -10)), (1, (-6, -14))):
        share = float(np.mean(values == value)) if len(values) else 0.0
        at = (value, share if value == 0 else 1.0)
        is_free = all(x != value or abs(y - at[1]) > LEAST_GAP for x, y in points)
        if share >= LEAST_NOTED and is_free:
            side = "left" if value == 0 else "right"
            look = {"color": color, "fontsize": "small", "ha": side}
            text = f"{share:.0%} have {value}"
            ax.annotate(text, at, where, textcoords="offset points", **look)


def draw_differences(
    ax: Any, parts: Parts, average: Any, bar_kw: dict, mean_kw: dict
) -> Artists:
    """Draw gains and losses of queries, the largest first, and a line at their mean."""
    (mean, ends), n_queries = average, len(parts[0][1])
    # A query is a step of width 1; both ends of a step carry its value.
    edge = np.repeat(np.arange(n_queries + 1), 2)[1:-1]
    bars = [
        ax.fill_between(edge, np.repeat(part, 2), **look | bar_kw) for look, part in parts
    ]
    label = f"mean {format_mean(mean, ends[0], ends[1], '+')}"
    keywords = {"label": label, "color": text_color(ax), "linestyle": "--"}
    line = ax.axhline(mean, **keywords | mean_kw)
    band = None
    if not np.isnan(ends[0]):
        band = ax.axhspan(*ends, color=text_color(ax), alpha=0.15, linewidth=0)
    ax.set_xlim(0, max(n_queries, 1))
    return bars, line, band


def gains_and_losses(values: np.ndarray, is_lower_better: bool) -> Parts:
    """Return look and heights of the queries that gain, and of those that lose."""
    higher, lower = np.maximum(values, 0), np.minimum(values, 0)
    gains, losses = (lower, higher) if is_lower_better else (higher, lower)
    parts = []
    for word, color, part in (("better", BETTER, gains), ("worse", WORSE, losses)):
        share = np.count_nonzero(part) / max(len(values), 1)
        look = {"label": f"{word} on {share:.0%}", "color": color, "linewidth": 0}
        parts.append((look, part))
    return parts


def mean_with_interval(
    found: PerQueryScores,
    metric: str,
    confidence_level: float | None,
    *,
    by_t: bool = False,
) -> tuple[float, Any]:
    """Return the mean and its confidence interval, which is NaN for a single query."""
    average = average_of(found, metric)
    low, high = intervals_of([average], confidence_level, by_t=by_t)
    return average.estimate.value, (low[0], high[0])
