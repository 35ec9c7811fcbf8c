"""Changes of a definition that other programs have: of the metric, and of its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._runs import begins_run, ranges
from sklearn_rank._base._validation import Words
from sklearn_rank._ranking._places import first_hits, hit_chance
from sklearn_rank._ranking._rank import rank_chunks
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant
from sklearn_rank._ranking._rows import read_rows
from sklearn_rank.metrics._core._conventions import conventions
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import BoundMetric, Metric
from sklearn_rank.metrics._core._registry import METRICS, bind, parse_metric
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.metrics._families._cumulative_gain import dcg, ndcg
from sklearn_rank.metrics._families._precision_recall import expected_hits, precision

CUTOFFS = (None, 1, 3, 5, 7, 10, 20, 50, 100)
DEPTHS = (1, 3, 5, 10, 20)
MOST_GRADES = 5
REVERSED, WORST, BEST = "tied rows in reversed order", "ties='worst'", "ties='best'"
FIRST, MISS = "duplicates='first'", "duplicates='miss'"
CREDITED = "duplicates credited"
IN_IDEAL = "duplicates credited, and in the ideal"
ASCENDING, DESCENDING = "ties by ids ascending", "ties by ids descending"
TIES = {
    "ties='first'": "first",
    REVERSED: "first",
    ASCENDING: "first",
    DESCENDING: "first",
    WORST: "worst",
    BEST: "best",
}
# Changes without an effect where no rows tie and no item is repeated.
OF_SOME_ROWS = {*TIES, MISS, CREDITED, IN_IDEAL}

# Rows.


@dataclass(frozen=True, eq=False)
class ItemRows:
    """Rows of queries by number, and their items by the order of their names, if known."""

    grade: np.ndarray
    score: np.ndarray
    query: np.ndarray
    n_queries: int
    item: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> ItemRows:
        """Return some of the rows."""
        own = {n: v for n, v in vars(self).items() if isinstance(v, np.ndarray)}
        return replace(self, **{name: values[rows] for name, values in own.items()})

    def of_queries(self, is_wanted: np.ndarray) -> ItemRows:
        """Return the rows of some queries."""
        return self.take(is_wanted[self.query])

    def rank(self) -> np.ndarray:
        """Return the rank of each row from 0, tied rows in their order."""
        order = np.lexsort((-self.score, self.query))
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = ranges(0, np.bincount(self.query))
        return rank

    def is_retrieved(self) -> np.ndarray:
        """Return which rows are in a list."""
        return self.score > -np.inf

    def is_repeat(self) -> np.ndarray:
        """Return which rows name an item that stands above in the list."""
        is_repeat = np.zeros(len(self.query), dtype=bool)
        if self.item is not None:
            order = np.lexsort((self.rank(), self.item, self.query))
            is_repeat[order] = ~begins_run(self.query[order], self.item[order])
        return is_repeat

    def count(self, is_counted: np.ndarray) -> np.ndarray:
        """Return how many of these rows each query has."""
        return np.bincount(self.query[is_counted], minlength=self.n_queries)

    def has_ties(self) -> np.ndarray:
        """Return which queries have two retrieved rows of one score."""
        rows = np.flatnonzero(self.is_retrieved())
        rows = rows[np.lexsort((self.score[rows], self.query[rows]))]
        begins = begins_run(self.query[rows], self.score[rows])
        return np.bincount(self.query[rows[~begins]], minlength=self.n_queries) > 0

    def lowest_first(self) -> ItemRows:
        """Return the rows, the lowest score first."""
        return replace(self, score=np.where(self.is_retrieved(), -self.score, -np.inf))

    def cut(self, depth: int) -> ItemRows:
        """Return the rows of lists that end after so many rows."""
        return replace(self, score=np.where(self.rank() < depth, self.score, -np.inf))

    def in_tie_order(self, rule: str) -> ItemRows:
        """Return the rows in the order in which tied ones stand by a rule."""
        if rule == REVERSED:
            return self.take(np.arange(len(self.query))[::-1])
        if rule in (WORST, BEST):  # which rows a cut leaves
            return self.take(np.argsort(self.grade if rule == WORST else -self.grade))
        if rule in (ASCENDING, DESCENDING) and self.item is not None:
            sign = 1 if rule == ASCENDING else -1
            return self.take(np.argsort(sign * self.item, kind="stable"))
        return self

    def with_repeats(self, rule: str, k: int | None) -> ItemRows:
        """Return the rows with repeated items by a rule."""
        is_repeat = self.is_repeat()
        if rule == FIRST:
            return self.take(~is_repeat)
        is_lost = is_repeat & ((rule == MISS) | ~self.is_retrieved())
        if rule == IN_IDEAL and k is not None:
            is_lost |= is_repeat & (self.rank() >= k)
        return replace(self, grade=np.where(is_lost, 0, self.grade))


# Metrics of other programs that this package does not have.


def _one_late(rank: np.ndarray) -> np.ndarray:
    return 1 / np.log2(rank + 2)


def _late_in_list(
    lists: RankedLists, k: Any, gain: Any, ideal: Any, discount: Any, log_base: Any
) -> np.ndarray:
    """Return nDCG whose ideal list alone has the right discounts."""
    late, right = (dcg(lists, k, gain, each, log_base) for each in (_one_late, discount))
    share = np.divide(late, right, out=np.zeros(len(right)), where=right > 0)
    return share * ndcg(lists, k, gain, ideal, discount, log_base)


def _from_zero(lists: RankedLists, k: Any, min_relevance: Any) -> np.ndarray:
    query, rank, chance = first_hits(lists.places(k, min_relevance))
    value = lists.sum(query, chance / (rank + 1))
    return defined_where_relevant(value, lists, min_relevance)


def _sum_of_ranks(lists: RankedLists, k: Any, min_relevance: Any) -> np.ndarray:
    places = lists.places(k, min_relevance)
    value = lists.sum(places.query, hit_chance(places) / places.rank)
    return defined_where_relevant(value, lists, min_relevance)


def _mean_of_ranks(lists: RankedLists, k: Any, min_relevance: Any) -> np.ndarray:
    hits = expected_hits(lists, k, min_relevance)
    return _sum_of_ranks(lists, k, min_relevance) / np.where(hits > 0, hits, 1)


def _pooled_precision(lists: RankedLists, k: Any, min_relevance: Any) -> Any:
    weight = lists.n_shown(k).astype(np.float64)
    return precision(lists, k, "list", min_relevance), weight


def _variants(name: str) -> Iterator[tuple[str, str, Metric]]:
    """Yield an axis, a text and a metric for what is called by the name elsewhere."""
    kernels: dict[str, dict[str, Callable]] = {
        "ndcg": {"discount one rank late in the list": _late_in_list},
        "mrr": {
            "ranks counted from 0": _from_zero,
            "sum over all relevant items": _sum_of_ranks,
            "mean over all relevant items": _mean_of_ranks,
        },
    }
    axis = "discount" if name == "ndcg" else "ranks"
    for text, kernel in kernels.get(name, {}).items():
        yield axis, text, replace(METRICS[name], kernel=kernel)
    if name == "recall":
        yield "denominator", "one hit is enough", METRICS["hit_rate"]


# Changes.


@dataclass(frozen=True, eq=False)
class Change:
    """A change of the definition: what it is about, its text, and how it is made."""

    axis: str
    text: str
    of_metric: Callable[[BoundMetric], BoundMetric] | None = None
    of_rows: Callable[[ItemRows], ItemRows] | None = None
    is_alone: bool = False  # whether it is tried without another one


Combination = tuple[Change, ...]


def changes_of_clean_queries(ours: BoundMetric, rows: ItemRows) -> Iterator[Change]:
    """Yield each change that can matter where no rows tie and no item is repeated."""
    name, k = ours.metric.name, ours.k
    grades = np.unique(rows.grade[rows.grade > 0])
    sizes = rows.count(rows.is_retrieved())
    longest = int(max(sizes.max(initial=0), rows.count(rows.grade > 0).max(initial=0)))
    for parameter, value in ours.parameters.items():
        for choice in _alternatives(ours, parameter, grades, longest):
            if choice != value:
                text = f"{parameter}={choice!r}"
                yield Change(parameter, text, partial(_set, {parameter: choice}))
    if "discount" in ours.parameters:
        late = partial(_set, {"discount": _one_late})
        yield Change("discount", "discount one rank late", late)
    for axis, text, metric in _variants(name):
        yield Change(axis, text, partial(replace, metric=metric))
    for depth in DEPTHS:
        if depth < min(longest, k or longest):
            text = f"lists cut after {depth} rows"
            yield Change("depth", text, of_rows=partial(ItemRows.cut, depth=depth))
    yield Change("order", "lowest score first", of_rows=ItemRows.lowest_first)
    if ours.metric.takes_k:
        for word in ("precision", "recall", "hit_rate", "f1"):
            if word != name and (name, word) != ("recall", "hit_rate"):
                asked = f"{word}(k=None)" if k is None else f"{word}@{k}"
                bound = parse_metric(asked, replace_undefined_by=ours.replace_undefined_by)
                as_other = partial(_become, bound)
                yield Change("metric", f"it is {asked}", as_other, is_alone=True)


def _alternatives(
    ours: BoundMetric, parameter: str, grades: np.ndarray, longest: int
) -> Iterator[Any]:
    """Yield values of a parameter that can matter on rows with these grades."""
    if parameter == "k":
        k = ours.k
        near = {k - 1, k + 1} - {0} if k is not None else set()
        yield from (n for n in CUTOFFS if n is None or n <= max(longest, (k or 0) + 1))
        yield from sorted(near - set(CUTOFFS))
    elif parameter == "min_relevance":
        for grade in grades[1 : 1 + MOST_GRADES].tolist():
            yield int(grade) if grade == int(grade) else grade
    elif parameter != "gain" or (grades != 1).any():
        check = ours.metric.checks.get(parameter)
        yield from check.words if isinstance(check, Words) else ()


def _set(values: dict[str, Any], bound: BoundMetric) -> BoundMetric:
    return bound.with_parameters(**values)


def _become(metric: BoundMetric, bound: BoundMetric) -> BoundMetric:
    return replace(metric, name=bound.name, ties=bound.ties)


def changes_of_ties(ours: BoundMetric, rows: ItemRows) -> list[Change]:
    """Return the rules for tied rows, if some tie."""
    if not rows.has_ties().any():
        return []
    texts = [
        text
        for text, ties in TIES.items()
        if (rows.item is not None or text not in (ASCENDING, DESCENDING))
        and (ties == "first" or ours.metric.has_best_order)
    ]
    return [Change("ties", text) for text in texts]


def changes_of_repeats(ours: BoundMetric, rows: ItemRows) -> list[Change]:
    """Return the rules for repeated items but the first one, if there are any."""
    if not rows.is_repeat().any():
        return []
    rules = [MISS, CREDITED, *[IN_IDEAL] * (ours.metric.name == "ndcg")]
    if ours.metric.name in ("mrr", "hit_rate"):
        rules = [MISS]  # a second hit adds nothing
    return [Change("duplicates", rule) for rule in rules]


def pooled_change(ours: BoundMetric) -> list[Change]:
    """Return the ratio of two sums over all queries, where there is one."""
    pooled = {
        "recall": METRICS["pooled_recall"],
        "precision": replace(
            METRICS["precision"], kernel=_pooled_precision, summary=Ratio()
        ),
    }
    text, name = "pooled: sums over queries", ours.metric.name
    changes = [partial(replace, metric=pooled[name])] if name in pooled else []
    return [Change("queries", text, change, is_alone=True) for change in changes]


def undefined_changes() -> list[Change]:
    """Return the values of queries without a relevant item."""
    values = (0.0, 1.0)
    axis = "replace_undefined_by"
    return [Change(axis, f"{axis}={v!r}", partial(replace, **{axis: v})) for v in values]


# Values.


def values_of_combinations(
    ours: BoundMetric, rows: ItemRows, combinations: Sequence[Combination]
) -> list[tuple[np.ndarray, float]]:
    """Return, for each, the value of every query, NaN if undefined, and the mean."""
    alike: dict[Any, list[int]] = {}
    for index, combination in enumerate(combinations):
        kind = [c for c in combination if c.of_rows or c.axis in ("ties", "duplicates")]
        alike.setdefault(tuple(kind), []).append(index)
    results: list[Any] = [None] * len(combinations)
    for kind, indices in alike.items():
        rules = {"ties": "", "duplicates": FIRST} | {c.axis: c.text for c in kind}
        changed = rows.in_tie_order(rules["ties"])
        for change in kind:
            changed = changed if change.of_rows is None else change.of_rows(changed)
        bounds = []
        for index in indices:
            bound = replace(ours, ties=TIES.get(rules["ties"], ours.ties))
            bounds.append(make_changes(bound, combinations[index]))
        values = evaluate_by_rule(bounds, changed, rules["duplicates"])
        for index, result in zip(indices, values, strict=True):
            results[index] = result
    return results


def make_changes(bound: BoundMetric, changes: Combination) -> BoundMetric:
    """Return the metric with changes of its definition."""
    for change in changes:
        bound = bound if change.of_metric is None else change.of_metric(bound)
    return bound


def evaluate_by_rule(
    bounds: Sequence[BoundMetric], rows: ItemRows, rule: str
) -> list[tuple[np.ndarray, float]]:
    """Return the values of all queries and the means, with repeated items by a rule."""
    if rule == CREDITED:
        return [_credited(bound, rows) for bound in bounds]
    if rule == IN_IDEAL and len({bound.k for bound in bounds}) > 1:
        return [evaluate_by_rule([bound], rows, rule)[0] for bound in bounds]
    changed = rows.with_repeats(rule, bounds[0].k)
    try:
        return evaluate_rows(bounds, changed)
    except ValueError:  # a definition without a mean over orders, or too large gains
        if len(bounds) == 1:
            return [(np.full(rows.n_queries, np.inf), math.inf)]
        return [evaluate_by_rule([bound], rows, rule)[0] for bound in bounds]


def evaluate_rows(
    bounds: Sequence[BoundMetric], rows: ItemRows
) -> list[tuple[np.ndarray, float]]:
    """Return the values of all queries and the mean of each metric."""
    renamed = [replace(bound, name=f"{i}") for i, bound in enumerate(bounds)]
    columns = rows.grade, rows.score, rows.query
    scores = evaluate(renamed, *columns, by_query=True, warn=_no_warning).per_query()
    means, results = scores.mean(), []
    for bound in renamed:
        values = np.full(rows.n_queries, np.nan)
        values[scores.groups] = scores.scores[bound.name]
        results.append((values, means[bound.name]))
    return results


def _no_warning(subject: str, text: str) -> None:
    """Pass a warning over: the first evaluation had it."""


# The sums that metrics divide and that a repeated item can make more than the best.
_NUMERATORS = {"ndcg": "dcg", "recall": "cg"}


def _credited(bound: BoundMetric, rows: ItemRows) -> tuple[np.ndarray, float]:
    """Return values where repeated items are hits again, and the ideal has them once."""
    sides = rows.with_repeats(CREDITED, None), rows.with_repeats(FIRST, None)
    ((values, _),) = evaluate_rows([bound], sides[1])
    for query in np.unique(rows.query[rows.is_repeat()]):
        lists, once = (
            next(
                rank_chunks(read_rows(s.grade, s.score, s.query, None), bound.ties)
            ).relevant
            for s in (side.take(side.query == query) for side in sides)
        )
        # What is relevant in all is counted in `whole`.
        both = replace(lists, whole_of=partial(_same_lists, once), _known={})
        value = bound.run(both.judged())[0]
        if value == 1 and bound.metric.name in _NUMERATORS:  # it may be more
            sums = replace(bound, metric=METRICS[_NUMERATORS[bound.metric.name]])
            sums = sums.with_parameters(**{"gain": "binary"} | dict(bound.parameters))
            more, less = (sums.run(side.judged())[0] for side in (lists, once))
            value = bound.run(once.judged())[0] * more / less
        values[query] = values[query] if math.isnan(value) else value
    return values, float(np.mean(values[~np.isnan(values)]))


def _same_lists(lists: RankedLists) -> RankedLists:
    return lists


# Arguments as rows.


def rows_of_items(judged: Any) -> tuple[ItemRows, list[Any]]:
    """Return the rows of `from_item_lists`, and the label of each query."""
    labels, query = encode_labels(judged.groups, name="groups")
    items, code = encode_labels(judged["items"], name="items")
    item = np.argsort(np.argsort([str(label) for label in items]))[code]
    grade = np.nan_to_num(np.asarray(judged.y_true, dtype=np.float64))
    rows = ItemRows(grade, judged.y_score, query, len(labels), item)
    # A repeated item has the grade of its first place; rules decide what it counts.
    order = np.lexsort((rows.rank(), item, query))
    begins = begins_run(query[order], item[order])
    grade[order] = grade[order][np.maximum.accumulate(begins * np.arange(len(order)))]
    return rows, labels.tolist()


def definitions_of_conventions(ours: BoundMetric) -> Iterator[tuple[str, BoundMetric]]:
    """Yield each definition that libraries have, with the names of all that share it."""
    libraries: dict[str, list[str]] = {}
    definitions = {}
    for library, convention in conventions.items():
        if ours.metric.name in convention.metrics:
            (bound,) = bind([ours], "average", math.nan, library, leaves_out=math.nan)
            counted = bound.answered_only, bound.judged_only
            shared = bound.ties, bound.replace_undefined_by, *counted
            key = repr((bound.parameters, shared))
            libraries.setdefault(key, []).append(repr(library))
            definitions[key] = bound
    for key, names in libraries.items():
        yield f"convention={' or '.join(names)}", definitions[key]
