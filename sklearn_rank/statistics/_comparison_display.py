"""ModelComparisonDisplay: differences of models with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from sklearn_rank._base._labels import as_list, as_vector, encode_labels
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._validation import check_given, check_level, check_option
from sklearn_rank._display._figures import Picture, import_pyplot, merge_keywords
from sklearn_rank._hints._explain import explained
from sklearn_rank.statistics._options import check_margin
from sklearn_rank.statistics._pictures import Differences, draw_matrix, draw_rows
from sklearn_rank.statistics._result_rows import ComparisonRow, RowsOfResult, choose_one
from sklearn_rank.typing import ArrayLike, Axes, Keywords, Labels

if TYPE_CHECKING:
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

NAMES = ("model", "baseline")
NUMBERS = ("difference", "low", "high", "p_adjusted")


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class ModelComparisonDisplay(Picture):
    """Differences of models with their intervals, or a matrix of all pairs.

    Make it with :meth:`from_comparison`, or by :meth:`ModelComparison.plot`. If all models
    are compared with one baseline, each is a row: a point at the difference and a line for
    its interval, the best model on top. If pairs have several baselines, the picture is a
    matrix of differences, row minus column.

    Parameters
    ----------
    model, baseline : array-like of shape (n_pairs,)
        Names of the models of each pair.
    difference : array-like of shape (n_pairs,)
        Mean of the model minus mean of the baseline.
    low, high : array-like of shape (n_pairs,)
        The interval of each difference; infinite at one end if it is one-sided.
    p_adjusted : array-like of shape (n_pairs,)
        The p-value of each difference.
    metric : str, default="score"
        Name of the metric.
    margin : float, default=None
        Smallest difference that matters, in units of the metric.
    confidence_level : float, default=0.95
        Confidence level of the intervals.
    lower_is_better : bool, default=False
        Whether a lower value of the metric is better.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    points_ : list of matplotlib Line2D
        Rows: one point per model, the best first. It is filled if the p-value is at most
        1 - confidence level.
    intervals_ : list of matplotlib Line2D
        Rows: the line of each interval, in the same order.
    zero_ : matplotlib Line2D
        Rows: the line at a difference of 0.
    band_ : matplotlib Patch or None
        Rows: differences within the margin; None without one.
    image_ : matplotlib AxesImage
        Matrix: the differences, row minus column.
    texts_ : ndarray of shape (n_models, n_models)
        Matrix: the matplotlib Text of each cell, None on the diagonal. A star means that
        the p-value, corrected, is at most 1 - confidence level, as for letters and
        superscripts. With a margin it means that the interval is outside the band, and an
        equals sign that it is within.

    See Also
    --------
    compare_models : Makes the comparison.
    sklearn_rank.metrics.PerQueryDisplay : Differences of single queries.

    Notes
    -----
    Grayish blue is better and brown worse, by the interval. Each interval holds for its
    comparison alone, while p-values are corrected for the number of comparisons: an
    interval may exclude 0 although its point is not filled.

    Examples
    --------
    >>> from sklearn_rank.statistics import ModelComparisonDisplay, compare_models
    >>> old = [0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1]
    >>> new = [0.5, 0.7, 0.2, 0.9, 0.5, 0.3, 0.4, 0.8, 0.4, 0.6, 0.1]
    >>> comparison = compare_models({"old": old, "new": new}, baseline="old")
    >>> display = ModelComparisonDisplay.from_comparison(comparison)
    >>> display.ax_.get_xlabel()
    'difference of score to old (95% interval)'
    """

    model: Labels
    baseline: Labels
    difference: ArrayLike
    low: ArrayLike
    high: ArrayLike
    p_adjusted: ArrayLike
    metric: str = "score"
    margin: float | None = None
    confidence_level: float = 0.95
    lower_is_better: bool = False
    points_: list[Line2D] = field(init=False)
    intervals_: list[Line2D] = field(init=False)
    zero_: Line2D = field(init=False)
    band_: Patch | None = field(init=False)
    image_: AxesImage = field(init=False)
    texts_: NDArray[Any] = field(init=False)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        point_kw: Keywords = None,
        line_kw: Keywords = None,
        image_kw: Keywords = None,
        text_kw: Keywords = None,
    ) -> Self:
        """Draw the rows, or the matrix if there are several baselines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        point_kw : dict, default=None
            Keywords for the points of rows: matplotlib's `plot`.
        line_kw : dict, default=None
            Keywords for the intervals of rows: matplotlib's `plot`.
        image_kw : dict, default=None
            Keywords for the matrix: matplotlib's `imshow`.
        text_kw : dict, default=None
            Keywords for the numbers in the matrix: matplotlib's `text`.

        Returns
        -------
        display : ModelComparisonDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If lengths differ, there is no pair, or a number is out of range.
        """
        point_kw = merge_keywords("point_kw", point_kw)
        line_kw = merge_keywords("line_kw", line_kw)
        image_kw = merge_keywords("image_kw", image_kw)
        text_kw = merge_keywords("text_kw", text_kw)
        check_option("lower_is_better", self.lower_is_better, (True, False))
        pairs = self._differences()
        self._take_axis(ax, pairs.figure_size())
        if not pairs.is_matrix:
            rows = draw_rows(self.ax_, pairs, point_kw=point_kw, line_kw=line_kw)
            self.points_, self.intervals_, self.zero_, self.band_ = rows
        else:
            drawn = draw_matrix(self.ax_, pairs, image_kw=image_kw, text_kw=text_kw)
            self.image_, self.texts_ = drawn
        return self

    def _differences(self) -> Differences:
        return Differences(
            **read_columns(self, NAMES, NUMBERS),
            metric=self.metric,
            margin=check_margin(self.margin),
            level=check_level(self.confidence_level),
            lower_is_better=bool(self.lower_is_better),
        )

    @classmethod
    def from_comparison(
        cls,
        comparison: RowsOfResult[ComparisonRow],
        *,
        metric: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Any,
    ) -> Self:
        """Draw a comparison.

        Parameters
        ----------
        comparison : ModelComparison
            From :func:`compare_models` or :func:`compare_candidates`.
        metric : str, default=None
            Name of the metric. If None, the only one.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : ModelComparisonDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If ``comparison`` is not a ModelComparison.
        ValueError
            If it has not the metric, or several and none is named.
        """
        import_pyplot(cls.__name__)
        return cls._from_metric(comparison, metric).plot(ax, **plot_kw)

    @classmethod
    def _from_metric(cls, comparison: Any, metric: Any) -> Self:
        # By what it has: its class draws itself with this one, and imports it.
        is_valid = hasattr(comparison, "columns") and hasattr(comparison, "settings")
        needed = "a ModelComparison as compare_models returns"
        check_given("comparison", comparison, is_valid, needed)
        metric = choose_one("metric", metric, comparison.columns["metric"])
        is_of_metric = [name == metric for name in comparison.columns["metric"]]
        is_lower_better = metric in comparison.lower_is_better
        options = {"metric": metric, "lower_is_better": is_lower_better}
        return cls._from_rows(comparison, is_of_metric, **options)

    @classmethod
    def _from_rows(
        cls, comparison: Any, rows: Any = slice(None), names: Any = (), **options: Any
    ) -> Self:
        """Return the display of some rows; `names` are their first three columns."""
        columns = names or (*NAMES, "difference")
        sources = zip((*NAMES, *NUMBERS), (*columns, *NUMBERS[1:]), strict=True)
        return cls(
            **{name: comparison.columns[column][rows] for name, column in sources},
            margin=comparison.settings.get("margin"),
            confidence_level=comparison.settings["confidence_level"],
            **options,
        )


def draw_each_metric(comparison: Any, new: Callable[[float, float], Any]) -> Any:
    """Return a figure with a part for each metric; `new` makes one of a size in inches."""
    metrics = dict.fromkeys(comparison.columns["metric"].tolist())
    displays = [ModelComparisonDisplay._from_metric(comparison, name) for name in metrics]
    width, height = displays[0]._differences().figure_size()
    figure = new(width, height * len(displays))
    axes = figure.subplots(len(displays), squeeze=False)[:, 0]
    for display, ax in zip(displays, axes, strict=True):
        display.plot(ax)
    return figure


def read_columns(
    display: Any, names: Sequence[str], numbers: Sequence[str]
) -> dict[str, Any]:
    """Return what a display was given: names of models, of any types, and vectors."""
    columns: dict[str, Any] = {}
    for name in names:
        values = getattr(display, name)
        encode_labels(values, name=name)  # raises for equal names of two types
        columns[name] = as_list(as_vector(values, name=name))
    for name in numbers:
        columns[name] = vector = as_floats(getattr(display, name), name)
        if vector.ndim != 1:
            raise ValueError(f"`{name}` must be 1-D, got shape {vector.shape}.")
    lengths = set(map(len, columns.values()))
    if len(lengths) > 1 or lengths == {0}:
        listed = ", ".join(map(repr, columns))
        raise ValueError(f"{listed} must be of one length >= 1, got {sorted(lengths)}.")
    return columns
