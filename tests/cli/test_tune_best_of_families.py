"""The best of each family on the rows held out: means and intervals in the files."""

import json

import pandas as pd
import pytest

from sklearn_rank._cli import main

BASELINES = {"popularity", "time_decayed_popularity"}


@pytest.fixture(scope="module")
def found(small_csv, tmp_path_factory):
    folder = tmp_path_factory.mktemp("families")
    arguments = ["--folds", "2", "--output", str(folder)]
    assert main(["tune", str(small_csv), *arguments]) == 0
    report = json.loads((folder / "report.json").read_text())
    return report, pd.read_csv(folder / "cv_results.csv")


def test_each_family_stands_for_itself_with_its_best_candidate(found):
    report, candidates = found
    titles = {name: model["title"] for name, model in report["models"].items()}
    best = candidates.drop_duplicates("model")["candidate"]
    assert set(titles.values()) == set(best)
    assert set(titles) > BASELINES
    assert len(best) == 8
    assert titles[report["best_name"]] == candidates["candidate"][0]


def test_every_model_has_a_standard_error_and_an_interval(found):
    scores, best = {}, []
    for name, model in found[0]["models"].items():
        mean, at_10 = model["intervals"]["ndcg@10"], model["report"]["ndcg@10"]
        assert mean["mean"] == pytest.approx(model["means"]["ndcg@10"])
        assert mean["standard_error"] == pytest.approx(at_10["standard_error"])
        assert mean["low"] < mean["mean"] < mean["high"]
        scores[name] = mean["mean"]
        best += [name] * mean["is_best"]
    assert best == [max(scores, key=scores.get)]


def test_a_single_model_is_the_best(run, tmp_path, small_csv):
    pairs = pd.read_csv(small_csv)[["user", "item"]]
    pairs.to_csv(tmp_path / "log.csv", index=False)
    options = ["--cv", "random", "--models", "popularity", "--folds", 1]
    code, out, _ = run("tune", tmp_path / "log.csv", *options, "--output", tmp_path)
    assert code == 0
    assert "popularity (tuned)  <- best" in out
    models = json.loads((tmp_path / "report.json").read_text())["models"]
    assert models["popularity"]["intervals"]["ndcg@10"]["is_best"]
    assert "does not beat popularity; it is popularity" in out
