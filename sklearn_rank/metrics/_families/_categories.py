"""Categories of shown items: how many, and how evenly."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._known_items import CATEGORIES, KnownItems
from sklearn_rank.metrics._core._parameters import Cutoff, Integer, Real, ShownTies
from sklearn_rank.metrics._core._range import Range
from sklearn_rank.metrics._families._category_shares import (
    blocks_of_queries,
    chance_of_categories,
    normalized,
    shares_of_shown,
    sums_of_shares,
)
from sklearn_rank.typing import ArrayLike, CategoriesOfItems, Labels, Matrix, Undefined

__all__ = [
    "category_coverage_at_k_score",
    "category_entropy_at_k_score",
]


RankWeight = Annotated[
    float | None, Real("a number between 0 and 1, or None", above=0, below=1, or_none=True)
]
NumberOfCategories = Annotated[int | None, Integer(none="all categories given")]


def category_entropy(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff, rank_weight: RankWeight
) -> Any:
    """Return the entropy of the categories of the first k ranks, per query."""
    weights, shares = shares_of_shown(lists, catalogue, k, rank_weight)
    entropy = np.full(lists.n_queries, np.nan)
    for some in blocks_of_queries(lists, shares):
        share, has_some = normalized(sums_of_shares(weights[some], shares))
        bits = np.log2(share, out=np.zeros_like(share), where=share > 0)
        of_block = -(share * bits).sum(axis=1)
        # 0.0, not -0.0, for a single category.
        entropy[some] = np.where(has_some, np.abs(of_block), np.nan)
    return entropy


@metric(
    category_entropy,
    rows="shown",
    parts=(CATEGORIES,),
    range=Range(0.0, np.inf, "log2 of the number of categories"),
)
def category_entropy_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    categories: CategoriesOfItems,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    rank_weight: RankWeight = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Category entropy at ``k``: how evenly a list is spread over categories, in bits.

    Higher is better, as it is more diverse; 0 means that all shown items have one category,
    and log2 of the number of categories that all have equal shares. An item of several
    categories shares its weight among them. With p(c) the share of category c in the first
    ``k`` ranks,

    .. math:: -\sum_c p(c) \log_2 p(c)

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    categories : mapping, Series or {array-like, sparse matrix}
        Category of each item or a list of several: by id, or one for each column in 2-D,
        for each row in 1-D; or a matrix of weights, a row per item.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. None: values of items are given for
        each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    rank_weight : float, default=None
        Weight of a rank relative to the one before, between 0 and 1. None: equal weights.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order. No order is best,
        because relevance has no effect.
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
        For bad input, see :ref:`errors`; and if no item has a category.

    See Also
    --------
    category_coverage_at_k_score : How many categories a list has.
    calibration_at_k_score : Whether they are those of the user.

    Notes
    -----
    Undefined (NaN) for a query without a shown item that has a category. Items without a
    category do not count. If rows tie across rank ``k``, it is the entropy of the expected
    shares.

    References
    ----------
    .. [1] M. D. Ekstrand, "LensKit for Python", CIKM 2020, metrics ``Entropy`` and
       ``RankBiasedEntropy``.

    Examples
    --------
    >>> from sklearn_rank.metrics import category_entropy_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> categories = {"tea": "drinks", "jam": "spreads", "oat": ["cereals", "drinks"]}
    >>> category_entropy_at_k_score(**rows, items=items, categories=categories, k=1)
    0.0
    """


def category_coverage(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff, n_categories: NumberOfCategories
) -> Any:
    """Return the share of categories on the first k ranks, per query."""
    shares = catalogue.catalogue.categories
    found = np.zeros(lists.n_queries)
    for some, chance in chance_of_categories(lists, catalogue, k):
        found[some] = chance.sum(axis=1)
    found /= shares.shape[1] if n_categories is None else n_categories
    return np.where(lists.n_shown(k) > 0, found, np.nan)


@metric(category_coverage, rows="shown", parts=(CATEGORIES,))
def category_coverage_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    categories: CategoriesOfItems,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    n_categories: NumberOfCategories = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Category coverage at ``k``: the share of all categories that a list has.

    Higher is better, as it is more diverse; 1 means that the shown items have all
    categories. With C categories in the catalogue,

    .. math:: \frac{1}{C} \left|\bigcup_{i=1}^{n} \text{categories of item } i\right|

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    categories : mapping, Series or {array-like, sparse matrix}
        Category of each item or a list of several: by id, or one for each column in 2-D,
        for each row in 1-D; or a matrix of weights, a row per item.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. None: values of items are given for
        each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    n_categories : int, default=None
        Number C to divide by. None: the number of all categories.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order. No order is best,
        because relevance has no effect.
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
        For bad input, see :ref:`errors`; and if no item has a category.

    See Also
    --------
    category_entropy_at_k_score : How evenly a list has its categories.
    intra_list_distance_at_k_score : How different its items are.

    Notes
    -----
    Undefined (NaN) for a query without shown items. If rows tie, it is the exact mean over
    all orders.

    References
    ----------
    .. [1] C. Zhai, W. W. Cohen, J. Lafferty, "Beyond Independent Relevance: Methods and
       Evaluation Metrics for Subtopic Retrieval", SIGIR 2003.

    Examples
    --------
    >>> from sklearn_rank.metrics import category_coverage_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> categories = {"tea": "drinks", "jam": "spreads", "oat": ["cereals", "drinks"]}
    >>> category_coverage_at_k_score(**rows, items=items, categories=categories, k=1)
    0.3333333333333333
    """
