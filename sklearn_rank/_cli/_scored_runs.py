"""Runs read and scored on all queries that have judgments, and what was noticed."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sklearn_rank._cli._judged_runs import read_truth
from sklearn_rank._cli._metric import NamedMetric
from sklearn_rank.metrics import PerQueryScores, per_query_scores


@dataclass(frozen=True)
class ScoredRuns:
    """The values of each run on the same queries, and what users should know of them."""

    scores: dict[str, PerQueryScores]
    notes: list[str]


def score_runs(
    options: Namespace, runs: Mapping[str, str], metrics: Sequence[NamedMetric]
) -> ScoredRuns:
    """Return the values of runs, whose paths are given by name."""
    is_trec = options.qrels is not None
    path = options.qrels if is_trec else options.truth
    truth = read_truth(path, options, list(runs.values()), trec=is_trec)
    found = ScoredRuns({}, list(truth.notes))
    for name, path in runs.items():
        run = truth.judge(name, path)
        found.notes.extend(run.notes)
        rows = {role: run.rows[role] for role in ("y_true", "y_score", "groups")}
        found.scores[name] = per_query_scores(**rows, metrics=metrics)
    return found
