"""PrecisionRecallAtKDisplay: precision against recall as the list grows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

import numpy as np
from sklearn.metrics import auc

from sklearn_rank._base._validation import check_integer
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import DisplaysByModel
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._mean_intervals import Average
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.metrics._core._summaries import WARN, warn_of_undefined
from sklearn_rank.metrics._plot._prediction_display import (
    LineOptions,
    PredictionDisplay,
    format_level,
    interval_of,
    intervals_of,
)
from sklearn_rank.metrics._plot._rows_of_estimators import averages_of, longest_list
from sklearn_rank.metrics._results._curves import CURVE, CurveSums
from sklearn_rank.metrics._results._ranking_report import expand_cutoffs
from sklearn_rank.typing import ArrayLike, Axes, Keywords, Labels, Matrix, Ties, Undefined

if TYPE_CHECKING:
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

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

    @overload
    @classmethod
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
    ) -> Self: ...

    @overload
    @classmethod
    def from_predictions(
        cls, y_true: Matrix, y_score: Mapping[str, Matrix], **options: Any
    ) -> DisplaysByModel[Self]: ...

    @classmethod
    @_figures.accept_models("y_score")
    def from_predictions(
        cls,
        y_true: Matrix,
        y_score: Any,
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
        **plot_kw: Any,
    ) -> Any:
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
