"""Categories of shown items: how many, how evenly, and as in the history of the user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._runs import LIST_CELLS, ranges
from sklearn_rank._base._validation import Integer, Real
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._evaluate import mean_score
from sklearn_rank.metrics._core._known_items import CATEGORIES, HISTORY, KnownItems
from sklearn_rank.metrics._core._parameters import (
    ZERO_OR_MORE,
    ZERO_TO_ONE,
    Cutoff,
    Share,
    ShownTies,
    up_to,
)
from sklearn_rank.metrics._families._shown_items import (
    histories_of,
    items_of_queries,
    shown_metric,
    shown_rows,
)
from sklearn_rank.typing import (
    ArrayLike,
    CategoriesOfItems,
    ItemsOfUsers,
    Labels,
    Matrix,
    Undefined,
)

if TYPE_CHECKING:
    from scipy import sparse

__all__ = [
    "calibration_at_k_score",
    "category_coverage_at_k_score",
    "category_entropy_at_k_score",
]


def shares_of_shown(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff, rank_weight: float | None
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the weights of shown items, queries × items, and items × categories.

    Rank r has the weight rank_weight ** (r - 1), or 1. Tied rows have the mean weight of
    their ranks.
    """
    shares = _append_unknown_item(catalogue.catalogue.categories)
    rows, weight = shown_rows(lists, k)
    if rank_weight is not None:
        places = lists.every_place(k)
        of_place = float(rank_weight) ** (places.rank - 1.0)
        of_block = np.bincount(places.block, of_place, len(places.block_query))
        weight = (of_block / places.size)[places.row_block]
    items, n_items = catalogue.items(lists), shares.shape[0]
    return items_of_queries(lists, rows, items, n_items, weight), shares


def _append_unknown_item(shares: sparse.csr_array) -> sparse.csr_array:
    """Return the shares with a last row of zeros, for unknown items."""
    from scipy import sparse

    return sparse.vstack([shares, sparse.csr_array((1, shares.shape[1]))]).tocsr()


def multiply_exactly(weights: sparse.csr_array, shares: sparse.csr_array) -> np.ndarray:
    """Return the product of both; each sum is rounded once, so its order has no effect."""
    n_queries, n_categories = weights.shape[0], shares.shape[1]
    query = np.repeat(np.arange(n_queries), np.diff(weights.indptr))
    sizes = np.diff(shares.indptr)[weights.indices]
    entries = ranges(shares.indptr[weights.indices], sizes)
    cells = query.repeat(sizes) * n_categories + shares.indices[entries]
    amounts = weights.data.repeat(sizes) * shares.data[entries]
    sums = sums_within(cells, amounts, n_queries * n_categories)
    return sums.reshape(n_queries, n_categories)


def cut_queries(lists: RankedLists, shares: sparse.csr_array) -> Iterator[slice]:
    """Yield slices of queries whose table of queries × categories fits in a chunk."""
    step = max(LIST_CELLS // max(shares.shape[1], 1), 1)
    for first in range(0, lists.n_queries, step):
        yield slice(first, min(first + step, lists.n_queries))


def normalize_rows(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows scaled to the sum 1, and whether their sum was positive."""
    total = weight.sum(axis=1, keepdims=True)
    return np.divide(weight, total, out=weight * 0, where=total > 0), total[:, 0] > 0


def chance_of_categories(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield queries, and the chance of each category to be on their first k ranks.

    If m of t tied rows are shown and h of the t have a category, the chance that no shown
    row has it is C(t - h, m) / C(t, m).
    """
    shares = _append_unknown_item(catalogue.catalogue.categories)
    has = (shares > 0).astype(float)
    places = lists.every_place(k)
    cut = places.length < places.size
    is_cut = cut[places.row_block]
    size, shown = np.zeros((2, lists.n_queries), dtype=np.intp)
    size[places.block_query[cut]] = places.size[cut]
    shown[places.block_query[cut]] = places.length[cut]
    items = catalogue.items(lists)
    uncut, part = (
        items_of_queries(lists, places.rows[chosen], items, shares.shape[0])
        for chosen in (~is_cut, is_cut)
    )
    for queries in cut_queries(lists, shares):
        surely = (uncut[queries] @ has).toarray() > 0
        tied = (part[queries] @ has).toarray()
        missed = _chance_of_no_row(tied, size[queries], shown[queries])
        yield queries, np.where(surely, 1.0, 1 - missed)


def _chance_of_no_row(n_with: np.ndarray, size: np.ndarray, shown: np.ndarray) -> Any:
    """Return the chance that no shown row has the category."""
    missed = np.ones_like(n_with)
    for step in range(int(shown.max(initial=0))):
        drawn = step < shown
        left = np.maximum(size - step, 1)[:, np.newaxis]
        factor = np.maximum(left - n_with, 0) / left
        missed = np.where(drawn[:, np.newaxis], missed * factor, missed)
    return missed


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
    for queries in cut_queries(lists, shares):
        share, has_some = normalize_rows(multiply_exactly(weights[queries], shares))
        bits = np.log2(share, out=np.zeros_like(share), where=share > 0)
        # Logarithms of shares are 0 or less. abs gives 0.0, not -0.0, for one category.
        entropy[queries] = np.where(has_some, np.abs((share * bits).sum(axis=1)), np.nan)
    return entropy


@shown_metric(
    category_entropy, parts=(CATEGORIES,), range=up_to("log2 of the number of categories")
)
@explained
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
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    rank_weight : float, default=None
        Weight of a rank relative to the one before, between 0 and 1. If None, equal
        weights.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"categories": categories, "items": items, "k": k, "rank_weight": rank_weight}
    return mean_score(category_entropy_at_k_score, rows, own, ties, replace_undefined_by)


def category_coverage(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff, n_categories: NumberOfCategories
) -> Any:
    """Return the share of categories on the first k ranks, per query."""
    shares = catalogue.catalogue.categories
    coverage = np.zeros(lists.n_queries)
    for queries, chance in chance_of_categories(lists, catalogue, k):
        coverage[queries] = chance.sum(axis=1)
    coverage /= shares.shape[1] if n_categories is None else n_categories
    return np.where(lists.n_shown(k) > 0, coverage, np.nan)


@shown_metric(category_coverage, parts=(CATEGORIES,), range=ZERO_TO_ONE)
@explained
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
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    n_categories : int, default=None
        Number C to divide by. If None, the number of all categories.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"categories": categories, "items": items, "k": k, "n_categories": n_categories}
    return mean_score(category_coverage_at_k_score, rows, own, ties, replace_undefined_by)


Divergence = Literal["kl", "jensen_shannon", "hellinger"]


def calibration(
    lists: RankedLists,
    catalogue: KnownItems,
    k: Cutoff,
    divergence: Divergence,
    alpha: Share,
) -> Any:
    """Return the divergence of the first k ranks from the history, per query."""
    weights, shares = shares_of_shown(lists, catalogue, k, None)
    users, history = catalogue.users(lists), catalogue.catalogue.history
    values = np.full(lists.n_queries, np.nan)
    for queries in cut_queries(lists, shares):
        had = histories_of(history, users[queries])
        p, has_past = normalize_rows(multiply_exactly(had, shares))
        q, has_list = normalize_rows(multiply_exactly(weights[queries], shares))
        distance = _divergences(p, q, divergence, alpha)
        values[queries] = np.where(has_past & has_list, distance, np.nan)
    return values


def _divergences(
    p: np.ndarray, q: np.ndarray, divergence: Divergence, alpha: float
) -> np.ndarray:
    if divergence == "hellinger":
        return np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=1) / 2)
    if divergence == "jensen_shannon":
        middle = (p + q) / 2
        return (_relative_entropy(p, middle) + _relative_entropy(q, middle)) / 2
    return _relative_entropy(p, (1 - alpha) * q + alpha * p)


def _relative_entropy(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the sum of p ln(p / q); rounding may make it negative, which becomes 0."""
    ratio = np.divide(p, q, out=np.ones_like(p), where=p > 0)
    return np.maximum((p * np.log(ratio)).sum(axis=1), 0)


@shown_metric(
    calibration, parts=(CATEGORIES, HISTORY), lower_is_better=True, range=ZERO_OR_MORE
)
@explained
def calibration_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    categories: CategoriesOfItems,
    history: ItemsOfUsers,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    divergence: Divergence = "kl",
    alpha: Share = 0.01,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Calibration at ``k``: how far the categories of a list are from the user's own.

    Lower is better; 0 means that a user who had 70 drinks and 30 spreads is shown items in
    the same proportion. With p(c) the share of category c in the history of the user and
    q(c) its share in the first ``k`` ranks,

    .. math:: KL(p \| \tilde q) = \sum_c p(c) \ln \frac{p(c)}{\tilde q(c)},
              \qquad \tilde q(c) = (1 - \alpha) q(c) + \alpha p(c)

    An item of several categories shares its weight among them.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    categories : mapping, Series or {array-like, sparse matrix}
        Category of each item or a list of several: by id, or one for each column in 2-D,
        for each row in 1-D; or a matrix of weights, a row per item.
    history : mapping or {array-like, sparse matrix} of shape (n_queries, n_items)
        Items of each user in the training data: a mapping of each user to ids or, in 2-D, a
        matrix whose nonzero entries count.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    divergence : {"kl", "jensen_shannon", "hellinger"}, default="kl"
        The Kullback-Leibler divergence above; the Jensen-Shannon divergence of p and q, at
        most ln 2; or the Hellinger distance, at most 1.
    alpha : float, default=0.01
        Share of p that is mixed into q for "kl", between 0 and 1. Without it the divergence
        would be infinite for a missing category.
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
    category_entropy_at_k_score : How even categories are, whatever users had.
    popularity_lift_at_k_score : The same question for popularity.

    Notes
    -----
    Undefined (NaN) for a user whose history has no category, and if no item with a category
    is shown. If rows tie across rank ``k``, q is the expected share. The first two
    divergences are in nats.

    References
    ----------
    .. [1] H. Steck, "Calibrated Recommendations", RecSys 2018.

    Examples
    --------
    >>> from sklearn_rank.metrics import calibration_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> categories = {"tea": "drinks", "jam": "spreads", "oat": "drinks"}
    >>> history = {"ann": ["tea", "jam"], "bob": ["oat"]}
    >>> calibration_at_k_score(
    ...     **rows, items=items, categories=categories, history=history, k=2
    ... )
    0.0
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "categories": categories,
        "history": history,
        "items": items,
        "k": k,
        "divergence": divergence,
        "alpha": alpha,
    }
    return mean_score(calibration_at_k_score, rows, own, ties, replace_undefined_by)
