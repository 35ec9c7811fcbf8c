"""RiskCoverageDisplay: the risk of a system that answers only where it is sure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from sklearn_rank._base._numbers import as_floats, is_number
from sklearn_rank._base._validation import check_given
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import DisplaysByModel
from sklearn_rank._display._result import Result
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._columns import take_column
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._read_losses import read_losses
from sklearn_rank.metrics._core._registry import parse_metric
from sklearn_rank.metrics._core._risk_coverage import risk_curves
from sklearn_rank.metrics._plot._prediction_display import (
    PredictionDisplay,
    accept_predictions,
)
from sklearn_rank.metrics._plot._rows_of_estimators import RowsToDraw
from sklearn_rank.typing import ArrayLike, Axes, Confidence, Keywords, Labels, Matrix, Ties

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

# Between two points of a curve, queries tie: the risk there is a hyperbola.
_GRID = np.linspace(0, 1, 201)[1:]


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class RiskCoverageDisplay(PredictionDisplay):
    """The risk of a system against its coverage, beside the best and a random order.

    Make it with :meth:`from_predictions`, :meth:`from_estimator` or :meth:`from_report`.
    Several systems go on one axis: pass a mapping of them. The dashed line has the same
    losses in the best order (the oracle), the dotted line has them in a random order. The
    confidence is useless if the curve is near the dotted line.

    Parameters
    ----------
    risk, coverage, threshold : array-like of shape (n_thresholds,)
        Points of the curve, as from :func:`risk_coverage_curve`.
    oracle_risk, oracle_coverage : array-like of shape (n_losses,)
        Points of the curve of the best order.
    area : float
        The area under the curve (AURC), for the legend.
    answer_from : float, default=None
        Confidence from which on queries are answered, to be marked. None marks none.
    metric : str, default="metric"
        Name of the metric of the losses.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    line_ : matplotlib Line2D
        The curve of the system.
    oracle_ : matplotlib Line2D
        The best order of the same losses.
    random_ : matplotlib Line2D
        A random order: the mean loss of all queries.
    mark_ : matplotlib Line2D or None
        The point of the threshold; None if no threshold is given, or nothing is answered.

    See Also
    --------
    risk_coverage_curve : The numbers.
    sklearn_rank.statistics.abstention_report : Intervals of the risk and of the area.

    Examples
    --------
    >>> from sklearn_rank.metrics import RiskCoverageDisplay
    >>> y_true = [[1, 0], [0, 0], [1, 0]]
    >>> y_score = [[0.9, 0.2], [0.4, 0.3], [0.8, 0.1]]
    >>> display = RiskCoverageDisplay.from_predictions(y_true, y_score, threshold=0.8)
    >>> display.coverage.round(2).tolist(), display.risk.round(2).tolist()
    ([0.33, 0.67, 1.0], [0.0, 0.0, 0.33])
    >>> display.mark_.get_label()
    'from 0.8 on: coverage 0.667, risk 0.000'
    """

    risk: ArrayLike
    coverage: ArrayLike
    threshold: ArrayLike
    oracle_risk: ArrayLike
    oracle_coverage: ArrayLike
    area: float
    answer_from: float | None = None
    metric: str = "metric"
    name: str | None = None
    line_: Line2D = field(init=False)
    oracle_: Line2D = field(init=False)
    random_: Line2D = field(init=False)
    mark_: Line2D | None = field(init=False)

    def plot(
        self, ax: Axes | None = None, *, name: str | None = None, line_kw: Keywords = None
    ) -> Self:
        """Draw the curve, the best order, a random order and the threshold.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        name : str, default=None
            Name of the model in the legend. If None, the one given before.
        line_kw : dict, default=None
            Keywords for the curve: matplotlib's `plot`.

        Returns
        -------
        display : RiskCoverageDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self._take_axis(ax)
        name = _figures.choose_name(name, self.name)
        label = _figures.legend_label(name, number=_figures.format_mean(self.area))
        look = {"label": label, "linestyle": "-", "marker": ""}
        keywords = _figures.merge_keywords("line_kw", line_kw, **look)
        is_first = not self.ax_.has_data()
        curve = _follow(self.coverage, self.risk)
        (self.line_,) = self.ax_.plot(*curve, **keywords)
        random = np.asarray(self.risk)[-1:].tolist() * 2
        best = _follow(self.oracle_coverage, self.oracle_risk)
        names = ["best order", "random order"] if is_first else [None, None]
        style: Any = {"marker": "", "color": self.line_.get_color()}
        (self.oracle_,) = self.ax_.plot(*best, linestyle="--", label=names[0], **style)
        even = [0, 1][: len(random)], random
        (self.random_,) = self.ax_.plot(*even, linestyle=":", label=names[1], **style)
        self.mark_ = self._mark()
        self.ax_.set(xlabel="coverage", ylabel=f"risk (1 - {self.metric})", xlim=(0, 1.01))
        _figures.start_at_zero(self.ax_, "y")
        _figures.finish_axes(self.ax_, "AURC")
        return self

    def _mark(self) -> Any:
        """Mark the last point of the curve at or above the threshold, if there is one."""
        threshold = as_floats(self.threshold, "threshold")
        answer_from = self.answer_from
        is_valid = answer_from is None or is_number(type(answer_from))
        check_given("threshold", answer_from, is_valid, "a number, or None for no mark")
        if answer_from is None or not len(threshold):
            return None
        (answer_from,) = as_floats([answer_from], "threshold")  # NumPy compares no Decimal
        n_above = int(((threshold >= answer_from) & (threshold > -np.inf)).sum())
        if n_above == 0:
            return None
        x, y = np.asarray([self.coverage, self.risk])[:, n_above - 1]
        label = f"from {answer_from:g} on: coverage {x:.3f}, risk {y:.3f}"
        look = {"linestyle": "", "marker": "o", "color": self.line_.get_color()}
        return self.ax_.plot([x], [y], label=label, **look)[0]

    @classmethod
    def _last_rank(cls, *, metric: Any = "ndcg@10", **_: Any) -> int | None:
        return parse_metric(metric).list_length

    @classmethod
    def _score_others(cls, rows: RowsToDraw, parameters: dict[str, Any]) -> dict[str, Any]:
        column = parameters.get("confidence")
        if not isinstance(column, str):
            return parameters
        return parameters | {"confidence": take_column(rows.X, column, name="confidence")}

    @classmethod
    @accept_predictions
    def from_predictions(
        cls,
        y_true: Matrix,
        y_score: Matrix,
        *,
        groups: Labels | None = None,
        confidence: Confidence | None = None,
        metric: str = "ndcg@10",
        threshold: float | None = None,
        min_relevance: MinRelevance = None,
        ties: Ties = "average",
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Any,
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
        confidence : array-like, mapping or Series, default=None
            Confidence of each query, as in :func:`aurc_score`. If None, the highest score.
            For :meth:`from_estimator` also the name of a column of X.
        metric : str, default="ndcg@10"
            Metric from 0 to 1 of an answered query.
        threshold : float, default=None
            Confidence from which on queries are answered, to be marked. None marks none.
        min_relevance : float, default=None
            Lowest grade that is relevant. If None, any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            Treatment of rows with equal scores, as in the metrics.
        sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
            Weight of each query in the mean; in 1-D one value per row, equal within a
            query.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : RiskCoverageDisplay
            With the picture drawn. For several models, a dict of displays by name, with
            ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For bad input, see :ref:`errors`.
        """
        cls._take_labels(plot_kw)
        rows = (y_true, y_score, groups, confidence, metric, min_relevance, ties)
        losses = read_losses(*rows, sample_weight)
        curves = risk_curves(losses.confidence, losses.loss, losses.weight)
        attributes: Any = {"answer_from": threshold, "metric": losses.metric, "name": name}
        return cls(**curves, **attributes).plot(ax, **plot_kw)

    @overload
    @classmethod
    def from_report(
        cls,
        report: Result,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Any,
    ) -> Self: ...

    @overload
    @classmethod
    def from_report(
        cls, report: Mapping[str, Result], **options: Any
    ) -> DisplaysByModel[Self]: ...

    @classmethod
    @_figures.accept_models("report")
    def from_report(
        cls, report: Any, *, name: str | None = None, ax: Axes | None = None, **plot_kw: Any
    ) -> Any:
        """Draw the curve of a report, with its threshold.

        Parameters
        ----------
        report : AbstentionReport or mapping of str to AbstentionReport
            From :func:`~sklearn_rank.statistics.abstention_report`; of several systems by
            name.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : RiskCoverageDisplay
            With the picture drawn. For several systems, a dict of displays by name, with
            ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If ``report`` is not an AbstentionReport.
        """
        _figures.import_pyplot(cls.__name__)
        # By what it has: its class draws itself with this one, and imports it.
        is_valid = hasattr(report, "curves") and hasattr(report, "settings")
        needed = "an AbstentionReport as abstention_report returns"
        check_given("report", report, is_valid, needed)
        attributes = {"answer_from": report.settings["threshold"], "name": name}
        display = cls(**report.curves, **attributes, metric=report.settings["metric"])
        return display.plot(ax, **plot_kw)


def _follow(coverage: Any, risk: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the curve through these points. Between two of them, losses add up evenly."""
    coverage, risk = as_floats(coverage, "coverage"), as_floats(risk, "risk")
    if not len(coverage):
        return coverage, risk
    at = np.union1d(_GRID, coverage)
    lost = np.interp(at, np.append(0, coverage), np.append(0, coverage * risk))
    return at, lost / at
