"""Items to judge, and grades for rows that nobody judged."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._label_checks import duplicate_item_error, show_id
from sklearn_rank._base._labels import as_vector, report_unhashable
from sklearn_rank._base._numbers import as_floats, first_missing
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._judgments import Judgments, read_judgments
from sklearn_rank.inputs._item_lists import ids_and_scores
from sklearn_rank.inputs._match import ItemsToJudge
from sklearn_rank.inputs._per_user import PerUser, check_users_comparable, read_per_user
from sklearn_rank.typing import ArrayLike, Floats, ItemLists, RandomState

# Pools of items to judge.


# The ranks of each item of a query, one for each run that has it among the first.
_Pool = dict[Hashable, dict[Hashable, list[int]]]

# The weight of each rank, from 1, in the metric that judgments are for.
_WEIGHTS = {
    "dcg": lambda rank: 1 / np.log2(rank + 1),
    "precision": lambda rank: np.ones(len(rank)),
    "rbp": lambda rank: 0.8 ** (rank - 1),
}
# Items at the same rank in all runs keep this share of their weight, for means of one run.
_LEAST_SPREAD = 0.1


@explained
def make_pool(
    runs: Mapping[Any, ItemLists],
    *,
    depth: int = 10,
    judged: ItemLists | None = None,
    budget: int | None = None,
    metric: Literal["dcg", "precision", "rbp"] = "dcg",
    uncertainty: Mapping[Any, Mapping[Any, float]] | None = None,
    random_state: RandomState = None,
) -> ItemsToJudge:
    r"""Items to judge: the first ones of several runs, each once per query.

    Pooled judgments are fair to the runs in the pool. A later run shows unjudged items:
    pool again, with ``judged``. With a ``budget`` items are drawn, those with higher
    probability whose grades may change a comparison of the runs more. From their grades and
    probabilities :func:`~sklearn_rank.statistics.partly_judged_scores` estimates the
    metric.

    Parameters
    ----------
    runs : mapping
        The lists of each run by its name: a mapping, Series or sequence over queries with
        the ids of each, best first or with scores, as in :func:`from_item_lists`.
    depth : int, default=10
        Ranks of each list that go into the pool.
    judged : mapping, Series or sequence over queries, default=None
        Ids of each query that have a grade already and are left out; a mapping from id to
        grade also works. Their probability is 1.
    budget : int, default=None
        Most items to judge, 1 or more. If None, all.
    metric : {"dcg", "precision", "rbp"}, default="dcg"
        The metric to estimate, with its defaults and the cutoff ``depth``.
    uncertainty : mapping of query to mapping of item to float, default=None
        How far the grade of each item of the pool is unknown, above 0, such as the standard
        deviation of grades by people where a judge gives the grade of this item. If None,
        all alike.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw. With one seed a larger budget adds items and drops none.

    Returns
    -------
    pool : Bunch
        `groups` and `items`, the query and the id of each item to judge; `rank`, its best
        one, and `n_runs`, in how many runs it is among the first; with a budget
        `probability`, the chance of each to be drawn. Queries are in the order of the runs,
        items in that of their best rank, those of more runs first.

    Raises
    ------
    ValueError
        If there is no run, a list names an item twice within ``depth``, a missing id comes
        before an item, or sequences differ in length; if ``budget`` is below 1, or the
        uncertainty of an item of the pool is missing or not above 0.
    TypeError
        If ``runs`` is not a mapping, some have mappings over queries and others sequences,
        or a list has no order.

    See Also
    --------
    from_ratings : Grades from those of several raters.
    sklearn_rank.metrics.judged_at_k_score : The share of each list that is judged.
    sklearn_rank.statistics.partly_judged_scores : Values per query from what was drawn.

    Notes
    -----
    Show items to raters in random order, so that they do not see what runs think of them.

    An item has the size s: the standard deviation over the runs of the weight of its rank,
    0 where a run does not list it, at least a tenth of the mean weight, times its
    uncertainty. For one run it is the weight.

    With a uniform random number u for each item the budget takes the lowest u / s, and with
    the next one, :math:`\tau`, the probability is :math:`\min(1, s \tau)`: priority
    sampling [2]_, as if items were drawn independently. A cutoff above ``depth`` has rows
    that nobody could judge.

    References
    ----------
    .. [1] K. Sparck Jones, C. J. van Rijsbergen, "Report on the need for and provision of
       an ideal information retrieval test collection", 1975.
    .. [2] N. Duffield, C. Lund, M. Thorup, "Priority sampling for estimation of arbitrary
       subset sums", Journal of the ACM 54(6), 2007.

    Examples
    --------
    >>> from sklearn_rank.inputs import make_pool
    >>> runs = {
    ...     "bm25": {"jaguar": ["d1", "d2", "d3"]},
    ...     "dense": {"jaguar": ["d2", "d4", "d1"]},
    ... }
    >>> pool = make_pool(runs, depth=2, judged={"jaguar": {"d1": 2}})
    >>> pool["items"].tolist(), pool.n_runs.tolist()
    (['d2', 'd4'], [2, 1])
    >>> drawn = make_pool(runs, depth=2, budget=2, random_state=0)
    >>> drawn["items"].tolist(), drawn.probability.round(3).tolist()
    (['d1', 'd4'], [1.0, 0.938])
    """
    from sklearn.utils import check_random_state

    depth = check_integer("depth", depth)
    if budget is not None:
        check_integer("budget", budget)
    check_option("metric", metric, _WEIGHTS)
    generator = check_random_state(random_state)
    needed = "a mapping from the name of each run to its lists"
    check_given("runs", runs, isinstance(runs, Mapping), needed)
    if not runs:
        raise ValueError("`runs` is empty; give at least one run.")
    judged_lists = None if judged is None else read_per_user(judged, name="judged")
    judged_ids = [] if judged_lists is None else judged_lists.flat_ids()
    sides = [_read_run(name, lists, judged_ids) for name, lists in runs.items()]
    spread = _read_uncertainty(uncertainty, budget)
    _check_comparable(
        [*sides, *(side for side in (judged_lists, spread) if side is not None)]
    )
    pool: _Pool = {}
    for side in sides:
        _add_to_pool(pool, side, depth)
    if judged_lists is not None:
        _drop_judged(pool, judged_lists)
    rows = [
        (query, item, ranks)
        for query, items in pool.items()
        for item, ranks in sorted(items.items(), key=_pool_order)
    ]
    drawn: dict[str, Any] = {}
    if budget is not None:
        sizes = _pool_sizes([ranks for *_, ranks in rows], len(sides), metric)
        if spread is not None:
            sizes *= _find_uncertainties(spread, rows)
        kept, probability = _draw(sizes, budget, generator)
        rows, drawn = [rows[index] for index in kept], {"probability": probability}
    groups, items, ranks = zip(*rows, strict=True) if rows else ((),) * 3
    return ItemsToJudge(
        groups=as_vector(list(groups), name="groups"),
        items=as_vector(list(items), name="items"),
        rank=np.array([min(item_ranks) for item_ranks in ranks], dtype=np.intp),
        n_runs=np.array([len(item_ranks) for item_ranks in ranks], dtype=np.intp),
        **drawn,
    )


def _pool_order(pair: tuple[Any, list[int]]) -> tuple[int, int]:
    return min(pair[1]), -len(pair[1])


def _pool_sizes(ranks: list[list[int]], n_runs: int, metric: str) -> np.ndarray:
    """Return how much the weight of each item differs between runs."""
    last = max(map(max, ranks), default=0)
    weights = np.append(0.0, _WEIGHTS[metric](np.arange(1.0, last + 1)))
    table = np.zeros((len(ranks), n_runs))
    for row, places in zip(table, ranks, strict=True):
        row[: len(places)] = weights[places]
    if n_runs == 1:
        return table[:, 0]
    return np.maximum(table.std(axis=1), _LEAST_SPREAD * table.mean(axis=1))


def _read_uncertainty(uncertainty: Any, budget: int | None) -> PerUser | None:
    if uncertainty is None:
        return None
    if budget is None:
        raise ValueError("`uncertainty` is for a draw; give `budget` too.")
    spread = read_per_user(uncertainty, name="uncertainty")
    spread.flat_grades()
    return spread


def _find_uncertainties(spread: PerUser, rows: list[tuple]) -> np.ndarray:
    """Return the number of each item of the pool."""
    by_query = dict(zip(spread.labels(), spread.rows, strict=True))
    uncertainties = []
    for query, item, _ in rows:
        of_query = by_query.get(query, {})
        number = of_query[item] if isinstance(of_query, Mapping) and item in of_query else 0
        if not number > 0:
            raise ValueError(
                f"`uncertainty` of item {show_id(item)} of query {show_id(query)} is "
                f"{show_id(number)}, or missing; give each item a number above 0."
            )
        uncertainties.append(number)
    return np.array(uncertainties, dtype=float)


def _draw(
    sizes: np.ndarray, budget: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the drawn items, and their probabilities: priority sampling."""
    if len(sizes) <= budget:
        return np.arange(len(sizes)), np.ones(len(sizes))
    priority = random_state.uniform(size=len(sizes)) / sizes
    order = np.argsort(priority, kind="stable")
    kept = np.sort(order[:budget])
    return kept, np.minimum(1, sizes[kept] * priority[order[budget]])


def _check_comparable(sides: list[PerUser]) -> None:
    """Raise where queries of one side cannot be found in another."""
    first = sides[0]
    for side in sides[1:]:
        if (first.users is None) != (side.users is None):
            raise TypeError(
                f"`{first.name}` and `{side.name}` must both be mappings over queries, or "
                "both sequences in the same order."
            )
        if first.users is not None and side.users is not None:
            check_users_comparable(first.users, side.users, (first.name, side.name))
        elif len(first.sizes) != len(side.sizes):
            raise ValueError(
                f"`{first.name}` has {len(first.sizes)} queries, but `{side.name}` has "
                f"{len(side.sizes)}; sequences are matched by position; give both the same."
            )


def _read_run(name: Any, lists: Any, judged_ids: Any) -> PerUser:
    """Return the lists of a run, best first; of scores the highest is the best."""
    side = read_per_user(lists, name=f"runs[{name!r}]", ordered=True, scored=True)
    ids, scores = ids_and_scores(side, judged_ids)
    if scores is None:
        return side
    rows = []
    for items, of_items in zip(side.parts(ids), side.parts(scores), strict=True):
        pairs = sorted(zip(of_items, items, strict=True), key=lambda pair: -pair[0])
        rows.append([item for score, item in pairs if score > -np.inf])
    return side._replace(rows=rows)


def _add_to_pool(pool: _Pool, side: PerUser, depth: int) -> None:
    """Add the first items of each list of a run."""
    for query, row in zip(side.labels(), side.rows, strict=True):
        seen = pool.setdefault(query, {})
        items = _first_items(side, query, row, depth)
        for rank, item in enumerate(items, 1):
            seen.setdefault(item, []).append(rank)


def _first_items(side: PerUser, query: Any, row: Any, depth: int) -> list:
    items = row.tolist() if isinstance(row, np.ndarray) else list(row)
    items = items[:depth]
    end = first_missing(items)
    where = f"`{side.name}` of query {show_id(query)}"
    if end is not None:
        if any(first_missing([item]) is None for item in items[end:]):
            raise ValueError(
                f"{where} has a missing id before an item; only the end may be empty."
            )
        items = items[:end]
    with report_unhashable(f"Items of {where}"):
        n_items = len(set(items))
    if n_items < len(items):
        again = next(item for i, item in enumerate(items) if item in items[:i])
        raise duplicate_item_error(f"`{side.name}`", again, query, nouns=("item", "query"))
    return items


def _drop_judged(pool: _Pool, judged: PerUser) -> None:
    for query, row in zip(judged.labels(), judged.rows, strict=True):
        seen = pool.get(query, {})
        with report_unhashable(f"Items of `{judged.name}` of query {show_id(query)}"):
            for item in row.tolist() if isinstance(row, np.ndarray) else row:
                seen.pop(item, None)


# Grades of unjudged rows.


@explained
def fill_unjudged(
    y_true: ArrayLike,
    *,
    unjudged: Literal["worst", "best"] = "worst",
    max_grade: float | None = None,
) -> Floats:
    """Grades with the worst or the best grade for unjudged rows.

    A metric that only grows with the grades that a list shows is between its values for
    the two, whatever judges would say. With ``replace_undefined_by=0`` these are
    "precision", "hit_rate", "mrr", "cg" and "dcg", and "rbp" with its ``max_grade``. Not so
    "recall", "map" and "ndcg": they divide by relevant items wherever they are, and
    :func:`unjudged_bounds` finds their bounds.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_items)
        Grades. NaN is unjudged, and so is -0.0, by which functions such as
        :func:`from_item_lists` mark what judgments do not mention.
    unjudged : {"worst", "best"}, default="worst"
        What is unjudged gets 0, or ``max_grade``.
    max_grade : float, default=None
        Highest grade there can be. If None, the highest in ``y_true``.

    Returns
    -------
    filled : ndarray
        Grades in the shape of ``y_true``.

    Raises
    ------
    ValueError
        If no grade is above 0 and ``max_grade`` is None, with "best"; if one is higher than
        ``max_grade``; or if all of 0 are -0.0, as they come from relevant items alone.

    See Also
    --------
    make_pool : What to judge next.
    sklearn_rank.metrics.unjudged_bounds : Bounds of all metrics that depend on the ranks of
        relevant rows alone.
    sklearn_rank.metrics.rank_biased_precision_residual : The width of such bounds in
        closed form.

    Examples
    --------
    >>> from sklearn_rank.inputs import fill_unjudged, from_item_lists
    >>> from sklearn_rank.metrics import precision_at_k_score
    >>> rows = from_item_lists([{"tea": 1, "jam": 0}], [["tea", "jam", "rice", "salt"]])
    >>> for bound in ("worst", "best"):
    ...     filled = fill_unjudged(rows.y_true, unjudged=bound)
    ...     print(precision_at_k_score(filled, rows.y_score, groups=rows.groups, k=4))
    0.25
    0.75
    """
    check_option("unjudged", unjudged, ("worst", "best"))
    grades = as_floats(y_true, "y_true")
    is_meant = isinstance(y_true, Judgments)
    grades, _ = read_judgments(grades, "fill_unjudged", is_meant=is_meant)
    is_unjudged = np.isnan(grades)
    highest = float(grades.max(initial=0, where=~is_unjudged))
    if max_grade is not None:
        top = check_real("max_grade", max_grade, "a finite number above 0", above=0)
        if top < highest:
            raise ValueError(
                f"`max_grade` is {top:g}, but `y_true` has {highest:g}; raise it."
            )
        highest = top
    elif unjudged == "best" and highest == 0:
        raise ValueError(
            "`y_true` has no grade above 0, so the best grade is unknown; give `max_grade`."
        )
    return np.where(is_unjudged, 0.0 if unjudged == "worst" else highest, grades)
