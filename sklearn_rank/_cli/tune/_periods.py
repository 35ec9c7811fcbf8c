"""The rows to train on and the rows held out, which are not looked at before the end."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted, show_period
from sklearn_rank._cli._log import InteractionLog
from sklearn_rank._cli.tune._ways import JUDGED_BY, WAYS, Way

LEFT_OUT = {
    "new_users": "of users new in them: with no past to go by, a model shows all of them "
    "the same items, those that are popular or, where popularity fades, popular lately",
    "repeats": "that repeat an item the user had: only new items are recommended",
    "not_relevant": "of a rating that is not relevant",
}
KEPT = {"cold_users": "keep", "seen_items": "keep"}
OF_KNOWN_USERS = {"cold_users": "drop", "seen_items": "keep"}
# Below one of these, what is found may not hold for the other users.
FEW_USERS = 100
SMALL_SHARE = 0.25


@dataclass(frozen=True)
class Periods:
    """The log cut in two."""

    way: Way
    train: pd.DataFrame
    y_train: np.ndarray | None
    test: pd.DataFrame
    y_test: np.ndarray | None
    holdout: float
    held_out: pd.DataFrame  # with what is left out of the test
    n_users: int  # of the whole log
    left_out: dict[str, int]  # key of LEFT_OUT -> rows held out
    n_new_items: int  # rows of the test whose item the training rows lack

    @property
    def n_judging(self) -> int:
        """Number of users that the test is about."""
        return self.test["user"].nunique()

    @property
    def judge_few(self) -> bool:
        """Whether so few users judge that the others may be otherwise."""
        return self.n_judging < max(FEW_USERS, SMALL_SHARE * self.n_users)

    def describe(self) -> str:
        """Return the two parts as lines of text."""
        lines = [
            f"{self._named(self.way.training, self.train)}: "
            + counted(len(self.train), "row"),
            f"{self._named(self.way.held_out, self.held_out)}, kept back until the end "
            f"(--holdout {self.holdout:g}): " + counted(len(self.held_out), "row"),
            *(
                f"  left out {counted(n, 'row')} {LEFT_OUT[why]}"
                for why, n in self.left_out.items()
                if n
            ),
            f"  to judge by: {counted(len(self.test), 'row')} of "
            + counted(self.n_judging, "user"),
        ]
        if self.n_new_items:
            lines.append(
                f"  {self.n_new_items:,} of them of items that the {self.way.training} "
                "has not, which no candidate can know: they count as missed"
            )
        if self.judge_few:
            lines.append(
                f"  Few users judge: {self.n_judging:,} of {self.n_users:,} "
                f"({self.n_judging / self.n_users:.1%}). What is found here may not hold "
                f"for the others; {self._how_to_ask_more()} asks more of them."
            )
        return "\n".join(lines)

    def _how_to_ask_more(self) -> str:
        more = "a larger --holdout"
        return more if self.way is WAYS["random"] else f"{more}, or --cv random,"

    def _named(self, name: str, rows: pd.DataFrame) -> str:
        period = f", {show_period(rows['time'])}" if "time" in rows else ""
        return name.capitalize() + period


def split_periods(
    log: InteractionLog, cv: str, share: float, is_relevant: np.ndarray
) -> Periods:
    """Hold rows out, and leave out of them what cannot tell models apart.

    `is_relevant` is a mask of the rows of the log.
    """
    way = WAYS[cv]
    try:
        train, held_out = next(way.hold_out(share, **KEPT).split(log.X))
    except ValueError as error:
        raise InputError(
            f"The {way.held_out} (--holdout {share:g}) cannot be cut off "
            f"{_size(log.X)}. Change --holdout or --cv, or check the columns."
        ) from error
    said = f"The {way.held_out} (--holdout {share:g}, {counted(len(held_out), 'row')})"
    try:
        _, of_known_users = next(way.hold_out(share, **OF_KNOWN_USERS).split(log.X))
        _, new_to_user = next(way.hold_out(share, **JUDGED_BY).split(log.X))
    except ValueError as error:
        raise InputError(
            f"{said} leaves nothing to judge by: all its users are new in it, or repeat "
            "items they had before. Change --holdout, or check --user and --item."
        ) from error
    test = new_to_user[is_relevant[new_to_user]]
    if len(test) == 0:
        raise InputError(
            f"{said} has no relevant row to judge by. Change --holdout or --min-relevance."
        )
    is_known = log.X["item"].iloc[test].isin(log.X["item"].iloc[train])
    return Periods(
        way=way,
        train=log.X.iloc[train],
        y_train=None if log.y is None else log.y[train],
        test=log.X.iloc[test],
        y_test=None if log.y is None else log.y[test],
        holdout=share,
        held_out=log.X.iloc[held_out],
        n_users=log.n_users,
        left_out={
            "new_users": len(held_out) - len(of_known_users),
            "repeats": len(of_known_users) - len(new_to_user),
            "not_relevant": len(new_to_user) - len(test),
        },
        n_new_items=int(np.count_nonzero(~is_known)),
    )


def _size(X: pd.DataFrame) -> str:
    """Return in words how much there is to cut."""
    text = f"{counted(len(X), 'row')} of {counted(X['user'].nunique(), 'user')}"
    return f"{text} at {counted(X['time'].nunique(), 'time')}" if "time" in X else text
