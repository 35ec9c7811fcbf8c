"""MetricAtKDisplay and PrecisionRecallAtKDisplay: means against the length of the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from sklearn.metrics import auc

from sklearn_rank._base._messages import plural
from sklearn_rank._base._validation import check_integer, check_option
from sklearn_rank._display import _figures
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._mean_intervals import Average
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._registry import bind, parse_metrics
from sklearn_rank.metrics._core._summaries import WARN, warn_of_undefined
from sklearn_rank.metrics._plot._prediction_display import (
    LineOptions,
    PredictionDisplay,
    accept_predictions,
    format_level,
    interval_of,
    intervals_of,
)
from sklearn_rank.metrics._plot._rows_of_estimators import averages_of, longest_list
from sklearn_rank.metrics._results._curves import CURVE, CurveSums
from sklearn_rank.metrics._results._ranking_report import (
    check_number_of_cutoffs,
    cutoffs_of,
    expand_cutoffs,
)
from sklearn_rank.typing import (
    ArrayLike,
    Axes,
    Keywords,
    Labels,
    Matrix,
    Metrics,
    SupportsArray,
    Ties,
    Undefined,
)

if TYPE_CHECKING:
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Text


# Metrics against the length of the list.


METRICS = "ndcg"

# The largest cutoff if `k` is None.
LONGEST = 20


class CurveOptions(LineOptions, total=False):
    """Options of `plot`."""

    labeled_k: int | None


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class MetricAtKDisplay(PredictionDisplay):
    """Metrics against k, the length of the list: means over queries, with a band.

    Make it with :meth:`from_predictions`, :meth:`from_estimator` or
    :meth:`from_cv_results`. Several models go on one axis: pass a mapping of
    them, as to :meth:`from_estimators`, or the ``ax_`` of a display as ``ax``.

    Parameters
    ----------
    k : array-like of shape (n_cutoffs,)
        The cutoffs, increasing.
    mean : dict of str to array-like of shape (n_cutoffs,)
        The mean over queries at each cutoff, by the metric's name without cutoff.
    standard_error : dict of str to array-like of shape (n_cutoffs,), default=None
        The standard error of each mean. None draws no band.
    n_queries : int, default=None
        Number of queries behind the means.
    n_clusters : float, default=None
        Equivalent number of equal clusters for the standard errors: their degrees of
        freedom plus 1. If None, each query is a cluster.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    lines_ : list of matplotlib Line2D
        One per metric.
    bands_ : list of matplotlib PolyCollection
        One per metric; empty without standard errors.

    See Also
    --------
    PrecisionRecallAtKDisplay : Precision against recall.
    PerQueryDisplay : The distribution behind the mean.

    Notes
    -----
    The band is the confidence interval of the mean over queries, within the range of the
    metric: that of :func:`~sklearn_rank.statistics.confidence_interval`, or Student's t for
    given standard errors. A query that several folds hold out is one cluster. Bands of
    two models on the same queries may overlap although one model is better on nearly every
    query; compare them with :class:`PerQueryDisplay`. The legend has the number of queries,
    because curves over different queries cannot be compared.

    Examples
    --------
    >>> from sklearn_rank.metrics import MetricAtKDisplay
    >>> y_true, y_score = [0, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    >>> display = MetricAtKDisplay.from_predictions(
    ...     y_true, y_score, groups=list("aaabbb"), metrics=["recall", "ndcg"], k=3
    ... )
    >>> [line.get_label() for line in display.lines_]
    ['recall 1.000 [0.158, 1.000] (n = 2)', 'ndcg 0.815 [0.000, 1.000] (n = 2)']
    >>> display.mean["recall"].tolist()
    [0.5, 1.0, 1.0]

    What a recommender recommends, against the rows held out:

    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.recommenders import PopularityRecommender
    >>> log = make_interactions(random_state=0, as_frame=True)  # in order of time
    >>> train, test = log[:40_000], log[40_000:]
    >>> display = MetricAtKDisplay.from_estimator(
    ...     PopularityRecommender().fit(train), test, k=10
    ... )
    >>> len(display.mean["ndcg"])
    10
    """

    k: ArrayLike
    mean: Mapping[str, ArrayLike]
    standard_error: Mapping[str, ArrayLike] | None = None
    n_queries: int | None = None
    n_clusters: float | None = None
    name: str | None = None
    lines_: list[Line2D] = field(init=False)
    bands_: list[PolyCollection] = field(init=False)
    _averages: dict[str, list[Average]] = field(init=False, default_factory=dict)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        confidence_level: float | None = 0.95,
        labeled_k: int | None = None,
        line_kw: Keywords = None,
        band_kw: Keywords = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        name : str, default=None
            Name of the model in the legend. If None, the one given before.
        confidence_level : float, default=0.95
            Confidence level of the interval of the mean; None draws none.
        labeled_k : int, default=None
            The cutoff whose means the legend shows, such as the one of tuning; it is marked
            on the axis. If None, the last cutoff, without a mark.
        line_kw : dict, default=None
            Keywords for matplotlib's `plot`.
        band_kw : dict, default=None
            Keywords for matplotlib's `fill_between`.

        Returns
        -------
        display : MetricAtKDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `labeled_k` is not a cutoff of the curves.
        """
        cutoffs: list[Any] = np.asarray(self.k).tolist()
        if labeled_k is not None:
            check_option("labeled_k", labeled_k, cutoffs)
        at = -1 if labeled_k is None else cutoffs.index(labeled_k)
        self._take_axis(ax)
        name = _figures.choose_name(name, self.name)
        several = len(self.mean) > 1
        n_clusters = self.n_clusters or self.n_queries or np.inf
        self.lines_: list = []
        self.bands_: list = []
        for metric, values in self.mean.items():
            mean = np.asarray(values)
            errors = None if self.standard_error is None else self.standard_error[metric]
            if metric in self._averages:
                low, high = intervals_of(self._averages[metric], confidence_level)
            else:
                low, high = interval_of(mean, errors, n_clusters, confidence_level)
            number = _figures.format_mean(mean[at], low[at], high[at])
            parts = [name, metric if several or not name else None]
            label = _figures.legend_label(*parts, number=number, n_queries=self.n_queries)
            every = max(1, len(mean) // 20)
            look = {"label": label, "markersize": 4, "markevery": every}
            keywords = _figures.merge_keywords("line_kw", line_kw, **look)
            self.lines_ += self.ax_.plot(cutoffs, mean, **keywords)
            if errors is not None and confidence_level is not None:
                band = _figures.draw_band(self.lines_[-1], cutoffs, low, high, band_kw)
                self.bands_.append(band)
        metric = "" if several else next(iter(self.mean))
        self.ax_.set_xlabel("k, length of the list")
        self.ax_.set_ylabel(f"mean over {plural(self._unit)}" if several else f"{metric}@k")
        if labeled_k is not None:
            _figures.mark_cutoff(self.ax_, labeled_k)
        _figures.start_at_zero(self.ax_)
        _figures.tick_cutoffs(self.ax_)
        title = f"{metric}@{cutoffs[at]}{format_level(confidence_level)}"
        _figures.finish_axes(self.ax_, title, at_ends=True)
        return self

    @classmethod
    def _last_rank(cls, *, metrics: Any = METRICS, k: Any = None, **_: Any) -> int | None:
        last = LONGEST if k is None else max(_cutoffs(k))
        needs_all = any(bound.metric.all_items for bound in parse_metrics(metrics))
        return None if needs_all else last

    @classmethod
    def _bound_metrics(cls, *, metrics: Any = METRICS, **_: Any) -> list[BoundMetric]:
        return parse_metrics(metrics)

    @classmethod
    @accept_predictions
    def from_predictions(
        cls,
        y_true: Matrix,
        y_score: Matrix,
        *,
        groups: Labels | None = None,
        metrics: Metrics = METRICS,
        k: int | Sequence[int] | SupportsArray | None = None,
        min_relevance: MinRelevance = None,
        ties: Ties = "average",
        sample_weight: ArrayLike | None = None,
        replace_undefined_by: Undefined = "warn",
        convention: str | None = None,
        items: Labels | None = None,
        catalogue: Catalogue | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Unpack[CurveOptions],
    ) -> Self:
        """Draw metrics at k of given scores.

        Parameters
        ----------
        y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
        y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
            A mapping of names to scores draws several models on one axis.
        groups : array-like of shape (n_rows,), default=None
            Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
        metrics : str, callable or sequence of these, default="ndcg"
            Metrics with a cutoff, named without it, such as ``"recall"`` or
            ``"ndcg(gain='exponential')"``.
        k : int or sequence of int, default=None
            The cutoffs, 1000 at most; an int takes all from 1 to it. Metrics treat the
            ranks after the end of a list as not relevant. If None, 1 to the length of the
            longest list, 20 at most.
        min_relevance : float, default=None
            Lowest grade that is relevant. If None, any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            Treatment of rows with equal scores, as in the metrics.
        sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
            Weight of each query in the mean; in 1-D one value per row, equal within a
            query.
        replace_undefined_by : float, "warn" or "abstained", default="warn"
            Value of a query for which the metric is undefined. "warn" leaves it out of the
            mean with an ``UndefinedMetricWarning``, NaN without one. With "abstained" a
            query without relevant rows has 1 if nothing was retrieved, else 0.
        convention : str, default=None
            A library whose definitions to follow, as in :func:`ranking_scores`.
        items : array-like of shape (n_rows,) or (n_items,), default=None
            Id of each row's item, in 2-D of each column's, for metrics of shown items.
        catalogue : Catalogue, default=None
            Data about items and users, for metrics of shown items. :meth:`from_estimator`
            takes it from the fitted recommender.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : MetricAtKDisplay
            With the picture drawn. For several models, a dict of displays by name, with
            ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For bad input, see :ref:`errors`; and if a metric has no cutoff.
        """
        held_out, unit = cls._take_labels(plot_kw)
        wanted = bind(metrics, ties, replace_undefined_by, convention, min_relevance)
        _check_without_cutoff(wanted)
        if k is None:
            k = min(longest_list(y_true, y_score, groups), LONGEST)
        cutoffs = _cutoffs(k)
        rows = (y_true, y_score, groups, sample_weight, {"items": items})
        evaluation = evaluate(expand_cutoffs(wanted, cutoffs), *rows, catalogue=catalogue)
        summaries = evaluation.summaries()
        undefined = evaluation.undefined(summaries)
        # A query that is undefined at the last cutoff is undefined at all.
        last = {bound.name: f"{bound.name}@{cutoffs[-1]}" for bound in wanted}
        undefined = {name: undefined.get(at_k, 0) for name, at_k in last.items()}
        of_shown = {bound.name for bound in wanted if bound.metric.rows == "shown"}
        warn_of_undefined(undefined, len(evaluation.queries.labels), of_shown)
        averages, n_clusters = averages_of(evaluation, held_out)
        curves = {metric: [averages[f"{metric}@{at}"] for at in cutoffs] for metric in last}
        display = cls(
            k=np.array(cutoffs),
            mean={
                metric: np.array([of.estimate.value for of in curve])
                for metric, curve in curves.items()
            },
            standard_error={
                metric: np.array([of.estimate.error for of in curve])
                for metric, curve in curves.items()
            },
            n_queries=summaries[last[wanted[0].name]].n,
            n_clusters=n_clusters,
            name=name,
        )
        display._unit = unit
        display._averages = curves
        return display.plot(ax, **plot_kw)


def _check_without_cutoff(wanted: list[BoundMetric]) -> None:
    """Raise unless a cutoff can be added to all metrics."""
    for bound in wanted:
        if bound.is_cutoff_fixed:
            raise ValueError(
                f"{bound.name!r} has a cutoff or takes no cutoff, so it cannot be drawn "
                "against k. Name metrics without cutoff, or draw a PerQueryDisplay of it."
            )


def _cutoffs(k: Any) -> list[int]:
    if isinstance(k, Integral):
        k = check_integer("k", k)
        check_number_of_cutoffs(k, k)
        return list(range(1, k + 1))
    cutoffs = sorted(set(cutoffs_of(k)))
    if not cutoffs:
        raise ValueError("`k` is empty; give at least one cutoff.")
    return cutoffs


# Precision against recall as the list grows.


MAX_K = 100
SQUARE = (5.2, 5.0)
LEAST_GAP = 0.2  # inches between two numbers

# Cutoffs to mark on the curve.
MARKED = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class PrecisionRecallAtKDisplay(PredictionDisplay):
    """Precision against recall at k = 1, 2, ..., with the area under the curve.

    Make it with :meth:`from_predictions`, :meth:`from_estimator` or
    :meth:`from_cv_results`. Several models go on one axis: pass a mapping of
    them, as to :meth:`from_estimators`, or the ``ax_`` of a display as ``ax``. Points mark
    k = 1, 2, 5, 10, 20, 50 and so on.

    Parameters
    ----------
    precision : array-like of shape (n_cutoffs,)
        Mean of precision over queries at k = 1, ..., n_cutoffs.
    recall : array-like of shape (n_cutoffs,)
        Mean of recall over queries; it does not decrease.
    standard_error : array-like of shape (n_cutoffs,), default=None
        Standard error of the mean precision; NaN where it is unknown. None draws no band.
    n_queries : int, default=None
        Number of queries behind the means.
    n_clusters : float, default=None
        Equivalent number of equal clusters for the standard errors: their degrees of
        freedom plus 1. If None, each query is a cluster.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    area : float
        Area under the curve from its first point to its last. It grows with the largest
        cutoff: compare only curves with the same cutoffs.
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    line_ : matplotlib Line2D
        The curve.
    marks_ : list of matplotlib Text
        The numbers at the marked points.
    band_ : matplotlib PolyCollection or None
        The confidence interval of the mean precision.

    See Also
    --------
    precision_recall_at_k_curve : The numbers.
    MetricAtKDisplay : Precision or recall against k.

    Examples
    --------
    >>> from sklearn_rank.metrics import PrecisionRecallAtKDisplay
    >>> display = PrecisionRecallAtKDisplay.from_predictions(
    ...     [0, 1, 0, 1], [4, 3, 2, 1], groups=["q"] * 4
    ... )
    >>> display.recall.tolist()
    [0.0, 0.5, 0.5, 1.0]
    >>> round(display.area, 3)
    0.333
    """

    precision: ArrayLike
    recall: ArrayLike
    standard_error: ArrayLike | None = None
    n_queries: int | None = None
    n_clusters: float | None = None
    name: str | None = None
    line_: Line2D = field(init=False)
    marks_: list[Text] = field(init=False)
    band_: PolyCollection | None = field(init=False)
    _averages: dict[int, Average] = field(init=False, default_factory=dict)

    @property
    def area(self) -> float:
        """Area under the curve, from its first point to its last."""
        recall = np.asarray(self.recall)
        is_known = len(recall) > 1 and not np.isnan(recall).any()
        return float(auc(recall, self.precision)) if is_known else np.nan

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        confidence_level: float | None = 0.95,
        line_kw: Keywords = None,
        band_kw: Keywords = None,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        name : str, default=None
            Name of the model in the legend. If None, the one given before.
        confidence_level : float, default=0.95
            Confidence level of the interval of the mean; None draws none.
        line_kw : dict, default=None
            Keywords for matplotlib's `plot`.
        band_kw : dict, default=None
            Keywords for matplotlib's `fill_between`.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self._take_axis(ax, SQUARE)
        name = _figures.choose_name(name, self.name)
        number = f"{self.area:.3f}" if name else f"area {self.area:.3f}"
        label = _figures.legend_label(name, number=number, n_queries=self.n_queries)
        points = np.column_stack([np.asarray(self.recall), np.asarray(self.precision)])
        marked = [k - 1 for k in MARKED if k <= len(points)]
        is_first = not self.ax_.has_data()
        look = {"label": label, "markersize": 4, "markevery": marked}
        keywords = _figures.merge_keywords("line_kw", line_kw, **look)
        (self.line_,) = self.ax_.plot(*points.T, **keywords)
        self.band_ = self._draw_band(confidence_level, band_kw)
        self.ax_.set(xlabel="recall@k", ylabel="precision@k")
        _figures.start_at_zero(self.ax_, "xy")
        # Numbers of several curves would overlap.
        self.marks_ = self._draw_marks(points, marked) if is_first else []
        title = f"area to k = {len(points)}{format_level(confidence_level)}"
        _figures.finish_axes(self.ax_, title)
        return self

    def _draw_marks(self, points: np.ndarray, places: list[int]) -> list[Any]:
        """Write k at points that are far enough from the one before."""
        marks, last = [], np.full(2, -np.inf)
        look: dict[str, Any] = {"fontsize": "small", "color": self.line_.get_color()}
        look |= {"xytext": (4, 4), "textcoords": "offset points"}
        for index in places:
            at = self.ax_.transData.transform(points[index])
            if np.hypot(*(at - last)) >= LEAST_GAP * self.ax_.figure.dpi:
                marks.append(self.ax_.annotate(str(index + 1), points[index], **look))
                last = at
        return marks

    def _draw_band(self, confidence_level: float | None, band_kw: Keywords) -> Any:
        if self.standard_error is None or confidence_level is None:
            return None
        mean, errors = np.asarray(self.precision), self.standard_error
        n_clusters = self.n_clusters or self.n_queries or np.inf
        ends = np.array(interval_of(mean, errors, n_clusters, confidence_level))
        if self._averages:
            averages = list(self._averages.values())
            ends[:, list(self._averages)] = intervals_of(averages, confidence_level)
        is_defined = ~np.isnan(ends[0])
        low, high, recall = (np.asarray(part)[is_defined] for part in (*ends, self.recall))
        return _figures.draw_band(self.line_, recall, low, high, band_kw)

    @classmethod
    def _last_rank(cls, *, max_k: Any = MAX_K, **_: Any) -> int | None:
        return check_integer("max_k", max_k, none="the longest list")

    @classmethod
    @accept_predictions
    def from_predictions(
        cls,
        y_true: Matrix,
        y_score: Matrix,
        *,
        groups: Labels | None = None,
        max_k: int | None = MAX_K,
        min_relevance: MinRelevance = None,
        ties: Ties = "average",
        sample_weight: ArrayLike | None = None,
        replace_undefined_by: Undefined = "warn",
        convention: str | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Unpack[LineOptions],
    ) -> Self:
        """Draw the curve of given scores.

        Parameters
        ----------
        y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
        y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
            A mapping of names to scores draws several models on one axis.
        groups : array-like of shape (n_rows,), default=None
            Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
        max_k : int or None, default=100
            Largest cutoff. The curve ends earlier if the longest list is shorter. If None,
            the length of the longest list.
        min_relevance : float, default=None
            Lowest grade that is relevant. If None, any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            Treatment of rows with equal scores, as in the metrics.
        sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
            Weight of each query in the mean; in 1-D one value per row, equal within a
            query.
        replace_undefined_by : float or "warn", default="warn"
            Value of a query for which the metric is undefined. "warn" leaves it out of the
            mean with an ``UndefinedMetricWarning``, NaN without one.
        convention : str, default=None
            A library whose definitions to follow, as in :func:`ranking_scores`.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            With the picture drawn. For several models, a dict of displays by name, with
            ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For bad input, see :ref:`errors`; and if the library of ``convention`` has no
            precision or recall, or defines it differently.
        """
        held_out, _ = cls._take_labels(plot_kw)
        max_k = check_integer("max_k", max_k, none="the longest list")
        settings = ties, replace_undefined_by, convention, min_relevance
        wanted = bind(["precision", "recall"], *settings)
        for bound in wanted:
            _check_matches_curve(bound, convention)
        longest = longest_list(y_true, y_score, groups)
        n_cutoffs = longest if max_k is None else min(max_k, longest)
        curve = wanted[0].with_parameters(k=n_cutoffs)
        curve = replace(curve, name="precision and recall", metric=CURVE)
        # Standard errors at about fifty cutoffs, spaced by their logarithm; NaN at the
        # others.
        cutoffs = np.unique(np.geomspace(1, n_cutoffs, 50).round().astype(int))
        at_k = expand_cutoffs(wanted[:1], cutoffs)
        evaluation = evaluate([curve, *at_k], y_true, y_score, groups, sample_weight)
        summaries = evaluation.summaries()
        sums: CurveSums = summaries.pop(curve.name)  # type: ignore[assignment]
        if curve.replace_undefined_by == WARN:
            undefined = {curve.name: sums.undefined}
            warn_of_undefined(undefined, sums.n + sums.undefined)
        precision, recall = sums.means(n_cutoffs, curve.replace_undefined_by)
        errors = np.full(n_cutoffs, np.nan)
        averages, n_clusters = averages_of(replace(evaluation, wanted=at_k), held_out)
        errors[cutoffs - 1] = [average.estimate.error for average in averages.values()]
        display = cls(
            precision=precision,
            recall=recall,
            standard_error=errors,
            n_queries=summaries[at_k[0].name].n,
            n_clusters=n_clusters,
            name=name,
        )
        places = (cutoffs - 1).tolist()
        display._averages = dict(zip(places, averages.values(), strict=True))
        return display.plot(ax, **plot_kw)


def _check_matches_curve(bound: BoundMetric, convention: Any) -> None:
    """Raise if a library defines a metric differently from the curve."""
    for parameter, default in bound.metric.parameters.items():
        value = bound.parameters[parameter]
        if parameter not in CURVE.kernel_parameters and value != default:
            raise ValueError(
                f"Convention {convention!r} has {bound.name} with {parameter}={value!r}, "
                f"but the curve has {parameter}={default!r}; MetricAtKDisplay draws it."
            )
