"""ModelRankingDisplay: the ranks of models that their differences leave open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_rank._base._validation import check_given, check_level
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import Picture, import_pyplot, merge_keywords
from sklearn_rank._hints._explain import explained
from sklearn_rank.statistics._comparison_display import read_columns
from sklearn_rank.statistics._pictures import (
    NEUTRAL_COLOR,
    RANK_HEIGHT,
    draw_intervals,
    draw_legend_above,
    figure_size,
)
from sklearn_rank.statistics._result_rows import RankedModel, RowsOfResult
from sklearn_rank.typing import ArrayLike, Axes, Keywords, Labels

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

RANKS = ("rank", "rank_low", "rank_high")


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class ModelRankingDisplay(Picture):
    """Ranks of models, each with the ranks that are not ruled out.

    Make it with :meth:`from_ranking`, or by :meth:`ModelRanking.plot`. Each model is a row:
    a dot at its rank, and a line from its best possible rank to its worst one. Models that
    are tied for first are colored.

    Parameters
    ----------
    model : array-like of shape (n_models,)
        Names of the models.
    rank : array-like of shape (n_models,)
        Rank of the mean of each model, 1 for the best.
    rank_low : array-like of shape (n_models,)
        Best rank that is not ruled out: 1 + the number of models that beat it.
    rank_high : array-like of shape (n_models,)
        Worst rank that is not ruled out: the number of models - those that it beats.
    metric : str, default="score"
        Name of the metric.
    confidence_level : float, default=0.95
        Probability that all ranks hold together.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    points_ : list of matplotlib Line2D
        One dot per model, the best first.
    intervals_ : list of matplotlib Line2D
        The line of each model, in the same order.

    See Also
    --------
    rank_models : Makes the ranking.
    ModelComparisonDisplay : Differences of models on one data set.

    Examples
    --------
    >>> from sklearn_rank.statistics import ModelRankingDisplay
    >>> display = ModelRankingDisplay(
    ...     model=["a", "b", "c"], rank=[1, 2, 3], rank_low=[1, 1, 3], rank_high=[2, 2, 3]
    ... ).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['a', 'b', 'c']
    """

    model: Labels
    rank: ArrayLike
    rank_low: ArrayLike
    rank_high: ArrayLike
    metric: str = "score"
    confidence_level: float = 0.95
    points_: list[Line2D] = field(init=False)
    intervals_: list[Line2D] = field(init=False)

    def plot(
        self, ax: Axes | None = None, *, point_kw: Keywords = None, line_kw: Keywords = None
    ) -> Self:
        """Draw a row for each model, the best on top.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        point_kw : dict, default=None
            Keywords for the dots: matplotlib's `plot`.
        line_kw : dict, default=None
            Keywords for the lines: matplotlib's `plot`.

        Returns
        -------
        display : ModelRankingDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If lengths differ, there is no model, or the confidence level is out of range.
        """
        point_kw = merge_keywords("point_kw", point_kw)
        line_kw = merge_keywords("line_kw", line_kw)
        level = check_level(self.confidence_level)
        names, rank, low, high = read_columns(self, ("model",), RANKS).values()
        self._take_axis(ax, figure_size(names, RANK_HEIGHT))
        looks = {
            index: {"color": _figures.BETTER if low[index] == 1 else NEUTRAL_COLOR}
            for index in np.argsort(rank, kind="stable")
        }
        self.points_, self.intervals_ = draw_intervals(
            self.ax_, names, (rank, low, high), looks, point_kw, line_kw
        )
        self.ax_.set_xlim(0.5, len(names) + 0.5)
        self.ax_.locator_params(axis="x", integer=True)
        label = f"rank by {self.metric} (all ranks hold together with {100 * level:g}%)"
        self.ax_.set_xlabel(label, parse_math=False)
        _figures.finish_axes(self.ax_)
        self._explain()
        return self

    def _explain(self) -> None:
        """Add a legend: what the colors mean."""
        from matplotlib.lines import Line2D

        colors = {"tied for first": _figures.BETTER, "others": NEUTRAL_COLOR}
        handles = [
            Line2D([], [], color=color, marker="o", label=label)
            for label, color in colors.items()
        ]
        draw_legend_above(self.ax_, handles)

    @classmethod
    def from_ranking(
        cls, ranking: RowsOfResult[RankedModel], *, ax: Axes | None = None, **plot_kw: Any
    ) -> Self:
        """Draw a ranking.

        Parameters
        ----------
        ranking : ModelRanking
            From :func:`rank_models`.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : ModelRankingDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If ``ranking`` is not a ModelRanking.
        """
        import_pyplot(cls.__name__)
        # By what it has: its class draws itself with this one, and imports it.
        columns = getattr(ranking, "columns", ())
        is_valid = hasattr(ranking, "settings") and {"model", *RANKS} <= set(columns)
        check_given("ranking", ranking, is_valid, "a ModelRanking as rank_models returns")
        return cls(
            **{name: ranking.columns[name] for name in ("model", *RANKS)},
            metric=ranking.settings["metric"],
            confidence_level=ranking.settings["confidence_level"],
        ).plot(ax, **plot_kw)
