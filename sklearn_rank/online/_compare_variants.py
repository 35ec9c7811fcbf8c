"""Compare the variants of an A/B test: differences, lifts, intervals, tests, verdicts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._label_checks import check_same_labels
from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._validation import check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.online._arms import Arm, Population, adjusted_arm, plain_arm
from sklearn_rank.online._log_columns import (
    Units,
    find_likely_unit,
    name_columns_by_position,
    read_column_names,
    read_covariates,
    read_numbers,
    read_units,
    take_named_column,
)
from sklearn_rank.online._sample_ratio import warn_of_sizes
from sklearn_rank.online._variant_comparison import VariantComparison, read_measures
from sklearn_rank.online._variant_design import VariantDesign, check_control
from sklearn_rank.typing import Alternative, ArrayLike, Correction, DataFrame, Labels


@explained
@keep_warnings
def compare_variants(
    outcome: Labels | Mapping[str, Mapping[str, Any]],
    variant: Labels,
    *,
    control: Hashable,
    data: DataFrame | Mapping[Any, Labels] | None = None,
    unit: Labels | None = None,
    denominator: Labels | None = None,
    covariate: Labels | ArrayLike | None = None,
    strata: Labels | None = None,
    population: bool = True,
    guardrails: Mapping[str, Mapping[str, Any]] | None = None,
    lower_is_better: bool = False,
    cap: float | Mapping[str, float] | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    correction: Correction = "holm",
    allocation: Literal["equal"] | Mapping[Any, float] | None = None,
    anytime_n: int | None = None,
) -> VariantComparison:
    r"""Compare the variants of an A/B test by the outcomes of their units.

    The unit is what was randomized, usually the user. Rows are first summed to units: unit
    u has the outcome :math:`y_u` and the denominator :math:`x_u`, 1 without one. The metric
    of an arm is the ratio of sums. Its error is by linearization [1]_, corrected for the
    share :math:`h_u` of each unit:

    .. math::

        R = \frac{\sum_u y_u}{\sum_u x_u}, \qquad
        h_u = \frac{x_u}{\sum_v x_v}, \qquad
        V = \sum_u \frac{(y_u - R x_u)^2}{(1 - h_u) (\sum_v x_v)^2}

    The difference to the control has :math:`SE^2 = V_t + V_c`, and the degrees of freedom
    of Welch from those of both arms, which are fewer the more unequal the denominators are,
    as in :func:`~sklearn_rank.statistics.compare_models`. Without a denominator this is
    Welch's t test.

    Parameters
    ----------
    outcome : array-like of shape (n_rows,), or str, list of str or dict with `data`
        Clicks, sales or another outcome. Include units that did nothing, with 0. A list
        names several primary outcomes. A dict such as ``{"clicks": {"denominator":
        "views"}, "sales": {"cap": 500}}`` gives each its own "denominator", "cap" and
        "lower_is_better".
    variant : array-like of shape (n_rows,) or str
        The variant of each row, labels of any type.
    control : label
        The variant that the others are compared with.
    data : DataFrame or dict of str to array-like, default=None
        The log. With it `outcome`, `variant`, `unit`, `denominator`, `covariate` and
        `strata` are names of its columns.
    unit : array-like of shape (n_rows,) or str, default=None
        The unit of each row, such as the user. If None, each row is a unit; the text names
        a column of `data` whose labels repeat and never cross variants.
    denominator : array-like of shape (n_rows,) or str, default=None
        The denominator of the outcome, such as views: the metric is a ratio of sums, not
        the mean of the users' ratios.
    covariate : array-like of shape (n_rows,) or (n_rows, n_covariates), str or list of str
        A value per unit from before the experiment, typically the same outcome in the weeks
        before; NaN if missing (CUPED). A covariate that the experiment can change biases
        the result, and the data cannot show it. If None, no adjustment.
    strata : array-like of shape (n_rows,) or str, default=None
        A label per unit from before the experiment, such as the country: outcomes are
        compared within strata (post-stratification). Also give it if users were assigned
        within strata.
    population : bool, default=True
        Whether an adjusted difference is for the population of units, whose samples have
        different covariate means. False: for these units only, which is narrower if the
        slopes of the arms differ.
    guardrails : dict of str to dict, default=None
        Outcomes that a variant must not harm, by column of `data`. Each has a "margin", the
        largest accepted loss; "relative": True if it is a share of the control;
        "lower_is_better": True for outcomes such as latency; "denominator" and "cap" as
        here.
    lower_is_better : bool, default=False
        Whether lower primary outcomes are better.
    cap : float or dict, default=None
        The highest sum of a unit; larger sums are set to it, and `n_capped` counts these
        units. ``{"quantile": 0.99}`` is that quantile of the units of all arms. Choose it
        before the experiment. Caps do not help with arms of very unequal sizes.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": the metric of the variant is larger than that of the control. The
        intervals are then one-sided as well. Guardrails keep two-sided intervals.
    confidence_level : float, default=0.95
        Probability that an interval covers the true difference, for each comparison alone.
    correction : {"holm", "bonferroni", "fdr_bh", None}, default="holm"
        Correction of p-values over all primary outcomes and variants. Guardrails are not
        corrected: all must pass, so more of them do not make false positives likelier.
    allocation : "equal" or dict of label to float, default=None
        The planned shares of the variants. If units are not assigned accordingly, a warning
        says so, by :func:`sample_ratio_test`. If None, not checked, and the text says so.
    anytime_n : int, default=None
        Makes intervals and p-values valid at any number of looks: the number of units of
        both arms, at least 100 and fixed in advance, at which they should be narrowest.
        If None, a single look, fixed in advance.

    Returns
    -------
    comparison : VariantComparison
        A row for each outcome and variant but the control, as text, by ``row()`` or
        ``to_frame()``. ``comparison.decisions`` says for each variant "ship", "stop" or
        "undecided".

    Raises
    ------
    ValueError
        If a unit is in two variants or has two values of a covariate; if the control is
        unknown; if an arm has fewer than two units, or fewer than two of a stratum; if a
        denominator is negative, or 0 in a whole arm; if a guardrail has no margin, or a
        relative one and a control that is not above 0.

        If lengths differ, a number is missing or out of range, or `data` lacks a column.
    TypeError
        If `data` is not a frame or dict, or an argument given with it is not a name.

    Warns
    -----
    UserWarning
        If units have no covariate; if the assignment is not as planned; if all outcomes of
        each arm are equal; if a difference has fewer than 9 degrees of freedom, because
        an arm is small or few units have most of a denominator; if an arm has fewer than 20
        units for each covariate and stratum, or is too small for intervals that hold at any
        time.

    See Also
    --------
    sample_ratio_test : The first check of each experiment.
    sklearn_rank.statistics.plan_evaluation : The number of units that each arm needs.
    sklearn_rank.statistics.compare_models : Models on the same queries.

    Notes
    -----
    With covariates c each arm has a regression on c of :math:`R + (y_u - R x_u) / \bar x`,
    and `value` is what it predicts at the mean of c over all N units, with the robust error
    HC2. Separate slopes never cost precision in large arms; a common slope can [3]_. The
    variance falls by about the squared correlation [2]_.

    A missing covariate is replaced by the mean of the others, with an indicator if at least
    10 units of each arm lack it. Strata are covariates of 0 and 1. The slopes are 0 in an
    arm in which only one unit differs in the covariate.

    Another sample has a different mean of c. So with `population`, the slopes
    :math:`\theta` of the arms, and the covariance :math:`\hat\Sigma` of c over all units,

    .. math:: SE^2 = V_t + V_c
        + (\theta_t - \theta_c)' \hat\Sigma \, (\theta_t - \theta_c) / N

    Verdicts of primary outcomes are "better", "worse" or "undecided" by the corrected
    p-value. A guardrail with the margin m is tested against :math:`R_t - R_c = -m`, a
    relative one against :math:`R_t = (1 - m) R_c` with :math:`SE^2 = V_t + (1 - m)^2 V_c`,
    mirrored if lower is better. It passes if the interval at the confidence level is above
    that value, and fails if it is below.

    The p-value of a guardrail is one-sided: 0.025 corresponds to the level 0.95. If all
    values within arms are equal, the verdict is "undecided".

    The decision is to ship if a primary outcome is better, none is worse, and all
    guardrails pass. It is to stop if a primary outcome is worse or a guardrail fails.

    The lift is the ratio to the control minus 1; its interval is computed for the
    logarithm. It is NaN unless both metrics are above 0.

    With `anytime_n` the interval is :math:`SE \sqrt{(1 + \kappa) / \kappa \, \ln((1 +
    \kappa) / \alpha^2)}` to each side, where :math:`\kappa` is proportional to the units so
    far, a mixture of normals ([4]_, [5]_). At the planned number it is 3.04 instead of 1.96
    errors. It is asymptotic: the first look needs some hundred units in each arm. You may
    stop when it excludes 0; the difference is then too large on average.

    Welch's test needs about 355 times the squared skewness of the outcome in units per arm,
    which can be very many for sales [6]_; `largest_share` is the weight of the heaviest
    unit.

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
    Clicks per view, one row per user:

    >>> from sklearn_rank.online import compare_variants
    >>> clicks = [1, 0, 2, 3, 0, 1, 2, 1, 2, 4, 1, 3] * 2
    >>> views = [10, 5, 8, 20, 3, 4, 9, 6, 5, 15, 5, 10] * 2
    >>> variant = (["old"] * 6 + ["new"] * 6) * 2
    >>> print(compare_variants(clicks, variant, control="old", denominator=views))
    ratio of sums; difference to old; Welch's t test
         units   value  difference        95% interval       p    lift
    new     12  0.2600     +0.1200  [+0.0657, +0.1743]  0.0003  +85.7%
    old     12  0.1400

    With a guardrail, of a log with columns:

    >>> log = {"arm": variant, "clicks": clicks, "ms": [30, 32, 35, 31, 33, 31] * 4}
    >>> guardrails = {"ms": {"margin": 0.1, "relative": True, "lower_is_better": True}}
    >>> found = compare_variants(
    ...     "clicks",
    ...     "arm",
    ...     data=log,
    ...     control="old",
    ...     guardrails=guardrails,
    ...     allocation="equal",
    ... )
    >>> print(found)
    1 primary outcome, 1 guardrail; 12 units of new, 12 units of old; difference to
      old; Welch's t test
                 role  difference      95% interval  margin       p  verdict
    clicks    primary      +1.000  [+0.056, +1.944]          0.0388   better
    ms      guardrail       +0.00    [-1.44, +1.44]    +10%  0.0001     pass
    Intervals are not adjusted for multiple comparisons.
    Lower is better: ms.
    p of guardrails: not worse by the margin, one-sided, uncorrected.
    new: ship
    """
    design = VariantDesign(confidence_level, alternative, correction, anytime_n)
    check_option("population", population, (True, False))
    shared = {"denominator": denominator, "cap": cap, "lower_is_better": lower_is_better}
    measures = read_measures(data, outcome, guardrails, shared)
    asked = {"variant": variant, "unit": unit, "strata": strata}.items()
    labels = {name: take_named_column(data, name, column) for name, column in asked}
    if data is None:
        covariates = name_columns_by_position(covariate)
        numbers = {"covariate": covariate, "denominator": denominator}
        check_same_labels({"outcome": outcome, **labels, **numbers})
    else:
        names = [] if covariate is None else read_column_names("covariate", covariate)
        covariates = {str(n): take_named_column(data, "covariate", n) for n in names}
    n_rows = len(read_numbers(measures[0].name, measures[0].outcome))
    units = read_units(n_rows, labels["variant"], labels["unit"])
    check_control(control, units.sizes())
    is_void = warn_of_sizes(units.sizes(), allocation, anytime_n)
    strata = labels["strata"]
    of_units = read_covariates(covariates, strata, units, are_sample=population)
    rows = []
    for measure in measures:
        sums, below, n_capped = measure.sum_units(units)
        arms = _estimate_arms(units, sums, below, of_units)
        rows += design.rows(measure, arms, control, of_units, n_capped)
    likely = {}
    if data is not None and unit is None:
        likely = find_likely_unit(data, {measure.name for measure in measures}, units.arm)
    return design.result(
        rows,
        control=control,
        is_allocation_checked=allocation is not None or data is None,
        summed_by=units.summed_by(unit),
        is_void=is_void,
        likely_unit=likely,
        is_ratio=measures[0].denominator is not None,
        is_adjusted=of_units is not None,
        population=population,
    )


def _estimate_arms(
    units: Units,
    outcome: np.ndarray,
    denominator: np.ndarray | None,
    population: Population | None,
) -> dict[Any, Arm]:
    """Return the metric of each arm, adjusted if there are covariates."""
    arms = {}
    for index, name in enumerate(units.variants):
        is_here = units.arm == index
        of_arm = outcome[is_here], None if denominator is None else denominator[is_here]
        if population is None:
            arms[name] = plain_arm(*of_arm)
        else:
            table, center = population.covariates[is_here], population.center
            strata = population.strata.take(is_here)
            arms[name] = adjusted_arm(*of_arm, table, center, strata)
    return arms
