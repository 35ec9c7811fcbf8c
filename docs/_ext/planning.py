"""The picture of intervals by questions and repeats on the page on planning."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.statistics import plan_evaluation

# Standard deviations of the difference: those of the pilot of the page.
QUERY, REPEAT, REST = 0.13, 0.034, 0.22
systems = {
    "3 repeats": {"repeat": REPEAT, "rest": REST},
    "10 repeats": {"repeat": REPEAT, "rest": REST},
    "systems that never vary": {},
}
n_questions = np.geomspace(20, 1_000, 25).astype(int).tolist()
figure, ax = plt.subplots(figsize=(4.8, 2.6), layout="constrained")
for (name, parts), style in zip(systems.items(), ["-", "--", ":"], strict=True):
    options = {
        "components": {"query": QUERY, **parts},
        "n_repeats": int(name.split()[0]) if parts else 1,
        "power": 0.5,  # a difference of half the interval excludes 0 in half of the cases
    }
    halves = [plan_evaluation(n_queries=n, **options).difference for n in n_questions]
    ax.plot(n_questions, halves, style, color="C0", linewidth=2, label=name)
ax.set_xscale("log")
ax.set_xticks([20, 50, 100, 200, 500, 1_000], ["20", "50", "100", "200", "500", "1,000"])
ax.minorticks_off()
ax.set_ylim(bottom=0)
ax.set(xlabel="questions", ylabel="half of the 95% interval")
ax.grid(alpha=0.3)
ax.legend(frameon=False)
