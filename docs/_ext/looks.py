"""The picture of an A/B test at each look on the page on A/B tests."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.online import VariantLooksDisplay, compare_variants

rng = np.random.default_rng(0)
n = 6000
variant = rng.choice(["old", "new"], n)
activity = rng.gamma(1.5, 2, n)
clicks = rng.poisson(2 * activity * np.where(variant == "new", 1.15, 1.0))
options = {"control": "old", "anytime_n": n, "allocation": "equal"}
looks = [
    compare_variants(clicks[:m], variant[:m], **options) for m in range(500, n + 1, 500)
]
figure, ax = plt.subplots(figsize=(4.8, 2.7), layout="constrained")
VariantLooksDisplay.from_comparisons(looks, ax=ax)
ax.set_ylabel("difference, 95% interval")  # the usual label is too long for 2.7 inches
