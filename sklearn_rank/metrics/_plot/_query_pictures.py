"""Two pictures of values per query: their distribution, and differences, sorted."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._labels._encode import encode_labels
from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._plot._axes import half_width, label_of

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
    level: float | None,
    bins: Any,
    bar_kw: dict,
    mean_kw: dict,
) -> Picture:
    """Draw a histogram of the values of a metric, and a line at their mean."""
    _check_bins(bins)
    mean, half = _mean(found, metric, level)
    values = largest_first(found.scores[metric])
    share, edges = np.histogram(values, bins, _range(values))
    # A line of `plot`, unlike axvline, takes the next color of the axis.
    keywords: dict[str, Any] = {
        "label": _mean_label(f"{mean:.3f}", half, level),
        "linestyle": "--",
        "transform": ax.get_xaxis_transform(),
    }
    (line,) = ax.plot([mean, mean], [0, 1], **keywords | mean_kw)
    color = line.get_color()
    label = label_of(name or metric, n_queries=len(values))
    keywords = {"label": label, "color": color, "fill": True, "alpha": 0.4}
    bars = ax.stairs(share / len(values), edges, **keywords | bar_kw)
    band = None
    if not np.isnan(half):
        band = ax.axvspan(mean - half, mean + half, color=color, alpha=0.2, linewidth=0)
    ax.set(xlabel=f"{metric} of a query", ylabel="share of queries")
    return Picture(bars, line, band)


def draw_differences(
    ax: Any,
    difference: PerQueryScores,
    metric: str,
    *,
    title: str,
    level: float | None,
    bar_kw: dict,
    mean_kw: dict,
) -> Picture:
    """Draw the difference of each query, the largest first, and a line at their mean."""
    mean, half = _mean(difference, metric, level)
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
    label = _mean_label(f"{mean:+.3f}", half, level)
    keywords = {"label": label, "color": "black", "linestyle": "--"}
    line = ax.axhline(mean, **keywords | mean_kw)
    band = None
    if not np.isnan(half):
        band = ax.axhspan(mean - half, mean + half, color="black", alpha=0.15, linewidth=0)
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
    n_bins = int(bins) if isinstance(bins, Integral) else np.size(bins)
    if not 0 < n_bins <= _MOST_BINS:
        raise ValueError(f"`bins` must be 1 to {_MOST_BINS} bins, got {shorten(bins)}.")


def _range(values: np.ndarray) -> tuple[float, float]:
    """Return 0 to 1 for metrics that stay there, so that models share their bins."""
    return min(0.0, values.min()), max(1.0, values.max())


def _mean(found: PerQueryScores, metric: str, level: float | None) -> tuple[float, float]:
    """Return the mean and half of its confidence interval; NaN for a single query."""
    summary = found.summaries()[metric]
    if summary.n == 0:
        raise ValueError(f"{metric} is undefined for every query, so nothing can be drawn.")
    error, n_clusters = summary.standard_error(), summary.n
    if getattr(summary, "kind", "arithmetic") == "arithmetic":
        error, n_clusters = _of_clusters(found, metric) or (error, n_clusters)
    return summary.result(), float(half_width(error, n_clusters, level))


def _of_clusters(found: PerQueryScores, metric: str) -> tuple[float, int] | None:
    """Return the error of the mean and the number of clusters, if labels repeat.

    Values of one label in several folds are much alike, so that they are one cluster.
    """
    values, weight = found.scores[metric], found.weights[metric]
    is_used = ~np.isnan(values)
    if weight is not None:
        is_used &= weight > 0
        weight = weight[is_used] / weight[is_used].max()
    codes = encode_labels(found.groups, name="groups")[1]
    clusters = Clusters.of(codes[is_used], weight)
    if clusters.codes is None:
        return None
    return clusters.standard_error(values[is_used]), clusters.n_clusters


def _mean_label(mean: str, half: float, level: float | None) -> str:
    """Return the mean and what stands behind the ±: elsewhere it is a standard error."""
    if level is None or np.isnan(half):
        return f"mean {mean}"
    return f"mean {mean} ± {half:.3f} ({100 * level:g}% interval)"
