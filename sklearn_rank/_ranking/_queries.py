"""Labels and weights of queries, and further columns of rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Queries:
    """The queries of an input; rows may have them in another order than results."""

    labels: np.ndarray  # of each query, in the order of results
    order: np.ndarray | None = None  # queries of the rows in the order of results
    weight: np.ndarray | None = None  # of each query, in the order of results

    def by_label(self, values: np.ndarray) -> np.ndarray:
        """Return values in the order of results from values in the order of the rows."""
        return values if self.order is None else values[self.order]

    def by_row(self, values: np.ndarray) -> np.ndarray:
        """Return values in the order of the rows from values in the order of results."""
        if self.order is None:
            return values
        by_row = np.empty_like(values)
        by_row[self.order] = values
        return by_row

    def label_of(self, query: int) -> Any:
        """Return the label of a query, which is counted in the order of the rows."""
        place = query if self.order is None else int(np.argmax(self.order == query))
        return self.labels[place]


@dataclass(frozen=True, eq=False)
class SideColumn:
    """Values aligned with the rows of the (flattened) input, or with the items of a grid.

    Labels, such as ids of items, are held as codes.
    """

    values: np.ndarray
    labels: np.ndarray | None = None  # of each code


class QueryError(ValueError):
    """An error about one query: a text with `{query}` in place of its label.

    Code that raises it knows only the number of the query.
    """

    def __init__(self, text: str, query: int):
        super().__init__(text)
        self.text = text
        self.query = query

    def named(self, label: Any) -> ValueError:
        """Return the error as users see it."""
        return ValueError(self.text.replace("{query}", str(label)))
