"""Interleave several rankings into one list by team draft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._labels import as_list, as_vector, encode_labels, find_labels
from sklearn_rank._base._runs import begins_run, order_by_codes
from sklearn_rank._base._validation import check_integer, is_iterable, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.online._named_results import InterleavedList
from sklearn_rank.typing import Labels, RandomState

# The team of a position without an item.
NO_TEAM = -1
# The code of the id -1, which libraries use to pad short rankings.
NO_ITEM = -1


@explained
def team_draft_interleave(
    rankings: Sequence[Labels], *, k: int | None = None, random_state: RandomState = None
) -> InterleavedList:
    """Interleave the rankings of several rankers by team draft.

    While the list is shorter than `k`, the method draws at random one of the rankers that
    have drafted the fewest items and still have an item outside the list. This ranker
    appends its best such item, which joins its team. With two rankers this is one coin flip
    per round. A user who clicks at random clicks equally on each team.

    Parameters
    ----------
    rankings : sequence of array-like of shape (n,) or of ndarray of shape (n_users, n)
        The rankings of two or more rankers: item ids, best first, without duplicates.
        Lengths may differ. Arrays with a row per user, as ``recommend`` of a recommender
        returns, are interleaved for each user. The integer -1 means no item and is skipped.
    k : int, default=None
        Length of the list. If None, the length of the shortest ranking. The list ends early
        if no ranker has an item left.
    random_state : int, RandomState instance or None, default=None
        Seed of the draft. If users are served one by one, pass the same RandomState to each
        call: with the same integer the same ranker always begins.

    Returns
    -------
    interleaved : Bunch
        `item`: the list. `team`: the index of the ranker that drafted each item. Both of
        shape (n,), or (n_users, k) with the team -1 at positions without an item, where
        `item` is meaningless.

    Raises
    ------
    ValueError
        If there are fewer than two rankings, one is empty or has a duplicate or missing
        item, or they are for different numbers of users.

    See Also
    --------
    interleaving_test : From clicks on these lists to a preference.

    Notes
    -----
    Two rankers: [1]_; several: [2]_. Log lists and teams as they were shown. A team draft
    cannot detect some differences: with the rankings abcd and bcda a user who wants c
    prefers the second, but each drafts c in half of the lists [3]_.

    References
    ----------
    .. [1] F. Radlinski, M. Kurup and T. Joachims, "How does clickthrough data reflect
           retrieval quality?", CIKM 2008.
    .. [2] A. Schuth, F. Sietsma, S. Whiteson, D. Lefortier and M. de Rijke, "Multileaved
           comparisons for fast online evaluation", CIKM 2014.
    .. [3] K. Hofmann, S. Whiteson and M. de Rijke, "Fidelity, soundness, and efficiency of
           interleaved comparison methods", ACM TOIS 31(4), 2013.

    Examples
    --------
    >>> from sklearn_rank.online import team_draft_interleave
    >>> found = team_draft_interleave([list("abcd"), list("bcda")], random_state=0)
    >>> "".join(found.item), found.team.tolist()
    ('bacd', [1, 0, 1, 0])
    """
    tables, is_single = _read_tables(rankings)
    labels, tables = _encode_tables(tables)
    for ranker, table in enumerate(tables):
        _check_ranking(ranker, table, labels)
    if k is None:
        k = min(table.shape[1] for table in tables)
    k = check_integer("k", k)
    # A list never reads a ranking beyond the length of the list.
    tables = [table[:, :k] for table in tables]
    if is_single:
        k = min(k, sum(table.shape[1] for table in tables))
    codes, team = _draft(tables, k, check_random_state(random_state))
    items = labels[codes]
    if is_single:
        is_item = team[0] != NO_TEAM
        return InterleavedList(item=items[0][is_item], team=team[0][is_item])
    items[team == NO_TEAM] = _padding_value(items.dtype)
    return InterleavedList(item=items, team=team)


def _draft(
    tables: list[np.ndarray], k: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of the items of each list, and their teams."""
    n_users, n_rankers = len(tables[0]), len(tables)
    codes = np.zeros((n_users, k), dtype=np.intp)
    team = np.full((n_users, k), NO_TEAM)
    n_ranks = min(k, sum(table.shape[1] for table in tables))
    if n_users == 1:
        draws = random_state.random_sample((n_ranks, n_rankers)).tolist()
        for rank, pick in enumerate(_draft_one([t[0].tolist() for t in tables], draws)):
            codes[0, rank], team[0, rank] = pick
        return codes, team
    rankings = _pad_at_end(tables)
    ids = _number_items(rankings)
    is_taken = np.zeros(ids.max(initial=0) + 1, dtype=bool)
    drafted = np.zeros((n_users, n_rankers), dtype=np.intp)
    # Where the best item of each ranker outside the list is; cells are in order of users.
    position = np.arange(drafted.size) * rankings.shape[2]
    best = ids[position]
    for rank in range(n_ranks):
        behind = np.flatnonzero(is_taken[best])
        while len(behind):
            position[behind] += 1
            best[behind] = ids[position[behind]]
            behind = behind[is_taken[best[behind]]]
        can = (best > 0).reshape(drafted.shape)
        count = np.where(can, drafted, k + 1)
        is_next = can & (count == count.min(axis=1, keepdims=True))
        draw = np.where(is_next, random_state.random_sample(is_next.shape), -1.0)
        captain = draw.argmax(axis=1)
        goes_on = np.flatnonzero(can.any(axis=1))
        cell = goes_on * n_rankers + captain[goes_on]
        codes[goes_on, rank] = rankings.ravel()[position[cell]]
        team[goes_on, rank] = captain[goes_on]
        drafted.reshape(-1)[cell] += 1
        is_taken[best[cell]] = True
    return codes, team


def _draft_one(
    rankings: list[list[int]], draws: Iterable[list[float]]
) -> Iterator[tuple[int, int]]:
    """Yield each item of the list of one user, and its team."""
    rankings = [[*ranking, NO_ITEM] for ranking in rankings]
    taken: set[int] = set()
    position = [0] * len(rankings)
    drafted = [0] * len(rankings)
    for draw in draws:
        able = []
        for ranker, ranking in enumerate(rankings):
            while ranking[position[ranker]] in taken:
                position[ranker] += 1
            if ranking[position[ranker]] != NO_ITEM:
                able.append(ranker)
        if able:
            fewest = min(drafted[ranker] for ranker in able)
            captains = [ranker for ranker in able if drafted[ranker] == fewest]
            captain = max(captains, key=draw.__getitem__)
            item = rankings[captain][position[captain]]
            taken.add(item)
            drafted[captain] += 1
            yield item, captain


def _pad_at_end(tables: list[np.ndarray]) -> np.ndarray:
    """Return all rankings in an array by user, ranker and place; each ends with no item."""
    width = max(table.shape[1] for table in tables)
    rankings = np.full((len(tables[0]), len(tables), width + 1), NO_ITEM)
    for ranker, table in enumerate(tables):
        rankings[:, ranker, : table.shape[1]] = table
    return rankings


def _number_items(rankings: np.ndarray) -> np.ndarray:
    """Return a number for each place, the same for one item of one user; 0: no item."""
    flat = rankings.reshape(len(rankings), -1)
    users = np.arange(len(flat)).repeat(flat.shape[1])
    sizes = [len(flat), int(flat.max(initial=0)) + 2]
    order = order_by_codes([users, flat.ravel() + 1], sizes)
    ordered = flat.ravel()[order]
    numbers = np.empty(flat.size, dtype=np.intp)
    numbers[order] = np.cumsum(begins_run(users, ordered)) * (ordered != NO_ITEM)
    return numbers


def _read_tables(rankings: Any) -> tuple[list[np.ndarray], bool]:
    """Return rankings with a row per user, and whether they are for a single user."""
    is_several = isinstance(rankings, Sequence | np.ndarray) and is_iterable(rankings)
    per_ranker = list(rankings) if is_several else []
    if len(per_ranker) < 2:
        raise ValueError(
            f"`rankings` must list those of two rankers or more; got {shorten(rankings)}."
        )
    are_tables = {getattr(ranking, "ndim", 1) == 2 for ranking in per_ranker}
    if are_tables == {True, False}:
        raise ValueError(
            "`rankings` has arrays with a row per user, and others; give one kind for all."
        )
    is_single = are_tables == {False}
    if is_single:
        vectors = (as_vector(ranking, name="rankings") for ranking in per_ranker)
        tables = [vector[np.newaxis] for vector in vectors]
    else:
        tables = [np.asarray(ranking) for ranking in per_ranker]
    if len({len(table) for table in tables}) > 1:
        raise ValueError(
            f"`rankings` are for {', '.join(str(len(table)) for table in tables)} users; "
            "each ranker needs a list for every user."
        )
    return tables, is_single


def _encode_tables(tables: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the distinct items, and rankings of their codes."""
    flat = [table.ravel() for table in tables]
    if len({vector.dtype.kind for vector in flat}) == 1:
        both = np.concatenate(flat)
    else:  # NumPy would convert numbers to strings, or large integers to floats
        every = [item for vector in flat for item in as_list(vector)]
        both = as_vector(every, name="items")
    labels, codes = encode_labels(both, name="rankings")
    codes[codes == find_labels(labels, [-1], name="rankings")] = NO_ITEM
    parts = np.split(codes, np.cumsum([len(vector) for vector in flat])[:-1])
    shaped = (part.reshape(of.shape) for part, of in zip(parts, tables, strict=True))
    return labels, list(map(_pack_rankings, shaped))


def _pack_rankings(table: np.ndarray) -> np.ndarray:
    """Return rankings padded at the end to the width of the longest."""
    is_nothing = table == NO_ITEM
    if not is_nothing.any():
        return table
    order = np.argsort(is_nothing, axis=1, kind="stable")
    width = np.count_nonzero(~is_nothing, axis=1).max(initial=0)
    return np.take_along_axis(table, order, axis=1)[:, :width]


def _check_ranking(ranker: int, table: np.ndarray, labels: np.ndarray) -> None:
    if not table.size:
        raise ValueError(f"`rankings[{ranker}]` is empty; each ranker needs a list.")
    ordered = np.sort(table, axis=1)
    is_twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NO_ITEM)
    if is_twice.any():
        row, column = np.argwhere(is_twice)[0]
        item = as_list(labels[[ordered[row, column]]])[0]
        where = f" of row {row}" if len(table) > 1 else ""
        raise ValueError(
            f"`rankings[{ranker}]` has the item {shorten(item)}{where} more than once."
        )


def _padding_value(dtype: np.dtype) -> Any:
    """Return the padding value."""
    if dtype.kind in "iu":
        return -1 if dtype.kind == "i" else 0
    if dtype.kind in "mM":
        return np.array("NaT", dtype=dtype)
    return {"f": np.nan, "U": "", "S": b"", "O": None}.get(dtype.kind, False)
