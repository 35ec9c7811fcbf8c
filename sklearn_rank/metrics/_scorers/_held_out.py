"""Match held-out rows with the lists of a recommender; held-out rows as targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._ids import as_ids, encode_ids
from sklearn_rank._base._labels import as_list, as_vector, encode_labels, join_labels
from sklearn_rank._base._messages import LEAST_TO_WARN, shorten
from sklearn_rank._base._numbers import check_missing
from sklearn_rank._base._runs import begins_run, cut_runs, order_by_codes, starts_of
from sklearn_rank._ranking._judgments import GradesOfCatalogue
from sklearn_rank._ranking._keys import RankedRows
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._rows import Queries, SideColumn, check_grades
from sklearn_rank.inputs._columns import numbers_of_rows, take_column
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.inputs._item_lists import ListPositions, encode_lists, match_lists
from sklearn_rank.inputs._last_times import compare_times
from sklearn_rank.inputs._look_alikes import describe_look_alikes, find_alike
from sklearn_rank.inputs._times import read_times
from sklearn_rank.metrics._core._evaluate import Evaluation
from sklearn_rank.metrics._core._summaries import fill_undefined
from sklearn_rank.metrics._scorers._lists_of_users import ListRequest, ListsOfUsers
from sklearn_rank.metrics._scorers._recommender_protocol import find_indices
from sklearn_rank.typing import Bunch


class CodedItems(NamedTuple):
    """Items as codes: indices in a catalogue, followed by items that it lacks."""

    codes: np.ndarray
    labels: np.ndarray  # id of each code


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out rows: the graded items of each user, sorted by user."""

    users: np.ndarray  # labels, sorted
    user: np.ndarray  # index of each row's user, ascending
    item: np.ndarray  # id of each row
    grade: np.ndarray  # of each row, > 0
    coded: CodedItems | None = None
    time: np.ndarray | None = None  # of each row, if it was asked for
    rows: np.ndarray | None = None  # where each row is in X

    @property
    def max_grade(self) -> float:
        """The highest grade, 0 without rows."""
        return float(self.grade.max(initial=0))

    def select_users(self, users: slice) -> HeldOut:
        """Return the rows of some users."""
        start, stop = np.searchsorted(self.user, [users.start, users.stop])
        return HeldOut(
            self.users[users],
            self.user[start:stop] - users.start,
            self.item[start:stop],
            self.grade[start:stop],
            self.coded and self.coded._replace(codes=self.coded.codes[start:stop]),
        )

    def with_codes(self, catalogue: np.ndarray) -> HeldOut:
        """Return the rows, with items also as codes."""
        code, labels = find_indices(catalogue, self.item, name="item"), catalogue
        lacking = np.flatnonzero(code < 0)
        if len(lacking):
            ids = encode_ids(as_ids(self.item[lacking]), [])
            distinct, number = np.unique(ids.left, return_inverse=True)
            code[lacking] = len(catalogue) + number
            more = as_vector(ids.labels_of(distinct), name="item")
            labels = join_labels([catalogue, more], name="item")
        return replace(self, coded=CodedItems(code, labels))


def read_held_out(
    X: Any,
    y: Any,
    *,
    user: Any,
    item: Any,
    min_relevance: float | None = None,
    times: np.ndarray | None = None,
) -> HeldOut:
    """Return the relevant rows of X, by user; without `y` all have grade 1.

    For repeated pairs the highest grade counts. With `times` the rows of a user are in
    order of time.
    """
    if y is None and min_relevance is not None and min_relevance > 1:
        raise ValueError(
            f"min_relevance={min_relevance!r} needs y; without y every row counts 1. Pass "
            "y, or leave it out."
        )
    if isinstance(X, Log):
        coded, y = X.users.compact, X.y
        users, codes = coded.values, coded.codes
        items = X.items.values[X.items.codes]
    else:
        users, codes = encode_labels(take_column(X, user, name="user"), name="user")
        items = as_vector(take_column(X, item, name="item"), name="item")
    grade = np.ones(len(items))
    if y is not None:
        grade = numbers_of_rows(y, len(items), name="y").astype(float)
    check_missing("y", np.isnan(grade))
    check_grades(grade, name="y")
    least = 0.0 if min_relevance is None else min_relevance
    rows = np.flatnonzero((grade > 0) & (grade >= least))
    second = -grade if times is None else times
    rows = rows[np.lexsort((second[rows], codes[rows]))]
    time = None if times is None else times[rows]
    return HeldOut(users, codes[rows], items[rows], grade[rows], time=time, rows=rows)


def rows_of_recommender(
    recommender: Any, held_out: HeldOut, k: int, *, return_items: bool = False
) -> Bunch:
    """Return rows for the metrics: lists of `k`, and the missed items."""
    lists = ListsOfUsers(recommender, held_out.users, ListRequest())
    everyone = slice(0, len(held_out.users))
    rows = match_rows(held_out, lists.recommend(everyone, k), return_items=return_items)
    column = rows.get("items")
    if isinstance(column, SideColumn) and column.labels is not None:
        rows["items"] = column.labels[column.values]
    return rows


def match_rows(held_out: HeldOut, lists: Any, *, return_items: bool = False) -> Bunch:
    """Return rows for the metrics from a list of ids or indices for each user.

    Items are codes if lists hold indices, else ids.
    """
    coded, pairs = None, (held_out.users, held_out.user, held_out.grade)
    if isinstance(lists, ListPositions):
        coded = held_out.coded or held_out.with_codes(lists.catalogue).coded
        assert coded is not None
        ids, listed = lists.encode(*coded)
    else:
        ids, listed = encode_lists(lists, held_out.item, held_out.users)
    rows = match_lists(*pairs, ids, listed, return_items)
    if return_items and coded is not None:
        check_missing("items", np.isin(rows["items"], ids.missing()))
        labels, sorted_index = encode_labels(coded.labels, name="items")  # in order
        rows["items"] = SideColumn(sorted_index[rows["items"]], labels)
    elif return_items:
        rows["items"] = as_vector(ids.labels_of(rows["items"]), name="items")
    # Lists end at the requested length.
    rows.y_true = rows.y_true.view(GradesOfCatalogue)
    return rows


def rank_rows(lists: ListsOfUsers, places: slice, held_out: HeldOut) -> RankedLists | None:
    """Return what metrics see of relevant rows in lists of all items, without the lists.

    `held_out` has the rows of the users at `places`. None where the lists are needed.
    """
    if held_out.coded is None:
        return None
    sides = held_out.user, held_out.coded.codes
    order = order_by_codes(sides, [len(held_out.users), len(held_out.coded.labels)])
    # Of an item that a user has more than once, the first counts.
    first = np.sort(order[begins_run(*(codes[order] for codes in sides))])
    user, item = (codes[first] for codes in sides)
    counted = lists.count_ranks(places, user, item)
    if counted is None:
        return None
    above, n_listed = counted
    is_missed = above < 0
    n_missed = np.bincount(user[is_missed], minlength=len(held_out.users))
    above = np.where(is_missed, n_listed[user], above)
    tied = np.where(is_missed, n_missed[user], 1)
    by_rank = np.lexsort((above, user))
    columns = user, np.arange(len(user)), above, tied, above, held_out.grade[first]
    ranked = RankedRows(*(column[by_rank] for column in columns))
    # A user with nothing has one row that is neither relevant nor retrieved.
    return RankedLists(np.maximum(n_listed + n_missed, 1), n_listed, ranked)


# What a recommender can hit: known users, and relevant rows that it may recommend.

# With this share of repeated rows a model that may not repeat pairs has a different task.
_LEAST_SHARE = 0.05


class TimedRows(NamedTuple):
    """How many rows of known users are before their last one of fit, at it and after it."""

    n_before: int
    n_at: int
    n_after: int
    column: Any

    @property
    def n(self) -> int:
        return self.n_before + self.n_at + self.n_after

    @classmethod
    def compare(cls, recommender: Any, X: Any, held_out: HeldOut) -> TimedRows | None:
        """Count the rows; None where times are unknown."""
        last = getattr(recommender, "_last_times", None)
        inner = getattr(recommender, "recommender_", None)
        if last is None and inner is not None:
            return cls.compare(inner, X, held_out)
        users: Any = getattr(recommender, "users_", ())
        if last is None or held_out.rows is None or len(users) != len(last[1].values):
            return None
        row = find_indices(users, held_out.users, name="users")[held_out.user]
        return cls(*compare_times(last, X, held_out.rows, row), last[0])


@dataclass(frozen=True)
class AttainableRows:
    """Counts of one call of a scorer; unknown counts are 0."""

    name: str  # of the recommender
    users: int
    rows: int  # that are relevant
    unknown_users: int = 0  # who get the popular items, as in recommenders of this package
    unknown_items: int = 0  # rows with an item that is not in the data of fit
    repeats: int = 0  # rows of pairs of the training data, which are left out
    are_of_fit: bool = False  # whether the pairs are those of the training data
    example: tuple | None = None  # a relevant item and one of fit, if all are unknown
    alike_users: str | None = None  # that unknown users look like those of fit
    alike_items: str | None = None
    item_column: Any = None
    timed: TimedRows | None = None

    @classmethod
    def compute(
        cls, lists: ListsOfUsers, held_out: HeldOut, **counts: Any
    ) -> AttainableRows:
        """Count the users and the held-out rows that lists cannot hit."""
        data, coded = lists.data, held_out.coded
        row = np.empty(0, dtype=np.intp)
        if data.users is not None:
            places = find_indices(data.users, held_out.users, name="users")
            row = places[held_out.user]
            if lists.protocol.shows_new_users_what_is_popular:
                counts["unknown_users"] = int(np.count_nonzero(places < 0))
            if (places < 0).all() and len(places) >= LEAST_TO_WARN:
                counts["alike_users"] = _describe_alike("user", held_out.users, data.users)
        if data.items is not None and coded is not None:
            n_unknown = int(np.count_nonzero(coded.codes >= len(data.items)))
            counts["unknown_items"] = n_unknown
            counts["repeats"] = lists.count_left_out(held_out.user, coded.codes)
            counts["are_of_fit"] = data.are_pairs(row, coded.codes)
            if n_unknown == len(coded.codes) >= LEAST_TO_WARN:
                counts["example"] = _example(coded, data.items)
            elif n_unknown and 2 * (n_unknown + counts["repeats"]) > len(coded.codes):
                labels = coded.labels[np.unique(coded.codes)]
                counts["alike_items"] = _describe_alike("item", labels, data.items)
        return cls(lists.protocol.name, len(held_out.users), len(held_out.grade), **counts)

    def warnings(self, *, are_judged: bool) -> Iterator[tuple[str, str]]:
        """Yield subjects and texts; rows matter only if metrics use relevance."""
        if self.users == self.unknown_users >= LEAST_TO_WARN:
            text = self.alike_users or (
                f"None of {self.users:,} users is in the data of fit, so {self.name} gives "
                "all of them the popular items, whatever its parameters. Use fold_in=True "
                "(UserKFold), reveal=True (sessions) or a split by time that keeps users."
            )
            yield "users", text
        if are_judged and self.rows >= LEAST_TO_WARN:
            yield from self._describe_rows()

    def _describe_rows(self) -> Iterator[tuple[str, str]]:
        """Yield the first doubt that applies to the relevant rows, with its subject."""
        n_unattainable, timed = self.unknown_items + self.repeats, self.timed
        if self.example:
            yield "new items", self._describe_new_items()
        elif self.are_of_fit and not (timed and timed.n_after):
            yield "rows of fit", self._describe_rows_of_fit()
        elif timed and timed.n >= LEAST_TO_WARN and 2 * timed.n_before > timed.n:
            yield "earlier rows", _describe_earlier_rows(timed)
        elif 2 * n_unattainable > self.rows:
            yield "lost rows", self._describe_lost_rows(n_unattainable)
        elif self.repeats >= max(LEAST_TO_WARN, _LEAST_SHARE * self.rows):
            yield "repeats", self._describe_repeats()

    def _describe_rows_of_fit(self) -> str:
        text = f"The {self.rows:,} relevant rows are those of fit, "
        if not self.repeats:
            return f"{text}so this is a training score. Score held-out rows."
        return (
            f"{text}and {self.name} leaves out what users have, so nothing can be hit. "
            "Score held-out rows; exclude_seen=False gives the training score."
        )

    def _describe_repeats(self) -> str:
        item = f"seen_items='drop', item={self.item_column!r}"
        time = self.timed and f"TimeSplit(time={self.timed.column!r}, {item})"
        return (
            f"{100 * self.repeats / self.rows:.0f}% of {self.rows:,} relevant rows repeat "
            f"a pair of fit, which {self.name} leaves out: they count as misses. Leave "
            f"them out for all models: {time or f'LeaveRandomOut({item})'}, as tune_models "
            "does; or recommend them: exclude_seen=False."
        )

    def _describe_new_items(self) -> str:
        pair = "; ".join(map(shorten, self.example or ()))
        return (
            f"None of the items in {self.rows:,} relevant rows is in the data of fit "
            f"({pair}), so every score is 0. Check zeros, spaces, types; drop new items "
            "with the splitter's cold_items='drop'."
        )

    def _describe_lost_rows(self, unattainable: int) -> str:
        reasons = [f"{self.unknown_items:,} hold unknown items"]
        if self.repeats:
            pairs = f"{self.repeats:,} repeat pairs of the training data"
            reasons.insert(0, f"{pairs}, which {self.name} leaves out")
        text = (
            f"{100 * unattainable / self.rows:.0f}% of {self.rows:,} relevant rows cannot "
            f"be hit: {', and '.join(reasons)}."
        )
        if self.repeats:
            text += (
                " To judge repeats, give make_recommender_scorer exclude_seen=False; to "
                "judge the others alone, drop them by the splitter's seen_items='drop'."
            )
        if self.alike_items:
            text += f" {self.alike_items}"
        elif self.unknown_items:
            text += " Drop rows of new items by the splitter's cold_items='drop'."
        return text


def _describe_earlier_rows(timed: TimedRows) -> str:
    time = f"time={timed.column!r}"
    return (
        f"{100 * timed.n_before / timed.n:.0f}% of {timed.n:,} rows are earlier "
        f"(column {timed.column!r}) than a row of the same user in the data of fit: the "
        f"model was told what came later. Split by time: TimeSplit({time}) or "
        f"LeaveLastOut({time})."
    )


def _describe_alike(noun: str, labels: np.ndarray, of_fit: np.ndarray) -> str | None:
    """Describe unknown ids of X that look like ids of fit."""
    sides = as_list(labels), as_list(of_fit)
    here, there = map(set, sides)
    alone = (
        [label for label in sides[0] if label not in there],
        [label for label in sides[1] if label not in here],
    )
    return describe_look_alikes(noun, ("X", "fit"), alone, lambda: sides, f"{noun}s of fit")


def _example(coded: CodedItems, catalogue: np.ndarray) -> tuple:
    """Return a relevant and a known item, if possible two that look alike."""
    labels = as_list(coded.labels[np.unique(coded.codes)]), as_list(catalogue)
    return next(iter(find_alike(*labels)), (labels[0][0], labels[1][0]))


# Held-out rows as targets, each to be found from the rows of its user before it.


# Shown items in one call of a recommender.
_SHOWN_ITEMS = 2**21


@dataclass(frozen=True, eq=False)
class RevealedTargets:
    """Rows with an earlier row of the same user.

    In `targets` each is a user of its own, named by its number, with one relevant item.
    """

    targets: HeldOut
    items: np.ndarray  # of all rows, by user and time
    starts: np.ndarray  # of each target: where the shown items of its user begin
    ends: np.ndarray  # where those before the target end
    user: np.ndarray  # index of the user of each target
    users: np.ndarray  # labels

    @classmethod
    def from_rows(
        cls, X: Any, y: Any, *, user: Any, item: Any, time: Any, min_relevance: float | None
    ) -> RevealedTargets:
        """Return the targets of the relevant rows of X, which must have some."""
        times = read_times(take_column(X, time, name="time")).values
        ids = {"user": user, "item": item}
        rows = read_held_out(X, y, min_relevance=min_relevance, times=times, **ids)
        assert rows.time is not None  # it was asked for
        index = np.arange(len(rows.user))
        moments = begins_run(rows.user, rows.time)
        ends = np.maximum.accumulate(np.where(moments, index, 0))
        starts = rows.user.searchsorted(rows.user)
        is_target = ends > starts
        n_targets = np.count_nonzero(is_target)
        if not n_targets:
            advice = "pass longer sessions, or leave out `reveal`"
            if begins_run(rows.user).sum() < len(rows.user):
                advice = (
                    "all rows of a user have one time: give an order, such as "
                    f'X["order"] = X.groupby({user!r}).cumcount(), to fit and to the '
                    'scorer, and name it: the model has time="order"'
                )
            raise ValueError(
                "`reveal=True` shows the earlier rows of each user and judges the later "
                f"ones, but none of {len(rows.users):,} user(s) has relevant rows at two "
                f"moments; {advice}."
            )
        users, user = np.unique(rows.user[is_target], return_inverse=True)
        number = np.arange(n_targets)
        targets = HeldOut(number, number, rows.item[is_target], rows.grade[is_target])
        bounds = starts[is_target], ends[is_target]
        return cls(targets, rows.item, *bounds, user, rows.users[users])

    def mean_by_user(self, result: Evaluation) -> Evaluation:
        """Return the mean of the targets of each user, with the sum of their weights."""
        longest = result.longest_list
        joined = Evaluation(result.wanted, Queries(self.users), longest_list=longest)
        for bound in result.wanted:
            values = fill_undefined(result.values[bound.name], bound.replace_undefined_by)
            target_weights = result.weights[bound.name]
            weights = np.ones(len(values)) if target_weights is None else target_weights
            used = np.where(np.isnan(values), 0.0, weights)
            total = np.bincount(self.user, used * np.nan_to_num(values))
            n_used = np.bincount(self.user, used)
            with np.errstate(invalid="ignore"):
                joined.values[bound.name] = total / n_used
            all_weights = np.bincount(self.user, weights)
            joined.weights[bound.name] = np.where(n_used > 0, n_used, all_weights)
        return joined


class RevealingRecommender:
    """A recommender whose users are targets, known by the items before them."""

    def __init__(self, recommender: Any, targets: RevealedTargets):
        self._recommender = recommender
        self._targets = targets
        self.items_ = getattr(recommender, "items_", None)

    def recommend(
        self,
        users: np.ndarray,
        k: int,
        *,
        exclude_seen: bool | None = None,
        items: Any = None,
        exclude: Any = None,
        return_scores: bool = True,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the lists and scores of `recommend_for_items` for some targets."""
        options = {"exclude_seen": exclude_seen, "items": items, "exclude": exclude}
        arguments = {name: value for name, value in options.items() if value is not None}
        starts, ends = self._targets.starts[users], self._targets.ends[users]
        bounds = zip(starts.tolist(), ends.tolist(), strict=True)
        lists = [self._targets.items[start:end] for start, end in bounds]
        parts = [
            self._recommender.recommend_for_items(
                lists[first:last], k, return_scores=return_scores, **arguments
            )
            for first, last in cut_runs(starts_of(ends - starts), _SHOWN_ITEMS)
        ]
        recommended, scores = map(np.concatenate, zip(*parts, strict=True))
        return recommended, scores
