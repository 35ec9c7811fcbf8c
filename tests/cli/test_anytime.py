"""Looks at any time, of `gate --anytime` and `compare --test anytime`."""

import pytest

from sklearn_rank.inputs import from_trec
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models


@pytest.fixture
def look(run, trec_files, write):
    """Run the gate on the lists of the first queries that each run answers."""

    def run_gate(candidate, n_old, n_new, *options):
        paths = []
        for name, n in (("old", n_old), (candidate, n_new)):
            lines = (trec_files / f"{name}.run").read_text().splitlines()
            queries = list(dict.fromkeys(line.split()[0] for line in lines))[:n]
            kept = [line for line in lines if line.split()[0] in queries]
            paths.append(write("\n".join(kept), f"look_{len(paths)}_{name}.run"))
        runs = ["--baseline", paths[0], "--candidate", paths[1]]
        qrels = ["--qrels", trec_files / "qrels.txt"]
        return run("gate", *runs, *qrels, "--anytime", *options)

    return run_gate


def values_of(trec_files, name):
    rows = from_trec(trec_files / "qrels.txt", trec_files / f"{name}.run")
    return per_query_scores(**rows, metrics="ndcg@10")


def test_gate_has_the_interval_of_any_time(look, trec_files):
    scores = {name: values_of(trec_files, name) for name in ("old", "new")}
    row = compare_models(scores, baseline="old", test="anytime").row("new")
    code, out, err = look("new", 60, 60, "--margin", 0.3)
    assert f"[{row.low:+.4f}, {row.high:+.4f}], margin 0.3, 60 queries" in out
    assert (code, err) == (0, "")


def test_queries_that_no_run_answers_are_not_evaluated_yet(look):
    code, out, err = look("new", 20, 20, "--margin", 0.01)
    assert code == 2
    assert "20 queries" in out
    text = " ".join(err.split())
    assert "has no list for 40 of 60 queries" in text
    assert text.count("they are not evaluated yet, and left out") == 2
    assert "empty lists" not in text
    assert "without judgments" not in text


def test_a_query_that_one_run_answers_is_an_error(look):
    code, _, err = look("new", 30, 29, "--margin", 0.01)
    assert code == 3
    assert "queries" in err


def test_identical_runs_pass_only_when_all_queries_are_there(look):
    code, out, _ = look("old", 20, 20, "--margin", 0.01)
    assert code == 2
    assert out.startswith("undecided")
    code, out, _ = look("old", 60, 60, "--margin", 0.01)
    assert code == 0
    assert out == "pass: ndcg@10: identical on all 60 queries, margin 0.01\n"


def test_compare_at_any_time(run, trec_files):
    runs = [trec_files / f"{name}.run" for name in ("old", "new")]
    given = [*runs, "--qrels", trec_files / "qrels.txt", "--test", "anytime"]
    code, out, _ = run("compare", *given)
    assert code == 0
    assert "bets, valid at any time" in " ".join(out.split())
    code, _, err = run("compare", *given, "--correction", "max_t")
    assert code == 2
    assert "it does not go with --test 'anytime'; use 'holm' or 'bonferroni'" in err
