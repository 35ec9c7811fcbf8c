"""The picture of risk and coverage on the page about abstention."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.metrics import RiskCoverageDisplay

rng = np.random.default_rng(0)
sure = rng.random(400)
y_true = (rng.random(400) < sure)[:, None] * [1, 0]
y_score = np.c_[sure, np.full(400, -1)]
figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
RiskCoverageDisplay.from_predictions(
    y_true, y_score, metric="hit_rate@1", threshold=0.7, ax=ax
)
ax.set_ylim(0, 0.8)  # room for the legend above the lines
