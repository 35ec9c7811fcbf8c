"""Cumulative gain: the gain of an item times the discount of its rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np

from sklearn_rank._base._numbers import as_numbers
from sklearn_rank._base._runs import ranges
from sklearn_rank._base._validation import FunctionTrial, Real
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import Places, RankedLists, divide
from sklearn_rank._ranking._rows import QueryError
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Cutoff, up_to
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["cg_score", "dcg_score", "ndcg_score"]


# Gains, discounts and weights from 2**-500 to 2**500 can be multiplied with each other and
# added up, and no result is too large or too small for a float.
_LARGE_EXPONENT = 500
_MOST, _LEAST = 2.0**_LARGE_EXPONENT, 2.0**-_LARGE_EXPONENT

# Below, computing 2**g - 1 directly would lose too many digits.
_SMALL_GRADE = 2.0**-20

# A table with more ranks than this per requested rank costs more than it saves.
_MOST_RANKS_PER_REQUEST = 4

# The relative increase of a discount that is taken for rounding.
_ROUNDING = 1e-12


def _check_gain(gain: Callable) -> None:
    _call_gain(gain, np.zeros(0))


def check_discount(discount: Callable) -> None:
    """Raise unless a function can be a discount, before there are data."""
    _call_discount(discount, np.array([1, 2]))


# Grade 0 and the first two ranks reveal a wrong function before any data.
Gain = Annotated[
    Literal["linear", "exponential", "binary"] | Callable[[np.ndarray], np.ndarray],
    FunctionTrial(_check_gain),
]
Discount = Annotated[
    Literal["log", "jarvelin", "reciprocal"] | Callable[[np.ndarray], np.ndarray],
    FunctionTrial(check_discount),
]
LogBase = Annotated[float, Real("a number > 1", above=1)]
Ideal = Literal["relevant", "list", "retrieved", "k", "all"]


def gains(lists: RankedLists, gain: Gain) -> np.ndarray:
    """Return the gain of each nonzero row, infinite where it is too large for a float."""
    if callable(gain):
        return _call_gain(gain, lists.grade)
    if gain == "linear":
        return lists.grade
    if gain == "binary":
        return np.sign(lists.grade)
    return lists.cache(("gains", gain), lambda: _power_less_one(lists.grade))


def finite_sums(lists: RankedLists, sums: np.ndarray, gain: Gain) -> np.ndarray:
    """Return sums of gains per query, or raise where one is too large for a float."""
    is_finite = np.isfinite(sums)
    if is_finite.all():
        return sums
    query, full = int(np.argmin(is_finite)), lists.whole()
    raise QueryError(
        "The gains of query {query} add up to more than a float can hold: its highest "
        f"grade is {_highest(full, full.grade)[query]}, with gain={gain!r}. Make the "
        "grades smaller, choose another `gain`, or take nDCG, which is a ratio.",
        query,
    )


def relative_gains(lists: RankedLists, gain: Gain) -> np.ndarray:
    """Return the gain of each nonzero row, for ratios of sums within a query.

    Where the highest gain of a query is too large to add up or too small to multiply, all
    gains of the query are divided by a power of two, which changes no digit of a ratio. The
    power does not depend on other queries, and neither does the value of the query.
    """
    return _relative_gains(lists, gain)[0]


def _relative_gains(
    lists: RankedLists, gain: Gain
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Return the gains, and both powers of each query that they are divided by, if any."""
    # A function may not be hashable.
    key = "relative_gains", id(gain) if callable(gain) else gain
    if key not in lists._known:
        lists._known[key] = _find_relative_gains(lists, gain)
    return lists._known[key]


def _find_relative_gains(
    lists: RankedLists, gain: Gain
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    full = lists.whole()
    if full is lists:
        of_grade = _large_exponents(lists) if gain == "exponential" else None
        worth = gains(lists, gain)
        if of_grade is not None:
            worth = _scale_gains(lists, worth, of_grade)
        power = power_of_query(lists, worth)
    else:
        _, of_grade, power = _relative_gains(full, gain)
        worth = gains(lists, gain)
        if of_grade is not None:
            worth = _scale_gains(lists, worth, of_grade)
    if power is not None:
        with np.errstate(under="ignore"):
            worth = np.ldexp(worth, -power[lists.query])
    return worth, of_grade, power


def _large_exponents(lists: RankedLists) -> np.ndarray | None:
    """Return the highest grade of each query, 0 if its power is ordinary; None for all."""
    if lists.grade.max(initial=0) <= _LARGE_EXPONENT:
        return None
    highest = np.floor(_highest(lists, lists.grade))
    return np.where(highest > _LARGE_EXPONENT, highest, 0.0)


def _scale_gains(lists: RankedLists, worth: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Return gains, divided by two to the power of the exponent of the query."""
    of_row = exponent[lists.query]
    with np.errstate(under="ignore"):
        large = np.exp2(lists.grade - of_row) - np.exp2(-of_row)
    return np.where(of_row > 0, large, worth)


def _power_less_one(grade: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        worth = np.exp2(grade) - 1
    if grade.min(initial=1) < _SMALL_GRADE:
        is_small = grade < _SMALL_GRADE
        worth[is_small] = np.expm1(grade[is_small] * np.log(2))
    return worth


def _call_gain(gain: Callable, grade: np.ndarray) -> np.ndarray:
    # The places that no row fills are irrelevant: grade 0 must be worth nothing.
    grades = np.r_[0.0, grade]
    worth = as_numbers(gain(grades), "gain(grades)")
    result = f"shape {worth.shape} for {len(grades)} grades"
    if worth.shape == grades.shape:
        wrong = ~((worth >= 0) & (worth < np.inf))
        wrong[0] |= worth[0] != 0
        if not wrong.any():
            return worth[1:].astype(np.float64)
        index = int(np.argmax(wrong))
        result = f"{worth[index]} for grade {grades[index]}"
    raise ValueError(
        "`gain` must map an array of grades to as many finite gains of 0 or more, and "
        f"grade 0 to 0 (lists are filled up with irrelevant items), got {result}."
    )


def power_of_query(lists: RankedLists, worth: np.ndarray) -> np.ndarray | None:
    """Return the exponent of each query's highest worth, 0 if it needs no scaling.

    None if no query needs scaling: no worth is too large to add or too small to multiply.
    """
    if worth.min(initial=1) >= _LEAST and worth.max(initial=1) <= _MOST:
        return None
    highest = _highest(lists, worth)
    is_ordinary = (highest == 0) | ((highest >= _LEAST) & (highest <= _MOST))
    return np.where(is_ordinary, 0, np.frexp(highest)[1])


def _highest(lists: RankedLists, values: np.ndarray) -> np.ndarray:
    """Return the highest of the values of each query, 0 if it has none."""
    highest = np.zeros(len(lists.n_items))
    np.maximum.at(highest, lists.query, values)
    return highest


def discounts(discount: Discount, log_base: float, rank: np.ndarray) -> np.ndarray:
    """Return the discount of each rank."""
    last = int(rank.max(initial=1))
    if callable(discount):
        return _call_discount(discount, np.arange(1, last + 1))[rank - 1]
    factor_of, log_base = DISCOUNTS[discount], float(log_base)
    if last > _MOST_RANKS_PER_REQUEST * len(rank):
        return factor_of(rank, log_base)
    return factor_of(np.arange(1, last + 1), log_base)[rank - 1]


def relative_discounts(
    discount: Discount, log_base: float, rank: np.ndarray, other: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the discounts of the ranks of two sums, for their ratio.

    A function is evaluated once for both, as it may depend on the number of ranks. Its
    values may be divided by a power of two, as gains are.
    """
    if not callable(discount):
        return discounts(discount, log_base, rank), discounts(discount, log_base, other)
    last = max(rank.max(initial=1), other.max(initial=1))
    table = _call_discount(discount, np.arange(1, last + 1))
    if not _LEAST**0.25 <= table[0] <= _MOST**0.25:
        with np.errstate(under="ignore"):
            table = np.ldexp(table, -np.frexp(table[0])[1])
    return table[rank - 1], table[other - 1]


def _call_discount(discount: Callable, ranks: np.ndarray) -> np.ndarray:
    table = as_numbers(discount(ranks), "discount(ranks)")
    if table.shape != ranks.shape or not np.isfinite(table).all():
        raise ValueError(
            "`discount` must map an array of ranks (1, 2, ...) to as many finite "
            f"factors, got shape {table.shape} for {len(ranks)} ranks."
        )
    table = table.astype(np.float64)
    if table[0] <= 0 or table.min() < 0:
        index = int(np.argmax(table < 0)) if table[0] > 0 else 0
        raise ValueError(
            "`discount` must return factors of 0 or more, and more than 0 for rank 1, got "
            f"{table[index]} for rank {index + 1}."
        )
    rises = table[1:] > table[:-1] * (1 + _ROUNDING)
    if rises.any():
        rank = int(np.argmax(rises)) + 1
        raise ValueError(
            "`discount` must not increase with the rank, got "
            f"{table[rank - 1]} for rank {rank} and {table[rank]} for rank {rank + 1}. "
            "It returns the factor of a gain, not the divisor."
        )
    return table


def _log(rank: np.ndarray, log_base: float) -> np.ndarray:
    return np.log2(log_base) / np.log2(rank + 1)


def _jarvelin(rank: np.ndarray, log_base: float) -> np.ndarray:
    return 1 / np.maximum(1, np.log2(rank) / np.log2(log_base))


def _reciprocal(rank: np.ndarray, log_base: float) -> np.ndarray:
    return 1 / rank


DISCOUNTS = {"log": _log, "jarvelin": _jarvelin, "reciprocal": _reciprocal}


# Attention to ranks, for metrics of exposure.

Attention = Annotated[
    Literal["log", "jarvelin", "reciprocal", "geometric"]
    | Callable[[np.ndarray], np.ndarray],
    FunctionTrial(check_discount),
]


def attention(discount: Attention, persistence: float, rank: np.ndarray) -> np.ndarray:
    """Return the attention to each rank."""
    if discount == "geometric":
        with np.errstate(under="ignore"):
            return persistence ** (rank - 1.0)
    return discounts(discount, 2, rank)


def mean_attention(places: Places, discount: Attention, persistence: float) -> np.ndarray:
    """Return the attention to each row, the mean over the places of its tie group."""
    at_place = attention(discount, persistence, places.rank)
    if places.tied is None:
        return at_place
    total = np.bincount(places.block, at_place, len(places.size))
    return (total / places.size)[places.row_block]


# Metrics.


def cg(lists: RankedLists, k: Cutoff, gain: Gain) -> Any:
    """Return cumulative gain per query."""
    places = lists.places(k)
    with np.errstate(over="ignore"):
        value = lists.sum(places.query, places.share(gains(lists, gain)))
    return finite_sums(lists, value, gain)


@metric(cg, range=up_to("the sum of all gains"))
@explained
def cg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    gain: Gain = "linear",
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Cumulative gain (CG): the sum of gains over the first ``k`` ranks.

    Higher is better; the optimum depends on the grades. The order within the first ``k``
    ranks has no effect; see DCG.

    .. math:: CG@k = \sum_{i=1}^{k} \text{gain}(g_i)

    where the gain of the grade g is g by default, and :math:`2^g - 1` with
    ``gain="exponential"``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    gain : {"linear", "exponential", "binary"} or callable, default="linear"
        Gain of a grade g: g, or 2**g - 1, or 1 for any above 0, or a function that maps an
        array of grades to gains, and 0 to 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if gains add up to more than a float can hold.

    See Also
    --------
    dcg_score : The same with a discount for lower ranks.

    Notes
    -----
    A query without relevant items scores 0, because there is no denominator.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
       ACM Transactions on Information Systems 20(4), 2002.

    Examples
    --------
    >>> from sklearn_rank.metrics import cg_score
    >>> cg_score([0, 0, 1, 1, 1], [5, 4, 3, 2, 1], groups=["q"] * 5)
    3.0
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "gain": gain}
    return mean_score(cg_score, rows, own, ties, replace_undefined_by)


def dcg(
    lists: RankedLists, k: Cutoff, gain: Gain, discount: Discount, log_base: LogBase
) -> Any:
    """Return discounted cumulative gain per query."""
    places = lists.places(k)
    factor = discounts(discount, log_base, places.rank)
    with np.errstate(over="ignore", invalid="ignore"):
        value = lists.sum(places.query, places.share(gains(lists, gain)) * factor)
    return finite_sums(lists, value, gain)


@metric(dcg, range=up_to("the value of the ideal order"))
@explained
def dcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    gain: Gain = "linear",
    discount: Discount = "log",
    log_base: LogBase = 2,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Discounted cumulative gain (DCG): gains, divided by a function of the rank.

    Higher is better; the optimum depends on the grades, see :func:`ndcg_score`. On 2-D
    input it equals :func:`sklearn.metrics.dcg_score`.

    .. math:: DCG@k = \sum_{i=1}^{k} \text{gain}(g_i) \cdot \text{discount}(i)
              = \sum_{i=1}^{k} \frac{g_i}{\log_2(i + 1)}

    by default; with ``gain="exponential"`` the numerator is :math:`2^{g_i} - 1`.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    gain : {"linear", "exponential", "binary"} or callable, default="linear"
        Gain of a grade g: g, or 2**g - 1, or 1 for any above 0, or a function that maps an
        array of grades to gains, and 0 to 0.
    discount : {"log", "jarvelin", "reciprocal"} or callable, default="log"
        Factor of rank i: 1 / log_b(i + 1); or 1 / max(1, log_b(i)), which leaves ranks 1 to
        b undiscounted; or 1 / i; or a function that maps an array of ranks to factors of 0
        or more that do not increase.
    log_base : float, default=2
        Base b of the logarithm in ``discount``, greater than 1.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if gains add up to more than a float can hold.

    See Also
    --------
    ndcg_score : DCG divided by its best value.
    cg_score : The same without discount.

    Notes
    -----
    A query without relevant items scores 0, because there is no denominator.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
       ACM Transactions on Information Systems 20(4), 2002.
    .. [2] C. Burges et al., "Learning to rank using gradient descent", ICML 2005 (the
       exponential gain).

    Examples
    --------
    >>> from sklearn_rank.metrics import dcg_score
    >>> score = dcg_score([3, 2, 3, 0, 1, 2], [6, 5, 4, 3, 2, 1], groups=["q"] * 6, k=2)
    >>> round(score, 5)  # 3 + 2 / log2(3)
    4.26186
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "gain": gain, "discount": discount, "log_base": log_base}
    return mean_score(dcg_score, rows, own, ties, replace_undefined_by)


def ndcg(
    lists: RankedLists,
    k: Cutoff,
    gain: Gain,
    ideal: Ideal,
    discount: Discount,
    log_base: LogBase,
) -> Any:
    """Return normalized discounted cumulative gain per query."""
    worth, places = relative_gains(lists, gain), lists.places(k)
    full = lists.whole()
    of_best = relative_gains(full, gain)
    query, best, rank = full.ideal_list(of_best, None if ideal == "all" else k)
    if ideal == "relevant" or ideal == "all":
        of_found, of_ideal = relative_discounts(discount, log_base, places.rank, rank)
        highest = lists.sum(query, best * of_ideal)
    else:
        if ideal == "k":
            if k is None:
                raise ValueError(
                    "`ideal` is 'k', but `k` is None: there is no number of ranks to fill. "
                    "Give a cutoff, such as 'ndcg(ideal=\"k\")@10'."
                )
            query, best, rank = _fill_ranks(query, best, rank, k)
        elif ideal == "list":
            within = rank <= lists.n_retrieved[query]
            query, best, rank = query[within], best[within], rank[within]
        else:
            query, best, rank = _retrieved_in_order(lists, places, worth)
        of_found, of_ideal = relative_discounts(discount, log_base, places.rank, rank)
        highest = lists.sum(query, best * of_ideal)
        # A list without a hit is worth 0, and its own best order may be, too.
        worthless = (highest == 0) & (full.sum(full.query, of_best) > 0)
        highest[worthless] = 1
    total = lists.sum(places.query, places.share(worth) * of_found)
    # The mean gain of tied rows is rounded, and may be above each of them.
    return np.minimum(divide(total, highest), 1)


def _fill_ranks(
    query: np.ndarray, best: np.ndarray, rank: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an ideal list filled up to k ranks with its highest gain."""
    ends = np.flatnonzero(np.diff(query, append=-1))
    missing = k - rank[ends]
    highest = best[ends - rank[ends] + 1].repeat(missing)
    filled = np.r_[query, query[ends].repeat(missing)], np.r_[best, highest]
    ranks = np.r_[rank, ranges(rank[ends] + 1, missing)]
    order = np.argsort(filled[0], kind="stable")
    return filled[0][order], filled[1][order], ranks[order]


def _retrieved_in_order(
    lists: RankedLists, places: Places, worth: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return query, gain and rank of the items of the first ranks, in the best order."""
    query, values = places.block_query, places.mean(worth)
    if places.tied is not None:
        values, top = worth[places.rows], places.top
        lowest = np.minimum.reduceat(values, top) * (places.n_hits == places.size)
        is_mixed = np.maximum.reduceat(values, top) > lowest
        is_mixed &= places.length < places.size
        if is_mixed.any():
            raise QueryError(
                "Tied rows of different grades lie across rank k of query {query}, so "
                "ideal='retrieved' has a different best list in each order. Choose "
                "ties='first', 'best' or 'worst', or another `ideal`.",
                int(query[np.argmax(is_mixed)]),
            )
        within = ranges(0, places.n_hits) < places.length[places.row_block]
        query, values = lists.query[places.rows][within], values[within]
    order = np.lexsort((-values, query))
    counts = np.bincount(query, minlength=lists.n_queries)
    return query, values[order], ranges(1, counts)


def _ndcg_improves_by(ideal: str) -> str:
    # One more hit may make the best order of what was retrieved worth much more.
    return "none" if ideal == "retrieved" else "any"


@metric(ndcg, improves_by=_ndcg_improves_by, range=ZERO_TO_ONE)
@explained
def ndcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    gain: Gain = "linear",
    ideal: Ideal = "relevant",
    discount: Discount = "log",
    log_base: LogBase = 2,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Normalized discounted cumulative gain (nDCG): DCG divided by its best value.

    Higher is better; 1 means that the items are in order of their grades. On 2-D input
    without undefined rows it equals :func:`sklearn.metrics.ndcg_score`.

    .. math:: nDCG@k = \frac{DCG@k}{IDCG@k}

    where :math:`DCG@k = \sum_{i=1}^{k} g_i / \log_2(i + 1)` by default, with
    :math:`2^{g_i} - 1` instead of :math:`g_i` for ``gain="exponential"``, and IDCG@k is the
    DCG of the best order of all relevant items of the query, retrieved or not, cut at
    ``k``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    gain : {"linear", "exponential", "binary"} or callable, default="linear"
        Gain of a grade g: g, or 2**g - 1, or 1 for any above 0, or a function that maps an
        array of grades to gains, and 0 to 0.
    ideal : {"relevant", "list", "retrieved", "k", "all"}, default="relevant"
        What the best list holds, with R relevant items and n retrieved ones: the best
        min(R, k); the best min(R, k, n); those among the first ``k``; ``k`` items, filled
        up with the highest grade of the query; or all R, below rank ``k``, too.
    discount : {"log", "jarvelin", "reciprocal"} or callable, default="log"
        Factor of rank i: 1 / log_b(i + 1); or 1 / max(1, log_b(i)), which leaves ranks 1 to
        b undiscounted; or 1 / i; or a function that maps an array of ranks to factors of 0
        or more that do not increase.
    log_base : float, default=2
        Base b of the logarithm in ``discount``, greater than 1.
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
        For bad input, see :ref:`errors`; and if ``ideal="k"`` has no cutoff, or if tied
        rows of different grades lie across rank ``k`` with ``ideal="retrieved"`` and
        ``ties="average"``.

    See Also
    --------
    dcg_score : The numerator, with gain and discount explained.

    Notes
    -----
    Undefined (NaN) for a query without relevant items, for which scikit-learn and
    trec_eval count 0, LightGBM and XGBoost 1. Lists shorter than ``k`` are filled up with
    irrelevant items. The base of the logarithm cancels out with ``discount="log"``, and
    so does the size of the gains: exponential gains of any grade have a finite ratio.

    Other libraries divide by other lists. ``ideal="list"`` (MLflow) and ``"retrieved"`` do
    not see what a short list misses, and are at least as high as the default; without a
    hit they are 0. ``"k"`` (RecTools) and ``"all"`` (Haystack) may not reach 1.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
       ACM Transactions on Information Systems 20(4), 2002.
    .. [2] F. McSherry, M. Najork, "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import ndcg_score
    >>> score = ndcg_score([3, 2, 3, 0, 1, 2], [6, 5, 4, 3, 2, 1], groups=["q"] * 6, k=3)
    >>> round(score, 6)
    0.977781
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "gain": gain, "ideal": ideal, "discount": discount, "log_base": log_base}
    return mean_score(ndcg_score, rows, own, ties, replace_undefined_by)
