"""The best of each family on the rows held out: means and intervals in the files."""

import json

import pandas as pd
import pytest

from sklearn_rank._cli import main

FAMILIES = {"tuned", "popularity", "time_decayed_popularity"}


@pytest.fixture(scope="module")
def found(small_csv, tmp_path_factory):
    folder = tmp_path_factory.mktemp("families")
    arguments = ["--folds", "2", "--output", str(folder)]
    assert main(["tune", str(small_csv), *arguments]) == 0
    report = json.loads((folder / "report.json").read_text())
    return report, pd.read_csv(folder / "cv_results.csv")


def test_each_family_stands_for_itself_with_its_best_candidate(found):
    report, candidates = found
    comparison = report["comparison"]
    best = candidates.drop_duplicates("model")["candidate"]
    assert set(comparison["titles"].values()) == set(best)
    assert set(comparison["scores"]) == set(comparison["titles"]) > FAMILIES
    assert len(best) == 8
    assert comparison["titles"]["tuned"] == candidates["candidate"][0]


def test_every_model_has_a_standard_error_and_an_interval(found):
    comparison = found[0]["comparison"]
    for name, mean in comparison["means"].items():
        assert mean["mean"] == pytest.approx(comparison["scores"][name])
        at_10 = comparison["report"][name]["ndcg@10"]
        assert mean["standard_error"] == pytest.approx(at_10["standard_error"])
        assert mean["low"] < mean["mean"] < mean["high"]
    best = [name for name, mean in comparison["means"].items() if mean["is_best"]]
    assert best == [max(comparison["scores"], key=comparison["scores"].get)]


def test_a_single_model_is_the_best(run, tmp_path, small_csv):
    pairs = pd.read_csv(small_csv)[["user", "item"]]
    pairs.to_csv(tmp_path / "log.csv", index=False)
    options = ["--cv", "random", "--models", "popularity", "--folds", 1]
    code, out, _ = run("tune", tmp_path / "log.csv", *options, "--output", tmp_path)
    assert code == 0
    assert "popularity (tuned)  <- best" in out
    means = json.loads((tmp_path / "report.json").read_text())["comparison"]["means"]
    assert means["popularity"]["is_best"]
    assert "does not beat popularity; it is popularity" in out
