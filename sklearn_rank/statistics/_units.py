"""Tell values in percent beside shares."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._messages import warn_misleading

# A median above this is no share, and values above the other are no percent; of one
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
