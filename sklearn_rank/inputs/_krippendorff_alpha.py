"""Krippendorff's alpha from counts of grades, without a table of grades by grades."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from sklearn_rank._base._messages import warn_misleading
from sklearn_rank._base._runs import cut_runs, ranges, sizes_of, starts_of, starts_where
from sklearn_rank.inputs._rater_grades import GradeCounts, RaterGrades

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS = get_args(Level)

# Pairs of grades that are compared at once.
CHUNK_PAIRS = 2**22
# With more distinct grades their pairs take minutes.
MOST_RATIO_GRADES = 50_000
# By so much alpha is higher if rows are raters, and hardly ever by chance.
_LEAST_GAIN = 0.3


@dataclass(frozen=True, eq=False)
class PairableGrades:
    """How often each unit with two grades or more has each of them.

    With N grades, and :math:`m_u` of them in unit u, alpha is 1 - (N - 1) observed /
    expected: squared distances summed over the pairs of each unit, divided by
    :math:`m_u - 1`, and over all pairs.
    """

    unit: np.ndarray  # ascending
    grade: np.ndarray
    times: np.ndarray
    n_graded: np.ndarray  # of each unit
    grades: np.ndarray
    level: str

    @classmethod
    def build(cls, ratings: RaterGrades, level: str) -> "PairableGrades":
        """Count the grades; raise if no unit has two."""
        n_graded = ratings.per_unit()
        counts = GradeCounts.build(ratings.take(n_graded[ratings.unit] > 1))
        if len(counts.unit) == 0:
            raise ValueError(
                "`ratings` has no unit with two grades, so agreement of raters is unknown."
            )
        times = counts.times.astype(float)
        pairable = cls(counts.unit, counts.grade, times, n_graded, ratings.grades, level)
        n_distinct = len(np.unique(counts.grade))
        if level == "ratio" and n_distinct > MOST_RATIO_GRADES:
            raise ValueError(
                f"`ratings` has {n_distinct} distinct grades, but level='ratio' takes "
                f'{MOST_RATIO_GRADES} at most; round them, or pass level="interval".'
            )
        return pairable

    @classmethod
    def read(cls, ratings: RaterGrades, level: str, table: Any) -> "PairableGrades":
        """Count the grades of a table; warn if its rows seem to be raters."""
        counted = cls.build(ratings, level)
        shape = len(ratings.units), len(ratings.raters)
        # A long table has one grade per row.
        if shape[0] < shape[1] and np.shape(table) == shape:
            turned = ratings.transposed
            alpha, of_turned = counted.alpha(), np.nan
            if (turned.per_unit() > 1).any():
                of_turned = cls.build(turned, level).alpha()
            if of_turned - alpha > _LEAST_GAIN:
                put = "ratings.T" if hasattr(table, "T") else "np.transpose(ratings)"
                warn_misleading(
                    f"alpha is {alpha:.3f}, and {of_turned:.3f} if rows are raters. Rows "
                    f"are units: give {put}."
                )
        return counted

    def alpha(self, weight: np.ndarray | None = None) -> float:
        """Return alpha with a weight per unit, NaN if fewer than two grades count."""
        times = self.times if weight is None else self.times * weight[self.unit]
        n = np.bincount(self.grade, times, len(self.grades))
        if np.count_nonzero(n) < 2:
            return np.nan
        if self.level == "nominal":
            observed = self._entry_shares * (self.n_graded[self.unit] - self.times)
            expected = (n * (n.sum() - n)).sum()
        elif self.level == "ratio":
            observed = self._ratio_distances
            expected = (n * self._sum_ratio_distances(n)).sum()
        else:
            z = self._deviations(n)
            total = np.bincount(self.unit, self.times * z[self.grade], len(self.n_graded))
            deviation = z[self.grade] - (total / np.maximum(self.n_graded, 1))[self.unit]
            observed = 2 * self._entry_shares * self.n_graded[self.unit] * deviation**2
            expected = 2 * n.sum() * (n * z**2).sum()
        return float(1 - (n.sum() - 1) * (times * observed).sum() / expected)

    def alphas_without(self, query: np.ndarray) -> np.ndarray:
        """Return alpha without each query, given the query of each unit.

        Only queries that have a unit with two grades count. Those with equal grades have
        equal values, which are many where each unit is a query.
        """
        codes = np.unique(query[self.unit], return_inverse=True)[1]
        begins_unit = np.append(True, self.unit[1:] != self.unit[:-1])
        table = np.column_stack([begins_unit, self.grade, self.times])
        table = table[np.argsort(codes, kind="stable")]
        of_unit = np.zeros(len(query), dtype=np.intp)
        of_unit[self.unit] = codes
        alpha_by_grades: dict[bytes, float] = {}
        alphas = []
        for code, rows in enumerate(np.split(table, starts_of(np.bincount(codes))[1:-1])):
            grades = rows.tobytes()
            if grades not in alpha_by_grades:
                alpha_by_grades[grades] = self.alpha(of_unit != code)
            alphas.append(alpha_by_grades[grades])
        return np.array(alphas)

    @cached_property
    def _entry_shares(self) -> np.ndarray:
        return 1 / (self.n_graded[self.unit] - 1)

    def _deviations(self, n: np.ndarray) -> np.ndarray:
        """Return the distance of each grade, or of its rank, from the mean."""
        if self.level == "ordinal":
            # The grades from one to the other, half of the two themselves.
            return (np.cumsum(n) - n / 2) / n.sum() - 1 / 2
        used = np.flatnonzero(n)
        z = np.zeros(len(n))
        # Alpha is the same on any scale, and squares of large grades overflow. Less one of
        # them first: the mean of large grades that differ by little is rounded.
        scaled = np.ldexp(self.grades[used], -np.frexp(self.grades[used[[0, -1]]])[1].max())
        z[used] = scaled - scaled[0]
        z[used] -= n @ z / n.sum()
        return z / np.abs(z).max()

    @cached_property
    def _ratio_distances(self) -> np.ndarray:
        """The mean squared distance of each entry to the other grades of its unit."""
        starts = starts_where(np.append(True, self.unit[1:] != self.unit[:-1]))
        sizes = sizes_of(starts)
        n_others = sizes.repeat(sizes)
        first = starts[:-1].repeat(sizes)
        total = np.zeros(len(self.unit))
        for start, stop in cut_runs(starts_of(n_others), CHUNK_PAIRS):
            left = np.arange(start, stop).repeat(n_others[start:stop])
            right = ranges(first[start:stop], n_others[start:stop])
            far = _ratio_distance(
                self._ratio_scale[self.grade[left]], self._ratio_scale[self.grade[right]]
            )
            total[start:stop] = np.bincount(left - start, far * self.times[right])
        return total * self._entry_shares

    @cached_property
    def _ratio_scale(self) -> np.ndarray:
        return self.grades / max(self.grades.max(), 1e-300)

    def _sum_ratio_distances(self, n: np.ndarray) -> np.ndarray:
        """Return the sum of squared distances of each grade to all."""
        used = np.flatnonzero(n)
        values, total = self._ratio_scale[used], np.zeros(len(n))
        step = max(CHUNK_PAIRS // len(used), 1)
        for start in range(0, len(used), step):
            rows = slice(start, start + step)
            total[used[rows]] = _ratio_distance(values[rows, None], values) @ n[used]
        return total


def _ratio_distance(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the squared ratio of difference and sum, 0 for two zeros."""
    total = left + right
    return np.divide(left - right, total, out=np.zeros_like(total), where=total > 0) ** 2
