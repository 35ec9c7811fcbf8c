"""Concentration: how unevenly the lists of all users show the items of the catalogue."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._keywords import ItemsAtK
from sklearn_rank.metrics._core._parameters import (
    ZERO_TO_ONE,
    Cutoff,
    Range,
    Share,
)
from sklearn_rank.metrics._core._summaries import ItemCounts
from sklearn_rank.metrics._families._cumulative_gain import Attention, mean_attention
from sklearn_rank.metrics._families._shown_items import (
    CatalogueSize,
    catalogue_metric,
    chances_to_be_shown,
    item_amounts,
    size_of_catalogue,
)
from sklearn_rank.typing import Matrix

__all__ = ["entropy_at_k_score", "exposure_gini_at_k_score", "gini_at_k_score"]


def gini(counts: ItemCounts, n_items: CatalogueSize) -> float:
    """Return the Gini index of the amounts of items; items never shown have 0."""
    return _gini(counts, n_items, "gini")


def exposure_gini(counts: ItemCounts, n_items: CatalogueSize) -> float:
    """Return the Gini index of sums of attention."""
    return _gini(counts, n_items, "exposure_gini")


def _gini(counts: ItemCounts, n_items: CatalogueSize, name: str) -> float:
    n = size_of_catalogue(n_items, len(counts.items), name)
    total = counts.amounts.sum()
    if total == 0:
        return np.nan
    place = np.arange(n - len(counts.amounts), n) + 1
    return ((2 * place - n - 1) * np.sort(counts.amounts)).sum() / (n * total)


def entropy(counts: ItemCounts, n_items: CatalogueSize, normalize: bool) -> float:
    """Return the entropy of the shares of items, in bits or over that of equal shares."""
    total = counts.amounts.sum()
    if total == 0:
        return np.nan
    shares = counts.amounts[counts.amounts > 0] / total
    bits = -(shares * np.log2(shares)).sum() + 0.0
    if not normalize:
        return bits
    n = size_of_catalogue(n_items, len(counts.items), "entropy")
    return bits / np.log2(n) if n > 1 else np.nan


def exposure(lists: RankedLists, k: Cutoff, discount: Attention, persistence: Share) -> Any:
    """Return the expected attention to each item of a list."""
    places = lists.every_place(k)
    amount = mean_attention(places, discount, persistence)[places.row_block]
    return item_amounts(lists, places.rows, amount)


@catalogue_metric(chances_to_be_shown, summary=ItemCounts(gini), lower_is_better=True)
def gini_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    n_items: int | None = None,
    **common: Unpack[ItemsAtK],
) -> float:
    r"""Gini index at ``k``: how unevenly lists show the items of the catalogue.

    Lower is better; 0 means that all items of the catalogue are shown equally often, and a
    value near 1 that all users see the same few. It is one number of all lists together:

    .. math:: G@k = \frac{\sum_{j=1}^{N} (2j - N - 1) x_{(j)}}{N \sum_j x_j}

    where :math:`x_{(1)} \le x_{(2)} \le \ldots` are how often the N items are on the first
    ``k`` ranks, 0 for those that no list shows.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one a column. None: the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    n_items : int, default=None
        Number of items in the catalogue, shown or not. In 2-D, None is the number of
        columns.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``n_items`` is missing or less than what is
        shown.

    See Also
    --------
    exposure_gini_at_k_score : The same with more weight on the first ranks.
    entropy_at_k_score : Another view of it, in bits.

    Notes
    -----
    Undefined (NaN) if no list shows an item. Under ties it is the Gini index of how often
    each item is *expected* to be shown, which is not the mean over all orders [2]_; without
    ties both are the same. Some libraries divide by N - 1 instead of N, return 1 minus it,
    or leave out the items that no list shows.

    References
    ----------
    .. [1] G. Adomavicius, Y. Kwon, "Improving aggregate recommendation diversity using
       ranking-based techniques", IEEE Transactions on Knowledge and Data Engineering 24(5),
       2012.
    .. [2] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import gini_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"]}
    >>> rows = from_item_lists({"ann": ["tea"], "bob": []}, shown, return_items=True)
    >>> gini_at_k_score(**rows, k=2, n_items=4)
    0.375
    """


@catalogue_metric(exposure, summary=ItemCounts(exposure_gini), lower_is_better=True)
def exposure_gini_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    discount: Attention = "log",
    persistence: Share = 0.85,
    n_items: int | None = None,
    **common: Unpack[ItemsAtK],
) -> float:
    r"""Exposure Gini at ``k``: how unevenly the attention of users falls on the items.

    Lower is better; 0 means that all items of the catalogue get the same attention, and a
    value near 1 that few items get all of it. It is one number of all lists together:

    .. math:: \frac{\sum_{j=1}^{N} (2j - N - 1) x_{(j)}}{N \sum_j x_j}, \quad
              x_i = \sum_{u} [r_{ui} \le k] \, d(r_{ui})

    where r_ui is the rank of item i in the list of user u, d the ``discount``, and the N
    sums x, 0 for items that no list shows, are in ascending order.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one a column. None: the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    discount : str or callable, default="log"
        Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, log_2(i));
        "reciprocal", 1 / i; "geometric", ``persistence`` to the power of i - 1; or a
        function that maps an array of ranks to factors of 0 or more that do not increase.
    persistence : float, default=0.85
        Probability of going on to the next item, with ``discount="geometric"``.
    n_items : int, default=None
        Number of items in the catalogue, shown or not. In 2-D, None is the number of
        columns.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``n_items`` is missing or less than what is
        shown.

    See Also
    --------
    gini_at_k_score : The same with each rank alike.

    Notes
    -----
    Undefined (NaN) if no list shows an item. Under ties it is the Gini index of the
    *expected* exposure of each item [1]_, which is not the mean over all orders; without
    ties both are the same.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import exposure_gini_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"]}
    >>> rows = from_item_lists({"ann": ["tea"], "bob": []}, shown, return_items=True)
    >>> exposure_gini_at_k_score(**rows, k=2, discount="reciprocal", n_items=4)
    0.5
    """


def _range_of_entropy(normalize: bool) -> Range:
    return ZERO_TO_ONE if normalize else Range(0.0, np.inf, "log2 of the number of items")


@catalogue_metric(chances_to_be_shown, summary=ItemCounts(entropy), range=_range_of_entropy)
def entropy_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    normalize: bool = False,
    n_items: int | None = None,
    **common: Unpack[ItemsAtK],
) -> float:
    r"""Entropy at ``k``: how evenly lists show the items, in bits.

    Higher is better; 0 means that lists show a single item, and b bits that they are as
    even as if they showed :math:`2^b` items equally often. It is one number of all lists
    together:

    .. math:: H@k = - \sum_i p_i \log_2 p_i, \quad p_i = \frac{x_i}{\sum_j x_j}

    where :math:`x_i` is how often item i is on the first ``k`` ranks.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one a column. None: the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    normalize : bool, default=False
        Divide by the logarithm of ``n_items``, so that the highest value is 1.
    n_items : int, default=None
        Number of items in the catalogue, shown or not. In 2-D, None is the number of
        columns.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``normalize`` is True and ``n_items`` is
        missing or less than what is shown.

    See Also
    --------
    gini_at_k_score : Another view of it, which counts items that no list shows.

    Notes
    -----
    Undefined (NaN) if no list shows an item, or if normalized in a catalogue of one item.
    Under ties it is the entropy of how often each item is *expected* to be shown [2]_,
    which is not the mean over all orders; without ties both are the same.

    References
    ----------
    .. [1] G. Shani, A. Gunawardana, "Evaluating recommendation systems", Recommender
       Systems Handbook, 2011.
    .. [2] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import entropy_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"]}
    >>> rows = from_item_lists({"ann": ["tea"], "bob": []}, shown, return_items=True)
    >>> entropy_at_k_score(**rows, k=2)
    1.5
    >>> entropy_at_k_score(**rows, k=2, normalize=True, n_items=8)
    0.5
    """
