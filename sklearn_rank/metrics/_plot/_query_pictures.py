"""Two pictures of values per query: their distribution, and differences, sorted."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._plot._axes import half_width, label_of
from sklearn_rank.metrics._plot._fold_labels import error_of_mean

# More than a picture can show.
_MOST_BINS = 10_000

# Okabe and Ito's blue and orange, which the color-blind tell apart.
BETTER, WORSE = "#0072B2", "#E69F00"


class Picture(NamedTuple):
    """What was drawn."""

    bars: Any
    mean: Any
    band: Any


def largest_first(values: Any) -> np.ndarray:
    """Return the defined values in descending order."""
    return -np.sort(-values[~np.isnan(values)])


def draw_distribution(
    ax: Any,
    found: PerQueryScores,
    metric: str,
    *,
    name: str | None,
    confidence_level: float | None,
    bins: Any,
    bar_kw: dict,
    mean_kw: dict,
) -> Picture:
    """Draw a histogram of the values of a metric, and a line at their mean."""
    _check_bins(bins)
    mean, interval = _mean(found, metric, confidence_level)
    values = largest_first(found.scores[metric])
    share, edges = np.histogram(values, bins, _range(values))
    # A line of `plot`, unlike axvline, takes the next color of the axis.
    keywords: dict[str, Any] = {
        "label": _mean_label(mean, interval, confidence_level),
        "linestyle": "--",
        "transform": ax.get_xaxis_transform(),
    }
    (line,) = ax.plot([mean, mean], [0, 1], **keywords | mean_kw)
    color = line.get_color()
    label = label_of(name or metric, n_queries=len(values))
    keywords = {"label": label, "color": color, "fill": True, "alpha": 0.4}
    bars = ax.stairs(share / len(values), edges, **keywords | bar_kw)
    band = None
    if not np.isnan(interval[0]):
        band = ax.axvspan(*interval, color=color, alpha=0.2, linewidth=0)
    ax.set(xlabel=f"{metric} of a query", ylabel="share of queries")
    return Picture(bars, line, band)


def draw_differences(
    ax: Any,
    difference: PerQueryScores,
    metric: str,
    *,
    title: str,
    confidence_level: float | None,
    bar_kw: dict,
    mean_kw: dict,
) -> Picture:
    """Draw the difference of each query, the largest first, and a line at their mean."""
    mean, interval = _mean(difference, metric, confidence_level)
    values = largest_first(difference.scores[metric])
    # A query is a step of width 1; both ends of a step carry its value.
    edge = np.repeat(np.arange(len(values) + 1), 2)[1:-1]
    parts = _gains_and_losses(values, metric in difference.lower_is_better)
    bars = [
        ax.fill_between(
            edge,
            np.repeat(part, 2),
            **{"label": label, "color": color, "linewidth": 0} | bar_kw,
        )
        for label, color, part in parts
    ]
    label = _mean_label(mean, interval, confidence_level, "+")
    keywords = {"label": label, "color": "black", "linestyle": "--"}
    line = ax.axhline(mean, **keywords | mean_kw)
    band = None
    if not np.isnan(interval[0]):
        band = ax.axhspan(*interval, color="black", alpha=0.15, linewidth=0)
    ax.set(
        xlabel=f"queries, sorted (n = {len(values):,})",
        ylabel=f"difference of {metric}",
        xlim=(0, len(values)),
    )
    ax.set_title(title, loc="left", fontsize="medium")
    return Picture(bars, line, band)


def _gains_and_losses(
    values: np.ndarray, is_lower_better: bool
) -> list[tuple[str, str, np.ndarray]]:
    """Return label, color and heights of the queries that gain, and of those that lose."""
    higher, lower = np.maximum(values, 0), np.minimum(values, 0)
    gains, losses = (lower, higher) if is_lower_better else (higher, lower)
    return [
        (f"{word} on {np.count_nonzero(part) / len(values):.0%}", color, part)
        for word, color, part in (("better", BETTER, gains), ("worse", WORSE, losses))
    ]


def _check_bins(bins: Any) -> None:
    bins = int(bins) if isinstance(bins, Integral) else np.size(bins)
    if not 0 < bins <= _MOST_BINS:
        raise ValueError(f"`bins` must be 1 to {_MOST_BINS} bins, got {shorten(bins)}.")


def _range(values: np.ndarray) -> tuple[float, float]:
    """Return 0 to 1 for metrics that stay there, so that models share their bins."""
    return min(0.0, values.min()), max(1.0, values.max())


def _mean(
    found: PerQueryScores, metric: str, confidence_level: float | None
) -> tuple[float, tuple[float, float]]:
    """Return the mean and its confidence interval, which is NaN for a single query."""
    summary = found.summaries()[metric]
    if summary.n == 0:
        raise ValueError(f"{metric} is undefined for every query, so nothing can be drawn.")
    mean = summary.result()
    half = half_width(*error_of_mean(found, metric), confidence_level)
    return mean, found._range_of(metric).clip((mean - half, mean + half))


def _mean_label(
    mean: float,
    interval: tuple[float, float],
    confidence_level: float | None,
    sign: str = "",
) -> str:
    """Return the mean and its interval; what stands behind ± elsewhere is an error."""
    low, high = interval
    shown = f"mean {mean:{sign}.3f}"
    if confidence_level is None or np.isnan(low):
        return shown
    # An interval that ends with the range of the metric is longer on one side.
    is_even = np.isclose(mean - low, high - mean)
    ends = f" ± {high - mean:.3f}" if is_even else f", {low:{sign}.3f} to {high:{sign}.3f}"
    return f"{shown}{ends} ({100 * confidence_level:g}% interval)"
