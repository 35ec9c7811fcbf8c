"""Several runs fused to one: what each run gives an item, and how that is combined."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._runs import begins_run, ranges, sizes_of, starts_where
from sklearn_rank._base._validation import check_option, check_real

# Scores of one run made comparable with those of others, query by query.


class Run(NamedTuple):
    """What one run retrieved: rows by query, and in each from the highest score down."""

    row: np.ndarray
    query: np.ndarray
    score: np.ndarray
    starts: np.ndarray  # where the rows of each query begin, and where the last end

    def repeat_by_query(self, of_query: np.ndarray) -> np.ndarray:
        """Return for each row the value of its query."""
        return np.repeat(of_query, sizes_of(self.starts))

    def ranks(self) -> np.ndarray:
        """Return the ranks from 1; equal scores share the mean of their ranks."""
        starts = starts_where(begins_run(self.query, self.score))
        sizes = sizes_of(starts)
        position = ranges(1, sizes_of(self.starts))
        return np.repeat(position[starts[:-1]] + (sizes - 1) / 2, sizes)


def read_run(scores: np.ndarray, query: np.ndarray) -> Run:
    """Return what a run retrieved: its finite scores."""
    row = np.flatnonzero(np.isfinite(scores))
    order = row[np.lexsort((-scores[row], query[row]))]
    return Run(order, query[order], scores[order], starts_where(begins_run(query[order])))


def min_max(run: Run, if_equal: float = 1.0) -> np.ndarray:
    """Return scores from 0 to 1; `if_equal` if all scores of the query are equal."""
    half = run.score / 2  # half of the difference of two floats is a float
    first, last = run.starts[:-1], run.starts[1:] - 1
    lowest = run.repeat_by_query(half[last])
    above, span = half - lowest, run.repeat_by_query(half[first]) - lowest
    return np.divide(above, span, out=np.full(len(above), if_equal), where=span > 0)


def _share_of_sum(run: Run) -> np.ndarray:
    """Return scores above the lowest as shares of their sum, equal ones if that is 0."""
    above = min_max(run)
    return above / run.repeat_by_query(_sum_by_query(run, above))


def z_score(run: Run) -> np.ndarray:
    """Return scores with the mean 0 and the standard deviation 1; 0 if all are equal."""
    scaled = min_max(run, if_equal=0.0)
    n = run.repeat_by_query(sizes_of(run.starts))
    centered = scaled - run.repeat_by_query(_sum_by_query(run, scaled)) / n
    deviation = np.sqrt(run.repeat_by_query(_sum_by_query(run, centered**2)) / n)
    return np.divide(centered, deviation, out=np.zeros(len(centered)), where=deviation > 0)


def _unit_length(run: Run) -> np.ndarray:
    """Return scores divided by the root of the sum of their squares; 0 if all are 0."""
    first, last = np.abs(run.score[run.starts[:-1]]), np.abs(run.score[run.starts[1:] - 1])
    largest = run.repeat_by_query(np.maximum(first, last))  # large squares overflow
    scaled = np.divide(run.score, largest, out=np.zeros(len(largest)), where=largest > 0)
    length = np.sqrt(run.repeat_by_query(_sum_by_query(run, scaled**2)))
    return np.divide(scaled, length, out=scaled, where=length > 0)


def _three_deviations(run: Run) -> np.ndarray:
    """Return 0 at three standard deviations (n - 1) below the mean, 1 at three above."""
    n = run.repeat_by_query(sizes_of(run.starts))
    return 0.5 + z_score(run) * np.sqrt((n - 1) / n) / 6


def _rank_share(run: Run) -> np.ndarray:
    """Return 1 for the first of n rows, 1 - 1 / n for the second, and so on."""
    return 1 - (run.ranks() - 1) / run.repeat_by_query(sizes_of(run.starts))


def _sum_by_query(run: Run, values: np.ndarray) -> np.ndarray:
    return np.add.reduceat(values, run.starts[:-1]) if len(values) else values


NORMALIZATIONS: Mapping[str | None, Callable[[Run], np.ndarray]] = {
    "min_max": min_max,
    "sum": _share_of_sum,
    "z_score": z_score,
    "l2": _unit_length,
    "rank": _rank_share,
    None: lambda run: run.score,
}


# Methods of fusion.


class Formula(NamedTuple):
    """What a search engine adds to the rank in reciprocal rank fusion."""

    rrf_k: float = 60
    first_rank: int = 1
    is_k_fixed: bool = False


CONVENTIONS = {
    **dict.fromkeys((None, "elasticsearch", "opensearch", "azure", "milvus"), Formula()),
    "mongodb": Formula(is_k_fixed=True),
    "qdrant": Formula(2, 0),  # and weights divide ranks
    "chroma": Formula(60, 0),
    "weaviate": Formula(60, 0, is_k_fixed=True),
}
CONFIGURED = ("qdrant", "elasticsearch", "opensearch")
# Cells of the matrix of pairs that Condorcet's method works on at a time.
_PAIRS_AT_ONCE = 2**20


@dataclass(frozen=True)
class Fusion:
    """A method of fusion with all its options, except for weights."""

    method: str
    rrf_k: float
    normalization: str | None
    unretrieved: str
    convention: str | None

    @classmethod
    def read(cls, ranker: Any) -> "Fusion":
        """Return the fusion of a ranker; raise for parameters that are not valid."""
        check_option("method", ranker.method, METHODS)
        check_option("normalization", ranker.normalization, tuple(NORMALIZATIONS))
        check_option("unretrieved", ranker.unretrieved, ("omit", "zero", "minimum"))
        check_option("values", ranker.values, ("scores", "ranks"))
        check_option("convention", ranker.convention, tuple(CONVENTIONS))
        engine = CONVENTIONS[ranker.convention]
        rrf_k = engine.rrf_k
        if ranker.rrf_k is not None:
            least = 1 - engine.first_rank
            needed = f"a number, {least} or more"
            rrf_k = check_real("rrf_k", ranker.rrf_k, needed, least=least)
        if engine.is_k_fixed and rrf_k != engine.rrf_k:
            raise ValueError(
                f"`convention={ranker.convention!r}` has rrf_k={engine.rrf_k}, got "
                f"{rrf_k:g}; leave `rrf_k` out."
            )
        if ranker.convention is not None and ranker.method != "rrf":
            raise ValueError(
                f"`convention={ranker.convention!r}` is a formula of method='rrf', got "
                f"`method={ranker.method!r}`; leave one of the two out."
            )
        for name in ("method", "convention"):
            value = getattr(ranker, name)
            if value in UNWEIGHTED and ranker.weights is not None:
                raise ValueError(
                    f"`weights` have no effect with {name}={value!r}; leave them out, or "
                    "choose another, such as method='comb_sum'."
                )
        options = ranker.normalization, ranker.unretrieved, ranker.convention
        return cls(ranker.method, rrf_k, *options)

    def _reciprocal(self, rank: np.ndarray) -> np.ndarray:
        return 1 / (self.rrf_k + (CONVENTIONS[self.convention].first_rank - 1 + rank))

    def _part_of_rank(self, rank: np.ndarray) -> np.ndarray:
        # Qdrant's weights divide ranks.
        return rank if self.convention == "qdrant" else self._reciprocal(rank)

    def parts(self, scores: np.ndarray, query: np.ndarray) -> np.ndarray:
        """Return what each run gives each row, NaN for nothing; weights come after."""
        size = np.bincount(query)
        parts = np.full(scores.shape, np.nan)
        for column in range(scores.shape[1]):
            run = read_run(scores[:, column], query)
            parts[:, column] = self._part(run, query, size)
        if self.method == "comb_mnz":
            with np.errstate(over="ignore"):
                parts *= np.count_nonzero(np.isfinite(scores), axis=1)[:, None]
        return _check_finite(parts)

    def _part(self, run: Run, query: np.ndarray, size: np.ndarray) -> np.ndarray:
        part = np.full(len(query), np.nan)
        if self.method == "rrf":
            part[run.row] = self._part_of_rank(run.ranks())
            if self.unretrieved == "minimum":
                _fill_missing(part, self._part_of_rank(_rank_below(run, size)), query)
        elif self.method == "borda":
            part[run.row] = 1 - (run.ranks() - 1) / size[run.query]
            _fill_missing(part, 1 - (_rank_below(run, size) - 1) / size, query)
        elif self.method == "condorcet":
            part[run.row] = run.score
        else:
            normalize = NORMALIZATIONS[self.normalization]
            value = (_three_deviations if self.method == "dbsf" else normalize)(run)
            part[run.row] = value
            if self.unretrieved == "minimum":
                lowest = np.zeros(len(size))
                lowest[run.query[run.starts[:-1]]] = value[run.starts[1:] - 1]
                _fill_missing(part, lowest, query)
        # In a sum it counts 0 anyway.
        if self.unretrieved == "zero" and self.method in (
            "comb_anz",
            "comb_max",
            "comb_min",
        ):
            part[np.isnan(part)] = 0.0
        return part

    def combine(
        self, parts: np.ndarray, weights: np.ndarray, query: np.ndarray
    ) -> np.ndarray:
        """Return the fused score of each row."""
        if self.method == "condorcet":
            return _condorcet_wins(parts, weights, query)
        if self.convention == "qdrant":
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                parts = self._reciprocal(parts / weights)
            weights = (weights > 0).astype(float)
        with np.errstate(over="ignore", invalid="ignore"):
            return _check_finite(COMBINATIONS[self.method](parts, weights))

    def configuration(self, weights: Sequence[float]) -> dict[str, Any]:
        """Return what a search engine takes, as in its documentation."""
        check_option("convention", self.convention, CONFIGURED)
        otherwise = "Search engines have no other."
        check_option("unretrieved", self.unretrieved, ("omit", "zero"), otherwise=otherwise)
        if self.rrf_k < 1 or self.rrf_k % 1:
            raise ValueError(
                f"`rrf_k` of convention={self.convention!r} must be a whole number, 1 or "
                f"more, in its settings, got {self.rrf_k:g}."
            )
        k = int(self.rrf_k)
        if self.convention == "qdrant":
            return {"query": {"rrf": {"k": k, "weights": list(weights)}}}
        if self.convention == "elasticsearch":
            runs = [{"retriever": {}, "weight": weight} for weight in weights]
            return {"retriever": {"rrf": {"rank_constant": k, "retrievers": runs}}}
        parameters = {"weights": [weight / sum(weights) for weight in weights]}
        combination = {"technique": "rrf", "rank_constant": k, "parameters": parameters}
        processor = {"score-ranker-processor": {"combination": combination}}
        return {"phase_results_processors": [processor]}


def _fill_missing(part: np.ndarray, of_query: np.ndarray, query: np.ndarray) -> None:
    """Give rows that are not retrieved the value of their query."""
    missing = np.isnan(part)
    part[missing] = of_query[query[missing]]


def _check_finite(fused: np.ndarray) -> np.ndarray:
    """Return numbers, unless some are beyond floats and would all be the same."""
    if np.isinf(fused).any():
        raise ValueError(
            "The sums of the scores of X are larger than floats; choose a `normalization`, "
            "such as 'min_max', or divide the scores."
        )
    return fused


def _rank_below(run: Run, size: np.ndarray) -> np.ndarray:
    """Return for each query the mean of the ranks that a run leaves over."""
    n_retrieved = np.bincount(run.query, minlength=len(size))
    return (n_retrieved + 1 + size) / 2


def _weighted_sum(parts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = np.zeros(len(parts))
    for column, weight in enumerate(weights.tolist()):  # in the same order for each row
        total += weight * np.nan_to_num(parts[:, column])
    return total


def _weighted_mean(parts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    of_row = (~np.isnan(parts)) @ weights
    total = _weighted_sum(parts, weights)
    return np.divide(total, of_row, out=np.zeros(len(parts)), where=of_row > 0)


COMBINATIONS: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    **dict.fromkeys(("rrf", "borda", "comb_sum", "comb_mnz", "dbsf"), _weighted_sum),
    "comb_anz": _weighted_mean,
    "comb_max": lambda parts, weights: np.fmax.reduce(parts, axis=1),
    "comb_min": lambda parts, weights: np.fmin.reduce(parts, axis=1),
}
# Methods and conventions without weights of runs.
UNWEIGHTED = ("comb_max", "comb_min", "dbsf", "milvus")
METHODS = (*COMBINATIONS, "condorcet")


def _condorcet_wins(
    scores: np.ndarray, weights: np.ndarray, query: np.ndarray
) -> np.ndarray:
    """Return how many others of its query each row beats, one that draws counting half.

    It beats one that more weight of runs has below it. What a run did not retrieve is
    below all that it did.
    """
    scores = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(query, kind="stable")
    bounds = np.searchsorted(query[order], np.arange(query.max(initial=-1) + 2))
    won = np.zeros(len(query))
    for start, stop in pairwise(bounds):
        rows = order[start:stop]
        step = max(_PAIRS_AT_ONCE // max(len(rows), 1), 1)
        for first in range(0, len(rows), step):
            chunk = rows[first : first + step]
            won[chunk] = _count_wins(scores[chunk], scores[rows], weights)
    return won


def _count_wins(scores: np.ndarray, rivals: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return wins and half of the draws of some rows against others, self left out."""
    lead = np.zeros((len(scores), len(rivals)))
    for column, weight in enumerate(weights.tolist()):
        own, theirs = scores[:, column, None], rivals[None, :, column]
        lead += weight * ((own > theirs).astype(float) - (own < theirs))
    return (lead > 0).sum(axis=1) + ((lead == 0).sum(axis=1) - 1) / 2


def find_retrieved(scores: np.ndarray) -> np.ndarray:
    """Return which rows any run retrieved."""
    return np.isfinite(scores).any(axis=1)
