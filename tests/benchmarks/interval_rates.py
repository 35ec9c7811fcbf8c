"""How often verdicts by a margin are wrong, and intervals of means miss the mean.

``python -m tests.benchmarks.interval_rates`` prints the tables of docs/comparing_models.rst
with their standard errors.
"""

import argparse
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from sklearn_rank.statistics import compare_models, confidence_interval

__all__ = ["MEANS", "SHAPES", "coverage", "error_of", "rejections", "verdicts"]

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


def rejections(draw: Draw, mean: float, n: int, repeats: int) -> float:
    """Return how often differences of mean 0 have a p-value of 0.05 at most."""
    rng, below = np.random.default_rng(n), 0
    for _ in range(repeats):
        scores = {"old": np.full(n, 0.5), "new": 0.5 + draw(rng, n) - mean}
        below += compare_models(scores, baseline="old").row("new").p_value <= 0.05
    return below / repeats


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
    print(f"{error_of(0.05, repeats):.4f} of 0.05.\nVerdict worse, true loss the margin:")
    for title, draw in SHAPES.items():
        shares = (verdicts(draw, n, repeats)["worse"] for n in (30, 60, 100, 200, 600))
        print(f"{title:40}" + "".join(f"{share:8.3f}" for share in shares), flush=True)
    print("p of at most 0.05, mean 0, 96% +0.02, 4% -0.48; 50 to 1,000 queries:")
    draw = partial(two_values, share=0.96, often=0.02, rarely=-0.48)
    shares = (rejections(draw, 0.0, n, repeats) for n in (50, 100, 200, 400, 1000))
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
