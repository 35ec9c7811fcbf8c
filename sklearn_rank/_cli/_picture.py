"""Pictures as files, and that of a run: the metric at each length of the list."""

import io
from collections.abc import Mapping
from typing import Any

from sklearn_rank._validation import require

# Distinct for all kinds of color vision, and in print by marker and dash.
STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "marker": "o"},
    {"color": "#D55E00", "marker": "s", "linestyle": "--"},
    {"color": "#009E73", "marker": "^", "linestyle": ":"},
)


def new_figure(width: float, height: float, resolution: float = 150) -> Any:
    """Return an empty figure of so many inches; say how to install what draws it."""
    try:
        import matplotlib.figure
    except ImportError as error:
        raise require("matplotlib", "plot", "The picture") from error
    # Not pyplot, which would look for a screen.
    return matplotlib.figure.Figure((width, height), resolution, layout="constrained")


def as_png(figure: Any) -> bytes:
    """Return the bytes of a PNG file."""
    png = io.BytesIO()
    figure.savefig(png, format="png")
    return png.getvalue()


def draw_metric_at_k(curves: Mapping[str, list[float]], metric: str, title: str) -> bytes:
    """Return a PNG with a line for each model, the first the most prominent."""
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    for (label, values), style in zip(curves.items(), STYLES, strict=False):
        axes.plot(range(1, len(values) + 1), values, markersize=4, label=label, **style)
    axes.set_xlabel("k, length of the list")
    axes.set_ylabel(f"{metric}@k")
    axes.set_title(title)
    axes.set_ylim(bottom=0)
    longest = max(map(len, curves.values()))
    axes.set_xticks([1, *range(5, longest + 1, 5)])
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return as_png(figure)
