"""Units that were randomized, such as users: rows of a log summed per unit."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._validation import check_values
from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.online._checked_columns import (
    one_each,
    read_labels,
    read_numbers,
)


@dataclass(frozen=True, eq=False)
class Units:
    """Units of a log; `arm` is the index of a unit's variant in `variants`."""

    variants: list[Any]
    arm: np.ndarray
    labels: list[Any]  # empty if each row is a unit
    codes: np.ndarray  # the unit of each row

    @property
    def n_rows(self) -> int:
        """The number of rows of the log."""
        return len(self.codes)

    def before(self, name: str, values: np.ndarray) -> np.ndarray:
        """Return the value of each unit before the experiment."""
        return one_each(
            self.labels,
            self.codes,
            values,
            f"`{name}` has several values for {{}} unit(s), such as {{}}; it is one value "
            "a unit, known before the experiment.",
        )

    def sizes(self) -> dict[Any, int]:
        """Return the number of units of each variant."""
        return dict(zip(self.variants, np.bincount(self.arm).tolist(), strict=True))

    def outcome(self, name: str, values: Any) -> np.ndarray:
        """Return the sum of each unit."""
        return self._sums(read_numbers(name, values, self.n_rows))

    def denominator(self, name: str, values: Any) -> np.ndarray:
        """Return the sum of each unit; raise unless each arm has one above 0."""
        found = read_numbers(name, values, self.n_rows)
        check_values(name, found, found < 0, "negative", "it counts, for instance, views")
        sums = self._sums(found)
        for place, variant in enumerate(self.variants):
            if not sums[self.arm == place].any():
                raise ValueError(
                    f"`{name}` is 0 for all units of {variant!r}; nothing can be divided "
                    "by it."
                )
        return sums

    def _sums(self, values: np.ndarray) -> np.ndarray:
        return Clusters(self.n_rows, self.codes).sums(values) if self.labels else values


def read_units(n_rows: int, variant: Any, unit: Any) -> Units:
    """Return the units of a log; raise if one is in two variants."""
    variants, arm = read_labels("variant", variant, n_rows)
    labels: list[Any] = []
    codes = np.arange(n_rows)
    if unit is not None:
        labels, codes = read_labels("unit", unit, n_rows)
    of_unit = one_each(
        labels,
        codes,
        arm,
        "{} unit(s) are in more than one variant, such as {}. The assignment is "
        "contaminated: find out why; leaving such units out biases the result.",
    )
    return Units(variants, of_unit, labels, codes)
