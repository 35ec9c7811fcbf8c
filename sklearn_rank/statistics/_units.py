"""Tell values and margins in percent beside shares, and labels that repeat."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._messages import warn_misleading
from sklearn_rank.metrics._core._parameters import Range

# More values of one label than this are repeats of a query, not a slip.
_LEAST_REPEATED = 0.5

# A median above this is not a share, and values above the other are not percent; of one
# quantity in two units, medians hardly ever differ by less than the last.
_LEAST_PERCENT, _MOST_PERCENT, _LEAST_RATIO = 1.5, 100, 20


def warn_of_mixed_units(names: Sequence[Any], values: np.ndarray) -> None:
    """Warn if values of one name are shares and those of another may be in percent.

    `values` has a row for each name; NaN is missing.
    """
    rows = [row[~np.isnan(row)] for row in values]
    if any(len(row) == 0 or row.min() < 0 for row in rows):
        return
    medians = [float(np.median(row)) for row in rows]
    sizes = [(n, medians[n], row.max()) for n, row in enumerate(rows)]
    shares = [n for n, _, highest in sizes if 0 < highest <= 1]
    percents = [
        n
        for n, median, highest in sizes
        if median > _LEAST_PERCENT and highest <= _MOST_PERCENT
    ]
    pairs = [
        (share, percent)
        for share in shares
        for percent in percents
        if medians[percent] >= _LEAST_RATIO * medians[share]
    ]
    if pairs:
        share, percent = pairs[0]
        warn_misleading(
            f"{names[percent]!r} seems to be in percent ({medians[percent]:.3g}) and "
            f"{names[share]!r} is not ({medians[share]:.3g}); a difference needs one unit."
        )


def check_unit_of_margin(
    name: str, margin: float | None, values: np.ndarray, bounds: Range | None
) -> None:
    """Raise if no difference can be as large as a margin; warn if none seems to be."""
    width = 1.0 if bounds is None else bounds.high - bounds.low
    if margin is None or margin < width or not np.isfinite(width):
        return
    advice = (
        f"so that no difference can be as large as the margin {margin:g}. Give the margin "
        f"in the unit of the values, such as {margin / 100:g} for {margin:g} percent."
    )
    if bounds is not None:
        ends = f"{bounds.low:g} to {bounds.high:g}"
        raise ValueError(f"{name!r} is from {ends}, {advice}")
    if np.nanmin(values, initial=0) >= 0 and np.nanmax(values, initial=0) <= 1:
        warn_misleading(f"All values of {name!r} are from 0 to 1, {advice}")


def warn_of_repeated_labels(name: str, values: Any) -> None:
    """Warn if a Series has several values for most labels: they are not independent.

    Numbers may begin again in each of several parts, so they show nothing.
    """
    index: Any = getattr(values, "index", None)
    if callable(index) or getattr(index, "dtype", np.dtype(int)).kind in "iuf":
        return
    n, n_labels = len(index), index.nunique()
    if index.duplicated(keep=False).mean() > _LEAST_REPEATED:
        warn_misleading(
            f"`{name}` has {n:,} values of {n_labels:,} queries, such as several of "
            f"{index[index.duplicated()][0]!r}, and counts them as independent. Give "
            f"clusters={name}.index, or one value per query: "
            f"{name}.groupby(level=0).mean()."
        )
