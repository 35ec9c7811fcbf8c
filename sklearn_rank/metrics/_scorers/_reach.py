"""What a recommender can hit: known users, and relevant rows that it may recommend."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sklearn_rank._ids._encode import as_list
from sklearn_rank._misleading import ENOUGH
from sklearn_rank._validation import shorten
from sklearn_rank.inputs._matching import alike
from sklearn_rank.metrics._scorers._held_out import CodedItems, HeldOut
from sklearn_rank.metrics._scorers._lists_of_users import ListsOfUsers
from sklearn_rank.metrics._scorers._protocol import places_of


@dataclass(frozen=True)
class Reach:
    """Counts of one call of a scorer; unknown counts are 0."""

    name: str  # of the recommender
    users: int
    rows: int  # that are relevant
    unknown_users: int  # who get the popular items, as in recommenders of this package
    unknown_items: int  # rows with an item that is not in the data of fit
    repeats: int  # rows of pairs of the training data, which are left out
    example: tuple | None = None  # a relevant item and one of fit, if all are unknown

    @classmethod
    def of(cls, lists: ListsOfUsers, held_out: HeldOut) -> "Reach":
        """Count the users and the held-out rows that lists cannot reach."""
        data, coded = lists.data, held_out.coded
        unknown_users = unknown_items = repeats = 0
        example = None
        if data.users is not None and lists.protocol.shows_new_users_what_is_popular:
            places = places_of(data.users, held_out.users, name="users")
            unknown_users = int(np.count_nonzero(places < 0))
        if data.items is not None and coded is not None:
            unknown_items = int(np.count_nonzero(coded.codes >= len(data.items)))
            repeats = lists.count_left_out(held_out.user, coded.codes)
            if unknown_items == len(coded.codes) >= ENOUGH:
                example = _example(coded, data.items)
        return cls(
            lists.protocol.name,
            len(held_out.users),
            len(held_out.grade),
            unknown_users,
            unknown_items,
            repeats,
            example,
        )

    def warnings(self, *, are_judged: bool) -> Iterator[tuple[str, str]]:
        """Yield subjects and texts; rows matter only if metrics use relevance."""
        if self.users == self.unknown_users >= ENOUGH:
            yield "users", self._of_users()
        out_of_reach = self.unknown_items + self.repeats
        if are_judged and self.rows >= ENOUGH and 2 * out_of_reach > self.rows:
            yield "rows", self._of_items() if self.example else self._of_rows(out_of_reach)

    def _of_users(self) -> str:
        return (
            f"None of {self.users:,} users is in the data of fit, so {self.name} gives all "
            "of them the popular items, whatever its parameters. Use fold_in=True "
            "(UserKFold) or a split by time."
        )

    def _of_items(self) -> str:
        pair = "; ".join(map(shorten, self.example or ()))
        return (
            f"None of the items in {self.rows:,} relevant rows is in the data of fit "
            f"({pair}), so every score is 0. Check zeros, spaces, types; drop new items "
            "with the splitter's cold_items='drop'."
        )

    def _of_rows(self, out_of_reach: int) -> str:
        text = (
            f"{100 * out_of_reach / self.rows:.0f} % of {self.rows:,} relevant rows cannot "
            f"be hit: {self.repeats:,} repeat pairs of the training data, which "
            f"{self.name} leaves out, and {self.unknown_items:,} hold unknown items."
        )
        if self.repeats:
            text += (
                " To judge repeats, give make_recommender_scorer exclude_seen=False; to "
                "judge the others alone, drop them by the splitter's seen_items='drop'."
            )
        if self.unknown_items:
            text += " Drop rows of new items by the splitter's cold_items='drop'."
        return text


def _example(coded: CodedItems, known: np.ndarray) -> tuple:
    """Return a relevant and a known item, if possible two that look alike."""
    return alike(as_list(coded.labels[np.unique(coded.codes)]), as_list(known))
