"""Plan an evaluation: how many queries, how many repeats, and what they detect."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from sklearn_rank._base._messages import keep_warnings, plural
from sklearn_rank._base._validation import (
    LARGEST_INTEGER,
    check_given,
    check_integer,
    check_mapping,
    check_option,
    check_real,
)
from sklearn_rank._display._result import NumbersFound
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.statistics._power import Design
from sklearn_rank.statistics._result_rows import ComparisonRow
from sklearn_rank.typing import Alternative

COMPONENTS = ("query", "repeat", "rest")
USUAL_POWER = 0.8
MOST_REPEATS = 100
# A pilot of fewer repeats hardly tells how they differ; errors are shown for these.
MANY_REPEATS, SHOWN_REPEATS = 10, (1, 2, 3, 5, 10)
PAIRED = (
    "paired: both systems answer each query; for users of two variants paired=False",
    "two samples: each user sees one variant; for systems that answer the same queries "
    "paired=True",
)


class EvaluationPlan(NumbersFound):
    """Numbers of queries and repeats, and what they detect."""

    n_queries: Any  # of the control and the new variant if `allocation_ratio` is given
    n_clusters: Any
    n_repeats: int
    difference: float
    power: float
    standard_error: float
    cost: float
    paired: bool
    notes: list[str]

    def _columns(self) -> dict[str, Any]:
        return {name: [value] for name, value in self.items() if name != "notes"}

    def _facts(self) -> dict[str, Any]:
        return {"notes": self.notes}

    def _sections(self) -> list[Section]:
        numbers = np.atleast_1d(self.n_queries).tolist()
        unit = "query" if self.paired else "user"
        text = " and ".join(f"{n:,}" for n in numbers)
        text += f" {unit if numbers == [1] else plural(unit)}"
        text += "" if self.paired or len(numbers) > 1 else " in each arm"
        if self.n_clusters != self.n_queries:
            text += f" in {' and '.join(f'{n:,}' for n in np.atleast_1d(self.n_clusters))}"
            text += " clusters"
        if self.n_repeats > 1:
            text += f", {self.n_repeats} repeats of each"
        text += (
            f": difference {self.difference:.4g}, power {self.power:.3f}, standard error "
            f"{self.standard_error:.4g}"
        )
        cost = "" if math.isnan(self.cost) else f", cost {self.cost:,.6g}"
        return [Section([f"{text}{cost}."], notes=[f"{note}." for note in self.notes])]


@explained
@keep_warnings
def plan_evaluation(
    *,
    difference: float | None = None,
    n_queries: int | None = None,
    power: float | None = None,
    standard_deviation: float | None = None,
    components: Mapping[str, float] | None = None,
    pilot: ModelComparison | None = None,
    n_repeats: int = 1,
    cluster_size: int = 1,
    intraclass_correlation: float = 0.0,
    cost: Sequence[float] | None = None,
    budget: float | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    paired: bool = True,
    allocation_ratio: float | None = None,
    anytime: bool = False,
    n_guardrails: int = 0,
) -> EvaluationPlan:
    r"""Plan how many queries and repeats detect a difference, or what given ones detect.

    Of `difference`, `n_queries` and `power` leave one out; it is computed. The power of n
    queries is, with the standard error SE and :math:`\nu` degrees of freedom,

    .. math::

        P(T'_{\nu, \lambda} > t_{1 - \alpha / 2, \nu})
        + P(T'_{\nu, \lambda} < -t_{1 - \alpha / 2, \nu}), \qquad
        \lambda = \delta / SE, \qquad
        SE^2 = \frac{s^2_{query}}{n} + \frac{s^2_{repeat}}{R} + \frac{s^2_{rest}}{n R}

    T' has the noncentral t distribution. One-sided tests have one of the two terms and
    :math:`t_{1 - \alpha, \nu}`.

    Parameters
    ----------
    difference : float, default=None
        Smallest difference :math:`\delta` that should be detected, other than 0.
    n_queries : int, default=None
        Number of queries; if not `paired`, of users in each arm, or of the control.
    power : float, default=None
        Probability of a significant result if the difference is this large. If None, and
        one of the two others is None too, 0.8.
    standard_deviation : float, default=None
        Standard deviation of the differences, such as the column `sd` of a comparison on a
        few queries; if not `paired`, that of the values of one model.
    components : dict of str to float, default=None
        In place of it, for noisy systems, the standard deviations of the difference
        between queries ("query"), between repeats ("repeat") and of the rest ("rest"), such
        as the column `components` of a comparison with repeats. A missing one is 0.
    pilot : ModelComparison, default=None
        In place of both, a comparison of two models by one metric, whose deviations count.
    n_repeats : int, default=1
        Number of repeats R of each system.
    cluster_size : int, default=1
        Queries that belong together, such as those of one user. Their differences
        correlate, and the unit is the cluster.
    intraclass_correlation : float, default=0.0
        How much they do, from 0 to 1: the variance between queries is multiplied by
        :math:`1 + (m - 1) \rho` for clusters of m.
    cost : (float, float), default=None
        Cost of a query, and of a query in one repeat. With `difference` the cheapest
        numbers of queries and repeats are found, of 1 to 100 repeats.
    budget : float, default=None
        What all may cost, in place of `n_queries`: the numbers with the least error.
    confidence_level : float, default=0.95
        Probability of no significant result if there is no difference.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        As in :func:`compare_models`; "less" detects a negative difference.
    n_comparisons : int, default=1
        Number of comparisons that share 1 - `confidence_level` (Bonferroni).
    paired : bool, default=True
        Whether both systems answer the same queries. False: users of two variants, as in an
        A/B test, with :math:`SE = s \sqrt{2 / n}` and n in each arm.
    allocation_ratio : float, default=None
        Users with the new variant per user of the control, with :math:`SE = s \sqrt{1 / n_c
        + 1 / n_t}`. If None, equal numbers.
    anytime : bool, default=False
        Whether the test should hold at every look, as with `anytime_n` (the users of both
        arms) of :func:`~sklearn_rank.online.compare_variants`. It takes 1.91 times the
        users but finds the difference earlier: after 56% of these users on average, and by
        then with power 0.87 instead of 0.80.
    n_guardrails : int, default=0
        Number of guardrails that also have to pass: 1 - `power` is divided among all tests.
        For the users that a guardrail needs, give its margin as `difference`.

    Returns
    -------
    plan : Bunch
        `n_queries`, `n_clusters` (each the numbers of control and new variant with
        `allocation_ratio`), `n_repeats`, `difference`, `power`, `standard_error`, `cost`
        (NaN if not given), `paired` and `notes`, as text too.

    Raises
    ------
    ValueError
        If a number is out of range, or the difference has a different sign than the
        one-sided alternative; if too many or too few numbers are given; if no number of
        queries is enough, as repeats differ; if `allocation_ratio` or `anytime` is given
        with `paired`, or `anytime` with a one-sided alternative.

    See Also
    --------
    compare_models : The comparison that is planned.
    sklearn_rank.online.compare_variants : Reads the log of an A/B test.

    Notes
    -----
    The degrees of freedom are those of :func:`compare_models`: n - 1, or if repeats differ
    those of Satterthwaite, where both systems have R repeats and half of the variances.
    From one repeat an interval cannot show how repeats differ; the power counts it all the
    same.

    A pilot of few repeats hardly tells how they differ. Of pilots with 60 queries and 3, 5
    and 10 repeats, the advised numbers had 1.24, 1.15 and 1.09 times the least variance on
    average; a note and a table show what else may be best.

    The noncentral t distribution and examples are in [1]_; a book on the design of
    experiments in information retrieval is [2]_.

    References
    ----------
    .. [1] J. Cohen, "Statistical power analysis for the behavioral sciences", 2nd edition,
           1988.
    .. [2] T. Sakai, "Laboratory experiments in information retrieval", 2018.

    Examples
    --------
    >>> from sklearn_rank.statistics import plan_evaluation
    >>> print(plan_evaluation(difference=0.02, standard_deviation=0.18))
    638 queries: difference 0.02, power 0.800, standard error 0.007126.
    paired: both systems answer each query; for users of two variants paired=False.
    >>> round(plan_evaluation(n_queries=50, standard_deviation=0.25).difference, 4)
    0.101

    Users of an A/B test, three of four with the new variant:

    >>> test = {"difference": 0.5, "standard_deviation": 4, "paired": False}
    >>> print(str(plan_evaluation(**test)).partition(", ")[0])
    1,006 users in each arm: difference 0.5
    >>> plan_evaluation(**test, allocation_ratio=3).n_queries
    (671, 2013)
    """
    _check_asked(difference, n_queries, power, budget)
    unit, deviations = _read_deviations(standard_deviation, components, pilot)
    variances = _cluster_variances(deviations, cluster_size, intraclass_correlation)
    tested = confidence_level, alternative, n_comparisons, paired, allocation_ratio, anytime
    design = Design(*tested, *variances, unit=unit)
    of_paired = (components, pilot, cost, budget)
    if not paired and any(of is not None for of in of_paired):
        raise ValueError(
            "`components`, `pilot`, `cost` and `budget` are for systems that answer the "
            "same queries; with `paired=False` give `standard_deviation` alone."
        )
    n_tests = 1 + check_integer("n_guardrails", n_guardrails, minimum=0)
    n_repeats = check_integer("n_repeats", n_repeats)
    prices = _read_cost(cost, budget, cluster_size)
    needed, target = "a number above 1 - `confidence_level`, below 1", USUAL_POWER
    if power is not None:
        target = check_real("power", power, needed, above=1 - confidence_level, below=1)
    target = 1 - (1 - target) / n_tests  # all tests share what may be missed
    size = math.nan
    if difference is not None:
        size = _standardize_difference(difference, unit, alternative)
    is_free = n_repeats == 1 and cost is not None
    numbers = range(1, MOST_REPEATS + 1) if is_free else [n_repeats]
    if budget is not None:
        sizes = [(prices.n_within(budget, number), number) for number in numbers]
        sizes = [pair for pair in sizes if pair[0] >= 2]
        if not sizes:
            raise ValueError(f"Raise `budget`: {budget:g} is less than two queries cost.")
        n, n_repeats = min(sizes, key=lambda pair: design.error(*pair))
    elif n_queries is not None:
        least = 2 * cluster_size
        n = check_integer("n_queries", n_queries, minimum=least) // cluster_size
    else:
        n, n_repeats = _cheapest(design, size, target, numbers, prices)
    if difference is None:
        size = design.detectable(n, n_repeats, target)
        difference = (-size if alternative == "less" else size) * unit
        reached = target
    else:
        reached = design.compute_power(n, size, n_repeats)
    arms = (n,) if allocation_ratio is None else (n, design.n_treated(n))
    queries = tuple(cluster_size * of for of in arms)
    notes = [PAIRED[0] if paired else PAIRED[1]]
    if n_repeats == 1 and design.repeat > 0:
        notes.append("from 1 repeat no interval shows how repeats differ: take 2 or more")
    if pilot is not None and "components" in pilot.columns:
        notes += _notes_on_pilot(pilot.rows()[0], design, n, prices, budget)
    return EvaluationPlan(
        n_queries=queries if len(arms) > 1 else queries[0],
        n_clusters=arms if len(arms) > 1 else n,
        n_repeats=n_repeats,
        difference=float(difference),
        power=max(1 - (1 - reached) * n_tests, 0.0),
        standard_error=design.error(n, n_repeats) * unit,
        cost=prices.total(n, n_repeats),
        paired=paired,
        notes=notes,
    )


def _check_asked(difference: Any, n_queries: Any, power: Any, budget: Any) -> None:
    """Raise unless one number is left to compute."""
    if n_queries is not None and budget is not None:
        raise ValueError("`budget` decides `n_queries`; leave one of them out.")
    has_size = n_queries is not None or budget is not None
    if not has_size and difference is None:
        raise ValueError(
            "Give `difference`, or `n_queries` or `budget`, or both; what is left out is "
            "computed."
        )
    if has_size and difference is not None and power is not None:
        raise ValueError(
            "Of `difference`, `n_queries` (or `budget`) and `power` leave one out; it is "
            "computed."
        )


@dataclass(frozen=True)
class _Prices:
    """The cost of a query, and of a query in one repeat."""

    cluster_size: int
    per_query: float = math.nan
    per_cell: float = math.nan

    def total(self, n: int, n_repeats: int) -> float:
        """Return the cost of clusters in repeats."""
        return n * self.cluster_size * (self.per_query + self.per_cell * n_repeats)

    def n_within(self, budget: float, n_repeats: int) -> int:
        """Return the number of clusters that a budget has in repeats."""
        # Rounding must not lose a query.
        n = budget / self.total(1, n_repeats) * (1 + 1e-12)
        return int(min(n, LARGEST_INTEGER))


def _read_deviations(
    deviation: Any, components: Any, pilot: Any
) -> tuple[float, dict[str, float]]:
    """Return the largest standard deviation, and all in units of it."""
    sources = {"standard_deviation": deviation, "components": components, "pilot": pilot}
    names = [name for name, source in sources.items() if source is not None]
    if len(names) != 1:
        raise ValueError(
            "Give one of `standard_deviation`, `components` and `pilot`, got "
            f"{' and '.join(names) or 'none'}."
        )
    if pilot is not None:
        is_pair = isinstance(pilot, ModelComparison) and len(pilot) == 1
        check_given("pilot", pilot, is_pair, "a comparison of two models by one metric")
        row = pilot.rows()[0]
        components = row.get("components", {"query": row.sd})
    if deviation is not None:
        components = {"query": _check_positive("standard_deviation", deviation)}
    components = check_mapping("components", components, "standard deviations")
    for name in components:
        check_option("components", name, COMPONENTS)
    needed = "a finite number >= 0"
    deviations = {
        name: check_real(
            f"components[{name!r}]", components.get(name, 0.0), needed, least=0
        )
        for name in COMPONENTS
    }
    unit = _check_positive("components", max(deviations.values()))
    return unit, {name: of / unit for name, of in deviations.items()}


def _check_positive(name: str, value: Any) -> float:
    return check_real(name, value, "a finite number above 0", above=0)


def _cluster_variances(
    deviations: Mapping[str, float], size: Any, correlation: Any
) -> tuple[float, float, float]:
    """Return the variances of the difference of a cluster of queries."""
    size, needed = check_integer("cluster_size", size), "a number from 0 to 1"
    share = check_real("intraclass_correlation", correlation, needed, least=0, most=1)
    query, repeat, rest = (deviations[name] ** 2 for name in COMPONENTS)
    return query * (1 + (size - 1) * share) / size, repeat, rest / size


def _read_cost(cost: Any, budget: Any, cluster_size: int) -> _Prices:
    if cost is None:
        if budget is not None:
            raise ValueError("`budget` needs `cost`: of a query, and of one in a repeat.")
        return _Prices(cluster_size)
    is_pair = isinstance(cost, list | tuple) and len(cost) == 2
    needed = "two finite numbers >= 0, of a query and of one in a repeat"
    check_given("cost", cost, is_pair, needed)
    per_query, per_cell = (check_real("cost", of, needed, least=0) for of in cost)
    _check_positive("cost", per_query + per_cell)
    if budget is not None:
        _check_positive("budget", budget)
    return _Prices(cluster_size, per_query, per_cell)


def _standardize_difference(difference: Any, unit: float, alternative: str) -> float:
    """Return the standardized difference in the direction of the alternative."""
    wanted = check_real("difference", difference, "a finite number other than 0")
    signed = {"greater": wanted, "less": -wanted}.get(alternative, abs(wanted))
    if not signed > 0:
        raise ValueError(
            f"`difference` must be other than 0, and of the sign of the alternative "
            f"{alternative!r}; got {difference}."
        )
    return max(signed / unit, sys.float_info.min)


def _cheapest(
    design: Design, size: float, power: float, numbers: Sequence[int], prices: _Prices
) -> tuple[int, int]:
    """Return the cheapest numbers of clusters and repeats with this power."""
    if len(numbers) == 1:
        return design.find_n(size, numbers[0], power), numbers[0]
    enough = [
        (design.find_n(size, n_repeats, power), n_repeats)
        for n_repeats in numbers
        if design.is_reached(size, n_repeats, power)
    ]
    if not enough:
        raise design.repeats_error(size, numbers[-1], power)
    return min(enough, key=lambda pair: prices.total(*pair))


def _notes_on_pilot(
    row: ComparisonRow, design: Design, n: int, prices: _Prices, budget: float | None
) -> list[str]:
    """Return how uncertain a pilot of few repeats is, and errors for other numbers."""
    sizes = [n_repeats for n_repeats in row.n_repeats if n_repeats > 1]
    if min(sizes) >= MANY_REPEATS:
        return []
    free = sum(sizes) - len(sizes)
    rest, of_repeats = row.components["rest"] ** 2, row.components["repeat"] ** 2
    squares = (row.n_queries * of_repeats + rest) * free
    low, high = (
        math.sqrt(max(squares / stats.chi2.isf(tail, free) - rest, 0) / row.n_queries)
        for tail in (0.025, 0.975)
    )
    text = (
        f"the pilot's {max(sizes)} repeats leave the SD between repeats between {low:.3f} "
        f"and {high:.3f}"
    )
    n_of = {
        number: n if budget is None else prices.n_within(budget, number)
        for number in range(1, MOST_REPEATS + 1)
    }
    if budget is not None:
        ends = []
        for deviation in (low, high):
            changed = replace(design, repeat=(deviation / design.unit) ** 2)
            errors = {
                changed.error(n, number): number for number, n in n_of.items() if n > 1
            }
            ends.append(errors[min(errors)])
        text += f": {ends[0]} to {ends[1]} repeats may be best"
    listed = [
        f"{number}: {design.unit * design.error(n_of[number], number):.4f}"
        for number in SHOWN_REPEATS
        if n_of[number] > 1
    ]
    return [text, f"standard error by the number of repeats: {', '.join(listed)}"]
