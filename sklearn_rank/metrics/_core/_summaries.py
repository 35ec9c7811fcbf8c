"""How values of queries become one number: sums that can be merged.

A summary without queries is what a metric declares. `add` returns it with more queries,
`merge` with those of another summary of the same metric, and `result` is the number: the
same, whether queries come at once, fold by fold, or from many machines.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from sklearn_rank._labels._encode import encode_labels
from sklearn_rank.metrics._core._join_labels import join_labels
from sklearn_rank.metrics._core._parameters import Check, Words, checks_of

# A query that scores 0 would make the geometric mean 0: trec_eval's floor.
SMALLEST_FACTOR = 1e-5

# Binary exponents of weights beyond which sums of their products might leave the floats.
_EXTREME = 300


class Summary(Protocol):
    """What all summaries are."""

    per_query: ClassVar[bool]  # whether each query has a value, of which it is a mean
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
KINDS: Mapping[str, tuple[Callable, Callable]] = {
    "arithmetic": (_identity, _identity),
    "geometric": (_log, np.exp),
    "quadratic": (np.square, np.sqrt),
    "root of squares": (_identity, np.sqrt),
}


@dataclass(frozen=True)
class Mean:
    """Weighted mean of the values of queries.

    The sums of weights are those of weights over 2**exponent, which stay within floats.
    """

    kind: str = "arithmetic"
    n: int = 0
    undefined: int = 0
    exponent: int = 0
    weight: float = 0.0  # sum of weights w
    average: float = 0.0  # sum of w x over that of w
    squares: float = 0.0  # sum of w ** 2
    lean: float = 0.0  # sum of w ** 2 (x - average)
    spread: float = 0.0  # sum of w ** 2 (x - average) ** 2

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
        is_out = np.isnan(values)
        if weight is None:
            n_undefined = int(np.count_nonzero(is_out))
            used = values[~is_out] if n_undefined else values
            return self.merge(self._of(used, None, n_undefined))
        weight = np.asarray(weight, dtype=np.float64)
        is_out |= np.isnan(weight)
        n_undefined = int(np.count_nonzero(is_out & (weight != 0)))
        return self.merge(self._of(values[~is_out], weight[~is_out], n_undefined))

    def _of(self, values: np.ndarray, weight: np.ndarray | None, n_undefined: int) -> Self:
        """Return the mean of values, all of them defined."""
        new = type(self)
        values = KINDS[self.kind][0](values)
        if weight is None:
            n = len(values)
            if n == 0:
                return new(self.kind, undefined=n_undefined)
            average = _weighted_average(values, None)
            apart = values - average
            return new(
                self.kind, n, n_undefined, 0, n, average, n, 0.0, float(apart @ apart)
            )
        exponent = scale_of(weight)
        weight = np.ldexp(weight, -exponent) if exponent else weight
        total = float(weight.sum())
        if total == 0:
            return new(self.kind, undefined=n_undefined)
        average = _weighted_average(values, weight)
        of_weight = weight * (values - average)
        return new(
            self.kind,
            int(np.count_nonzero(weight)),
            n_undefined,
            exponent,
            total,
            average,
            squares=float(weight @ weight),
            lean=float(of_weight @ weight),
            spread=float(of_weight @ of_weight),
        )

    def merge(self, other: Self) -> Self:
        """Return the mean of the queries of both."""
        if self.kind != other.kind:
            raise ValueError(
                f"A mean of kind {self.kind!r} cannot be merged with one of kind "
                f"{other.kind!r}."
            )
        undefined = self.undefined + other.undefined
        if self.n == 0 or other.n == 0:
            only = other if self.n == 0 else self
            return (
                only if only.undefined == undefined else replace(only, undefined=undefined)
            )
        exponent = max(self.exponent, other.exponent)
        one, two = self._scaled(exponent), other._scaled(exponent)
        weight = one.weight + two.weight
        average = one.average + (two.average - one.average) * (two.weight / weight)
        one, two = one._around(average), two._around(average)
        return replace(
            one,
            n=self.n + other.n,
            undefined=undefined,
            weight=weight,
            squares=one.squares + two.squares,
            lean=one.lean + two.lean,
            spread=one.spread + two.spread,
        )

    def _scaled(self, exponent: int) -> Self:
        """Return the same sums for another exponent of the weights."""
        factor = 2.0 ** (self.exponent - exponent)
        return replace(
            self,
            exponent=exponent,
            weight=self.weight * factor,
            squares=self.squares * factor**2,
            lean=self.lean * factor**2,
            spread=self.spread * factor**2,
        )

    def _around(self, average: float) -> Self:
        """Return the same sums around another average."""
        step = average - self.average
        return replace(
            self,
            average=average,
            lean=self.lean - step * self.squares,
            spread=self.spread - 2 * step * self.lean + step**2 * self.squares,
        )

    def result(self) -> float:
        """Return the mean, NaN if no query has a value."""
        return float(KINDS[self.kind][1](self.average)) if self.n else float("nan")

    def standard_error(self) -> float:
        """Return the standard error of the mean over queries; unweighted s / sqrt(n).

        That of another kind of mean is the one of its average times the slope there.
        """
        if self.n < 2:
            return float("nan")
        error = np.sqrt(self.n / (self.n - 1) * max(self.spread, 0.0)) / self.weight
        return float(error * self.slope())

    def slope(self) -> float:
        """Return how the mean changes with the average that it is made of."""
        if self.kind == "arithmetic":
            return 1.0
        if self.kind == "geometric":
            return self.result()
        root = self.result()
        return 1 / (2 * root) if root else float("nan")


def scale_of(weight: np.ndarray) -> int:
    """Return the binary exponent that weights are divided by, 0 unless they are extreme."""
    exponent = int(np.frexp(weight.max(initial=0.0))[1])
    return exponent if abs(exponent) > _EXTREME else 0


def _weighted_average(values: np.ndarray, weight: np.ndarray | None) -> float:
    with np.errstate(over="ignore"):
        mean = float(
            values.mean() if weight is None else np.average(values, weights=weight)
        )
    if np.isfinite(mean):
        return mean
    # The sum is beyond floats, and the mean need not be.
    return float(np.average(values * 2.0**-60, weights=weight) * 2.0**60)


@dataclass(frozen=True)
class Ratio(Mean):
    """Sum of numerators over sum of denominators.

    A kernel returns the ratio of each query and its denominator, which is the weight of the
    query (None: 1 for all). A query whose denominator is NaN adds to neither sum.
    """

    weighs: ClassVar[bool] = True

    @property
    def checks(self) -> Mapping[str, Check]:
        """Its own parameters: none; a kernel may have its own `average`."""
        return {}

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the ratio as it is."""
        return self

    @property
    def denominator(self) -> float:
        """The sum of weighted denominators."""
        return float(np.ldexp(self.weight, self.exponent))

    @property
    def numerator(self) -> float:
        """The sum of weighted numerators."""
        return self.average * self.denominator


class OfAllQueries:
    """A summary to which a query adds something that is no value of its own."""

    per_query: ClassVar[bool] = False
    weighs: ClassVar[bool] = False

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

    def result(self) -> float:
        """Return NaN where the result is no number."""
        return float("nan")

    def standard_error(self) -> float:
        """Return NaN: what is no mean over queries has no such error."""
        return float("nan")


@dataclass(frozen=True, eq=False)
class ItemCounts(OfAllQueries):
    """How much of each item the lists of all queries show, for metrics of a whole system.

    A kernel returns the number of queries and, of all that is shown, the query, the item
    and the amount: three arrays of one length. `of` makes one number of the counts, such as
    the share of the catalogue that is shown. It may have parameters, which it declares in
    their types as kernels do.

    An amount counts as often as its query weighs; queries without weight add nothing.
    """

    of: Callable[..., float]
    items: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    amounts: np.ndarray = field(default_factory=lambda: np.empty(0))
    n: int = 0
    undefined: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)  # parameters of `of`

    @property
    def checks(self) -> Mapping[str, Check]:
        """The parameters of `of`, and what these may be."""
        return checks_of(self.of)

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the counts with the parameters of what is made of them."""
        return replace(self, given={name: parameters[name] for name in self.checks})

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the counts with those of more queries."""
        n, query, item, amount = found
        if weight is not None:
            n = int(np.count_nonzero(weight))
            weighs = weight[query] != 0
            query, item, amount = query[weighs], item[weighs], amount[weighs]
            amount = amount * weight[query]
        items, codes = np.unique(item, return_inverse=True)
        amounts = np.bincount(codes, amount, len(items))
        return self.merge(replace(self, items=items, amounts=amounts, n=n))

    def merge(self, other: Self) -> Self:
        """Return the counts of both; items are the same where their labels are."""
        n = self.n + other.n
        if len(self.items) == 0 or len(other.items) == 0:
            return replace(other if len(self.items) == 0 else self, n=n)
        labels = join_labels([self.items, other.items], name="items")
        items, codes = encode_labels(labels, name="items")
        amounts = np.concatenate([self.amounts, other.amounts])
        return replace(
            self, items=items, amounts=np.bincount(codes, amounts, len(items)), n=n
        )

    def labeled(self, labels: np.ndarray) -> Self:
        """Return the counts of items that were codes, by their labels."""
        return replace(self, items=labels[self.items])

    def result(self) -> float:
        """Return the number that is made of the counts."""
        return float(self.of(self, **self.given))
