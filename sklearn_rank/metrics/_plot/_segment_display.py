"""MetricBySegmentDisplay: a metric by segment of queries, or by length of history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from sklearn_rank._base._labels import as_list
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._validation import check_integer
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import DisplaysByModel, Picture
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._report import read_segments
from sklearn_rank.metrics._plot._per_query_display import check_scores, find_metric
from sklearn_rank.metrics._plot._prediction_display import format_level
from sklearn_rank.metrics._plot._query_pictures import mean_with_interval
from sklearn_rank.typing import ArrayLike, Axes, Column, Labels, Table

if TYPE_CHECKING:
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

# Distance of models in one segment, in widths of a segment.
APART = 0.07


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class MetricBySegmentDisplay(Picture):
    """A metric by segment of queries: a point and an interval for each model.

    Make it with :meth:`from_scores`, or by length of history, from cold to warm users, with
    :meth:`from_history`.

    Parameters
    ----------
    segments : sequence
        The segments, in the order in which they are drawn.
    mean, low, high : array-like of shape (n_segments,)
        The mean of each segment and its interval.
    n_queries : array-like of shape (n_segments,)
        Number of queries of each segment.
    metric : str, default="score"
        Name of the metric.
    is_ordered : bool, default=False
        Whether the segments have an order: then a line joins the points.
    number : str, default=""
        Text after the name in the legend.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    points_ : matplotlib Line2D
        The means.
    intervals_ : matplotlib LineCollection
        The intervals.

    See Also
    --------
    ranking_report : Numbers by segment.

    Notes
    -----
    Intervals are for the mean over the queries of a segment, as
    :func:`~sklearn_rank.statistics.confidence_interval` computes them. They do not show
    whether two models differ; use :func:`sklearn_rank.statistics.compare_models`.

    Examples
    --------
    >>> from sklearn_rank.metrics import MetricBySegmentDisplay, per_query_scores
    >>> y_true, y_score = [0, 1, 1, 0, 0, 1], [2, 1, 2, 1, 2, 1]
    >>> found = per_query_scores(y_true, y_score, groups=list("aabbcc"), metrics="mrr")
    >>> country = {"a": "Chad", "b": "Chad", "c": "Peru"}
    >>> display = MetricBySegmentDisplay.from_scores(found, country)
    >>> display.segments, display.mean.tolist()
    (['Chad', 'Peru'], [0.75, 0.5])
    """

    segments: Labels
    mean: ArrayLike
    low: ArrayLike
    high: ArrayLike
    n_queries: ArrayLike
    metric: str = "score"
    is_ordered: bool = False
    number: str = ""
    name: str | None = None
    points_: Line2D = field(init=False)
    intervals_: LineCollection = field(init=False)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        title: str | None = None,
        point_kw: dict[str, Any] | None = None,
        line_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the means and their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        name : str, default=None
            Name of the model in the legend. If None, the one given before.
        title : str, default=None
            Title of the legend. If None, the name of the metric.
        point_kw : dict, default=None
            Keywords for the means: matplotlib's `plot`.
        line_kw : dict, default=None
            Keywords for the intervals: matplotlib's `vlines`.

        Returns
        -------
        display : MetricBySegmentDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the axis has different segments.
        """
        name = _figures.choose_name(name, self.name)
        label = _figures.legend_label(name, number=self.number) or None
        point_kw = _figures.merge_keywords("point_kw", point_kw, label=label)
        line_kw = _figures.merge_keywords("line_kw", line_kw)
        self._take_axis(ax)
        segments: Any = self.segments
        segment_names = _figures.short_names(segments)
        positions = self._positions(segment_names)
        look = {} if self.is_ordered else {"linestyle": ""}
        (self.points_,) = self.ax_.plot(positions, np.asarray(self.mean), **look | point_kw)
        look = {"color": self.points_.get_color()}
        ends = np.asarray(self.low), np.asarray(self.high)
        self.intervals_ = self.ax_.vlines(positions, *ends, **look | line_kw)
        self.ax_.set(ylabel=f"mean {self.metric}", xlim=(-0.5, len(segment_names) - 0.5))
        _figures.start_at_zero(self.ax_)
        _figures.finish_axes(self.ax_, title or self.metric)
        self.ax_.grid(visible=False, axis="x")
        return self

    def _positions(self, names: list[str]) -> np.ndarray:
        """Return the positions of the points, beside the models already drawn."""
        drawn = len(self.ax_.get_legend_handles_labels()[0])
        if drawn:
            texts = [tick.get_text() for tick in self.ax_.get_xticklabels()]
            tick_names = [text.partition("\n")[0] for text in texts]
            if tick_names != names:
                raise ValueError(
                    f"Models on one axis need the same segments: {names}, {tick_names}."
                )
        else:
            counted = zip(names, np.asarray(self.n_queries).tolist(), strict=True)
            ticks = [f"{name}\nn = {n:,}" for name, n in counted]
            _figures.name_ticks(self.ax_.xaxis, ticks, **_figures.label_rotation(names))
        side = (-1) ** drawn * ((drawn + 1) // 2)
        return np.arange(len(names)) + APART * side

    @overload
    @classmethod
    def from_scores(
        cls,
        found: PerQueryScores,
        by: Labels | Mapping[Any, Any],
        *,
        metric: str | None = None,
        bins: int | None = None,
        confidence_level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Any,
    ) -> Self: ...

    @overload
    @classmethod
    def from_scores(
        cls,
        found: Mapping[str, PerQueryScores],
        by: Labels | Mapping[Any, Any],
        **options: Any,
    ) -> DisplaysByModel[Self]: ...

    @classmethod
    @_figures.accept_models("found")
    def from_scores(
        cls,
        found: Any,
        by: Labels | Mapping[Any, Any],
        *,
        metric: str | None = None,
        bins: int | None = None,
        confidence_level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Any,
    ) -> Any:
        """Draw values per query by segment.

        Parameters
        ----------
        found : PerQueryScores or mapping of str to PerQueryScores
            From :func:`per_query_scores`, or from
            :func:`~sklearn_rank.model_selection.cross_validate_per_query`; of several
            models by name.
        by : mapping, Series or array-like of shape (n_queries,)
            Segment of each query, by its label or in the order of ``found``.
        metric : str, default=None
            Name of the metric in ``found``. If None, the only one.
        bins : int, default=None
            Number of parts with about equally many queries, if `by` has numbers; 0 is its
            own part. If None, each value is a segment.
        confidence_level : float, default=0.95
            Confidence level of the intervals.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : MetricBySegmentDisplay
            With the picture drawn. For several models, a dict of displays by name, with
            ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If ``found`` is not a PerQueryScores.
        ValueError
            If a query has no segment, or ``found`` does not have the metric.
        """
        check_scores("found", found)
        metric = find_metric(found, metric)
        labels, codes = read_segments(found, by, None)
        segments: list[Any] = as_list(labels)
        if bins is not None:
            segments, codes = _parts_of(as_floats(labels, "by")[codes], bins)
        parts = [found.of(codes == code) for code in range(len(segments))]
        means = [mean_with_interval(part, metric, confidence_level) for part in parts]
        low, high = np.array([ends for _, ends in means], dtype=float).reshape(-1, 2).T
        overall, ends = mean_with_interval(found, metric, confidence_level)
        display = cls(
            segments=segments,
            mean=np.array([mean for mean, _ in means]),
            low=low,
            high=high,
            n_queries=[part.summaries()[metric].n for part in parts],
            metric=metric,
            is_ordered=bins is not None,
            number=_figures.format_mean(overall, *ends),
            name=name,
        )
        plot_kw = {"title": f"{metric}{format_level(confidence_level)}", **plot_kw}
        return display.plot(ax, **plot_kw)

    @classmethod
    def from_history(
        cls,
        found: PerQueryScores | Mapping[str, PerQueryScores],
        train: Table,
        *,
        user: Column | None = None,
        item: Column | None = None,
        bins: int = 5,
        **parameters: Any,
    ) -> Self | DisplaysByModel[Self]:
        """Draw a metric by the number of items that users have in the training data.

        Parameters
        ----------
        found : PerQueryScores or mapping of str to PerQueryScores
            Values per user; for several models by name.
        train : {array-like, dataframe} of shape (n_rows, n_columns)
            The training data, one interaction a row. Users without a row have 0 items.
        user, item : str or int, default=None
            Columns of `train`, as in :meth:`Catalogue.from_interactions`.
        bins : int, default=5
            Number of parts with about equally many users, besides that of 0 items.
        **parameters : dict
            Further parameters of :meth:`from_scores`.

        Returns
        -------
        display : MetricBySegmentDisplay
            With the picture drawn. For several models, a dict of displays by name, with
            ``ax_`` and ``figure_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If no user of ``found`` is in `train`, or a column is missing.

        Examples
        --------
        >>> from sklearn_rank.metrics import MetricBySegmentDisplay, per_query_scores
        >>> train = [["ann", "tea"], ["ann", "jam"], ["bob", "tea"]]
        >>> users = ["ann", "ann", "bob", "bob", "cy", "cy"]
        >>> y_true, y_score = [1, 0, 0, 1, 0, 1], [2, 1, 2, 1, 2, 1]
        >>> found = per_query_scores(y_true, y_score, groups=users, metrics="mrr")
        >>> display = MetricBySegmentDisplay.from_history(found, train)
        >>> display.segments, display.mean.tolist()
        (['0', '1', '2'], [0.5, 0.5, 1.0])
        """
        _figures.import_pyplot(cls.__name__)
        catalogue = Catalogue.from_interactions(train, user=user, item=item)
        history_users = as_list(np.asarray(catalogue.users))
        lengths = np.diff(catalogue.history.indptr).tolist()
        length_of = dict(zip(history_users, lengths, strict=True))
        models = found if isinstance(found, Mapping) else {"": found}
        for scores in models.values():
            check_scores("found", scores)
        users = [user for scores in models.values() for user in as_list(scores.groups)]
        if not any(user in length_of for user in users):
            raise ValueError(
                f"No user of `found`, such as {users[:1]}, is in `train`, which has "
                f"{history_users[:1]}; give ids of one type."
            )
        by = {user: length_of.get(user, 0) for user in users}
        display: Any = cls.from_scores(found, by, bins=bins, **parameters)
        display.ax_.set_xlabel("items of the user in the training data")
        return display


def _parts_of(values: np.ndarray, bins: Any) -> tuple[list[str], np.ndarray]:
    """Return names of parts with about equally many values, and the part of each value."""
    bins = check_integer("bins", bins)
    upper = np.zeros(0)
    nonzero = values[values != 0]
    if len(nonzero):
        # More bins than values leave each value as a bin of its own.
        bins = min(bins, len(nonzero))
        shares = np.arange(1, bins + 1) / bins
        upper = np.unique(np.quantile(nonzero, shares, method="inverted_cdf"))
    if (values == 0).any():
        upper = np.union1d(upper, [0.0])
    codes = np.unique(np.searchsorted(upper, values), return_inverse=True)[1]
    names = []
    for code in range(codes.max(initial=-1) + 1):
        low, high = values[codes == code].min(), values[codes == code].max()
        names.append(f"{low:g}" if low == high else f"{low:g} to {high:g}")
    return names, codes
