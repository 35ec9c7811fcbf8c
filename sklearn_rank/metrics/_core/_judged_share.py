"""How much of what lists show is judged: a note where it is little."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._ranking._judgments import (
    JUDGED,
    UNKNOWN,
    GradesOfLists,
    Judgments,
    knowledge_of_rows,
)
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._registry import parse_metric

# The name of the metric beside those that were asked.
JUDGED_SHARE = "the share that is judged"
# Above this share there is no note.
_LEAST_JUDGED = 0.5


def needed_judgments(wanted: Sequence[BoundMetric], y_true: Any) -> list[BoundMetric]:
    """Return the metric of judged ranks, if rows were judged irrelevant, and others not."""
    is_asked = any(bound.metric.name == "judged" for bound in wanted)
    if is_asked or not isinstance(y_true, Judgments | GradesOfLists):
        return []
    knowledge = knowledge_of_rows(np.asarray(y_true))
    if not ((knowledge == JUDGED).any() and (knowledge == UNKNOWN).any()):
        return []
    k = max((bound.k for bound in wanted if bound.k is not None), default=10)
    return [replace(parse_metric("judged").with_cutoff(k), name=JUDGED_SHARE)]


def judgment_notes(judged: BoundMetric, share: float, longest: int | None) -> list[str]:
    """Return a note if less than half of what lists show is judged."""
    k = judged.k
    assert k is not None
    if longest and longest < k:  # what no list reaches is not unjudged
        share, k = share * k / longest, longest
    if share >= _LEAST_JUDGED:
        return []
    return [f"judged@{k} is {share:.4f}: unjudged documents count as irrelevant."]
