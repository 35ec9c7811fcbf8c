"""Recommendations as a long table, in the form of ranked rows."""

from typing import Any

import numpy as np

from sklearn_rank._ids._encode import as_vector


class LongTableMixin:
    """A table of what `recommend` returns, for all recommenders."""

    recommend: Any

    def rank(self, users, k=10, *, exclude_seen=None, items=None, exclude=None):
        """Recommend items to users, as a long table.

        Parameters
        ----------
        users : array-like of shape (n_users,)
            User ids, as in `recommend`.
        k : int, default=10
            Length of each list. Users who have fewer items left get fewer.
        exclude_seen : bool, default=None
            Leave out the items the user has in the training data. None: as the
            constructor says.
        items : array-like of item ids or mapping, default=None
            Recommend only these items, as in `recommend`.
        exclude : array-like of item ids or mapping, default=None
            Never recommend these items, as in `recommend`.

        Returns
        -------
        table : dict of str to ndarray
            The columns ``query`` (the user), ``item``, ``rank`` (from 1) and ``score``, as
            the rankers' `rank` returns them. ``pandas.DataFrame(table)`` is a frame of it.
        """
        found, scores = self.recommend(
            users,
            k,
            exclude_seen=exclude_seen,
            items=items,
            exclude=exclude,
            return_scores=True,
        )
        row, place = np.nonzero(~np.isneginf(scores))
        return {
            "query": as_vector(users, name="users")[row],
            "item": found[row, place],
            "rank": place + 1,
            "score": scores[row, place],
        }
