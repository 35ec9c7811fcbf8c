"""What the displays share: matplotlib, an axis, and bands around a mean."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sklearn_rank._validation import check_level, require, shorten
from sklearn_rank.metrics._core import _student


def check_matplotlib(purpose: str) -> Any:
    """Return pyplot, or say how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise require("matplotlib", "plot", purpose) from error
    return plt


def axis_for(ax: Any, purpose: str) -> Any:
    """Return the given axis, or that of a new figure."""
    plt = check_matplotlib(purpose)
    from matplotlib.axes import Axes

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    if not isinstance(ax, Axes):
        raise TypeError(f"`ax` must be a matplotlib Axes or None, got {shorten(ax)}.")
    return ax


def name_for(given: Any, known: Any) -> str | None:
    """Return the name of the model in the legend: the one given, else the one known."""
    for name in (given, known):
        if not (name is None or isinstance(name, str)):
            raise TypeError(f"`name` must be a string or None, got {shorten(name)}.")
    return given or known


def keywords_for(parameter: str, given: Any, **defaults: Any) -> dict[str, Any]:
    """Return keywords for matplotlib, what is given before the defaults."""
    if not (given is None or isinstance(given, Mapping)):
        raise TypeError(
            f"`{parameter}` must be a dict of keywords for matplotlib or None, got "
            f"{shorten(given)}."
        )
    return defaults | dict(given or {})


def half_width(standard_error: Any, n_queries: Any, confidence_level: float | None) -> Any:
    """Return half the width of a confidence interval of a mean, by Student's t."""
    if confidence_level is None:
        return np.full(np.shape(standard_error), np.nan)
    check_level(confidence_level, ", or None")
    freedom = np.maximum(np.asarray(n_queries) - 1, 1)
    return _student.half_width(standard_error, freedom, (1 - confidence_level) / 2)


def label_of(*parts: str | None, n_queries: Any = None) -> str:
    """Return a label: what is known of the curve, and the queries behind it."""
    label = ", ".join(part for part in parts if part)
    if n_queries is None or np.size(n_queries) == 0:
        return label
    least, most = np.min(n_queries), np.max(n_queries)
    counted = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{label} (n = {counted})".strip()


def style(ax: Any) -> None:
    """Leave out what draws the eye from the data."""
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
