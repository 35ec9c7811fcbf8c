"""The picture of folds on the page on splits."""

import matplotlib.pyplot as plt
from matplotlib.dates import MonthLocator

from sklearn_rank.datasets import make_interactions
from sklearn_rank.model_selection import LeaveLastOut, TimeSplit, UserTimeSplit, plot_split

log = make_interactions(random_state=0, as_frame=True)
columns = {"user": "user", "item": "item", "time": "time"}
splitters = [
    TimeSplit(3, "28D", gap="14D", train_size="120D", **columns),
    LeaveLastOut(0.2, n_splits=3, **columns),
    UserTimeSplit(3, test_size="56D", **columns),
]
figure, axes = plt.subplots(3, 2, figsize=(4.8, 3.6), layout="constrained")
for splitter, row in zip(splitters, axes, strict=True):
    plot_split(splitter, log, axes=row)
    row[0].xaxis.set_major_locator(MonthLocator((1, 7)))
    row[1].set_xticks([0, 500, 1000])
handles = axes[0, 1].get_legend().legend_handles
labels = [text.get_text() for text in axes[0, 1].get_legend().get_texts()]
figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
for axis in axes[:, 1]:
    axis.get_legend().remove()
for axis in axes[:-1].ravel():
    axis.set(xlabel="", xticklabels=[])
