"""PerQueryDisplay: how a metric varies over queries, and where two models differ."""

from numbers import Integral
from typing import Any

import numpy as np

from sklearn_rank._labels import find_labels
from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._undefined import WARN, check_undefined, warn_of_undefined
from sklearn_rank.metrics._plot._axes import (
    axis_for,
    check_matplotlib,
    half_width,
    keywords_for,
    label_of,
    name_for,
    style,
)
from sklearn_rank.metrics._plot._rows import name_of, rows_of_cv, rows_of_estimator
from sklearn_rank.metrics._registry import parse_metrics
from sklearn_rank.metrics._several import per_query_scores

__all__ = ["PerQueryDisplay"]

# More than a picture can show.
_MOST_BINS = 10_000

# Okabe and Ito's blue and orange, which the color-blind tell apart.
BETTER, WORSE = "#0072B2", "#E69F00"


class PerQueryDisplay:
    """A metric of each query: its distribution, or the differences of two models.

    Make it with :meth:`from_predictions`, :meth:`from_estimator` or
    :meth:`from_cv_results`. Without a baseline it draws a histogram, and several models go
    on one axis. With a baseline it draws the difference of each query, sorted: how many
    queries gain, how many lose, and how much.

    Parameters
    ----------
    groups : array-like of shape (n_queries,)
        Label of each query.
    scores : array-like of shape (n_queries,)
        Value of the metric for each query, NaN where it is undefined.
    metric : str
        Name of the metric.
    baseline : PerQueryDisplay, default=None
        The same metric of another model over the same queries, in any order.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    differences : ndarray of shape (n_defined,)
        Score minus that of the baseline, largest first, of queries for which both are
        defined. Only with a baseline.
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    bars_ : matplotlib StepPatch or list of matplotlib PolyCollection
        The histogram; or the areas of gains and losses.
    mean_ : matplotlib Line2D
        The line at the mean.
    band_ : matplotlib Patch or None
        The confidence interval of the mean; None where it is not known.

    See Also
    --------
    per_query_scores : The numbers.
    MetricAtKDisplay : The means at several cutoffs.

    Notes
    -----
    The interval of the mean difference is the paired one, from Student's t over queries.

    Examples
    --------
    >>> from sklearn_rank.metrics import PerQueryDisplay
    >>> y_true, groups = [0, 1, 1, 0], ["a", "a", "b", "b"]
    >>> display = PerQueryDisplay.from_predictions(
    ...     y_true, [4, 3, 2, 1], groups=groups, metric="mrr", baseline=[1, 2, 1, 2]
    ... )
    >>> display.differences.tolist()
    [0.5, -0.5]
    """

    def __init__(self, *, groups, scores, metric, baseline=None, name=None):
        self.groups = groups
        self.scores = scores
        self.metric = metric
        self.baseline = baseline
        self.name = name

    @property
    def differences(self):
        """Score minus that of the baseline, largest first, where both are defined."""
        if self.baseline is None:
            raise AttributeError("There are no differences without a baseline.")
        if self.baseline.metric != self.metric:
            raise ValueError(
                f"Cannot compare {self.metric!r} with {self.baseline.metric!r}; take the "
                "same metric for both models."
            )
        place = _matching(np.asarray(self.groups), np.asarray(self.baseline.groups))
        difference = np.asarray(self.scores) - np.asarray(self.baseline.scores)[place]
        return -np.sort(-difference[~np.isnan(difference)])

    def plot(self, ax=None, *, name=None, level=0.95, bins=20, bar_kw=None, mean_kw=None):
        """Draw the histogram, or with a baseline the differences.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            Name of the model in the legend. None: the one given before.
        level : float, default=0.95
            Confidence level of the interval of the mean; None draws none.
        bins : int or sequence of float, default=20
            Bins of the histogram, as in `numpy.histogram`.
        bar_kw : dict, default=None
            Keywords for the bars: matplotlib's `stairs`, or `fill_between` for differences.
        mean_kw : dict, default=None
            Keywords for the line at the mean.

        Returns
        -------
        display : PerQueryDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the models have different queries or metrics, or no query is defined.
        """
        self.ax_ = axis_for(ax, "PerQueryDisplay")
        self.figure_ = self.ax_.figure
        known = name_for(name, self.name)
        bar_kw, mean_kw = keywords_for("bar_kw", bar_kw), keywords_for("mean_kw", mean_kw)
        if self.baseline is None:
            self._draw_histogram(known, level, _checked_bins(bins), bar_kw, mean_kw)
        else:
            self._draw_differences(known, level, bar_kw, mean_kw)
        style(self.ax_)
        self.ax_.legend(frameon=False)
        return self

    def _draw_histogram(
        self, name: str | None, level: float | None, bins: Any, bar_kw: dict, mean_kw: dict
    ) -> None:
        values = _defined(self.scores, self.metric)
        share, edges = np.histogram(values, bins, _range(values))
        mean, half = _mean(values, level)
        # A line of `plot`, unlike axvline, takes the next color of the axis.
        keywords: dict[str, Any] = {"label": _mean_label(f"{mean:.3f}", half, level)}
        keywords["linestyle"] = "--"
        keywords["transform"] = self.ax_.get_xaxis_transform()
        (self.mean_,) = self.ax_.plot([mean, mean], [0, 1], **keywords | mean_kw)
        color = self.mean_.get_color()
        label = label_of(name or self.metric, n_queries=len(values))
        keywords = {"label": label, "color": color, "fill": True, "alpha": 0.4}
        self.bars_ = self.ax_.stairs(share / len(values), edges, **keywords | bar_kw)
        self.band_ = None
        if not np.isnan(half):
            self.band_ = self.ax_.axvspan(
                mean - half, mean + half, color=color, alpha=0.2, linewidth=0
            )
        self.ax_.set(xlabel=f"{self.metric} of a query", ylabel="share of queries")

    def _draw_differences(
        self, name: str | None, level: float | None, bar_kw: dict, mean_kw: dict
    ) -> None:
        values = _defined(self.differences, self.metric)
        better, worse = (values > 0).mean(), (values < 0).mean()
        # A query is a step of width 1; both ends of a step carry its value.
        edge = np.repeat(np.arange(len(values) + 1), 2)[1:-1]
        height = np.repeat(values, 2)
        parts = {
            f"better on {better:.0%}": (np.maximum(height, 0), BETTER),
            f"worse on {worse:.0%}": (np.minimum(height, 0), WORSE),
        }
        self.bars_ = [
            self.ax_.fill_between(
                edge, part, **{"label": label, "color": color, "linewidth": 0} | bar_kw
            )
            for label, (part, color) in parts.items()
        ]
        mean, half = _mean(values, level)
        label = _mean_label(f"{mean:+.3f}", half, level)
        keywords = {"label": label, "color": "black", "linestyle": "--"}
        self.mean_ = self.ax_.axhline(mean, **keywords | mean_kw)
        self.band_ = None
        if not np.isnan(half):
            self.band_ = self.ax_.axhspan(
                mean - half, mean + half, color="black", alpha=0.15, linewidth=0
            )
        other = self.baseline.name or "baseline"
        self.ax_.set(
            xlabel=f"queries, sorted (n = {len(values):,})",
            ylabel=f"difference of {self.metric}",
            xlim=(0, len(values)),
        )
        self.ax_.set_title(
            f"{name or 'model'} minus {other}", loc="left", fontsize="medium"
        )

    @classmethod
    def from_predictions(
        cls,
        y_true,
        y_score,
        *,
        groups=None,
        metric="ndcg@10",
        baseline=None,
        min_relevance=None,
        ties="average",
        replace_undefined_by="warn",
        name=None,
        baseline_name=None,
        ax=None,
        **plot_kw,
    ):
        """Draw a metric per query of given scores.

        Parameters
        ----------
        y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
        y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
        groups : array-like of shape (n_rows,), default=None
            Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
        metric : str or callable, default="ndcg@10"
            The metric: a name, or a function of this module.
        baseline : array-like or PerQueryDisplay, default=None
            Scores of another model for the same rows, in the shape of ``y_score``; or its
            display, over the same queries.
        min_relevance : float, default=None
            Lowest grade that is relevant. None: any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            What rows of equal score count for, as in the metrics.
        replace_undefined_by : float or "warn", default="warn"
            Value of a query for which the metric is undefined. "warn" leaves it out of the
            mean with an ``UndefinedMetricWarning``, NaN without one.
        name : str, default=None
            Name of the model in the legend.
        baseline_name : str, default=None
            Name of the other model.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : PerQueryDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For bad input, see :ref:`errors`; and if the baseline has other queries.
        """
        check_matplotlib("PerQueryDisplay")
        shared = (metric, min_relevance, ties, replace_undefined_by)
        if baseline is not None and not isinstance(baseline, cls):
            other = _per_query(y_true, baseline, groups, shared)
            baseline = cls(**other, name=baseline_name)
        own = _per_query(y_true, y_score, groups, shared)
        if check_undefined(replace_undefined_by) == WARN:
            undefined = {own["metric"]: int(np.isnan(own["scores"]).sum())}
            warn_of_undefined(undefined, len(own["scores"]), stacklevel=2)
        return cls(**own, baseline=baseline, name=name).plot(ax, **plot_kw)

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y=None,
        *,
        groups=None,
        metric="ndcg@10",
        baseline=None,
        user=0,
        item=1,
        min_relevance=None,
        ties="average",
        replace_undefined_by="warn",
        name=None,
        baseline_name=None,
        ax=None,
        **plot_kw,
    ):
        """Draw a metric per query of a fitted estimator.

        Parameters
        ----------
        estimator : object
            A fitted ranker, classifier or regressor, or a recommender; or a pipeline or
            search with one.
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns)
            Rows to rank; for a recommender the held-out interactions.
        y : array-like of shape (n_rows,), default=None
            Relevance of each row. Without it each row of a recommender counts 1.
        groups : array-like of shape (n_rows,), str or int, default=None
            Query of each row, or the column of X that holds it, by name or position. A
            recommender needs none: its rows are lists that it recommends to each user.
        metric : str or callable, default="ndcg@10"
            The metric: a name, or a function of this module.
        baseline : estimator or PerQueryDisplay, default=None
            Another fitted estimator, judged by the same rows; or a display over the same
            queries.
        user, item : str or int, default=0 and 1
            Columns of X with the users and items of a recommender.
        min_relevance : float, default=None
            Lowest grade that is relevant. None: any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            What rows of equal score count for, as in the metrics.
        replace_undefined_by : float or "warn", default="warn"
            Value of a query for which the metric is undefined. "warn" leaves it out of the
            mean with an ``UndefinedMetricWarning``, NaN without one.
        name : str, default=None
            Name of the model in the legend. None: that of the estimator's class.
        baseline_name : str, default=None
            Name of the other model. None: that of the estimator's class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : PerQueryDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        NotFittedError
            If an estimator is not fitted.
        ValueError
            If groups are missing, or as :meth:`from_predictions`.
        """
        check_matplotlib("PerQueryDisplay")
        shared = (metric, min_relevance, ties, replace_undefined_by)

        def rows_of(estimator):
            return rows_of_estimator(
                estimator, X, y, groups, user=user, item=item, n_items=_cutoff(metric)
            )

        if baseline is not None and not isinstance(baseline, cls):
            other = _per_query(**rows_of(baseline), shared=shared)
            baseline = cls(**other, name=baseline_name or name_of(baseline))
        return cls.from_predictions(
            **rows_of(estimator),
            metric=metric,
            baseline=baseline,
            min_relevance=min_relevance,
            ties=ties,
            replace_undefined_by=replace_undefined_by,
            name=name_of(estimator) if name is None else name,
            ax=ax,
            **plot_kw,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results,
        X,
        y=None,
        *,
        groups=None,
        metric="ndcg@10",
        baseline=None,
        user=0,
        item=1,
        min_relevance=None,
        ties="average",
        replace_undefined_by="warn",
        name=None,
        ax=None,
        **plot_kw,
    ):
        """Draw a metric of each held-out query of all folds of a cross-validation.

        Each query is judged by the estimator that was fitted without it. A query that
        several folds hold out counts once for each.

        Parameters
        ----------
        cv_results : dict
            From `sklearn.model_selection.cross_validate`, with ``return_estimator=True``
            and ``return_indices=True``.
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns)
            The rows that were split.
        y : array-like of shape (n_rows,), default=None
            Relevance of each row. Without it each row of a recommender counts 1.
        groups : array-like of shape (n_rows,), str or int, default=None
            Query of each row, or the column of X that holds it, by name or position. A
            recommender needs none: its rows are lists that it recommends to each user.
        metric : str or callable, default="ndcg@10"
            The metric: a name, or a function of this module.
        baseline : PerQueryDisplay, default=None
            The display of another model over the same folds.
        user, item : str or int, default=0 and 1
            Columns of X with the users and items of a recommender.
        min_relevance : float, default=None
            Lowest grade that is relevant. None: any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            What rows of equal score count for, as in the metrics.
        replace_undefined_by : float or "warn", default="warn"
            Value of a query for which the metric is undefined. "warn" leaves it out of the
            mean with an ``UndefinedMetricWarning``, NaN without one.
        name : str, default=None
            Name of the model in the legend. None: that of the estimator's class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : PerQueryDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `cv_results` lacks estimators or indices, or as :meth:`from_estimator`.
        """
        check_matplotlib("PerQueryDisplay")
        rows = rows_of_cv(
            cv_results, X, y, groups, user=user, item=item, n_items=_cutoff(metric)
        )
        return cls.from_predictions(
            **rows,
            metric=metric,
            baseline=baseline,
            min_relevance=min_relevance,
            ties=ties,
            replace_undefined_by=replace_undefined_by,
            name=name_of(cv_results["estimator"][0]) if name is None else name,
            ax=ax,
            **plot_kw,
        )


def _per_query(
    y_true: Any,
    y_score: Any,
    groups: Any,
    shared: tuple,
) -> dict[str, Any]:
    """Return what a display is made of: labels, values and the metric's name."""
    metric, min_relevance, ties, fill = shared
    found = per_query_scores(
        y_true,
        y_score,
        groups=groups,
        metrics=[metric],
        min_relevance=min_relevance,
        ties=ties,
        replace_undefined_by=fill,
    )
    ((name, values),) = found.scores.items()
    return {"groups": found.groups, "scores": values, "metric": name}


def _checked_bins(bins: Any) -> Any:
    n_bins = int(bins) if isinstance(bins, Integral) else np.size(bins)
    if not 0 < n_bins <= _MOST_BINS:
        raise ValueError(f"`bins` must be 1 to {_MOST_BINS} bins, got {shorten(bins)}.")
    return bins


def _cutoff(metric: Any) -> int | None:
    """Return how many items a recommender is asked for; None: all."""
    return parse_metrics([metric])[0].parameters.get("k")


def _matching(groups: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the place of each query among those of the other model."""
    place = find_labels(others, groups, name="groups")
    missing, extra = int((place < 0).sum()), len(others) - int((place >= 0).sum())
    if missing or extra:
        raise ValueError(
            f"The models have different queries: {missing} are not in the baseline, and "
            f"{extra} of the baseline are not here; compare models on the same rows."
        )
    return place


def _defined(values: Any, metric: str) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    if len(values) == 0:
        raise ValueError(f"{metric} is undefined for every query, so nothing can be drawn.")
    return values


def _range(values: np.ndarray) -> tuple[float, float]:
    """Return 0 to 1 for metrics that stay there, so that models share their bins."""
    return min(0.0, values.min()), max(1.0, values.max())


def _mean_label(mean: str, half: float, level: float | None) -> str:
    """Return the mean and what stands behind the ±: elsewhere it is a standard error."""
    if level is None or np.isnan(half):
        return f"mean {mean}"
    return f"mean {mean} ± {half:.3f} ({100 * level:g}% interval)"


def _mean(values: np.ndarray, level: float | None) -> tuple[float, float]:
    """Return the mean and half of its confidence interval; NaN for a single query."""
    n = len(values)
    error = values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return float(values.mean()), float(half_width(error, n, level))
