"""Compare runs by judgments: lists, files or scores of several models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from os import PathLike, path
from typing import Any, Literal

from sklearn_rank._base._labels import as_list
from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._validation import check_given
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs import from_files, from_item_lists
from sklearn_rank.inputs._match import JudgedRows
from sklearn_rank.metrics import PerQueryScores, per_query_scores
from sklearn_rank.statistics._compare_models import compare_models
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.typing import (
    Alternative,
    ClusterLabels,
    Correction,
    File,
    ItemLists,
    Labels,
    Metrics,
    RandomState,
)


@explained
@keep_warnings
def compare_runs(
    y_true: ItemLists | File,
    runs: Mapping[str, Any],
    *,
    metrics: Metrics = ("ndcg@10",),
    groups: Labels | None = None,
    convention: str | None = None,
    baseline: str | None = None,
    clusters: ClusterLabels | None = None,
    test: Literal["auto", "t", "randomization", "exact", "anytime"]
    | Callable[..., Any] = "auto",
    value_range: Sequence[float] | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    correction: Correction = "holm",
    family: Literal["metric", "all"] = "metric",
    margin: float | None = None,
    intervals: Literal["each", "simultaneous"] = "each",
    n_resamples: int = 9999,
    random_state: RandomState = None,
) -> ModelComparison:
    """Compare runs by one set of judgments: differences, intervals, tests.

    Each run is scored by :func:`~sklearn_rank.metrics.per_query_scores`, and the values go
    into :func:`compare_models`.

    Parameters
    ----------
    y_true : dict, file or array-like
        What is relevant: a dict from query to relevant ids, or from query to a dict from id
        to grade; or a file of judgments, as :func:`~sklearn_rank.inputs.from_files` takes
        it; or the grades of rows, with `groups`.
    runs : dict
        For the name of each model, two or more, its run: a dict from query to ids, best
        first, or from query to a dict from id to score; or a file of lists; or the scores
        of the rows. A model that does not answer alike each time has several repeats: a
        list of dicts or of files, or a file with a field ``repeat``.
    metrics : str, callable or sequence of these, default=("ndcg@10",)
        Names and functions as in :func:`~sklearn_rank.metrics.ranking_scores`.
    groups : array-like of shape (n_rows,), default=None
        Query of each row, if `y_true` has grades of rows.
    convention : str, default=None
        A library whose definitions to follow, one of
        :data:`~sklearn_rank.metrics.conventions`.
    baseline : str, default=None
        Name of the model that all others are compared with. If None, all pairs.
    clusters : array-like of shape (n_queries,) or dict, default=None
        Cluster of each query, as in :func:`compare_models`.
    test : {"auto", "t", "randomization", "exact", "anytime"} or callable, default="auto"
        Method for p-values and intervals, as in :func:`compare_models`.
    value_range : (float, float), default=None
        The lowest and the highest possible value of a model. If None, the range of the
        metric.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": the model has the larger value, whatever the direction of the metric.
    confidence_level : float, default=0.95
        Probability that an interval covers the true difference.
    correction : {"holm", "bonferroni", "fdr_bh", "max_t", None}, default="holm"
        Correction of p-values for the number of comparisons.
    family : {"metric", "all"}, default="metric"
        Comparisons that are corrected together: those of each metric, or all.
    margin : float, default=None
        Smallest difference that matters, in units of the metric.
    intervals : {"each", "simultaneous"}, default="each"
        Whether the confidence level holds for each interval alone or for all together.
    n_resamples : int, default=9999
        Number of random flips.
    random_state : int, RandomState instance or None, default=None
        Seed of the flips.

    Returns
    -------
    comparison : ModelComparison
        That of :func:`compare_models`.

    Raises
    ------
    TypeError
        If `runs` is not a dict.
    ValueError
        For bad input, see :ref:`errors`; and where :func:`compare_models` raises.

    See Also
    --------
    compare_models : Compares values per query.

    Notes
    -----
    A query that only one run or the judgments have is one of all runs, and its list is
    empty in the others.

    Examples
    --------
    >>> from sklearn_rank.statistics import compare_runs
    >>> qrels = {f"q{i}": {"a": 1, "b": i % 3} for i in range(30)}
    >>> old = {query: ["c", "a", "b"] for query in qrels}
    >>> new = {query: ["a", "c", "b"] for query in qrels}
    >>> compared = compare_runs(qrels, {"old": old, "new": new}, metrics="mrr")
    >>> compared.row("new").difference
    0.5

    A retriever that answered twice:

    >>> compared = compare_runs(qrels, {"old": old, "new": [new, old]}, metrics="mrr")
    >>> compared.row("new").difference
    0.25
    """
    needed = "a dict from the name of each model to its run"
    check_given("runs", runs, isinstance(runs, Mapping), needed)
    options: dict[str, Any] = {"metrics": metrics, "convention": convention}
    if groups is not None or not _has_lists(y_true):
        grades: Any = y_true
        scores: dict[str, Any] = {
            name: per_query_scores(grades, run, groups=groups, **options)
            for name, run in runs.items()
        }
    else:
        scores = _score_lists(y_true, runs, options)
    return compare_models(
        scores,
        baseline=baseline,
        clusters=clusters,
        test=test,
        value_range=value_range,
        alternative=alternative,
        confidence_level=confidence_level,
        correction=correction,
        family=family,
        margin=margin,
        intervals=intervals,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def _has_lists(y_true: Any) -> bool:
    return isinstance(y_true, Mapping | str | PathLike) or hasattr(y_true, "read")


def _score_lists(
    y_true: Any, runs: Mapping[str, Any], options: dict[str, Any]
) -> dict[str, list[PerQueryScores]]:
    """Return the values of each repeat of each run, all of the same queries."""
    rows = {name: _read_repeats(y_true, run) for name, run in runs.items()}
    of_repeats = [
        dict.fromkeys(as_list(repeat.groups))
        for repeat in chain.from_iterable(rows.values())
    ]
    queries = dict.fromkeys(chain.from_iterable(of_repeats))
    if any(len(of_repeat) < len(queries) for of_repeat in of_repeats):
        more: dict[str, Any] = {}
        if isinstance(y_true, Mapping):  # those without an entry are not judged
            y_true = {**dict.fromkeys(queries, ()), **y_true}
        else:
            more["queries"] = list(queries)
        rows = {name: _read_repeats(y_true, run, **more) for name, run in runs.items()}
    return {
        name: [per_query_scores(**repeat, **options) for repeat in repeats]
        for name, repeats in rows.items()
    }


def _read_repeats(y_true: Any, run: Any, **more: Any) -> list[JudgedRows]:
    """Return the rows of each repeat of a run, which may have one."""
    has_repeats = isinstance(run, list)
    if isinstance(y_true, Mapping):
        repeats = run if has_repeats else [run]
        return [from_item_lists(y_true, repeat, **more) for repeat in repeats]
    if has_repeats and run and _is_path(run[0]):
        return [row for file in run for row in _read_repeats(y_true, file, **more)]
    rows = from_files(y_true, run, **more)
    return [rows] if isinstance(rows, JudgedRows) else [*rows.values()]


def _is_path(entry: Any) -> bool:
    """Return whether an entry of a list names a file, and is not a line of text."""
    return isinstance(entry, PathLike) or (isinstance(entry, str) and path.exists(entry))
