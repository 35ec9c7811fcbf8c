"""Find the definition that gives the number of another program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._labels import as_vector, encode_labels
from sklearn_rank._base._messages import keep_warnings, shorten
from sklearn_rank._base._numbers import as_floats, as_numbers
from sklearn_rank._base._validation import Words, check_real
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ties import TIES
from sklearn_rank.metrics._core._conventions import conventions
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._misleading_input import warn_unless_reversed
from sklearn_rank.metrics._core._registry import bind, parse_metric
from sklearn_rank.typing import Labels, Matrix

_ONE_LIST, _REVERSED = "all rows as one list", "lowest score first"
_LAST_OF_TIES, _NO_LIST = "tied rows in reversed order", "queries without a list left out"
_SHORT_IDEAL = "the ideal of the retrieved rows"
_BY_ROWS = "precision by min(k, rows of the list)"
_CUTOFFS = (None, 1, 3, 5, 7, 10, 20, 100)
# Parameters of every metric.
_SHARED_PARAMETERS = ("ties", "replace_undefined_by")
_N_NEAREST = 3
_MOST_GRADES = 5


class _Definition(NamedTuple):
    changes: tuple[str, ...]
    value: float
    distance: float  # to their numbers; the largest of all queries


@explained
@dataclass(frozen=True, eq=False, repr=False)
class DifferenceExplanation(Result):
    """Definitions that give the number of another program; see `explain_difference`.

    ``print`` shows it as a table. All parameters are attributes, too.

    Parameters
    ----------
    metric : str
        The metric.
    ours : float
        The mean by our defaults.
    theirs : float
        The number to explain; the mean, if they were values of queries.
    found : list of tuple of str
        What to change so that our number is theirs, the fewest changes first. An entry
        without a change says that the numbers agree as they are.
    nearest : list of tuple of (tuple of str, float)
        If nothing was found, the changes that come nearest, each with its value.

    Examples
    --------
    >>> from sklearn_rank.metrics import explain_difference
    >>> explain_difference([[0, 3, 1]], [[3, 2, 1]], theirs=0.6443, tolerance=5e-5).found
    [("gain='exponential'",), ("convention='lightgbm' or 'xgboost'",)]
    """

    metric: str
    ours: float
    theirs: float
    found: list[tuple[str, ...]]
    nearest: list[tuple[tuple[str, ...], float]]

    def _rows(self) -> list[tuple[str, float]]:
        rows = [(changes, self.theirs) for changes in self.found] or self.nearest
        return [(", ".join(changes) or "nothing", value) for changes, value in rows]

    def _columns(self) -> dict[str, Any]:
        changes, values = zip(*self._rows(), strict=True)
        return {"change": list(changes), "value": list(values)}

    def _facts(self) -> dict[str, Any]:
        facts = {name: getattr(self, name) for name in ("metric", "ours", "theirs")}
        return {**facts, "is_explained": bool(self.found)}

    def _sections(self) -> list[Section]:
        head = f"{self.metric}: ours {self.ours:.6g}, theirs {self.theirs:.6g}"
        note = "Nothing that was tried gives their number. These come nearest."
        if self.found:
            note = "One definition gives it."
        if len(self.found) > 1:
            note = (
                f"{len(self.found)} definitions give it; the first needs the fewest "
                "changes. Values of queries as `theirs` may leave only one."
            )
        lines = [[name, f"{value:.6g}"] for name, value in self._rows()]
        return [Section([head], [["change", "value"], *lines], [note])]

    def __repr__(self) -> str:
        return (
            f"DifferenceExplanation({self.metric!r}, ours={self.ours:.6g}, "
            f"theirs={self.theirs:.6g}, found={shorten(self.found)})"
        )


@explained
@keep_warnings
def explain_difference(
    y_true: Matrix,
    y_score: Matrix,
    *,
    theirs: float | Mapping[Any, float],
    metric: str = "ndcg@10",
    groups: Labels | None = None,
    tolerance: float = 1e-6,
) -> DifferenceExplanation:
    """Find the definition that gives the number of another program.

    It evaluates the metric by the conventions of all known libraries, and with one or two
    changes of our defaults: values of the metric's own parameters, the order of ties, the
    value of a query without a relevant item, the cutoff, the lowest grade that is relevant.
    It also tries what other programs do with the rows: all taken as one list, the lowest
    score first, tied rows in reversed order, queries without a retrieved row left out, the
    ideal list of the retrieved rows alone, and a precision divided by the rows of a list
    that is shorter than the cutoff.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    theirs : float, or mapping from query to float
        Their mean, or their value of each query. They leave out queries that are missing
        from the mapping or NaN.
    metric : str, default="ndcg@10"
        The metric that both compute, by any of its names. It must have a value of each
        query and need only grades and scores.
    groups : array-like of shape (n_rows,), default=None
        The query of each row; None for 2-D input.
    tolerance : float, default=1e-6
        The largest difference of numbers that count as equal. Give 5e-5 for a number that
        was rounded to four digits.

    Returns
    -------
    DifferenceExplanation
        What to change, the fewest changes first.

    Raises
    ------
    ValueError
        If the metric needs more than grades and scores, or if `theirs` has none of the
        queries.

    Examples
    --------
    >>> from sklearn_rank.metrics import explain_difference
    >>> y_true, y_score = [3, 0, 1, 0, 0, 2], [0.9, 0.8, 0.7, 0.9, 0.8, 0.7]
    >>> groups = [1, 1, 1, 2, 2, 2]
    >>> print(explain_difference(y_true, y_score, groups=groups, theirs=0.7414,
    ...                          tolerance=5e-5))
    ndcg@10: ours 0.73197, theirs 0.7414
    change                              value
    gain='exponential'                 0.7414
    convention='lightgbm' or 'xgboost'  0.7414
    2 definitions give it; the first needs the fewest changes. Values of queries as
      `theirs` may leave only one.
    """
    ours = parse_metric(metric, replace_undefined_by=math.nan)
    _check_known(ours)
    check_real("tolerance", tolerance, "a number of at least 0", least=0)
    goal = _Goal.read(theirs)
    tried: list[_Definition] = []
    for settings, rows in _inputs(y_true, y_score, groups):
        if goal.values is not None and _ONE_LIST in settings:
            continue  # one list has no values of queries
        bound = replace(ours, ties="first") if _LAST_OF_TIES in settings else ours
        tried += _evaluate_definitions(bound, settings, rows, goal)
    tried += _precision_by_rows(ours, _flat_rows(y_true, y_score, groups), goal)
    tried.sort(key=lambda attempt: len(attempt.changes))  # stable
    matching = [attempt for attempt in tried if attempt.distance <= tolerance]
    nearest = sorted(tried, key=lambda attempt: attempt.distance)[:_N_NEAREST]
    shortest = [attempt.changes for attempt in _shortest(matching)]
    pairs = [] if matching else [(attempt.changes, attempt.value) for attempt in nearest]
    return DifferenceExplanation(ours.name, tried[0].value, goal.mean, shortest, pairs)


def _check_known(bound: BoundMetric) -> None:
    metric = bound.metric
    if metric.rows != "relevant" or metric.columns or not metric.summary.per_query:
        raise ValueError(
            f"Differences of {bound.name!r} are not known: it needs more than grades and "
            "scores, or has no value of each query. Choose another, for example 'ndcg@10'."
        )


class _Goal(NamedTuple):
    """Their numbers: a mean, or values of queries."""

    mean: float
    values: Mapping[Any, float] | None

    @classmethod
    def read(cls, theirs: Any) -> _Goal:
        if not isinstance(theirs, Mapping):
            return cls(check_real("theirs", theirs, "a number or a mapping by query"), None)
        values = as_floats(list(theirs.values()), "theirs")
        if not (~np.isnan(values)).any():
            raise ValueError("`theirs` has no query with a value; give at least one.")
        return cls(float(np.nanmean(values)), dict(zip(theirs, values, strict=True)))

    def distance(self, labels: list[Any], values: np.ndarray, mean: float) -> float:
        """Return how far our numbers are from theirs; infinite if queries differ."""
        if self.values is None:
            return abs(mean - self.mean) if not math.isnan(mean) else math.inf
        if not any(label in self.values for label in labels):
            raise ValueError(
                "`theirs` has none of the queries of `groups`: it has "
                f"{shorten(next(iter(self.values)))}, and `groups` has "
                f"{shorten(labels[0])}. Give both the same labels."
            )
        theirs = np.array([self.values.get(label, math.nan) for label in labels])
        if (np.isnan(theirs) != np.isnan(values)).any():
            return math.inf
        return float(np.nanmax(np.abs(theirs - values)))


def _inputs(
    y_true: Any, y_score: Any, groups: Any
) -> Iterator[tuple[tuple[str, ...], tuple[Any, Any, Any]]]:
    """Yield the rows as given, and as other programs take them."""
    yield (), (y_true, y_score, groups)
    grades, scores, labels = _flat_rows(y_true, y_score, groups)
    is_missed = np.isneginf(scores)
    yield (_REVERSED,), (grades, np.where(is_missed, scores, -scores), labels)
    if groups is not None:
        yield (_ONE_LIST,), (grades, scores, np.zeros(len(scores), dtype=int))
    distinct, codes = encode_labels(labels, name="groups")
    retrieved = np.column_stack([codes, scores])[~is_missed]
    if len(np.unique(retrieved, axis=0)) < len(retrieved):
        yield (_LAST_OF_TIES,), (grades[::-1], scores[::-1], labels[::-1])
    has_list = np.bincount(codes[~is_missed], minlength=len(distinct)) > 0
    if not has_list.all() and has_list.any():
        kept = has_list[codes]
        yield (_NO_LIST,), (grades[kept], scores[kept], labels[kept])
    if (grades[is_missed] > 0).any():
        yield (_SHORT_IDEAL,), (np.where(is_missed, 0, grades), scores, labels)


def _flat_rows(
    y_true: Any, y_score: Any, groups: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a grade, a score and the label of the query of each row."""
    grades, scores = as_numbers(y_true, "y_true"), as_floats(y_score, "y_score")
    if groups is None:
        labels = np.arange(scores.shape[0]).repeat(scores.shape[1])
    else:
        labels = as_vector(groups, name="groups")
    return grades.ravel(), scores.ravel(), labels


def _precision_by_rows(
    ours: BoundMetric, rows: tuple[Any, Any, Any], goal: _Goal
) -> Iterator[_Definition]:
    """Yield precision divided by the rows of a list, if it is shorter than the cutoff."""
    k = ours.parameters.get("k")
    if ours.metric.name != "precision" or k is None:
        return
    codes = encode_labels(rows[2], name="groups")[1]
    sizes = np.bincount(codes, weights=rows[1] > -np.inf)
    scores = evaluate([ours], *rows, by_query=True).per_query()
    values = scores.scores[ours.name] * k / np.clip(sizes, 1, k)
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else math.nan
    distance = goal.distance(scores.groups.tolist(), values, mean)
    yield _Definition((_BY_ROWS,), mean, distance)


def _evaluate_definitions(
    ours: BoundMetric, settings: tuple[str, ...], rows: tuple[Any, Any, Any], goal: _Goal
) -> Iterator[_Definition]:
    """Yield all definitions of the metric on these rows, with their values."""
    grades = np.unique(as_numbers(rows[0], "y_true"))
    wanted = dict(_definitions(ours, grades[grades > 0][1 : 1 + _MOST_GRADES], settings))
    renamed = [replace(bound, name=f"{i}") for i, bound in enumerate(wanted.values())]
    scores = evaluate(renamed, *rows, by_query=True, warn=warn_unless_reversed).per_query()
    means = scores.mean()
    labels = scores.groups.tolist()
    for bound, changes in zip(renamed, wanted, strict=True):
        values, mean = scores.scores[bound.name], means[bound.name]
        yield _Definition((*settings, *changes), mean, goal.distance(labels, values, mean))


def _definitions(
    ours: BoundMetric, grades: np.ndarray, settings: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], BoundMetric]]:
    """Yield the metric as it is, by conventions, and with up to two changes."""
    yield (), ours
    changes = list(_changes(ours, grades))
    for n in (1, 2) if not settings else (1,):
        for subset in combinations(changes, n):
            changed = dict(subset)
            if len(changed) == n:  # not two values of one name
                texts = tuple(f"{name}={value!r}" for name, value in subset)
                yield texts, _apply_changes(ours, changed)
        if n == 1:
            yield from _definitions_of_conventions(ours)


def _changes(ours: BoundMetric, grades: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Yield each single change: a name, and another value of it."""
    for name, value in ours.parameters.items():
        check = ours.metric.checks.get(name)
        values = list(check.words) if isinstance(check, Words) else []
        values += _CUTOFFS if name == "k" else []
        values += grades.tolist() if name == "min_relevance" else []
        yield from ((name, alternative) for alternative in values if alternative != value)
    yield from (("ties", ties) for ties in TIES if ties != ours.ties)
    yield from (("replace_undefined_by", number) for number in (0.0, 1.0))


def _apply_changes(ours: BoundMetric, changes: dict[str, Any]) -> BoundMetric:
    of_all = {name: changes[name] for name in _SHARED_PARAMETERS if name in changes}
    own = {name: value for name, value in changes.items() if name not in of_all}
    return replace(ours.with_parameters(**own), **of_all)


def _definitions_of_conventions(
    ours: BoundMetric,
) -> Iterator[tuple[tuple[str, ...], BoundMetric]]:
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
        yield (f"convention={' or '.join(names)}",), definitions[key]


def _shortest(matching: list[_Definition]) -> Iterator[_Definition]:
    """Yield candidates without supersets of the changes of another one."""
    kept: list[set[str]] = []
    for definition in matching:
        changes = set(definition.changes)
        if not any(shorter <= changes for shorter in kept):
            kept.append(changes)
            yield definition
