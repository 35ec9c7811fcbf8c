"""PrecisionRecallAtKDisplay: precision against recall as the list grows."""

from typing import Any

import numpy as np
from sklearn.metrics import auc

from sklearn_rank._validation import check_integer
from sklearn_rank.metrics._curve import precision_recall_at_k_curve
from sklearn_rank.metrics._plot._axes import (
    axis_for,
    check_matplotlib,
    half_width,
    keywords_for,
    label_of,
    name_for,
    style,
)
from sklearn_rank.metrics._plot._rows import (
    longest_list,
    name_of,
    rows_of_cv,
    rows_of_estimator,
)
from sklearn_rank.metrics._report import ranking_report

__all__ = ["PrecisionRecallAtKDisplay"]

# Cutoffs that are marked on the curve, as far as it goes.
MARKED = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class PrecisionRecallAtKDisplay:
    """Precision against recall at k = 1, 2, ..., with the area under the curve.

    Make it with :meth:`from_predictions`, :meth:`from_estimator` or
    :meth:`from_cv_results`. Several models go on one axis: pass the ``ax_`` of the first
    display as ``ax`` to the next one. Points mark k = 1, 2, 5, 10, 20, 50 and so on.

    Parameters
    ----------
    precision : array-like of shape (n_cutoffs,)
        Mean of precision over queries at k = 1, ..., n_cutoffs.
    recall : array-like of shape (n_cutoffs,)
        Mean of recall over queries, not decreasing.
    standard_error : array-like of shape (n_cutoffs,), default=None
        Standard error of the mean precision; NaN where it is not known. None draws no band.
    n_queries : int, default=None
        Number of queries behind the means.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    area : float
        Area under the curve from its first point to its last, and so smaller the smaller
        the largest cutoff; compare curves of the same cutoffs.
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

    def __init__(
        self, *, precision, recall, standard_error=None, n_queries=None, name=None
    ):
        self.precision = precision
        self.recall = recall
        self.standard_error = standard_error
        self.n_queries = n_queries
        self.name = name

    @property
    def area(self):
        """Area under the curve, from its first point to its last."""
        if len(self.recall) < 2 or np.isnan(self.recall).any():
            return float("nan")
        return float(auc(self.recall, self.precision))

    def plot(self, ax=None, *, name=None, level=0.95, line_kw=None, band_kw=None):
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            Name of the model in the legend. None: the one given before.
        level : float, default=0.95
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
        self.ax_ = axis_for(ax, "PrecisionRecallAtKDisplay")
        self.figure_ = self.ax_.figure
        area = f"area {self.area:.3f} to k = {len(self.recall)}"
        known = name_for(name, self.name)
        label = label_of(known, area, n_queries=self.n_queries)
        marked = [k - 1 for k in MARKED if k <= len(self.recall)]
        keywords = keywords_for(
            "line_kw", line_kw, label=label, marker="o", markersize=4, markevery=marked
        )
        (self.line_,) = self.ax_.plot(self.recall, self.precision, **keywords)
        self.marks_ = [self._mark(place) for place in marked]
        self.band_ = self._draw_band(level, band_kw)
        self.ax_.set(xlabel="recall@k", ylabel="precision@k")
        style(self.ax_)
        self.ax_.legend(frameon=False)
        return self

    def _mark(self, place: int) -> Any:
        return self.ax_.annotate(
            str(place + 1),
            (self.recall[place], self.precision[place]),
            xytext=(4, 4),
            textcoords="offset points",
            fontsize="small",
            color=self.line_.get_color(),
        )

    def _draw_band(self, level: float | None, band_kw: dict | None) -> Any:
        if self.standard_error is None or level is None:
            return None
        half = half_width(self.standard_error, self.n_queries or np.inf, level)
        known = ~np.isnan(half)
        mean, recall = np.asarray(self.precision)[known], np.asarray(self.recall)[known]
        color = self.line_.get_color()
        keywords = keywords_for("band_kw", band_kw, color=color, alpha=0.2, linewidth=0)
        return self.ax_.fill_between(
            recall, mean - half[known], mean + half[known], **keywords
        )

    @classmethod
    def from_predictions(
        cls,
        y_true,
        y_score,
        *,
        groups=None,
        max_k=100,
        min_relevance=None,
        ties="average",
        sample_weight=None,
        replace_undefined_by="warn",
        name=None,
        ax=None,
        **plot_kw,
    ):
        """Draw the curve of given scores.

        Parameters
        ----------
        y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
        y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
        groups : array-like of shape (n_rows,), default=None
            Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
        max_k : int or None, default=100
            Largest cutoff. The curve ends with the longest list where that is shorter, and
            always with None.
        min_relevance : float, default=None
            Lowest grade that is relevant. None: any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            What rows of equal score count for, as in the metrics.
        sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
            Weight of each query in the mean; in 1-D one value a row, alike within a query.
        replace_undefined_by : float or "warn", default="warn"
            Value of a query for which the metric is undefined. "warn" leaves it out of the
            mean with an ``UndefinedMetricWarning``, NaN without one.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : PrecisionRecallAtKDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For bad input, see :ref:`errors`.
        """
        check_matplotlib("PrecisionRecallAtKDisplay")
        max_k = check_integer("max_k", max_k, none="the longest list")
        longest = longest_list(y_true, y_score, groups)
        shared = {
            "groups": groups,
            "min_relevance": min_relevance,
            "ties": ties,
            "sample_weight": sample_weight,
            "replace_undefined_by": replace_undefined_by,
        }
        precision, recall, k = precision_recall_at_k_curve(
            y_true,
            y_score,
            max_k=longest if max_k is None else min(max_k, longest),
            **shared,
        )
        errors, n_queries = _standard_errors(y_true, y_score, len(k), shared)
        display = cls(
            precision=precision,
            recall=recall,
            standard_error=errors,
            n_queries=n_queries,
            name=name,
        )
        return display.plot(ax, **plot_kw)

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y=None,
        *,
        groups=None,
        max_k=100,
        user=0,
        item=1,
        min_relevance=None,
        ties="average",
        sample_weight=None,
        replace_undefined_by="warn",
        name=None,
        ax=None,
        **plot_kw,
    ):
        """Draw the curve of a fitted estimator.

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
        max_k : int or None, default=100
            Largest cutoff. The curve ends with the longest list where that is shorter, and
            always with None.
        user, item : str or int, default=0 and 1
            Columns of X with the users and items of a recommender.
        min_relevance : float, default=None
            Lowest grade that is relevant. None: any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            What rows of equal score count for, as in the metrics.
        sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
            Weight of each query in the mean; in 1-D one value a row, alike within a query.
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
        display : PrecisionRecallAtKDisplay
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
        check_matplotlib("PrecisionRecallAtKDisplay")
        check_integer("max_k", max_k, none="the longest list")
        rows = rows_of_estimator(
            estimator, X, y, groups, user=user, item=item, n_items=max_k
        )
        return cls.from_predictions(
            **rows,
            max_k=max_k,
            min_relevance=min_relevance,
            ties=ties,
            sample_weight=sample_weight,
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
        max_k=100,
        user=0,
        item=1,
        min_relevance=None,
        ties="average",
        replace_undefined_by="warn",
        name=None,
        ax=None,
        **plot_kw,
    ):
        """Draw the curve over the held-out queries of all folds of a cross-validation.

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
        max_k : int or None, default=100
            Largest cutoff. The curve ends with the longest list where that is shorter, and
            always with None.
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
        display : PrecisionRecallAtKDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `cv_results` lacks estimators or indices, or as :meth:`from_estimator`.
        """
        check_matplotlib("PrecisionRecallAtKDisplay")
        check_integer("max_k", max_k, none="the longest list")
        rows = rows_of_cv(cv_results, X, y, groups, user=user, item=item, n_items=max_k)
        return cls.from_predictions(
            **rows,
            max_k=max_k,
            min_relevance=min_relevance,
            ties=ties,
            replace_undefined_by=replace_undefined_by,
            name=name_of(cv_results["estimator"][0]) if name is None else name,
            ax=ax,
            **plot_kw,
        )


def _standard_errors(
    y_true: Any, y_score: Any, max_k: int, shared: dict
) -> tuple[np.ndarray, int]:
    """Return the standard error of precision where it is drawn, and the queries behind.

    At most some fifty cutoffs, spaced as the curve is; NaN at the others.
    """
    cutoffs = np.unique(np.geomspace(1, max_k, 50).round().astype(int))
    report = ranking_report(
        y_true,
        y_score,
        metrics=["recall@1", *(f"precision@{k}" for k in cutoffs)],
        output_dict=True,
        **shared,
    )
    errors = np.full(max_k, np.nan)
    errors[cutoffs - 1] = [report[f"precision@{k}"]["standard_error"] for k in cutoffs]
    return errors, report["recall@1"]["queries"]
