"""Interpolated precision: the best precision at or below a level of recall."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_rank._base._runs import accumulate_within
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import Places, RankedLists, defined_where_relevant
from sklearn_rank._ranking._rows import QueryError
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, MinRelevance, ZeroToOne
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["eleven_point_precision_score", "interpolated_precision_score"]


# The expected value under ties of the highest precision from a given hit on.

# The largest product of tied rows and relevant rows among them for an exact mean.
_MOST_TIED_PAIRS = 5000


def best_of_tie_groups(places: Places, query: int, needed: np.ndarray) -> np.ndarray:
    """Return the expected best precision of one query from each of some hits on."""
    run = slice(*np.searchsorted(places.block_query, [query, query + 1]))
    columns = (places.block_above, places.size, places.hits_above, places.n_hits)
    each = zip(*(column[run].tolist() for column in columns), strict=True)
    blocks = tuple(TieGroup(*of_block) for of_block in each)
    for block in blocks:
        if block.size > block.n_hits and block.size * block.n_hits > _MOST_TIED_PAIRS:
            raise QueryError(
                f"Interpolated precision: {block.size} rows of query {{query}} tie, "
                f"{block.n_hits} of them relevant, too many for the mean over all orders. "
                "Set `ties` to 'worst', 'best' or 'first', or break the ties.",
                query,
            )
    hits, of_level = np.unique(needed, return_inverse=True)
    return np.array(_expected_best(blocks, tuple(hits.tolist())))[of_level]


@lru_cache(maxsize=4096)  # a constant scorer has the same few cases again and again
def _expected_best(
    blocks: tuple[TieGroup, ...], hits: tuple[int, ...]
) -> tuple[float, ...]:
    """Return the mean of the best precision from each of some hits on.

    It is the maximum over tie groups, which are independent. The chance to be below a
    threshold is the product over the groups. The mean is the sum of the steps between
    thresholds, each times the chance to reach it.
    """
    possible = [block.possible() for block in blocks]
    thresholds = np.unique(np.concatenate([np.zeros(1), *possible]))
    below = np.ones((len(hits), len(thresholds)))
    for block in blocks:
        below *= block.chance_below(thresholds, np.array(hits))
    return tuple(((1 - below[:, 1:]) @ np.diff(thresholds)).tolist())


class TieGroup(NamedTuple):
    """Rows of one score: the numbers of rows and hits above them, and among them."""

    above: int
    size: int
    before: int
    n_hits: int

    def possible(self) -> np.ndarray:
        """Return what precision may be at the hits."""
        count = np.arange(1, self.n_hits + 1)[:, None]
        position = np.arange(1, self.size + 1)
        possible = (position >= count) & (position <= self.size - self.n_hits + count)
        return ((self.before + count) / (self.above + position))[possible]

    def chance_below(self, thresholds: np.ndarray, hits: np.ndarray) -> np.ndarray:
        """Return the chance that precision stays below each threshold from some hits on.

        There is a row for each of these hits. The state of the recursion over places is the
        number of hits so far; orders that reach the threshold are dropped.
        """
        count = np.arange(1, self.n_hits + 1)
        counts = self.before + count >= hits[:, None, None]
        chance = np.zeros((len(hits), len(thresholds), self.n_hits + 1))
        chance[..., 0] = 1.0
        for position in range(1, self.size + 1):
            is_hit = np.clip((self.n_hits - count + 1) / (self.size - position + 1), 0, 1)
            precision = (self.before + count) / (self.above + position)
            moved = chance[..., :-1] * is_hit
            chance[..., :-1] -= moved
            moved[counts & (precision >= thresholds[:, None])] = 0.0
            chance[..., 1:] += moved
        return np.clip(chance[..., -1], 0.0, 1.0)


# Metrics.

# How a level times the number of relevant items becomes a number of items.
Rounding = Literal["up", "nine_tenths", "nearest"]

# Rounding error of the product of a level and a number of items.
_ROUNDING = 1e-9

# The levels of the eleven-point curve of TREC.
ELEVEN_LEVELS = tuple(level / 10 for level in range(11))


def interpolated_precision(
    lists: RankedLists,
    recall_level: ZeroToOne,
    rounding: Rounding,
    min_relevance: MinRelevance,
) -> Any:
    """Return the highest precision at or below a level of recall, per query."""
    return interpolate_precision(lists, (recall_level,), rounding, min_relevance)[:, 0]


@metric(interpolated_precision, range=ZERO_TO_ONE)
@explained
def interpolated_precision_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    recall_level: ZeroToOne = 0.5,
    rounding: Rounding = "up",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Interpolated precision: the highest precision where recall is at least a level.

    Higher is better; 1 means that the list holds this share of the relevant items before
    any irrelevant one. A list that never reaches the level scores 0.

    .. math:: \max_{i \,:\, R@i \ge \text{level}} P@i

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    recall_level : float, default=0.5
        Share of the relevant items that must be found, from 0 to 1. At 0 it is the highest
        precision of all ranks.
    rounding : {"up", "nine_tenths", "nearest"}, default="up"
        Rounding of ``level * R`` for R relevant items to a whole number: up; ``int(level *
        R + 0.9)`` in floats, as in `trec_eval` 9; or to the nearest, as in `trec_eval` 10.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float, "warn" or "abstained", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one. With "abstained" a query
        without relevant rows has 1 if nothing was retrieved, else 0.

    Returns
    -------
    score : float
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if too many rows tie for an exact mean.

    See Also
    --------
    eleven_point_precision_score : The mean over the levels 0, 0.1, ..., 1.
    interpolated_precision_curve : Several levels, averaged over queries.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. It does not rise with the level.
    Under ties the expected value is exact, which takes time and memory that grow with the
    square of tied rows times relevant rows among them; if this product is above 5000,
    ``ties="average"`` raises an error.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", section 8.4, Cambridge University Press, 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import interpolated_precision_score
    >>> rows = {"y_true": [0, 1, 1, 0], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> round(interpolated_precision_score(**rows, recall_level=0.5), 4)
    0.6667
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "recall_level": recall_level,
        "rounding": rounding,
        "min_relevance": min_relevance,
    }
    return mean_score(interpolated_precision_score, rows, own, ties, replace_undefined_by)


def eleven_point_precision(
    lists: RankedLists, rounding: Rounding, min_relevance: MinRelevance
) -> Any:
    """Return the mean of interpolated precision at eleven levels, per query."""
    return interpolate_precision(lists, ELEVEN_LEVELS, rounding, min_relevance).mean(axis=1)


@metric(eleven_point_precision, range=ZERO_TO_ONE)
@explained
def eleven_point_precision_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    rounding: Rounding = "up",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Eleven-point average precision: interpolated precision at recall 0, 0.1, ..., 1.

    Higher is better; 1 means that all relevant items are above all others.

    .. math:: \frac{1}{11} \sum_{j=0}^{10} \max_{i \,:\, R@i \ge j / 10} P@i

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    rounding : {"up", "nine_tenths", "nearest"}, default="up"
        Rounding of ``level * R`` for R relevant items to a whole number: up; ``int(level *
        R + 0.9)`` in floats, as in `trec_eval` 9; or to the nearest, as in `trec_eval` 10.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float, "warn" or "abstained", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one. With "abstained" a query
        without relevant rows has 1 if nothing was retrieved, else 0.

    Returns
    -------
    score : float
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if too many rows tie for an exact mean.

    See Also
    --------
    interpolated_precision_score : One of the levels.
    mean_average_precision_score : Without interpolation, at each relevant item.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. For ties see
    :func:`interpolated_precision_score`.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", section 8.4, Cambridge University Press, 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import eleven_point_precision_score
    >>> rows = {"y_true": [1, 0, 1, 0], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> round(eleven_point_precision_score(**rows), 4)  # 6 of 1, and 5 of 2 / 3
    0.8485
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"rounding": rounding, "min_relevance": min_relevance}
    return mean_score(eleven_point_precision_score, rows, own, ties, replace_undefined_by)


def interpolate_precision(
    lists: RankedLists,
    levels: tuple[float, ...],
    rounding: Rounding,
    min_relevance: float | None,
) -> np.ndarray:
    """Return interpolated precision, one row per query and one column per level."""
    places = lists.places(None, min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    needed = np.maximum(_needed_hits(np.outer(n_relevant, levels), rounding), 1)
    is_tied = np.zeros(lists.n_queries, dtype=bool)
    if places.tied is not None:
        is_tied[places.block_query[places.size > places.n_hits]] = True
    precision = _untied_precision(lists, places, needed)
    for query in is_tied.nonzero()[0]:
        precision[query] = best_of_tie_groups(places, int(query), needed[query])
    undefined = np.isnan(defined_where_relevant(precision[:, 0], lists, min_relevance))
    precision[undefined] = np.nan
    return precision


def _needed_hits(product: np.ndarray, rounding: Rounding) -> np.ndarray:
    """Return the number of relevant items needed, given their number times the level."""
    if rounding == "up":
        return np.ceil(product - _ROUNDING).astype(np.intp)
    if rounding == "nine_tenths":
        return (product + 0.9).astype(np.intp)
    floor = product.astype(np.intp)
    return floor + (product - floor >= 0.5)


def _untied_precision(lists: RankedLists, places: Places, needed: np.ndarray) -> np.ndarray:
    """Return the values of queries in which no relevant row ties with an irrelevant one."""
    starts = np.searchsorted(places.query, np.arange(lists.n_queries + 1))
    n_found = np.diff(starts)
    hits = np.arange(len(places.query)) - starts[places.query] + 1
    # From the last hit of a query to its first.
    precision = (hits / places.rank)[::-1]
    best = accumulate_within(np.maximum, precision, n_found[::-1])[::-1]
    is_reached = needed <= n_found[:, None]
    row = np.where(is_reached, starts[:-1, None] + needed - 1, len(best))
    return np.append(best, 0.0)[row]
