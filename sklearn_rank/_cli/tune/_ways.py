"""The ways to hold rows out, by --cv: for the comparison in the end, and for the folds.

Whom and what rows are judged by is the same everywhere: users with a past, for a model
shows the same items to all who have none; and items that are new to the user, for nothing
else is recommended.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    Random,
    TimeSplit,
    UserKFold,
)

JUDGED_BY = {"cold_users": "drop", "seen_items": "drop"}
COLUMNS = {"user": "user", "item": "item"}
TIMED = {**COLUMNS, "time": "time"}
# Of the rows of a user who is held out; from the others a model knows the user.
SHARE_OF_USER = 0.2


@dataclass(frozen=True)
class Way:
    """A way to hold rows out."""

    training: str
    held_out: str
    folds: str
    # What a fold needs, for the error where the rows do not suffice.
    fold_needs: str
    # Share of the rows, or of the users, and whom and what to judge by.
    hold_out: Callable[..., Any]
    # The number of folds, the share that --holdout says, and the same.
    cut: Callable[..., Any]
    columns: tuple[str, ...] = ("user", "item", "time")


def _random_rows(n_folds: int, share: float, **judged_by: str) -> LeaveRandomOut:
    return LeaveRandomOut(share, n_folds, random_state=0, **COLUMNS, **judged_by)


def _some_users(n_folds: int, share: float, **judged_by: str) -> UserKFold:
    return UserKFold(
        n_folds,
        Random(SHARE_OF_USER),
        fold_in=True,
        shuffle=True,
        random_state=0,
        **COLUMNS,
        **judged_by,
    )


TIME = Way(
    training="training period",
    held_out="last period",
    folds=", windows of time, within the training period",
    fold_needs="windows of time with rows before them",
    hold_out=lambda share, **judged_by: TimeSplit(1, share, **TIMED, **judged_by),
    # As long as the last period, but at least half of the rows stay for training.
    cut=lambda n_folds, share, **judged_by: TimeSplit(
        n_folds, min(share, 0.5 / n_folds), **TIMED, **judged_by
    ),
)
RANDOM = Way(
    training="training rows",
    held_out="held-out rows",
    folds=" of random rows of each user, within the training rows",
    fold_needs="users with two rows",
    hold_out=lambda share, **judged_by: _random_rows(1, share, **judged_by),
    cut=_random_rows,
    columns=("user", "item"),
)
WAYS = {
    "time": TIME,
    "last": replace(
        TIME,
        folds=", last rows of each user, within the training period",
        fold_needs="users with more rows than there are folds",
        cut=lambda n_folds, share, **judged_by: LeaveLastOut(
            n_splits=n_folds, **TIMED, **judged_by
        ),
    ),
    "random": RANDOM,
    "user": replace(
        RANDOM,
        folds=" of users, some rows of each, within the training rows",
        fold_needs="as many users with two rows as there are folds",
        # Folds of users, of which the first is taken.
        hold_out=lambda share, **judged_by: _some_users(
            max(round(1 / share), 2), share, **judged_by
        ),
        cut=_some_users,
    ),
}
