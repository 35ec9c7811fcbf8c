"""Find the definition that gives the number of another program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_vector, encode_labels
from sklearn_rank._base._messages import keep_warnings, quantity, shorten
from sklearn_rank._base._numbers import as_floats, as_numbers
from sklearn_rank._base._validation import check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._item_lists import from_item_lists
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._misleading_input import warn_unless_reversed
from sklearn_rank.metrics._core._registry import parse_metric
from sklearn_rank.metrics._results._definition_changes import (
    FIRST,
    OF_SOME_ROWS,
    Change,
    Combination,
    ItemRows,
    changes_of_clean_queries,
    changes_of_repeats,
    changes_of_ties,
    definitions_of_conventions,
    evaluate_by_rule,
    make_changes,
    pooled_change,
    rows_of_items,
    undefined_changes,
    values_of_combinations,
)
from sklearn_rank.metrics._results._difference_explanation import (
    Attempt,
    DifferenceExplanation,
)
from sklearn_rank.typing import ItemLists, Labels, Matrix

# With fewer queries without ties and repeats, all are searched at once.
_LEAST_CLEAN = 5
# Candidates are first tried on so many queries.
_SAMPLE = 200
_TOLERANCE = 1e-6
# A number with so many decimals was rounded; with fewer, such as 0.5, it may be exact.
_ROUNDED = range(3, 6)
_N_NEAREST = 3
_NEARLY_ALL = 0.9
_MOST_NAMED = 5
_ONE_LIST = "all rows as one list"
_LOGARITHM = "a logarithm of rank 1 divides by 0"
_NO_LIST, _NO_HIT = "queries without a list left out", "queries without a hit left out"


@explained
@keep_warnings
def explain_difference(
    y_true: Matrix | ItemLists,
    y_score: Matrix | ItemLists,
    *,
    theirs: float | Mapping[Any, float],
    metric: str = "ndcg@10",
    groups: Labels | None = None,
    tolerance: float | None = None,
) -> DifferenceExplanation:
    """Find the definition that gives the number of another program.

    Give values of queries, if there are any: a mean fits several definitions by chance.
    With values it first reads off what queries without a list, a hit or a relevant item
    count. Then it seeks the fewest changes of our definition, at most two, that give the
    values of queries without ties and repeated items, and then the rules for both.

    It tries other cutoffs and parameters of the metric; discounts and ranks that begin at
    the wrong place; lists that are cut, or the lowest score first; another metric under
    this name; and rules for ties and repeated items. The definitions of known libraries
    that give the same, at another cutoff if nothing else does, are named, too.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_items), or mapping
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query. Or the
        relevant items of each query, as in :func:`sklearn_rank.inputs.from_item_lists`.
    y_score : array-like of shape (n_rows,) or (n_queries, n_items), or mapping
        Scores, the highest first; ``-inf`` is not retrieved. Or the list of each query,
        best first or with scores; it may name an item twice.
    theirs : float, or mapping from query to float
        Their mean, or their value of each query. They leave out queries that are missing
        from the mapping or NaN.
    metric : str, default="ndcg@10"
        The metric that both compute, by any of its names. It must have a value of each
        query and need only grades and scores.
    groups : array-like of shape (n_rows,), default=None
        The query of each row; None for 2-D input and mappings.
    tolerance : float, default=None
        The largest difference of numbers that count as equal. If None, 1e-6. Then, if
        nothing gives a number of 3 to 5 decimals, half a unit of the last one.

    Returns
    -------
    DifferenceExplanation
        What to change, the fewest changes first.

    Raises
    ------
    ValueError
        If the metric needs more than grades and scores, if `theirs` has none of the
        queries or is a mean that is not finite, or for `groups` beside mappings.

    Examples
    --------
    >>> from sklearn_rank.metrics import explain_difference
    >>> y_true, y_score = [3, 0, 1, 0, 0, 2], [0.9, 0.8, 0.7, 0.9, 0.8, 0.7]
    >>> groups = [1, 1, 1, 2, 2, 2]
    >>> print(explain_difference(y_true, y_score, groups=groups, theirs=0.7414))
    ndcg@10: ours 0.73197, theirs 0.7414
    change                              value
    gain='exponential'                 0.7414
    convention='lightgbm' or 'xgboost'  0.7414
    Equal when rounded to 4 decimals; with more decimals fewer definitions fit.
    2 definitions give it. A mean fits by chance; give values per query.

    From the lists themselves, and values of queries:

    >>> truth = {"a": ["1", "2"], "b": ["3"], "c": ["4", "5"]}
    >>> lists = {"a": ["1"], "b": ["9", "3"], "c": ["4", "9"]}
    >>> theirs = {"a": 1.0, "b": 0.6309, "c": 0.6131}
    >>> print(explain_difference(truth, lists, theirs=theirs, metric="ndcg@5"))
    ndcg@5: ours 0.619075, theirs 0.748
    change               value
    ideal='list'         0.748
    convention='mlflow'  0.748
    Equal when rounded to 4 decimals; with more decimals fewer definitions fit.
    2 definitions give all 3 values.
    """
    search = start_search(y_true, y_score, theirs, metric, groups, tolerance)
    if isinstance(theirs, Mapping):
        search.explain_values()
    else:
        search.explain_mean()
    (_, mean), *_ = values_of_combinations(search.ours, search.rows, [()])
    nearest = [] if search.found else search.nearest
    return DifferenceExplanation(
        metric, mean, search.mean, search.found, nearest, search.notes
    )


def start_search(
    y_true: Any,
    y_score: Any,
    theirs: Any,
    metric: str,
    groups: Any = None,
    tolerance: float | None = None,
) -> Search:
    """Return a search that has read the arguments of `explain_difference`."""
    ours = parse_metric(metric, replace_undefined_by=math.nan)
    record = ours.metric
    if record.rows != "relevant" or record.columns or not record.summary.per_query:
        raise ValueError(
            f"Differences of {ours.name!r} are not known: it needs more than grades and "
            "scores, or has no value of each query. Choose another, for example 'ndcg@10'."
        )
    if tolerance is not None:
        check_real("tolerance", tolerance, "a number of at least 0", least=0)
    rows, labels = _read_rows(y_true, y_score, groups, ours)
    return Search(ours, rows, labels, theirs, tolerance)


def _read_rows(
    y_true: Any, y_score: Any, groups: Any, ours: BoundMetric
) -> tuple[ItemRows, list[Any]]:
    """Return the rows, and the label of each query."""
    if isinstance(y_true, Mapping):
        if groups is not None:
            raise ValueError(
                "`groups` is for rows; leave it out where y_true and y_score are mappings "
                "from query to items."
            )
        judged = from_item_lists(y_true, y_score, duplicates="miss", return_items=True)
        return rows_of_items(judged)
    # It checks the input and warns of it.
    evaluate([ours], y_true, y_score, groups, warn=warn_unless_reversed)
    grades, scores = as_numbers(y_true, "y_true"), as_floats(y_score, "y_score")
    if groups is None:
        labels = np.arange(scores.shape[0]).repeat(scores.shape[1])
    else:
        labels = as_vector(groups, name="groups")
    distinct, query = encode_labels(labels, name="groups")
    rows = ItemRows(grades.ravel(), scores.ravel(), query, len(distinct))
    return rows, distinct.tolist()


class Search:
    """A search for the definition behind the numbers of another program."""

    def __init__(
        self,
        ours: BoundMetric,
        rows: ItemRows,
        labels: list,
        theirs: Any,
        tolerance: float | None,
    ):
        self.ours, self.rows, self.labels = ours, rows, labels
        self.tolerance = _TOLERANCE if tolerance is None else tolerance
        self.found: list[tuple[str, ...]] = []
        self.nearest: list[Attempt] = []
        self.notes: list[str] = []
        self.attempts: list[tuple[list[Combination], list[np.ndarray]]] = []
        self.tried: list[Combination] = [()]  # the nearest
        least, is_repeat = ours.parameters.get("min_relevance"), rows.is_repeat()
        is_relevant = rows.grade > 0 if least is None else rows.grade >= least
        is_relevant &= ~is_repeat
        in_list = rows.is_retrieved()
        near = in_list if ours.k is None else in_list & (rows.rank() < ours.k)
        masks = is_relevant, in_list, is_relevant & in_list, is_relevant & near, is_repeat
        counts = (rows.count(mask) > 0 for mask in masks)
        self.has_relevant, self.has_list, self.has_hit, self.has_near_hit, *rest = counts
        self.is_tied, (self.is_repeated,) = rows.has_ties(), rest
        self.clean_changes = list(changes_of_clean_queries(ours, rows))
        self.ties, self.repeats = (
            changes_of_ties(ours, rows),
            changes_of_repeats(ours, rows),
        )
        if isinstance(theirs, Mapping):
            self._read_values(theirs)
        elif isinstance(theirs, float) and not math.isfinite(theirs):
            raise ValueError(
                f"`theirs` is {theirs}: {_LOGARITHM}, or a mean has no query. Give a "
                "finite number, or values of queries."
            )
        else:
            self.mean = check_real("theirs", theirs, "a number or a mapping by query")
        several = [*theirs.values()] if isinstance(theirs, Mapping) else [self.mean]
        values = as_floats(several, "theirs").tolist()
        self.decimals = max(map(_count_decimals, values)) if tolerance is None else 0

    def _read_values(self, theirs: Mapping[Any, float]) -> None:
        """Read the values of queries, and what those without one have in common."""
        values = as_floats(list(theirs.values()), "theirs")
        if not np.isfinite(values).any():
            raise ValueError("`theirs` has no query with a value; give at least one.")
        if not any(label in theirs for label in self.labels):
            raise ValueError(
                "`theirs` has none of the queries of `groups`: it has "
                f"{shorten(next(iter(theirs)))}, and `groups` has "
                f"{shorten(self.labels[0])}. Give both the same labels."
            )
        self.mean = float(values[np.isfinite(values)].mean())
        by_label = dict(zip(theirs, values.tolist(), strict=True))
        listed = np.array([by_label.get(label, math.nan) for label in self.labels])
        if n := int(np.isinf(listed).sum()):
            self.notes.append(f"{_are(n, 'value')} infinite ({_LOGARITHM}), and left out.")
        self.theirs = np.where(np.isinf(listed), math.nan, listed)
        self.is_present = ~np.isnan(self.theirs)
        self.wanted = self.is_present & self.has_relevant & self.has_list
        self.extra = self._read_off_missing(np.isnan(listed))
        counts = np.unique(self.theirs[~self.has_relevant & self.is_present])
        self.undefined = counts[0] if len(counts) == 1 else 0.0
        if len(counts):
            text = " to ".join(f"{count:.4g}" for count in dict.fromkeys(counts[[0, -1]]))
            self.notes.append(f"Queries without a relevant item count {text}.")
        if len(counts) == 1 and counts[0] != 0:
            self.extra += (f"queries without a relevant item count {text}",)

    def _read_off_missing(self, missing: np.ndarray) -> tuple[str, ...]:
        """Note which queries are missing; return it if we do not leave them out, too."""
        no_relevant, no_list = ~self.has_relevant, ~self.has_list
        is_cut = (self.has_near_hit | missing).all()
        kinds = {
            "a relevant item": (no_relevant, ()),
            "a list": (no_list, (_NO_LIST,)),
            "a relevant item or without a list": (no_relevant | no_list, (_NO_LIST,)),
            "a hit": (~(self.has_near_hit if is_cut else self.has_hit), (_NO_HIT,)),
        }
        which = [kind for kind, (queries, _) in kinds.items() if (queries == missing).all()]
        # Where there is no rule, conventions need not leave them out.
        self.left_out = missing & bool(which)
        if not missing.any():
            return ()
        text = f"those without {which[0]}" if which else "no rule was found"
        self.notes.append(f"{_are(int(missing.sum()), 'query')} missing: {text}.")
        return kinds[which[0]][1] if which else ()

    def texts(self, combination: Combination) -> tuple[str, ...]:
        """Return the texts of changes; of repeated items we keep the first."""
        texts = tuple(change.text for change in combination)
        is_ruled = any(change.axis == "duplicates" for change in combination)
        return texts if is_ruled or not self.repeats else (*texts, FIRST)

    def conventions(
        self, cutoffs: Sequence[Combination] = ((),)
    ) -> list[tuple[tuple[str, ...], np.ndarray, float]]:
        """Return the texts, values and means of the definitions of libraries."""
        definitions = {
            (*(change.text for change in cutoff), text): bound
            for cutoff in cutoffs
            for text, bound in definitions_of_conventions(make_changes(self.ours, cutoff))
        }
        bounds = [*definitions.values()]
        results = evaluate_by_rule(bounds, self.rows, FIRST) if bounds else []
        return [(t, *result) for t, result in zip(definitions, results, strict=True)]

    def tolerances(self) -> Iterator[float]:
        """Yield the tolerance, and set that of rounded numbers if nothing was found."""
        yield self.tolerance
        if not self.found and self.decimals in _ROUNDED:
            # Halves are not exact in floating point.
            self.tolerance = 0.5 * 10**-self.decimals + 1e-9
            yield self.tolerance
            if self.found:
                self.notes.append(
                    f"Equal when rounded to {self.decimals} decimals; with more decimals "
                    "fewer definitions fit."
                )

    # Values of queries.

    def explain_values(self) -> None:
        """Find the definitions that give all values."""
        unlisted = self.theirs[self.is_present & self.has_relevant & ~self.has_list]
        if (unlisted != 0).any():
            self.notes.append("Queries without a list do not count 0.")
        for _ in self.tolerances():
            fitting = [] if (unlisted != 0).any() else _keep_fewest(self._search())
            self.found = [(*self.texts(changes), *self.extra) for changes in fitting]
            for texts, values, _ in self.conventions() if self.found != [()] else ():
                distance = np.abs(values - self.theirs)[self.is_present]
                is_left_out = np.isnan(values)[self.left_out].all()
                if is_left_out and (distance <= self.tolerance).all():
                    self.found.append(texts)
        if not self.found:
            self._note_nearest(self.tried)
            return
        n, text = len(self.found), quantity(int(self.is_present.sum()), "value")
        note = f"{n} definitions give" if n > 1 else "One definition gives"
        both = {("ideal='list'",), ("ideal='retrieved'",)}
        if both <= set(self.found):
            text += "; a query with a miss in a list of R items or more shows which it is"
        self.notes.append(f"{note} all {text}.")

    def gives(self, texts: Sequence[str]) -> bool:
        """Return whether changes that were found at another cutoff give these values."""
        texts = [text for text in texts if not text.startswith("queries without")]
        changes = [*self.clean_changes, *self.ties, *self.repeats]
        made = {change.text: change for change in changes}
        if all(text in made or text in OF_SOME_ROWS for text in texts):
            combination = tuple(made[text] for text in texts if text in made)
            return bool(self._keep_fitting([combination], self.wanted))
        values = [values for names, values, _ in self.conventions() if [*names] == texts]
        return bool(values) and self._fits(values[0], self.wanted)

    def _distance(self, values: np.ndarray) -> np.ndarray:
        """Return how far values are from theirs, with their value of undefined queries."""
        return np.abs(np.where(np.isnan(values), self.undefined, values) - self.theirs)

    def _fits(self, values: np.ndarray, queries: np.ndarray) -> bool:
        return bool((self._distance(values)[queries] <= self.tolerance).all())

    def _keep_fitting(
        self, several: Sequence[Combination], queries: np.ndarray
    ) -> list[Combination]:
        """Return the combinations that give the values of all these queries."""
        if not queries.any():
            return list(several)
        rows = self.rows.of_queries(queries)
        results = values_of_combinations(self.ours, rows, several)
        pairs = zip(several, results, strict=True)
        return [combination for combination, (v, _) in pairs if self._fits(v, queries)]

    def _search(self) -> list[Combination]:
        """Return the fewest changes that give the values.

        Most are sought on queries without ties and repeats, if there are enough.
        """
        clean = self.wanted & ~self.is_tied & ~self.is_repeated
        changes = self.clean_changes
        if clean.sum() < _LEAST_CLEAN:
            clean, changes = self.wanted, [*changes, *self.ties, *self.repeats]
        self.clean = clean
        sample = np.zeros(len(clean), dtype=bool)
        sample[np.flatnonzero(clean)[:_SAMPLE]] = True
        rows, tried = self.rows.of_queries(sample), []
        for n in (0, 1, 2) if clean.any() else ():
            if n == len(self.attempts):  # another tolerance needs no other values
                combinations = [*_combine(changes, n)]
                results = values_of_combinations(self.ours, rows, combinations)
                far = [self._distance(values)[sample] for values, _ in results]
                self.attempts.append((combinations, far))
            several, distances = self.attempts[n]
            tried += [
                ((d > self.tolerance).mean() + min(d.mean(), 1) / 1e3, c)
                for d, c in zip(distances, several, strict=True)
            ]
            near = zip(several, distances, strict=True)
            fitting = [c for c, d in near if (d <= self.tolerance).all()]
            if fitting := self._fit_ties_and_repeats(self._keep_fitting(fitting, clean)):
                return fitting
        tried.sort(key=lambda attempt: attempt[0])
        self.tried = [combination for _, combination in tried[:_N_NEAREST]]
        return []

    def _fit_ties_and_repeats(self, fitting: list[Combination]) -> list[Combination]:
        """Return the definitions with the rules for ties and repeats that fit, too."""
        rest = self.wanted & ~self.clean
        tied, repeated = self.is_tied & rest, self.is_repeated & rest
        parts = [(self.ties, tied & ~repeated), (self.repeats, repeated & ~tied)]
        for changes, queries in parts if rest.any() else ():
            rules = [(), *((change,) for change in changes)]
            several = [(*combination, *rule) for combination in fitting for rule in rules]
            fitting = self._keep_fitting(several, queries)
        return self._keep_fitting(fitting, tied & repeated)

    def _note_nearest(self, several: list[Combination]) -> None:
        """Say which definitions come nearest, and where."""
        rows = self.rows.of_queries(self.wanted)
        results = values_of_combinations(self.ours, rows, several)
        far = [self._distance(v)[self.wanted] > self.tolerance for v, _ in results]
        order = sorted(range(len(several)), key=lambda i: far[i].sum())
        self.nearest = [(self.texts(several[i]), results[i][1]) for i in order]
        if (is_far := far[order[0]]).mean() <= 1 - _NEARLY_ALL:
            self.nearest = self.nearest[:1]
            missed = [self.labels[i] for i in np.flatnonzero(self.wanted)[is_far]]
            names = ", ".join(map(repr, missed[:_MOST_NAMED]))
            names += ", ..." if len(missed) > _MOST_NAMED else ""
            note = (
                f"It gives {(~is_far).sum()} of {len(is_far)} values, and misses {names}."
                if missed
                else f"It gives all {quantity(len(is_far), 'value')} of the others."
            )
            self.notes.append(note)
            return
        self.notes.append("Nothing that was tried gives their values. These come nearest.")
        ((values, _),) = values_of_combinations(self.ours, self.rows, [()])
        distance = np.nan_to_num(np.where(self.wanted, self._distance(values), 0))
        for query in np.argsort(-distance, kind="stable")[:_N_NEAREST].tolist():
            rows = self.rows.take((self.rows.query == query) & self.rows.is_retrieved())
            grades = rows.grade[np.argsort(rows.rank())][: self.ours.k or 10]
            text = " ".join(f"{grade:g}" for grade in np.abs(grades)) or "none"
            self.notes.append(
                f"Query {self.labels[query]!r}: ours {values[query]:.4f}, theirs "
                f"{self.theirs[query]:.4f}, grades {text}."
            )

    # A mean.

    def explain_mean(self) -> None:
        """Find the definitions that give the mean."""
        without = {_NO_LIST: self.has_list}
        if (self.has_near_hit != self.has_list).any():
            without[_NO_HIT] = self.has_near_hit
        changes = [
            Change("queries", text, of_rows=partial(ItemRows.of_queries, is_wanted=kept))
            for text, kept in without.items()
            if kept.any() and not kept.all()
        ]
        changes += [*self.clean_changes, *self.ties, *self.repeats]
        changes += [*undefined_changes(), *pooled_change(self.ours)]
        library = [(texts, mean) for texts, _, mean in self.conventions()]
        of_rows = {change.text for change in changes if change.of_rows}
        stages: Iterable[list[Attempt]] = self._try_stages(changes, library)
        for _ in self.tolerances():
            tried: list[list[Attempt]] = []
            for stage in stages:
                tried.append(stage)
                self.found = _keep_fewest(self._fitting(stage))
                if self.found:
                    break
            if self.found not in ([], [()]):
                self.found = list(dict.fromkeys(self.found + self._fitting(library)))
            stages = tried
        self.found.sort(key=lambda texts: not of_rows.isdisjoint(texts))
        attempts = [a for a in [*chain(*tried)][::-1] if not math.isnan(a[1])]
        attempts.sort(key=lambda attempt: -round(abs(attempt[1] - self.mean), 9))
        # Of equal values the one with the fewest changes, which was tried first.
        distinct = {f"{mean:.6g}": (texts, mean) for texts, mean in attempts}
        self.nearest, n = [*distinct.values()][: -_N_NEAREST - 1 : -1], len(self.found)
        note = f"{n} definitions give it" if n > 1 else "One definition gives it"
        note += ". A mean fits by chance; give values per query."
        if not n:
            note = "Nothing that was tried gives their number. These come nearest."
        self.notes.append(note)

    def _try_stages(
        self, changes: Sequence[Change], library: list[Attempt]
    ) -> Iterator[list[Attempt]]:
        """Yield attempts to give the mean, the fewest changes first."""
        yield self._try_means(self.rows, [(), *((change,) for change in changes)])
        axis = "replace_undefined_by"
        pairs = [({change.axis for change in pair}, pair) for pair in _combine(changes, 2)]
        yield self._try_means(self.rows, [pair for axes, pair in pairs if axis in axes])
        yield library
        cutoffs = [(change,) for change in changes if change.axis == "k"]
        yield [(texts, mean) for texts, _, mean in self.conventions(cutoffs)]
        rows = replace(self.rows, query=0 * self.rows.query, n_queries=1)
        yield [((_ONE_LIST,), mean) for _, mean in self._try_means(rows, [()])]
        if self.tolerance <= _TOLERANCE and self.decimals not in _ROUNDED:
            # Of so many pairs some give a rounded number by chance.
            own = self.ours.parameters.keys()
            several = [pair for axes, pair in pairs if "k" in axes and axes <= own]
            yield self._try_means(self.rows, several)

    def _try_means(self, rows: ItemRows, several: Sequence[Combination]) -> list[Attempt]:
        """Return the texts of combinations of changes, and their means."""
        results = values_of_combinations(self.ours, rows, several)
        return [
            (self.texts(c), mean) for c, (_, mean) in zip(several, results, strict=True)
        ]

    def _fitting(self, tried: Sequence[Attempt]) -> list[tuple[str, ...]]:
        """Return the texts of those that give the mean."""
        return [t for t, mean in tried if abs(mean - self.mean) <= self.tolerance]


def _count_decimals(value: float) -> int:
    """Return how many decimals a number is written with."""
    shortest = Decimal(repr(value))
    return -int(shortest.as_tuple().exponent) if shortest.is_finite() else 0


def _are(n: int, noun: str) -> str:
    return f"{quantity(n, noun)} {'is' if n == 1 else 'are'}"


def _keep_fewest(several: list[Any]) -> list[Any]:
    """Return those with the fewest changes."""
    fewest = min(map(len, several), default=0)
    return [combination for combination in several if len(combination) == fewest]


def _combine(changes: Sequence[Change], n: int) -> Iterator[Combination]:
    """Yield each n changes that can be made together."""
    for combination in combinations(changes, n):
        is_alone = n > 1 and any(change.is_alone for change in combination)
        if len({change.axis for change in combination}) == n and not is_alone:
            yield combination
