"""Queries held out by several folds: evaluated in each fold, but one cluster."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import as_list, as_vector, encode_labels
from sklearn_rank.metrics._core._clusters import Clusters, near_one
from sklearn_rank.metrics._core._evaluate import Evaluation
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._shares import shares_of
from sklearn_rank.metrics._core._summaries import KINDS, Mean


@dataclass(frozen=True, eq=False)
class FoldLabels:
    """The label and the fold of each query of a cross-validation.

    A label in several folds is several queries, each with a name of its own.
    """

    place: dict[Any, int]  # of a query, by its name
    labels: np.ndarray
    fold: np.ndarray

    def label(self, found: PerQueryScores) -> PerQueryScores:
        """Return values by name with labels and folds."""
        places = [self.place[name] for name in as_list(found.groups)]
        return found._relabeled(self.labels[places], self.fold[places])


def name_queries(folds: Sequence[Any]) -> tuple[np.ndarray, FoldLabels | None]:
    """Return a unique name for the query of each row, and the label and fold of each name.

    `folds` has the labels of the rows of each fold. If no label is in several folds, names
    are the labels, and there is nothing to look up.
    """
    parts = [as_vector(labels, name="groups") for labels in folds]
    labels, codes = encode_labels(np.concatenate(parts), name="groups")
    fold_of_row = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    query, of_row = np.unique(fold_of_row * len(labels) + codes, return_inverse=True)
    fold, code = np.divmod(query, len(labels))
    if len(np.unique(code)) == len(code):
        return labels[codes], None
    listed = as_list(labels)
    each = zip(code.tolist(), fold.tolist(), strict=True)
    names = [f"{listed[label]} in fold {number}" for label, number in each]
    if len(set(names)) < len(names):  # (1,) and "(1,)" are two labels
        names = [f"{name} (query {i})" for i, name in enumerate(names)]
    place = {name: i for i, name in enumerate(names)}
    return np.array(names)[of_row], FoldLabels(place, labels[code], fold)


def number_queries(tests: Sequence[np.ndarray]) -> FoldLabels | None:
    """Return the label and fold of each query in the 2-D form, by row number.

    The label of a query is its row in X, from `tests`.
    """
    labels = np.concatenate(tests)
    if len(np.unique(labels)) == len(labels):
        return None
    fold = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    return FoldLabels({number: number for number in range(len(labels))}, labels, fold)


def errors_of(
    evaluation: Evaluation, held_out: FoldLabels | None
) -> tuple[dict[str, float], float | None]:
    """Return the standard error of each mean, and the equivalent number of clusters.

    None: each query is a cluster.
    """
    summaries = evaluation.summaries()
    errors = {name: summary.standard_error() for name, summary in summaries.items()}
    if held_out is None:
        unlike = (shares_of(one) for one in summaries.values())
        return errors, next((one.df + 1 for one in unlike if one.df < one.n - 1), None)
    means = [named for named in evaluation.wanted if named.summary.per_query]
    found = held_out.label(replace(evaluation, wanted=means).per_query())
    of_clusters = {name: error_of_mean(found, name) for name in found.scores}
    errors |= {name: error for name, (error, _) in of_clusters.items()}
    return errors, next((n for _, n in of_clusters.values()), None)


def error_of_mean(found: PerQueryScores, metric: str) -> tuple[float, float]:
    """Return the standard error of a mean, and the equivalent number of clusters.

    Values of one label in several folds are similar, so they are one cluster.
    """
    summary = found.summaries()[metric]
    values, weight = found.scores[metric], found.weights[metric]
    is_used = ~np.isnan(values)
    if weight is not None:
        is_used &= weight > 0
        weight = near_one(weight[is_used])
    codes = encode_labels(found.groups, name="groups")[1]
    clusters = Clusters.of(codes[is_used], weight)
    if clusters.are_plain or not isinstance(summary, Mean):
        return summary.standard_error(), summary.n
    averaged = clusters.estimate(KINDS[summary.kind][0](values[is_used]))
    return averaged.error * summary.slope(), averaged.df + 1
