"""The metrics that need nothing but grades and scores; others have their own tests."""

from sklearn_rank.metrics._names._registry import METRICS as ALL

METRICS = {
    name: metric for name, metric in ALL.items() if metric.ranks and not metric.columns
}
