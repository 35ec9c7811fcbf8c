"""The number of rows that fit into a bound in bytes."""

import re
from dataclasses import dataclass
from typing import Any

from sklearn_rank._ids._agree import show
from sklearn_rank._per_query_tables._frame_libraries import library_of, n_rows_of
from sklearn_rank._validation import LARGEST, shorten

# Rows scored together if memory allows; more would not be faster.
ROWS_AT_ONCE = 2**19

# The measured bytes per row beside its values, and the number of copies of the values: as
# read, as whole queries, and as arrays.
_WORK, _COPIES = 160, 3

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def read_bytes(memory: Any, name: str = "memory") -> int | None:
    """Return a number of bytes from a number or a text such as "1.5GB"."""
    if memory is None:
        return None
    n_bytes = 0
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*(\d+\.?\d*)\s*([KMGT]?I?)B?\s*", memory.upper())
        n_bytes = int(float(found[1]) * _UNITS.get(found[2], 0)) if found else 0
    elif isinstance(memory, int) and not isinstance(memory, bool):
        n_bytes = memory
    if n_bytes < 1:
        raise ValueError(
            f"`{name}` must be a positive number of bytes, or text such as '1GB' or "
            f"'512MB', got {shorten(memory)}."
        )
    # More than any memory, and the largest exact float.
    return min(n_bytes, LARGEST)


@dataclass(frozen=True)
class Budget:
    """The allowed number of bytes; None for no bound."""

    n_bytes: int | None

    def most_rows(self, table: Any) -> int | None:
        """Return the number of rows like those of a table that fit."""
        if self.n_bytes is None:
            return None
        of_values = library_of(table).n_bytes(table) / max(n_rows_of(table), 1)
        return max(int(self.n_bytes / (_COPIES * of_values + _WORK)), 1)

    def rows_at_once(self, table: Any) -> int:
        """Return the number of rows to gather before scoring."""
        most = self.most_rows(table)
        # Half for the gathered rows, and half for the query that is carried over.
        return ROWS_AT_ONCE if most is None else max(min(ROWS_AT_ONCE, most // 2), 1)


def too_large(label: Any, n_rows: int, most: int) -> ValueError:
    """Return the error for a query that has more rows than fit."""
    return ValueError(
        f"Query {show(label)} alone has {n_rows} rows or more, and `memory` has room "
        f"for {most}. Raise `memory`, or shorten long lists first: keep rows that are "
        "relevant or within the cutoff of the metrics."
    )
