"""The t test of many rows; sign flips of many models, and of one pair beside SciPy."""

import numpy as np
from scipy import stats

from sklearn_rank.statistics import ModelComparison, compare_models
from tests.benchmarks.case import Case, Task

__all__ = ["CASES"]

N_RESAMPLES = 9_999
# p-values of random flips differ by chance, and from those of the t test.
TOLERANCE = 0.1


def many_models(scale: int) -> Case:
    """The limits are 10 seconds and 200 MB."""
    n_queries = 100_000 // scale
    rng = np.random.default_rng(0)
    scores = {f"model {i}": rng.normal(size=n_queries) for i in range(11)}

    def compare(test: str) -> ModelComparison:
        return compare_models(
            scores, baseline="model 0", test=test, n_resamples=N_RESAMPLES, random_state=0
        )

    ours = Task("sign flips", lambda: compare("randomization"), _p_values)
    by_t = Task("the t test", lambda: compare("t"), _p_values, TOLERANCE)
    size = f"{n_queries:,} queries, 10 comparisons, {N_RESAMPLES:,} flips"
    inputs = tuple(scores.values())
    limit = 200e6 / sum(values.nbytes for values in inputs)
    return Case("flips", size, ours, [by_t], 10_000, inputs, limit, most_repeats=3)


def one_pair(scale: int) -> Case:
    """SciPy holds all flips of all queries, so that it takes fewer of both."""
    n_queries, n_resamples = 5_000 // scale, 999
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, n_queries))

    def ours() -> ModelComparison:
        return compare_models(
            {"one": one, "other": other},
            test="randomization",
            n_resamples=n_resamples,
            random_state=0,
        )

    def theirs() -> float:
        found = stats.permutation_test(
            (other - one,), np.mean, permutation_type="samples", n_resamples=n_resamples
        )
        return found.pvalue

    task = Task("sign flips of one pair", ours, _p_values)
    peer = Task(
        "SciPy's permutation_test",
        theirs,
        lambda p_value: {"other": float(p_value)},
        TOLERANCE,
        limit=0.1,
    )
    size = f"{n_queries:,} queries, {n_resamples} flips"
    return Case("flips-one-pair", size, task, [peer], most_repeats=3)


def many_rows(scale: int) -> Case:
    """SciPy has the same p; ours has means and errors that are correctly rounded too."""
    n_queries = 3_000_000 // scale
    rng = np.random.default_rng(0)
    one = rng.random(n_queries)
    other = np.clip(one + rng.normal(0.001, 0.1, n_queries), 0, 1)
    ours = Task(
        "the t test of two models",
        lambda: compare_models({"one": one, "other": other}, baseline="one"),
        _p_values,
    )
    theirs = Task(
        "SciPy's ttest_rel",
        lambda: stats.ttest_rel(other, one),
        lambda found: {"other": float(found.pvalue)},
        limit=4,
    )
    return Case("t-one-pair", f"{n_queries:,} queries", ours, [theirs], most_repeats=5)


def _p_values(found: ModelComparison) -> dict[str, float]:
    return {row.model: row.p_value for row in found.rows()}


CASES = {"flips": many_models, "flips-one-pair": one_pair, "t-one-pair": many_rows}
