"""Krippendorff's alpha from the coincidences of grades: grades by grades, of each unit."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from sklearn_rank._arrays._runs import ranges, sizes_of, starts_where
from sklearn_rank._raters._rater_grades import RaterGrades

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS = get_args(Level)


class Coincidences(NamedTuple):
    """What each unit adds to the cells of the table grades by grades."""

    unit: np.ndarray
    cell: np.ndarray  # row * n_grades + column
    value: np.ndarray
    n_grades: int

    def table(self, weight: np.ndarray | None = None) -> np.ndarray:
        """Return the table of all units, each with its weight."""
        value = self.value if weight is None else self.value * weight[self.unit]
        cells = np.bincount(self.cell, value, self.n_grades**2)
        return cells.reshape(self.n_grades, self.n_grades)


class Counts(NamedTuple):
    """How often each unit has each grade, by unit, for what occurs."""

    unit: np.ndarray
    grade: np.ndarray
    times: np.ndarray

    @classmethod
    def of(cls, ratings: RaterGrades) -> "Counts":
        """Count the grades of each unit."""
        n_grades = len(ratings.grades)
        key, times = np.unique(ratings.unit * n_grades + ratings.grade, return_counts=True)
        return cls(key // n_grades, key % n_grades, times)


def coincidences_of(ratings: RaterGrades) -> Coincidences:
    """Return pairs of grades within units, each unit's divided by its grades but one."""
    n_graded = ratings.per_unit()
    counts = Counts.of(ratings.of(n_graded[ratings.unit] > 1))
    if len(counts.unit) == 0:
        raise ValueError(
            "`ratings` has no unit with two grades or more, so agreement of raters "
            "is unknown."
        )
    unit = counts.unit
    starts = starts_where(np.append(True, unit[1:] != unit[:-1]))
    sizes = sizes_of(starts)
    of_unit = np.arange(len(sizes)).repeat(sizes)
    n_others = sizes[of_unit]
    left = np.arange(len(unit)).repeat(n_others)
    right = ranges(starts[:-1][of_unit], n_others)
    times = counts.times.astype(float)
    pairs = times[left] * (times[right] - (left == right))
    some = pairs > 0
    left, right = left[some], right[some]
    n_grades = len(ratings.grades)
    return Coincidences(
        unit[left],
        counts.grade[left] * n_grades + counts.grade[right],
        pairs[some] / (n_graded[unit[left]] - 1),
        n_grades,
    )


def alphas(tables: np.ndarray, level: str, grades: np.ndarray) -> np.ndarray:
    """Return alpha of each table of coincidences, NaN where all grades are alike."""
    n = tables.sum(axis=-1)
    total = n.sum(axis=-1)
    far = _distances(level, grades, n)
    observed = (tables * far).sum(axis=(-1, -2))
    expected = (n[..., :, None] * n[..., None, :] * far).sum(axis=(-1, -2))
    ratio = np.full_like(observed, np.nan)
    np.divide((total - 1) * observed, expected, out=ratio, where=expected > 0)
    return 1 - ratio


def _distances(level: str, grades: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the squared distance of each two grades."""
    if level == "nominal":
        return 1 - np.eye(n.shape[-1])
    if level == "ordinal":
        # The grades from one to the other, half of the two themselves: a distance of ranks.
        rank = (np.cumsum(n, axis=-1) - n / 2) / n.sum(axis=-1, keepdims=True)
        return (rank[..., :, None] - rank[..., None, :]) ** 2
    # Alpha is the same on any scale, and squares of large grades overflow.
    scaled = grades / max(np.abs(grades).max(), 1e-300)
    apart = scaled[:, None] - scaled[None, :]
    if level == "interval":
        return apart**2
    both = scaled[:, None] + scaled[None, :]
    return np.divide(apart, both, out=np.zeros_like(apart), where=both > 0) ** 2
