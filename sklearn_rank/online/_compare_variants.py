"""Compare the variants of an A/B test: differences, lifts, intervals, tests."""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._ids._paired import check_same_labels
from sklearn_rank._validation import (
    check_integer,
    check_option,
    shorten,
    suggest,
    times_named,
)
from sklearn_rank.metrics._core._clusters import differences
from sklearn_rank.online._arms import (
    Arm,
    Population,
    adjusted_arm,
    contrast,
    means,
    plain_arm,
)
from sklearn_rank.online._checked_columns import read_numbers
from sklearn_rank.online._covariates import columns_of, read_covariates
from sklearn_rank.online._intervals import AnyTime, FixedHorizon
from sklearn_rank.online._sample_ratio import MISMATCH, ratio_test
from sklearn_rank.online._units import Units, read_units
from sklearn_rank.online._variant_comparison import VariantComparison
from sklearn_rank.statistics._corrections import CORRECTIONS, corrected
from sklearn_rank.statistics._options import check_level
from sklearn_rank.statistics._t import ALTERNATIVES, t_statistic

# With fewer units the error that intervals for any time rely on is not known well enough.
LEAST_PLANNED = 100
LEAST_IN_AN_ARM = 100
# The largest t needs flips, and arms have none.
OF_P_VALUES = [name for name in CORRECTIONS if name != "max_t"]


def compare_variants(
    outcome,
    variant,
    *,
    control,
    unit=None,
    denominator=None,
    covariate=None,
    strata=None,
    population=True,
    alternative="two-sided",
    confidence_level=0.95,
    correction="holm",
    allocation=None,
    anytime_n=None,
):
    r"""Compare the variants of an A/B test by the outcomes of their units.

    The unit is what was randomized, nearly always the user. Rows are summed to units first,
    so that unit u has the outcome :math:`y_u` and the denominator :math:`x_u`, 1 without
    one. The metric of an arm of n units is the ratio of sums, with the error by
    linearization, which equals the delta method [1]_:

    .. math::

        R = \frac{\sum_u y_u}{\sum_u x_u}, \qquad
        z_u = R + \frac{y_u - R x_u}{\bar x}, \qquad
        V = \frac{\sum_u (z_u - R)^2}{n (n - 1)}

    The difference to the control has :math:`SE^2 = V_t + V_c`, and the degrees of freedom
    of Welch; without a denominator this is Welch's t test.

    Parameters
    ----------
    outcome : array-like of shape (n_rows,)
        Clicks, sales or whatever is compared. A unit that did nothing belongs in with 0.
    variant : array-like of shape (n_rows,)
        The variant of each row, labels of any type.
    control : label
        The variant that each other one is compared with.
    unit : array-like of shape (n_rows,), default=None
        The unit of each row, such as the user. None: each row is a unit.
    denominator : array-like of shape (n_rows,), default=None
        What the outcome is divided by, such as views: the metric is a ratio of sums, and
        not the mean of the ratios of users.
    covariate : array-like of shape (n_rows,) or (n_rows, n_covariates), default=None
        A value a unit from before the experiment, typically the same outcome in the weeks
        before, NaN where there is none (CUPED). One that the experiment can change biases
        the result, which nobody can see in the data.
    strata : array-like of shape (n_rows,), default=None
        A label a unit from before the experiment, such as the country: outcomes are
        compared within strata (post-stratification). Give it, too, where users were
        assigned within strata.
    population : bool, default=True
        Whether an adjusted difference is for units such as these, whose covariates have
        another mean in each sample. False: for these units alone, which is narrower where
        the covariate has another slope in each arm.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": the metric of the variant is larger than that of the control. The
        intervals are then one-sided as well.
    confidence_level : float, default=0.95
        Probability that an interval covers the true difference, for each comparison alone.
    correction : {"holm", "bonferroni", "fdr_bh", None}, default="holm"
        How p-values are corrected where several variants are compared.
    allocation : "equal" or dict of label to float, default=None
        The planned shares of the variants. If units are not assigned accordingly, a warning
        says so, by :func:`sample_ratio_test`. None: not checked.
    anytime_n : int, default=None
        Makes intervals and p-values hold at every look, however many there are: the number
        of units of both arms, 100 or more and fixed beforehand, at which they should be
        narrowest. None: there is one look, fixed beforehand.

    Returns
    -------
    comparison : VariantComparison
        A row for each variant but the control, as text, by ``row()`` or ``to_frame()``.

    Raises
    ------
    ValueError
        If a unit is in two variants or has two values of the covariate; if the control is
        unknown, or an arm has fewer than two units; if a denominator is negative, or 0 in a
        whole arm; if an arm has fewer than two units of a stratum; if lengths differ, or a
        number is missing or out of its range.

    Warns
    -----
    UserWarning
        If units have no covariate; if the assignment is not as planned; if no outcome
        differs within arms; if an arm has fewer than 20 units for each covariate and
        stratum, or is too small for intervals that hold at any time.

    See Also
    --------
    sample_ratio_test : The first check of each experiment.
    sklearn_rank.statistics.sample_size : How many units each arm needs.
    sklearn_rank.statistics.compare_models : Models on the same queries.

    Notes
    -----
    With covariates c each arm has a regression of z on c, and `value` is what it predicts
    at the mean of c over all N units, with the robust error HC2. Slopes of their own never
    cost precision in large arms, which a common one can [3]_. The variance falls by about
    the squared correlation [2]_. A unit without a covariate has the mean of the others, and
    a mean of its own where 10 units of each arm have none. Strata are covariates of 0
    and 1. The slopes are 0 in an arm in which only one unit has another covariate than the
    rest.

    Of another sample c has another mean. So with `population`, the slopes :math:`\theta`
    of the arms, and the covariance :math:`\hat\Sigma` of c over all units,

    .. math:: SE^2 = V_t + V_c
        + (\theta_t - \theta_c)' \hat\Sigma \, (\theta_t - \theta_c) / N

    The lift is the ratio to the control less 1, its interval that of the logarithm; NaN
    unless both metrics are above 0.

    With `anytime_n` the interval is :math:`SE \sqrt{(1 + \kappa) / \kappa \, \ln((1 +
    \kappa) / \alpha^2)}` to each side, where :math:`\kappa` is proportional to the units so
    far, a mixture of normals ([4]_, [5]_). At the planned number it is 3.04 instead of 1.96
    errors. It is asymptotic: the first look wants some hundred units in each arm. To stop
    when it excludes 0 is allowed; the difference is then too large on average.

    Welch's test wants some 355 times the squared skewness of the outcome as units in each
    arm, which for sales can be very many [6]_; `largest_share` says how much a single unit
    weighs.

    References
    ----------
    .. [1] A. Deng, U. Knoblich and J. Lu, "Applying the delta method in metric analytics",
           KDD 2018.
    .. [2] A. Deng, Y. Xu, R. Kohavi and T. Walker, "Improving the sensitivity of online
           controlled experiments by utilizing pre-experiment data", WSDM 2013.
    .. [3] W. Lin, "Agnostic notes on regression adjustments to experimental data", Annals
           of Applied Statistics 7, 2013.
    .. [4] R. Johari, P. Koomen, L. Pekelis and D. Walsh, "Always valid inference",
           Operations Research 70(3), 2022.
    .. [5] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform
           central limit theory and asymptotic confidence sequences", Annals of Statistics,
           2024.
    .. [6] R. Kohavi, A. Deng, R. Longbotham and Y. Xu, "Seven rules of thumb for web site
           experimenters", KDD 2014.

    Examples
    --------
    Clicks per view, a row a user:

    >>> from sklearn_rank.online import compare_variants
    >>> clicks = [1, 0, 2, 3, 0, 1, 2, 1, 2, 4, 1, 3]
    >>> views = [10, 5, 8, 20, 3, 4, 9, 6, 5, 15, 5, 10]
    >>> variant = ["old"] * 6 + ["new"] * 6
    >>> print(compare_variants(clicks, variant, control="old", denominator=views))
    ratio of sums; difference to old; Welch's t test
         units   value  difference     95 % interval       p     lift
    new      6  0.2600     +0.1200  +0.0347, +0.2053  0.0108  +85.7 %
    old      6  0.1400
    """
    design = _VariantDesign(
        check_level(confidence_level), alternative, correction, _planned(anytime_n)
    )
    beside = {"unit": unit, "denominator": denominator, "strata": strata}
    check_same_labels({"outcome": outcome, "variant": variant, **beside})
    check_same_labels({"outcome": outcome, "covariate": covariate})
    found = read_numbers("outcome", outcome)
    units = read_units(len(found), variant, unit)
    _check_control(control, units)
    known = read_covariates(columns_of(covariate), strata, units)
    table = known.table()
    sums = units.outcome("outcome", found)
    below = None
    if denominator is not None:
        below = units.denominator("denominator", denominator)
    arms = _arms(units, sums, below, table)
    spread = None if table is None or not population else Population.of(table)
    others = [name for name in arms if name != control]
    shares = _largest_shares(units, sums)
    rows = [
        {"variant": name, "control": control}
        | design.row(arms[name], arms[control], spread)
        | {"largest_share": max(shares[name], shares[control])}
        for name in others
    ]
    p_values = np.array([row["p_value"] for row in rows])
    for row, p_value in zip(rows, corrected(p_values, correction).tolist(), strict=True):
        row["p_adjusted"] = p_value
    for message in [*_told_of_units(units, allocation), *known.told, *design.told_of(rows)]:
        warnings.warn(message, UserWarning, stacklevel=2)
    return VariantComparison(
        rows,
        settings={
            "control": control,
            "alternative": alternative,
            "confidence_level": design.level,
            "correction": correction,
            "anytime_n": design.planned,
            "is_ratio": denominator is not None,
            "is_adjusted": table is not None,
            "population": population,
        },
    )


def _planned(anytime_n: Any) -> int | None:
    planned = check_integer("anytime_n", anytime_n, none="one look")
    if planned is not None and planned < LEAST_PLANNED:
        raise ValueError(
            f"`anytime_n` must be {LEAST_PLANNED} or more, got {planned}; the error of "
            "fewer units is not known well enough for intervals that hold at any time."
        )
    return planned


def _check_control(control: Any, units: Units) -> None:
    if not times_named(control, units.variants):
        raise ValueError(
            f"`control` got {shorten(control)}. {suggest(control, units.variants)}"
        )
    if len(units.variants) < 2:
        raise ValueError(f"All units are in {shorten(control)}; a comparison needs two.")
    sizes = np.bincount(units.arm)
    if sizes.min() < 2:
        name = units.variants[int(np.argmin(sizes))]
        raise ValueError(
            f"The variant {shorten(name)} has {sizes.min()} unit; a comparison needs two "
            "in each."
        )


def _arms(
    units: Units,
    outcome: np.ndarray,
    denominator: np.ndarray | None,
    covariates: np.ndarray | None,
) -> dict[Any, Arm]:
    """Return the metric of each arm, adjusted where there are covariates."""
    center = None if covariates is None else means(covariates)
    arms = {}
    for place, name in enumerate(units.variants):
        is_here = units.arm == place
        of_arm = outcome[is_here], None if denominator is None else denominator[is_here]
        if covariates is None:
            arms[name] = plain_arm(*of_arm)
        else:
            arms[name] = adjusted_arm(*of_arm, covariates[is_here], center)
    return arms


def _largest_shares(units: Units, outcome: np.ndarray) -> dict[Any, float]:
    """Return how much one unit has of the outcomes of each arm, at most."""
    sizes = np.abs(outcome)
    shares = {}
    for place, name in enumerate(units.variants):
        of_arm = sizes[units.arm == place]
        most = float(of_arm.max())
        shares[name] = 1 / float((of_arm / most).sum()) if most else math.nan
    return shares


def _told_of_units(units: Units, allocation: Any) -> list[str]:
    """Return what to warn of before any comparison."""
    told = []
    if allocation is not None:
        if isinstance(allocation, str):
            check_option("allocation", allocation, ["equal"], otherwise="Or a dict.")
        expected = None if isinstance(allocation, str) else allocation
        sizes = np.bincount(units.arm).tolist()
        counts = dict(zip(units.variants, sizes, strict=True))
        found = ratio_test(counts, expected, MISMATCH, name="allocation")
        if found.mismatch:
            shown = ", ".join(f"{name}: {count}" for name, count in found.counts.items())
            told.append(
                f"Units are not assigned as planned ({shown}; p = {found.p_value:.2g}), "
                "so that the comparison is void; look for the defect first."
            )
    return told


@dataclass(frozen=True)
class _VariantDesign:
    """How variants are compared."""

    level: float
    alternative: str
    correction: str | None
    planned: int | None

    def __post_init__(self) -> None:
        """Raise where an option is none."""
        check_option("alternative", self.alternative, ALTERNATIVES)
        check_option("correction", self.correction, OF_P_VALUES)
        if self.planned is not None and self.alternative != "two-sided":
            raise ValueError(
                f"`alternative` got {self.alternative!r}, but intervals that hold at any "
                "time are two-sided; leave it, or `anytime_n`, out."
            )

    def row(self, one: Arm, control: Arm, population: Population | None) -> dict[str, Any]:
        """Return the comparison of two arms."""
        n_units = one.n_units + control.n_units
        intervals = self._intervals(n_units)
        error, df = contrast(one, control, population)
        values = np.array([one.value]), np.array([control.value])
        difference = float(differences(*values)[0])
        low, high = intervals.interval(difference, error, df)
        lift, lift_low, lift_high = _lift(one, control, population, intervals, df)
        return {
            "n_units": one.n_units,
            "n_units_control": control.n_units,
            "value": one.value,
            "value_control": control.value,
            "difference": difference,
            "lift": lift,
            "lift_low": lift_low,
            "lift_high": lift_high,
            "standard_error": error,
            "df": df,
            "statistic": t_statistic(difference, error),
            "low": low,
            "high": high,
            "p_value": intervals.p_value(difference, error, df),
            "p_adjusted": math.nan,
        }

    def _intervals(self, n_units: int) -> FixedHorizon | AnyTime:
        if self.planned is None:
            return FixedHorizon(self.level, self.alternative)
        return AnyTime.after(n_units, self.planned, self.level)

    def told_of(self, rows: list[dict[str, Any]]) -> list[str]:
        """Return what to warn of in the rows."""
        told = [
            f"All outcomes of {shorten(row['variant'])} and {shorten(row['control'])} are "
            "alike within their arms, so that their error is 0 and says nothing."
            for row in rows
            if row["standard_error"] == 0
        ]
        fewest = min(min(row["n_units"], row["n_units_control"]) for row in rows)
        if self.planned is not None and fewest < LEAST_IN_AN_ARM:
            told.append(
                f"An arm has {fewest} units; intervals that hold at any time are too "
                f"narrow below some {LEAST_IN_AN_ARM}."
            )
        return told


def _lift(
    one: Arm,
    control: Arm,
    population: Population | None,
    intervals: FixedHorizon | AnyTime,
    df: float,
) -> tuple[float, float, float]:
    """Return the ratio to the control less 1, with the interval of its logarithm."""
    if control.value <= 0:
        return math.nan, math.nan, math.nan
    lift = one.value / control.value - 1
    if one.value <= 0:
        return lift, math.nan, math.nan
    weights = 1 / one.value, 1 / control.value
    error = contrast(one, control, population, weights)[0]
    low, high = intervals.interval(math.log(one.value / control.value), error, df)
    return lift, _expm1(low), _expm1(high)


def _expm1(value: float) -> float:
    try:
        return math.expm1(value)
    except OverflowError:
        return math.inf
