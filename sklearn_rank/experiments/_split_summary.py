"""The held-out rows in numbers and words, and why some of them do not count."""

from dataclasses import dataclass, field

from sklearn_rank._text._wording import counted

LEFT_OUT = {
    "undefined": "of queries for which the metric is undefined",
    "new_users": "of new users: a model recommends the same items to all of them, the "
    "popular ones or, with a half-life, the recently popular ones",
    "repeats": "that repeat an item the user had: only new items are recommended",
    "not_relevant": "of a rating that is not relevant",
}
BRIEFLY = {
    "undefined": "of queries for which the metric is undefined",
    "new_users": "of new users",
    "repeats": "repeats",
    "not_relevant": "of ratings that are not relevant",
}
# Below one of these, what is found may not hold for the other users.
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
    n_units: int  # users or queries that judge
    n_all_units: int  # of the whole data
    test_size: float | None = None  # None where the test was given
    left_out: dict[str, int] = field(default_factory=dict)  # why -> rows held out
    n_new_items: int = 0  # judged rows whose item the training rows lack
    periods: tuple[str, str] | None = None  # of the training rows and the others
    more: str = ""  # which argument holds out more users, in words

    @property
    def few_judge(self) -> bool:
        """Whether so few users judge that the result may not hold for the others."""
        return self.n_units < max(FEW_USERS, SMALL_SHARE * self.n_all_units)

    def describe(self) -> str:
        """Return the two parts as lines of text."""
        until = "" if self.test_size is None else f" (`test_size` {self.test_size:g})"
        lines = [
            f"{self._named(0)}: {counted(self.n_train, 'row')}",
            f"{self._named(1)}, kept back until the end{until}: "
            + counted(self.n_held_out, "row"),
            *(
                f"  left out {counted(n, 'row')} {LEFT_OUT[why]}"
                for why, n in self.left_out.items()
                if n
            ),
            f"  to judge by: {counted(self.n_judged, 'row')} of "
            + counted(self.n_units, self.unit),
        ]
        if self.n_new_items:
            lines.append(
                f"  {self.n_new_items:,} of them with items that are not in the "
                f"{self.training}: no candidate can find them, so they count as missed"
            )
        if self.few_judge:
            lines.append(
                f"  Few users are evaluated: {self.n_units:,} of {self.n_all_units:,} "
                f"({self.n_units / self.n_all_units:.1%}). The result may not hold for the "
                f"others; {self.more} evaluates more of them."
            )
        return "\n".join(lines)

    def brief(self) -> str:
        """Return who judges."""
        period = "" if self.periods is None else f", {self.periods[1]}"
        text = (
            f"{self.held_out.capitalize()}{period}: {counted(self.n_judged, 'row')} of "
            f"{counted(self.n_units, self.unit)} judge"
        )
        parts = [f"{n:,} {BRIEFLY[why]}" for why, n in self.left_out.items() if n]
        return f"{text} ({' and '.join(parts)} left out)" if parts else text

    def _named(self, part: int) -> str:
        name = (self.training, self.held_out)[part].capitalize()
        return name if self.periods is None else f"{name}, {self.periods[part]}"
