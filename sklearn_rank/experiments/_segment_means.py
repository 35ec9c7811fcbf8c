"""Means of models by segment of users or queries, as a frame."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from sklearn_rank._validation import import_pandas
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._per_query import with_scores
from sklearn_rank.metrics._core._segments import by_segment


def segment_frame(
    values: Mapping[str, PerQueryScores], metric: str, segment_of: Mapping[Hashable, Any]
) -> Any:
    """Return a row a model, the best first: all, each segment, and their difference."""
    pd = import_pandas("segments")
    found = {}
    for name, of_model in values.items():
        if metric not in of_model.scores:
            raise ValueError(
                f"{metric!r} has one value for all users, and none by segment; name "
                "another metric first."
            )
        alone = with_scores(of_model, {metric: of_model.scores[metric]})
        found[name] = (
            alone.mean()[metric],
            by_segment(alone, segment_of, None, None)[metric],
        )
    best = next(iter(found.values()))[1]
    rows: dict[str, dict[str, Any]] = {}
    for name, (mean, segments) in found.items():
        means = {label: row.mean for label, row in segments.rows.items()}
        rows[name] = {"all": mean, **means}
        if best.difference is not None:
            high, low = best.difference.highest, best.difference.lowest
            errors = [segments.rows[one].standard_error for one in (high, low)]
            error = np.hypot(errors[0], errors[1])
            apart = f"{means[high] - means[low]:.4f} ± {error:.4f}"
            rows[name][f"{high} - {low}"] = apart
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(columns=metric)
