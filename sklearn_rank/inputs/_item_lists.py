"""Lists of recommended ids against the ids that are relevant."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal

import numpy as np

from sklearn_rank._ids._two_sides import Codes, check_hashable, encode_ids
from sklearn_rank._text._wording import shorten
from sklearn_rank._validation import check_option
from sklearn_rank.inputs._bunches import JudgedRows
from sklearn_rank.inputs._exclude import DUPLICATES, choose, read_excluded
from sklearn_rank.inputs._match import match_sides
from sklearn_rank.inputs._per_user import PerUser, align_users, read_per_user
from sklearn_rank.inputs._scored import ids_and_scores
from sklearn_rank.inputs._side import Side
from sklearn_rank.typing import ItemLists


def from_item_lists(
    y_true: ItemLists,
    y_pred: ItemLists,
    *,
    filler: Hashable = None,
    duplicates: Literal["raise", "first"] = "raise",
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
        with grade 0 is known not to be relevant.
    y_pred : mapping, Series or sequence over users, or array of shape (n_users, k)
        The recommended items of each user: a list, tuple or array of ids, best first; or
        with scores, the highest first, as a mapping from id to score, a list of pairs
        (id, score), or of hits ``{"corpus_id": id, "score": score}``, those of
        sentence-transformers. Equal scores tie; -inf is an item that was not retrieved.
        Lists may differ in length. Missing ids (None, NaN, NaT, pandas.NA, and masked ones)
        at the end of a list are empty places and are left out, so that short lists fit into
        an array.
    filler : id, default=None
        An id that marks an empty place at the end of a list, as missing ids do: -1 where
        a library fills up its rows with -1. None: there is no such id.
    duplicates : {"raise", "first"}, default="raise"
        How to treat an item that a user has twice, such as a document found by several of
        its chunks. "raise" is an error; "first" keeps the one with the first place, or the
        highest score or grade.
    exclude : mapping or sequence over users, default=None
        Items of each user that count on neither side, such as the query's own document, or
        what a user has seen: several, or one alone. Ranks close up. Users and items that
        the other arguments do not name are passed over.
    return_items : bool, default=False
        Whether to return ``items`` too: the id of the item of each row, for metrics of what
        lists show.

    Returns
    -------
    rows : :class:`~sklearn.utils.Bunch`
        `y_true`, `y_score` and `groups`, arrays of shape (n_rows,): the arguments of every
        metric. Rows lie together by user, users in the order of `y_true`, then those that
        only `y_pred` has. Without scores the score is minus the rank, so nothing ties;
        relevant items that were not recommended follow with score -inf. A recommended item
        that `y_true` does not mention has the grade -0.0: for metrics of judgments an
        unjudged item, for all others a 0. Users known by position are labeled 0, 1, ...

    Raises
    ------
    ValueError
        If a list or a set of relevant items names an item twice, a grade is negative or
        not finite, a score is NaN or inf, a missing id comes before an item, mappings
        have no user in common, ids hold several ids of the other side, or two sequences
        differ in length.
    TypeError
        If one argument is a mapping and the other a sequence, a user's recommended items
        are not a container (a string counts as one id), the users of a sequence or the
        recommended ids have no order, only some items have scores, an id is not hashable,
        a grade or a score is not a number, or half of the ids of a side (or its users) are
        of a type that can never equal one of the other.

    Warns
    -----
    MisleadingScoreWarning
        If 20 lists of pairs or more all ascend in score, as those of distances do, or none
        of 20 relevant items or more is in any list.

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
    relevant_ids = truth.flat_ids()
    listed_ids, scores = ids_and_scores(lists, relevant_ids)
    ids = encode_ids(relevant_ids, listed_ids)
    _check_no_missing(truth, ids)
    relevant = Side(truth.name, truth.sizes, ids.one, truth.flat_grades())
    ranked = without_empty_places(lists, ids, filler, scores)
    excluded = read_excluded(exclude, truth.users, len(users), ids, truth.name)
    relevant = choose(relevant, duplicates, excluded)
    ranked = choose(ranked, duplicates, excluded)
    return match_sides(relevant, ranked, users, ids, return_items=return_items)


def _check_no_missing(truth: PerUser, ids: Codes) -> None:
    missing = ids.missing()
    if missing and np.isin(ids.one, missing).any():
        entry = int(np.argmax(np.isin(ids.one, missing)))
        raise ValueError(f"{truth.describe(entry)} is a missing value; remove it.")


def without_empty_places(
    lists: PerUser, ids: Codes, filler: Any, scores: np.ndarray | None = None
) -> Side:
    """Return the recommended items in the order of their ranks, or with their scores."""
    fillers = ids.missing() + ([] if filler is None else ids.equal(filler))
    if not fillers:
        return Side(lists.name, lists.sizes, ids.other, scores)
    empty, owner = np.isin(ids.other, fillers), lists.owner()
    gap = empty[:-1] & ~empty[1:] & (owner[:-1] == owner[1:])
    if scores is None and gap.any():
        entry = int(np.argmax(gap))
        raise ValueError(
            f"{lists.describe(entry)} marks an empty place, but item "
            f"{shorten(ids.label(ids.other[entry + 1]))} follows it; only the end of a "
            "list may be empty."
        )
    sizes = np.bincount(owner[~empty], minlength=len(lists.sizes))
    scores = None if scores is None else scores[~empty]
    return Side(lists.name, sizes, ids.other[~empty], scores)
