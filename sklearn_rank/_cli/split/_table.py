"""What the parts of a log hold, as a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank.model_selection import describe_split
from sklearn_rank.statistics._text import aligned

COUNTS = ("rows", "users", "items")
# Shares of the rows of valid and of test, by the parts before them.
SHARES = {"cold_user_rows": "of new users", "cold_item_rows": "of new items"}
REPEATED = "repeated pairs"


def describe_parts(X: pd.DataFrame, parts: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return a row a part: what it holds, and what of it the rows before lack."""
    rows = []
    for place, part in enumerate(parts.values()):
        of = X.iloc[part]
        row: dict[str, Any] = {
            "rows": len(part),
            "users": of["user"].nunique(),
            "items": of["item"].nunique(),
        }
        if "time" in of:
            row |= {"from": _as_time(of["time"].min()), "to": _as_time(of["time"].max())}
        if place:
            before = np.concatenate(list(parts.values())[:place])
            about = describe_split(
                [(before, part)], None, users=X["user"], items=X["item"], check=None
            )
            row |= {title: float(about[name][0]) for name, title in SHARES.items()}
            row[REPEATED] = float(about["repeated_pairs"][0] / len(part))
        rows.append(row)
    return pd.DataFrame(rows, index=list(parts))


def _as_time(time: Any) -> Any:
    return f"{time:%Y-%m-%d %H:%M:%S}" if isinstance(time, pd.Timestamp) else time


def describe_table(table: pd.DataFrame, width: int) -> str:
    """Return a column a part, as lines of text."""
    shares = [*SHARES.values(), REPEATED]
    lines = [["", *table.index]]
    for name, cells in table.items():
        form = "{:.1%}" if name in shares else "{:,}" if name in COUNTS else "{}"
        lines.append([name, *("" if pd.isna(one) else form.format(one) for one in cells)])
    return "\n".join(aligned(lines, width))
