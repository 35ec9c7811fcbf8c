"""Several metrics at once: as a dict, by query, as a report."""

from typing import Any, assert_type

import pandas as pd

from sklearn_rank.metrics import (
    PerQueryScores,
    mean_reciprocal_rank_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
)

y_true, y_score = [0, 1, 1, 0], [0.1, 0.4, 0.2, 0.9]
groups = [1, 1, 2, 2]

means = ranking_scores(y_true, y_score, groups=groups, metrics=["ndcg@2", "mrr"])
assert_type(means, dict[str, float])
print(max(means, key=lambda name: means[name]))

scores = per_query_scores(y_true, y_score, groups=groups, metrics="ndcg@2")
assert_type(scores, PerQueryScores)
assert_type(scores.mean(), dict[str, float])
assert_type(scores.to_frame(), pd.DataFrame)
print(scores.difference(scores).mean()["ndcg@2"], scores.groups[:1])

text: str = ranking_report(y_true, y_score, groups=groups)
assert_type(ranking_report(y_true, y_score, groups=groups).warnings, list[str])
report = ranking_report(y_true, y_score, groups=groups, output_dict=True)
assert_type(report, dict[str, dict[str, Any]])
frame = ranking_report(y_true, y_score, groups=groups, k=1, as_frame=True)
assert_type(frame, pd.DataFrame)
print(frame.loc["mrr@1", "mean"], report["mrr@1"]["mean"])
print(ranking_scores(y_true, y_score, groups=groups, metrics=mean_reciprocal_rank_score))
