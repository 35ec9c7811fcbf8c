"""ranx, query by query, on scores without ties: it leaves their order unspecified."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_files, from_item_lists
from sklearn_rank.metrics import conventions, ndcg_score, per_query_scores, ranking_scores
from tests.oracles.agreement import agree
from tests.oracles.judgments import hard_judgments, random_judgments

ranx = pytest.importorskip("ranx")

CUTOFFS = [1, 2, 3, 5, 10, 15]
AT_K = {
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "hit_rate": "hit_rate",
    "mrr": "mrr",
    "map(denominator='relevant')": "map",
    "ndcg": "ndcg",
    "ndcg(gain='exponential')": "ndcg_burges",
}
N_QUERIES = 1000


@pytest.fixture(scope="module", params=[1, 4], ids=["binary", "graded"])
def judgments(request):
    return random_judgments(31, N_QUERIES, max_grade=request.param)


def evaluated(judgments, measures):
    """Return {measure: one value per query}, in the order of sorted query names."""
    queries = sorted(judgments.run)
    qrels = ranx.Qrels({query: judgments.qrels[query] for query in queries})
    run = ranx.Run({query: judgments.run[query] for query in queries})
    found = ranx.evaluate(qrels, run, list(measures), return_mean=False)
    assert list(qrels.keys()) == queries
    return found if isinstance(found, dict) else {measures[0]: found}


@pytest.mark.parametrize("metric", AT_K)
def test_measures_at_a_cut_off(metric, judgments):
    theirs = evaluated(judgments, [f"{AT_K[metric]}@{k}" for k in CUTOFFS])
    ours = judgments.scores([f"{metric}@{k}" for k in CUTOFFS])
    for k in CUTOFFS:
        expected = theirs[f"{AT_K[metric]}@{k}"]
        agree(f"{metric}@k", "ranx", ours[f"{metric}@{k}"], expected)


def test_r_precision(judgments):
    theirs = evaluated(judgments, ["r-precision"])["r-precision"]
    agree("r_precision", "ranx", judgments.scores(["r_precision"])["r_precision"], theirs)


def test_rank_biased_precision(judgments):
    """ranx multiplies by the grade where we take its share of the highest one."""
    theirs = evaluated(judgments, ["rbp.80"])["rbp.80"]
    highest = max(max(grades.values()) for grades in judgments.qrels.values())
    ours = judgments.scores(["rbp(persistence=0.8)"])["rbp(persistence=0.8)"]
    agree("rbp", "ranx", ours * highest, theirs)


def test_bpref_where_something_irrelevant_is_judged(judgments):
    """Without a judged irrelevant document ranx divides by zero, trec_eval does not."""
    both = {
        query: grades
        for query, grades in judgments.qrels.items()
        if 0 in grades.values() and any(grades.values())
    }
    kept = type(judgments)(both, {query: judgments.run[query] for query in both})
    theirs = evaluated(kept, ["bpref"])["bpref"]
    ours = kept.scores(["bpref"], unjudged=np.nan)["bpref"]
    agree("bpref", "ranx", ours, theirs)


def test_convention(judgments):
    named = {f"{name}@5": f"{name}@5" for name in conventions["ranx"].metrics}
    named["r_precision"] = "r-precision"
    del named["r_precision@5"]
    theirs = evaluated(judgments, list(named.values()))
    ours = ranking_scores(**judgments.flat(), metrics=list(named), convention="ranx")
    for name, measure in named.items():
        agree(f"{name}, convention", "ranx", ours[name], theirs[measure].mean())


def test_convention_without_a_cutoff():
    """ranx takes the whole list, which is longer than our default of 10 ranks in some."""
    longer = random_judgments(37, 300, max_grade=3, longest=30)
    assert max(map(len, longer.run.values())) > 20
    names = [*conventions["ranx"].metrics]
    measures = {name: name.replace("r_precision", "r-precision") for name in names}
    theirs = evaluated(longer, list(measures.values()))
    ours = ranking_scores(**longer.flat(), metrics=names, convention="ranx")
    for name, measure in measures.items():
        agree(f"{name}, convention", "ranx", ours[name], theirs[measure].mean())


def test_convention_of_hard_judgments():
    """A query without a list has an empty one in ranx."""
    hard = hard_judgments(41, 500, tied=False)
    measures = {f"{name}@5": f"{name}@5" for name in conventions["ranx"].metrics}
    measures["r_precision"] = measures.pop("r_precision@5")[:-2].replace("_", "-")
    rows = from_files(*hard.lines())
    found = per_query_scores(**rows, metrics=[*measures], convention="ranx")
    hard.run.update({query: {} for query in hard.qrels.keys() - hard.run.keys()})
    theirs = evaluated(hard, list(measures.values()))
    assert found.groups.tolist() == sorted(hard.run)
    for name, measure in measures.items():
        agree(f"{name}, convention", "ranx", found.scores[name], theirs[measure])


def test_its_objects_are_read():
    qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
    run = {"q1": {"d2": 0.9, "d1": 0.7}, "q2": {"d4": 0.8, "d3": 0.1}}
    judged, found = ranx.Qrels(qrels), ranx.Run(run)
    expected = ranx.evaluate(judged, found, "ndcg@2")
    assert ndcg_score(**from_files(judged, found), k=2) == pytest.approx(expected)
    assert ndcg_score(**from_item_lists(judged, found), k=2) == pytest.approx(expected)
