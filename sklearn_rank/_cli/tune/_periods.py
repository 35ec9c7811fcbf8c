"""The training period and the last period, which is not looked at before the end."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted, show_period
from sklearn_rank._cli.tune._log import InteractionLog
from sklearn_rank.model_selection import TimeSplit

# Whom and what a fold is judged by, the last period as well as those of the search: users
# with a past, for a model shows the same items to all who have none; and items that are new
# to the user, for nothing else is recommended.
SPLITTER_OPTIONS = {
    "user": "user",
    "item": "item",
    "time": "time",
    "cold_users": "drop",
    "seen_items": "drop",
}
LEFT_OUT = {
    "new_users": "of users new in this period: with no past to go by, a model shows "
    "all of them the same items",
    "repeats": "that repeat an item the user had: only new items are recommended",
    "not_relevant": "of a rating that is not relevant",
}
ALL = {"cold_users": "keep", "seen_items": "keep"}
OF_KNOWN_USERS = {"seen_items": "keep"}


@dataclass(frozen=True)
class Periods:
    """The log cut in two by time."""

    train: pd.DataFrame
    y_train: np.ndarray | None
    test: pd.DataFrame
    y_test: np.ndarray | None
    holdout: float
    n_held_out: int
    left_out: dict[str, int]  # key of LEFT_OUT -> rows of the last period
    n_new_items: int  # rows of the last period whose item the training period lacks

    def describe(self) -> str:
        """Return the two periods as lines of text."""
        lines = [
            f"Training period, {show_period(self.train['time'])}: "
            + counted(len(self.train), "row"),
            f"Last period, {show_period(self.test['time'])}, kept back until the end "
            f"(--holdout {self.holdout:g}): " + counted(self.n_held_out, "row"),
            *(
                f"  left out {counted(n, 'row')} {LEFT_OUT[why]}"
                for why, n in self.left_out.items()
                if n
            ),
            f"  to judge by: {counted(len(self.test), 'row')} of "
            + counted(self.test["user"].nunique(), "user"),
        ]
        if self.n_new_items:
            lines.append(
                f"  {self.n_new_items:,} of them of items new in this period, which no "
                "candidate can know: they count as missed"
            )
        return "\n".join(lines)


def split_periods(log: InteractionLog, share: float, is_relevant: np.ndarray) -> Periods:
    """Cut off the last period, and leave out of it what cannot tell models apart.

    `is_relevant` is a mask of the rows of the log.
    """
    train, held_out = _cut(log, share, ALL)
    try:
        _, of_known_users = _cut(log, share, OF_KNOWN_USERS)
        _, new_to_user = _cut(log, share, {})
    except InputError as error:
        raise InputError(
            f"The last period (--holdout {share:g}, {counted(len(held_out), 'row')}) "
            "leaves nothing to judge by: all its users are new in it, or repeat items "
            "they had before. Change --holdout, or check --user and --item."
        ) from error
    test = new_to_user[is_relevant[new_to_user]]
    if len(test) == 0:
        raise InputError(
            f"The last period (--holdout {share:g}, {counted(len(held_out), 'row')}) "
            "has no relevant row to judge by. Change --holdout or --min-relevance."
        )
    is_known = log.X["item"].iloc[test].isin(log.X["item"].iloc[train])
    return Periods(
        train=log.X.iloc[train],
        y_train=None if log.y is None else log.y[train],
        test=log.X.iloc[test],
        y_test=None if log.y is None else log.y[test],
        holdout=share,
        n_held_out=len(held_out),
        left_out={
            "new_users": len(held_out) - len(of_known_users),
            "repeats": len(of_known_users) - len(new_to_user),
            "not_relevant": len(new_to_user) - len(test),
        },
        n_new_items=int(np.count_nonzero(~is_known)),
    )


def _cut(log: InteractionLog, share: float, changed: dict[str, Any]) -> tuple:
    splitter = TimeSplit(test_size=share, **{**SPLITTER_OPTIONS, **changed})
    try:
        return next(splitter.split(log.X))
    except ValueError as error:
        raise InputError(
            f"The last period (--holdout {share:g}) cannot be cut off: {error}"
        ) from error
