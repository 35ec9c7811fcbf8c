"""AUC: the share of pairs with the relevant item above the irrelevant one."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, MinRelevance
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["roc_auc_per_query_score"]


Weighting = Literal["query", "positives", "pairs", "rows"]


def auc(lists: RankedLists, weighting: Weighting, min_relevance: MinRelevance) -> Any:
    """Return the share of well-ordered pairs and the weight of each query."""
    is_relevant = lists.is_relevant(min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    n_irrelevant = lists.n_items - n_relevant
    above, tied = lists.count_around(is_relevant)
    irrelevant_above = lists.above - above
    irrelevant_tied = lists.tied - tied
    won = n_irrelevant[lists.query] - irrelevant_above - irrelevant_tied / 2
    n_pairs = n_relevant * n_irrelevant
    share = divide(lists.sum(lists.query[is_relevant], won[is_relevant]), n_pairs)
    if weighting == "query":
        return share, None
    weight = {"positives": n_relevant, "pairs": n_pairs, "rows": lists.n_items}[weighting]
    return share, weight.astype(np.float64)


@metric(auc, summary=Ratio(), all_items=True, range=ZERO_TO_ONE)
@explained
def roc_auc_per_query_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    weighting: Literal["query", "positives", "pairs", "rows"] = "query",
    min_relevance: MinRelevance = None,
    n_items: int | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Area under the ROC curve within each query, averaged (grouped AUC, GAUC).

    Higher is better; 1 means that all relevant items are above all irrelevant ones, and 0.5
    is chance. It is the share of well-ordered pairs; a tied pair counts one half:

    .. math:: \frac{1}{R (N - R)} \sum_{r \text{ relevant}} \sum_{n \text{ irrelevant}}
              [s_r > s_n] + \tfrac{1}{2} [s_r = s_n]

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    weighting : {"query", "positives", "pairs", "rows"}, default="query"
        Weight of a query in the mean: the same for all, its number of relevant items, its
        number of pairs of a relevant and an irrelevant item, or its number of rows, which
        are the impressions of a user.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
    n_items : int, default=None
        Size of the catalogue, if lists do not have all items: items without a row tie below
        all others. If None, the rows of each query are all its items.
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
        For bad input, see :ref:`errors`; and if lists end and ``n_items`` is missing, or
        less than the rows of a query.

    See Also
    --------
    sklearn.metrics.roc_auc_score : All rows as one list.

    Notes
    -----
    Undefined (NaN) for a query without relevant or without irrelevant items. Items that
    were not retrieved tie below all others.

    References
    ----------
    .. [1] H. Zhu et al., "Optimized cost per click in Taobao display advertising",
       KDD 2017 (GAUC, weighted by impressions).

    Examples
    --------
    >>> from sklearn_rank.metrics import roc_auc_per_query_score
    >>> score = roc_auc_per_query_score([0, 1, 0, 1, 0], [5, 4, 3, 2, 1], groups=["q"] * 5)
    >>> score
    0.5
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"weighting": weighting, "min_relevance": min_relevance, "n_items": n_items}
    return mean_score(roc_auc_per_query_score, rows, own, ties, replace_undefined_by)
