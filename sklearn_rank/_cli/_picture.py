"""The picture of a run: the metric at each length of the list, for both models."""

import io
from typing import Any

from sklearn_rank._cli._compare import Comparison
from sklearn_rank._validation import require

__all__ = ["draw_metric_at_k"]

# Distinct for all kinds of colour vision, and in print by marker and dash.
STYLES: dict[str, dict[str, Any]] = {
    "tuned": {"label": "tuned model", "color": "#0072B2", "marker": "o"},
    "popularity": {
        "label": "popularity",
        "color": "#D55E00",
        "marker": "s",
        "linestyle": "--",
    },
}


def draw_metric_at_k(comparison: Comparison) -> bytes:
    """Return a PNG with a line for the tuned model and one for popularity."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise require("matplotlib", "plot", "The picture") from error
    # Not pyplot, which would look for a screen.
    figure = Figure(figsize=(6.4, 4.0), dpi=150, layout="constrained")
    axes = figure.subplots()
    for model, values in comparison.curves.items():
        axes.plot(range(1, len(values) + 1), values, markersize=4, **STYLES[model])
    axes.set_xlabel("k, length of the list")
    axes.set_ylabel(f"{comparison.curve_metric}@k")
    axes.set_title("Last period, mean over users")
    axes.set_ylim(bottom=0)
    longest = len(comparison.curves["tuned"])
    axes.set_xticks([1, *range(5, longest + 1, 5)])
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    png = io.BytesIO()
    figure.savefig(png, format="png")
    return png.getvalue()
