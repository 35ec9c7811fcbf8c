"""The picture of true levels on the page on tests: how often equal models "differ".

Each number is a share of 2,000 simulations. ``tests/benchmarks/error_rates.py`` has the
same cases with the tests of the package.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

N_SIMULATIONS, N_FLIPS, LEVEL = 2_000, 1_000, 0.05
SIZES = [10, 15, 25, 50, 100, 200, 400]


def usual(rng, shape):
    """Return differences of the reciprocal ranks of two rankers that guess."""
    one, other = 1 / rng.integers(1, 11, size=(2, *shape))
    return one - other


def skewed(rng, shape):
    """Return differences whose mean is 0: often 0.2 is gained, rarely 1 is lost."""
    return 0.2 * (rng.random(shape) < 0.5) - 1.0 * (rng.random(shape) < 0.1)


def t_level(differences, rng):
    """Return the share of samples that differ by Student's t."""
    n = differences.shape[1]
    errors = differences.std(axis=1, ddof=1) / n**0.5
    critical = stats.t.ppf(1 - LEVEL / 2, n - 1)
    return np.mean(np.abs(differences.mean(axis=1)) > critical * errors)


def flips_level(differences, rng):
    """Return the share of samples that differ by sign flips, all if they are few."""
    n = differences.shape[1]
    if 2 ** (n - 1) <= N_FLIPS:
        signs = 1.0 - 2 * (np.arange(2 ** (n - 1)) >> np.arange(n)[:, np.newaxis] & 1)
    else:
        signs = rng.choice([-1.0, 1.0], size=(n, N_FLIPS))
        signs[:, 0] = 1  # the data count as one flip
    flipped = np.abs(differences @ signs)
    is_as_large = flipped >= flipped[:, :1] - 1e-9
    return np.mean(is_as_large.mean(axis=1) <= LEVEL)


def wilcoxon_level(differences, rng):
    """Return the share of samples that differ by Wilcoxon's test."""
    with np.errstate(invalid="ignore"):  # a sample whose differences are all 0 has no p
        p_value = stats.wilcoxon(differences, axis=1, method="approx").pvalue
    return np.mean(p_value <= LEVEL)


lines = [
    ("Wilcoxon, skewed differences", skewed, wilcoxon_level, "C1--"),
    ("t, skewed", skewed, t_level, "C0-"),
    ("sign flips, skewed", skewed, flips_level, "C2:"),
    ("t, usual differences", usual, t_level, "C7-"),
]
figure, ax = plt.subplots(figsize=(4.8, 2.8), layout="constrained")
for name, draw, level, style in lines:
    rng = np.random.default_rng(0)
    levels = [level(draw(rng, (N_SIMULATIONS, n)), rng) for n in SIZES]
    ax.plot(SIZES, levels, style, linewidth=2, label=name)
ax.axhline(LEVEL, color="black", linewidth=1)
ax.set(xscale="log", yscale="log", xlabel="queries", ylabel='share called "different"')
ax.set_xticks(SIZES, [str(n) for n in SIZES])
ax.set_yticks([0.02, 0.05, 0.1, 0.2, 0.5, 1], ["2%", "5%", "10%", "20%", "50%", "100%"])
ax.minorticks_off()
ax.grid(alpha=0.3)
ax.legend(frameon=False, fontsize="small", loc="center right")
