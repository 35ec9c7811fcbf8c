"""What people type into a shell who know other tools."""

import io
import json
import sys

import pytest

from sklearn_rank._cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "test.csv": "user,item\nu1,b\nu2,d\n",
        "recs.csv": "user,item,rank\nu1,b,1\nu1,c,2\nu2,e,1\n",
        "lists.json": '{"u1": ["b", "c"], "u2": ["d"]}',
        "cells.csv": "user,prediction\nu1,a b c\nu2,\"['d', 'e']\"\n",
        "test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n",
        "r.run": "q1 Q0 d1 1 3.0 x\nq1 Q0 d3 2 2.0 x\nq2 Q0 d9 1 1 x\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(capsys, *arguments):
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def type_in(monkeypatch, path):
    stdin = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)


def mean_of(out):
    (record,) = json.loads(out)["rows"]
    return record["mean"]


@pytest.mark.parametrize(("name", "mean"), [("recs.csv", 0.5), ("lists.json", 1.0)])
def test_the_standard_input(folder, monkeypatch, capsys, name, mean):
    type_in(monkeypatch, folder / name)
    code, out, _ = run(capsys, "evaluate", "-", "test.csv", "--metric", "mrr", "--json")
    assert (code, mean_of(out)) == (0, mean)
    type_in(monkeypatch, folder / "r.run")
    command = ("compare", "-", "r.run", "--qrels", "test.tsv", "--json")
    code, out, _ = run(capsys, *command)
    assert code == 0


def test_the_standard_input_is_read_once(folder, capsys):
    code, _, err = run(capsys, "evaluate", "-", "-")
    assert code == 2
    assert "can be read once" in err


def test_judgments_of_beir_beside_a_run(folder, capsys):
    code, out, _ = run(capsys, "evaluate", "r.run", "test.tsv", "--metric", "mrr", "--json")
    assert (code, mean_of(out)) == (0, 0.5)
    (folder / "beir.csv").write_text("query-id,corpus-id,rank\nq1,d1,1\n")
    command = ("evaluate", "beir.csv", "test.tsv", "--metric", "mrr", "--json")
    code, out, _ = run(capsys, *command)
    assert (code, mean_of(out)) == (0, 0.5)


def test_a_cell_of_several_ids_is_a_list(folder, capsys):
    (folder / "cells.csv").write_text("user,retrieved_ids\nu1,a;b c\nu2,\"['d', 'e']\"\n")
    (folder / "truth.csv").write_text("user,expected_items\nu1,b c\nu2,e;d\n")
    command = ("evaluate", "cells.csv", "truth.csv", "--metric", "mrr", "--json")
    code, out, _ = run(capsys, *command)
    assert (code, mean_of(out)) == (0, 0.75)  # "b c" is one id, and second


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("evaluate", "a", "b", "--values", "v.csv"), "Write -o FILE for --values."),
        (("evaluate", "a", "b", "--rating", "g"), "Write --grade FIELD for --rating."),
        (("gate", "a", "b", "--threshold", "1"), "Write --margin M (the largest loss)"),
        (("compare", "a", "b", "--golden", "g"), "or --truth GOLDEN for --golden."),
        (("evaluate", "a", "b", "-k", "5"), "Write -m ndcg@10 for -k."),
    ],
)
def test_options_of_other_tools_get_one_line(capsys, words, said):
    _, _, err = run(capsys, *words)
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.filterwarnings("always::UserWarning")
def test_json_instead_of_text(folder, capsys):
    truth = ("--truth", "test.csv", "--json")
    code, out, _ = run(capsys, "compare", "recs.csv", "lists.json", *truth)
    assert code == 0
    assert json.loads(out)["options"]["truth"] == "test.csv"
    command = ("gate", "--baseline", "recs.csv", "--candidate", "lists.json")
    code, out, _ = run(capsys, *command, "--margin", "0.01", *truth)
    found = json.loads(out)
    assert (code, found["verdict"]) == (0, "pass")
    assert found["rows"][0]["metric"] == "ndcg@10"


def test_a_run_passes_the_gate_against_itself(folder, capsys):
    command = ("gate", "--baseline", "recs.csv", "--candidate", "./recs.csv")
    code, out, _ = run(capsys, *command, "--truth", "test.csv", "--margin", "0")
    assert code == 0
    assert out == "pass: ndcg@10: identical on all 2 queries, margin 0\n"


def test_judgments_by_name(folder, capsys):
    options = ("--metric", "mrr", "--json")
    expected = run(capsys, "evaluate", "r.run", "test.tsv", *options)
    code, out, _ = run(capsys, "evaluate", "r.run", "--qrels", "test.tsv", *options)
    assert (code, mean_of(out)) == (0, mean_of(expected[1]))
    code, _, err = run(capsys, "evaluate", "r.run", "test.tsv", "--qrels", "test.tsv")
    assert code == 2
    assert "Name the golden set once: as GOLDEN, or with --truth." in err


def test_json_to_the_standard_output(folder, monkeypatch, capsys):
    end = ("--metric", "mrr")
    expected = run(capsys, "evaluate", "recs.csv", "test.csv", *end, "--json")
    command = ("evaluate", "recs.csv", "test.csv")
    assert run(capsys, *command, *end, "--json", "-") == expected
    assert run(capsys, *command, "--json", "-", *end) == expected
    # In front of files it is the standard input.
    type_in(monkeypatch, folder / "recs.csv")
    code, out, _ = run(capsys, "evaluate", *end, "--json", "-", "test.csv")
    assert (code, mean_of(out)) == (0, mean_of(expected[1]))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("evaluate", "a.csv", "b.csv", "--cutoff", "5"),
            "evaluate has no option --cutoff; sklearn-rank evaluate --help lists all.",
        ),
        (("evaluate",), "; usage: sklearn-rank evaluate [options] RESULTS [GOLDEN])"),
        (
            ("compare", "--runs", "a"),
            "compare has no option --runs; sklearn-rank compare --help lists all.",
        ),
        (("nothing",), "(see sklearn-rank --help)"),
    ],
)
def test_an_error_names_the_help_of_the_command_and_its_form(capsys, arguments, said):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert said in err
