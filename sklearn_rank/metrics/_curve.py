"""Precision and recall at every cutoff, averaged over queries."""

import numpy as np

from sklearn_rank._ranked_lists import RankedLists, rank_lists
from sklearn_rank._validation import check_integer, check_parameters
from sklearn_rank.metrics._average import fill_value, warn_of_undefined
from sklearn_rank.metrics._worth import hit

__all__ = ["precision_recall_at_k_curve"]

# Cutoffs of a curve that may go on below the end of every list.
_MOST_CUTOFFS = 1_000_000


def precision_recall_at_k_curve(
    y_true,
    y_score,
    *,
    groups=None,
    max_k=None,
    min_relevance=None,
    ties="average",
    sample_weight=None,
    replace_undefined_by="warn",
):
    """Precision and recall at k = 1, ..., ``max_k``, averaged over queries.

    The curve of a list that grows item by item. Higher is better; the area under it is
    ``sklearn.metrics.auc(recall, precision)``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    max_k : int, default=None
        Largest cutoff. None: the length of the longest list. Below its end the precision
        falls as 1 / k and the recall stays; there ``max_k`` is 1,000,000 at most.
    min_relevance : float, default=None
        Lowest grade that is relevant. None: any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        What ties count for: mean over all orders, lowest or highest grades first, as given.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value a row, alike within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    precision : ndarray of shape (max_k,)
        Mean of precision at each k.
    recall : ndarray of shape (max_k,)
        Mean of recall at each k, not decreasing.
    k : ndarray of shape (max_k,)
        The cutoffs 1, 2, ..., ``max_k``.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``max_k`` is above 1,000,000 and below the
        end of the longest list.

    See Also
    --------
    precision_at_k_score : One point of the curve.
    sklearn.metrics.precision_recall_curve : One list, at each threshold of the score.

    Examples
    --------
    >>> from sklearn_rank.metrics import precision_recall_at_k_curve
    >>> precision, recall, k = precision_recall_at_k_curve(
    ...     [0, 1, 0, 1], [4, 3, 2, 1], groups=["q"] * 4
    ... )
    >>> precision.round(2).tolist(), recall.tolist(), k.tolist()
    ([0.0, 0.5, 0.33, 0.5], [0.0, 0.5, 0.5, 1.0], [1, 2, 3, 4])
    """
    max_k = check_integer("max_k", max_k, none="the longest list")
    min_relevance = check_parameters({"min_relevance": min_relevance})["min_relevance"]
    fill = fill_value(replace_undefined_by)
    lists = rank_lists(
        y_true,
        y_score,
        groups,
        ties=ties,
        sample_weight=sample_weight,
        judged_for="the curve",
    )
    n_cutoffs = _number_of_cutoffs(max_k, max(int(lists.n_retrieved.max()), 1))
    n_relevant = lists.n_relevant(min_relevance)
    weight = _weight_per_query(lists)
    is_defined = n_relevant > 0
    undefined_weight = weight[~is_defined].sum()
    n_undefined = int((~is_defined & (weight > 0)).sum())
    weight[~is_defined] = 0
    total = weight.sum()
    found = _hits_at_rank(lists, weight, n_cutoffs, min_relevance)
    shares = weight / np.maximum(n_relevant, 1)
    recalled = _hits_at_rank(lists, shares, n_cutoffs, min_relevance)
    k = np.arange(1, n_cutoffs + 1)
    filled = 0.0
    if n_undefined and np.isnan(fill):
        undefined = {"precision and recall": n_undefined}
        warn_of_undefined(undefined, len(weight), replace_undefined_by, stacklevel=3)
    elif n_undefined:
        total, filled = total + undefined_weight, undefined_weight * fill
    if total == 0:
        return np.full(n_cutoffs, np.nan), np.full(n_cutoffs, np.nan), k
    precision = (np.cumsum(found) / k + filled) / total
    return precision, (np.cumsum(recalled) + filled) / total, k


def _number_of_cutoffs(max_k: int | None, longest: int) -> int:
    if max_k is None:
        return longest
    if max_k > max(longest, _MOST_CUTOFFS):
        raise ValueError(
            f"`max_k` is {max_k}, but the longest list has {longest} rows; below its end "
            "precision falls as 1 / k and recall stays. Leave `max_k` out to end there, or "
            f"give {_MOST_CUTOFFS} at most."
        )
    return int(max_k)


def _weight_per_query(lists: RankedLists) -> np.ndarray:
    """Return the weight of each query, in the order of the record."""
    weight = np.ones(len(lists.n_items))
    if lists.weight is not None:
        order = slice(None) if lists.label_order is None else lists.label_order
        weight[order] = lists.weight
    return weight


def _hits_at_rank(
    lists: RankedLists, weight: np.ndarray, n_cutoffs: int, min_relevance: float | None
) -> np.ndarray:
    """Return the weighted number of queries with a hit at each rank."""
    places = lists.places(n_cutoffs, min_relevance)
    return np.bincount(places.rank - 1, hit(places) * weight[places.query], n_cutoffs)
