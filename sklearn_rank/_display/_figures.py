"""Shared style of pictures: figures, colors, names, legends and axes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from itertools import cycle, islice
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from sklearn_rank._base._text import escape_controls, format_interval
from sklearn_rank._base._validation import check_given, check_installed, check_mapping
from sklearn_rank.typing import Axes, Figure

# Chosen to be as different as possible, also for people who are red- or green-blind: for
# them CIEDE2000 between two colors is at least about 17 and 21 (Machado et al., 2009).
LIGHT = (
    *("#0072B2", "#D55E00", "#009E73", "#6D1A5E"),
    *("#FFAB01", "#F595EF", "#870100", "#445D51"),
)
DARK = (
    *("#56B4E9", "#E47100", "#2BC997", "#FFFF3E"),
    *("#B40E26", "#FAF8FF", "#4429FF", "#1F7071"),
)
MARKERS = "os^DvPX<>"
DASHES = ("-", "--", ":")
# Opacity of one band, and of all bands together; more would hide the lines.
FAINT, ALL_BANDS = 0.15, 0.5
# Of no model: CIEDE2000 to each of the colors above is at least 9.6.
BETTER, WORSE = "#608D9F", "#B2724D"
# Largest length of a name, and number of models with a legend inside the axes.
MOST_LETTERS, MOST_INSIDE = 30, 4
# Number of lines whose names stand at their right ends, and the height of such a name in
# the heights of its letters.
MOST_AT_ENDS, LINE_SPACING = 8, 1.5
NO_VALUES_NOTE = "no query has a value"
MARK_OF_K, NAME_OF_LINE = "k", "name"
DEFAULT_SIZE = (6.4, 4.4)
# Space between the axes and the legend beside them, in inches.
LEGEND_GAP = 0.3
# matplotlib draws fewer than 2**16 pixels per side.
MOST_PIXELS = 60_000

# Widths of figures made here, before a legend beside the axes widens them.
_WIDTHS: WeakKeyDictionary = WeakKeyDictionary()


def import_pyplot(purpose: str) -> Any:
    """Return pyplot, or say how to install it."""
    check_installed("matplotlib.pyplot", "plot", purpose)
    import matplotlib.pyplot as plt

    return plt


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure for a file; raise if matplotlib is missing."""
    check_installed("matplotlib.figure", "plot", "The picture")
    import matplotlib.figure

    # Not pyplot, which would need a screen.
    figure = matplotlib.figure.Figure((width, height), 150, layout="constrained")
    _WIDTHS[figure] = width
    return figure


def shown_figure(width: float, height: float) -> Any:
    """Return an empty figure that notebooks and `pyplot.show` show."""
    plt = import_pyplot("The picture")
    figure = plt.figure(figsize=(width, height), layout="constrained")
    _WIDTHS[figure] = width
    return figure


def as_png(figure: Any) -> bytes:
    """Return the bytes of a PNG file; very large figures have a lower resolution."""
    png = io.BytesIO()
    resolution = min(figure.dpi, MOST_PIXELS / max(figure.get_size_inches()))
    with _ignore_missing_letters():
        figure.savefig(png, format="png", dpi=resolution)
    return png.getvalue()


def given_or_new_axis(
    ax: Any, purpose: str, size: tuple[float, float] = DEFAULT_SIZE
) -> Any:
    """Return the given axis or a new one, with the shared line styles."""
    import_pyplot(purpose)
    from matplotlib.axes import Axes

    if ax is None:
        ax = shown_figure(*size).subplots()
    check_given("ax", ax, isinstance(ax, Axes), "a matplotlib Axes or None")
    if not ax.has_data():
        give_styles(ax)
    return ax


class Picture:
    """Base class of displays: it keeps the axes and the figure."""

    # Further arguments of `plot` if several models are drawn.
    _of_several: ClassVar[dict[str, Any]] = {}

    ax_: Axes
    figure_: Figure

    def _take_axis(self, ax: Any, size: tuple[float, float] = DEFAULT_SIZE) -> None:
        """Draw on these axes, or on those of a new figure."""
        self.ax_ = given_or_new_axis(ax, type(self).__name__, size)
        figure: Any = self.ax_.figure
        self.figure_ = figure


def give_styles(ax: Any) -> None:
    """Set the shared cycle of colors, markers and dashes."""
    colors = DARK if is_dark(ax) else LIGHT
    cycles = {"color": colors, "marker": MARKERS, "linestyle": DASHES}
    n = np.lcm.reduce([len(values) for values in cycles.values()])
    repeated = {name: list(islice(cycle(values), n)) for name, values in cycles.items()}
    ax.set_prop_cycle(**repeated)


Drawn = TypeVar("Drawn")
Made = TypeVar("Made")


class DisplaysByModel(dict[Any, Drawn]):
    """The displays of several models on one axis, by the names of the models."""

    @property
    def ax_(self) -> Axes:
        """Where the picture is."""
        first: Any = next(iter(self.values()))
        return first.ax_

    @property
    def figure_(self) -> Figure:
        """The figure around it."""
        figure: Any = self.ax_.figure
        return figure


def draw_models(
    parameter: str, models: Any, draw: Callable, *, ax: Any = None, **options: Any
) -> DisplaysByModel[Any]:
    """Draw models by their names, all on one axis."""
    needed = "a mapping with a name for each of 1 or more models"
    check_given(parameter, models, isinstance(models, Mapping) and models, needed)
    if options.get("name") is not None:
        raise TypeError(f"`name` is for a single model; `{parameter}` has names.")
    displays: DisplaysByModel[Any] = DisplaysByModel()
    for (key, model), name in zip(models.items(), short_names(models), strict=True):
        displays[key] = draw(model, **options | {"name": name, "ax": ax})
        ax = displays.ax_
    return displays


def accept_models(parameter: str) -> Callable[[Made], Made]:
    """Let a parameter of a class method be a mapping of models, drawn on one axis."""

    def decorate(make: Any) -> Any:
        accepted = list(signature(make).parameters.values())[1:]
        names = [p.name for p in accepted if p.kind is p.POSITIONAL_OR_KEYWORD]

        @wraps(make)
        def draw(cls: Any, *args: Any, **keywords: Any) -> Any:
            if len(args) > len(names):
                return make(cls, *args, **keywords)  # which raises
            import_pyplot(cls.__name__)
            arguments = dict(zip(names, args, strict=False)) | keywords
            models = arguments.pop(parameter, None)
            if not isinstance(models, Mapping):
                return make(cls, *args, **keywords)

            def draw_model(model: Any, **options: Any) -> Any:
                return make(cls, **{parameter: model}, **options)

            return draw_models(parameter, models, draw_model, **cls._of_several | arguments)

        return draw

    return decorate


def background_color(ax: Any) -> Any:
    """Return the color behind the data."""
    from matplotlib.colors import to_rgba

    own = ax.get_facecolor()
    return own if to_rgba(own)[3] else ax.figure.get_facecolor()


def text_color(ax: Any) -> Any:
    """Return the color for anything but models: that of the axis labels."""
    return ax.xaxis.label.get_color()


def is_dark(ax: Any) -> bool:
    """Return whether the background is dark."""
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(background_color(ax)), (0.299, 0.587, 0.114))) < 0.5


def merge_keywords(parameter: str, given: Any, **defaults: Any) -> dict[str, Any]:
    """Return keywords for matplotlib; given ones override the defaults."""
    return defaults | check_mapping(parameter, given, "keywords for matplotlib, or None")


def draw_band(
    line: Any, x: Any, low: Any, high: Any, band_kw: Mapping[str, Any] | None
) -> Any:
    """Draw the interval around a line, in its color."""
    look = {"color": line.get_color(), "alpha": FAINT, "linewidth": 0}
    keywords = merge_keywords("band_kw", band_kw, **look)
    return line.axes.fill_between(x, low, high, **keywords)


def choose_name(given: Any, known: Any) -> str | None:
    """Return the name of the model in the legend: the one given, else the one known."""
    for name in (given, known):
        is_valid = name is None or isinstance(name, str)
        check_given("name", name, is_valid, "a string or None")
    return given or known


def short_names(names: Iterable[Any]) -> list[str]:
    """Return short, distinct names."""
    short = [short_name(str(name)) for name in names]
    if len(set(short)) == len(short):
        return short
    return [f"{n}: {cut}" for n, cut in enumerate(short, 1)]


def short_name(name: str) -> str:
    """Return a name, without its middle if it is long."""
    name = escape_controls(name)
    half = MOST_LETTERS // 2
    return name if len(name) <= MOST_LETTERS else f"{name[:half]}…{name[-half:]}"


def legend_label(*parts: str | None, number: str = "", n_queries: Any = None) -> str:
    """Return a legend entry: the name, the number, and the number of queries."""
    name = ", ".join(short_name(part) for part in parts if part)
    label = " ".join(part for part in (name, number) if part)
    if n_queries is not None and np.size(n_queries):
        least, most = np.min(n_queries), np.max(n_queries)
        counted = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        label = f"{label} (n = {counted})".strip()
    # matplotlib leaves out labels that start with an underscore.
    return f" {label}" if label.startswith("_") else label


def format_mean(
    mean: float, low: float = np.nan, high: float = np.nan, sign: str = ""
) -> str:
    """Return a mean with its interval."""
    if np.isnan(mean):
        return "no value"
    decimals = 3 - int(np.log10(np.clip(abs(mean), 1, 1e3)))
    text = f"{mean:{sign}.{decimals}f}"
    if not np.isfinite([low, high]).all():
        return text
    return f"{text} {format_interval(low, high, f'{sign}.{decimals}f')}"


def draw_legend(ax: Any, title: str | None = None, *, at_ends: bool = False) -> None:
    """Draw the legend, beside the axes if it has many entries.

    If all entries have the same number of queries, it moves to the title. With `at_ends`
    labels stand at the right ends of lines where they can, instead of a legend.
    """
    for text in [text for text in ax.texts if text.get_gid() == NAME_OF_LINE]:
        text.remove()
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    counts = {label.rpartition(" (n = ")[2] for label in labels}
    if len(labels) > 1 and len(counts) == 1 and labels[0].endswith(")"):
        labels = [label.rpartition(" (n = ")[0] for label in labels]
        title = ", ".join([*filter(None, [title]), f"n = {counts.pop()[:-1]}"])
    ends = _find_ends(ax, handles) if at_ends else None
    if ends is not None:
        _name_ends(ax, ends, handles, labels, title)
        return
    outside = len(labels) > MOST_INSIDE
    position: Any = {"loc": "upper left", "bbox_to_anchor": (1, 1)} if outside else {}
    look = {"title": title, "title_fontsize": "small", "fontsize": "small"} | position
    legend = ax.legend(handles, labels, frameon=False, alignment="left", **look)
    _disable_formulas(*legend.get_texts(), legend.get_title())
    if outside:
        _widen(ax.figure, legend)


def _find_ends(ax: Any, handles: list[Any]) -> np.ndarray | None:
    """Return the last points of lines; None if names cannot stand beside all of them."""
    from matplotlib.lines import Line2D

    if ax.figure not in _WIDTHS or len(handles) > MOST_AT_ENDS:
        return None  # no room
    if not all(isinstance(line, Line2D) and np.size(line.get_xydata()) for line in handles):
        return None
    ends = np.array([line.get_xydata()[-1] for line in handles])
    return ends if np.isfinite(ends).all() and np.ptp(ends[:, 0]) == 0 else None


def _name_ends(
    ax: Any, ends: np.ndarray, lines: list[Any], labels: list[str], title: str | None
) -> None:
    """Write labels at the right ends of lines, apart from each other."""
    if ax.get_legend():
        ax.get_legend().remove()
    ax.get_ylim()  # which brings limits up to date, unlike transData
    heights = ax.transData.transform(ends)[:, 1] * 72 / ax.figure.dpi
    style: dict[str, Any] = {"textcoords": ("axes fraction", "offset points")}
    style |= {"fontsize": "small", "gid": NAME_OF_LINE}
    texts = [ax.annotate(title or "", (1, 1), (1.02, 8), "axes fraction", **style)]
    spacing = LINE_SPACING * texts[0].get_fontsize()
    moves = _separate(heights, spacing) - heights
    for line, label, end, move in zip(lines, labels, ends, moves, strict=True):
        leader = {"arrowstyle": "-", "color": line.get_color(), "relpos": (0, 0.5)}
        look = style | {"va": "center", "arrowprops": leader}
        texts.append(ax.annotate(label, end, (1.02, move), **look))
    _disable_formulas(*texts)
    _widen(ax.figure, *texts)


def _separate(heights: np.ndarray, spacing: float) -> np.ndarray:
    """Return heights at least `spacing` apart, in the same order, near the given ones."""
    from sklearn.isotonic import isotonic_regression  # slow to import

    order = np.argsort(heights, kind="stable")
    steps = spacing * np.arange(len(heights))
    moved = np.empty_like(heights)
    moved[order] = isotonic_regression(heights[order] - steps) + steps
    return moved


def _widen(figure: Any, *texts: Any) -> None:
    """Make room for texts beside the axes: inside figures of the user, by widening ours."""
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    if figure in _WIDTHS:
        with _ignore_missing_letters():
            width = max(text.get_window_extent().width for text in texts)
        figure.set_figwidth(_WIDTHS[figure] + width / figure.dpi + LEGEND_GAP)


@contextmanager
def _ignore_missing_letters() -> Iterator[None]:
    """Silence warnings about letters that no font has."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        yield


def label_rotation(names: list[str]) -> dict[str, Any]:
    """Return the rotation of names below an axis: slanted if they are long."""
    is_long = max(map(len, names), default=0) * len(names) > 60
    return {"rotation": 30, "ha": "right"} if is_long else {}


def name_ticks(axis: Any, names: Iterable[Any], **options: Any) -> None:
    """Write names at 0, 1, ... of an axis, not as formulas."""
    labels = [str(name) for name in names]
    axis.set_ticks(range(len(labels)), labels, parse_math=False, **options)


def finish_axes(ax: Any, title: str | None = None, *, at_ends: bool = False) -> None:
    """Remove clutter, set the transparency of bands, and draw the legend."""
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    bands = [band for band in ax.collections if (band.get_alpha() or 1) <= FAINT]
    for band in bands:
        band.set_alpha(min(FAINT, ALL_BANDS / len(bands)))
    note_if_empty(ax, np.isfinite(ax.dataLim.get_points()).all())
    draw_legend(ax, title, at_ends=at_ends)
    _disable_formulas(ax.title, ax.xaxis.label, ax.yaxis.label)


def _disable_formulas(*texts: Any) -> None:
    for text in texts:
        text.set_parse_math(False)  # names are not formulas


def note_if_empty(ax: Any, has_values: Any) -> None:
    """Write a note if nothing is drawn; remove it once there are values."""
    for text in list(ax.texts):
        if text.get_text() == NO_VALUES_NOTE:
            text.remove()
    if not has_values:
        ax.text(0.5, 0.5, NO_VALUES_NOTE, transform=ax.transAxes, ha="center", va="center")


def mark_cutoff(ax: Any, k: int) -> None:
    """Draw a vertical line at a cutoff, once."""
    for line in list(ax.collections):
        if line.get_gid() == MARK_OF_K:
            line.remove()
    look = {"color": text_color(ax), "linewidth": 1, "alpha": 0.4, "gid": MARK_OF_K}
    ax.vlines(k, 0, 1, transform=ax.get_xaxis_transform(), **look)


def start_at_zero(ax: Any, names: str = "y") -> None:
    """Start axes at 0, unless values are negative or limits are set."""
    ends = dict(zip("xy", ax.dataLim.get_points().T, strict=True))
    for name in names:
        axis, (first, last) = getattr(ax, f"{name}axis"), ends[name]
        is_free = axis.get_scale() == "linear" and getattr(ax, f"get_autoscale{name}_on")()
        if is_free and first >= 0:
            # A margin above the data; later drawings may move the end.
            top = 1.05 * last if last > 0 else None
            getattr(ax, f"set_{name}lim")(0, top, auto=None)


def tick_cutoffs(ax: Any) -> None:
    """Set ticks at the first cutoff and at round ones."""
    from matplotlib.ticker import MaxNLocator

    first, last = ax.dataLim.intervalx
    if not np.isfinite([first, last]).all():
        return
    locator = MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10])
    round_ones = [int(k) for k in locator.tick_values(first, last) if first < k <= last]
    ax.set_xticks([int(first), *round_ones])
