"""PerQueryDisplay: the distribution of a metric over queries, or of a difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict, Unpack, overload

from sklearn_rank._base._messages import plural
from sklearn_rank._base._validation import check_given, check_option
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import DisplaysByModel
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import Evaluation, evaluate
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._registry import bind, parse_metric
from sklearn_rank.metrics._core._summaries import warn_of_undefined
from sklearn_rank.metrics._plot._prediction_display import (
    PredictionDisplay,
    accept_predictions,
    format_level,
)
from sklearn_rank.metrics._plot._query_pictures import (
    draw_differences,
    draw_distribution,
    gains_and_losses,
    largest_first,
    mean_with_interval,
)
from sklearn_rank.metrics._plot._rows_of_estimators import RowsToDraw, name_of
from sklearn_rank.typing import (
    ArrayLike,
    Axes,
    Floats,
    Keywords,
    Labels,
    Matrix,
    Metric,
    Ties,
    Undefined,
)

if TYPE_CHECKING:
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

METRIC = "ndcg@10"


class _QueryOptions(TypedDict, total=False):
    kind: Literal["sorted", "shares"]
    confidence_level: float | None
    bar_kw: Keywords
    mean_kw: Keywords


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class PerQueryDisplay(PredictionDisplay):
    """A metric of each query: its distribution, or the differences of two models.

    Make it with :meth:`from_predictions`, :meth:`from_estimator`, :meth:`from_cv_results`
    or :meth:`from_scores`. Without a baseline it draws the share of queries up to each
    value, with a point at the mean. Several models fit on one axis: the better one is
    further to the right. With a baseline it draws the sorted differences of queries: how
    many gain, how many lose, and how much.

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
    bars_ : matplotlib Line2D or list of matplotlib PolyCollection
        The shares of queries; or the areas of gains and losses.
    mean_ : matplotlib Line2D
        The point, or the line, at the mean.
    band_ : matplotlib Line2D, Patch or None
        The confidence interval of the mean; None if it is unknown.

    See Also
    --------
    per_query_scores : The numbers.
    MetricAtKDisplay : The means at several cutoffs.

    Notes
    -----
    The interval of the mean difference is paired, by Student's t over queries, as in
    :func:`sklearn_rank.statistics.compare_models`; values of one label in several folds are
    one cluster. Intervals are within the range of the metric.

    Examples
    --------
    >>> from sklearn_rank.metrics import PerQueryDisplay
    >>> y_true, groups = [0, 1, 1, 0], ["a", "a", "b", "b"]
    >>> display = PerQueryDisplay.from_predictions(
    ...     y_true, [4, 3, 2, 1], groups=groups, metrics="mrr", baseline=[1, 2, 1, 2]
    ... )
    >>> display.differences.tolist()
    [0.5, -0.5]
    """

    groups: Labels
    scores: ArrayLike
    metric: str
    baseline: PerQueryDisplay | None = None
    name: str | None = None
    bars_: Line2D | list[PolyCollection] = field(init=False)
    mean_: Line2D = field(init=False)
    band_: Line2D | Patch | None = field(init=False)
    _found: PerQueryScores = field(init=False)
    _of_several: ClassVar = {"kind": "shares"}

    def __post_init__(self) -> None:
        """Raise unless `metric` is a name, and `baseline` a display or None."""
        metric, baseline = self.metric, self.baseline
        check_given("metric", metric, isinstance(metric, str), "the name of a metric")
        is_valid = baseline is None or isinstance(baseline, PerQueryDisplay)
        check_given("baseline", baseline, is_valid, "another PerQueryDisplay")
        self._found = PerQueryScores(self.groups, {metric: self.scores})

    @classmethod
    def _from_values(
        cls, scores: PerQueryScores, metric: str, baseline: Any = None, name: Any = None
    ) -> Self:
        """Return the display of values with their weights, folds and summaries."""
        values = scores.scores[metric]
        display = cls(
            groups=scores.groups, scores=values, metric=metric, baseline=baseline, name=name
        )
        display._found = scores
        return display

    @property
    def differences(self) -> Floats:
        """Score minus the baseline's, largest first, for queries defined in both."""
        return largest_first(self._difference().scores[self.metric])

    def _difference(self) -> PerQueryScores:
        if self.baseline is None:
            raise AttributeError("Differences need a baseline; give `baseline`.")
        if self.baseline.metric != self.metric:
            raise ValueError(
                f"Cannot compare {self.metric!r} with {self.baseline.metric!r}; take the "
                "same metric for both models."
            )
        return self._found.difference(self.baseline._found)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        kind: Literal["sorted", "shares"] = "sorted",
        confidence_level: float | None = 0.95,
        bar_kw: Keywords = None,
        mean_kw: Keywords = None,
    ) -> Self:
        """Draw the distribution, or with a baseline the differences.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        name : str, default=None
            Name of the model in the legend. If None, the one given before.
        kind : {"sorted", "shares"}, default="sorted"
            How to draw differences to a baseline: sorted, with areas of gains and losses;
            or as shares of queries up to each value, as for several models.
        confidence_level : float, default=0.95
            Confidence level of the interval of the mean; None draws none.
        bar_kw : dict, default=None
            Keywords for the shares: matplotlib's `plot`, or `fill_between` for differences.
        mean_kw : dict, default=None
            Keywords for the point, or the line, at the mean.

        Returns
        -------
        display : PerQueryDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the models have different queries or metrics.
        """
        self._take_axis(ax)
        name = _figures.choose_name(name, self.name)
        bars = _figures.merge_keywords("bar_kw", bar_kw)
        line = _figures.merge_keywords("mean_kw", mean_kw)
        check_option("kind", kind, ("sorted", "shares"))
        scores = self._found if self.baseline is None else self._difference()
        values, units = largest_first(scores.scores[self.metric]), plural(self._unit)
        is_paired = self.baseline is not None
        arguments = scores, self.metric, confidence_level
        average = mean_with_interval(*arguments, by_t=is_paired)  # as in compare_models
        title, quantity = f"{self.metric}{format_level(confidence_level)}", self.metric
        if self.baseline is not None:
            baseline = _figures.choose_name(None, self.baseline.name) or "baseline"
            baseline = _figures.short_name(baseline)
            quantity = f"difference of {quantity}"
        if self.baseline is None or kind == "shares":
            sign = "" if self.baseline is None else "+"
            mean, (low, high) = average
            number = _figures.format_mean(mean, low, high, sign)
            legend = name or self.metric
            label = _figures.legend_label(legend, number=number, n_queries=len(values))
            drawn = draw_distribution(self.ax_, values[::-1], average, label, bars, line)
            title += f", minus {baseline}" if sign else ""
            self.ax_.set_xlabel(f"{quantity} of a {self._unit}")
            self.ax_.set_ylabel(f"share of {units} up to the value")
            _figures.start_at_zero(self.ax_)
        else:
            parts = gains_and_losses(values, self.metric in scores.lower_is_better)
            drawn = draw_differences(self.ax_, parts, average, bars, line)
            self.ax_.set_xlabel(f"{units}, sorted (n = {len(values):,})")
            self.ax_.set_ylabel(quantity)
            heading = f"{_figures.short_name(name or 'model')} minus {baseline}"
            self.ax_.set_title(heading, loc="left", fontsize="medium", parse_math=False)
        self.bars_, self.mean_, self.band_ = drawn
        _figures.finish_axes(self.ax_, title)
        return self

    @classmethod
    def _last_rank(cls, **parameters: Any) -> int | None:
        return cls._bound_metrics(**parameters)[0].list_length

    @classmethod
    def _bound_metrics(
        cls, *, metrics: Any = METRIC, convention: Any = None, **_: Any
    ) -> list[BoundMetric]:
        return bind(metrics, convention=convention)

    @classmethod
    def _score_others(cls, rows: RowsToDraw, parameters: dict[str, Any]) -> dict[str, Any]:
        baseline = parameters.get("baseline")
        if baseline is None or isinstance(baseline, PerQueryDisplay):
            return parameters
        name = parameters.get("baseline_name") or name_of(baseline)
        return {**parameters, "baseline": rows.score(baseline), "baseline_name": name}

    @classmethod
    @accept_predictions
    def from_predictions(
        cls,
        y_true: Matrix,
        y_score: Matrix,
        *,
        groups: Labels | None = None,
        metrics: Metric = METRIC,
        baseline: Matrix | PerQueryDisplay | None = None,
        min_relevance: MinRelevance = None,
        ties: Ties = "average",
        replace_undefined_by: Undefined = "warn",
        convention: str | None = None,
        items: Labels | None = None,
        catalogue: Catalogue | None = None,
        name: str | None = None,
        baseline_name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Unpack[_QueryOptions],
    ) -> Self:
        """Draw a metric per query of given scores.

        Parameters
        ----------
        y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
        y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
            Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
            A mapping of names to scores draws several models on one axis.
        groups : array-like of shape (n_rows,), default=None
            Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
        metrics : str or callable, default="ndcg@10"
            The metric, only one: a name, or a function of this module.
        baseline : array-like or PerQueryDisplay, default=None
            Scores of another model for the same rows, in the shape of ``y_score``; or its
            display, over the same queries. For :meth:`from_estimator` another fitted
            estimator or a display, for :meth:`from_cv_results` a display.
        min_relevance : float, default=None
            Lowest grade that is relevant. If None, any grade greater than 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            Treatment of rows with equal scores, as in the metrics.
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
        baseline_name : str, default=None
            Name of the other model.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : PerQueryDisplay
            With the picture drawn. For several models, a dict of displays by name, with
            ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For bad input, see :ref:`errors`; and if the baseline has different queries.
        """
        held_out, unit = cls._take_labels(plot_kw)
        wanted = bind(metrics, ties, replace_undefined_by, convention, min_relevance)
        rows = {"y_true": y_true, "groups": groups, "items": items}
        evaluation = _evaluate_metric(wanted, catalogue, **rows, y_score=y_score)
        scores = evaluation.per_query()
        if held_out is not None:
            scores = held_out.label(scores)
        (metric,) = scores.scores
        if baseline is not None and not isinstance(baseline, PerQueryDisplay):
            rows["y_score"] = baseline
            if isinstance(baseline, dict):
                own: Any = baseline
                rows |= {name: own[name] for name in rows if name in own}
            baseline_scores = _evaluate_metric(wanted, catalogue, **rows).per_query()
            baseline = cls._from_values(baseline_scores, metric, name=baseline_name)
        undefined = evaluation.undefined(evaluation.summaries())
        warn_of_undefined(undefined, len(scores), evaluation.names_of_shown())
        display = cls._from_values(scores, metric, baseline, name)
        display._unit = unit
        return display.plot(ax, **plot_kw)

    @overload
    @classmethod
    def from_scores(
        cls,
        found: PerQueryScores,
        *,
        metric: str | None = None,
        baseline: PerQueryScores | PerQueryDisplay | None = None,
        name: str | None = None,
        baseline_name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Unpack[_QueryOptions],
    ) -> Self: ...

    @overload
    @classmethod
    def from_scores(
        cls, found: Mapping[str, PerQueryScores], **options: Any
    ) -> DisplaysByModel[Self]: ...

    @classmethod
    @_figures.accept_models("found")
    def from_scores(
        cls,
        found: Any,
        *,
        metric: str | None = None,
        baseline: PerQueryScores | PerQueryDisplay | None = None,
        name: str | None = None,
        baseline_name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw values per query.

        Parameters
        ----------
        found : PerQueryScores
            From :func:`per_query_scores`, or from
            :func:`~sklearn_rank.model_selection.cross_validate_per_query`. Weights count in
            the mean, not in the shares. A mapping of names to these draws several models.
        metric : str, default=None
            Name of the metric in ``found``. If None, the only one.
        baseline : PerQueryScores or PerQueryDisplay, default=None
            Values of another model for the same queries; they are matched by label, and by
            fold if both have folds.
        name : str, default=None
            Name of the model in the legend.
        baseline_name : str, default=None
            Name of the other model.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
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
        TypeError
            If ``found`` or ``baseline`` is not a PerQueryScores.
        ValueError
            If ``found`` does not have the metric, or has several and `metric` is None; or
            if the baseline has different queries.

        Examples
        --------
        >>> from sklearn.dummy import DummyRegressor
        >>> from sklearn.linear_model import Ridge
        >>> from sklearn.model_selection import GroupKFold
        >>> from sklearn_rank.datasets import make_ranking
        >>> from sklearn_rank.metrics import PerQueryDisplay
        >>> from sklearn_rank.model_selection import cross_validate_per_query
        >>> X, y, groups = make_ranking(n_queries=30, random_state=0)
        >>> ridge, constant = (
        ...     cross_validate_per_query(model, X, y, groups=groups, cv=GroupKFold(3))
        ...     for model in (Ridge(), DummyRegressor())
        ... )
        >>> display = PerQueryDisplay.from_scores(
        ...     ridge, baseline=constant, name="ridge", baseline_name="constant"
        ... )
        >>> bool(display.differences.mean() > 0)
        True
        """
        check_scores("found", found)
        metric = find_metric(found, metric)
        if baseline is not None:
            check_scores("baseline", baseline, PerQueryScores | PerQueryDisplay)
        if isinstance(baseline, PerQueryScores):
            baseline_metric = find_metric(baseline, metric)
            baseline = cls._from_values(baseline, baseline_metric, name=baseline_name)
        return cls._from_values(found, metric, baseline, name).plot(ax, **plot_kw)


def _evaluate_metric(
    wanted: list[BoundMetric], catalogue: Catalogue | None, *, items: Any, **rows: Any
) -> Evaluation:
    if len(wanted) > 1:
        raise ValueError(
            "A picture of values per query shows one metric, and `metrics` names "
            f"{[bound.name for bound in wanted]}; draw a picture of each."
        )
    options: dict[str, Any] = {"by_query": True, "catalogue": catalogue}
    return evaluate(wanted, **rows, columns={"items": items}, **options)


def check_scores(parameter: str, given: Any, kinds: Any = PerQueryScores) -> None:
    """Raise unless a parameter is a PerQueryScores."""
    needed = "values as per_query_scores and cross_validate_per_query return them"
    check_given(parameter, given, isinstance(given, kinds), needed)


def find_metric(found: PerQueryScores, metric: Any) -> str:
    """Return the name of the metric in `found`; by default the only one."""
    if metric is None and len(found.scores) == 1:
        return next(iter(found.scores))
    if metric is None:
        raise ValueError(
            f"`found` has the metrics {list(found.scores)}; name one of them as `metric`."
        )
    if isinstance(metric, str) and metric in found.scores:
        return metric
    try:
        name = parse_metric(metric).name
    except (TypeError, ValueError):  # a measure of the user, not a metric of this package
        name = metric
    check_option("metric", name, found.scores)
    return name
