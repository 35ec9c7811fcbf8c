"""Read a mapping or a sequence over users, with several ids (or grades) a user."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._ids import flatten_ids
from sklearn_rank._base._label_checks import check_comparable, show_id
from sklearn_rank._base._labels import as_python_value, as_vector, with_python_moments
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import first_missing, float_array, is_number, plain_array
from sklearn_rank._base._validation import check_given
from sklearn_rank.inputs._unmatched_ids import check_common_users

# Lists whose scores ascend.


def count_ascending(owner: np.ndarray, scores: np.ndarray) -> int:
    """Return how many lists of two items or more ascend in score; 0 unless all do."""
    several = owner[1:][owner[1:] == owner[:-1]]
    before, after = (part[owner[1:] == owner[:-1]] for part in (scores[:-1], scores[1:]))
    n_ascending = len(np.unique(several[after > before]))
    if (after < before).any() or n_ascending < len(np.unique(several)):
        return 0
    return n_ascending


# Rankings of other libraries.

# A hit of sentence-transformers, or of a service, which may hold a text too.
_ITEMS, _SCORE = ("corpus_id", "id"), "score"


def as_mapping(values: Any) -> Any:
    """Return the Qrels or Run of ranx as a mapping of mappings; other values unchanged."""
    is_table = hasattr(values, "iloc") or hasattr(type(values), "columns")
    if is_table or isinstance(values, Mapping) or not hasattr(values, "to_dict"):
        return values
    return values.to_dict()


def hits_as_pairs(rows: Any, name: str) -> Any:
    """Return the hits of each query as pairs of id and score; other rows as they are."""
    if any(_is_hit(row) for row in rows):
        raise TypeError(
            f"`{name}` has the hits of one query; pass a list of such lists, one per "
            "query, or a mapping from query to them."
        )
    several = (row for row in rows if isinstance(row, list | tuple) and row)
    if not any(isinstance(row[0], Mapping) for row in several):
        return rows
    wrong = next((hit for row in rows for hit in row if not _is_hit(hit)), None)
    if wrong is not None:
        raise TypeError(
            f"`{name}` has the hit {shorten(wrong)}; write "
            f"{{{_ITEMS[0]!r}: id, {_SCORE!r}: number}}, or 'id' in place of it."
        )
    first, second = _ITEMS
    return [
        [(hit[first if first in hit else second], hit[_SCORE]) for hit in row]
        for row in rows
    ]


def _is_hit(value: Any) -> bool:
    is_scored = isinstance(value, Mapping) and _SCORE in value
    return is_scored and any(name in value for name in _ITEMS)


class PerUser(NamedTuple):
    """The values of one argument for each user."""

    name: str  # of the argument, for errors
    users: list | None  # None: users are known by their position
    rows: Any  # one container a user, or the rows of a 2-D array
    sizes: np.ndarray  # of each row
    types: set[type]  # of the rows
    in_order: bool = True  # whether the position of a user means something

    def flat_ids(self) -> np.ndarray | list:
        """Return the ids of all users, one after the other."""
        return flatten_ids(self.rows, self.types)

    def flat_grades(self, *, may_be_unjudged: bool = False) -> np.ndarray | None:
        """Return the grades of all users: values of mappings, 1 for other ids.

        None without any mapping. NaN for grades below 0 that may say that nobody judged the
        item, as in TREC: those of mappings alone, all of them whole numbers.
        """
        if not self.has_mappings():
            return None
        grades: list = []
        for row in self.rows:
            grades += row.values() if isinstance(row, Mapping) else repeat(1.0, len(row))
        if None in grades:
            entry = grades.index(None)
            raise TypeError(
                f"{self.describe(entry)} has the grade None; leave the item out if nobody "
                "judged it, or give NaN to metrics that know unjudged rows."
            )
        needed = "finite numbers >= 0"
        may_be_unjudged &= all(issubclass(kind, Mapping) for kind in self.types)

        def are_good(grades: np.ndarray) -> np.ndarray:
            is_finite = abs(grades) < np.inf
            may_be = may_be_unjudged and is_finite.all() and (grades % 1 == 0).all()
            return is_finite & ((grades >= 0) | may_be)

        numbers = self.numbers(grades, "grade", needed, are_good)
        return np.where(numbers < 0, np.nan, numbers) if may_be_unjudged else numbers

    def as_text(self) -> str:
        """Return the expression that writes the ids as text."""
        ids = "[str(i) for i in ids]"
        if self.has_mappings():
            ids = "{str(i): value for i, value in ids.items()}"
        if not self.in_order:
            return f"{{q: {ids} for q, ids in {self.name}.items()}}"
        if self.users is not None:
            return f"{self.name}.map(lambda ids: {ids})"
        return f"[{ids} for ids in {self.name}]"

    def has_mappings(self) -> bool:
        """Return whether any user has a mapping."""
        return any(issubclass(kind, Mapping) for kind in self.types)

    def numbers(
        self,
        values: Any,
        noun: str,
        needed: str,
        are_good: Callable[[np.ndarray], np.ndarray],
        *,
        read: Callable[[Any, str], np.ndarray] = float_array,
        describe: Callable[[int], str] | None = None,
    ) -> np.ndarray:
        """Return a number for each entry; raise for the first that is wrong.

        Messages name an entry by `describe` and its value by `noun`.
        """
        kinds = set(map(type, values)) if isinstance(values, list) else set()
        odd = {kind for kind in kinds if not is_number(kind)}
        entry = None
        if odd:
            entry = next(i for i, value in enumerate(values) if type(value) in odd)
        error: type[Exception] = TypeError
        if entry is None:
            numbers = read(values, f"`{self.name}`")
            good = are_good(numbers)
            if good.all():
                return numbers
            entry, error = int(np.argmin(good)), ValueError
        raise error(
            f"{(describe or self.describe)(entry)} has the {noun} "
            f"{show_id(values[entry])}; {noun}s must be {needed}."
        )

    def owner(self) -> np.ndarray:
        """Return the position, among the users, of each id."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def parts(self, values: np.ndarray | list) -> list[list]:
        """Return the values of each user, from those of all users in one."""
        flat = values if isinstance(values, list) else values.tolist()
        ends = np.cumsum(self.sizes).tolist()
        each = zip(self.sizes.tolist(), ends, strict=True)
        return [flat[end - size : end] for size, end in each]

    def labels(self) -> Sequence:
        """Return the users, or their positions."""
        return range(len(self.sizes)) if self.users is None else self.users

    def label(self, position: int) -> Any:
        """Return a user as errors name it."""
        return position if self.users is None else as_python_value(self.users[position])

    def describe(self, entry: int) -> str:
        """Return the words that name the user and the item of an id."""
        position = int(self.owner()[entry])
        item = list(self.rows[position])[entry - int(self.sizes[:position].sum())]
        user = shorten(self.label(position))
        return f"`{self.name}`: item {shorten(as_python_value(item))} of user {user}"


def read_per_user(
    values: Any,
    *,
    name: str,
    ordered: bool = False,
    scored: bool = False,
    single: bool = False,
) -> PerUser:
    """Read the ids or grades of each user from `values`.

    `ordered`: the order of ids matters, unless they are `scored` and may come in mappings
    from id to score. `single`: a user may have one id in place of several.
    """
    values = as_mapping(values)
    users, rows = _split_users(values, name)
    missing = first_missing(users or [])
    if users is not None and missing is not None:
        raise ValueError(
            f"`{name}` has the user {users[missing]!r}, a missing value, at position "
            f"{missing}; name or remove it."
        )
    if scored and not isinstance(rows, np.ndarray):
        rows = hits_as_pairs(rows, name)
    if single and not isinstance(rows, np.ndarray):
        rows = _wrap_single_ids(rows)
    in_order = not isinstance(values, Mapping)
    if isinstance(rows, np.ndarray):
        sizes = np.full(rows.shape[0], rows.shape[1])
        return PerUser(name, users, rows, sizes, {np.ndarray}, in_order)
    types = set(map(type, rows))
    if any(issubclass(kind, np.ma.MaskedArray) for kind in types):
        rows = list(map(plain_array, rows))
        types = set(map(type, rows))
    result = PerUser(name, users, rows, np.zeros(0, dtype=np.intp), types, in_order)
    for unfit, advice in _unfit_types(types, ordered, scored):
        position = next(i for i, row in enumerate(rows) if type(row) is unfit)
        raise TypeError(
            f"`{name}` of user {shorten(result.label(position))} is "
            f"{show_id(rows[position])}; {advice}{_split_advice(rows[position])}"
        )
    if np.ndarray in types:
        _check_one_dimensional(result)
    return result._replace(sizes=_row_sizes(rows))


def align_users(truth: PerUser, lists: PerUser) -> tuple[np.ndarray, PerUser, PerUser]:
    """Return the labels of all users, and both sides with a row for each of them."""
    if truth.users is not None and lists.users is not None:
        return _align_mappings(truth, lists)
    for mapping, partner in ((truth, lists), (lists, truth)):
        if not mapping.in_order:
            raise TypeError(
                f"`{mapping.name}` is a mapping over users, but `{partner.name}` is a "
                "sequence. Pass two sequences in the same order of users, or two "
                "mappings, such as dict(zip(users, sequence))."
            )
    n_users = len(truth.sizes)
    if n_users != len(lists.sizes):
        raise ValueError(
            f"`{truth.name}` has {n_users} users, but `{lists.name}` has "
            f"{len(lists.sizes)}. Sequences are matched by position, so both need every "
            "user, if only with an empty list; mappings are matched by key."
        )
    users = lists.users if truth.users is None else truth.users
    labels = np.arange(n_users) if users is None else as_vector(users, name="users")
    return labels, truth._replace(users=users), lists._replace(users=users)


def _align_mappings(truth: PerUser, lists: PerUser) -> tuple[np.ndarray, PerUser, PerUser]:
    left, right = truth.users or [], lists.users or []
    if left == right:
        return as_vector(left, name="users"), truth, lists
    left, right = with_python_moments(left), with_python_moments(right)
    truth, lists = truth._replace(users=left), lists._replace(users=right)
    check_users_comparable(left, right, (truth.name, lists.name))
    everyone = list(dict.fromkeys(chain(left, right)))
    if len(everyone) == len(left) + len(right):
        check_common_users(left, right, (truth.name, lists.name))
    labels = as_vector(everyone, name="users")
    return labels, _reorder_rows(truth, everyone), _reorder_rows(lists, everyone)


def _reorder_rows(values: PerUser, everyone: list) -> PerUser:
    if values.users == everyone:
        return values
    row_of = dict(zip(values.users or [], values.rows, strict=True))
    rows = [row_of.get(user, ()) for user in everyone]
    return PerUser(values.name, everyone, rows, _row_sizes(rows), set(map(type, rows)))


def check_users_comparable(one: Sequence, other: Sequence, names: Sequence[str]) -> None:
    """Raise where users of one side can never equal those of the other."""
    check_comparable(
        one,
        other,
        [f"`{name}`" for name in names],
        noun="user",
        words="Users cannot be compared",
    )


def _split_users(values: Any, name: str) -> tuple[list | None, Any]:
    """Return the users (if None, by position) and one row per user."""
    if isinstance(values, np.ndarray):
        values = np.asarray(plain_array(values))
    if hasattr(type(values), "columns"):
        raise TypeError(f"`{name}` is a DataFrame; use from_frames for tables.")
    if hasattr(values, "tocsr"):
        raise TypeError(
            f"`{name}` is a sparse matrix; pass matrices to the metrics themselves, or "
            "each user's ids, such as matrix[[user]].indices of a CSR matrix."
        )
    if isinstance(values, Mapping):
        return list(values), list(values.values())
    if hasattr(values, "iloc"):  # a pandas Series, such as groupby(...).agg(list)
        if not values.index.is_unique:
            twice = values.index[values.index.duplicated()][0]
            raise ValueError(f"`{name}` has user {show_id(twice)} twice in its index.")
        return values.index.tolist(), values.tolist()
    if isinstance(values, np.ndarray) and values.ndim != 1:
        if values.ndim == 2:
            return None, values
        raise ValueError(f"`{name}` must have one row per user, got shape {values.shape}.")
    are_several = isinstance(values, Iterable) and not isinstance(values, str | bytes)
    check_given(name, values, are_several, "a mapping or a sequence over users")
    if isinstance(values, set | frozenset):
        raise TypeError(
            f"`{name}` is a set, whose users have no order; pass a mapping or a list."
        )
    return None, values.to_list() if hasattr(values, "to_list") else list(values)


def _split_advice(row: Any) -> str:
    """Return what to do with a string that holds several ids."""
    way = ".split(), in a column by .str.split()"
    if isinstance(row, str) and row.startswith("["):
        way = "ast.literal_eval, in a column by .map(ast.literal_eval)"
    elif not isinstance(row, str) or len(row.split()) < 2:
        return ""
    return f" Strings such as this one become lists by {way}."


def _row_sizes(rows: list) -> np.ndarray:
    return np.fromiter(map(len, rows), np.intp, len(rows))


def _wrap_single_ids(rows: list) -> list:
    """Return rows with each single id in a list of its own."""
    kinds = set(map(type, rows))
    single = {k for k in kinds if issubclass(k, str | bytes) or not hasattr(k, "__iter__")}
    return [[row] if type(row) in single else row for row in rows] if single else rows


def _unfit_types(
    types: set[type], ordered: bool, scored: bool
) -> Iterable[tuple[type, str]]:
    for kind in types:
        if issubclass(kind, str | bytes) or not hasattr(kind, "__len__"):
            yield kind, "each user or query needs a list, even of a single value."
        elif hasattr(kind, "tocsr"):
            yield kind, "of a CSR matrix, pass the indices of the row."
        elif hasattr(kind, "columns"):
            yield kind, "of a table, pass the column of ids."
        elif ordered and not scored and issubclass(kind, Mapping):
            yield kind, "rank its keys: sorted(scores, key=scores.get, reverse=True)."
        elif ordered and issubclass(kind, set | frozenset):
            yield kind, "a set has no order: pass a list, best first."


def _check_one_dimensional(values: PerUser) -> None:
    for position, row in enumerate(values.rows):
        if isinstance(row, np.ndarray) and row.ndim != 1:
            raise ValueError(
                f"`{values.name}` of user {shorten(values.label(position))} has {row.ndim} "
                "dimensions; each user needs a 1-D array of ids."
            )
