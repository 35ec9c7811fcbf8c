"""`update`: what a fitted recommender is told while it serves."""

from typing import Any, TypeVar

from sklearn.utils.validation import check_is_fitted

from sklearn_rank._ids._encode import as_list
from sklearn_rank._ids._known_ids import known_ids, read_ids
from sklearn_rank.recommenders._read_pairs import read_dislikes

_Estimator = TypeVar("_Estimator")


class UpdateMixin:
    """Adds `update` to a recommender."""

    dislikes_: dict[Any, tuple]

    def update(self, *, dislikes=None):
        """Add to what is served, without fitting again.

        All of it is replaced at once. Threads that make lists meanwhile serve what there
        was before or what there is now, and nothing between; only one thread may update.

        Parameters
        ----------
        dislikes : DataFrame, ndarray or list of rows, shape (n_pairs, 2), default=None
            Users and items that they do not want to see. `recommend` and `rank` show them
            to these users no more, also with ``exclude_seen=False``; nothing else changes.
            Users may be unknown; items that `fit` has not seen are never shown anyway.
            `fit` forgets dislikes.

        Returns
        -------
        self : object
            The recommender.

        Raises
        ------
        ValueError
            If an id is missing.
        TypeError
            If there is nothing to add, or an id is of a type that none of those in `fit`
            can equal, as in `recommend`.
        """
        check_is_fitted(self)
        if dislikes is None:
            raise TypeError("`update` needs `dislikes`.")
        updated = _copy(self)
        updated._add_dislikes(dislikes)
        self.__dict__ = updated.__dict__
        return self

    def _add_dislikes(self, dislikes: Any) -> None:
        users, items = read_dislikes(self, dislikes)
        known_ids(self, "users_").find(users, name="users in dislikes")
        known_ids(self, "items_").find(items, name="items in dislikes")
        found = dict(self.dislikes_)
        for user, item in zip(as_list(users), as_list(items), strict=True):
            found[user] = (*found.get(user, ()), item)
        self.dislikes_ = found

    def _dislikes_of(self, users: Any) -> dict[Any, tuple]:
        if not self.dislikes_:
            return {}
        asked = as_list(read_ids(users, name="users"))
        return {user: self.dislikes_[user] for user in asked if user in self.dislikes_}


def _copy(recommender: _Estimator) -> _Estimator:
    copied = object.__new__(type(recommender))
    copied.__dict__ = dict(recommender.__dict__)
    return copied


def as_of_now(recommender: _Estimator) -> _Estimator:
    """Return the same recommender, which no update by another thread will change.

    Both share what they keep, until an update gives the first something else.
    """
    current = object.__new__(type(recommender))
    current.__dict__ = recommender.__dict__
    return current
