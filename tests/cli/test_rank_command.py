"""From files of queries to the final comparison."""

import gzip
import json
from dataclasses import replace
from itertools import permutations
from math import log2

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_rank.experiments._default_models import RANKERS
from sklearn_rank.metrics import make_ranking_scorer, ndcg_score
from sklearn_rank.rankers import PairwiseRanker

TREES = {"n_estimators", "iterations", "max_iter"}


@pytest.fixture(scope="module")
def results(rank_files, tmp_path_factory):
    from sklearn_rank._cli import main

    folder = tmp_path_factory.mktemp("out") / "deep" / "results"
    arguments = [*rank_files.arguments, "--model", "pairwise", "--output", folder]
    assert main(["rank", *map(str, arguments)]) == 0
    return folder


@pytest.fixture(scope="module")
def report(results):
    return json.loads((results / "report.json").read_text())


def test_writes_the_six_files_and_nothing_else(results):
    assert sorted(path.name for path in results.iterdir()) == [
        "cv_results.csv",
        "metric_at_k.png",
        "report.html",
        "report.json",
        "report.txt",
        "test_scores.txt",
    ]
    assert (results / "metric_at_k.png").read_bytes().startswith(b"\x89PNG")


def test_equal_scores_are_the_mean_over_all_orders(tmp_path, run):
    grades = [[2, 0, 1], [0, 1, 0, 0], [1, 1, 3]]
    rows = [f"{g} qid:{q} 1:{g + 1}" for q, of_q in enumerate(grades) for g in of_q]
    path = tmp_path / "all.svm"
    path.write_text("\n".join(rows))
    options = ["--folds", 3, "--test", path, "--model", "pairwise", "--metric", "ndcg@2"]
    code, _, err = run("rank", path, *options, "--output", tmp_path / "out")
    assert code == 0, err

    def dcg(order):
        return sum(grade / log2(rank + 2) for rank, grade in enumerate(order[:2]))

    expected = np.mean(
        [
            np.mean([dcg(order) for order in permutations(of_q)])
            / dcg(sorted(of_q, reverse=True))
            for of_q in grades
        ]
    )
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["models"]["equal"]["means"]["ndcg@2"] == pytest.approx(expected)
    assert report["models"][report["best_name"]]["means"]["ndcg@2"] == pytest.approx(1)


def test_candidates_have_the_scores_of_cross_validation(results, rank_files):
    table = pd.read_csv(results / "cv_results.csv").set_index("candidate")
    assert table["rank_test_score"].is_monotonic_increasing
    X, y, groups = rank_files.train
    svm = PairwiseRanker(LinearSVC(C=0.01, dual=False), random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(
            make_pipeline(StandardScaler(with_mean=False), svm),
            X,
            y,
            scoring=make_ranking_scorer("ndcg@10"),
            cv=GroupKFold(5),
            params={"groups": groups},
        )
    row = table.loc["pairwise, C 0.01"]
    assert row["mean_test_score"] == pytest.approx(scores.mean())
    assert row["std_test_score"] == pytest.approx(scores.std())
    assert row["split2_test_score"] == pytest.approx(scores[2])
    assert {"all scores equal", "pairwise, untuned"} < set(table.index)


def test_test_scores_are_those_of_the_report(results, report, rank_files):
    scores = np.loadtxt(results / "test_scores.txt")
    _, y, groups = rank_files.test
    tuned = ndcg_score(y, scores, groups=groups, k=10)
    best = report["models"][report["best_name"]]
    assert best["means"]["ndcg@10"] == pytest.approx(tuned)
    assert best["curve"][9] == pytest.approx(tuned)
    assert best["report"]["ndcg@10"]["mean"] == pytest.approx(tuned)
    equal = report["models"]["equal"]["means"]["ndcg@10"]
    said = f"ndcg@10 {tuned:.4f} against {equal:.4f}."
    beats = f"The tuned model beats all scores equal on the test queries: {said}"
    assert report["verdict"][-1].startswith(beats)


@pytest.mark.parametrize("model", ["lightgbm", "xgboost", "catboost", "pointwise"])
def test_every_model_can_be_made_in_python(model, rank_files, run, tmp_path, monkeypatch):
    for name, known in RANKERS.items():
        trees = {key for key in known.grid if key.rpartition("__")[2] in TREES}
        grid = known.grid | {key: [5, 10] for key in trees}
        if trees:
            grid["estimator__learning_rate"] = [0.3]
        monkeypatch.setitem(RANKERS, name, replace(known, grid=grid))
    # CatBoost's own 1,000 trees would take half a minute.
    few = RANKERS["untuned_catboost"].make().set_params(estimator__iterations=7)
    changed = replace(RANKERS["untuned_catboost"], make=lambda: few)
    monkeypatch.setitem(RANKERS, "untuned_catboost", changed)
    arguments = ["--model", model, "--folds", 2, "--output", tmp_path]
    code, out, err = run("rank", *rank_files.arguments, *arguments)
    assert code == 0, err
    assert f"{model}, untuned" in out
    found = json.loads((tmp_path / "report.json").read_text())
    X, y, groups = rank_files.train
    names = {}
    exec(found["python"], names)
    ranker = names["model"]
    with sklearn.config_context(enable_metadata_routing=True):
        if model == "pointwise":
            X = X.toarray()
        ranker.fit(X, y, groups=groups)
    test = rank_files.test[0].toarray() if model == "pointwise" else rank_files.test[0]
    scores = np.loadtxt(tmp_path / "test_scores.txt")
    np.testing.assert_allclose(ranker.predict(test), scores, rtol=1e-6)


def test_jobs_change_nothing(results, rank_files, run, tmp_path):
    arguments = ["--model", "pairwise", "--jobs", 1, "--output", tmp_path]
    assert run("rank", *rank_files.arguments, *arguments)[0] == 0
    for name in ("test_scores.txt", "report.txt"):
        assert (tmp_path / name).read_bytes() == (results / name).read_bytes()


def test_qid_and_gzip_make_the_same_queries(results, rank_files, run, tmp_path):
    packed = []
    for name in ("train", "test"):
        packed.append(tmp_path / f"{name}.svm.gz")
        packed[-1].write_bytes(
            gzip.compress((rank_files.folder / f"{name}.qid").read_bytes())
        )
    arguments = [
        packed[0],
        "--test",
        packed[1],
        "--model",
        "pairwise",
        "--output",
        tmp_path,
    ]
    assert run("rank", *arguments)[0] == 0
    name = "test_scores.txt"
    assert (tmp_path / name).read_bytes() == (results / name).read_bytes()


def test_the_report_says_what_the_screen_says(rank_files, run, tmp_path):
    arguments = ["--model", "pairwise", "--metric", "mean_rank", "--output", tmp_path]
    code, out, _ = run("rank", *rank_files.arguments, *arguments, width=80)
    assert code == 0
    assert out.startswith((tmp_path / "report.txt").read_text())
    said = " ".join(out.split())
    assert "(lower is better)" in said
    assert "The tuned model beats all scores equal on the test queries: mean_rank " in said


def test_without_test_queries(rank_files, run, tmp_path):
    arguments = rank_files.arguments[:3]
    code, out, _ = run("rank", *arguments, "--model", "pairwise", "--output", tmp_path)
    assert code == 0
    assert "Add --test TEST.svm" in out
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cv_results.csv",
        "report.html",
        "report.json",
        "report.txt",
    ]


def test_queries_without_answer_are_left_out_and_counted(tmp_path, run, write):
    rows = [f"{row % 2} qid:{query} 1:{row}" for query in range(8) for row in range(4)]
    rows += ["0 qid:8 1:1", "0 qid:8 1:2"]
    path = write("\n".join(rows), "train.svm")
    code, out, err = run("rank", path, "--test", path, "--model", "pairwise", "--folds", 3)
    assert code == 0, err
    assert out.count("1 query left out of the scores, where ndcg@10 is undefined") == 2
    assert "UndefinedMetricWarning" not in err


def test_says_plainly_when_nothing_was_learnt(tmp_path, run, write):
    # The grade falls with the feature in one query and rises in the next.
    rows = [
        f"{grade} qid:{query} 1:{grade if query % 2 else 3 - grade}"
        for query in (1, 3, 2, 4)
        for grade in range(4)
    ]
    path = write("\n".join(rows), "train.svm")
    arguments = ["--model", "pairwise", "--folds", 4, "--metric", "ndcg@1"]
    code, out, _ = run("rank", path, "--test", path, *arguments)
    assert code == 0
    assert "does not beat" in out or "The search chose all scores equal" in out


def test_real_queries(tmp_path, run, real_data, monkeypatch):
    # The grid up to 0.1, and the default of 1, take a dozen seconds.
    c = "pairwiseranker__estimator__C"
    small = RANKERS["pairwise"].make().set_params(**{c: 1e-4})
    few = {"pairwise": {"grid": {c: [1e-5]}}, "untuned_pairwise": {"make": lambda: small}}
    for name, change in few.items():
        monkeypatch.setitem(RANKERS, name, replace(RANKERS[name], **change))
    train, test = (real_data / "lambdarank" / f"rank.{n}" for n in ("train", "test"))
    files = [train, "--groups", f"{train}.query", "--test", test]
    arguments = ["--test-groups", f"{test}.query", "--model", "pairwise", "--folds", 2]
    code, out, _ = run("rank", *files, *arguments, "--output", tmp_path)
    assert code == 0
    assert "3,005 rows in 201 queries" in out
    assert "768 rows in 50 queries" in out
    report = json.loads((tmp_path / "report.json").read_text())
    means = {name: one["means"]["ndcg@10"] for name, one in report["models"].items()}
    assert means["equal"] == pytest.approx(0.653, abs=5e-4)
    assert means[report["best_name"]] > means["equal"] + 0.08


def test_several_models_meet(rank_files, run, tmp_path):
    options = ["--model", "pairwise,lightgbm", "--folds", 2, "--search", "halving"]
    code, _, err = run("rank", *rank_files.arguments, *options, "--output", tmp_path)
    assert code == 0, err
    models = set(pd.read_csv(tmp_path / "cv_results.csv")["model"])
    assert {"pairwise", "lightgbm", "pairwise, untuned", "lightgbm, untuned"} < models
