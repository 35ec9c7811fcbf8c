"""The picture of four intervals on the page about judges, from the blocks of its page."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.inputs import make_pool
from sklearn_rank.statistics import compare_models, partly_judged_scores

# Sphinx runs this file in its folder.
page = Path("../judging.rst").read_text(encoding="utf-8")
section = page.partition("Which of two systems is better\n==")[2].partition(".. plot::")[0]
code = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", section, re.MULTILINE)
world: dict = {"np": np, "make_pool": make_pool}
with redirect_stdout(StringIO()):
    exec("\n".join(code), world)
scores = world["scores"]
ways = {
    "judge alone": partly_judged_scores(world["judge"], scores),
    "600 by the expert": partly_judged_scores(
        world["expert"], scores, probability=world["chance"]
    ),
    "both": world["values"],
    "all by people": partly_judged_scores(world["people"], scores),
}
figure, ax = plt.subplots(figsize=(6.4, 2.3), layout="constrained")
for height, (name, values) in enumerate(ways.items()):
    row = compare_models(values, baseline="old").row("new")
    color = "C1" if name == "both" else "C0"
    ax.plot([row.low, row.high], [height, height], color=color, linewidth=3)
    ax.plot(row.difference, height, "o", color=color, markersize=8)
ax.axvline(0, color="gray", linewidth=1)
ax.set_yticks(range(4), ways)
ax.set(xlabel="dcg@10: new - old, with 95% intervals", ylim=(3.5, -0.5))
