"""`new_users=`: the recommender for unknown users."""

from typing import Any

from sklearn.base import clone

from sklearn_rank._validation import check_option, shorten
from sklearn_rank.recommenders._lists_mixin import ListsMixin

_POPULAR = "popularity"
_EXAMPLE = 'PopularityRecommender(half_life="10D", time="time")'


def fit_for_new_users(recommender: Any, X: Any, y: Any) -> Any:
    """Return `new_users` of a recommender fitted on the same columns; None: popularity."""
    given = recommender.new_users
    if isinstance(given, str):
        otherwise = f"Or give a recommender, such as {_EXAMPLE}."
        check_option("new_users", given, [_POPULAR], otherwise=otherwise)
        return None
    if not isinstance(given, ListsMixin):
        raise TypeError(
            f"`new_users` must be {_POPULAR!r} or a recommender of this package, such as "
            f"{_EXAMPLE}, got {shorten(given)}."
        )
    other = with_columns_of(recommender, given).fit(X, y)
    columns = other.user_column_, other.item_column_
    if other._pair_positions != recommender._pair_positions:
        raise ValueError(
            f"`new_users` has users and items in the columns {columns}, but "
            f"{type(recommender).__name__} in "
            f"{(recommender.user_column_, recommender.item_column_)}; leave out `user` and "
            "`item` of `new_users`."
        )
    return other


def with_columns_of(recommender: Any, given: Any) -> Any:
    """Return a copy of another recommender; it takes missing columns from this one."""
    other = clone(given)
    known = {
        "user": recommender.user_column_,
        "item": recommender.item_column_,
        "time": recommender.time,
    }
    own = other.get_params(deep=False)
    return other.set_params(
        **{name: known[name] for name in known if own.get(name, 0) is None}
    )
