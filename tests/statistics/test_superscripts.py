"""The table of papers: means with the letters of the models that each one beats."""

import re
import sys

import numpy as np
import pytest

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import ModelComparison, compare_candidates, compare_models
from sklearn_rank.statistics._paper_table import (
    LETTERS,
    find_beaten_models,
    write_superscripts,
)
from tests.statistics.examples import THREE_MODELS

pytest.importorskip("pandas")

FEW = pytest.mark.filterwarnings("ignore:.*queries; intervals")
N = 40
RNG = np.random.default_rng(0)
OLD = RNG.uniform(size=N)
CHANGE, OTHER = RNG.normal(0, 0.05, (2, N))
CHANGE -= CHANGE.mean()
MODELS = {"old": OLD, "worse_one": OLD - 0.1 + OTHER, "better": OLD + 0.1 + CHANGE}


@FEW
def test_all_pairs_after_correction():
    # Holm over three: B - A 0.0647, C - A 0.0023, C - B 0.1931.
    frame = compare_models(THREE_MODELS).superscripts()
    assert frame.index.tolist() == ["(a) A", "(b) B", "(c) C"]
    assert frame["score"].tolist() == ["0.4000", "0.4833", "0.5267ᵃ"]
    frame = compare_models(THREE_MODELS, correction=None).superscripts(digits=2)
    assert frame["score"].tolist() == ["0.40", "0.48ᵃ", "0.53ᵃ"]


@FEW
def test_with_a_baseline_only_that_is_beaten_or_beats():
    frame = compare_models(MODELS, baseline="old").superscripts()
    letters = [text.lstrip("0123456789.") for text in frame["score"]]
    assert letters == ["ᵇ", "", "ᵃ"]


def test_a_lower_error_wins_in_its_own_column():
    scores = {
        name: PerQueryScores(
            np.arange(N), {"ndcg@10": values, "mae": values}, lower_is_better={"mae"}
        )
        for name, values in MODELS.items()
    }
    frame = compare_models(scores).superscripts(markup="html")
    assert list(frame.columns) == ["ndcg@10", "mae"]
    assert [text.partition("<")[2] for text in frame["ndcg@10"]] == [
        "sup>b</sup>",
        "",
        "sup>ab</sup>",
    ]
    assert [text.partition("<")[2] for text in frame["mae"]] == [
        "sup>c</sup>",
        "sup>ac</sup>",
        "",
    ]


def test_a_one_sided_test_finds_one_side_only():
    found = compare_models(MODELS, baseline="old", alternative="greater")
    assert find_beaten_models(found) == {("score", "better"): ["old"]}


@pytest.mark.parametrize(("level", "wins"), [(0.95, True), (0.999999999, False)])
def test_the_level_decides(level, wins):
    models = {"a": OLD, "b": OLD + 0.012 + CHANGE / 2}
    found = compare_models(models, confidence_level=level)
    assert (found.superscripts().iloc[1, 0][-1] == "ᵃ") is wins


def test_the_table_in_latex():
    pytest.importorskip("jinja2")
    text = compare_models(MODELS).superscripts(markup="latex").to_latex()
    assert r"(b) worse\_one & " in text
    assert "$^{ab}$" in text


def test_latex_gets_no_command_from_a_name():
    models = {r"a\b": OLD, "50%_{x} & #1 $^~": OLD + CHANGE}
    frame = compare_models(models).superscripts(markup="latex")
    assert frame.index.tolist() == [
        r"(a) a\textbackslash b",
        r"(b) 50\%\_\{x\} \& \#1 \$\textasciicircum{}\textasciitilde{}",
    ]


def test_html_gets_no_tag_from_a_name():
    models = {"<script>alert(1)</script>": OLD, "a&b": OLD + CHANGE}
    table = compare_models(models).superscripts(markup="html").to_html(escape=False)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in table
    assert "a&amp;b" in table
    assert "<script" not in table


def test_the_table_in_markdown():
    pytest.importorskip("tabulate")
    lines = compare_models(MODELS).superscripts(digits=3).to_markdown().splitlines()
    assert lines[-1].split("|")[1].strip() == "(c) better"
    assert lines[-1].split("|")[2].strip().endswith("ᵃᵇ")


def test_candidates_of_a_search():
    folds = {"a": [0.1, 0.2, 0.3], "b": [0.4, 0.51, 0.59], "c": [0.2, np.nan, 0.1]}
    found = compare_candidates(folds, test_size=0.3, baseline="a")
    assert found.superscripts(digits=1)["score"].tolist() == ["0.2", "0.5ᵃ", "nan"]


def test_every_letter_has_a_superscript_of_its_own():
    assert len(set(write_superscripts(LETTERS, "unicode"))) == len(LETTERS)
    models = {f"m{i}": RNG.uniform(size=N) for i in range(len(LETTERS) + 1)}
    found = compare_models(models, baseline="m0")
    with pytest.raises(ValueError, match="26 models and 25 letters"):
        found.superscripts()


def test_bad_options_are_named():
    found = compare_models(MODELS)
    with pytest.raises(ValueError, match="markup"):
        found.superscripts(markup="tex")
    with pytest.raises(ValueError, match="digits"):
        found.superscripts(digits=-1)
    with pytest.raises(ValueError, match="`digits` must be 17 at most"):
        found.superscripts(digits=10**6)
    with pytest.raises(ValueError, match="no means"):
        ModelComparison(found.rows(), settings=found.settings).superscripts()


@FEW
def test_the_table_of_a_paper_in_latex():
    models = {}
    for name, values in zip(["a_b", "B&C", "C"], THREE_MODELS.values(), strict=True):
        columns = {"x%": values, "loss": np.negative(values)}
        labels = np.arange(len(values))
        models[name] = PerQueryScores(labels, columns, lower_is_better=["loss"])
    found = compare_models(models)
    lines = found.to_latex("Results.", "tab:results").splitlines()
    assert lines[:13] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Results.}",
        r"\label{tab:results}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & x\% & loss \\",
        r"\midrule",
        r"(a) a\_b & 0.4000 & -0.4000 \\",
        r"(b) B\&C & 0.4833 & -0.4833 \\",
        r"(c) C & \textbf{0.5267}$^{a}$ & \textbf{-0.5267}$^{a}$ \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    n = len(THREE_MODELS["A"])
    note = lines[15]
    assert rf"x\%, {n} queries; all pairs; t test, p corrected by Holm over 3." in note
    assert "loss (lower is better)" in note
    assert "Superscripts: the models that are worse, p at most 0.05." in note
    assert lines[16] == r"\end{table}"
    plain = found.to_latex()
    assert "caption" not in plain
    assert "label" not in plain
    with pytest.raises(TypeError, match="`caption` must be a text or None"):
        found.to_latex(caption=5)
    with pytest.raises(ValueError, match="no means of models"):
        ModelComparison(found.rows()).to_latex()


def test_four_models_share_letters_in_latex():
    models = {**MODELS, "alike": OLD + np.random.default_rng(1).normal(0, 0.01, N)}
    found = compare_models(models)
    letters = found.letters()
    text = found.to_latex()
    for model, letter in letters.items():
        name = model.replace("_", r"\_")
        assert re.search(
            rf"^{re.escape(name)} & .*\$\^\{{{letter}\}}\$", text, re.MULTILINE
        )
    assert "Models that share a letter do not differ, p above 0.05." in text
    assert "(a)" in compare_models(models, baseline="old").to_latex()


def test_latex_needs_no_other_package(monkeypatch):
    for name in ("pandas", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None)
    assert r"\toprule" in compare_models(MODELS).to_latex()
