"""How often tests say "different" of two equal models, at a nominal 0.05.

``python -m tests.benchmarks.error_rates`` prints the rates of docs/which_test.rst,
then what is wrong with rows as units and with p-values that are not corrected. With
``--online`` it prints those of docs/ab_tests.rst.
"""

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from scipy import stats

from sklearn_rank.metrics._core._clusters import ratio_of_sums
from sklearn_rank.statistics import compare_models
from sklearn_rank.statistics._intervals_of_means import t_test
from tests.benchmarks.online_error_rates import ONLINE, false_alarms

__all__ = [
    "error_rates",
    "error_rates_of_clusters",
    "error_rates_of_families",
    "error_rates_of_users",
    "is_nominal",
]

LEVEL = 0.05
N_RESAMPLES = 999
SIZES = (10, 25, 50, 200, 2_000)

Pair = tuple[np.ndarray, np.ndarray]


def equal_rankers(rng: np.random.Generator, n: int) -> Pair:
    """Reciprocal ranks of two rankers that put the item at random among ten."""
    one, other = 1 / rng.integers(1, 11, size=(2, n))
    return one, other


def equal_means(rng: np.random.Generator, n: int) -> Pair:
    """One model often has 0.2, the other rarely 1; both means are 0.1."""
    often = 0.2 * (rng.random(n) < 0.5)
    return often, 1.0 * (rng.random(n) < 0.1)


def by_t(one: np.ndarray, other: np.ndarray, seed: int) -> float:
    return _p_value(one, other, test="t")


def by_flips(one: np.ndarray, other: np.ndarray, seed: int) -> float:
    options = {"n_resamples": N_RESAMPLES, "random_state": seed}
    return _p_value(one, other, test="randomization", **options)


def by_wilcoxon(one: np.ndarray, other: np.ndarray, seed: int) -> float:
    return float(stats.wilcoxon(one, other, method="approx").pvalue)


def by_bootstrap(one: np.ndarray, other: np.ndarray, seed: int) -> float:
    """Return 0 if the percentile interval of the difference is on one side of 0, else 1."""
    difference = other - one
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(difference), size=(N_RESAMPLES, len(difference)))
    low, high = np.quantile(difference[drawn].mean(axis=1), [LEVEL / 2, 1 - LEVEL / 2])
    return float(low <= 0 <= high)


def _p_value(one: np.ndarray, other: np.ndarray, **options) -> float:
    return compare_models({"one": one, "other": other}, **options).row("other").p_value


TESTS: dict[str, Callable[[np.ndarray, np.ndarray, int], float]] = {
    "t": by_t,
    "sign flips": by_flips,
    "Wilcoxon": by_wilcoxon,
    "percentile bootstrap": by_bootstrap,
}
MODELS = {
    "reciprocal ranks of two equal rankers": equal_rankers,
    "one often 0.2, the other rarely 1": equal_means,
}


def error_rates(
    make: Callable[[np.random.Generator, int], Pair], n: int, repeats: int
) -> dict[str, float]:
    """Return the share of p-values below the level by the name of the test."""
    rng = np.random.default_rng(n)
    below = dict.fromkeys(TESTS, 0)
    for seed in range(repeats):
        one, other = make(rng, n)
        for name, test in TESTS.items():
            below[name] += test(one, other, seed) <= LEVEL
    return {name: count / repeats for name, count in below.items()}


def is_nominal(rate: float, repeats: int, level: float = LEVEL) -> bool:
    """Return whether a rate is the level, but for the error of so many repetitions.

    A rate of the level is within 3.3 standard errors of it 999 times of 1,000.
    """
    return abs(rate - level) <= 3.3 * (level * (1 - level) / repeats) ** 0.5


# The sizes of n clusters, by law.
SIZES_OF_CLUSTERS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "equal": lambda rng, n: np.full(n, 5.0),
    "geometric": lambda rng, n: np.geomspace(1, 100, n).round(),
    "Pareto": lambda rng, n: np.floor(rng.pareto(1.2, n) + 1),
    "half": lambda rng, n: np.r_[n - 1.0, np.ones(n - 1)],
}


def error_rates_of_clusters(
    law: str, n: int, repeats: int, *, skewed: bool = False
) -> dict[str, float]:
    """Return how often t tests of clusters of rows that are all alike find a difference.

    "usual" is the error CR1 with n - 1 degrees of freedom.
    """
    rng = np.random.default_rng(n)
    draw = (lambda: rng.exponential(size=n) - 1) if skewed else lambda: rng.normal(size=n)
    below = {"ours": 0, "usual": 0}
    for _ in range(repeats):
        weight = SIZES_OF_CLUSTERS[law](rng, n)
        values = draw()
        found = ratio_of_sums(weight * values, weight)
        below["ours"] += t_test(found.value, found.error, found.df, "two-sided")[1] <= LEVEL
        apart = weight * (values - found.value) / weight.sum()
        usual = float(np.sqrt(n / (n - 1) * (apart**2).sum()))
        below["usual"] += t_test(found.value, usual, n - 1, "two-sided")[1] <= LEVEL
    return {name: count / repeats for name, count in below.items()}


def error_rates_of_users(repeats: int) -> dict[str, float]:
    """Return how often equal models are called different that see a user five times."""
    rng = np.random.default_rng(5)
    users = np.repeat(np.arange(30), 5)
    known = {
        "t, users known": {"groups": users},
        "sign flips, users known": {
            "groups": users,
            "test": "randomization",
            "n_resamples": N_RESAMPLES,
            "random_state": 0,
        },
        "t, each value a user": {},
    }
    below = dict.fromkeys(known, 0)
    for _ in range(repeats):
        difference = rng.normal(0, 0.1, 30)[users] + rng.normal(0, 0.05, 150)
        for name, options in known.items():
            below[name] += _p_value(np.zeros(150), difference, **options) <= LEVEL
    return {name: count / repeats for name, count in below.items()}


def error_rates_of_families(repeats: int) -> dict[str, float]:
    """Return how often any of five models is called different from its equal, a baseline.

    One of them is noisier than the others.
    """
    rng = np.random.default_rng(6)
    names = ["baseline", *"abcde"]
    noise = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.3])
    corrections = ("holm", "bonferroni", "max_t", None)
    below = dict.fromkeys(corrections, 0)
    for seed in range(repeats):
        values = rng.normal(0.5, noise, size=(50, 6)) + rng.normal(0, 0.2, (50, 1))
        scores = dict(zip(names, values.T, strict=True))
        for correction in corrections:
            found = compare_models(
                scores,
                baseline="baseline",
                correction=correction,
                n_resamples=N_RESAMPLES,
                random_state=seed,
            )
            below[correction] += found.columns["p_adjusted"].min() <= LEVEL
    return {name or "not corrected": count / repeats for name, count in below.items()}


OTHERS = {
    "30 users, five values each": error_rates_of_users,
    "any of five models that are equal to the baseline": error_rates_of_families,
}


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.benchmarks.error_rates")
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--online", action="store_true")
    options = parser.parse_args()
    repeats = options.repeats
    warnings.simplefilter("ignore")  # few queries, and ties
    print(f"{repeats} repetitions; the standard error is {(0.0475 / repeats) ** 0.5:.3f}.")
    if options.online:
        for title, of_nothing in ONLINE.items():
            print(f"{title:39}{false_alarms(of_nothing, repeats):.3f}", flush=True)
        return
    print(f"{'':39}{'queries':>7}" + "".join(f"{name:>22}" for name in TESTS))
    for title, make in MODELS.items():
        for n in SIZES:
            found = error_rates(make, n, repeats)
            rates = "".join(f"{rate:22.3f}" for rate in found.values())
            print(f"{title:39}{n:7,}{rates}", flush=True)
    for title, find in OTHERS.items():
        print(title)
        for name, rate in find(repeats).items():
            print(f"  {name:37}{rate:7.3f}", flush=True)


if __name__ == "__main__":
    main()
