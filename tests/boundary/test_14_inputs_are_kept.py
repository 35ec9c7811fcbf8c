"""No command writes into a file that it reads, or into a folder that it reads."""

import os

import pytest

from sklearn_rank._cli import main

pytest.importorskip("pandas")

RUNS = ["one.csv", "two.csv"]
GATE = ["gate", "--baseline", *RUNS[:1], "--candidate", *RUNS[1:], "--margin", "1"]
# What is read, the command, and what it would write.
WRITERS = {
    "compare": ("log.csv", ["compare", *RUNS, "--truth", "log.csv", "-o"], "new.csv"),
    "evaluate": ("log.csv", ["evaluate", "one.csv", "log.csv", "-o"], "new.csv"),
    "fuse": ("one.csv", ["fuse", *RUNS, "-o"], "new.csv"),
    "gate": ("log.csv", [*GATE, "--truth", "log.csv", "--markdown"], "new.md"),
    "picture": ("one.csv", ["evaluate", "one.csv", "log.csv", "--picture"], "new.png"),
    "split": ("log.csv", ["split", "log.csv", "--force", "-o", "."], "train.csv"),
    "tune": ("log.csv", ["tune", "log.csv", "-o", "."], "report.json"),
    "tune --save": ("log.csv", ["tune", "log.csv", "--force", "--save"], "model"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a folder of rows, and files that all commands read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "F" / "qrels").mkdir(parents=True)
    qrels = "query-id\tcorpus-id\tscore\nu1\ti1\t1\n"
    (tmp_path / "F" / "qrels" / "test.tsv").write_text(qrels)
    text = "user,item,time,rank\n" + "".join(f"u{n},i{n},{n},1\n" for n in range(9))
    for name in ("log.csv", *RUNS):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def refuses(folder, capsys):
    """Run a command that must fail and change nothing; return what it says."""

    def it_refuses(*arguments):
        before = _bytes_in(folder)
        code = main(list(map(str, arguments)))
        assert code == (3 if arguments[0] == "gate" else 2)
        assert _bytes_in(folder) == before
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    return it_refuses


def _bytes_in(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["F/qrels/test.tsv", "F/new.csv", "link/new.csv"])
def test_nothing_in_a_folder_that_is_read(folder, refuses, name):
    """A folder of BEIR is read whole."""
    (folder / "link").symlink_to("F")
    said = refuses("evaluate", "one.csv", "F", "-o", name)
    assert f"'{name}' lies in 'F', which is an input; write to another folder." in said
    # The advice.
    assert main(["evaluate", "one.csv", "F", "-o", "new.csv"]) == 0


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("command", WRITERS)
def test_every_command(folder, refuses, command, link):
    read, arguments, name = WRITERS[command]
    link(folder / read, folder / name)
    written = [] if arguments[-1] == "." else [name]
    assert "is an input" in refuses(*arguments, *written)
