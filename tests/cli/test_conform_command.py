"""Cases for metrics in any language, and the answers of programs to them."""

import json
import subprocess
import sys
from math import isnan, log2

import pytest

from sklearn_rank.metrics._results._conformance import (
    METRICS,
    conformance_vectors,
    judge_answers,
)
from tests.metrics.results.test_planted_faults import FAULTS, ndcg, of_lists

CASES = conformance_vectors()["cases"]


def answers_of(tool):
    """Return the right answers of a tool, where it has any."""
    answers = {}
    for case in CASES:
        values = {m: case["expect"][m].get(tool) for m in METRICS}
        answers[case["id"]] = {m: v for m, v in values.items() if tool in case["expect"][m]}
    return answers


@pytest.fixture
def judge(run, tmp_path):
    def judge_it(answers, *options):
        path = tmp_path / "answers.json"
        path.write_text(answers if isinstance(answers, str) else json.dumps(answers))
        return run("conform", path, *options)

    return judge_it


def test_the_cases_are_printed_and_always_the_same(run):
    code, out, err = run("conform")
    assert (code, err) == (0, "")
    assert json.loads(out) == conformance_vectors()
    command = [sys.executable, "-m", "sklearn_rank", "conform"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == out
    assert len(CASES) == 284
    assert len(out) < 300_000
    (first,) = [case for case in CASES if case["id"] == "c100"]
    assert set(first) == {"id", "k", "truth", "list", "expect"}
    kinds = [
        any(case["truth"] == {} for case in CASES),
        any(case["list"] == [] for case in CASES),
        any(len({score for _, score in c["list"]}) < len(c["list"]) for c in CASES),
        any(len({name for name, _ in c["list"]}) < len(c["list"]) for c in CASES),
    ]
    assert all(kinds)


def test_by_hand():
    """The first list of one hit at rank 2 for two relevant documents of grade 1."""
    shown = 0
    for case in CASES:
        hits = [case["truth"].get(name, 0) for name, _ in case["list"]]
        is_plain = len({score for _, score in case["list"]}) == len(case["list"])
        is_plain &= len({name for name, _ in case["list"]}) == len(case["list"])
        if is_plain and case["truth"] and case["list"] and {*case["truth"].values()} == {1}:
            k, n = case["k"], min(len(case["truth"]), case["k"])
            best = sum(1 / log2(rank + 1) for rank in range(1, n + 1))
            found = sum(hit / log2(rank + 2) for rank, hit in enumerate(hits[:k]))
            assert case["expect"]["ndcg"]["sklearn_rank"] == pytest.approx(found / best)
            precision = case["expect"]["precision"]
            assert precision["trec_eval"] == pytest.approx(sum(hits[:k]) / k)
            assert precision["mlflow"] == pytest.approx(sum(hits[:k]) / min(k, len(hits)))
            shown += 1
    assert shown > 50


@pytest.mark.parametrize("tool", ["sklearn_rank", "trec_eval", "mlflow", "llama_index"])
def test_right_answers(judge, tool):
    code, out, _ = judge(answers_of(tool), "--convention", tool)
    assert code == 0
    assert all(f"right ({tool})" in line for line in out.splitlines())
    if tool == "sklearn_rank":
        assert out.splitlines()[0] == "ndcg: 284 of 284 right (sklearn_rank)"


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught_and_named(name):
    metric, value = FAULTS[name]
    answers = {}
    for case in CASES:
        answer = value(case["truth"], [tuple(row) for row in case["list"]], case["k"])
        answers[case["id"]] = {metric: None if isnan(answer) else float(answer)}
    (judged,) = judge_answers(answers)
    assert judged.wrong
    if name != "duplicates='first'":  # as ours
        assert name in judged.text, judged.text


def test_a_fault_at_all_cutoffs(judge):
    right = answers_of("sklearn_rank")
    answers = {}
    for case in CASES:
        score = of_lists(ndcg, ideal="list", k=case["k"])
        is_plain = len({score for _, score in case["list"]}) == len(case["list"])
        value = score(case["truth"], [tuple(row) for row in case["list"]])
        if case["truth"] and is_plain:
            answers[case["id"]] = {"ndcg": float(value), "mrr": right[case["id"]]["mrr"]}
    code, out, _ = judge(answers)
    assert code == 1
    ndcg_line, mrr_line = out.splitlines()
    assert "wrong (sklearn_rank), the first c" in ndcg_line
    assert "ideal='list' gives all answers" in ndcg_line
    assert mrr_line.startswith("mrr: ")


def test_what_is_missing_counts_as_left_out(judge):
    answers = answers_of("sklearn_rank")
    undefined = [name for name, case in answers.items() if case["mrr"] is None]
    for name in undefined:
        del answers[name]["mrr"]
    assert judge(answers)[0] == 0
    for name in undefined:
        answers[name]["mrr"] = 0
    code, out, _ = judge({name: {"mrr": case["mrr"]} for name, case in answers.items()})
    assert code == 1
    n = len(undefined)
    assert (
        f"mrr: {n} of 284 wrong (sklearn_rank), the first {undefined[0]}: 0 for left out"
        in (out)
    )
    assert "Queries without a relevant item count 0." in out


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("{", "is not JSON"),
        ("[1]", "The answers must be an object such as"),
        ({}, "The answers must be an object such as"),
        ({"x1": {"ndcg": 1}}, "There is no case 'x1'"),
        ({"c000": {"nDCG": 1}}, "answers 'nDCG'; choose one of ndcg, recall"),
        ({"c000": {"ndcg": "1"}}, "has '1' as ndcg; give a number, or null"),
    ],
)
def test_bad_answers_end_with_2(judge, answers, message):
    code, _, err = judge(answers)
    assert code == 2
    assert message in err


def test_bad_options(judge, run):
    code, _, err = judge({"c000": {"ndcg": 1}}, "--convention", "mlfow")
    assert code == 2
    assert "Did you mean 'mlflow'" in err
    code, _, err = judge({"c000": {"map": 1}}, "--convention", "mlflow")
    assert (code, "mlflow has no map" in err) == (2, True)
    assert run("conform", "nowhere.json")[0] == 2
