"""No command writes into a file that it reads, or into a folder that it reads."""

import os

import pytest

from sklearn_rank._cli import main

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

OF_ROWS = ["--query", "q", "--rating", "y", "--score", "s"]
RUNS = ["one.csv", "two.csv"]
GATE = ["gate", "--baseline", *RUNS[:1], "--candidate", *RUNS[1:], "--margin", "1"]
# What is read, the command, and what it would write.
WRITERS = {
    "compare": (
        "two.csv",
        ["compare", *RUNS, "--truth", "log.csv", "-o", "."],
        "comparison.txt",
    ),
    "evaluate": ("log.csv", ["evaluate", "one.csv", "log.csv", "--values"], "new.csv"),
    "fuse": ("one.csv", ["fuse", *RUNS, "--force", "-o"], "new.csv"),
    "gate": ("log.csv", [*GATE, "--truth", "log.csv", "--markdown"], "new.md"),
    "picture": ("one.csv", ["evaluate", "one.csv", "log.csv", "--picture"], "new.png"),
    "rank": (
        "train.svm",
        ["rank", "train.svm", "--model", "pairwise", "-o", "."],
        "report.txt",
    ),
    "recommend": (
        "log.csv",
        ["recommend", "m", "--users", "log.csv", "--force", "-o"],
        "n.csv",
    ),
    "split": ("log.csv", ["split", "log.csv", "--force", "-o", "."], "train.csv"),
    "tune": ("log.csv", ["tune", "log.csv", "-o", "."], "report.json"),
    "tune --save": ("log.csv", ["tune", "log.csv", "--force", "--save"], "model"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a folder of rows, and files that all commands read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "F").mkdir()
    rows = pd.DataFrame({"q": [1, 1], "y": [0, 1], "s": [0.2, 0.1]})
    for part in (1, 2):
        rows.to_parquet(tmp_path / "F" / f"part{part}.parquet")
    text = "user,item,time,rank\n" + "".join(f"u{n},i{n},{n},1\n" for n in range(9))
    for name in ("log.csv", *RUNS):
        (tmp_path / name).write_text(text)
    (tmp_path / "train.svm").write_text("1 qid:1 1:1\n0 qid:1 1:0\n")
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


def test_case_14_a_part_of_a_folder(refuses):
    said = refuses("evaluate", "F", *OF_ROWS, "--values", "F/part1.parquet")
    assert "'F/part1.parquet' lies in 'F', which is an input; write to another" in said


@pytest.mark.parametrize("name", ["F/new.parquet", "F/../F/new.csv", "link/new.csv"])
def test_nothing_new_in_a_folder_that_is_read(folder, refuses, name):
    (folder / "link").symlink_to("F")
    said = refuses("evaluate", "F", *OF_ROWS, "--values", name)
    assert f"'{name}' lies in 'F', which is an input; write to another folder." in said
    said = refuses("evaluate", folder / "link", *OF_ROWS, "--values", "F/new.csv")
    assert "'F/new.csv' lies in" in said
    # The advice.
    arguments = ["evaluate", "F", *OF_ROWS, "--values", "new.csv"]
    assert main(arguments) == 0


def test_a_part_that_is_a_link(folder, refuses):
    (folder / "F" / "part1.parquet").rename(folder / "elsewhere.parquet")
    (folder / "F" / "part1.parquet").symlink_to(folder / "elsewhere.parquet")
    said = refuses("evaluate", "F", *OF_ROWS, "--values", "elsewhere.parquet")
    assert "'elsewhere.parquet' is an input" in said


@pytest.mark.parametrize("spill", ["F", "F/scratch"])
def test_scratch_files_in_a_folder_that_is_read(folder, refuses, spill):
    (folder / "F" / "scratch").mkdir()
    said = refuses("evaluate", "F", *OF_ROWS, "--spill", spill)
    assert f"'{spill}'" in said
    assert "is an input" in said


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("command", WRITERS)
def test_every_command(folder, refuses, command, link):
    read, arguments, name = WRITERS[command]
    link(folder / read, folder / name)
    written = [] if arguments[-1] == "." else [name]
    assert "is an input" in refuses(*arguments, *written)
