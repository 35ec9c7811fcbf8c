"""The number of queries that a comparison needs, and what it can detect."""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, overload

import numpy as np
from scipy import integrate, optimize, stats

from sklearn_rank._base._validation import (
    LARGEST_INTEGER,
    check_integer,
    check_level,
    check_option,
    check_real,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank.statistics._intervals_of_means import (
    ALTERNATIVES,
    LEAST_PLANNED,
    AnyTime,
    best_kappa,
)
from sklearn_rank.typing import Alternative


@overload
def sample_size(
    *,
    difference: float,
    standard_deviation: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    paired: bool = True,
    allocation_ratio: None = None,
    anytime: bool = False,
    n_guardrails: int = 0,
) -> int: ...


@overload
def sample_size(
    *,
    difference: float,
    standard_deviation: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    paired: bool = True,
    allocation_ratio: float,
    anytime: bool = False,
    n_guardrails: int = 0,
) -> tuple[int, int]: ...


@explained
def sample_size(
    *,
    difference: float,
    standard_deviation: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    paired: bool = True,
    allocation_ratio: float | None = None,
    anytime: bool = False,
    n_guardrails: int = 0,
) -> int | tuple[int, int]:
    r"""Number of queries that a t test needs to detect a difference.

    It is the smallest n whose power reaches `power`, with :math:`\lambda = \sqrt n \,
    \delta / s` and :math:`\nu = n - 1`:

    .. math::

        P(T'_{\nu, \lambda} > t_{1 - \alpha / 2, \nu})
        + P(T'_{\nu, \lambda} < -t_{1 - \alpha / 2, \nu})

    T' has the noncentral t distribution. One-sided tests have one of the two terms and
    :math:`t_{1 - \alpha, \nu}`.

    Parameters
    ----------
    difference : float
        Smallest difference :math:`\delta` that should be detected, other than 0.
    standard_deviation : float
        Standard deviation s of the differences, such as the column `sd` of a comparison
        on a few queries; if not `paired`, that of the values of one model.
    power : float, default=0.8
        Probability of a significant result if the difference is this large.
    confidence_level : float, default=0.95
        Probability of no significant result if there is no difference.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        As in :func:`compare_models`; "less" detects a negative difference.
    n_comparisons : int, default=1
        Number of comparisons that share 1 - `confidence_level` (Bonferroni).
    paired : bool, default=True
        Whether both models are judged on the same queries. False: the number of users in
        each arm of an A/B test, with :math:`\lambda = \sqrt{n / 2} \, \delta / s`.
    allocation_ratio : float, default=None
        Users with the new variant per user of the control, with :math:`\lambda = \delta /
        (s \sqrt{1 / n_c + 1 / n_t})`. If None, equal numbers.
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
    n : int or tuple of int
        Number of queries, or of clusters if these are the unit; in each arm if not
        `paired`. With `allocation_ratio`, the users of the control and of the new variant.

    Raises
    ------
    ValueError
        If a number is out of range, or the difference has a different sign than the
        one-sided alternative; if `allocation_ratio` or `anytime` is given with `paired`, or
        `anytime` with a one-sided alternative.

    See Also
    --------
    detectable_difference : The other way round.
    sklearn_rank.online.compare_variants : Reads the log of an A/B test.

    Notes
    -----
    The noncentral t distribution and examples are in [1]_; a book on the design of
    experiments in information retrieval is [2]_.

    References
    ----------
    .. [1] J. Cohen, "Statistical power analysis for the behavioral sciences", 2nd edition,
           1988.
    .. [2] T. Sakai, "Laboratory experiments in information retrieval", 2018.

    Examples
    --------
    >>> from sklearn_rank.statistics import sample_size
    >>> sample_size(difference=0.02, standard_deviation=0.18)
    638
    >>> sample_size(difference=0.02, standard_deviation=0.18, n_comparisons=9)
    1063

    Users of an A/B test, three of four with the new variant:

    >>> plan = {"difference": 0.5, "standard_deviation": 4, "paired": False}
    >>> sample_size(**plan), sample_size(**plan, allocation_ratio=3)
    (1006, (671, 2013))
    """
    check_integer("n_guardrails", n_guardrails, minimum=0)
    tested = power, confidence_level, alternative, n_comparisons, paired
    design = _Design(*tested, allocation_ratio, anytime)
    size = _standardize_difference(difference, standard_deviation, alternative)
    # All tests share the power.
    design = replace(design, power=1 - (1 - design.power) / (1 + n_guardrails))
    ratio = design.normal_quantiles() / size
    start = ratio * ratio * design.variance_of_one()  # infinite, where ** raises
    if not start < LARGEST_INTEGER:
        raise ValueError(
            f"A difference of {difference} with a standard deviation of "
            f"{standard_deviation} needs more than 2**53 queries."
        )
    lower, enough = 1, max(math.ceil(start), 2)
    while design.compute_power(enough, size) < design.power:
        lower, enough = enough, 2 * enough
    power_of = partial(design.compute_power, size=size)
    between = range(lower + 1, enough + 1)
    enough = between[bisect_left(between, design.power, key=power_of)]
    return enough if allocation_ratio is None else (enough, design.n_treated(enough))


@explained
def detectable_difference(
    n: int,
    *,
    standard_deviation: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    paired: bool = True,
) -> float:
    r"""Smallest difference that a t test on n queries detects.

    The :math:`\delta > 0` for which the power in :func:`sample_size` is `power`.

    Parameters
    ----------
    n : int
        Number of queries, or of clusters; in each arm if not `paired`.
    standard_deviation : float
        Standard deviation of the differences, such as the column `sd` of a comparison on a
        few queries; if not `paired`, that of the values of one model.
    power : float, default=0.8
        Probability of a significant result if the difference is this large.
    confidence_level : float, default=0.95
        Probability of no significant result if there is no difference.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        As in :func:`compare_models`. For "less" the difference is negative.
    n_comparisons : int, default=1
        Number of comparisons that share 1 - `confidence_level` (Bonferroni).
    paired : bool, default=True
        Whether both models are judged on the same queries, or each on its own.

    Returns
    -------
    difference : float
        The difference, in the units of `standard_deviation`.

    Raises
    ------
    ValueError
        If a number is out of its range.

    See Also
    --------
    sample_size : The other way round, with the formula.

    Examples
    --------
    >>> from sklearn_rank.statistics import detectable_difference
    >>> [
    ...     round(detectable_difference(n, standard_deviation=0.25), 4)
    ...     for n in (50, 100, 1000, 10_000, 100_000)
    ... ]
    [0.101, 0.0707, 0.0222, 0.007, 0.0022]
    """
    n = check_integer("n", n, minimum=2)
    deviation = _check_positive("standard_deviation", standard_deviation)
    design = _Design(power, confidence_level, alternative, n_comparisons, paired)
    guess = design.normal_quantiles() * math.sqrt(design.variance_of_one() / n)
    high = guess
    while design.compute_power(n, high) < power:
        high *= 2
    low = min(guess, high) / 2
    while design.compute_power(n, low) > power:
        low /= 2
    size = optimize.brentq(
        lambda size: design.compute_power(n, size) - power, low, high, xtol=1e-14 * high
    )
    return float(-size if alternative == "less" else size) * deviation


def _check_positive(name: str, value: Any) -> float:
    return check_real(name, value, "a finite number above 0", above=0)


def _standardize_difference(
    difference: Any, standard_deviation: Any, alternative: str
) -> float:
    """Return the standardized difference in the direction of the alternative."""
    deviation = _check_positive("standard_deviation", standard_deviation)
    wanted = check_real("difference", difference, "a finite number other than 0")
    signed = {"greater": wanted, "less": -wanted}.get(alternative, abs(wanted))
    if not signed > 0:
        raise ValueError(
            f"`difference` must be other than 0, and of the sign of the alternative "
            f"{alternative!r}; got {difference}."
        )
    return max(signed / deviation, sys.float_info.min)


@dataclass(frozen=True)
class _Design:
    """The test of a difference, and its power."""

    power: float
    confidence_level: float
    alternative: str
    n_comparisons: int
    paired: bool
    allocation_ratio: float | None = None
    anytime: bool = False

    def __post_init__(self) -> None:
        """Raise if a number is out of range."""
        check_option("alternative", self.alternative, ALTERNATIVES)
        check_option("paired", self.paired, (True, False))
        check_integer("n_comparisons", self.n_comparisons)
        check_level(self.confidence_level)
        needed = "a number above 1 - `confidence_level`, below 1"
        check_real("power", self.power, needed, above=1 - self.confidence_level, below=1)
        check_option("anytime", self.anytime, (True, False))
        if self.allocation_ratio is not None:
            name, needed = "allocation_ratio", "a number above 0 and below 1e9"
            ratio = check_real(name, self.allocation_ratio, needed, above=0, below=1e9)
            object.__setattr__(self, name, ratio)  # a float of 64 bits
        if self.paired and (self.anytime or self.allocation_ratio is not None):
            raise ValueError(
                "`allocation_ratio` and `anytime` are for A/B tests; give `paired=False`."
            )
        if self.anytime and self.alternative != "two-sided":
            raise ValueError(
                f"`alternative` got {self.alternative!r}, but tests that hold at any time "
                "are two-sided; leave it, or `anytime`, out."
            )

    @property
    def tail(self) -> float:
        """The level of one comparison in one direction."""
        sides = 2 if self.alternative == "two-sided" else 1
        return (1 - self.confidence_level) / self.n_comparisons / sides

    def normal_quantiles(self) -> float:
        """Return the required ratio of the difference to its error, for a known error."""
        return self._normal_bound() + float(stats.norm.ppf(self.power))

    def _normal_bound(self) -> float:
        if self.anytime:
            alpha = 2 * self.tail
            return AnyTime(1 - alpha, best_kappa(alpha)).half_width_in_errors()
        return float(stats.norm.isf(self.tail))

    def n_treated(self, n: int) -> int:
        """Return the users with the new variant beside n of the control."""
        # Rounding of the ratio must not add a user.
        return max(math.ceil((self.allocation_ratio or 1) * n * (1 - 1e-12)), 2)

    def variance_of_one(self) -> float:
        """Return the variance of a difference with one query, or one in the control."""
        return 1.0 if self.paired else 1 + 1 / (self.allocation_ratio or 1)

    def compute_power(self, n: int, size: float) -> float:
        """Return the power with n queries for a standardized difference."""
        n_treated = self.n_treated(n)
        df = n - 1 if self.paired else n + n_treated - 2
        shift = size * math.sqrt(n if self.paired else n / (1 + n / n_treated))
        if self.anytime:
            is_enough = n + n_treated >= LEAST_PLANNED
            bound = self._normal_bound()
            return float(stats.norm.sf(bound - shift)) if is_enough else 0.0
        bound = float(stats.t.isf(self.tail, df))
        power = _probability_above(bound, df, shift)
        if self.alternative == "two-sided":
            power += _probability_above(bound, df, -shift)
        return power


# Beyond this an approximation is exact to ten digits, and SciPy is slow.
_LARGE_DF = 1e5


def _probability_above(bound: float, df: float, shift: float) -> float:
    """Return the probability that a noncentral t is above a bound."""
    if df > _LARGE_DF:
        scale = math.sqrt(1 + bound**2 / (2 * df))
        return float(stats.norm.cdf((shift - bound * (1 - 1 / (4 * df))) / scale))
    with np.errstate(all="ignore"):
        probability = float(stats.nct.sf(bound, df, shift))
    if 0 <= probability <= 1:
        return probability

    def share(u: float) -> float:
        return float(stats.norm.sf(bound * math.sqrt(stats.chi2.ppf(u, df) / df) - shift))

    return float(integrate.quad(share, 0, 1, epsabs=1e-10, limit=200)[0])
