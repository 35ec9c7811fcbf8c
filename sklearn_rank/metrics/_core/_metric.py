"""The declaration of a metric, and a metric with its parameters."""

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._validation import Check, Integer
from sklearn_rank.metrics._core._known_items import CataloguePart, KnownItems
from sklearn_rank.metrics._core._parameters import (
    UNBOUNDED,
    DeclaredRange,
    Range,
    find_checks,
)
from sklearn_rank.metrics._core._side_columns import Column
from sklearn_rank.metrics._core._summaries import Mean, Summary

Kernel = Callable[..., Any]
SeenRows = Literal["relevant", "shown", "all", "rated", "function"]
Improves = Literal["any", "highest", "none"]

_CATALOGUE_SIZE = Integer(none="the rows of each query")

# What a query without relevant rows scores: 1 for an empty list, and 0 for any other.
ABSTAINED = "abstained"

_CUTOFF = re.compile(r"(@.*|_at_[0-9]+)$")


def _fields_of(record: Any) -> dict[str, Any]:
    """Return the fields without what was computed from them, so that hashes stay."""
    return {part.name: getattr(record, part.name) for part in fields(record)}


@dataclass(frozen=True)
class Metric:
    """A metric: its name in strings, its public function, its kernel and their inputs.

    Parameters
    ----------
    name : str
        Name in strings.
    function : callable
        Public function; its signature has the defaults of the parameters.
    kernel : callable
        Takes a view of ranked lists and, by name, the metric's own parameters. Returns one
        value per query, NaN if undefined, or the input of its summary. The types of its
        parameters declare the valid values.
    rows : {"relevant", "shown", "all", "rated", "function"}
        What the kernel sees: the nonzero rows, the retrieved rows of the first ranks
        whatever their grade, every row, ratings and their predictions, or rows that are not
        ranked, for a function of users. Those that see every row look `below_k`.
    columns : tuple of Column
        Values aligned with rows that it needs beside grades and scores.
    parts : tuple of CataloguePart
        The parts of a catalogue that it needs. Its function takes them as keywords, and its
        kernel as ``catalogue``, a `KnownItems`. The items of rows have to be a column.
    from_data : tuple of str
        Parameters whose default is computed from the whole input.
    summary : Summary
        The aggregation of queries to one number.
    range : Range or callable
        Lowest and highest value of a query; or the function of some of the parameters, by
        their names, that returns these. Intervals of means end there. Unknown by default.
    lower_is_better : bool
        Whether a scorer has to negate it.
    unjudged : {"refused", "irrelevant", "needed"}
        The treatment of unjudged rows (NaN): an error, a row of grade 0, or a row that the
        metric distinguishes from irrelevant ones.
    below_k : bool
        Whether the kernel looks below its cutoff `k`.
    all_items : bool
        Whether a value depends on all items of the catalogue, so that lists must not end at
        `k`. Its function takes ``n_items``, and its kernel sees so many.
    improves_by : {"any", "highest", "none"} or callable
        Which relevant rows never make a value worse where they change places with a row of
        grade 0 above them: those of any grade, those of the highest grade of the query, or
        none. Or the function of some of the parameters that returns this. Bounds for
        unjudged rows follow from it. It says nothing of metrics with columns.
    approximates_best : bool
        Whether it divides by the value of a list that may not be the best one, so that
        values above 1 are possible; users get a warning.
    """

    name: str
    function: Callable[..., Any]
    kernel: Kernel
    rows: SeenRows = "relevant"
    columns: tuple[Column, ...] = ()
    parts: tuple[CataloguePart, ...] = ()
    from_data: tuple[str, ...] = ()
    summary: Summary = field(default_factory=Mean)
    range: DeclaredRange = UNBOUNDED
    lower_is_better: bool = False
    unjudged: Literal["refused", "irrelevant", "needed"] = "refused"
    below_k: bool = False
    all_items: bool = False
    improves_by: Improves | Callable[..., Improves] = "any"
    approximates_best: bool = False

    __getstate__ = _fields_of

    @cached_property
    def kernel_parameters(self) -> tuple[str, ...]:
        """Names of the metric's own parameters that the kernel takes."""
        names = tuple(inspect.signature(self.kernel).parameters)[1:]
        return tuple(name for name in names if name != "catalogue")

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The metric's own parameters and their defaults."""
        own = {*self.kernel_parameters, *self.summary.checks}
        own |= {"n_items"} if self.all_items else set()
        signature = inspect.signature(self.function)
        return {
            name: None if parameter.default is parameter.empty else parameter.default
            for name, parameter in signature.parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY and name in own
        }

    @cached_property
    def checks(self) -> Mapping[str, Check]:
        """The checks of the parameters."""
        if self.rows == "function":
            return {}
        own_checks = {**find_checks(self.kernel), **self.summary.checks}
        return {"n_items": _CATALOGUE_SIZE, **own_checks} if self.all_items else own_checks

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns that it takes beside grades and scores."""
        names = tuple(column.name for column in self.columns)
        return (*names, "pooled") if self.unjudged == "needed" else names

    @property
    def needed_columns(self) -> list[Column]:
        """The columns that it cannot do without."""
        return [column for column in self.columns if not column.is_optional]

    @property
    def takes_k(self) -> bool:
        """Whether the metric has a cutoff."""
        return "k" in self.parameters

    @property
    def ranks(self) -> bool:
        """Whether it depends on the order of rows."""
        return self.rows != "rated"

    def range_of(self, parameters: Mapping[str, Any]) -> Range:
        """Return the lowest and the highest value with these parameters."""
        return _resolve_declared(self.range, parameters)

    @property
    def has_best_order(self) -> bool:
        """Whether tied rows can be put in the best order, and in the worst, by grade."""
        by_grade = self.rows in ("relevant", "rated")
        return by_grade and all(column.has_best_order for column in self.columns)

    def checked(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters with Python numbers; raise if one is out of range."""
        checked, defaults = dict(parameters), self.parameters
        for name, check in self.checks.items():
            value = parameters.get(name)
            # A default is valid, except for None, which may stand for what users must give.
            if name in parameters and (value is None or value is not defaults.get(name)):
                checked[name] = check.check(name, value)
        return checked


def _resolve_declared(declared: Any, parameters: Mapping[str, Any]) -> Any:
    """Return what is declared, or what the function of some parameters says."""
    if not callable(declared):
        return declared
    needed = inspect.signature(declared).parameters
    return declared(**{name: parameters[name] for name in needed})


@dataclass(frozen=True)
class BoundMetric:
    """A metric with all its parameters, under the name that was asked for."""

    name: str
    metric: Metric
    parameters: Mapping[str, Any]
    chosen: tuple[str, ...] = ()  # sorted names of the parameters that are set
    ties: str = "average"
    replace_undefined_by: float | str = "warn"
    catalogue: KnownItems | None = None  # what it needs of a catalogue, for one input
    is_called: bool = False  # by its function, which takes the parameters as keywords
    ties_by_item: bool = False  # whether tied rows are in descending order of their items
    answered_only: bool = False  # whether queries without a retrieved row are left out
    judged_only: bool = False  # whether queries without a judgment are left out
    definition: str = ""  # its canonical name, however it was asked for

    __getstate__ = _fields_of

    def __post_init__(self) -> None:
        if self.replace_undefined_by == ABSTAINED:
            check_rewards_abstention(self, "`replace_undefined_by` is 'abstained', but")
        if self.ties not in ("worst", "best") or self.metric.has_best_order:
            return
        why = "does not depend on what is relevant: no order of tied rows is better"
        if self.metric.rows != "shown":
            why = "counts several things of a row: no order of tied rows is known as best"
        raise ValueError(
            f"`ties` is {self.ties!r}, but {self.name!r} {why}. Choose 'average' or "
            "'first'."
        )

    @property
    def lower_is_better(self) -> bool:
        """Whether a scorer has to negate it."""
        return self.metric.lower_is_better

    @property
    def k(self) -> int | None:
        """The cutoff; None without one."""
        return self.parameters.get("k")

    @property
    def is_cutoff_fixed(self) -> bool:
        """Whether no cutoff is left to be given."""
        return "k" not in self.parameters or "k" in self.chosen

    @property
    def list_length(self) -> int | None:
        """How many items a list has to have for it, None for the whole catalogue."""
        return None if self.metric.all_items else self.k

    @property
    def last_rank(self) -> int | None:
        """The last rank that the kernel looks at, None for the whole list."""
        return None if self.metric.below_k else self.parameters.get("k")

    @cached_property
    def summary(self) -> Summary:
        """The empty summary, which makes one number of the values of queries."""
        undefined = {"replace_undefined_by": self.replace_undefined_by}
        return self.metric.summary.bound({**self.parameters, **undefined})

    @property
    def improves_by(self) -> Improves:
        """Which rows never make a value worse where they move up."""
        return _resolve_declared(self.metric.improves_by, self.parameters)

    @property
    def range(self) -> Range:
        """The lowest and the highest value, that of undefined queries among them."""
        values = self.metric.range_of(self.parameters)
        fill = self.replace_undefined_by
        if isinstance(fill, str) or math.isnan(fill):
            return values
        return values.including(fill)

    def is_alike(self, other: "BoundMetric") -> bool:
        """Return whether another metric differs in its name at most."""
        return _fields_of(self) == {**_fields_of(other), "name": self.name}

    def with_parameters(self, **parameters: Any) -> "BoundMetric":
        """Return the metric with other values of some parameters."""
        return replace(self, parameters={**self.parameters, **parameters})

    def with_cutoff(self, k: int) -> "BoundMetric":
        """Return the metric with a cutoff, which its name shows."""
        return replace(
            self.with_parameters(k=k),
            name=f"{self.name_without_cutoff}@{k}",
            definition=f"{_CUTOFF.sub('', self.definition)}@{k}",
            chosen=tuple(sorted({*self.chosen, "k"})),
        )

    @property
    def name_without_cutoff(self) -> str:
        """The name before @, that of the definition if it has its cutoff elsewhere."""
        is_elsewhere = "k" in self.chosen and "@" not in self.name
        return _CUTOFF.sub("", self.definition if is_elsewhere else self.name)

    def run(self, view: Any) -> Any:
        """Run the kernel on a view."""
        own = {name: self.parameters[name] for name in self.metric.kernel_parameters}
        if self.metric.parts:
            own["catalogue"] = self.catalogue
        if self.metric.all_items and self.parameters["n_items"] is not None:
            view = view.extend_to(self.parameters["n_items"])
        result = self.metric.kernel(view, **own)
        if self.replace_undefined_by != ABSTAINED:
            return result
        values, *weights = result if isinstance(result, tuple) else (result,)
        is_answerable = view.n_relevant(self.parameters.get("min_relevance")) > 0
        values = np.where(is_answerable, values, view.n_retrieved == 0)
        return (values, *weights) if weights else values


def find_spellings(wanted: Sequence[BoundMetric]) -> dict[str, str]:
    """Return names of metrics that an earlier name has already, and these names."""
    first: dict[str, BoundMetric] = {}
    spellings = {}
    for bound in wanted:
        earlier = first.setdefault(bound.definition or bound.name, bound)
        if earlier is not bound and earlier.is_alike(bound):
            spellings[bound.name] = earlier.name
    return spellings


def check_rewards_abstention(named: BoundMetric, subject: str) -> None:
    """Raise unless 1 is the best value of a query, and 0 the worst, by what is relevant."""
    metric, bounds = named.metric, named.metric.range_of(named.parameters)
    reason = ""
    if not metric.summary.per_query:
        reason = "has one value for all queries"
    elif metric.rows != "relevant":
        reason = "does not depend on what is relevant alone"
    elif metric.lower_is_better:
        reason = "is better if it is lower, so that an empty list would be best"
    elif bounds.low < 0 or bounds.high > 1 or bounds.high_is:
        reason = f"has the range {bounds}"
    elif metric.summary.weighs and named.parameters.get("weighting") != "query":
        reason = "weights queries by what is relevant"
    if reason:
        raise ValueError(
            f"{subject} {named.name!r} {reason}. Choose a metric from 0 to 1 of relevant "
            "items, such as 'ndcg@10'."
        )


# Defaults that the whole input decides, not a chunk, a fold or a partition for itself.


def _check_max_grade(max_grade: float | None, highest: float) -> float:
    """Return the highest grade there can be, which no grade may exceed."""
    if max_grade is None:
        return highest or 1.0
    if highest > max_grade:
        raise ValueError(
            f"`max_grade` is {max_grade!r}, but the highest grade is {highest}; raise "
            "`max_grade`, or leave it out to take the largest grade."
        )
    return max_grade


def bind_to_input(
    named: BoundMetric, max_grade: float, n_items: int | None = None
) -> BoundMetric:
    """Return the metric with the parameters computed from the input.

    It has this highest grade and so many items, as far as that is known.
    """
    decide = {
        "max_grade": lambda limit: _check_max_grade(limit, max_grade),
        "n_items": lambda own: n_items if own is None else own,
    }
    decided = {
        name: decide[name](named.parameters[name]) for name in named.metric.from_data
    }
    return named.with_parameters(**decided) if decided else named
