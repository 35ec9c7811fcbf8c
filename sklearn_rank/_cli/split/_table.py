"""What the parts of a log hold, as a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._text._table import aligned
from sklearn_rank.model_selection import describe_split

# Of a part, as `describe_split` names it for train and for test.
HOLDS = {
    "rows": "{}",
    "users": "{}_users",
    "items": "{}_items",
    "from": "{}_start",
    "to": "{}_end",
}
COUNTS = ("rows", "users", "items")
# Shares of the rows of valid and of test, by the parts before them.
SHARES = {"cold_user_rows": "of new users", "cold_item_rows": "of new items"}
REPEATED = "repeated pairs"


def describe_parts(
    X: pd.DataFrame, names: Sequence[str], parts: Sequence[np.ndarray]
) -> pd.DataFrame:
    """Return a row a part: what it holds, and what of it the rows before lack."""
    train, valid, test = parts
    folds = [(train, valid), (np.concatenate([train, valid]), test)]
    columns = {f"{role}s": values for role, values in X.items()}
    about = describe_split(folds, None, **columns, check=None)
    rows = []
    for side, fold in (("train", 0), ("test", 0), ("test", 1)):
        named = {title: name.format(side) for title, name in HOLDS.items()}
        row = {t: _plain(about[name][fold]) for t, name in named.items() if name in about}
        if side == "test":
            row |= {title: about[name][fold] for name, title in SHARES.items()}
            row[REPEATED] = about["repeated_pairs"][fold] / about["test"][fold]
        rows.append(row)
    return pd.DataFrame(rows, index=list(names))


def _plain(value: Any) -> Any:
    is_date = isinstance(value, np.datetime64)
    return f"{pd.Timestamp(value):%Y-%m-%d %H:%M:%S}" if is_date else value


def describe_table(table: pd.DataFrame, width: int) -> str:
    """Return a column a part, as lines of text."""
    shares = [*SHARES.values(), REPEATED]
    lines = [["", *table.index]]
    for name, cells in table.items():
        form = "{:.1%}" if name in shares else "{:,}" if name in COUNTS else "{}"
        lines.append([name, *("" if pd.isna(one) else form.format(one) for one in cells)])
    return "\n".join(aligned(lines, width))
