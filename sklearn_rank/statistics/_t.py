"""Student's t: statistic, p-value and interval of an estimate with a standard error."""

import math

from scipy import stats

from sklearn_rank.metrics._core._shares import Estimate, Shares
from sklearn_rank.metrics._core._student import half_width

# With fewer degrees of freedom (ten equal clusters) the shape of the data matters.
FEW_DF = 9
ALTERNATIVES = ("two-sided", "greater", "less")


def t_statistic(estimate: float, error: float) -> float:
    """Return the estimate over its error; 0 if both are 0."""
    if error == 0:
        return math.copysign(math.inf, estimate) if estimate else 0.0
    return estimate / error


def t_p_value(statistic: float, df: float, alternative: str) -> float:
    """Return the probability of a statistic at least as extreme."""
    if alternative == "two-sided":
        return float(2 * stats.t.sf(abs(statistic), df))
    return float(stats.t.sf(statistic if alternative == "greater" else -statistic, df))


def t_test(
    estimate: float, error: float, df: float, alternative: str
) -> tuple[float, float]:
    """Return the statistic and its p-value, which is 1 if nothing differs."""
    statistic = t_statistic(estimate, error)
    if estimate == 0 and error == 0:
        return statistic, 1.0
    return statistic, t_p_value(statistic, df, alternative)


def t_interval(
    estimate: float, error: float, df: float, level: float, alternative: str = "two-sided"
) -> tuple[float, float]:
    """Return the interval of the estimate; one-sided, the other end is infinite."""
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    half = float(half_width(error, df, tail))
    low = -math.inf if alternative == "less" else estimate - half
    high = math.inf if alternative == "greater" else estimate + half
    return low, high


def t_columns(found: Estimate, level: float) -> dict[str, float]:
    """Return the error of an estimate, its weights, and its interval by Student's t."""
    low, high = t_interval(found.value, found.error, found.df, level)
    return {"standard_error": found.error, **found.columns(), "low": low, "high": high}


def told_of_few(shares: Shares, subject: str, units: str, advice: str) -> list[str]:
    """Return a warning if clusters are too few or too unequal for Student's t."""
    if shares.df >= FEW_DF:
        return []
    why = ""
    if shares.n_effective < shares.n:
        percent = 100 * shares.largest
        why = f", as they weigh as {shares.n_effective:.3g} and one has {percent:.3g} %"
    return [
        f"{subject} has {shares.n} {units}; intervals by Student's t are rough with "
        f"{shares.df:.3g} degrees of freedom, below {FEW_DF}{why}: {advice}."
    ]
