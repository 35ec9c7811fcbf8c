"""trec_eval through pytrec_eval: every measure that both have, query by query."""

import gzip
import re

import numpy as np
import pytest

from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import (
    conventions,
    inferred_average_precision_score,
    mean_average_precision_score,
    per_query_scores,
    ranking_scores,
)
from tests.oracles.agreement import agree
from tests.oracles.judgments import hard_judgments, random_judgments

pytrec_eval = pytest.importorskip("pytrec_eval")

LONGEST = 12
CUTOFFS = range(1, LONGEST + 4)
N_QUERIES = 1500

AT_K = {
    "precision": "P",
    "recall": "recall",
    "map(denominator='relevant')": "map_cut",
    "ndcg": "ndcg_cut",
    "hit_rate": "success",
}
WHOLE_LIST = {
    "mrr": "recip_rank",
    "map(denominator='relevant')": "map",
    "r_precision": "Rprec",
    "ndcg": "ndcg",
    "precision(k=None)": "set_P",
    "recall(k=None)": "set_recall",
    "f1(k=None)": "set_F",
}


def evaluated(judgments, measures, relevance_level=1):
    """Return {measure: one value per query}, in the order of sorted query names."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        judgments.qrels, measures, relevance_level=relevance_level
    )
    of_query = evaluator.evaluate(judgments.run)
    queries = sorted(of_query)
    return {
        measure: np.array([of_query[query][measure] for query in queries])
        for measure in of_query[queries[0]]
    }


@pytest.fixture(
    scope="module",
    params=[(1, False), (1, True), (4, False), (4, True)],
    ids=["binary", "binary, tied", "graded", "graded, tied"],
)
def judgments(request):
    max_grade, tied = request.param
    return random_judgments(11, N_QUERIES, max_grade=max_grade, tied=tied)


@pytest.mark.parametrize("metric", AT_K)
def test_measures_at_a_cut_off(metric, judgments):
    measure = AT_K[metric]
    cuts = ",".join(map(str, CUTOFFS))
    theirs = evaluated(judgments, {f"{measure}.{cuts}"})
    ours = judgments.scores([f"{metric}@{k}" for k in CUTOFFS])
    for k in CUTOFFS:
        agree(f"{metric}@k", "pytrec_eval", ours[f"{metric}@{k}"], theirs[f"{measure}_{k}"])


@pytest.mark.parametrize("metric", WHOLE_LIST)
def test_measures_of_the_whole_list(metric, judgments):
    measure = WHOLE_LIST[metric]
    theirs = evaluated(judgments, {measure})[measure]
    agree(metric, "pytrec_eval", judgments.scores([metric])[metric], theirs)


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize("metric", ["precision@5", "recall@5", "mrr", "r_precision", "map"])
def test_levels_of_relevance(metric, level, judgments):
    measure = {
        "precision@5": "P_5",
        "recall@5": "recall_5",
        "mrr": "recip_rank",
        "r_precision": "Rprec",
        "map": "map",
    }[metric]
    name = "map(denominator='relevant')" if metric == "map" else metric
    names = {"P.5", "recall.5", "recip_rank", "Rprec", "map"}
    theirs = evaluated(judgments, names, relevance_level=level)[measure]
    ours = judgments.scores([name], min_relevance=level)[name]
    agree(f"{metric}, min_relevance={level}", "pytrec_eval", ours, theirs)


def test_bpref_sees_only_judged_documents(judgments):
    theirs = evaluated(judgments, {"bpref"})["bpref"]
    ours = judgments.scores(["bpref"], unjudged=np.nan)["bpref"]
    agree("bpref", "pytrec_eval", ours, theirs)


def test_inferred_average_precision(judgments):
    """Judgment -1 there is: in the pool, but nobody judged it."""
    rng = np.random.default_rng(17)
    qrels = {
        query: {
            document: -1 if rng.random() < 0.4 else grade
            for document, grade in grades.items()
        }
        for query, grades in judgments.qrels.items()
    }
    sampled = type(judgments)(qrels, judgments.run)
    theirs = evaluated(sampled, {"infAP"})["infAP"]
    columns = sampled.flat(unjudged=-2)
    pooled = columns["y_true"] != -2
    columns["y_true"] = np.where(columns["y_true"] < 0, np.nan, columns["y_true"])
    for query, expected in zip(sorted(sampled.run), theirs, strict=True):
        of_query = columns["groups"] == query
        ours = inferred_average_precision_score(
            **{name: column[of_query] for name, column in columns.items()},
            pooled=pooled[of_query],
            ties="first",
            replace_undefined_by=0.0,
        )
        agree("infap", "pytrec_eval", ours, expected)


def test_geometric_mean_of_average_precision(judgments):
    """trec_eval takes the mean of logarithms, and 0.00001 for what is less."""
    theirs = evaluated(judgments, {"gm_map"})["gm_map"]
    ours = mean_average_precision_score(
        **judgments.flat(),
        denominator="relevant",
        average="geometric",
        ties="first",
        replace_undefined_by=0.0,
    )
    agree("map(average='geometric')", "pytrec_eval", ours, np.exp(theirs.mean()))


def test_files_of_qrels_and_runs(judgments, tmp_path):
    """The same files through both readers: ties need no ``ties="first"`` then."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt.gz"
    with open(qrels, "w") as file:
        for query, grades in judgments.qrels.items():
            for document, grade in grades.items():
                file.write(f"{query} 0 {document} {grade}\n")
    with gzip.open(run, "wt") as file:
        for query, scores in judgments.run.items():
            for document, score in scores.items():
                file.write(f"{query} Q0 {document} 0 {score} test\n")
    theirs = evaluated(judgments, {"recip_rank", "ndcg_cut.3", "map_cut.5"})
    names = {
        "mrr": "recip_rank",
        "ndcg@3": "ndcg_cut_3",
        "map(denominator='relevant')@5": "map_cut_5",
    }
    each = per_query_scores(**from_files(qrels, run), metrics=list(names))
    assert list(each.groups) == sorted(judgments.run)
    for metric, measure in names.items():
        values = np.nan_to_num(each.scores[metric])
        agree(f"{metric} of from_files", "pytrec_eval", values, theirs[measure])


OF_CONVENTION = {
    "precision@5": "P_5",
    "precision": "set_P",
    "recall@5": "recall_5",
    "recall": "set_recall",
    "f1": "set_F",
    "hit_rate@5": "success_5",
    "r_precision": "Rprec",
    "mrr": "recip_rank",
    "map": "map",
    "map@5": "map_cut_5",
    "ndcg": "ndcg",
    "ndcg@5": "ndcg_cut_5",
    "bpref": "bpref",
    "relative_precision@5": "relative_P_5",
    "relative_precision": "set_relative_P",
    "set_map": "set_map",
    "interpolated_precision": "iprec_at_recall_0.50",
}


def test_convention(judgments):
    compared = {metric.partition("@")[0] for metric in OF_CONVENTION} | {"infap"}
    compared.add("eleven_point_precision")  # in test_trec_eval_names.py
    assert compared == set(conventions["trec_eval"].metrics)
    names = {re.sub(r"_(?=\d)", ".", measure) for measure in OF_CONVENTION.values()}
    theirs = evaluated(judgments, names)
    for metric, measure in OF_CONVENTION.items():
        unjudged = np.nan if metric == "bpref" else 0.0
        (ours,) = ranking_scores(
            **judgments.flat(unjudged), metrics=[metric], convention="trec_eval"
        ).values()
        agree(f"{metric}, convention", "pytrec_eval", ours, theirs[measure].mean())


@pytest.mark.parametrize("tied", [False, True], ids=["distinct", "tied"])
def test_convention_of_hard_judgments(tied):
    hard = hard_judgments(29, 700, tied=tied)
    others = {"infap": "infAP", "eleven_point_precision": "11pt_avg"}
    names = OF_CONVENTION | others
    theirs = evaluated(hard, {re.sub(r"_(?=\d+$|0\.)", ".", m) for m in names.values()})
    rows = from_files(*hard.lines())
    assert np.isnan(rows.y_true).any()
    found = per_query_scores(**rows, metrics=[*names], convention="trec_eval")
    assert found.groups.tolist() == sorted(hard.qrels)
    for metric, measure in names.items():
        ours = found.scores[metric]
        agree(f"{metric}, convention", "pytrec_eval", ours[:-1], theirs[measure])
        assert np.isnan(ours[-1])  # it is left out
    ask = {"metrics": [*names], "convention": "trec_eval", "replace_undefined_by": 0.0}
    counted = per_query_scores(**rows, **ask)
    assert all(values[-1] == 0 for values in counted.scores.values())


def test_convention_of_inferred_average_precision(judgments):
    """Every document has a line in the qrels here: all are in the pool."""
    rng = np.random.default_rng(23)
    qrels = {
        query: {
            document: -1 if rng.random() < 0.4 else grades.get(document, 0)
            for document in grades.keys() | judgments.run[query].keys()
        }
        for query, grades in judgments.qrels.items()
    }
    pooled = type(judgments)(qrels, judgments.run)
    theirs = evaluated(pooled, {"infAP"})["infAP"].mean()
    rows = pooled.flat()
    rows["y_true"] = np.where(rows["y_true"] < 0, np.nan, rows["y_true"])
    ours = ranking_scores(**rows, metrics="infap", convention="trec_eval")["infap"]
    agree("infap, convention", "pytrec_eval", ours, theirs)


def test_convention_of_the_geometric_mean(judgments):
    theirs = np.exp(evaluated(judgments, {"gm_map"})["gm_map"].mean())
    (ours,) = ranking_scores(
        **judgments.flat(), metrics="map(average='geometric')", convention="trec_eval"
    ).values()
    agree("map(average='geometric'), convention", "pytrec_eval", ours, theirs)
