"""The vectors of `sklearn-rank conform`, answered by other libraries."""

import pytest

from sklearn_rank.metrics._results._conformance import conformance_vectors
from tests.oracles.agreement import agree

CASES = conformance_vectors()["cases"]
TREC_EVAL = {
    "ndcg": "ndcg_cut_{}",
    "recall": "recall_{}",
    "precision": "P_{}",
    "map": "map_cut_{}",
    "mrr": "recip_rank",
    "hit_rate": "success_{}",
}


def answered(tool):
    """Return the cases with a list and a relevant document that the tool has values of."""
    return [c for c in CASES if c["truth"] and c["list"] and tool in c["expect"]["ndcg"]]


def compare(tool, library, theirs):
    """Compare the values of cases, by metric, with those of a library."""
    cases = answered(tool)
    assert len(cases) > 150
    for metric in TREC_EVAL:
        ours = [case["expect"][metric][tool] for case in cases]
        found = [theirs[case["id"]][metric] for case in cases]
        agree(f"{metric}@k, vectors", library, ours, found, atol=1e-9)


def sides(tool):
    cases = answered(tool)
    qrels = {case["id"]: case["truth"] for case in cases}
    return qrels, {case["id"]: dict(case["list"]) for case in cases}


def test_pytrec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = sides("trec_eval")
    theirs = {}
    for case in answered("trec_eval"):
        k, name = case["k"], case["id"]
        measures = {metric: form.format(k) for metric, form in TREC_EVAL.items()}
        asked = {
            f"{m.rpartition('_')[0]}.{k}" for m in measures.values() if m[-1].isdigit()
        }
        evaluator = pytrec_eval.RelevanceEvaluator(
            {name: qrels[name]}, asked | {"recip_rank"}
        )
        found = evaluator.evaluate({name: run[name]})[name]
        theirs[name] = {metric: found[measure] for metric, measure in measures.items()}
    compare("trec_eval", "pytrec_eval", theirs)


def test_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import AP, RR, P, R, Success, nDCG

    qrels, run = sides("trec_eval")
    theirs: dict = {}
    for k in (1, 3, 5, 10):
        measures = {"ndcg": nDCG @ k, "recall": R @ k, "precision": P @ k, "map": AP @ k}
        measures |= {"mrr": RR, "hit_rate": Success @ k}
        names = {str(measure): metric for metric, measure in measures.items()}
        of_k = {case["id"] for case in answered("trec_eval") if case["k"] == k}
        for found in ir_measures.iter_calc(measures.values(), qrels, run):
            if found.query_id in of_k:
                theirs.setdefault(found.query_id, {})[names[str(found.measure)]] = (
                    found.value
                )
    compare("trec_eval", "ir_measures", theirs)


def test_ranx():
    ranx = pytest.importorskip("ranx")
    qrels, run = sides("ranx")
    theirs: dict = {}
    for k in (1, 3, 5, 10):
        of_k = [case["id"] for case in answered("ranx") if case["k"] == k]
        names = {f"{metric}@{k}": metric for metric in TREC_EVAL}
        one = ranx.Run({name: run[name] for name in of_k})
        ranx.evaluate(ranx.Qrels({name: qrels[name] for name in of_k}), one, [*names])
        for name, metric in names.items():
            for query, value in one.scores[name].items():
                theirs.setdefault(query, {})[metric] = value
    compare("ranx", "ranx", theirs)
