"""The score over the rows whose rating is relevant."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._metric import read_metric
from sklearn_rank.metrics import PerQueryScores, make_recommender_scorer


class RelevantRowsScorer:
    """A scorer of recommenders that leaves out the rows that are not relevant.

    Users without a relevant row do not count, and nothing has to warn of them. The score is
    one of a dict: the others are of the metrics `beside` it.
    """

    def __init__(
        self, metric: str, min_relevance: float | None, beside: Sequence[str] = ()
    ):
        self.metric = metric  # as it was given
        self.min_relevance = min_relevance
        self.named = read_metric(metric)
        wanted = dict.fromkeys([metric, *beside])
        self.scorer = make_recommender_scorer(list(wanted), user="user", item="item")
        self.alone = make_recommender_scorer(metric, user="user", item="item")

    def __call__(
        self, estimator: Any, X: pd.DataFrame, y: np.ndarray | None = None
    ) -> dict[str, float]:
        """Return the scores, of which higher is better."""
        rows = self.relevant_rows(X, y)
        scores = self.scorer(estimator, X[rows], None if y is None else y[rows])
        return {"score": scores[self.named.name], **scores}

    def per_query(
        self, recommender: Any, X: pd.DataFrame, y: np.ndarray | None
    ) -> PerQueryScores:
        """Return the metric for each user of rows that are relevant, never negated."""
        return self.alone.per_query(recommender, X, y)

    def relevant_rows(self, X: pd.DataFrame, y: np.ndarray | None) -> np.ndarray:
        """Return the rows whose rating is relevant, as a mask: all without ratings."""
        if y is None:
            return np.ones(len(X), dtype=bool)
        return y > 0 if self.min_relevance is None else y >= self.min_relevance

    def check_ratings(self, X: pd.DataFrame, y: np.ndarray | None, column: str) -> None:
        """Raise if no rating is relevant; `column` is where they come from."""
        if y is None or self.relevant_rows(X, y).any():
            return
        lowest = self.min_relevance
        raise InputError(
            f"No rating is {'above 0' if lowest is None else f'{lowest:g} or more'}, so "
            f"nothing is relevant; the largest in column {column!r} is {y.max():g}."
        )
