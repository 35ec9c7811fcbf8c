"""TradeOffDisplay: accuracy against a second quantity, with the front."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._validation import check_given, check_option, is_iterable, is_nested
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import Picture
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._registry import parse_metric
from sklearn_rank.typing import ArrayLike, Axes, Labels

if TYPE_CHECKING:
    from matplotlib.lines import Line2D


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class TradeOffDisplay(Picture):
    """Models by two quantities, such as accuracy and novelty, coverage or time.

    Make it with :meth:`from_means`. A line joins the Pareto front: the points that no other
    point beats in both quantities.

    Parameters
    ----------
    model : array-like of shape (n_points,)
        Name of the model of each point; points of one model look alike.
    x, y : array-like of shape (n_points,)
        The two quantities.
    names : tuple of two str, default=("x", "y")
        Names of the two quantities.
    lower_is_better : sequence of str, default=()
        Names whose lower values are better.

    Attributes
    ----------
    on_front : ndarray of shape (n_points,)
        Which points are on the front.
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    points_ : list of matplotlib Line2D
        The points, one line per model.
    front_ : matplotlib Line2D
        The line that joins the front.

    Examples
    --------
    >>> from sklearn_rank.metrics import TradeOffDisplay
    >>> means = {
    ...     "EASE": {"ndcg@10": 0.31, "novelty@10": 1.4, "seconds": 9.0},
    ...     "neighbors": {"ndcg@10": 0.29, "novelty@10": 1.7, "seconds": 1.0},
    ...     "popularity": {"ndcg@10": 0.18, "novelty@10": 1.0, "seconds": 0.1},
    ... }
    >>> TradeOffDisplay.from_means(means, ["ndcg@10", "novelty@10"]).on_front
    array([ True,  True, False])
    >>> display = TradeOffDisplay.from_means(
    ...     means, ["ndcg@10", "seconds"], lower_is_better=["seconds"]
    ... )
    >>> display.on_front
    array([ True,  True,  True])
    """

    model: Labels
    x: ArrayLike
    y: ArrayLike
    names: Sequence[str] = ("x", "y")
    lower_is_better: Iterable[str] = ()
    points_: list[Line2D] = field(init=False)
    front_: Line2D = field(init=False)

    @property
    def on_front(self) -> np.ndarray:
        """Which points are on the Pareto front."""
        signs = [-1 if name in self.lower_is_better else 1 for name in self.names]
        points = np.column_stack([as_floats(self.x, "x"), as_floats(self.y, "y")]) * signs
        no_worse = (points[:, None] >= points[None]).all(axis=2)
        better = (points[:, None] > points[None]).any(axis=2)
        is_beaten = (no_worse & better).any(axis=0)
        return np.logical_not(is_beaten) & np.isfinite(points).all(axis=1)

    def plot(
        self, ax: Axes | None = None, *, point_kw: dict[str, Any] | None = None
    ) -> TradeOffDisplay:
        """Draw the points and the front.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        point_kw : dict, default=None
            Keywords for the points: matplotlib's `plot`.

        Returns
        -------
        display : TradeOffDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If lengths differ.
        """
        keywords = _figures.merge_keywords("point_kw", point_kw, linestyle="")
        x, y = as_floats(self.x, "x"), as_floats(self.y, "y")
        model_names: Any = self.model
        models = list(model_names)
        sizes = [len(models), len(x), len(y)]
        if len(set(sizes)) > 1:
            raise ValueError(f"`model`, `x` and `y` must be of one length, got {sizes}.")
        self._take_axis(ax)
        on_front = np.flatnonzero(self.on_front)
        on_front = on_front[np.argsort(x[on_front], kind="stable")]
        look: dict[str, Any] = {"linestyle": "-", "marker": "", "color": "0.6", "zorder": 1}
        label = "front" if len(on_front) > 1 else None
        (self.front_,) = self.ax_.plot(x[on_front], y[on_front], label=label, **look)
        self.points_ = []
        for model in dict.fromkeys(models):
            rows = [row for row, name in enumerate(models) if name == model]
            is_one = len(rows) == 1
            number = f"{x[rows[0]]:.3g}, {y[rows[0]]:.3g}" if is_one else ""
            look = {"label": _figures.legend_label(str(model), number=number)}
            self.points_ += self.ax_.plot(x[rows], y[rows], **look | keywords)
        words = [
            name + _unit(name) + ", lower is better" * (name in self.lower_is_better)
            for name in self.names
        ]
        self.ax_.set(xlabel=words[0], ylabel=words[1])
        _figures.start_at_zero(self.ax_, "xy")
        _figures.finish_axes(self.ax_, ", ".join(self.names))
        return self

    @classmethod
    def from_means(
        cls,
        means: Mapping[str, Mapping[str, float]],
        metrics: Sequence[str] | None = None,
        *,
        lower_is_better: Iterable[str] = (),
        ax: Axes | None = None,
        **plot_kw: Any,
    ) -> TradeOffDisplay:
        """Draw models by two of their numbers.

        Parameters
        ----------
        means : mapping of str to mapping of str to float
            The numbers of each model by name, as from :func:`ranking_scores` or
            ``ModelEvaluation.means``; other numbers such as times may be included.
        metrics : sequence of two str, default=None
            Names of the horizontal and the vertical number. If None, the only two.
        lower_is_better : sequence of str, default=()
            Names of numbers that are better if lower; not needed for metrics. Every name
            must be one of the numbers.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : TradeOffDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `means` is not a mapping of mappings.
        ValueError
            If there are not exactly two metrics, or a model lacks one.
        """
        _figures.import_pyplot(cls.__name__)
        needed = "a mapping of models to mappings of names to numbers"
        check_given("means", means, is_nested(means) and means, needed)
        first = next(iter(means.values()))
        wanted: Any = first if metrics is None else metrics
        names = list(wanted) if is_iterable(wanted) else [wanted]
        if isinstance(metrics, str) or len(names) != 2:
            raise ValueError(f"`metrics` must name two numbers, got {shorten(names)}.")
        for model, numbers in means.items():
            for name in names:
                check_option("metrics", name, numbers, otherwise=f"Model: {model!r}.")
        are_names = is_iterable(lower_is_better) and not isinstance(lower_is_better, str)
        check_given("lower_is_better", lower_is_better, are_names, "names")
        lower = list(lower_is_better)
        for name in lower:
            check_option("lower_is_better", name, first)
        for name in names:
            metric = _find_metric(name)
            lower += [name] if metric and metric.lower_is_better else []
        x, y = ([numbers[name] for numbers in means.values()] for name in names)
        display = cls(model=list(means), x=x, y=y, names=names, lower_is_better=lower)
        return display.plot(ax, **plot_kw)


def _unit(name: str) -> str:
    """Return the unit of a metric that has one."""
    metric = _find_metric(name)
    return f" ({metric.range.unit})" if metric and metric.range.unit else ""


def _find_metric(name: str) -> BoundMetric | None:
    """Return the metric of this name; None for a time, or another number."""
    try:
        return parse_metric(name)
    except ValueError:
        return None
