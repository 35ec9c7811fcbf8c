"""ERR of large tied blocks without a cutoff, by integration.

Give each of the n rows of the block a uniform random number t, by which they are ordered.
The others are above a row at t, each with probability t, and the one row at t satisfies
with s: the user stops there at the rank a + 1 + (rows above it in the block). With v = t /
(1 - t), s_i the chance of row i to satisfy, and 1 / rank as an integral of a power, all
orders together give

    integral over log v of  S(t) / (1 + v) × integral over log w of  w (1 - w)**(n + a)
                                                                     × (1 + w / v)**-(a + 1)
    S(t) = sum over i of  s_i × product over j != i of (1 - s_j t).

Both integrands are analytic in a strip of half-width pi / 2 about the real line, so the sum
over points at the distance h has a relative error of about exp(-pi**2 / h): rounding is
all that is left. Points at powers of exp(h) make the inner sum a convolution.
"""

import numpy as np

_STEP = 0.2
# What lies beyond exp(-44) of the scale of an integrand is below rounding.
_TAIL = 44.0
_RIGHT = 38.0
# So is the mean product of all 1 - s t, at most exp(-t sum(s)), below exp(-57) of it.
_FALL = 57.0


def stop_by_integral(
    size: np.ndarray,
    above: np.ndarray,
    block: np.ndarray,
    count: np.ndarray,
    unsatisfied: np.ndarray,
) -> np.ndarray:
    """Return the mean of 1 / rank of the stop for each block.

    `count` rows of a block have the probability `unsatisfied` to go on; by block.
    """
    value = np.empty(len(size))
    first = np.searchsorted(block, np.arange(len(size) + 1))
    for number, (n, a) in enumerate(zip(size.tolist(), above.tolist(), strict=True)):
        rows = slice(first[number], first[number + 1])
        value[number] = _of_block(n, a, count[rows], unsatisfied[rows])
    return value


def _of_block(n: int, a: int, count: np.ndarray, unsatisfied: np.ndarray) -> float:
    scale = np.log(n + a + 1)
    total = count @ (1 - unsatisfied)
    if total == 0:
        return 0.0
    most = (_FALL + scale) / total  # of t, beyond which no user continues
    right = np.log(most / (1 - most)) if most < 0.5 else _RIGHT
    outer = np.arange(np.floor(-(scale + _TAIL) / _STEP), np.ceil(right / _STEP) + 1)
    weight = _weight(np.exp(_STEP * outer), count, unsatisfied)
    begin, end = -(2 * scale + _TAIL), min(np.log(64) - scale, 0)
    inner = np.arange(np.floor(begin / _STEP), np.ceil(end / _STEP) + 1)
    inner = inner[inner < 0]
    w = np.exp(_STEP * inner)
    power = w * np.exp((n + a) * np.log1p(-w))
    ratio = np.arange(inner[0] - outer[-1], inner[-1] - outer[0] + 1)
    reached = np.exp(-(a + 1) * np.log1p(np.exp(_STEP * ratio)))
    # The first value is that of the last v.
    of_v = np.correlate(reached, power, "valid")[::-1]
    return float(_STEP**2 * (weight @ of_v))


def _weight(v: np.ndarray, count: np.ndarray, unsatisfied: np.ndarray) -> np.ndarray:
    """Return S(t) / (1 + v).

    Rows with s t up to 1 / 2 go into power sums; the others are a few hundred at most.
    """
    satisfied, t = 1 - unsatisfied, v / (1 + v)
    is_small = satisfied * t[-1] <= 0.5
    log, stops = _by_power_sums(t, count[is_small], satisfied[is_small])
    count, unsatisfied = count[~is_small, None], unsatisfied[~is_small, None]
    going_on = (1 + unsatisfied * v) / (1 + v)
    stopping = (1 - unsatisfied) * t
    # Where it is small, 1 - s t has lost its digits.
    logs = np.where(stopping < 0.5, np.log1p(-np.minimum(stopping, 0.5)), np.log(going_on))
    log += (count * logs).sum(axis=0)
    stops += (count * (1 - unsatisfied) / going_on).sum(axis=0)
    return stops * np.exp(log) / (1 + v)


def _by_power_sums(
    t: np.ndarray, count: np.ndarray, satisfied: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums of log(1 - s t) and of s / (1 - s t) over rows, from their series."""
    log, stops = np.zeros(len(t)), np.zeros(len(t))
    if len(count) == 0:
        return log, stops
    largest = max(t[-1] * satisfied.max(), 1e-300)
    power, t_power = count * satisfied, np.ones(len(t))
    for exponent in range(1, 2 + int(40 / -np.log(largest))):
        total = power.sum()
        stops += total * t_power
        t_power *= t
        log -= total / exponent * t_power
        power *= satisfied
    return log, stops
