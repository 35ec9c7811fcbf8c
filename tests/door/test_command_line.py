"""What people type into a shell who know other tools."""

import io
import json
import sys

import pandas as pd
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
    (record,) = json.loads(out)["metrics"]
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
    code, _, err = run(capsys, "compare", "-", "-", "--qrels", "test.tsv")
    assert "can be read once" in err


def test_judgments_of_beir_beside_a_run(folder, capsys):
    code, out, _ = run(capsys, "evaluate", "r.run", "test.tsv", "--metric", "mrr", "--json")
    assert (code, mean_of(out)) == (0, 0.5)
    # Beside a table they are a table.
    (folder / "beir.csv").write_text("query-id,corpus-id,rank\nq1,d1,1\n")
    columns = ("--user", "query-id", "--item", "corpus-id", "--rating", "score")
    command = ("evaluate", "beir.csv", "test.tsv", "--metric", "mrr", "--json", *columns)
    code, out, _ = run(capsys, *command)
    assert (code, mean_of(out)) == (0, 0.5)


def test_a_cell_of_several_ids_is_a_list(folder, capsys):
    command = ("evaluate", "cells.csv", "test.csv", "--metric", "mrr", "--json")
    code, out, err = run(capsys, *command)
    assert (code, mean_of(out)) == (0, 0.75)  # b is second, d is first
    assert "Each cell of cells.csv is read as a list of ids" in err
    pytest.importorskip("pyarrow")
    lists = pd.DataFrame({"user": ["u1", "u2", "u3"], "item": [["a", "b"], ["d"], None]})
    lists.to_parquet("lists.parquet")
    code, out, _ = run(capsys, "evaluate", "lists.parquet", *command[2:])
    assert (code, mean_of(out)) == (0, 0.75)


def test_cells_of_the_truth_are_lists_where_those_of_the_run_are(folder, capsys):
    (folder / "truth.csv").write_text("user,items\nu1,b c\nu2,e\n")
    command = ("--metric", "recall@2", "--json")
    code, out, err = run(capsys, "evaluate", "cells.csv", "truth.csv", *command)
    assert (code, mean_of(out)) == (0, 0.75)  # a, b of b, c; d, e of e
    assert "Each cell of truth.csv is read as a list of ids" in err
    # Beside lists in rows, a cell with a space is the name of one item.
    (folder / "truth.csv").write_text("user,item\nu1,b c\nu2,e\n")
    (folder / "rows.csv").write_text("user,item,rank\nu1,b c,1\nu2,d,1\n")
    code, out, err = run(capsys, "evaluate", "rows.csv", "truth.csv", *command)
    assert (code, mean_of(out)) == (0, 0.5)
    assert "list of ids" not in err


@pytest.mark.parametrize(
    "text",
    [
        "user,item\nu1,a b\nu1,c\n",  # a user in two rows
        "user,item\nu1,a\nu2,c\n",  # one id in each cell
        "user,prediction,other\nu1,a b,x\n",  # which column has the lists?
    ],
)
def test_other_tables_need_a_rank(folder, capsys, text):
    (folder / "other.csv").write_text(text)
    code, _, err = run(capsys, "evaluate", "other.csv", "test.csv")
    assert code == 2
    assert "has no column" in err


def test_a_damaged_parquet_file_is_named(folder, capsys):
    (folder / "bad.parquet").write_bytes(b"PAR1")
    code, _, err = run(capsys, "evaluate", "bad.parquet", "test.csv")
    assert code == 2
    assert "not a complete parquet file" in err


def test_json_instead_of_text(folder, capsys):
    truth = ("--truth", "test.csv", "--json")
    code, out, _ = run(capsys, "compare", "recs.csv", "lists.json", *truth)
    assert code == 0
    assert json.loads(out)["options"]["truth"] == "test.csv"
    command = ("gate", "--baseline", "recs.csv", "--candidate", "lists.json")
    code, out, _ = run(capsys, *command, "--margin", "0.01", *truth)
    found = json.loads(out)
    assert (code, found["verdict"]) == (2, "undecided")
    assert found["verdicts"][0]["metric"] == "ndcg@10"


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
    assert "with one of TEST and --qrels" in err


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
            ("evaluate", "a.csv", "b.csv", "--k", "5"),
            "unrecognized arguments: --k 5 (see sklearn-rank evaluate --help; usage: "
            "sklearn-rank evaluate [options] LISTS TEST or sklearn-rank evaluate [options] "
            "ROWS --query COL --rating COL --score COL)",
        ),
        (("evaluate",), "; usage: sklearn-rank evaluate [options] LISTS TEST or "),
        (("compare", "--runs", "a"), "usage: sklearn-rank compare [options] RUN RUN ...)"),
        (("nothing",), "(see sklearn-rank --help)"),
    ],
)
def test_an_error_names_the_help_of_the_command_and_its_form(capsys, arguments, said):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert said in err
