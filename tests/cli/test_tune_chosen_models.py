"""Which recommenders are tried, by `--models`."""

import json
import sys
from dataclasses import replace

import pytest
from threadpoolctl import threadpool_limits

from sklearn_rank import recommenders
from sklearn_rank._cli._tune_arguments import MODEL_NAMES
from sklearn_rank.experiments import _default_recommenders
from sklearn_rank.experiments._default_recommenders import RECOMMENDERS, Limit


def test_the_names_in_the_help_are_those_of_default_models():
    assert _default_recommenders.RECOMMENDER_NAMES == MODEL_NAMES


def test_both_popularities_are_baselines_whatever_is_tried(small_csv, run, tmp_path):
    options = ["--models", "ease, ease", "--folds", 1, "--output", tmp_path]
    code, out, _ = run("tune", small_csv, *options)
    assert code == 0
    table = out.partition("Candidates by")[2].partition("\n\n")[0]
    assert "popularity" not in table
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["options"]["models"] == ["ease"]
    half_lives, recencies = 3, 2
    assert len(report["candidates"]["candidate"]) == 4 + half_lives + recencies
    for name in ("popularity", "time_decayed_popularity"):
        assert report["models"][name]["means"]["ndcg@10"] > 0
        assert len(report["models"][name]["curve"]) == 20
    assert "model = EASERecommender(" in report["python"]


@pytest.mark.parametrize("model", ["popularity", "neighbors"])
def test_models_alone(small_csv, run, model):
    code, out, _ = run("tune", small_csv, "--models", model, "--folds", 1)
    assert code == 0
    assert "<- best" in out


def test_implicit_can_be_made_in_python(small_csv, run, tmp_path):
    from implicit.als import AlternatingLeastSquares

    options = ["--models", "implicit", "--folds", 1, "--output", tmp_path]
    code, _, err = run("tune", small_csv, *options)
    assert code == 0, err
    python = json.loads((tmp_path / "report.json").read_text())["python"]
    lines = python.partition("\nmodel.fit")[0].splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("model = "))
    found = {"AlternatingLeastSquares": AlternatingLeastSquares, **vars(recommenders)}
    with threadpool_limits(1):
        exec("\n".join(lines[start:]), found)
    assert found["model"].model.factors in {32, 128}


def test_implicit_may_be_missing(fails, small_csv, monkeypatch):
    monkeypatch.setitem(sys.modules, "implicit", None)
    message = fails(small_csv, "--models", "ease,implicit")
    assert "The model 'implicit' needs implicit, which is not installed" in message
    assert 'pip install "sklearn-rank[recommenders]"' in message


@pytest.mark.parametrize("names", ["eese", "", "ease,,popularity", "ease;popularity"])
def test_unknown_models(fails, names):
    message = fails("no.csv", "--models", names)
    assert "argument --models: got " in message
    assert "Valid: 'popularity', 'factorization'" in message


def test_a_model_left_out_is_named_on_the_screen(small_csv, run, monkeypatch):
    few = replace(RECOMMENDERS["ease"], limit=Limit(10))
    monkeypatch.setitem(RECOMMENDERS, "ease", few)
    code, out, _ = run("tune", small_csv, "--folds", 1)
    assert code == 0
    assert "Left out: EASE" in out
    assert "EASE, regularization" not in out
