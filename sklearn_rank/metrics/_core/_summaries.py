"""Aggregate values of queries to one number by sums that can be merged.

A summary without queries is what a metric declares. `add` returns it with more queries,
`merge` with those of another summary of the same metric, and `result` is the number: the
same bits, whether queries come at once, fold by fold, or from many machines, in any order.
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from sklearn_rank._base._exact_sum import (
    ExactSums,
    as_float,
    exact_products,
    largest,
    square_root,
)
from sklearn_rank._base._labels import encode_labels, join_labels
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._validation import Check, Words, check_real_or_nan
from sklearn_rank._ranking._rows import Queries
from sklearn_rank.metrics._core._parameters import find_checks

# A query that scores 0 would make the geometric mean 0: trec_eval's floor.
SMALLEST_FACTOR = 1e-5

# Sums of products of numbers with larger binary exponents might overflow.
_LARGEST_EXPONENT = 300
# A product of weights with a larger binary exponent might be beyond floats.
_LARGEST_PRODUCT = 1000
_NOTHING = Fraction(0)


@dataclass(frozen=True)
class Powers:
    """Sums of a power of weights w, and of this power times x and x ** 2."""

    of_weights: Fraction = _NOTHING
    of_both: Fraction = _NOTHING
    of_values: Fraction = _NOTHING

    def __add__(self, other: "Powers") -> "Powers":
        """Return the sums over both."""
        return Powers(
            self.of_weights + other.of_weights,
            self.of_both + other.of_both,
            self.of_values + other.of_values,
        )

    def times(self, of_weight: Fraction, of_value: Fraction) -> "Powers":
        """Return the sums of larger or smaller weights and values."""
        return Powers(
            self.of_weights * of_weight,
            self.of_both * of_weight * of_value,
            self.of_values * of_weight * of_value**2,
        )

    def spread(self, mean: Fraction) -> Fraction:
        """Return the sum of the power of w times (x - mean) ** 2.

        The sums are exact, so no digit is lost.
        """
        return self.of_values - 2 * mean * self.of_both + mean**2 * self.of_weights


_Moments = tuple[Fraction, Fraction, Powers, Powers, Powers]


class Summary(Protocol):
    """The interface of summaries."""

    per_query: ClassVar[bool]  # whether it is a mean of values of queries
    weighs: ClassVar[bool]  # whether the kernel returns a weight of each query too

    @property
    def checks(self) -> Mapping[str, Check]:
        """Its own parameters, and what these may be."""

    @property
    def n(self) -> int:
        """The number of queries behind the result."""

    @property
    def undefined(self) -> int:
        """The number of queries that are left out of it."""

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the summary with its own parameters."""

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the summary with more queries: what a kernel found, and their weights."""

    def shown(self, values: np.ndarray) -> tuple[np.ndarray, "Summary"]:
        """Return values of queries as users see them, and the summary of these."""

    def merge(self, other: Self) -> Self:
        """Return the summary of the queries of both."""

    def result(self) -> float:
        """Return the number."""

    def standard_error(self) -> float:
        """Return the standard error of the number; NaN where none is known."""


def _identity(values: Any) -> Any:
    return values


def _log(values: Any) -> Any:
    return np.log(np.maximum(values, SMALLEST_FACTOR))


# Of each kind of mean: what is averaged, and what becomes of the average.
KINDS_OF_MEAN: Mapping[str, tuple[Callable, Callable]] = {
    "arithmetic": (_identity, _identity),
    "geometric": (_log, np.exp),
    "quadratic": (np.square, np.sqrt),
    "root of squares": (_identity, np.sqrt),
}


@dataclass(frozen=True)
class Mean:
    """Weighted mean of the values of queries, from sums that are not rounded.

    The terms are floats, the product w x too.
    """

    kind: str = "arithmetic"
    n: int = 0
    undefined: int = 0
    weight: Fraction = _NOTHING  # sum of weights w
    total: Fraction = _NOTHING  # sum of w x
    squares: Powers = Powers()  # of w ** 2, w (w x) and (w x) ** 2
    cubes: Powers = Powers()
    fourths: Powers = Powers()
    beyond: float = 0.0  # sum of the x that are infinite, which are in no other sum
    heaviest: float = 0.0  # the largest w

    per_query: ClassVar[bool] = True
    weighs: ClassVar[bool] = False

    @property
    def checks(self) -> Mapping[str, Check]:
        """Its own parameter, which only some metrics let users choose."""
        return {"average": Words(("arithmetic", "geometric"))}

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the mean with its own parameter, `average`."""
        kind = parameters.get("average", self.kind)
        return self if kind == self.kind else replace(self, kind=kind)

    def shown(self, values: np.ndarray) -> tuple[np.ndarray, Self]:
        """Return the values of queries as users see them, and the summary of these.

        Kernels may return squares, whose mean loses no digit before its root is taken.
        """
        if self.kind != "root of squares":
            return values, self
        return np.sqrt(values), replace(self, kind="quadratic")

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the mean with more queries.

        A query without a value (NaN), or whose own weight is unknown (NaN), is left out. It
        is undefined unless it has no weight.
        """
        values = np.asarray(found, dtype=np.float64)
        if weight is None and self.kind == "arithmetic" and np.isfinite(values).all():
            (size, total), (_, squares) = exact_products([values])
            powers = Powers(size, total, squares)
            sums = size, total, powers, powers, powers
            added = type(self)(self.kind, len(values), 0, *sums, heaviest=1.0)
            return self.merge(added) if self.n or self.undefined else added
        is_used, counts = ~np.isnan(values), np.True_
        if weight is not None:
            weight = np.asarray(weight, dtype=np.float64)
            is_used &= ~np.isnan(weight)
            counts = weight != 0
        n_undefined = int(np.count_nonzero(~is_used & counts))
        is_used &= counts
        if not is_used.all():
            values = values[is_used]
            weight = None if weight is None else weight[is_used]
        n, values, beyond = len(values), KINDS_OF_MEAN[self.kind][0](values), 0.0
        if not all(
            np.isfinite(column).all() for column in (values, weight) if column is not None
        ):
            beyond, values, weight = _split_infinite(values, weight)
        sums = _moments(values, weight)
        heaviest = float(np.max(weight, initial=0.0)) if weight is not None else 1.0
        return self.merge(type(self)(self.kind, n, n_undefined, *sums, beyond, heaviest))

    def merge(self, other: Self) -> Self:
        """Return the mean of the queries of both."""
        if self.kind != other.kind:
            raise ValueError(
                f"A mean of kind {self.kind!r} cannot be merged with one of kind "
                f"{other.kind!r}."
            )
        if not self.n and not self.undefined:
            return other
        names = [field.name for field in fields(self)[1:-1]]
        sums = (getattr(self, name) + getattr(other, name) for name in names)
        both = [*sums, max(self.heaviest, other.heaviest)]
        return type(self)(self.kind, *both)

    def result(self) -> float:
        """Return the mean, NaN if no query has a value."""
        if self.n == 0:
            return float("nan")
        average = self.beyond or as_float(self.total / self.weight)
        if self.kind == "arithmetic":
            return average
        return float(KINDS_OF_MEAN[self.kind][1](average))

    def standard_error(self) -> float:
        """Return the standard error of the mean over queries; unweighted s / sqrt(n).

        With the share h = w / sum(w) of a query it is the root of the sum of
        h**2 (x - mean)**2 / (1 - h), where weights differ with 1 + h + h**2 for
        1 / (1 - h). That of another kind of mean is the one of its average times the slope
        there.
        """
        if self.n < 2 or self.beyond:
            return float("nan")
        mean, weight = self.total / self.weight, self.weight
        square = self.squares.spread(mean) / weight**2
        if self.are_alike:
            square *= Fraction(self.n, self.n - 1)
        else:
            square += self.cubes.spread(mean) / weight**3
            square += self.fourths.spread(mean) / weight**4
        return square_root(square) * self.slope()

    @property
    def are_alike(self) -> bool:
        """Whether all queries have the same weight."""
        return self.n * self.squares.of_weights == self.weight**2

    def slope(self) -> float:
        """Return how the mean changes with the average that it is made of."""
        if self.kind == "arithmetic":
            return 1.0
        value = self.result()
        if self.kind == "geometric":
            return value
        return 1 / (2 * value) if value else float("nan")


def scale_of(numbers: np.ndarray) -> int:
    """Return the binary exponent that numbers are divided by, 0 unless they are extreme."""
    exponent = math.frexp(largest(numbers))[1]
    return exponent if abs(exponent) > _LARGEST_EXPONENT else 0


def _split_infinite(
    values: np.ndarray, weight: np.ndarray | None
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the sum of infinite values, and the finite values with their weights."""
    weight = np.ones(len(values)) if weight is None else weight
    is_finite = np.isfinite(values) & np.isfinite(weight)
    of_finite_weight = np.where(np.isfinite(weight), values, np.nan)
    return float(of_finite_weight[~is_finite].sum()), values[is_finite], weight[is_finite]


def _moments(values: np.ndarray, weight: np.ndarray | None) -> _Moments:
    """Return the sums of w and w x, and those of powers of w."""
    if weight is None:
        (n, total), (_, squares) = exact_products([values])
        return moments_of_equal_weights(n, total, squares)
    scales = scale_of(weight), scale_of(values)
    if any(scales):
        weight, values = np.ldexp(weight, -scales[0]), np.ldexp(values, -scales[1])
    of_one, total, second, third, fourth = moments_of_sums(weight * values, weight)
    of_weight, of_value = (Fraction(2) ** scale for scale in scales)
    return (
        of_one * of_weight,
        total * of_weight * of_value,
        second.times(of_weight**2, of_value),
        third.times(of_weight**3, of_value),
        fourth.times(of_weight**4, of_value),
    )


def moments_of_equal_weights(n: Fraction, total: Fraction, squares: Fraction) -> _Moments:
    """Return the same of n values that count alike, given their sum and that of squares."""
    powers = Powers(n, total, squares)
    return n, total, powers, powers, powers


def moments_of_sums(total: np.ndarray, weight: np.ndarray) -> _Moments:
    """Return the same, given w x of queries, or the sums of w x and of w of clusters."""
    _, of_one, by_total, square, product = exact_products(
        [weight, total, weight**2, weight * total]
    )
    return (
        of_one[0],
        by_total[0],
        Powers(of_one[1], of_one[2], by_total[2]),
        Powers(of_one[3], by_total[3], by_total[4]),
        Powers(square[3], square[4], product[4]),
    )


@dataclass(frozen=True)
class Ratio(Mean):
    """Sum of numerators over sum of denominators.

    A kernel returns the ratio of each query and its denominator, which is the weight of the
    query (if None, 1 for all). A query whose denominator is NaN adds to neither sum.
    """

    weighs: ClassVar[bool] = True

    @property
    def checks(self) -> Mapping[str, Check]:
        """Its own parameters: none; a kernel may have its own `average`."""
        return {}

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the ratio as it is."""
        return self


class SystemSummary:
    """A summary of all queries without values per query."""

    per_query: ClassVar[bool] = False
    weighs: ClassVar[bool] = False
    # What to do where values per query are needed.
    instead: ClassVar[str] = "name it in ranking_scores, or in ranking_report without `by`"

    @property
    def checks(self) -> Mapping[str, Check]:
        """Its own parameters: none."""
        return {}

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the summary with its own parameters."""
        return self

    def shown(self, values: np.ndarray) -> tuple[np.ndarray, Self]:
        """Return values as they are."""
        return values, self

    def labeled(self, labels: np.ndarray) -> Self:
        """Return the summary unchanged: it does not keep items by code."""
        return self

    def result(self) -> float:
        """Return NaN: the result is not a number."""
        return float("nan")

    def standard_error(self) -> float:
        """Return NaN: only means over queries have a standard error."""
        return float("nan")


@dataclass(frozen=True, eq=False)
class ComputedSummary(SystemSummary):
    """A summary from which `of` computes one number.

    `of` may have parameters, which it declares in their types as kernels do.
    """

    of: Callable[..., float]
    of_arguments: Mapping[str, Any] = field(default_factory=dict)  # parameters of `of`
    if_undefined: float = math.nan

    @property
    def checks(self) -> Mapping[str, Check]:
        """The parameters of `of`, and what these may be."""
        return find_checks(self.of)

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the summary with the parameters of `of`, and the value if undefined."""
        value = parameters.get("replace_undefined_by", math.nan)
        return replace(
            self,
            of_arguments={name: parameters[name] for name in self.checks},
            if_undefined=math.nan if isinstance(value, str) else float(value),
        )

    @cached_property
    def _value(self) -> float:
        return float(self.of(self, **self.of_arguments))

    def result(self) -> float:
        """Return the number that `of` computes."""
        return self.if_undefined if math.isnan(self._value) else self._value


@dataclass(frozen=True, eq=False)
class ItemSummary(ComputedSummary):
    """What the lists of all queries show of each item."""

    items: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    parts: np.ndarray = field(default_factory=lambda: np.empty((1, 0)))  # see ExactSums
    n: int = 0

    def labeled(self, labels: np.ndarray) -> Self:
        """Return the summary with labels of items in place of codes."""
        return replace(self, items=labels[self.items])

    @property
    def undefined(self) -> int:
        """The number of queries if the metric is undefined for all of them, or 0."""
        return self.n if math.isnan(self.result()) else 0


@dataclass(frozen=True, eq=False)
class ItemCounts(ItemSummary):
    """The amount of each item in the lists of all queries, for system metrics.

    A kernel returns the number of queries and, for each row that is shown, the query, the
    item and the amount: three arrays of one length. `of` computes one number from the sums,
    such as the share of the catalogue that is shown.

    An amount is multiplied by the weight of its query. Queries without weight add nothing.
    """

    @property
    def amounts(self) -> np.ndarray:
        """The amount of each item."""
        return ExactSums(self.parts).result()

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the counts with those of more queries."""
        n, query, item, amount = found
        if weight is not None:
            n = int(np.count_nonzero(weight))
            weighs = weight[query] != 0
            query, item, amount = query[weighs], item[weighs], amount[weighs]
            amount = amount * weight[query]
        return self._add_counts(n, item, amount[np.newaxis])

    def merge(self, other: Self) -> Self:
        """Return the counts of both; items with equal labels are the same."""
        if len(self.items) == 0 or len(other.items) == 0:
            return replace(other if len(self.items) == 0 else self, n=self.n + other.n)
        return self._add_counts(other.n, other.items, other.parts)

    def _add_counts(self, n: int, items: np.ndarray, parts: np.ndarray) -> Self:
        """Return the counts with those of more queries; items may be repeated."""
        if len(self.items):
            items = join_labels([self.items, items], name="items")
        distinct, codes = encode_labels(items, name="items")
        sums = ExactSums(self.parts).followed_by(ExactSums(parts))
        parts = sums.sum_groups(codes, len(distinct)).parts
        return replace(self, items=distinct, parts=parts, n=self.n + n)


# The weights of queries.


def multiply_weights(
    left: np.ndarray | None, right: np.ndarray | None
) -> np.ndarray | None:
    """Return the product of two weights per query; either may be missing."""
    if left is None or right is None:
        return right if left is None else left
    exponent = np.frexp(np.nanmax(left, initial=0.0))[1] + np.frexp(right.max())[1]
    if exponent > _LARGEST_PRODUCT:
        right = np.ldexp(right, -exponent)
    return left * right


def scale_weights(queries: Queries) -> np.ndarray:
    """Return the weights in the order of the rows; extreme ones scaled, for their sums."""
    assert queries.weight is not None
    return queries.by_row(np.ldexp(queries.weight, -scale_of(queries.weight)))


# Undefined queries: what replaces them in means, and the warning where nothing does.

# Undefined queries are left out of means, with a warning.
WARN = "warn"


def check_undefined(replace_undefined_by: Any, *words: str) -> float | str:
    """Return the value of an undefined query, "warn", or another of the words allowed.

    NaN leaves the query out.
    """
    allowed = (WARN, *words)
    if isinstance(replace_undefined_by, str) and replace_undefined_by in allowed:
        return replace_undefined_by
    needed = f"{', '.join(map(repr, allowed))}, NaN or a finite number"
    return check_real_or_nan("replace_undefined_by", replace_undefined_by, needed)


def fill_undefined(values: np.ndarray, replace_undefined_by: float | str) -> np.ndarray:
    """Return values with the undefined ones replaced."""
    if isinstance(replace_undefined_by, str) or np.isnan(replace_undefined_by):
        return values
    return np.where(np.isnan(values), replace_undefined_by, values)


def warn_of_undefined(
    undefined: Mapping[str, int], n_queries: int, of_shown: Collection[str] = ()
) -> None:
    """Warn once if means leave out queries, and say how to count them.

    `undefined` holds the number of queries that each metric leaves out; `of_shown` are
    metrics of shown items.
    """
    from sklearn.exceptions import UndefinedMetricWarning

    names = [name for name, count in undefined.items() if count]
    if names:
        counted = f"{max(undefined.values())} of {n_queries} queries"
        text = undefined_text(names, counted, of_shown)
        warn_caller(text, category=UndefinedMetricWarning)


def undefined_text(
    names: Collection[str], queries: str, of_shown: Collection[str] = (), owner: str = ""
) -> str:
    """Return the warning for metrics that are undefined for these queries.

    `owner` is the function that takes `replace_undefined_by`, if not the one called.
    """
    need = ""
    if not set(names).isdisjoint(of_shown):
        need = (
            "; metrics of shown items need a list or a history, and personalization "
            "needs two lists"
        )
    return (
        f"{', '.join(names)}: undefined for {queries}, most often because they have no "
        f"relevant item{need}. The mean leaves them out. Set `replace_undefined_by`"
        f"{owner and f' of {owner}'} to a number, such as 0.0, to count them, or to NaN to "
        "leave them out without this warning."
    )
