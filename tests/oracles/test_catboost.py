"""CatBoost's eval_metric, query by query.

Tied rows stand worst first there. A query without relevant rows counts 1 for NDCG and
RecallAt, 0 for MAP, MRR and PrecisionAt.
"""

import numpy as np
import pytest

from sklearn_rank.metrics import conventions, per_query_scores, ranking_scores
from tests.oracles.agreement import agree

utils = pytest.importorskip("catboost.utils")

CUTOFFS = [1, 2, 3, 5, 8, 10]
N_QUERIES = 120
MAX_GRADE = 4


@pytest.fixture(scope="module", params=[False, True], ids=["distinct", "tied"])
def graded(request):
    return random_queries(np.random.default_rng(61), MAX_GRADE, tied=request.param)


@pytest.fixture(scope="module", params=[False, True], ids=["distinct", "tied"])
def binary(request):
    return random_queries(np.random.default_rng(62), 1, tied=request.param)


def random_queries(rng, max_grade, *, tied):
    groups = np.repeat(np.arange(N_QUERIES), rng.integers(1, 9, N_QUERIES))
    y_true = rng.integers(0, max_grade + 1, len(groups)) * (rng.random(len(groups)) < 0.7)
    y_score = rng.integers(0, 3 if tied else 2**40, len(groups))
    return y_true.astype(float), y_score.astype(float), groups


def theirs(metric, y_true, y_score, groups):
    values = [
        utils.eval_metric(
            y_true[groups == query],
            y_score[groups == query],
            metric,
            group_id=np.zeros(np.count_nonzero(groups == query), dtype=int),
            thread_count=1,
        )[0]
        for query in range(N_QUERIES)
    ]
    return np.array(values)


def ours(metric, y_true, y_score, groups, *, ties="worst", undefined=0.0):
    scored = per_query_scores(y_true, y_score, groups=groups, metrics=[metric], ties=ties)
    values = scored.scores[metric]
    return np.where(np.isnan(values), undefined, values)


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ("", "type=Base;denominator=LogPosition"),
        ("gain='exponential'", "type=Exp;denominator=LogPosition"),
        ("discount='reciprocal'", "type=Base;denominator=Position"),
    ],
)
@pytest.mark.parametrize(("metric", "undefined"), [("dcg", 0.0), ("ndcg", 1.0)])
def test_discounted_gains(metric, undefined, parameters, name, k, graded):
    spelled = f"{metric}({parameters})" if parameters else metric
    expected = theirs(f"{metric.upper()}:top={k};{name}", *graded)
    values = ours(f"{spelled}@{k}", *graded, undefined=undefined)
    agree(f"{spelled}@k", "catboost", values, expected)


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize(
    ("metric", "name", "undefined"),
    [("recall", "RecallAt", 1.0), ("map", "MAP", 0.0), ("mrr", "MRR", 0.0)],
)
def test_hits(metric, name, undefined, k, binary):
    values = ours(f"{metric}@{k}", *binary, undefined=undefined)
    agree(f"{metric}@k", "catboost", values, theirs(f"{name}:top={k}", *binary))


@pytest.mark.parametrize("k", CUTOFFS)
def test_precision(k, binary):
    values = ours(f"precision(denominator='list')@{k}", *binary)
    agree("precision@k", "catboost", values, theirs(f"PrecisionAt:top={k}", *binary))


@pytest.mark.parametrize("k", CUTOFFS)
def test_cumulative_gain(k, graded):
    """AverageGain is the cumulative gain a row, of min(k, rows) rows."""
    lengths = np.bincount(graded[2])
    expected = theirs(f"AverageGain:top={k}", *graded) * np.minimum(lengths, k)
    agree("cg@k", "catboost", ours(f"cg@{k}", *graded), expected)


@pytest.mark.parametrize("k", CUTOFFS)
def test_expected_reciprocal_rank(k, graded):
    """CatBoost takes probabilities of satisfaction where we take grades."""
    y_true, y_score, groups = graded
    probability = (2**y_true - 1) / 2**MAX_GRADE
    expected = theirs(f"ERR:top={k}", probability, y_score, groups)
    values = ours(f"err(max_grade={MAX_GRADE})@{k}", *graded)
    agree("err@k", "catboost", values, expected)


def test_auc(binary):
    values = ours("auc", *binary, ties="average", undefined=np.nan)
    expected = theirs("QueryAUC:type=Ranking", *binary)
    defined = ~np.isnan(values)
    agree("auc", "catboost", values[defined], expected[defined])


def test_convention(binary):
    y_true, y_score, groups = binary
    lengths = np.bincount(groups)
    named = {
        "dcg": "DCG:top=3;type=Base;denominator=LogPosition",
        "ndcg": "NDCG:top=3;type=Base;denominator=LogPosition",
        "recall": "RecallAt:top=3",
        "map": "MAP:top=3",
        "mrr": "MRR:top=3",
        "cg": "AverageGain:top=3",
        "precision": "PrecisionAt:top=3",
    }
    assert set(named) == set(conventions["catboost"].metrics)
    for metric, name in named.items():
        (value,) = ranking_scores(
            y_true, y_score, groups=groups, metrics=[f"{metric}@3"], convention="catboost"
        ).values()
        expected = theirs(name, *binary)
        if metric == "cg":
            expected *= np.minimum(lengths, 3)
        agree(f"{metric}@3, convention", "catboost", value, expected.mean())


@pytest.mark.parametrize("metric", ["ndcg", "recall", "map", "mrr"])
def test_undefined_queries_count_in_the_mean_of_many(metric, binary):
    """eval_metric of all queries at once is the mean of the queries one by one."""
    y_true, y_score, groups = binary
    name = {"ndcg": "NDCG", "recall": "RecallAt", "map": "MAP", "mrr": "MRR"}[metric]
    name += ":top=3;type=Base;denominator=LogPosition" if metric == "ndcg" else ":top=3"
    (together,) = utils.eval_metric(y_true, y_score, name, group_id=groups)
    (value,) = ranking_scores(
        y_true, y_score, groups=groups, metrics=[f"{metric}@3"], convention="catboost"
    ).values()
    agree(f"{metric}@3, convention", "catboost", value, together)


@pytest.mark.parametrize("tied", [False, True], ids=["distinct", "tied"])
def test_convention_without_a_cutoff(tied):
    """CatBoost takes the whole list, which is longer than our default of 10 ranks."""
    rng = np.random.default_rng(67)
    groups = np.repeat(np.arange(20), 25)
    y_true = (rng.random(len(groups)) < 0.3).astype(float)
    y_true[groups % 6 == 0] = 0
    y_score = rng.integers(0, 4 if tied else 2**40, len(groups)).astype(float)
    named = {
        "recall": "RecallAt",
        "map": "MAP",
        "mrr": "MRR",
        "dcg": "DCG:type=Base;denominator=LogPosition",
        "ndcg": "NDCG:type=Base;denominator=LogPosition",
    }
    ours = ranking_scores(
        y_true, y_score, groups=groups, metrics=list(named), convention="catboost"
    )
    for metric, name in named.items():
        (expected,) = utils.eval_metric(y_true, y_score, name, group_id=groups)
        agree(f"{metric}, convention", "catboost", ours[metric], expected)
