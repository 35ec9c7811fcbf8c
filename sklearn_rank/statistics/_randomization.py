"""p-values by sign flips: of each comparison, and of the largest t of several."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_rank.metrics._core._clusters import Clusters, differences
from sklearn_rank.statistics._options import Options

FLIPS_AT_ONCE = 4096
BYTES_AT_ONCE = 256
# The eight signs of each byte, its lowest bit first.
SIGNS = 1.0 - 2.0 * np.unpackbits(
    np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little"
)

# Sums that differ by this share of their terms are equal; floats lose exact ties.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Flips:
    """The values of all models, whose signs are flipped, and the pairs to compare.

    The flips of a difference are the difference of flips, so that each draw serves all
    pairs. `values` has a column per model.
    """

    values: np.ndarray
    clusters: Clusters
    pairs: Sequence[tuple[int, int]]
    alternative: str
    n_resamples: int

    def test_each(
        self, random_state: np.random.RandomState, level: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return p, low and high of each pair; p is 1 - level or less if 0 is outside.

        Signs split the clusters in two. The sum without what the hypothesis m says is as
        large with these signs as without exactly if m is between the means of both sides,
        J. A. Hartigan, "Using subsample values as typical values", Journal of the American
        Statistical Association 64, 1969.
        """
        sums, scale = self._sum_clusters()
        weights = self.clusters.weights()
        of_pairs = self._subtract_pairs(sums)
        total, slack = of_pairs.sum(axis=0), TIE_TOLERANCE * np.abs(of_pairs).sum(axis=0)
        bound = self._orient(total) - slack
        n_outside = self._n_outside(1 - level)
        lows, highs = np.empty((2, 0, len(self.pairs)))
        counts = np.zeros(len(self.pairs), dtype=np.int64)
        columns = np.column_stack([sums, weights])
        signs = (1, -1) if self.alternative == "two-sided" else (-1,)
        for drawn in flipped_sums(columns, self.n_resamples, random_state):
            flipped = self._subtract_pairs(drawn[:, :-1])
            counts += np.count_nonzero(self._orient(flipped) >= bound, axis=0)
            share = drawn[:, -1:] / weights.sum()
            both = ((total + sign * flipped, slack, 1 + sign * share) for sign in signs)
            sides = [_means_of_side(*side) / weights.sum() for side in both]
            low = np.min(np.where(np.isnan(sides), -np.inf, sides), axis=0)
            high = np.max(np.where(np.isnan(sides), np.inf, sides), axis=0)
            lows = _smallest_values(np.vstack([lows, low]), n_outside)
            highs = _smallest_values(np.vstack([highs, -high]), n_outside)
        infinite = np.full(len(self.pairs), np.inf)
        low, high = -infinite, infinite
        if n_outside and self.alternative != "less":
            low = lows.max(axis=0) * scale
        if n_outside and self.alternative != "greater":
            high = -highs.max(axis=0) * scale
        return to_p_values(counts, len(sums), self.n_resamples), low, high

    def _n_outside(self, alpha: float) -> int:
        """Return the rank of the flip that gives an end of the interval, 0 if none does."""
        if has_few_patterns(self.clusters.n_clusters, self.n_resamples):
            return math.floor(alpha * 2**self.clusters.n_clusters) + 1
        return math.floor(alpha * (self.n_resamples + 1))

    def max_t(
        self, random_state: np.random.RandomState, level: float = 0.95
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return p, low and high that hold for all pairs together.

        They use the largest t of a draw: p is 1 - level or less if 0 is outside.
        """
        sums, scale = self._sum_clusters()
        weights = self.clusters.weights()
        of_pairs = self._subtract_pairs(sums)
        studentize = _Studentization(of_pairs, weights)
        columns = np.hstack([sums, sums * weights[:, None]])
        observed = self._orient(
            studentize(of_pairs.sum(axis=0), (of_pairs * weights[:, None]).sum(axis=0))
        )
        bound = observed - TIE_TOLERANCE * np.maximum(np.abs(observed), 1)
        counts, maxima = np.zeros(len(self.pairs), dtype=np.int64), np.empty(0)
        n_outside = self._n_outside(1 - level)
        for drawn in flipped_sums(columns, self.n_resamples, random_state):
            ratios = studentize(*map(self._subtract_pairs, np.hsplit(drawn, 2)))
            largest = self._orient(ratios).max(axis=1)
            counts += np.count_nonzero(largest[:, None] >= bound, axis=0)
            seen = np.append(maxima, largest)[:, None]
            maxima = -_smallest_values(-seen, n_outside)[:, 0]
        t = studentize.to_t(maxima.min()) if n_outside else math.inf
        errors = np.full(len(counts), math.inf) if t == math.inf else t * studentize.errors
        mean = of_pairs.sum(axis=0) / weights.sum()
        low, high = scale * (mean - errors), scale * (mean + errors)
        if self.alternative == "less":
            low = np.full_like(mean, -math.inf)
        if self.alternative == "greater":
            high = np.full_like(mean, math.inf)
        return to_p_values(counts, len(sums), self.n_resamples), low, high

    def _sum_clusters(self) -> tuple[np.ndarray, float]:
        """Return the sums of clusters, a column per model, and their divisor."""
        # A common offset cancels in differences; it must not cause rounding.
        baseline = self.pairs[0][1]
        gaps = differences(self.values, self.values[:, baseline, None])
        scale = float(np.max(np.abs(gaps))) or 1.0
        gaps /= scale  # squares stay within floats
        return np.column_stack([self.clusters.sums(column) for column in gaps.T]), scale

    def _subtract_pairs(self, of_models: np.ndarray) -> np.ndarray:
        first, second = np.transpose(self.pairs)
        return of_models[:, first] - of_models[:, second]

    def _orient(self, statistic: np.ndarray) -> np.ndarray:
        """Return the statistic in the direction of the alternative."""
        if self.alternative == "two-sided":
            return np.abs(statistic)
        return statistic if self.alternative == "greater" else -statistic


def _means_of_side(twice: np.ndarray, slack: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the means of clusters of one sign, NaN without such clusters.

    The arguments are twice their sums, 0 within the slack, and twice their share of the
    weight.
    """
    sums = np.where(np.abs(twice) <= slack, 0.0, twice)
    unknown = np.full_like(sums, np.nan)
    return np.divide(sums, share, out=unknown, where=share > TIE_TOLERANCE)


def _smallest_values(values: np.ndarray, n: int) -> np.ndarray:
    """Return the n smallest values of each column, in any order."""
    return np.partition(values, n - 1, axis=0)[:n] if 0 < n < len(values) else values


class _Studentization:
    """A monotone function of t from flipped sums that is always finite.

    With the mean m of flipped differences and its standard error SE it is
    m / sqrt(SE**2 + m**2 / (G - 1)).
    """

    def __init__(self, sums: np.ndarray, weights: np.ndarray):
        self.squares = (sums**2).sum(axis=0)
        self.of_weights = float(weights @ weights)
        self.total = float(weights.sum())
        self.n_clusters = len(weights)
        mean = sums.sum(axis=0) / self.total
        scatter = ((sums - mean * weights[:, None]) ** 2).sum(axis=0)
        factor = self.n_clusters / (self.n_clusters - 1)
        self.errors = np.sqrt(factor * scatter) / self.total

    def to_t(self, found: float) -> float:
        """Return the t with this value, slightly more for ties."""
        rest = 1 - found * abs(found) / (self.n_clusters - 1)
        if rest <= TIE_TOLERANCE:
            return math.inf
        return (1 + 2 * TIE_TOLERANCE) * found / math.sqrt(rest)

    def __call__(self, sums: np.ndarray, weighed: np.ndarray) -> np.ndarray:
        mean = sums / self.total
        scatter = self.squares - 2 * mean * weighed + mean**2 * self.of_weights
        square = self.n_clusters * scatter / self.total**2 + mean**2
        root = np.sqrt(np.maximum(square, 0) / (self.n_clusters - 1))
        return np.divide(mean, root, out=np.zeros_like(mean), where=root > 0)


def few_flips_warning(options: Options, n_clusters: int, n_comparisons: int) -> list[str]:
    """Return a warning if there are too few random flips for a significant p."""
    is_max_t = options.correction == "max_t"
    is_flipped = is_max_t or options.test == "randomization"
    times = 1 if is_max_t or options.correction is None else n_comparisons
    smallest = times / (options.n_resamples + 1)
    is_exact = has_few_patterns(n_clusters, options.n_resamples)
    if not is_flipped or is_exact or smallest <= options.alpha:
        return []
    return [
        f"n_resamples={options.n_resamples} is too small for {n_comparisons} "
        f"comparison(s): no corrected p could be below {smallest:.2g}; take more."
    ]


def has_few_patterns(n_clusters: int, n_resamples: int) -> bool:
    """Return whether there are no more sign patterns than draws."""
    return n_clusters < 62 and 2**n_clusters <= n_resamples + 1


def to_p_values(counts: np.ndarray, n_rows: int, n_resamples: int) -> np.ndarray:
    """Return the shares of flips, given how many were as far from 0 as the data."""
    if has_few_patterns(n_rows, n_resamples):
        return counts / 2**n_rows
    return (1 + counts) / (n_resamples + 1)


def flipped_sums(
    columns: np.ndarray, n_resamples: int, random_state: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield blocks of sums of columns after flipping the signs of rows.

    All patterns if there are few of them, else `n_resamples` random ones.
    """
    n_rows, n_columns = columns.shape
    n_bytes = -(-n_rows // 8)
    padded = np.zeros((n_bytes, 8, n_columns))
    padded.reshape(-1, n_columns)[:n_rows] = columns
    is_exact = has_few_patterns(n_rows, n_resamples)
    n_flips = 2**n_rows if is_exact else n_resamples
    for start in range(0, n_flips, FLIPS_AT_ONCE):
        n_now = min(FLIPS_AT_ONCE, n_flips - start)
        total = np.zeros((n_now, n_columns))
        part = np.empty_like(total)
        for first in range(0, n_bytes, BYTES_AT_ONCE):
            tables = SIGNS @ padded[first : first + BYTES_AT_ONCE]
            if is_exact:
                # The bytes of the numbers of patterns, the lowest byte first.
                numbers = np.arange(start, start + n_now)
                patterns = (numbers >> (8 * np.arange(n_bytes)[:, None])) & 255
            else:
                drawn = random_state.bytes(len(tables) * n_now)
                patterns = np.frombuffer(drawn, dtype=np.uint8).reshape(-1, n_now)
            for table, pattern in zip(tables, patterns, strict=True):
                np.take(table, pattern, axis=0, out=part, mode="clip")
                total += part
        yield total
