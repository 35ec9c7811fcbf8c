"""Check that users were assigned to variants as planned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from scipy import special, stats

from sklearn_rank._base._labels import as_list, encode_labels
from sklearn_rank._base._messages import keep_warnings, shorten, warn_caller
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_level,
    check_option,
    check_real,
    suggest,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank.online._named_results import SampleRatio
from sklearn_rank.typing import Labels

# The default level of the test: strict, because a mismatch is a defect.
MISMATCH_LEVEL = 0.001
# The prior weight of the planned shares in the any-time test, in units.
PRIOR_WEIGHT = 1000
# With fewer expected units in a variant the distribution of chi-squared does not hold.
FEWEST_EXPECTED = 5
# The exact test of three variants or more lists so many possible results at most.
MOST_RESULTS = 10**6
# Probabilities that differ by a smaller share are equal.
TIE = 1e-7


@explained
@keep_warnings
def sample_ratio_test(
    variant: Labels | None = None,
    *,
    counts: Mapping[Any, int] | None = None,
    expected: Mapping[Any, float] | None = None,
    confidence_level: float = 0.999,
    anytime: bool = False,
) -> SampleRatio:
    r"""Test whether variants have the planned numbers of units.

    With O observed and E expected units of each of k variants, the statistic has k - 1
    degrees of freedom:

    .. math:: \chi^2 = \sum \frac{(O - E)^2}{E}

    A mismatch is a defect of the experiment, in the assignment or in the log, and
    invalidates its results. Look for the defect; no formula can correct for it.

    Parameters
    ----------
    variant : array-like of shape (n_units,), default=None
        The variant of each unit, such as a user: one label per unit, not per row of a log.
    counts : dict of label to int, default=None
        The number of units of each variant, instead of `variant`.
    expected : dict of label to float, default=None
        The planned share of each variant, in percent or any other unit. If None, equal
        shares.
    confidence_level : float, default=0.999
        A p-value below 1 - `confidence_level` is a mismatch. The default is high because a
        mismatch is a defect.
    anytime : bool, default=False
        Whether the p-value is valid at any number of looks during the experiment. It needs
        more units to find a defect than one look at the end, but that look is often too
        late.

    Returns
    -------
    result : Bunch
        `counts` and `expected` (units by variant), `statistic` (with `anytime` the
        logarithm of the Bayes factor), `p_value` and `mismatch`.

    Raises
    ------
    ValueError
        If both or none of `variant` and `counts` are given; if every label occurs once, or
        the only one is a number, as if numbers of units were given; if there are fewer than
        two variants, no units, variants without a share, or a number is out of range.

    See Also
    --------
    compare_variants : Runs this test too, with `allocation`.

    Notes
    -----
    Where fewer than 5 units of a variant are expected, the distribution of
    :math:`\chi^2` does not hold, and p is exact: the probability of all results that are
    no more likely than this one, by the binomial or the multinomial distribution. With more
    than a million possible results of three variants or more, it is the smallest exact one
    of a variant alone, times their number.

    A variant of `expected` without units has the count 0. Thresholds and common causes of a
    mismatch are in [1]_ and [2]_.

    With `anytime` the p-value is the inverse of a Bayes factor, at most 1. The alternative
    is a Dirichlet distribution around the planned shares p with the weight K = 1000 [3]_:

    .. math::

        \ln BF = \ln \frac{\Gamma(K)}{\Gamma(K + n)}
        + \sum_i \ln \frac{\Gamma(K p_i + n_i)}{\Gamma(K p_i)} - \sum_i n_i \ln p_i

    References
    ----------
    .. [1] A. Fabijan et al., "Diagnosing sample ratio mismatch in online controlled
           experiments", KDD 2019.
    .. [2] R. Kohavi, D. Tang and Y. Xu, "Trustworthy online controlled experiments", 2020.
    .. [3] M. Lindon and A. Malek, "Anytime-valid inference for multinomial count data",
           NeurIPS 2022.

    Examples
    --------
    >>> from sklearn_rank.online import sample_ratio_test
    >>> found = sample_ratio_test(counts={"control": 821_588, "treatment": 815_482})
    >>> found.mismatch, f"{found.p_value:.1e}"
    (True, '1.8e-06')

    With a look each day:

    >>> counts = {"control": 5_000, "treatment": 5_300}
    >>> round(sample_ratio_test(counts=counts, anytime=True).p_value, 3)
    0.063
    """
    check_option("anytime", anytime, (True, False))
    confidence_level = check_level(confidence_level)
    if (variant is None) == (counts is None):
        raise ValueError("Give `variant`, one label per unit, or `counts`, not both.")
    if counts is None:
        sizes = _count_units(variant, expected)
    else:
        is_mapping = isinstance(counts, Mapping)
        check_given("counts", counts, is_mapping, "a dict from variant to units")
        pairs: Any = counts.items()
        sizes = {n: check_integer(f"counts[{n!r}]", units, minimum=0) for n, units in pairs}
    alpha = 1 - confidence_level
    return ratio_test(sizes, expected, alpha, name="expected", anytime=anytime)


def ratio_test(
    sizes: dict[Any, int], expected: Any, alpha: float, *, name: str, anytime: bool
) -> SampleRatio:
    """Return the test of units by variant; `name` is the argument with the shares."""
    shares = _planned_shares(sizes, expected, name)
    observed = np.array([sizes.get(label, 0) for label in shares], dtype=float)
    if len(observed) < 2 or not observed.sum():
        raise ValueError(
            f"There are {len(observed)} variant(s) with {observed.sum():g} units; the test "
            f"needs units of two variants. Name one that has none in `{name}`."
        )
    planned = np.array(list(shares.values()))
    planned *= observed.sum() / planned.sum()
    if anytime:
        statistic = _bayes_factor(observed, planned / planned.sum())
        p_value = min(1.0, math.exp(-max(statistic, 0.0)))
    else:
        statistic, p_value = stats.chisquare(observed, planned)
        if planned.min() < FEWEST_EXPECTED:
            p_value = _exact_p_value(observed.astype(int), planned / planned.sum())
    return SampleRatio(
        counts={label: sizes.get(label, 0) for label in shares},
        expected=dict(zip(shares, planned.tolist(), strict=True)),
        statistic=float(statistic),
        p_value=float(p_value),
        mismatch=bool(p_value < alpha),
    )


def _exact_p_value(counts: np.ndarray, shares: np.ndarray) -> float:
    """Return the probability of all results that are no more likely than the counts."""
    n_units, k = int(counts.sum()), len(counts)
    if k == 2 or math.comb(n_units + k - 1, k - 1) > MOST_RESULTS:
        pairs = zip(counts.tolist(), shares.tolist(), strict=True)
        alone = [stats.binomtest(count, n_units, share).pvalue for count, share in pairs]
        return min(1.0, alone[0] if k == 2 else k * min(alone))
    # What is left for the other variants, and the logarithm of the probability so far.
    left, log_p = np.array([n_units]), np.array([special.gammaln(n_units + 1.0)])
    for share in shares[:-1]:
        times = left + 1
        drawn = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        log_p = np.repeat(log_p, times) + special.xlogy(drawn, share)
        log_p -= special.gammaln(drawn + 1.0)
        left = np.repeat(left, times) - drawn
    log_p += special.xlogy(left, shares[-1]) - special.gammaln(left + 1.0)
    own = special.gammaln(n_units + 1.0) - special.gammaln(counts + 1.0).sum()
    own += special.xlogy(counts, shares).sum()
    return min(1.0, float(np.exp(log_p[log_p <= own + TIE]).sum()))


def _bayes_factor(counts: np.ndarray, shares: np.ndarray) -> float:
    """Return the logarithm of the Bayes factor against the shares."""
    n_units, prior = counts.sum(), PRIOR_WEIGHT * shares
    both = special.gammaln(prior + counts) - special.gammaln(prior)
    all_units = special.gammaln(PRIOR_WEIGHT) - special.gammaln(PRIOR_WEIGHT + n_units)
    return float(all_units + (both - counts * np.log(shares)).sum())


def warn_of_sizes(sizes: dict[Any, int], allocation: Any, planned: int | None) -> bool:
    """Warn if the numbers of units differ from the planned shares; return whether."""
    if allocation is None:
        return False
    if isinstance(allocation, str):
        check_option("allocation", allocation, ["equal"], otherwise="Or a dict.")
    expected = None if isinstance(allocation, str) else allocation
    keywords: Any = {"name": "allocation", "anytime": planned is not None}
    result = ratio_test(sizes, expected, MISMATCH_LEVEL, **keywords)
    if result.mismatch:
        text = ", ".join(f"{name}: {count}" for name, count in result.counts.items())
        warn_caller(
            f"Units are not assigned as planned ({text}; p = {result.p_value:.2g}), so "
            "that the comparison is void; look for the defect first."
        )
    return result.mismatch


def _count_units(variant: Any, expected: Any) -> dict[Any, int]:
    """Return the units of each label; raise if labels look like numbers of units."""
    needed = "the label of each unit, or numbers of units as counts={'a': 50, 'b': 53}"
    check_given("variant", variant, not isinstance(variant, Mapping), needed)
    labels, codes = encode_labels(variant, name="variant")
    sizes = dict(zip(as_list(labels), np.bincount(codes).tolist(), strict=True))
    is_one_number = len(sizes) == 1 and isinstance(next(iter(sizes)), Real)
    is_planned = isinstance(expected, Mapping) and all(key in expected for key in sizes)
    if not is_planned and (is_one_number or max(sizes.values(), default=0) == 1):
        has = "one number only" if is_one_number else "every label once"
        raise ValueError(f"`variant` has {has}; give {needed}.")
    return sizes


def _planned_shares(sizes: dict[Any, int], expected: Any, name: str) -> dict[Any, float]:
    """Return the share of each variant, of any sum."""
    if expected is None:
        return dict.fromkeys(sizes, 1.0)
    is_mapping = isinstance(expected, Mapping)
    check_given(name, expected, is_mapping, "a dict from variant to share")
    unplanned = [label for label in sizes if label not in expected]
    if unplanned:
        raise ValueError(
            f"`{name}` has no share for the variant {shorten(unplanned[0])}. "
            f"{suggest(unplanned[0], expected)}"
        )
    needed = "a finite number above 0"
    return {
        label: check_real(f"{name}[{label!r}]", share, needed, above=0)
        for label, share in expected.items()
    }
