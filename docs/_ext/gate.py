"""The picture of three verdicts on the page of the gate: intervals at a margin."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.statistics import gate_model

MARGIN = 0.05
COLORS = {"pass": "C0", "undecided": "C7", "fail": "C3"}
rng = np.random.default_rng(3)
old = rng.choice([0, 1 / 3, 1 / 2, 1], size=300)
figure, ax = plt.subplots(figsize=(6.4, 2.3), layout="constrained")
names = []
for height, (n, share) in enumerate([(300, 0.03), (60, 0.1), (300, 0.8)]):
    new = np.where(rng.random(300) < share, rng.choice([0, 1 / 3, 1 / 2], size=300), old)
    gate = gate_model(old[:n], new[:n], margin=MARGIN, value_range=(0, 1))
    row = gate.comparison.row("candidate")
    color = COLORS[gate.verdict]
    ax.plot([row.low, row.high], [height, height], color=color, linewidth=3)
    ax.plot(row.difference, height, "o", color=color, markersize=8)
    names.append(f"{gate.verdict}\n{n} questions")
ax.axvspan(-1, -MARGIN, color="C3", alpha=0.12)
ax.axvline(-MARGIN, color="C3", linestyle="--")
ax.axvline(0, color="gray", linewidth=1)
ax.text(-MARGIN - 0.003, -0.42, "worse by more than the margin", ha="right", va="center")
ax.set(xlim=(-0.2, 0.05), ylim=(2.5, -0.75), xlabel="difference of mrr to the baseline")
ax.set_yticks(range(3), names)
