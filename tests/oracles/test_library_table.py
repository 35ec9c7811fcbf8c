"""The table of the page on libraries: the cells of each library that can be run here."""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.metrics import conventions

DOCS = Path(__file__).parents[2] / "docs" / "_ext"
NAMES = {
    "trec_eval": {
        "precision": "P_3",
        "recall": "recall_3",
        "f1": "set_F",
        "hit_rate": "success_3",
        "r_precision": "Rprec",
        "mrr": "recip_rank",
        "map": "map_cut_3",
        "ndcg": "ndcg_cut_3",
    },
    "ranx": {
        "precision": "precision@3",
        "recall": "recall@3",
        "f1": "f1@3",
        "hit_rate": "hit_rate@3",
        "r_precision": "r-precision",
        "mrr": "mrr@3",
        "map": "map@3",
        "ndcg": "ndcg@3",
    },
    "catboost": {
        "precision": "PrecisionAt:top=3",
        "recall": "RecallAt:top=3",
        "mrr": "MRR:top=3",
        "map": "MAP:top=3",
        "ndcg": "NDCG:top=3;type=Base;denominator=LogPosition",
    },
}


@pytest.fixture(scope="module")
def table():
    """The module that makes the table."""
    pytest.importorskip("numpydoc")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        return import_module("library_table")


def judgments(y_true, y_score, groups):
    """Return qrels and run; documents are named so that tied ones keep their order."""
    qrels, run = {}, {}
    for row, (grade, score, query) in enumerate(zip(y_true, y_score, groups, strict=True)):
        document = f"d{len(y_true) - row:02d}"
        qrels.setdefault(str(query), {})[document] = int(grade)
        run.setdefault(str(query), {})[document] = float(score)
    return qrels, run


def by_trec_eval(y_true, y_score, groups):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = judgments(y_true, y_score, groups)
    names = NAMES["trec_eval"]
    measures = {re.sub(r"_(?=\d)", ".", name) for name in names.values()}
    found = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    return {
        metric: np.mean([found[query][name] for query in found])
        for metric, name in names.items()
    }


def by_ranx(y_true, y_score, groups):
    ranx = pytest.importorskip("ranx")
    qrels, run = judgments(y_true, y_score, groups)
    names = NAMES["ranx"]
    found = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), list(names.values()))
    return {metric: found[name] for metric, name in names.items()}


def by_sklearn(y_true, y_score, groups):
    theirs = import_module("sklearn.metrics")
    values = [
        theirs.ndcg_score(
            y_true[None, groups == query], y_score[None, groups == query], k=3
        )
        for query in np.unique(groups)
    ]
    return {"ndcg": np.mean(values)}


def by_catboost(y_true, y_score, groups):
    utils = pytest.importorskip("catboost.utils")
    codes = np.unique(groups, return_inverse=True)[1]
    return {
        metric: utils.eval_metric(y_true, y_score, name, group_id=codes, thread_count=1)[0]
        for metric, name in NAMES["catboost"].items()
    }


def by_lightgbm(y_true, y_score, groups):
    """Trees of a constant feature have no split: what is evaluated are the first scores."""
    lightgbm = pytest.importorskip("lightgbm")
    codes = np.unique(groups, return_inverse=True)[1]
    values = {}
    for metric in ("map", "ndcg"):
        data = lightgbm.Dataset(
            np.zeros((len(y_true), 1)),
            y_true,
            group=np.bincount(codes),
            init_score=y_score,
            params={"verbose": -1},
        )
        recorded: dict = {}
        lightgbm.train(
            {"objective": "lambdarank", "metric": metric, "eval_at": [3], "verbose": -1},
            data,
            num_boost_round=1,
            valid_sets=[data],
            callbacks=[lightgbm.record_evaluation(recorded)],
        )
        values[metric] = recorded["training"][f"{metric}@3"][-1]
    return values


def by_xgboost(y_true, y_score, groups):
    xgboost = pytest.importorskip("xgboost")
    codes = np.unique(groups, return_inverse=True)[1]
    values = {}
    for metric, name in {"map": "map", "ndcg": "ndcg", "precision": "pre"}.items():
        grades = y_true if metric == "ndcg" else np.minimum(y_true, 1)
        data = xgboost.DMatrix(
            np.zeros((len(grades), 1)), grades, qid=codes, base_margin=y_score
        )
        params = {"objective": "rank:ndcg", "eval_metric": f"{name}@3", "nthread": 1}
        booster = xgboost.train(params, data, num_boost_round=0)
        values[metric] = float(booster.eval(data).rpartition(":")[2])
    return values


def by_implicit(y_true, y_score, groups):
    evaluation = pytest.importorskip("implicit.evaluation")
    codes = np.unique(groups, return_inverse=True)[1]
    relevant = sparse.csr_matrix((y_true, (codes, np.arange(len(codes)))))

    class InOrder:
        def recommend(self, of_users, user_items, N, **ignored):
            lists = [np.flatnonzero(codes == user) for user in of_users]
            lists = [rows[np.argsort(-y_score[rows], kind="stable")] for rows in lists]
            items = np.array([np.r_[rows, [-1] * N][:N] for rows in lists], dtype=np.int32)
            return items, -np.arange(N) * np.ones(items.shape)

    relevant.eliminate_zeros()
    found = evaluation.ranking_metrics_at_k(
        InOrder(), sparse.csr_matrix(relevant.shape), relevant, K=3, show_progress=False
    )
    return {"map": found["map"], "ndcg": found["ndcg"]}


LIBRARIES = {
    "trec_eval": by_trec_eval,
    "sklearn": by_sklearn,
    "lightgbm": by_lightgbm,
    "xgboost": by_xgboost,
    "catboost": by_catboost,
    "ranx": by_ranx,
    "implicit": by_implicit,
}


def test_the_libraries_that_are_run_are_marked_so():
    run = {name for name, convention in conventions.items() if convention.checked == "run"}
    assert run == {*LIBRARIES, "pyndeval"}  # whose metrics are not in the table


@pytest.mark.parametrize("library", LIBRARIES)
def test_cells(library, table):
    y_true, y_score, groups = table.worked_input()
    theirs = LIBRARIES[library](y_true.astype(float), y_score.astype(float), groups)
    shown = {metric: table.cell(library, metric) for metric in table.SHOWN}
    ours = {
        metric: float(cell.rstrip(" *")) for metric, cell in shown.items() if cell != "–"
    }
    assert ours == pytest.approx(theirs, abs=5e-5)


def test_stars(table):
    """They say that there is no cutoff there."""
    starred = {
        (library, metric)
        for library in conventions
        for metric in table.SHOWN
        if table.cell(library, metric).endswith("*")
    }
    versions = ("trec_eval", "trec_eval_10")
    whole = {(version, metric) for version in versions for metric in ("f1", "mrr")}
    assert starred == whole
