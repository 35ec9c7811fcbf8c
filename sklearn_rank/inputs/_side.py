"""One side of the join of relevant and recommended items."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Side:
    """Entries by user (and rank), users in an order that both sides have."""

    name: str  # of the argument, for errors
    sizes: np.ndarray  # entries of each user
    item: np.ndarray  # code of each entry's item
    value: np.ndarray | None  # grade (None: 1), or score (None: minus the rank)

    def owner(self) -> np.ndarray:
        """Return the user of each entry, as a position."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)
