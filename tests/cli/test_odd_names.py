"""Files with names that a terminal obeys, or that are not UTF-8."""

import json
import os
import shutil
import sys

import pytest

from sklearn_rank._cli._compared import name_runs

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems refuse such names"
)
OBEYED = "e\x1b[31m\n\u202e"
SHOWN = r"e\x1b[31m\n\u202e"
NOT_UTF_8 = os.fsdecode(b"caf\xe9")


@pytest.fixture
def folder(tmp_path, trec_files, monkeypatch):
    for name in ("old.run", "new.run", "qrels.txt", "new.csv", "qrels.csv"):
        shutil.copy(trec_files / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "shown"), [("e\x1b[31m\u202e", r"e\x1b[31m\u202e"), (NOT_UTF_8, r"caf\udce9")]
)
def test_runs_are_compared(run, folder, name, shown):
    (folder / "new.run").rename(folder / f"{name}.run")
    arguments = ["old.run", f"{name}.run", "--qrels", "qrels.txt"]
    code, out, err = run("compare", *arguments, "-o", "results.html")
    assert (code, err) == (0, "")
    for text in [out, (folder / "results.html").read_text()]:
        assert shown in text
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert run("compare", *arguments, "--baseline", name)[0] == 0
    gate = ["gate", "--baseline", "old.run", "--candidate", f"{name}.run"]
    more = ["--qrels", "qrels.txt", "--margin", "0.5", "--markdown", "said.md"]
    code, out, _ = run(*gate, *more)
    assert (code, "\x1b" in out) == (0, False)
    assert "\x1b" not in (folder / "said.md").read_text()


def test_errors_and_notes_have_escapes(run, fails, folder, small_csv, write):
    assert SHOWN.split(r"\n")[0] in fails(f"{OBEYED}.csv", command="tune")
    log = shutil.copy(small_csv, folder / f"{OBEYED}.csv")
    _, out, _ = run("split", log, "-o", "parts")
    assert f"{SHOWN}.csv" in out.replace("\n", "")
    table = write("user\x1b[2J,item\nu,i\n")
    message = fails(table, "--user", "user\x1b[2K", command="tune")
    assert "\x1b" not in message


def test_queries_have_escapes(run, folder, write):
    query = "a\x1b[31m::set-output\u202e"
    golden = write(json.dumps({query: ["x"]}), "golden.json")
    lists = write(json.dumps({query: ["x"]}), "lists.json")
    code, out, _ = run("evaluate", lists, golden, "-q", "-m", "mrr")
    assert (code, "\x1b" in out, "\u202e" in out) == (0, False, False)


def test_names_differ_in_any_case():
    paths = ["a\x1b.run", r"a\x1b.run"]
    assert list(name_runs(paths).values()) == paths
    names = list(name_runs(paths))
    assert all(name.isprintable() for name in names)
