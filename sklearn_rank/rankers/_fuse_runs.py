"""fuse_runs: the runs of several retrievers as one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._messages import LEAST_TO_WARN, warn_misleading
from sklearn_rank._base._runs import begins_run, sizes_of, starts_where
from sklearn_rank._base._validation import shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._low_is_best import describe_rising_lists
from sklearn_rank.inputs import from_runs
from sklearn_rank.inputs._match import RunRows
from sklearn_rank.rankers._rank_fusion import RankFusion
from sklearn_rank.typing import ArrayLike, File, ItemLists


@explained
def fuse_runs(
    runs: Sequence[ItemLists | File] | Mapping[Any, ItemLists | File],
    method: str = "rrf",
    weights: ArrayLike | None = None,
    *,
    rrf_k: float | None = None,
    normalization: Literal["min_max", "sum", "z_score", "l2", "rank"] | None = "min_max",
    unretrieved: Literal["omit", "zero", "minimum"] = "omit",
    convention: str | None = None,
) -> dict[Any, dict[Any, float]]:
    """Fuse the runs of several retrievers, such as those of words and of vectors.

    Parameters
    ----------
    runs : sequence or mapping
        The runs, or a mapping from a name of each to it. A run is a mapping from query to
        items, with scores or best first, or a file of results, as
        :func:`~sklearn_rank.inputs.from_runs` takes them. A query that a run lacks counts
        as an empty list.
    method : str, default="rrf"
        How runs are fused, as in :class:`RankFusion`.
    weights : array-like of shape (n_runs,), default=None
        Weight of each run, 0 or more. If None, 1 each.
    rrf_k : float, default=None
        Constant of "rrf". If None, 60, or the default of `convention`.
    normalization : {"min_max", "sum", "z_score", "l2", "rank", None}, default="min_max"
        What makes the scores of runs comparable, for the methods of scores.
    unretrieved : {"omit", "zero", "minimum"}, default="omit"
        What a run gives an item that it did not retrieve.
    convention : str, default=None
        Search engine whose formula "rrf" follows, such as "qdrant".

    Returns
    -------
    run : dict
        For each query a dict from the id of each item to its fused score, best first.
        Items of equal scores are in the order of the runs.

    Raises
    ------
    ValueError
        If there are no runs, one of them has no item at all, an item occurs twice for a
        query, or a parameter is not as :class:`RankFusion` describes it.
    TypeError
        If an argument is not as described, or ids are of types that can never be equal.

    Warns
    -----
    MisleadingScoreWarning
        If all lists of a run rise in score, and items of other runs, too, score low in it.

    See Also
    --------
    RankFusion : The fusion as an estimator, which learns weights and is searched.

    Examples
    --------
    >>> from sklearn_rank.rankers import fuse_runs
    >>> words = {"q1": {"d1": 9.0, "d2": 4.0}}
    >>> vectors = {"q1": ["d2", "d3"]}
    >>> fused = fuse_runs({"words": words, "vectors": vectors})
    >>> [(item, round(score, 4)) for item, score in fused["q1"].items()]
    [('d2', 0.0325), ('d1', 0.0164), ('d3', 0.0161)]
    """
    if isinstance(weights, str):
        raise ValueError(
            f"`weights` got {weights!r}, but there are no judgments to learn from. Fit "
            'RankFusion(weights="learned") to from_runs(y_true, runs), and give the '
            "weights_ that it learns."
        )
    if isinstance(weights, Mapping):
        raise TypeError(
            f"`weights` must be numbers in the order of `runs`, got {shorten(weights)}."
        )
    rows = from_runs({}, runs, missing="empty", return_items=True)
    _warn_of_rising_lists(rows)
    fusion = RankFusion(
        method,
        rrf_k=rrf_k,
        weights=weights,
        normalization=normalization,
        unretrieved=unretrieved,
        convention=convention,
    ).fit(rows.X, groups=rows.groups)
    table = fusion.rank(rows.X, groups=rows.groups, items=rows["items"])
    columns = (table[name].tolist() for name in ("query", "item", "score"))
    fused: dict[Any, dict[Any, float]] = {}
    for query, item, score in zip(*columns, strict=True):
        fused.setdefault(query, {})[item] = score
    return fused


def _warn_of_rising_lists(rows: RunRows) -> None:
    """Warn of runs whose scores rise in each list, as distances do.

    There are no judgments: the items that other runs have, too, stand for relevant ones.
    """
    query = np.cumsum(begins_run(rows.groups))
    is_listed = np.isfinite(rows.X)
    for run, name in enumerate(rows.runs):
        # Items that are new in a run are in its order.
        new = np.flatnonzero(is_listed[:, run] & ~is_listed[:, :run].any(axis=1))
        rises = np.diff(rows.X[new, run])[np.diff(query[new]) == 0] > 0
        if len(rises) < LEAST_TO_WARN or not rises.all():
            continue
        row = np.flatnonzero(is_listed[:, run])
        row = row[np.lexsort((rows.X[row, run], query[row]))]
        sizes = sizes_of(starts_where(begins_run(query[row])))
        is_shared = partial(np.greater, is_listed[row].sum(axis=1), 1)
        label = name if isinstance(name, str) else f"runs[{name!r}]"
        text = describe_rising_lists(label, rows.X[row, run], sizes, is_shared, 4)
        if text:
            warn_misleading(text)
