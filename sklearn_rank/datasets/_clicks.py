"""Synthetic clicks of users who read lists from the top."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import as_numbers
from sklearn_rank._base._validation import check_option, check_share, import_pandas
from sklearn_rank._hints._explain import explained
from sklearn_rank.typing import ArrayLike, Bunch, PandasFrame, RandomState

BEHAVIORS = ("position", "cascade")


class _ClickOptions(TypedDict, total=False):
    user: ArrayLike | None
    behavior: Literal["position", "cascade"]
    examination: ArrayLike | None
    stop: float | None
    random_state: RandomState


@overload
def make_click_log(
    rankings: ArrayLike,
    relevance: ArrayLike,
    *,
    user: ArrayLike | None = None,
    behavior: Literal["position", "cascade"] = "position",
    examination: ArrayLike | None = None,
    stop: float | None = None,
    as_frame: Literal[False] = False,
    random_state: RandomState = None,
) -> Bunch: ...


@overload
def make_click_log(
    rankings: ArrayLike,
    relevance: ArrayLike,
    *,
    as_frame: Literal[True],
    **options: Unpack[_ClickOptions],
) -> PandasFrame: ...


@explained
def make_click_log(
    rankings: ArrayLike,
    relevance: ArrayLike,
    *,
    user: ArrayLike | None = None,
    behavior: Literal["position", "cascade"] = "position",
    examination: ArrayLike | None = None,
    stop: float | None = None,
    as_frame: bool = False,
    random_state: RandomState = None,
) -> Bunch | PandasFrame:
    r"""
    Make the clicks of users on lists that they were shown.

    A user clicks an item that he or she looks at with the probability that is its
    relevance. By position, the item at rank r is looked at with a probability
    :math:`\theta_r` that does not depend on the others. In the cascade the user reads
    from above, and after each click stops with a fixed probability. So the truth is
    known that estimates from such a log should come near.

    Parameters
    ----------
    rankings : array-like of shape (n_lists, n_positions)
        Columns of `relevance`, best first: the lists as shown. -1: no item.
    relevance : array-like of shape (n_items,) or (n_users, n_items)
        Probability, from 0 to 1, of a click on an item that is looked at: the same for all
        users, or one row per user.
    user : array-like of shape (n_lists,), default=None
        The user of each list, a row of `relevance`. If None, each list is of another user.
    behavior : {"position", "cascade"}, default="position"
        How users read.
    examination : array-like of shape (n_positions,), default=None
        With "position" the probability that each rank is looked at. If None, 1 / rank.
    stop : float, default=None
        With "cascade" the probability, from 0 to 1, of reading no further after a click.
        If None, 1.
    as_frame : bool, default=False
        Whether to return a pandas DataFrame.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same clicks in every call.

    Returns
    -------
    Bunch or pandas.DataFrame
        One row per item that was shown, list by list: `impression` (number of the list),
        `user`, `item`, `position` (from 1), `clicked` (0 or 1) and `probability` (of a
        click, before anything happened).

    Raises
    ------
    ValueError
        If an item or a user is not in `relevance`, or a number is out of its range; if
        `examination` or `stop` is given for the other behavior.
    ImportError
        If ``as_frame=True`` and pandas is not installed.

    See Also
    --------
    make_interactions : A synthetic log of users, items and times.
    sklearn_rank.online.interleaving_test : From clicks to a preference.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_click_log
    >>> log = make_click_log([[0, 1, 2]] * 1000, [0.2, 0.5, 0.9], random_state=0)
    >>> log.probability[:3].round(3).tolist()  # 0.2, 0.5 / 2, 0.9 / 3
    [0.2, 0.25, 0.3]
    >>> log.clicked.reshape(1000, 3).mean(axis=0).tolist()
    [0.193, 0.249, 0.291]
    """
    check_option("as_frame", as_frame, (True, False))
    check_option("behavior", behavior, BEHAVIORS)
    _check_of_behavior(behavior, examination=examination, stop=stop)
    stop = check_share("stop", 1 if stop is None else stop)
    table = _read_indices("rankings", rankings, 2)
    n_lists, n_positions = table.shape
    chances = _read_probabilities("relevance", relevance)
    users = np.arange(n_lists) if user is None else _read_indices("user", user, 1)
    _check_lists(table, users, chances)
    is_item = table >= 0
    of_user = chances if chances.ndim == 2 else np.broadcast_to(chances, (1, len(chances)))
    row = users if chances.ndim == 2 else np.zeros(n_lists, dtype=np.intp)
    attracts = np.where(is_item, of_user[row[:, np.newaxis], table], 0.0)
    looks = _read_examination(examination, n_positions)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))
    draw, goes_on = rng.random(table.shape), rng.random(table.shape) >= stop
    if behavior == "position":
        probability = attracts * looks
        clicked = draw < probability
    else:
        probability = attracts * _chance_to_reach(1 - stop * attracts)
        would_click = draw < attracts
        clicked = would_click & (_chance_to_reach(~would_click | goes_on) > 0)
    impression = np.broadcast_to(np.arange(n_lists)[:, np.newaxis], table.shape)
    columns = {
        "impression": impression[is_item],
        "user": users[impression[is_item]],
        "item": table[is_item],
        "position": np.broadcast_to(np.arange(1, n_positions + 1), table.shape)[is_item],
        "clicked": clicked[is_item].astype(np.int64),
        "probability": probability[is_item],
    }
    if not as_frame:
        return Bunch(**columns)
    pd = import_pandas("make_click_log(as_frame=True)")
    return pd.DataFrame(columns)


def _check_of_behavior(behavior: str, **given: Any) -> None:
    own = dict(zip(given, BEHAVIORS, strict=True))
    for name, value in given.items():
        if value is not None and own[name] != behavior:
            raise ValueError(
                f"`{name}` goes with behavior={own[name]!r}, and would do nothing with "
                f"{behavior!r}; leave it out."
            )


def _chance_to_reach(goes_on: np.ndarray) -> np.ndarray:
    """Return the product of what is above each place, 1 at the top."""
    reached = np.ones(goes_on.shape)
    reached[:, 1:] = np.cumprod(goes_on[:, :-1], axis=1)
    return reached


def _read_indices(name: str, values: Any, ndim: int) -> np.ndarray:
    indices = as_numbers(values, name)
    are_whole = np.isfinite(indices) & (indices == np.floor(indices))
    if indices.ndim != ndim or not indices.size or not are_whole.all():
        needed = "one row per list" if ndim == 2 else "one value per list"
        raise ValueError(f"`{name}` must be integers, {needed}, got {shorten(values)}.")
    return indices.astype(np.int64)


def _read_probabilities(name: str, values: Any) -> np.ndarray:
    probabilities = as_numbers(values, name).astype(np.float64)
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise ValueError(f"`{name}` must be probabilities, from 0 to 1.")
    return probabilities


def _read_examination(examination: Any, n_positions: int) -> np.ndarray:
    if examination is None:
        return 1 / np.arange(1, n_positions + 1)
    probabilities = _read_probabilities("examination", examination)
    if probabilities.shape != (n_positions,):
        raise ValueError(
            f"`examination` has shape {probabilities.shape}; it needs one value for each "
            f"of the {n_positions} positions."
        )
    return probabilities


def _check_lists(table: np.ndarray, users: np.ndarray, relevance: np.ndarray) -> None:
    if relevance.ndim not in (1, 2) or not relevance.size:
        raise ValueError(
            "`relevance` must have one value per item, or one row per user, got shape "
            f"{relevance.shape}."
        )
    if len(users) != len(table):
        raise ValueError(
            f"`user` has {len(users)} values, but there are {len(table)} lists."
        )
    if users.min() < 0 or (relevance.ndim == 2 and users.max() >= len(relevance)):
        raise ValueError(
            f"`relevance` has {len(relevance)} rows, but users are numbered from "
            f"{users.min()} to {users.max()}."
        )
    if table.min() < -1 or table.max() >= relevance.shape[-1]:
        raise ValueError(
            f"`relevance` is of {relevance.shape[-1]} items, but those in `rankings` are "
            f"numbered from {table.min()} to {table.max()}."
        )
