"""The picture of ranks on the page on leaderboards."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.statistics import rank_models

rng = np.random.default_rng(0)
quality = np.linspace(0.55, 0.45, 12)
means = quality + rng.normal(0, 0.1, (20, 1)) + rng.normal(0, 0.03, (20, 12))
ranking = rank_models(
    {
        f"task {task}": {f"model {m + 1}": mean for m, mean in enumerate(row)}
        for task, row in enumerate(means)
    },
    random_state=0,
)
figure, ax = plt.subplots(figsize=(4.8, 2.8), layout="constrained")
ranking.plot(ax=ax)
