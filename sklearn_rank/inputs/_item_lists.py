"""Rows for the metrics from relevant items and a ranked list of each user."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_rank._base._ids import Codes, as_ids, check_hashable, encode_ids, flatten_ids
from sklearn_rank._base._label_checks import check_comparable
from sklearn_rank._base._labels import (
    places_as_text,
    report_unhashable,
    with_python_moments,
)
from sklearn_rank._base._messages import LEAST_TO_WARN, shorten, warn_misleading
from sklearn_rank._base._numbers import (
    exact_as_floats,
    is_number,
    is_number_text,
    number_array,
)
from sklearn_rank._base._runs import begins_run, order_by_codes
from sklearn_rank._base._validation import check_given, check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._judgments import Judgments
from sklearn_rank.inputs._match import JudgedRows, match_sides, side_by_user
from sklearn_rank.inputs._per_user import (
    PerUser,
    align_users,
    check_users_comparable,
    count_ascending,
    read_per_user,
)
from sklearn_rank.inputs._unmatched_ids import Side
from sklearn_rank.typing import ItemLists

# Lists of recommended ids against the ids that are relevant.


# Excluded and repeated items.

DUPLICATES = ("raise", "first", "miss")
_LEAST_PAIRS = 2
# Fewer grades may differ by chance, and fewer lists may have as many items.
_LEAST_TO_COMPARE, _LEAST_LISTS, _LEAST_ITEMS = 4, 5, 10


class UserItemPairs(NamedTuple):
    """Pairs of a user, by number, and an item, by code."""

    user: np.ndarray
    item: np.ndarray


def read_excluded(
    exclude: Any, users: Any, n_users: int, ids: Codes, name: str
) -> UserItemPairs:
    """Return the excluded pairs of users and items that the other arguments name.

    `users` are the labels in the order of their numbers; if None, they are their positions.
    `name` is that of the argument beside.
    """
    if exclude is None:
        return UserItemPairs(*np.empty((2, 0), dtype=np.int64))
    excluded = read_per_user(exclude, name="exclude", single=True)
    if users is None and excluded.users is None and len(excluded.sizes) != n_users:
        raise ValueError(
            f"`exclude` has {len(excluded.sizes)} users, but there are {n_users}. "
            "Sequences are matched by position; a mapping may lack users."
        )
    is_matched = users is None or excluded.users is not None
    check_given("exclude", exclude, is_matched, "a mapping from user to items")
    number = _numbers(excluded.users, range(n_users) if users is None else users, name)
    flat = excluded.flat_ids()
    sample = ids.sample(ids.left) + ids.sample(ids.right)
    check_comparable(flat, sample, ("`exclude`", "another argument"))
    user, item = np.repeat(number, excluded.sizes), ids.codes_of(flat)
    is_known = (user >= 0) & (item >= 0)
    return UserItemPairs(user[is_known], item[is_known])


def _numbers(excluded: list | None, users: Any, name: str) -> np.ndarray:
    """Return the number of each user with excluded items, -1 if unknown."""
    if excluded is None:
        return np.arange(len(users))
    excluded, users = (with_python_moments(list(side)) for side in (excluded, users))
    check_users_comparable(excluded, users, ("exclude", name))
    number = {user: code for code, user in enumerate(users)}
    return np.fromiter((number.get(user, -1) for user in excluded), int, len(excluded))


def is_excluded(user: np.ndarray, item: np.ndarray, excluded: UserItemPairs) -> np.ndarray:
    """Return whether each pair of user and item is excluded; some pairs are."""
    items, code = np.unique(excluded.item, return_inverse=True)
    index = np.minimum(items.searchsorted(item), len(items) - 1)
    is_pair = np.isin(user * len(items) + index, excluded.user * len(items) + code)
    return is_pair & (items[index] == item)


def drop_items(
    truth: Side, lists: Side, ids: Codes, duplicates: str, excluded: UserItemPairs
) -> tuple[Side, Side, Codes]:
    """Return both sides and the ids without excluded items, repeats as `duplicates` says.

    Of an item that a user has several times the entry with the highest score or grade
    stays, and without scores the one with the first place. If "miss", the others of a list
    become items of their own, which nothing relevant can be.
    """
    if len(excluded.user):
        truth, lists = (
            _take_entries(
                side, np.flatnonzero(~is_excluded(side.owner(), side.item, excluded))
            )
            for side in (truth, lists)
        )
    if duplicates != "raise":
        truth = _take_entries(truth, _first_of_each_item(truth))
    if duplicates == "first":
        lists = _take_entries(lists, _first_of_each_item(lists))
    elif duplicates == "miss":
        is_repeat = np.ones(len(lists.item), dtype=bool)
        is_repeat[_first_of_each_item(lists)] = False
        repeats, item = lists.item[is_repeat], lists.item.astype(np.int64)
        item[is_repeat] = ids.n_codes + np.arange(len(repeats))
        lists = replace(lists, item=item)
        ids = replace(ids, n_codes=ids.n_codes + len(repeats), repeats=repeats)
    return truth, lists, ids


def _first_of_each_item(side: Side) -> np.ndarray:
    owner = side.owner()
    worth = () if side.value is None else (-side.value,)  # NaN is sorted last
    order = np.lexsort((*worth, side.item, owner))
    return np.sort(order[begins_run(owner[order], side.item[order])])


def _take_entries(side: Side, kept: np.ndarray) -> Side:
    """Return a side with some of its entries, in their order."""
    return replace(
        side,
        sizes=np.bincount(side.owner()[kept], minlength=len(side.sizes)),
        item=side.item[kept],
        value=None if side.value is None else side.value[kept],
    )


# Scores of recommended items: mappings from item to score, or pairs of these.

Ids = np.ndarray | list


def ids_and_scores(lists: PerUser, relevant: Ids) -> tuple[Ids, np.ndarray | None]:
    """Return the recommended ids of all users, and their scores; if None, best first.

    `relevant` are the relevant ids. If these are tuples, then so are the recommended ones,
    unless the first of a pair is a tuple itself. Ids are pairs only if all of them are.
    """
    ids = lists.flat_ids()
    if lists.has_mappings() and any(isinstance(row, Mapping) and row for row in lists.rows):
        values = [score for row in lists.rows for score in _row_scores(row)]
        return ids, _read_scores(lists, values)
    if not _are_pairs(ids, relevant):
        _check_no_text_scores(lists, ids, relevant)
        return ids, None
    items = [pair[0] for pair in ids]
    scores = _read_scores(lists, [pair[1] for pair in ids])
    # Of mappings, the listed order means nothing.
    n_ascending = count_ascending(lists.owner(), scores)
    if n_ascending >= LEAST_TO_WARN:
        warn_misleading(
            f"All {n_ascending} lists of `{lists.name}` ascend in score, but the highest "
            "score ranks first. Give distances as -distance."
        )
    return flatten_ids([items], {list}), scores


def _order_ties_by_id(ranked: Side, ids: Codes) -> Side:
    """Return a side whose items of equal score are in descending order of their ids."""
    if ranked.value is None:
        return ranked
    owner, score = ranked.owner(), -ranked.value
    order = np.lexsort((score, owner))
    if begins_run(owner[order], score[order]).all():
        return ranked
    rank = places_as_text(ids.labels_of(np.arange(ids.n_codes)))[ranked.item]
    item = ranked.item.copy()
    item[order] = ranked.item[np.lexsort((-rank, score, owner))]
    return replace(ranked, item=item)


def _row_scores(row: Any) -> Any:
    """Return the scores of one user's items; an empty list has none."""
    if isinstance(row, Mapping):
        return row.values()
    if len(row):
        raise TypeError(
            f"Some users have mappings from item to score, and another {shorten(row)}; "
            "give all items a score, or none."
        )
    return ()


def _are_pairs(ids: Ids, relevant: Ids) -> bool:
    are_two = isinstance(ids, list) and all(
        isinstance(each, tuple | list) and len(each) == 2 and is_number(type(each[1]))
        for each in ids
    )
    if not are_two or not len(ids):
        return False
    if isinstance(ids[0], list) or isinstance(ids[0][0], tuple):
        return True
    return not any(isinstance(each, tuple) for each in relevant)


def _check_no_text_scores(lists: PerUser, ids: Ids, relevant: Ids) -> None:
    """Raise for pairs of id and score whose scores are text."""
    are_pairs = isinstance(ids, list) and all(
        isinstance(each, tuple | list) and len(each) == 2 and isinstance(each[1], str)
        for each in ids
    )
    if not are_pairs or not len(ids) or any(isinstance(each, tuple) for each in relevant):
        return
    if is_number_text(ids[0][1]):
        raise _text_scores_error(lists.name, ids[0][1])


def _text_scores_error(name: str, score: str) -> TypeError:
    return TypeError(
        f"scores of `{name}` are text, such as {shorten(score)}; convert them to "
        "numbers by float."
    )


def _read_scores(lists: PerUser, scores: list) -> np.ndarray:
    needed = "numbers, or -inf for an item that was not retrieved"
    text = next((score for score in scores[:1] if is_number_text(score)), None)
    if text is not None:
        raise _text_scores_error(lists.name, text)
    # NaN compares as False.
    return exact_as_floats(
        lists.numbers(scores, "score", needed, lambda s: s < np.inf, read=number_array)
    )


@explained
def from_item_lists(
    y_true: ItemLists,
    y_pred: ItemLists,
    *,
    filler: Hashable = None,
    duplicates: Literal["raise", "first", "miss"] = "raise",
    exclude: ItemLists | None = None,
    return_items: bool = False,
) -> JudgedRows:
    """Rows for the metrics from relevant ids and ranked ids of each user.

    Users are matched by key where both arguments are mappings, by position where both
    are sequences. A pandas Series goes with either: by its index with a mapping or
    another Series, else by position, and its index then names the users.

    Parameters
    ----------
    y_true : mapping, Series or sequence over users
        The relevant items of each user: a set, list or array of ids (grade 1 each), one
        id alone, or a mapping from id to grade. Grades are finite numbers >= 0; an item
        with grade 0 is known not to be relevant. If all users have mappings of whole
        numbers, a negative grade marks an unjudged item, as in files of TREC.
    y_pred : mapping, Series or sequence over users, or array of shape (n_users, k)
        The recommended items of each user: a list, tuple or array of ids, best first; or
        with scores, the highest first, as a mapping from id to score, a list of pairs (id,
        score), or of hits ``{"id": id, "score": score}``, or with ``"corpus_id"``, as
        sentence-transformers has them.

        Equal scores tie; those of a mapping are in descending order of ids if all are text,
        as in trec_eval. The score -inf is an item that was not retrieved. Lists may differ
        in length. Missing ids (None, NaN, NaT, pandas.NA, and masked ones) at the end of a
        list are empty places and are left out, so that short lists fit into an array.
    filler : id, default=None
        An id that marks an empty place at the end of a list, as missing ids do: -1 where
        a library fills up its rows with -1. If None, there is no such id.
    duplicates : {"raise", "first", "miss"}, default="raise"
        How to treat an item that a user has twice, such as a document found by several of
        its chunks. "raise" is an error; "first" keeps the one with the first place, or the
        highest score or grade. With "miss" the others keep their places in the list and
        are not relevant, as in Kaggle's MAP@k.
    exclude : mapping or sequence over users, default=None
        Items of each user that count on neither side, such as the query's own document, or
        what a user has seen: several, or one alone. Ranks close up. Users and items that
        the other arguments do not name are passed over.
    return_items : bool, default=False
        Whether to return ``items`` too: the id of the item of each row, for metrics of what
        lists show.

    Returns
    -------
    rows : Bunch
        `y_true`, `y_score` and `groups`, arrays of shape (n_rows,): the arguments of every
        metric. Rows lie together by user, users in the order of `y_true`, then those that
        only `y_pred` has. Without scores the score is minus the rank, so nothing ties;
        relevant items that were not recommended follow with score -inf. Users known by
        position are labeled 0, 1, ...

        A recommended item that `y_true` does not mention has the grade -0.0: for metrics of
        judgments an unjudged item, for all others a 0.

    Raises
    ------
    ValueError
        If a list or a set of relevant items names an item twice, a grade is negative or
        not finite, a score is NaN or inf, a missing id comes before an item, mappings have
        no user in common (of 20 or more, or of two or more if users look alike), ids hold
        several ids of the other side, or two sequences differ in length.
    TypeError
        If one argument is a mapping and the other a sequence; if a user's recommended items
        are not a container (a string counts as one id); if the users of a sequence or the
        recommended ids have no order; if only some items have scores; if an id is not
        hashable, or a grade or a score is not a number.

        If ids can never match: half of the ids (or users) of a side are of a type that
        never equals one of the other side; or all are objects that equal only themselves,
        and none is on both sides.

    Warns
    -----
    MisleadingScoreWarning
        If the ids may not match: no list has any of 20 relevant items or more, or of two if
        ids of both sides look alike; ids that only one side has look like those that only
        the other has; no list has a relevant item, where lists of other users would;
        integers are positions from 0 on one side and from 1 on the other; or five users are
        in one mapping only.

        If the scores may be upside down: 20 lists of pairs or more all ascend in score, as
        those of distances do; or scores of mappings rise as given, and relevant items score
        low.

        If rows are pairs of a user and its items, as those of ``dict.items()``; or if the
        two sides seem to be exchanged.

    See Also
    --------
    from_frames : The same from two tables.
    from_relevance : Where the grades of each list are known already.

    Notes
    -----
    A user with relevant items and no list, or an empty one, scores 0. A user without
    relevant items is undefined, whether there is a list or not: metrics leave it out and
    say so. A user with neither gets one row that is not relevant and not retrieved, so
    that it is counted among the undefined ones, too.

    Ids are equal as in Python: ``1 == 1.0``, but ``1 != "1"``. Recommended ids that
    are themselves tuples of two, the second a number, are taken for pairs of id and score
    where all of them are such and no relevant id is a tuple.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> bought = {"ann": {"tea", "milk"}, "bob": {"rice": 3, "salt": 1}}
    >>> shown = {"ann": ["tea", "jam"], "bob": ["salt", "rice"]}
    >>> rows = from_item_lists(bought, shown)
    >>> rows.groups.tolist()
    ['ann', 'ann', 'ann', 'bob', 'bob']
    >>> rows.y_true.tolist()
    [1.0, -0.0, 1.0, 1.0, 3.0]
    >>> rows.y_score.tolist()
    [-1.0, -2.0, -inf, -1.0, -2.0]

    One right answer, and scores, as retrievers have them:

    >>> from_item_lists({"q": "d1"}, {"q": {"d2": 0.9, "d1": 0.7}}).y_score.tolist()
    [0.9, 0.7]
    >>> found = {"q": [("d2", 0.9), ("d1", 0.7), ("d2", 0.4)]}  # two chunks of d2
    >>> from_item_lists({"q": "d1"}, found, duplicates="first").y_score.tolist()
    [0.9, 0.7]
    """
    check_option("return_items", return_items, (True, False))
    check_hashable("filler", filler, "one id that marks an empty place, such as -1")
    check_option("duplicates", duplicates, DUPLICATES)
    users, truth, lists = align_users(
        read_per_user(y_true, name="y_true", single=True),
        read_per_user(y_pred, name="y_pred", ordered=True, scored=True),
    )
    _warn_of_pairs_of_dicts(truth, lists)
    relevant_ids = truth.flat_ids()
    listed_ids, scores = ids_and_scores(lists, relevant_ids)
    ids = encode_ids(relevant_ids, listed_ids)
    _check_no_missing(truth, ids)
    grades = truth.flat_grades(may_be_unjudged=True)
    relevant = Side(truth.name, truth.sizes, ids.left, grades, truth.as_text())
    _warn_if_exchanged(truth, lists, grades, scores)
    ranked = without_empty_places(lists, ids, filler, scores)
    excluded = read_excluded(exclude, truth.users, len(users), ids, truth.name)
    relevant, ranked, ids = drop_items(relevant, ranked, ids, duplicates, excluded)
    if lists.has_mappings() and ids.are_text():
        ranked = _order_ties_by_id(ranked, ids)
    sides, are_scored = (relevant, ranked, users, ids), lists.has_mappings()
    rows = match_sides(*sides, return_items=return_items, are_scored=are_scored)
    if grades is not None and np.isnan(rows.y_true).any():
        rows.y_true = rows.y_true.view(Judgments)
    return rows


def _warn_if_exchanged(
    truth: PerUser, lists: PerUser, grades: np.ndarray | None, scores: np.ndarray | None
) -> None:
    """Warn if scores or lists of a system seem to be the relevant items."""
    names, text = (truth.name, lists.name), None
    if grades is not None and scores is not None and len(grades) >= _LEAST_TO_COMPARE:
        are_grades = len(scores) > 0 and bool(np.isin(scores, range(5)).all())
        if are_grades and (grades % 1 > 0).any():
            owner = truth.owner()
            order = np.lexsort((grades, owner))
            if begins_run(owner[order], grades[order]).all():
                text = (
                    "All values of `{}` differ within each user and some have fractions, "
                    "as scores do, and all of `{}` are 0, 1, 2, 3 or 4, as grades are. "
                )
    n, sizes = truth.sizes, lists.sizes[lists.sizes > 0]
    has_sets = any(issubclass(kind, set | frozenset) for kind in truth.types)
    if text is None and len(n) >= _LEAST_LISTS and len(sizes) and not has_sets:
        is_of_system = n[0] >= _LEAST_ITEMS and (n == n[0]).all()
        if is_of_system and sizes.min() < sizes.max() < _LEAST_ITEMS:
            text = (
                f"Each user has {n[0]:,} items in `{{}}`, as lists of a system have, and "
                f"{sizes.min()} to {sizes.max()} in `{{}}`, as relevant items are. "
            )
    if text is not None:
        warn_misleading(f"{text.format(*names)}The relevant items come first.")


def _warn_of_pairs_of_dicts(truth: PerUser, lists: PerUser) -> None:
    """Warn if rows are pairs of the same different users, as those of `dict.items()`."""
    if truth.users is not None or not truth.types == lists.types == {tuple}:
        return
    if not (truth.sizes == 2).all() or not (lists.sizes == 2).all():
        return
    with report_unhashable("Item ids"):
        keys, list_keys = ({row[0] for row in side.rows} for side in (truth, lists))
    if keys == list_keys and len(keys) == len(truth.sizes) >= _LEAST_PAIRS:
        warn_misleading(
            f"All rows of `{truth.name}` and `{lists.name}` are pairs that begin with the "
            "same users, as those of dict.items(), and the users count as items. Pass the "
            "dicts themselves."
        )


def _check_no_missing(truth: PerUser, ids: Codes) -> None:
    missing = ids.missing()
    if missing and np.isin(ids.left, missing).any():
        entry = int(np.argmax(np.isin(ids.left, missing)))
        raise ValueError(f"{truth.describe(entry)} is a missing value; remove it.")


def without_empty_places(
    lists: PerUser, ids: Codes, filler: Any, scores: np.ndarray | None = None
) -> Side:
    """Return the recommended items in the order of their ranks, or with their scores."""
    code = -1 if filler is None else int(ids.codes_of([filler])[0])
    fillers = ids.missing() + [code] * (code >= 0)
    if not fillers:
        return Side(lists.name, lists.sizes, ids.right, scores, lists.as_text())
    empty, owner = np.isin(ids.right, fillers), lists.owner()
    gap = empty[:-1] & ~empty[1:] & (owner[:-1] == owner[1:])
    if scores is None and gap.any():
        entry = int(np.argmax(gap))
        raise ValueError(
            f"{lists.describe(entry)} marks an empty place, but item "
            f"{shorten(ids.label(ids.right[entry + 1]))} follows it; only the end of a "
            "list may be empty."
        )
    sizes = np.bincount(owner[~empty], minlength=len(lists.sizes))
    scores = None if scores is None else scores[~empty]
    return Side(lists.name, sizes, ids.right[~empty], scores, lists.as_text())


# Pairs of user and item with grades against lists of items, one for each user.


@dataclass(frozen=True, eq=False)
class ListPositions:
    """Ranked lists of users, whose items are known by their positions in a catalogue."""

    sizes: np.ndarray  # items of each user
    position: np.ndarray  # of each item, by user and by rank
    catalogue: np.ndarray  # the id of each position

    @classmethod
    def joined(
        cls, parts: Sequence[ListPositions], rows: Sequence[np.ndarray], n_users: int
    ) -> ListPositions:
        """Return the lists of all users from those of parts of them, at least one."""
        user = np.concatenate(
            [row.repeat(part.sizes) for part, row in zip(parts, rows, strict=True)]
        )
        order = np.argsort(user, kind="stable")
        position = np.concatenate([part.position for part in parts])[order]
        return cls(np.bincount(user, minlength=n_users), position, parts[0].catalogue)

    def encode(self, item: np.ndarray, labels: np.ndarray) -> tuple[Codes, Side]:
        """Return what `encode_lists` does for items of X that are codes of `labels`.

        Codes are positions in the catalogue, and after these what it lacks.
        """
        ids = Codes(item, self.position, max(len(labels), 1), labels)
        return ids, Side("recommend()", self.sizes, self.position, None)


def encode_lists(lists: Any, item: np.ndarray, users: np.ndarray) -> tuple[Codes, Side]:
    """Return codes of the items of X and of the list of each user, and these lists."""
    ranked = read_lists(lists, len(users))._replace(users=users.tolist())
    ids = encode_ids(as_ids(item), ranked.flat_ids())
    return ids, without_empty_places(ranked, ids, None)


def match_lists(
    users: np.ndarray,
    user: np.ndarray,
    grade: np.ndarray,
    ids: Codes,
    listed: Side,
    return_items: bool,
) -> JudgedRows:
    """Return rows for the metrics from relevant pairs and a ranked list for each user.

    Groups are places of users, and items are codes. `user` is the place of each pair's user
    among `users`, ascending. Of an item that a user has more than once, the first counts.
    """
    order = order_by_codes([user, ids.left], [len(users), ids.n_codes])
    first = np.sort(order[begins_run(user[order], ids.left[order])])
    truth = side_by_user("X", user[first], ids.left[first], grade[first], len(users))
    return match_sides(truth, listed, users, ids, return_items=return_items, by_number=True)


def read_lists(lists: Any, n_users: int) -> PerUser:
    """Return what `recommend` returned; raise unless it is a list for each user."""
    ranked = read_per_user(lists, name="recommend()", ordered=True)
    if len(ranked.sizes) != n_users:
        raise ValueError(
            f"recommend() returned {len(ranked.sizes)} lists for {n_users} users; it must "
            "return one for each."
        )
    return ranked
