"""Compare the variants of an A/B test by their means and standard deviations."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any, Literal

from sklearn_rank._base._messages import keep_warnings, shorten
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
    is_nested,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank.online._arms import Arm
from sklearn_rank.online._sample_ratio import warn_of_sizes
from sklearn_rank.online._variant_comparison import UNNAMED, Measure, VariantComparison
from sklearn_rank.online._variant_design import VariantDesign, check_control
from sklearn_rank.typing import Alternative, Correction, PandasFrame

KEYS_OF_MEAN = ("n", "mean", "sd")
KEYS_OF_SHARE = ("n", "successes")
KEYS_OF_RATIO = (*KEYS_OF_MEAN, "denominator_mean", "denominator_sd", "covariance")


@explained
@keep_warnings
def compare_variant_sums(
    variants: Mapping[Any, Mapping[str, float]] | PandasFrame,
    *,
    control: Hashable,
    lower_is_better: bool = False,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    correction: Correction = "holm",
    allocation: Literal["equal"] | Mapping[Any, float] | None = None,
    anytime_n: int | None = None,
) -> VariantComparison:
    r"""Compare the variants of an A/B test by aggregates from a database.

    Means are compared by Welch's t test, as :func:`compare_variants` does. The error of a
    ratio of the means y and x of n units is that of the delta method:

    .. math::

        V = \frac{s_y^2 - 2 R s_{xy} + R^2 s_x^2}{n \, \bar x^2}, \qquad
        R = \frac{\bar y}{\bar x}

    Parameters
    ----------
    variants : dict of label to dict, or DataFrame
        Aggregates of each variant: "n", the number of units such as users; "mean" and "sd",
        the mean of their outcomes and the standard deviation (n - 1). For a ratio of sums
        also "denominator_mean", "denominator_sd" and "covariance" (n - 1). For a share of
        the units "n" and "successes" alone. Or a frame with these columns and a row per
        variant, named by the index.
    control : label
        The variant that the others are compared with.
    lower_is_better : bool, default=False
        Whether lower outcomes are better, for the verdict.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        As in :func:`compare_variants`.
    confidence_level : float, default=0.95
        Probability that an interval covers the true difference, for each comparison alone.
    correction : {"holm", "bonferroni", "fdr_bh", None}, default="holm"
        Correction of p-values if several variants are compared.
    allocation : "equal" or dict of label to float, default=None
        The planned shares of the variants, as in :func:`compare_variants`.
    anytime_n : int, default=None
        The planned number of units for intervals at every look, as in
        :func:`compare_variants`.

    Returns
    -------
    comparison : VariantComparison
        A row for each variant but the control; `largest_share` is unknown.

    Raises
    ------
    ValueError
        If a number is missing or out of range; if the control is unknown, or an arm has
        fewer than two units.
    TypeError
        If an entry is not a dict, or a value is not a number.

    Warns
    -----
    UserWarning
        If the assignment is not as planned; if all outcomes of a variant are equal; if a
        variant is too small for intervals that hold at any time.

    See Also
    --------
    compare_variants : Outcomes of units, with covariates and guardrails.

    Notes
    -----
    First aggregate rows to units: the mean over rows of a log has an error that is too
    small. Aggregates do not show how unequal the denominators of units are, so the error of
    a ratio is not corrected for that. If one user has half of the views in each arm, 15 to
    45% of tests are false positives. :func:`compare_variants` makes the correction.

    Examples
    --------
    >>> from sklearn_rank.online import compare_variant_sums
    >>> variants = {
    ...     "old": {"n": 2_002, "mean": 2.44, "sd": 3.1},
    ...     "new": {"n": 1_998, "mean": 2.87, "sd": 3.3},
    ... }
    >>> print(compare_variant_sums(variants, control="old"))
    mean per unit; difference to old; Welch's t test
         units  value  difference      95% interval        p    lift
    new  1,998  2.870      +0.430  [+0.232, +0.628]  <0.0001  +17.6%
    old  2,002  2.440
    Allocation not checked; give allocation='equal'.
    """
    design = VariantDesign(confidence_level, alternative, correction, anytime_n)
    check_option("lower_is_better", lower_is_better, (True, False))
    summaries: Any = variants
    if hasattr(summaries, "iterrows"):
        summaries = summaries.to_dict("index")
    example = 'a dict such as {"old": {"n": 100, "mean": 2.4, "sd": 3.1}, ...}'
    check_given("variants", summaries, is_nested(summaries), example)
    summaries = {name: _share_as_mean(name, summary) for name, summary in summaries.items()}
    is_ratio = any(len(summary) > len(KEYS_OF_MEAN) for summary in summaries.values())
    needed = KEYS_OF_RATIO if is_ratio else KEYS_OF_MEAN
    arms = {name: _read_arm(name, summary, needed) for name, summary in summaries.items()}
    sizes = {name: arm.n_units for name, arm in arms.items()}
    check_control(control, sizes)
    is_void = warn_of_sizes(sizes, allocation, anytime_n)
    measure = Measure(UNNAMED, None, lower_is_better=lower_is_better)
    rows, is_checked = design.rows(measure, arms, control), allocation is not None
    settings = {"is_ratio": is_ratio, "of_sums": True, "is_allocation_checked": is_checked}
    return design.result(rows, control=control, is_void=is_void, **settings)


def _share_as_mean(name: Any, summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the mean and standard deviation of 0s and 1s, from their sum."""
    if set(summary) != set(KEYS_OF_SHARE):
        return summary
    n = check_integer(f"variants[{name!r}]['n']", summary["n"])
    title, needed = f"variants[{name!r}]['successes']", f"a number from 0 to n = {n}"
    successes = check_real(title, summary["successes"], needed, least=0, most=n)
    share = successes / n
    return {"n": n, "mean": share, "sd": math.sqrt(share * (1 - share) * n / max(n - 1, 1))}


def _read_arm(name: Any, summary: Mapping[str, Any], needed: tuple[str, ...]) -> Arm:
    """Return the mean or ratio of an arm with its error."""
    if set(summary) != set(needed):
        raise ValueError(
            f"`variants[{name!r}]` has {shorten(list(summary))}, and needs {list(needed)}."
        )
    n_units = check_integer(f"variants[{name!r}]['n']", summary["n"])
    mean, sd, *of_denominator = (
        check_real(f"variants[{name!r}][{key!r}]", summary[key], "a finite number")
        for key in needed[1:]
    )
    if min(sd, *of_denominator[1:2], 0) < 0 or not min(of_denominator[:1], default=1) > 0:
        raise ValueError(
            f"`variants[{name!r}]` has a negative standard deviation, or a mean of the "
            "denominator that is not above 0."
        )
    if not of_denominator:
        return Arm(n_units, mean, sd / math.sqrt(n_units), n_units - 1)
    below, sd_below, covariance = of_denominator
    if abs(covariance) > sd * sd_below * (1 + 1e-9):
        raise ValueError(
            f"`variants[{name!r}]['covariance']` is {covariance:g}, more than the product "
            f"of the standard deviations, {sd * sd_below:g}."
        )
    ratio = mean / below
    variance = sd**2 - 2 * ratio * covariance + (ratio * sd_below) ** 2
    error = math.sqrt(max(variance, 0) / n_units) / below
    return Arm(n_units, ratio, error, n_units - 1)
