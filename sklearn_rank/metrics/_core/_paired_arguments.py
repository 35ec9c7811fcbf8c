"""Arguments of metrics that are paired by position, checked before they become arrays."""

from collections.abc import Mapping
from typing import Any

from sklearn_rank._ids._paired import check_paired
from sklearn_rank.metrics._core._columns_beside import is_grid


def check_arguments_paired(
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    sample_weight: Any = None,
    columns: Mapping[str, Any] | None = None,
) -> None:
    """Raise if pandas arguments have the same labels in different orders.

    In the 2-D form a frame has queries as rows and items as columns; others have a value
    per item, or a value per cell.
    """
    rows = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    beside = {} if columns is None else columns
    if groups is not None or not (_is_grid(y_true) or _is_grid(y_score)):
        check_paired({**rows, "groups": groups, **beside})
        return
    cells = {name: one for name, one in beside.items() if getattr(one, "ndim", 1) == 2}
    check_paired({**rows, **cells}, {"y_true": y_true, "y_score": y_score, **beside})


def _is_grid(values: Any) -> bool:
    return hasattr(values, "shape") and is_grid(values.shape)
