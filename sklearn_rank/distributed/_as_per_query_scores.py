"""as_per_query_scores: tables of values per query as one object."""

from __future__ import annotations

from collections.abc import Sequence

from sklearn_rank._per_query_tables._value_tables import scores_of
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.typing import DataFrame


def as_per_query_scores(values: DataFrame | Sequence[DataFrame]) -> PerQueryScores:
    """Values per query as engines return them, ready for comparisons and intervals.

    :func:`~sklearn_rank.statistics.compare_models` takes such tables as they are.

    Parameters
    ----------
    values : pandas or polars DataFrame, pyarrow Table, or sequence of these
        What a :class:`QueryScorer` returned for all queries, in any order.

    Returns
    -------
    found : PerQueryScores
        The values, with their weights, in the order of the labels. Metrics of a whole
        system are left out.

    Raises
    ------
    ValueError
        If a query is there more than once, because its rows were in several tables; if a
        column is missing, or is not the name of a metric.

    See Also
    --------
    summarize : Means, errors and counts.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.distributed import as_per_query_scores
    >>> values = pd.DataFrame({"group": ["b", "a"], "rows": [2, 2], "mrr": [1.0, 0.5]})
    >>> as_per_query_scores(values).mean()
    {'mrr': 0.75}
    """
    return scores_of(values)
