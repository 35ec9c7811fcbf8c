"""scikit-learn: (n)DCG on 2-D input with ties, AUC, and others under other names."""

import numpy as np
import pytest
from sklearn import metrics as theirs

from sklearn_rank import metrics as ours
from tests.oracles.agreement import agree

SHAPES = [(40, 2), (30, 3), (25, 7), (10, 40), (1, 5)]


def grid(seed, shape, *, levels, max_grade=4):
    """Return grades and scores; every row has a relevant item."""
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, max_grade + 1, shape).astype(float)
    y_true[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] = 1.0
    y_score = rng.integers(0, levels, shape) / 8
    return y_true, y_score


def distinct_scores(seed, n_queries, n_items):
    """Return scores 0, 1, ... in random order in each row."""
    ranks = np.tile(np.arange(float(n_items)), (n_queries, 1))
    return np.random.default_rng(seed).permuted(ranks, axis=1)


def each_row(function, *grids, **arguments):
    rows = zip(*grids, strict=True)
    return [
        function(*(row[None] for row in row_of_each), **arguments) for row_of_each in rows
    ]


def of_each_query(metric, y_true, y_score):
    return ours.per_query_scores(y_true, y_score, metrics=[metric]).scores[metric]


@pytest.mark.parametrize("name", ["dcg_score", "ndcg_score"])
@pytest.mark.parametrize("levels", [1, 3, 10, 10**9])
@pytest.mark.parametrize("shape", SHAPES)
def test_gains_with_ties(name, levels, shape):
    our_score, their_score = getattr(ours, name), getattr(theirs, name)
    for seed in range(2):
        y_true, y_score = grid(seed, shape, levels=levels)
        weights = np.random.default_rng(seed).random(shape[0])
        pairs = []
        for k in [None, 1, 2, 3, 5, shape[1], shape[1] + 3]:
            for weight in [None, weights]:
                arguments = {"k": k, "sample_weight": weight}
                pairs.append(
                    (
                        our_score(y_true, y_score, **arguments),
                        their_score(y_true, y_score, **arguments),
                    )
                )
        agree(f"{name[:-6]}@k", "scikit-learn", *zip(*pairs, strict=True))


@pytest.mark.parametrize("name", ["dcg", "ndcg"])
@pytest.mark.parametrize("levels", [1, 3, 10**9])
@pytest.mark.parametrize("k", [1, 4, 9])
def test_gains_of_each_query(name, levels, k):
    y_true, y_score = grid(k, (100, 6), levels=levels)
    expected = each_row(getattr(theirs, f"{name}_score"), y_true, y_score, k=k)
    values = of_each_query(f"{name}@{k}", y_true, y_score)
    agree(f"{name}@k", "scikit-learn", values, expected)


@pytest.mark.parametrize("log_base", [2, 10, np.e])
def test_base_of_the_logarithm(log_base):
    y_true, y_score = grid(2, (50, 8), levels=4)
    arguments = {"log_base": log_base, "k": 5}
    agree(
        "dcg(log_base=...)@k",
        "scikit-learn",
        ours.dcg_score(y_true, y_score, **arguments),
        theirs.dcg_score(y_true, y_score, **arguments),
    )


def test_rows_without_relevant_items_are_zero_there():
    y_true, y_score = grid(3, (50, 6), levels=4)
    y_true[::4] = 0
    agree(
        "ndcg(undefined=0)",
        "scikit-learn",
        ours.ndcg_score(y_true, y_score, replace_undefined_by=0.0),
        theirs.ndcg_score(y_true, y_score),
    )


@pytest.mark.parametrize("levels", [2, 4, 10**9])
def test_auc_of_each_query(levels):
    y_true, y_score = grid(8, (200, 9), levels=levels, max_grade=1)
    y_true[:, 0], y_true[:, 1] = 0, 1
    (values,) = ours.per_query_scores(y_true, y_score, metrics=["auc"]).scores.values()
    expected = [
        theirs.roc_auc_score(grades, scores)
        for grades, scores in zip(y_true, y_score, strict=True)
    ]
    agree("auc", "scikit-learn", values, expected)


def test_average_precision_of_label_ranking():
    """On scores without ties; on ties label_ranking_average_precision takes the worst."""
    y_true, _ = grid(4, (500, 8), levels=2, max_grade=1)
    y_score = distinct_scores(4, *y_true.shape)
    name = "map(denominator='relevant')"
    expected = each_row(theirs.label_ranking_average_precision_score, y_true, y_score)
    agree(name, "scikit-learn", of_each_query(name, y_true, y_score), expected)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_hit_rate_is_top_k_accuracy(k):
    rng = np.random.default_rng(k)
    labels, y_score = rng.integers(0, 6, 400), rng.random((400, 6))
    values = of_each_query(f"hit_rate@{k}", np.eye(6)[labels], y_score)
    expected = each_row(theirs.top_k_accuracy_score, labels, y_score, k=k, labels=range(6))
    agree("hit_rate@k", "scikit-learn", values, expected)


@pytest.mark.parametrize("k", [1, 3, 5, 9])
def test_classification_when_the_top_k_are_called_relevant(k):
    rng = np.random.default_rng(k)
    y_true = rng.integers(0, 2, (100, 9))
    y_true[:, 0] = 1
    y_score = distinct_scores(k, *y_true.shape)
    called_relevant = (y_score >= 9 - k).astype(int)
    for name in ["precision", "recall", "f1"]:
        expected = each_row(
            getattr(theirs, f"{name}_score"),
            y_true,
            called_relevant,
            average="samples",
            zero_division=0.0,
        )
        values = of_each_query(f"{name}@{k}", y_true, y_score)
        agree(f"{name}@k", "scikit-learn", values, expected)
    values = of_each_query(f"accuracy(n_items=None)@{k}", y_true, y_score)
    expected = 1 - np.array(each_row(theirs.hamming_loss, y_true, called_relevant))
    agree("accuracy@k", "scikit-learn", values, expected)


@pytest.mark.parametrize("levels", [1, 3, 10**9])
def test_convention(levels):
    y_true, y_score = grid(9, (60, 7), levels=levels)
    y_true[::5] = 0
    for metric in ours.conventions["sklearn"].metrics:
        for k in (4, 7, 9):  # lists are as long, or shorter
            name = f"{metric}@{k}"
            found = ours.ranking_scores(y_true, y_score, metrics=name, convention="sklearn")
            expected = getattr(theirs, f"{metric}_score")(y_true, y_score, k=k)
            agree(f"{name}, convention", "scikit-learn", found[name], expected)
