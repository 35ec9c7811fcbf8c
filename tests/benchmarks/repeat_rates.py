"""How often intervals of systems with several repeats cover, and gates err at the margin.

``python -m tests.benchmarks.repeat_rates`` prints a table with standard errors. It computes
many samples at once; a test compares it with the package.
"""

import argparse

import numpy as np
from scipy import stats

__all__ = ["draw_repeats", "intervals", "rates"]

# Standard deviations of a query's value, of its difference and of a cell.
OF_QUERY, OF_DIFFERENCE, OF_REST = 0.25, 0.15, 0.2


def _draw(rng: np.random.Generator, size: tuple[int, ...], shape: str) -> np.ndarray:
    """Return numbers with mean 0 and variance 1."""
    if shape == "normal":
        return rng.standard_normal(size)
    if shape == "skewed":
        return rng.exponential(1, size) - 1
    if shape == "few":
        return np.where(rng.random(size) < 0.1, 3.0, -1 / 3)
    return (rng.beta(0.3, 3, size) - 1 / 11) / np.sqrt(0.9 / (3.3**2 * 4.3))


def draw_repeats(
    rng: np.random.Generator,
    n: int,
    n_queries: int,
    n_old: int,
    n_new: int,
    of_repeats: float,
    shape: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Return n samples of two systems with equal means."""
    query = OF_QUERY * _draw(rng, (n, n_queries, 1), shape)
    shift = OF_DIFFERENCE * _draw(rng, (n, n_queries, 1), shape)
    old, new = (
        query
        + own
        + of_repeats * (size > 1) * rng.standard_normal((n, 1, size))  # once: no noise
        + OF_REST * _draw(rng, (n, n_queries, size), shape)
        for own, size in ((0.0, n_old), (shift, n_new))
    )
    return old, new


def intervals(
    old: np.ndarray, new: np.ndarray, *, widened: bool = False, repeats: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of each interval; without `repeats` as of means over repeats."""
    d = new.mean(axis=2) - old.mean(axis=2)
    n_queries = d.shape[1]
    mean, of_queries = d.mean(axis=1), d.var(axis=1, ddof=1) / n_queries
    variance, doubt = of_queries.copy(), of_queries**2 / (n_queries - 1)
    for table in (old, new) if repeats else ():
        size = table.shape[2]
        if size == 1:
            continue
        apart = table - table.mean(axis=2, keepdims=True)
        of_repeat = apart.mean(axis=1, keepdims=True)
        between = n_queries * (of_repeat**2).sum(axis=(1, 2)) / (size - 1)
        rest = ((apart - of_repeat) ** 2).sum(axis=(1, 2)) / (n_queries - 1) / (size - 1)
        added = (between - rest) / (n_queries * size)
        added = np.maximum(added, 0) if size == 2 else added
        variance += added
        parts = (between / size) ** 2 + (rest / size) ** 2 / (n_queries - 1)
        doubt += np.where(added > 0, parts / n_queries**2 / (size - 1), 0)
    variance = np.maximum(variance, of_queries / 4)
    quantile = stats.t.isf(0.025, np.clip(variance**2 / doubt, 1, n_queries - 1))
    low, high = mean - quantile * variance**0.5, mean + quantile * variance**0.5
    if not widened:
        return low, high
    residuals = d - mean[:, None]
    skewness = (residuals**3).sum(axis=1) / (residuals**2).sum(axis=1) ** 1.5
    shift = (2 * quantile**2 + 1) / 6 * skewness * of_queries**1.5 / variance
    wider = low + np.minimum(shift, 0), high + np.maximum(shift, 0)
    return (
        np.where(low > 0, np.maximum(wider[0], np.nextafter(0, 1)), wider[0]),
        np.where(high < 0, np.minimum(wider[1], np.nextafter(0, -1)), wider[1]),
    )


def rates(
    n: int,
    n_queries: int,
    sizes: tuple[int, int],
    of_repeats: float,
    shape: str,
    *,
    repeats: bool = True,
    margin: float = 0.1,
) -> dict[str, float]:
    """Return how often intervals cover, and gates pass or fail at a loss of the margin.

    The median width is beside.
    """
    rng = np.random.default_rng([n_queries, *sizes, round(1000 * of_repeats), len(shape)])
    parts = []
    while n > 0:
        size = min(n, 500)
        old, new = draw_repeats(rng, size, n_queries, *sizes, of_repeats, shape)
        low, high = intervals(old, new, repeats=repeats)
        gate = intervals(old, new - margin, repeats=repeats, widened=True)
        parts.append([(low <= 0) & (high >= 0), gate[0] >= -margin, gate[1] < -margin])
        parts[-1].append(high - low)
        n -= size
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    shares = [float(column.mean()) for column in columns[:3]]
    names = ("cover", "pass", "fail", "width")
    return dict(zip(names, [*shares, float(np.median(columns[3]))], strict=True))


def main() -> None:
    """Print the rates of each design."""
    parser = argparse.ArgumentParser("python -m tests.benchmarks.repeat_rates")
    parser.add_argument("--n", type=int, default=4000)
    n = parser.parse_args().n
    error = (0.05 * 0.95 / n) ** 0.5
    print(f"{n:,} samples a row; standard error {error:.4f} (cover), {error * 0.71:.4f}")
    print("shape queries repeats SD | cover pass fail | means over repeats | width")
    sizes = [(3, 3), (5, 5), (10, 10), (1, 5), (2, 5), (2, 2), (3, 8)]
    cells = [(shape, size) for shape in ("normal", "skewed") for size in sizes]
    cells += [(shape, size) for shape in ("few", "beta") for size in ((3, 3), (5, 5))]
    for shape, size in cells:
        for n_queries in (40, 100, 200):
            for of_repeats in (0.0, 0.02):
                design = n, n_queries, size, of_repeats, shape
                by_rule, by_means = rates(*design), rates(*design, repeats=False)
                columns = [
                    " ".join(f"{of[name]:.3f}" for name in ("cover", "pass", "fail"))
                    for of in (by_rule, by_means)
                ]
                wider = by_rule["width"] / by_means["width"]
                print(shape, n_queries, *size, of_repeats, "|", end=" ")
                print(*columns, f"{wider:.2f}", sep=" | ", flush=True)


if __name__ == "__main__":
    main()
