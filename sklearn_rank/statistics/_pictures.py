"""Two pictures of differences: a row for each model, and a matrix of all pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._text import name_interval
from sklearn_rank._display import _figures
from sklearn_rank.statistics._metric_comparison import verdict_of

VERDICT_COLORS = {"better": _figures.BETTER, "worse": _figures.WORSE}
NEUTRAL_COLOR = "0.5"
VERDICT_MARKS = {"better": "*", "worse": "*", "equivalent": "="}
# Free space beside the intervals, as a share of the drawn width.
MARGIN_SHARE = 0.08
# Sizes in inches: of a letter, of a model, of one with a rank, and of the space around.
LETTER_WIDTH, MODEL_HEIGHT, RANK_HEIGHT, FRAME_HEIGHT = 0.1, 0.4, 0.25, 1.4


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of pairs of models in one metric."""

    model: list[Any]
    baseline: list[Any]
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_adjusted: np.ndarray
    metric: str
    margin: float | None
    level: float
    lower_is_better: bool

    @property
    def is_matrix(self) -> bool:
        """Return whether models are compared with several others."""
        return len(set(self.baseline)) > 1

    @property
    def models(self) -> list[Any]:
        """Return all models, baselines first."""
        return list(dict.fromkeys([*self.baseline, *self.model]))

    def figure_size(self) -> tuple[float, float]:
        """Return the width and height of the picture."""
        return figure_size(self.models, is_matrix=self.is_matrix)

    def verdict(self, index: int) -> str:
        """Return the verdict on an interval."""
        limits = self.low[index], self.high[index], self.margin
        return verdict_of(*limits, lower_is_better=self.lower_is_better)

    def mark(self, index: int) -> str:
        """Return the sign of a pair: of its corrected p, or of its verdict by a margin."""
        if self.margin is None:
            is_marked = self.is_significant(index) and self.difference[index] != 0
            return "*" if is_marked else ""
        return VERDICT_MARKS.get(self.verdict(index), "")

    def is_significant(self, index: int) -> bool:
        """Return whether the p-value is small enough."""
        return bool(self.p_adjusted[index] <= alpha_of(self.level))

    def best_first(self) -> np.ndarray:
        """Return the indices of pairs, the best difference first, unknown ones last."""
        sign = 1 if self.lower_is_better else -1
        return np.argsort(sign * self.difference, kind="stable")


def alpha_of(level: float) -> float:
    """Return the level of a test, without the rounding error of the subtraction."""
    return round(1 - level, 12)


def figure_size(
    models: Sequence[Any], height: float = MODEL_HEIGHT, *, is_matrix: bool = False
) -> tuple[float, float]:
    """Return width and height, with room for names beside the rows or below the matrix."""
    names = _figures.short_names(models)
    names_width = LETTER_WIDTH * max(map(len, names))
    below = names_width / 2 if is_matrix else 0.0
    width = _figures.DEFAULT_SIZE[0] + names_width
    return width, FRAME_HEIGHT + height * len(names) + below


def draw_intervals(
    ax: Any,
    models: Sequence[Any],
    columns: Sequence[np.ndarray],
    looks: Mapping[int, Any],
    point_kw: dict,
    line_kw: dict,
) -> tuple[list, list]:
    """Draw a row for each model, with the look of its point; return points and intervals.

    The rows are in the order of the looks, which have the index of each model.
    """
    points: list = []
    intervals: list = []
    names = _figures.short_names(models)
    for row, (index, look) in enumerate(looks.items()):
        point, *ends = (column[index] for column in columns)
        line = {"color": look["color"], "linestyle": "-", "marker": ""}
        intervals += ax.plot(ends, [row, row], **line | line_kw)
        look = {"marker": "o", "linestyle": ""} | look
        points += ax.plot([point], [row], **look | point_kw)
    _figures.name_ticks(ax.yaxis, [names[index] for index in looks])
    ax.set_ylim(len(looks) - 0.5, -0.5)
    return points, intervals


def draw_legend_above(ax: Any, handles: Sequence[Any]) -> None:
    """Draw a legend above the picture, so that it covers no interval."""
    location: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1)}
    location["ncols"] = len(handles)
    ax.legend(handles=handles, frameon=False, fontsize="small", **location)


def draw_rows(
    ax: Any, pairs: Differences, *, point_kw: dict, line_kw: dict
) -> tuple[list, list, Any, Any]:
    """Draw a row for each model; return points, intervals, the zero line and the band."""
    band, color = None, _figures.text_color(ax)
    if pairs.margin is not None:
        look = {"label": f"within the margin {pairs.margin:g}", "linewidth": 0}
        band = ax.axvspan(-pairs.margin, pairs.margin, color=color, alpha=0.12, **look)
    zero = ax.axvline(0, color=color, linewidth=1, linestyle="--")
    left, right = _axis_limits(pairs)
    looks = {}
    for index in pairs.best_first():
        color = VERDICT_COLORS.get(pairs.verdict(index), NEUTRAL_COLOR)
        fill = color if pairs.is_significant(index) else _figures.background_color(ax)
        looks[index] = {"color": color, "markerfacecolor": fill}
    columns = pairs.difference, *np.clip([pairs.low, pairs.high], left, right)
    points, intervals = draw_intervals(ax, pairs.model, columns, looks, point_kw, line_kw)
    ax.set_xlim(left, right)
    label = f"difference of {pairs.metric} to {_figures.short_name(str(pairs.baseline[0]))}"
    ax.set_xlabel(_label(pairs, label), parse_math=False)
    _figures.finish_axes(ax)
    _draw_legend(ax, pairs, band)
    return points, intervals, zero, band


def _axis_limits(pairs: Differences) -> tuple[float, float]:
    """Return the ends of the axis, where unbounded intervals end too."""
    margin = pairs.margin or 0.0
    ends = np.concatenate([pairs.difference, pairs.low, pairs.high, [-margin, margin]])
    ends = ends[np.isfinite(ends)]
    space = MARGIN_SHARE * (ends.max() - ends.min() or 1.0)
    return float(ends.min() - space), float(ends.max() + space)


def _label(pairs: Differences, text: str) -> str:
    lower = ", lower is better" if pairs.lower_is_better else ""
    return f"{text} ({name_interval(pairs.level)}{lower})"


def _draw_legend(ax: Any, pairs: Differences, band: Any) -> None:
    """Add a legend: what a filled point and the band mean."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"color": NEUTRAL_COLOR, "marker": "o", "linestyle": ""}
    alpha = f"{alpha_of(pairs.level):g}"
    filled = Line2D([], [], **look, label=f"p ≤ {alpha}")
    hollow = Line2D(
        [], [], **look, label=f"p > {alpha}", markerfacecolor=_figures.background_color(ax)
    )
    draw_legend_above(ax, [filled, hollow, *([] if band is None else [band])])


def draw_matrix(
    ax: Any, pairs: Differences, *, image_kw: dict, text_kw: dict
) -> tuple[Any, np.ndarray]:
    """Draw all pairs, row minus column; return the image and the texts of its cells."""
    models = pairs.models
    index_of = {model: index for index, model in enumerate(models)}
    values = np.full((len(models), len(models)), np.nan)
    marks = np.full(values.shape, "", dtype=object)
    for index, pair in enumerate(zip(pairs.model, pairs.baseline, strict=True)):
        row, column = (index_of[model] for model in pair)
        values[row, column] = pairs.difference[index]
        values[column, row] = -pairs.difference[index]
        marks[row, column] = marks[column, row] = pairs.mark(index)
    most = np.nanmax(np.abs(values), initial=0) or 1.0
    colors = _color_map(_figures.background_color(ax), pairs.lower_is_better)
    look = {"cmap": colors, "vmin": -most, "vmax": most, "aspect": "auto"}
    image = ax.imshow(values, **look | image_kw)
    decimals = int(np.clip(2 - np.floor(np.log10(most)), 0, 6))  # alike in all cells
    texts = np.full(values.shape, None, dtype=object)
    for row, column in np.argwhere(~np.isnan(values)):
        text = f"{values[row, column]:+.{decimals}f}{marks[row, column]}"
        look = {"ha": "center", "va": "center", "fontsize": "small"} | text_kw
        texts[row, column] = ax.text(column, row, text, **look)
    _figures.note_if_empty(ax, np.isfinite(values).any())
    names = _figures.short_names(models)
    _figures.name_ticks(ax.xaxis, names, rotation=30, ha="right")
    _figures.name_ticks(ax.yaxis, names)
    ax.spines[:].set_visible(False)
    ax.set_title(_heading(pairs), loc="left", fontsize="medium", parse_math=False)
    return image, texts


def _color_map(ground: Any, lower_is_better: bool) -> Any:
    """Return colors from worse over the background to better, light enough for text."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    middle = np.array(to_rgb(ground))
    pair = np.array([to_rgb(color) for color in (_figures.WORSE, _figures.BETTER)])
    worse, better = 0.6 * middle + 0.4 * pair
    colors = [worse, middle, better]
    colors = colors[::-1] if lower_is_better else colors
    return LinearSegmentedColormap.from_list("", colors)


def _heading(pairs: Differences) -> str:
    heading = _label(pairs, f"{pairs.metric}, row minus column")
    if pairs.margin is None:
        return f"{heading}\n* p ≤ {alpha_of(pairs.level):g}"
    return f"{heading}\n* outside the margin {pairs.margin:g}, = within"
