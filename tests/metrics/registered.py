"""The metrics that need nothing but grades and scores; the others have tests of their own."""

from sklearn_rank.metrics._registry import METRICS as ALL

METRICS = {
    name: metric for name, metric in ALL.items() if metric.ranks and not metric.columns
}
