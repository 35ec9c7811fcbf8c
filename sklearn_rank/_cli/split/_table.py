"""What the parts of a log hold, as a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli.split._log import Log
from sklearn_rank.model_selection import describe_split

COUNTS = ("rows", "users", "items")
# Shares of the rows of valid and of test, by the parts before them.
SHARES = {"cold_user_rows": "of new users", "cold_item_rows": "of new items"}
REPEATED = "repeated pairs"


def describe_parts(log: Log, parts: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return a row a part: what it holds, and what of it the rows before lack."""
    rows = []
    for place, part in enumerate(parts.values()):
        of = log.take(part)
        row: dict[str, Any] = {
            "rows": len(part),
            "users": len(np.unique(of.users)),
            "items": len(np.unique(of.items)),
        }
        if of.times is not None:
            row |= {"from": _as_time(of.times.min()), "to": _as_time(of.times.max())}
        if place:
            before = np.concatenate(list(parts.values())[:place])
            about = describe_split(
                [(before, part)], None, users=log.users, items=log.items, check=None
            )
            row |= {title: float(about[name][0]) for name, title in SHARES.items()}
            row[REPEATED] = float(about["repeated_pairs"][0] / len(part))
        rows.append(row)
    return pd.DataFrame(rows, index=list(parts))


def _as_time(time: Any) -> Any:
    is_date = isinstance(time, np.datetime64)
    return str(np.datetime64(time, "s")).replace("T", " ") if is_date else time


def as_text(table: pd.DataFrame) -> str:
    """Return a column a part, which fits a narrow terminal."""
    shares = [*SHARES.values(), REPEATED]
    shown = table.astype(object)
    for name in shown:
        form = "{:.1%}" if name in shares else "{:,}" if name in COUNTS else "{}"
        shown[name] = ["" if pd.isna(one) else form.format(one) for one in table[name]]
    return shown.T.to_string()
