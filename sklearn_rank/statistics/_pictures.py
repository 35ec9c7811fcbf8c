"""Two pictures of differences: a row for each model, and a matrix of all pairs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._display import _figures
from sklearn_rank._display._wording import name_interval
from sklearn_rank.statistics._metric_comparison import verdict_of

VERDICT_COLORS = {"better": _figures.BETTER, "worse": _figures.WORSE}
NEUTRAL_COLOR = "0.5"
VERDICT_MARKS = {"better": "*", "worse": "*", "equivalent": "="}
# Free space beside the intervals, as a share of the drawn width.
MARGIN_SHARE = 0.08
# Sizes in inches: of a letter, of a model, and of the space above and below.
LETTER_WIDTH, MODEL_HEIGHT, FRAME_HEIGHT = 0.1, 0.4, 1.4


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

    def verdict(self, place: int) -> str:
        """Return the verdict on an interval."""
        return verdict_of(
            self.low[place],
            self.high[place],
            self.margin,
            lower_is_better=self.lower_is_better,
        )

    def is_significant(self, place: int) -> bool:
        """Return whether the p-value is small enough."""
        return bool(self.p_adjusted[place] <= alpha_of(self.level))

    def best_first(self) -> np.ndarray:
        """Return the indices of pairs, the best difference first, unknown ones last."""
        sign = 1 if self.lower_is_better else -1
        return np.argsort(sign * self.difference, kind="stable")


def alpha_of(level: float) -> float:
    """Return the level of a test, without the rounding error of the subtraction."""
    return round(1 - level, 12)


def figure_size(found: Differences) -> tuple[float, float]:
    """Return width and height, with room for names beside the rows or below the matrix."""
    names = _figures.short_names(found.models)
    beside = LETTER_WIDTH * max(map(len, names))
    below = beside / 2 if found.is_matrix else 0.0
    return _figures.DEFAULT_SIZE[0] + beside, FRAME_HEIGHT + MODEL_HEIGHT * len(
        names
    ) + below


def draw_rows(
    ax: Any, found: Differences, *, point_kw: dict, line_kw: dict
) -> tuple[list, list, Any, Any]:
    """Draw a row for each model; return points, intervals, the zero line and the band."""
    band = None
    if found.margin is not None:
        label = f"within the margin {found.margin:g}"
        band = ax.axvspan(
            -found.margin,
            found.margin,
            color=_figures.text_color(ax),
            alpha=0.12,
            linewidth=0,
            label=label,
        )
    zero = ax.axvline(0, color=_figures.text_color(ax), linewidth=1, linestyle="--")
    left, right = _axis_limits(found)
    order = found.best_first()
    points: list = []
    intervals: list = []
    for row, place in enumerate(order):
        color = VERDICT_COLORS.get(found.verdict(place), NEUTRAL_COLOR)
        ends = np.clip([found.low[place], found.high[place]], left, right)
        look = {"color": color, "linestyle": "-", "marker": ""}
        intervals += ax.plot(ends, [row, row], **look | line_kw)
        fill = color if found.is_significant(place) else _figures.background_color(ax)
        look = {"marker": "o", "linestyle": "", "color": color, "markerfacecolor": fill}
        points += ax.plot([found.difference[place]], [row], **look | point_kw)
    names = _figures.short_names(found.model)
    _figures.name_ticks(ax.yaxis, [names[place] for place in order])
    ax.set(xlim=(left, right), ylim=(len(order) - 0.5, -0.5))
    label = f"difference of {found.metric} to {_figures.short_name(str(found.baseline[0]))}"
    ax.set_xlabel(_label(found, label), parse_math=False)
    _figures.finish_axes(ax)
    _draw_legend(ax, found, band)
    return points, intervals, zero, band


def _axis_limits(found: Differences) -> tuple[float, float]:
    """Return the ends of the axis, where unbounded intervals end too."""
    margin = found.margin or 0.0
    shown = np.concatenate([found.difference, found.low, found.high, [-margin, margin]])
    shown = shown[np.isfinite(shown)]
    space = MARGIN_SHARE * (shown.max() - shown.min() or 1.0)
    return float(shown.min() - space), float(shown.max() + space)


def _label(found: Differences, text: str) -> str:
    lower = ", lower is better" if found.lower_is_better else ""
    return f"{text} ({name_interval(found.level)}{lower})"


def _draw_legend(ax: Any, found: Differences, band: Any) -> None:
    """Add a legend: what a filled point and the band mean."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"color": NEUTRAL_COLOR, "marker": "o", "linestyle": ""}
    alpha = f"{alpha_of(found.level):g}"
    filled = Line2D([], [], **look, label=f"p ≤ {alpha}")
    hollow = Line2D(
        [], [], **look, label=f"p > {alpha}", markerfacecolor=_figures.background_color(ax)
    )
    handles = [filled, hollow, *([] if band is None else [band])]
    # Above the picture, so that it covers no interval.
    ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(handles),
        frameon=False,
        fontsize="small",
    )


def draw_matrix(
    ax: Any, found: Differences, *, image_kw: dict, text_kw: dict
) -> tuple[Any, np.ndarray]:
    """Draw all pairs, row minus column; return the image and the texts of its cells."""
    models = found.models
    place_of = {model: place for place, model in enumerate(models)}
    values = np.full((len(models), len(models)), np.nan)
    marks = np.full(values.shape, "", dtype=object)
    for place, pair in enumerate(zip(found.model, found.baseline, strict=True)):
        row, column = (place_of[model] for model in pair)
        values[row, column] = found.difference[place]
        values[column, row] = -found.difference[place]
        marks[row, column] = marks[column, row] = VERDICT_MARKS.get(
            found.verdict(place), ""
        )
    most = np.nanmax(np.abs(values), initial=0) or 1.0
    keywords = {
        "cmap": _color_map(_figures.background_color(ax), found.lower_is_better),
        "vmin": -most,
        "vmax": most,
        "aspect": "auto",
    }
    image = ax.imshow(values, **keywords | image_kw)
    texts = _write_cells(ax, values, marks, text_kw)
    _figures.note_if_empty(ax, np.isfinite(values).any())
    names = _figures.short_names(models)
    _figures.name_ticks(ax.xaxis, names, rotation=30, ha="right")
    _figures.name_ticks(ax.yaxis, names)
    ax.spines[:].set_visible(False)
    ax.set_title(_heading(found), loc="left", fontsize="medium", parse_math=False)
    return image, texts


def _write_cells(
    ax: Any, values: np.ndarray, marks: np.ndarray, text_kw: dict
) -> np.ndarray:
    texts = np.full(values.shape, None, dtype=object)
    most = np.nanmax(np.abs(values), initial=0) or 1.0
    decimals = int(np.clip(2 - np.floor(np.log10(most)), 0, 6))  # alike in all cells
    for row, column in np.argwhere(~np.isnan(values)):
        text = f"{values[row, column]:+.{decimals}f}{marks[row, column]}"
        keywords = {"ha": "center", "va": "center", "fontsize": "small"}
        texts[row, column] = ax.text(column, row, text, **keywords | text_kw)
    return texts


def _color_map(ground: Any, lower_is_better: bool) -> Any:
    """Return colors from worse over the background to better, light enough for text."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    middle = np.array(to_rgb(ground))
    ends = [
        0.6 * middle + 0.4 * np.array(to_rgb(color))
        for color in (_figures.WORSE, _figures.BETTER)
    ]
    colors = [ends[0], middle, ends[1]]
    return LinearSegmentedColormap.from_list(
        "", colors[::-1] if lower_is_better else colors
    )


def _heading(found: Differences) -> str:
    heading = _label(found, f"{found.metric}, row minus column")
    if found.margin is None:
        return f"{heading}\n* interval excludes 0"
    return f"{heading}\n* outside the margin {found.margin:g}, = within"
