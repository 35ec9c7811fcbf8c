"""How often verdicts by a margin are wrong, and intervals of means miss the mean.

``python -m tests.benchmarks.interval_rates`` prints the tables of docs/which_test.rst
with their standard errors.
"""

import argparse
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import stats

from sklearn_rank.statistics import compare_models, confidence_interval

__all__ = ["MEANS", "SHAPES", "coverage", "ends_of", "error_of", "rejections", "verdicts"]

MARGIN = 0.02
Draw = Callable[[np.random.Generator, int], np.ndarray]


def two_values(
    rng: np.random.Generator, n: int, *, share: float, often: float, rarely: float
) -> np.ndarray:
    return np.where(rng.random(n) < share, often, rarely)


# Differences whose mean is a loss of the margin.
SHAPES: dict[str, Draw] = {
    "96% -0.03, 4% +0.22": partial(two_values, share=0.96, often=-0.03, rarely=0.22),
    "90% -0.03, 10% +0.07": partial(two_values, share=0.9, often=-0.03, rarely=0.07),
    "exponential(0.05) - 0.07": lambda rng, n: rng.exponential(0.05, n) - 0.07,
    "beta(0.3, 3) / 2, shifted": lambda rng, n: rng.beta(0.3, 3, n) / 2 - 0.05 / 1.1 - 0.02,
    "normal, deviation 0.05": lambda rng, n: rng.normal(-0.02, 0.05, n),
    "lognormal(0, 1) / 20, shifted": lambda rng, n: (
        (rng.lognormal(size=n) - np.exp(0.5)) / 20 - 0.02
    ),
}


def verdicts(
    draw: Draw, n: int, repeats: int, *, sign: int = 1, test: str = "auto"
) -> dict[str, float]:
    """Return the share of each verdict on differences, or on those of the other sign."""
    rng = np.random.default_rng(n)
    counts = dict.fromkeys(("better", "worse", "equivalent", "undecided"), 0)
    for _ in range(repeats):
        scores = {"old": np.full(n, 0.5), "new": 0.5 + sign * draw(rng, n)}
        row = compare_models(scores, baseline="old", margin=MARGIN, test=test).row("new")
        counts[row.verdict] += 1
    return {verdict: count / repeats for verdict, count in counts.items()}


def ends_of(differences: np.ndarray, *, is_widened: bool) -> np.ndarray:
    """Return both ends of the interval of each row of differences without zeros."""
    n, means = differences.shape[1], differences.mean(axis=1)
    residuals = differences - means[:, np.newaxis]
    squares = (residuals**2).sum(axis=1)
    quantile, errors = stats.t.isf(0.025, n - 1), np.sqrt(squares / (n - 1) / n)
    ends = np.array([means - quantile * errors, means + quantile * errors])
    if not is_widened:
        return ends
    with np.errstate(invalid="ignore"):  # all are equal
        skewness = (residuals**3).sum(axis=1) / squares**1.5
    shift = (2 * quantile**2 + 1) / 6 * skewness * errors
    low, high = ends[0] + np.minimum(shift, 0), ends[1] + np.maximum(shift, 0)
    low = np.where(ends[0] > 0, np.maximum(low, np.nextafter(0, 1)), low)
    high = np.where(ends[1] < 0, np.minimum(high, np.nextafter(0, -1)), high)
    return np.array([low, high])


def rate_of_worse(draw: Draw, n: int, repeats: int, *, is_widened: bool = True) -> float:
    """Return how often differences are called worse; all samples at once."""
    rng = np.random.default_rng(n)
    samples = draw(rng, n * repeats).reshape(repeats, n)
    is_worse = ends_of(samples, is_widened=is_widened)[1] < -MARGIN
    return float((is_worse & (np.ptp(samples, axis=1) > 0)).mean())


def rejections(draw: Draw, n: int, repeats: int) -> float:
    """Return how often differences of mean 0 have an interval by t that excludes 0."""
    rng = np.random.default_rng(n)
    samples = draw(rng, n * repeats).reshape(repeats, n)
    low, high = ends_of(samples, is_widened=False)
    return float(((low > 0) | (high < 0)).mean())


def reciprocal_ranks(rng: np.random.Generator, n: int, *, hits: float) -> np.ndarray:
    return np.where(rng.random(n) < hits, 1 / rng.integers(1, 21, n), 0)


def mean_of_ranks(hits: float) -> float:
    return hits * float(np.mean(1 / np.arange(1, 21)))


def rare_ones(rng: np.random.Generator, n: int) -> np.ndarray:
    place = rng.random(n)
    return np.where(place < 0.01, 1, np.where(place < 0.1, 0.05, 0))


# Values from 0 to 1, their mean, and numbers of queries.
MEANS: dict[str, tuple[Draw, float, tuple[int, ...]]] = {
    f"reciprocal ranks 1 to 20, {hits:.0%} hits": (
        partial(reciprocal_ranks, hits=hits),
        mean_of_ranks(hits),
        sizes,
    )
    for hits, sizes in ((0.1, (150,)), (0.3, (150,)), (0.03, (1000,)), (1, (12, 20, 50)))
} | {
    "1% of 1, 9% of 0.05, else 0": (rare_ones, 0.0145, (150, 400)),
    "beta(0.3, 1.2)": (lambda rng, n: rng.beta(0.3, 1.2, n), 0.2, (5, 8, 12, 20)),
    "beta(2, 0.5)": (lambda rng, n: rng.beta(2, 0.5, n), 0.8, (15, 40)),
}


def coverage(
    draw: Draw, mean: float, n: int, repeats: int, method: str = "auto"
) -> tuple[float, float]:
    """Return how often intervals contain the mean, and their mean width."""
    rng, covered, width = np.random.default_rng(n), 0, 0.0
    for _ in range(repeats):
        values, how = draw(rng, n), {"value_range": (0, 1), "method": method}
        interval = confidence_interval(values, **how)
        covered += interval.low <= mean <= interval.high
        width += interval.high - interval.low
    return covered / repeats, width / repeats


def error_of(rate: float, repeats: int) -> float:
    """Return the standard error of a share of so many repetitions."""
    return (rate * (1 - rate) / repeats) ** 0.5


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.benchmarks.interval_rates")
    parser.add_argument("--repeats", type=int, default=4000)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")  # few queries
    print(f"{repeats} repetitions; standard error {error_of(0.025, repeats):.4f} of 0.025,")
    print(f"{error_of(0.05, repeats):.4f} of 0.05.")
    print("Verdict worse, true loss the margin, five times as many:")
    for title, draw in SHAPES.items():
        for is_widened in (False, True):
            how = {"repeats": 5 * repeats, "is_widened": is_widened}
            shares = (rate_of_worse(draw, n, **how) for n in (30, 60, 100, 200, 600))
            text = f"{title:34}" + ("widened" if is_widened else "t").ljust(8)
            print(text + "".join(f"{share:8.3f}" for share in shares), flush=True)
    print("p of at most 0.05, mean 0, 96% +0.02, 4% -0.48; 50 to 1,000 queries:")
    draw = partial(two_values, share=0.96, often=0.02, rarely=-0.48)
    shares = (rejections(draw, n, 5 * repeats) for n in (50, 100, 200, 400, 1000))
    print("".join(f"{share:8.3f}" for share in shares), flush=True)
    print("Coverage by t and by auto, of 0.95, and the ratio of widths:")
    for title, (draw, mean, sizes) in MEANS.items():
        for n in sizes:
            by_t, narrow = coverage(draw, mean, n, repeats, "t")
            share, wide = coverage(draw, mean, n, repeats)
            numbers = f"{n:7,}{by_t:8.3f}{share:8.3f}{wide / narrow:8.2f}"
            print(f"{title:40}{numbers}", flush=True)


if __name__ == "__main__":
    main()
