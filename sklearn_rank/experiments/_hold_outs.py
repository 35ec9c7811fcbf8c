"""The ways to hold rows of a log out: for the test, and for the folds of the search.

Models are tested on the same rows everywhere: those of users with training rows, because a
model shows the same items to all other users; and those of items that are new to the user,
unless models may also recommend seen items.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._validation import check_option, shorten
from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    Random,
    TimeSplit,
    UserKFold,
)

# Share of the rows of a held-out user; the model learns the user from the other rows.
SHARE_OF_USER = 0.2


@dataclass(frozen=True)
class HoldOut:
    """A way to hold rows out."""

    name: str  # the value of `cv`
    training: str
    held_out: str
    folds: str
    uses_times: bool = True

    def make_splitter(
        self, columns: Any, share: float, seed: Any, n: int | None = None, **filters: Any
    ) -> Any:
        """Return the splitter of the test, or of `n` folds."""
        options = {**columns, **filters}
        if self.name == "user":
            # The first fold of users is the test.
            n = max(round(1 / share), 2) if n is None else n
            drawing = {"fold_in": True, "shuffle": True, "random_state": seed}
            return UserKFold(n, Random(SHARE_OF_USER), **drawing, **options)
        if not self.uses_times:
            return LeaveRandomOut(share, n or 1, random_state=seed, **options)
        if n is None:
            return TimeSplit(1, share, **options)
        if self.name == "last":
            return LeaveLastOut(n_splits=n, **options)
        # As long as the last period, but at least half of the rows stay for training.
        return TimeSplit(n, min(share, 0.5 / n), **options)


TIME = HoldOut(
    "time",
    training="training period",
    held_out="last period",
    folds=", windows of time, within the training period",
)
RANDOM = HoldOut(
    "random",
    training="training rows",
    held_out="held-out rows",
    folds=" of random rows of each user, within the training rows",
    uses_times=False,
)
HOLD_OUTS: Mapping[str, HoldOut] = {
    "time": TIME,
    "last": replace(
        TIME, name="last", folds=", last rows of each user, within the training period"
    ),
    "random": RANDOM,
    "user": replace(
        RANDOM, name="user", folds=" of users, some rows of each, within the training rows"
    ),
}


def read_hold_out(cv: Any, time: Any) -> HoldOut:
    """Return how rows are held out: as `cv` names it, or with folds of a splitter."""
    if cv is None or isinstance(cv, str):
        name = "time" if cv is None else cv
        check_option("cv", name, HOLD_OUTS)
        hold_out = HOLD_OUTS[name]
        if hold_out.uses_times and time is None:
            raise ValueError(
                f"`cv={cv!r}` cuts by time: name the column with `time`, or for a log "
                "without times give cv='random' or cv='user'."
            )
        return hold_out
    base = RANDOM if time is None else TIME
    base_of = f" of {type(cv).__name__}, within the {base.training}"
    return replace(base, name=shorten(cv), folds=base_of)


# Why some of the rows held out do not count.
LEFT_OUT = {
    "undefined": "of queries for which the metric is undefined",
    "new_users": "of new users: users without history all get the same popular items",
    "repeats": "that repeat an item the user had: only new items are recommended",
    "not_relevant": "of ratings that are not relevant",
}
# With fewer users than one of these the result may not hold for the others.
FEW_USERS = 100
SMALL_SHARE = 0.25


@dataclass(frozen=True)
class SplitSummary:
    """The rows to train on and those held out, in numbers and words."""

    training: str  # what the rows to train on are called
    held_out: str  # what the others are called
    unit: str  # user or query
    n_train: int
    n_held_out: int  # with what is left out of the test
    n_judged: int  # rows
    n_units: int  # users or queries that count
    n_all_units: int  # of the whole data
    test_size: float | None = None  # None where the test was given
    left_out: dict[str, int] = field(default_factory=dict)  # why -> rows held out
    n_new_items: int = 0  # test rows whose item the training rows lack
    periods: tuple[str, str] | None = None  # of the training rows and the others
    more: str = ""  # which argument holds out more users, in words

    @property
    def has_few_units(self) -> bool:
        """Whether so few users count that the result may not hold for the others."""
        return self.n_units < max(FEW_USERS, SMALL_SHARE * self.n_all_units)

    def describe(self) -> str:
        """Return the two parts as lines of text."""
        until = "" if self.test_size is None else f" (`test_size` {self.test_size:g})"
        lines = [
            f"{self._named(0)}: {quantity(self.n_train, 'row')}",
            f"{self._named(1)}, kept back until the end{until}: "
            + quantity(self.n_held_out, "row"),
            *(
                f"  left out {quantity(n, 'row')} {LEFT_OUT[why]}"
                for why, n in self.left_out.items()
                if n
            ),
            f"  evaluated on {quantity(self.n_judged, 'row')} of "
            + quantity(self.n_units, self.unit),
        ]
        if self.n_new_items:
            lines.append(
                f"  {self.n_new_items:,} of them with items that are not in the "
                f"{self.training}; they count as misses"
            )
        if self.has_few_units:
            lines.append(
                f"  Few users are evaluated: {self.n_units:,} of {self.n_all_units:,} "
                f"({self.n_units / self.n_all_units:.1%}). The result may not hold for the "
                f"others; {self.more} evaluates more of them."
            )
        return "\n".join(lines)

    def brief(self) -> str:
        """Return the rows that count in one line."""
        period = "" if self.periods is None else f", {self.periods[1]}"
        text = (
            f"{self.held_out.capitalize()}{period}: evaluated on "
            f"{quantity(self.n_judged, 'row')} of {quantity(self.n_units, self.unit)}"
        )
        briefly = {why: text.partition(":")[0] for why, text in LEFT_OUT.items()}
        briefly["repeats"] = "repeats"
        parts = [f"{n:,} {briefly[why]}" for why, n in self.left_out.items() if n]
        return f"{text} ({' and '.join(parts)} left out)" if parts else text

    def _named(self, part: int) -> str:
        name = (self.training, self.held_out)[part].capitalize()
        return name if self.periods is None else f"{name}, {self.periods[part]}"
