"""What lists show beside relevance: columns and a picture of `--report beyond`."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from sklearn_rank._cli._picture import as_png, new_figure

# Of each metric the title of its column.
BEYOND: Mapping[str, str] = {
    "novelty@10": "novelty",
    "intra_list_distance(distance='co_occurrence')@10": "diversity",
    "coverage@10": "coverage",
}
EXPLAINED = (
    "Beside it, at 10: novelty in bits, diversity as the mean distance of two items by the "
    "users they share, coverage as the share of the items that some list shows."
)
_FIRST = next(iter(BEYOND))
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def front_of(accuracy: Iterable[float], other: Iterable[float]) -> np.ndarray:
    """Return which candidates are on the front: none is better in both, or in one alone."""
    points = np.column_stack([np.asarray(accuracy), np.asarray(other)])
    no_worse = (points[:, None] >= points[None]).all(axis=2)
    better = (points[:, None] > points[None]).any(axis=2)
    return np.logical_not((no_worse & better).any(axis=0))


def draw_front(candidates: pd.DataFrame, metric: str) -> bytes:
    """Return a PNG with a point for each candidate, those on the front joined by a line."""
    accuracy = candidates["mean_test_score"].to_numpy()
    novelty = candidates[f"mean_test_{_FIRST}"].to_numpy()
    figure = new_figure(8.0, 4.0)
    axes = figure.subplots()
    front = np.flatnonzero(front_of(accuracy, novelty))
    front = front[np.argsort(accuracy[front])]
    axes.plot(accuracy[front], novelty[front], color="0.6", zorder=0, label="front")
    for place, (model, rows) in enumerate(candidates.groupby("model", sort=False)):
        color = _COLORS[place % len(_COLORS)]
        points = accuracy[rows.index], novelty[rows.index]
        axes.scatter(*points, color=color, s=22, label=model)
    axes.set(xlabel=f"{metric}, mean over folds", ylabel=_FIRST)
    axes.set_title("Candidates: accuracy and novelty")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    return as_png(figure)
