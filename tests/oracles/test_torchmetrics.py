"""torchmetrics.retrieval, query by query, in single precision as torch computes there."""

import numpy as np
import pytest

from sklearn_rank.metrics import conventions, per_query_scores, ranking_scores
from tests.oracles.agreement import agree

torch = pytest.importorskip("torch")
retrieval = pytest.importorskip("torchmetrics.functional.retrieval")

SINGLE_PRECISION = {"rtol": 2e-6, "atol": 2e-7}
N_QUERIES, N_ITEMS = 300, 7
CUTOFFS = [1, 2, 3, 5, 7, 9]
AT_K = {
    "precision": "retrieval_precision",
    "recall": "retrieval_recall",
    "hit_rate": "retrieval_hit_rate",
    "fallout": "retrieval_fall_out",
    "mrr": "retrieval_reciprocal_rank",
    "map(denominator='retrieved')": "retrieval_average_precision",
}


@pytest.fixture(scope="module")
def binary():
    """Both kinds of rows in each query; scores distinct and positive.

    torchmetrics takes rows with a score of 0 or below as not retrieved in some metrics.
    """
    rng = np.random.default_rng(41)
    y_true = rng.integers(0, 2, (N_QUERIES, N_ITEMS))
    y_true[:, 0], y_true[:, 1] = 0, 1
    ranks = np.tile(np.arange(1.0, N_ITEMS + 1), (N_QUERIES, 1))
    return y_true, rng.permuted(ranks, axis=1) / 8


def theirs(name, y_true, y_score, **arguments):
    function = getattr(retrieval, name)
    rows = zip(torch.tensor(y_score), torch.tensor(y_true), strict=True)
    return [float(function(scores, grades, **arguments)) for scores, grades in rows]


def ours(metric, y_true, y_score, **arguments):
    scored = per_query_scores(y_true, y_score, metrics=[metric], **arguments)
    return scored.scores[metric]


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize("metric", AT_K)
def test_measures_at_a_cut_off(metric, k, binary):
    expected = theirs(AT_K[metric], *binary, top_k=k)
    name = f"{metric}@{k}"
    agree(f"{metric}@k", "torchmetrics", ours(name, *binary), expected, **SINGLE_PRECISION)


@pytest.mark.parametrize(
    ("metric", "name"),
    [("r_precision", "retrieval_r_precision"), ("auc", "retrieval_auroc")],
)
def test_measures_of_the_whole_list(metric, name, binary):
    expected = theirs(name, *binary)
    agree(metric, "torchmetrics", ours(metric, *binary), expected, **SINGLE_PRECISION)


@pytest.mark.parametrize("levels", [1, 2, 4, 1000])
@pytest.mark.parametrize("k", CUTOFFS)
def test_ndcg_with_ties(levels, k):
    """The one metric there that averages over ties."""
    rng = np.random.default_rng(k)
    y_true = rng.integers(0, 5, (N_QUERIES, N_ITEMS))
    y_true[:, 0] = 1
    y_score = rng.integers(0, levels, (N_QUERIES, N_ITEMS)) / 8
    expected = theirs("retrieval_normalized_dcg", y_true, y_score, top_k=k)
    values = ours(f"ndcg@{k}", y_true, y_score)
    agree("ndcg@k", "torchmetrics", values, expected, **SINGLE_PRECISION)


def test_convention(binary):
    y_true, y_score = binary[0].copy(), binary[1]
    y_true[::5], y_true[1::5] = 0, 1
    named = {metric.partition("(")[0]: name for metric, name in AT_K.items()} | {
        "ndcg": "retrieval_normalized_dcg"
    }
    assert {*named, "r_precision"} == set(conventions["torchmetrics"].metrics)
    for metric, name in named.items():
        (value,) = ranking_scores(
            y_true, y_score, metrics=[f"{metric}@3"], convention="torchmetrics"
        ).values()
        expected = np.mean(theirs(name, y_true, y_score, top_k=3))
        agree(
            f"{metric}@3, convention", "torchmetrics", value, expected, **SINGLE_PRECISION
        )


def test_convention_of_tied_scores(binary):
    y_true = binary[0]
    y_score = np.random.default_rng(43).integers(1, 4, y_true.shape) / 8
    expected = np.mean(theirs("retrieval_normalized_dcg", y_true, y_score, top_k=3))
    ours = ranking_scores(y_true, y_score, metrics="ndcg@3", convention="torchmetrics")
    agree(
        "ndcg@3, convention", "torchmetrics", ours["ndcg@3"], expected, **SINGLE_PRECISION
    )
