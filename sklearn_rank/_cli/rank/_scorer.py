"""The score over the queries for which the metric is defined."""

from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted
from sklearn_rank._cli._metric import read_metric
from sklearn_rank._cli.rank._queries import Queries
from sklearn_rank.metrics import make_ranking_scorer, per_query_scores


class DefinedQueriesScorer:
    """A scorer that leaves out the queries for which its metric is undefined.

    All candidates are judged by the same queries, and nothing has to warn of the others.
    """

    def __init__(self, metric: str):
        self.metric = metric  # as it was given
        self.named = read_metric(metric)
        self.scorer = make_ranking_scorer(metric)

    def __call__(self, estimator: Any, X: Any, y: Any, *, groups: Any) -> float:
        """Return the score, of which higher is better."""
        rows = self.defined_rows(y, groups)
        return self.scorer(estimator, X[rows], y[rows], groups=groups[rows])

    def get_metadata_routing(self) -> MetadataRequest:
        """Return that groups are requested."""
        return self.scorer.get_metadata_routing()

    def defined_rows(self, y: np.ndarray, groups: np.ndarray) -> np.ndarray:
        """Return the rows of queries for which the metric is defined, as a mask."""
        equal = {"y_true": y, "y_score": np.zeros(len(y)), "groups": groups}
        found = per_query_scores(**equal, metrics=[self.named])
        is_defined = ~np.isnan(found.scores[self.named.name])
        return np.isin(groups, found.groups[is_defined])

    def describe_left_out(self, queries: Queries) -> str:
        """Return a remark on queries left out; raise if none is left."""
        rows = self.defined_rows(queries.y, queries.groups)
        n_left_out = len(np.unique(queries.groups[~rows]))
        if not rows.any():
            raise InputError(
                f"--metric {self.named.name} is undefined for every query of "
                f"{queries.source!r}; name another metric."
            )
        if n_left_out == 0:
            return ""
        return (
            f"\n  {counted(n_left_out, 'query')} left out of the scores, where "
            f"{self.named.name} is undefined: no order is better than another"
        )
