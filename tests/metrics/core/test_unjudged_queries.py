"""Queries without a judgment under the conventions that leave them out."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import per_query_scores, ranking_report, ranking_scores

METRICS = ["map", "mrr", "ndcg", "ndcg@5", "precision@5", "recall@5"]
THEIRS = {
    "map": "map",
    "mrr": "recip_rank",
    "ndcg": "ndcg",
    "ndcg@5": "ndcg_cut_5",
    "precision@5": "P_5",
    "recall@5": "recall_5",
}


def test_a_query_that_nobody_judged_does_not_count():
    # pytrec_eval: map 1.0
    rows = from_files({"1": {"7": 1}}, {"1": {"7": 2.0, "8": 1.0}, "2": {"9": 1.0}})
    for library in ("trec_eval", "trec_eval_10", "ranx"):
        assert ranking_scores(**rows, metrics="map", convention=library) == {"map": 1.0}
    found = per_query_scores(**rows, metrics="map", convention="trec_eval")
    np.testing.assert_array_equal(found["map"], [1.0, np.nan])
    options = {"convention": "trec_eval", "output_dict": True}
    report = ranking_report(**rows, metrics="ndcg@5", **options)
    assert report["ndcg@5"]["queries"] == 1
    # As trec_eval -c: all judged queries.
    missing = from_files({"1": {"7": 1}, "3": {"7": 1}}, {"1": {"7": 2.0}, "2": {"9": 1.0}})
    options = {"metrics": "map", "convention": "trec_eval"}
    assert ranking_scores(**missing, **options) == {"map": 1.0}
    assert ranking_scores(**missing, replace_undefined_by=0.0, **options) == {"map": 0.5}
    assert ranking_scores(**rows, metrics="map", replace_undefined_by=0.0) == {"map": 0.5}


def test_a_judgment_of_grade_0_counts():
    rows = from_files({"1": {"7": 1}, "2": {"9": 0}}, {"1": {"7": 2.0}, "2": {"9": 1.0}})
    assert ranking_scores(**rows, metrics="map", convention="trec_eval") == {"map": 0.5}
    grid = ranking_scores(
        [[1, 0], [0, 0]], [[2, 1], [2, 1]], metrics="map", convention="ranx"
    )
    assert grid == {"map": 0.5}


@pytest.mark.parametrize("seed", range(10))
def test_random_designs_are_those_of_pytrec_eval(seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(seed)
    queries, items = [f"q{i}" for i in range(12)], [f"d{i}" for i in range(15)]

    def draw(n):
        return rng.choice(items, n, replace=False).tolist()

    qrels = {
        q: {d: int(rng.integers(0, 3)) for d in draw(rng.integers(1, 9))}
        for q in rng.choice(queries, 8, replace=False).tolist()
    }
    run = {
        q: {d: float(rng.random()) for d in draw(rng.integers(1, 12))}
        for q in rng.choice(queries, 8, replace=False).tolist()
    }
    per_query = pytrec_eval.RelevanceEvaluator(qrels, set(THEIRS.values())).evaluate(run)
    rows = from_files(qrels, run)
    found = ranking_scores(**rows, metrics=METRICS, convention="trec_eval")
    for name, theirs in THEIRS.items():
        expected = np.mean([values[theirs] for values in per_query.values()])
        assert found[name] == pytest.approx(expected, abs=1e-6), name
