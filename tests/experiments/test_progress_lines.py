"""What a search writes while it runs."""

import re
import sys

import pytest

from sklearn_rank.experiments import _progress_lines, evaluate_models, tune_models
from sklearn_rank.metrics._core._registry import parse_metric
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender
from tests.experiments.models import Broken

MODELS = {
    "popularity": PopularityRecommender(),
    "ease": (EASERecommender(), {"regularization": [10, 100]}),
}


def tune(log, **options):
    return tune_models(log, time="time", models=MODELS, refit=False, **options)


def test_nothing_is_written_by_default(log, capsys):
    tune(log, n_splits=1)
    assert capsys.readouterr() == ("", "")


def test_a_line_per_model_where_there_is_no_terminal(log, capsys):
    tuned = tune(log, verbose=1)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    best = tuned.cv_results_["mean_test_score"][1:].max()
    assert any(line.endswith(f"ease: ndcg@10 {best:.4f} (best of 2)") for line in lines)
    tuning, judging = (
        [line for line in lines if line.startswith(word)]
        for word in ("Tuning", "Evaluating")
    )
    # Time-decayed popularity is added; a last line says that all is done.
    assert len(tuning) == len(judging) == 4
    n = len(tuned.candidates) * 3
    assert re.match(r"Tuning: (\d+) of \1, after \d+ s", tuning[-1])
    assert int(tuning[-1].split()[1]) > n
    for line in judging[:-1]:
        name = line.split()[4].removesuffix(":")
        assert line.endswith(f"{name}: ndcg@10 {tuned.means[name]['ndcg@10']:.4f}")


@pytest.mark.parametrize("search", ["grid", "halving"])
def test_a_line_per_candidate_and_fold(log, capsys, search):
    steps = []
    tuned = tune(log, verbose=2, search=search, progress=lambda **step: steps.append(step))
    lines = capsys.readouterr().err.splitlines()
    tuning = [line for line in lines if line.startswith("Tuning")]
    assert len(tuning) == len(steps) + 1
    first = tuned.cv_results_["split2_test_score"][1]
    assert f"{tuned._search.candidates[1].words}, fold 3: ndcg@10 {first:.4f}" in "".join(
        tuning
    )


def test_lines_change_neither_the_order_nor_the_result(log, capsys):
    silent, told = tune(log), tune(log, verbose=2)
    assert str(silent) == str(told)
    scores = "mean_test_score"
    assert (silent.cv_results_[scores] == told.cv_results_[scores]).all()


def test_a_failure_is_written(log, capsys):
    with pytest.warns(UserWarning, match="1 of its candidates failed"):
        tune_models(log, time="time", models={**MODELS, "broken": Broken()}, verbose=1)
    assert "broken: failed" in capsys.readouterr().err


def test_one_line_that_is_renewed_on_a_terminal(log, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    tune(log, verbose=1)
    drawn = capsys.readouterr().err
    assert drawn.count("\n") == 2  # of the search, and of the evaluation
    parts = drawn.replace("\n", "").split("\r")[1:]
    assert {len(part) for part in parts} == {39}
    assert parts[0].startswith("Tuning: 1 of ")


def test_a_fitted_model_is_written_when_it_is_judged(log, capsys):
    is_late = log["time"] > log["time"].quantile(0.8)
    train, test = log[~is_late], log[is_late]
    models = {
        "popular": PopularityRecommender().fit(train),
        "ease": EASERecommender().fit(train),
    }
    found = evaluate_models(models, test, verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines[0].endswith(
        f"of 2, popular: ndcg@10 {found.means['popular']['ndcg@10']:.4f}"
    )
    evaluate_models(models, test)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("verbose", [3, -1, "1", None])
def test_a_wrong_number(log, verbose):
    with pytest.raises(ValueError, match="verbose"):
        tune(log, verbose=verbose)
    with pytest.raises(ValueError, match="verbose"):
        evaluate_models({"popular": PopularityRecommender().fit(log)}, log, verbose=verbose)


def test_a_line_comes_at_least_every_half_minute(capsys, monkeypatch):
    now = 0.0
    monkeypatch.setattr(_progress_lines, "monotonic", lambda: now)
    lines = _progress_lines.ProgressLines(1, parse_metric("rmse"))
    lines.begin("Tuning", {"slow": 6})
    for step in range(6):
        now += 20
        lines.add("slow", f"candidate {step // 2}", 2.0 + step, share=(step + 1) / 6)
    lines.end()
    assert capsys.readouterr().err.splitlines() == [
        "Tuning: 2 of 6, about 80 s left",
        "Tuning: 4 of 6, about 40 s left",
        "Tuning: 6 of 6, slow: rmse 2.5000 (best of 3)",
        "Tuning: 6 of 6, after 2 min",
    ]
