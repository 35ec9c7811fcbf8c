"""Call a recommender, and read its training data.

Other libraries use other names. The arguments of `recommend` are read from its signature,
never from the name of a class or a package.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._labels import as_list, as_vector, find_labels
from sklearn_rank._base._numbers import has_rows
from sklearn_rank.inputs._item_lists import ListPositions
from sklearn_rank.metrics._core._catalogue import Catalogue, has_part, references_of
from sklearn_rank.metrics._core._catalogue_parts import PartById, UserItems, require_ids
from sklearn_rank.metrics._core._known_items import check_catalogue
from sklearn_rank.metrics._core._metric import BoundMetric

# Names of the argument for the length of lists, if it is not positional.
_LENGTH = ("k", "n_items", "n_recommendations", "n", "N")

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class TrainingData(NamedTuple):
    """The training data of a fitted recommender; None for unknown parts."""

    users: np.ndarray | None
    items: np.ndarray | None
    seen: sparse.csr_array | None  # users × items, an entry for each pair

    def seen_by(self, users: np.ndarray) -> sparse.csr_array | None:
        """Return the pairs of some users; unknown users have none."""
        if self.users is None or self.items is None or self.seen is None:
            return None
        code = find_indices(self.users, users, name="users")
        row = np.flatnonzero(code >= 0)
        shape = (len(users), len(self.users))
        chosen = sparse.csr_array((np.ones(len(row)), (row, code[row])), shape=shape)
        return sparse.csr_array(chosen @ self.seen, dtype=bool)

    def count_seen(self, users: np.ndarray, user: np.ndarray, item: np.ndarray) -> int:
        """Return how many pairs are pairs of the training data.

        `user` has indices of users and `item` codes of items; unknown items have the
        largest codes. 0 if the data are unknown.
        """
        if len(item) == 0 or self.users is None or self.items is None or self.seen is None:
            return 0
        row = find_indices(self.users, users, name="users")[user]
        is_known = (row >= 0) & (item < len(self.items))
        if not is_known.any():
            return 0
        row, column = row[is_known], item[is_known]
        return int(np.count_nonzero(np.asarray(self.seen[row, column])))

    def are_pairs(self, row: np.ndarray, item: np.ndarray) -> bool:
        """Return whether pairs are those of the training data: each of them, no others.

        `row` has indices of its users, -1 for others, and `item` codes of items.
        """
        if self.items is None or self.seen is None or len(row) < self.seen.nnz:
            return False
        if (row < 0).any() or (item >= len(self.items)).any():
            return False
        n_distinct = len(np.unique(row * len(self.items) + item))
        return n_distinct == self.seen.nnz and bool(np.all(self.seen[row, item]))


def training_data_of(recommender: Any) -> TrainingData:
    """Return the training data of a fitted recommender.

    Attributes of these names with other types of values are ignored.
    """
    users = _ids_in(recommender, "users_", "user_ids_")
    items = _ids_in(recommender, "items_", "item_ids_")
    return TrainingData(users, items, _seen_in(recommender, users, items))


def length_of_lists(recommender: Any, k: int | None, items: np.ndarray | None) -> int:
    """Return how many items to ask for: `k` (if None, all), but not more than there are."""
    if k is None and items is None:
        if hasattr(recommender, "_recommend_positions"):  # of this package
            check_is_fitted(recommender)
        raise TypeError(
            f"{type(recommender).__name__} has no `items_`, so its whole catalogue cannot "
            "be ranked; use a metric with a cutoff, such as 'ndcg@10'."
        )
    lengths = (k, None if items is None else len(items))
    return min(length for length in lengths if length is not None)


def _ids_in(recommender: Any, *names: str) -> np.ndarray | None:
    ids = _first_attribute(recommender, *names)
    if isinstance(ids, Mapping | Set):
        ids = list(ids)
    if ids is None or not has_rows(ids) or getattr(ids, "ndim", 1) != 1:
        return None
    return as_vector(ids, name=names[0])


def _seen_in(
    recommender: Any, users: np.ndarray | None, items: np.ndarray | None
) -> sparse.csr_array | None:
    seen = _first_attribute(recommender, "seen_", "interactions_")
    if users is None or items is None:
        return None
    if getattr(seen, "shape", None) != (len(users), len(items)):
        return None
    stored = sparse.csr_array(seen)
    entries = np.ones(stored.nnz, dtype=bool)  # a rating of 0 counts as seen
    return sparse.csr_array((entries, stored.indices, stored.indptr), shape=stored.shape)


def _first_attribute(recommender: Any, *names: str) -> Any:
    values = (getattr(recommender, name, None) for name in names)
    return next((value for value in values if value is not None), None)


def find_indices(labels: np.ndarray, values: Any, *, name: str) -> np.ndarray:
    """Return the index of each value among labels in any order, -1 if not found."""
    if labels.dtype.kind == "O" or (labels[1:] >= labels[:-1]).all():
        return find_labels(labels, values, name=name)
    order = np.argsort(labels)
    index = find_labels(labels[order], values, name=name)
    return np.where(index >= 0, order[index], -1)


class RecommenderProtocol:
    """The arguments and results of a recommender's `recommend`."""

    def __init__(self, recommender: Any):
        self.name = type(recommender).__name__
        self._recommend = recommender.recommend
        self._parameters = inspect.signature(recommender.recommend).parameters
        kinds = [parameter.kind for parameter in self._parameters.values()]
        self._takes_any = inspect.Parameter.VAR_KEYWORD in kinds
        self._length = self._name_of_length(kinds)
        self._own_setting = getattr(recommender, "exclude_seen", None)
        self._recommend_places = _own_index_method(recommender)
        self._count_ranks = getattr(recommender, "_ranks_in_lists", None)
        self._catalogue: Any = getattr(recommender, "items_", None)
        is_popularity = getattr(recommender, "_has_popularity_scores", None)
        self._is_popularity = is_popularity or (lambda: True)
        self._has_one_for_new_users = getattr(recommender, "new_users_", None) is not None

    @property
    def pads_lists(self) -> bool:
        """Whether short lists are padded, with scores of -inf."""
        return "return_scores" in self._parameters

    @property
    def shows_new_users_what_is_popular(self) -> bool:
        """Whether users who are not in the training data get the popular items."""
        asks_another = self._has_one_for_new_users or self._is_popularity()
        return self._recommend_places is not None and not asks_another

    @property
    def takes_one_set(self) -> bool:
        """Whether all users of a call share their candidates."""
        return "items" not in self._parameters and "candidates" in self._parameters

    def leaves_out_seen(self, exclude_seen: bool | None) -> bool:
        """Return whether items of the training data are left out, as far as known."""
        if exclude_seen is None:
            exclude_seen = self._own_setting
        if exclude_seen is None and "exclude_seen" in self._parameters:
            exclude_seen = self._parameters["exclude_seen"].default
        return exclude_seen is True

    def check_takes(self, given: Mapping[str, Any]) -> None:
        """Raise if `recommend` has no argument for an option of the scorer."""
        for name, value in given.items():
            if value is not None and not self._takes(name):
                raise TypeError(
                    f"`{name}` was given to the scorer, but {self.name}.recommend has no "
                    f"argument for it; give it one, {name}=, or leave out `{name}`."
                )

    def ask(
        self, users: np.ndarray, k: int, exclude_seen: bool | None, items: Any, exclude: Any
    ) -> Any:
        """Return a ranked list of ids or indices for each user, without padding.

        `items` and `exclude` are ids for all users, or mappings from user to ids.
        """
        arguments: dict[str, Any] = {}
        if self._length is not None:
            arguments[self._length] = k
        if exclude_seen is not None:
            arguments["exclude_seen"] = exclude_seen
        if items is not None:
            arguments["candidates" if self.takes_one_set else "items"] = items
        if exclude is not None:
            arguments |= self._exclusion(users, exclude)
        if self._recommend_places is not None:
            places, scores = self._recommend_places(users, k, **arguments)
            is_shown = ~np.isneginf(scores)
            return ListPositions(is_shown.sum(axis=1), places[is_shown], self._catalogue)
        if self.pads_lists:
            arguments["return_scores"] = True
        length = () if self._length is not None else (k,)
        return _read_answer(self._recommend(users, *length, **arguments), users)

    def count_ranks(
        self,
        users: np.ndarray,
        row: np.ndarray,
        item: np.ndarray,
        exclude_seen: bool | None,
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return how many items are above those of pairs, and the lengths of the lists.

        The lists are of all items; items that are not listed have -1. None for recommenders
        that can only give the lists.
        """
        if self._recommend_places is None or self._count_ranks is None:
            return None
        return self._count_ranks(users, row, item, exclude_seen)

    def _name_of_length(self, kinds: list) -> str | None:
        """Return the name of the argument for the length of lists; None if positional."""
        n_positional = sum(kind in _POSITIONAL for kind in kinds)
        if n_positional >= 2 or inspect.Parameter.VAR_POSITIONAL in kinds:
            return None
        names = [name for name in _LENGTH if name in self._parameters]
        if not names and not self._takes_any:
            raise TypeError(
                f"{self.name}.recommend takes no number of items; a recommender scorer "
                "needs recommend(users, k)."
            )
        return names[0] if names else _LENGTH[0]

    def _takes(self, name: str) -> bool:
        alias = {"items": "candidates", "exclude": "exclude_interactions"}.get(name, name)
        return self._takes_any or name in self._parameters or alias in self._parameters

    def _exclusion(self, users: np.ndarray, exclude: Any) -> dict[str, Any]:
        """Return the excluded items as an argument, ids or pairs."""
        if "exclude" in self._parameters or "exclude_interactions" not in self._parameters:
            return {"exclude": exclude}
        return {"exclude_interactions": _pairs(users, exclude)}


def _own_index_method(recommender: Any) -> Callable | None:
    """Return the method that returns the lists of `recommend` as indices in `items_`.

    One class must define both: overriding or wrapping `recommend` changes the lists.
    """
    kind = type(recommender)
    names = ("recommend", "_recommend_positions")
    owners = [next((c for c in kind.__mro__ if n in vars(c)), None) for n in names]
    is_own = "recommend" not in getattr(recommender, "__dict__", ())
    if owners[0] is None or owners[0] is not owners[1] or not is_own:
        return None
    return recommender._recommend_positions if hasattr(recommender, "items_") else None


def _pairs(users: np.ndarray, exclude: Any) -> np.ndarray:
    """Return a row for each user and excluded id."""
    is_by_user = isinstance(exclude, Mapping)
    parts = list(exclude.values()) if is_by_user else [exclude] * len(users)
    user = np.repeat(users, list(map(len, parts)))
    item = np.concatenate(parts)
    if user.dtype.kind == item.dtype.kind:
        return np.column_stack([user, item])
    table = np.empty((len(user), 2), dtype=object)  # ids keep their types
    table[:, 0], table[:, 1] = user, item
    return table


def _read_answer(answer: Any, users: np.ndarray) -> Any:
    """Return the lists from the result of `recommend`: lists, or lists and scores."""
    if isinstance(answer, Mapping):
        return [answer.get(user, ()) for user in as_list(users)]
    is_pair = isinstance(answer, tuple) and len(answer) == 2
    if not is_pair or any(getattr(part, "ndim", 0) != 2 for part in answer):
        return answer  # also the lists of two users
    items, scores = answer
    is_filler = np.isneginf(scores)
    if not is_filler.any():
        return items
    return [row[~filler] for row, filler in zip(items, is_filler, strict=True)]


# The catalogue of the data that a recommender was fitted to.

# Parts of a fitted recommender; others are given for the scorer.
FITTED_PARTS = frozenset({"popularity", "counts", "n_users", "history"})

# Parts that are also parameters of make_recommender_scorer.
_SCORER_PARTS = ("features", "categories", "distance")

_PARTS_BY_ITEM = ("popularity", "counts", *_SCORER_PARTS)


def read_given_parts(
    given: Mapping[str, Any], wanted: Sequence[BoundMetric]
) -> dict[str, Any]:
    """Return the parts of a catalogue given for a scorer, by id if they have ids.

    Raise if a metric needs a part that no fitted recommender has.
    """
    catalogue = given.get("catalogue")
    check_catalogue([], catalogue)
    parts = {name: given[name] for name in _SCORER_PARTS if name in given}
    if catalogue is not None:
        twice = [name for name in parts if has_part(catalogue, name)]
        if twice:
            raise ValueError(
                f"`{twice[0]}` is given, and `catalogue` has it too; give it once."
            )
        parts |= _parts_of(catalogue)
    for name in _SCORER_PARTS:
        part = parts.get(name)
        if not (part is None or callable(part)):
            require_ids(part, name)
    for name, lacking in _missing_parts(wanted, {*parts, *FITTED_PARTS}.__contains__):
        own = f"`{lacking.key}=` or " if lacking.key in _SCORER_PARTS else ""
        raise ValueError(
            f"Metric {name!r} needs {lacking.holds}, which no recommender has; give "
            f"make_recommender_scorer {own}a `catalogue=` with it."
        )
    return parts


def _parts_of(catalogue: Catalogue) -> dict[str, Any]:
    """Return the parts of a catalogue, each with the ids of its rows."""
    names = (name for name in _PARTS_BY_ITEM if has_part(catalogue, name))
    parts: dict[str, Any] = {name: getattr(catalogue, name) for name in names}
    if catalogue.items is not None:
        parts = {
            name: part if callable(part) else PartById(catalogue.items, part)
            for name, part in parts.items()
        }
    if catalogue.n_users is not None:
        parts["n_users"] = catalogue.n_users
    if has_part(catalogue, "history"):
        parts["history"] = _items_by_user(catalogue, catalogue.users, catalogue.history)
    if has_part(catalogue, "reference"):
        parts["reference"] = _items_by_user(catalogue, *references_of(catalogue))
    return parts


def _items_by_user(catalogue: Catalogue, users: Any, matrix: Any) -> dict[Any, Any]:
    """Return the ids of the items of each user."""
    if users is None or catalogue.items is None:
        raise ValueError(
            "The catalogue of a recommender scorer needs ids; give Catalogue `items` and "
            "`users`."
        )
    bounds = matrix.indptr.tolist()
    return {
        user: catalogue.items[matrix.indices[start:stop]]
        for user, start, stop in zip(users.tolist(), bounds, bounds[1:], strict=False)
    }


def catalogue_of(
    recommender: Any, given: dict[str, Any], wanted: Sequence[BoundMetric] = ()
) -> Catalogue | None:
    """Return the catalogue of the training data; `given` parts take precedence.

    None if there are no parts.
    """
    derived: dict[str, Any] = {}
    data = training_data_of(recommender)
    if data.seen is not None:
        derived = {"items": data.items}
        if "history" not in given:
            seen = sparse.csr_array(data.seen, dtype=float)
            derived["history"] = UserItems(data.users, seen)
    catalogue = Catalogue(**{**derived, **given}) if derived or given else None
    for name, part in _missing_parts(wanted, lambda of: has_part(catalogue, of)):
        raise ValueError(
            f"Metric {name!r} needs {part.holds}, which `users_`, `items_` and `seen_` of "
            f"{type(recommender).__name__} do not give. Give make_recommender_scorer a "
            "`catalogue=` with it, such as Catalogue.from_interactions(train)."
        )
    return catalogue


def _missing_parts(
    wanted: Sequence[BoundMetric], is_known: Callable[[str], bool]
) -> Iterator[tuple[str, Any]]:
    """Yield the names of metrics with each part of a catalogue that they lack."""
    for bound in wanted:
        for part in bound.metric.parts:
            if part.is_missing(bound.parameters, is_known):
                yield bound.name, part
