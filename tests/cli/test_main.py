"""What holds for every command: help, exit codes, and where nothing can be printed."""

import errno
import io
import os
import subprocess
import sys
import zipfile

import pytest

from sklearn_rank import _cli
from sklearn_rank._cli import _commands, _named_metrics, _tune_command


@pytest.mark.parametrize("arguments", [[], ["tuna"]])
def test_command_is_required(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "COMMAND" in err


def test_a_short_name_of_a_command(run):
    error = "sklearn-rank: error: Write evaluate for eval.\n"
    assert run("eval", "lists.run", "qrels.txt") == (2, "", error)


def test_without_pandas_says_what_to_install(fails, monkeypatch):
    monkeypatch.setattr(_commands, "find_spec", lambda name: None)
    assert 'pip install "sklearn-rank[cli]"' in fails()


@pytest.mark.parametrize("arguments", [["--help"], ["tune", "--help"], ["--version"]])
def test_help_is_no_error(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        _cli.main(arguments)
    assert stop.value.code == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("error", [ValueError, TypeError, OverflowError])
def test_whatever_is_wrong_with_a_metric_is_one_line(fails, monkeypatch, error):
    def wrong(*args, **kwargs):
        raise error("it is\nno metric")

    monkeypatch.setattr(_named_metrics, "parse_metric", wrong)
    assert "--metric mrr: it is no metric" in fails("log.csv", "--metric", "mrr")
    monkeypatch.undo()
    monkeypatch.setattr(_named_metrics, "per_query_scores", wrong)
    assert "--metric mrr: it is no metric" in fails("log.csv", "--metric", "mrr")


@pytest.mark.parametrize("arguments", [["x" * 5000], ["log.csv", "--models", "x" * 5000]])
def test_long_values_are_cut(fails, arguments):
    message = fails(*arguments)
    assert "xxx..." in message
    assert len(message) < 600


def test_too_little_memory(fails, small_csv, monkeypatch):
    def allocate(*args, **options):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(_tune_command, "plan_search", allocate)
    assert "not enough memory. Unable to allocate 9 TiB" in fails(small_csv)


def test_a_path_that_is_no_text(small_csv, run, tmp_path):
    path = tmp_path / "log\udcff.csv"
    path.write_bytes(small_csv.read_bytes())
    folder = tmp_path / "results\udcff"
    options = ["--models", "popularity", "--folds", 1, "--output", folder]
    code, out, err = run("tune", path, *options)
    assert code == 0, err
    assert r"log\udcff.csv" in out
    assert r"log\udcff.csv" in (folder / "report.txt").read_text()


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("tune", "--user"),
        ("tune", "--output"),
        ("split", "--time"),
        ("evaluate", "--by"),
        ("compare", "--baseline"),
        ("gate", "--markdown"),
        ("fuse", "--rank"),
    ],
)
def test_a_variable_that_is_not_set(run, command, name):
    for given in ([f"{name}="], [name, ""]):
        code, _, err = run(command, *given)
        assert code == (3 if command == "gate" else 2)
        assert f"{name}: needs a text, got ''; name one, or leave it out (see" in err


def test_no_place_to_print(capfd, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)  # as a shell's >&- leaves it
    with pytest.raises(SystemExit, match="0"):
        _cli.main(["gate", "--help"])
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: sklearn-rank gate")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_nowhere_to_print(capfd, monkeypatch, small_csv):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert _cli.main(["tune", str(small_csv)]) == 2
    error = "sklearn-rank: error: Cannot print: No space left on device."
    assert capfd.readouterr().err.splitlines() == [error]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_what_cannot_be_printed_is_still_written(capfd, monkeypatch, small_csv, tmp_path):
    files = ["--output", str(tmp_path / "out"), "--save", str(tmp_path / "model")]
    options = ["--models", "popularity", "--folds", "1"]
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert _cli.main(["tune", str(small_csv), *options, *files]) == 2
    error = capfd.readouterr().err.splitlines()[-1]
    assert error == (
        "sklearn-rank: error: Cannot print: No space left on device. "
        "The files were written."
    )
    assert len(list((tmp_path / "out").iterdir())) == 5
    assert "The tuned model" in (tmp_path / "out" / "report.txt").read_text()
    assert (tmp_path / "model").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("has_files", [True, False])
def test_a_pager_that_was_quit(small_csv, tmp_path, has_files):
    command = [sys.executable, "-m", "sklearn_rank", "tune", str(small_csv)]
    command += ["--models", "popularity", "--folds", "1"]
    if has_files:
        command += ["--output", str(tmp_path / "out")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        lines = process.stderr.read().splitlines()
    assert process.returncode == 141
    assert not lines
    assert (tmp_path / "out" / "report.json").exists() is has_files


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("arguments", [["--help"], ["tune", "--help"], ["--version"]])
def test_a_help_text_that_nobody_reads(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    # As by default: what is printed waits.
    environment = {**os.environ, "PYTHONUNBUFFERED": ""}
    command = [sys.executable, "-m", "sklearn_rank", *arguments]
    ran = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, env=environment, check=False
    )
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (141, b"")


class Full(io.StringIO):
    def write(self, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("stream", [None, Full()])
def test_nowhere_to_complain(monkeypatch, stream, small_csv):
    monkeypatch.setattr(sys, "stderr", stream)
    options = ["--models", "popularity", "--folds", "1"]
    assert _cli.main(["tune", str(small_csv), *options]) == 0
    assert _cli.main(["tune", "no such file"]) == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_disk_below_a_short_command(capfd, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert _cli.main(["skill"]) == 2
    error = "sklearn-rank: error: Cannot print: No space left on device."
    assert capfd.readouterr().err.splitlines() == [error]


def test_a_metric_that_needs_more_than_relevance(run):
    for name in ("novelty@10", "coverage@10"):
        code, _, err = run("tune", "--metric", name)
        assert code == 2
        assert f"--metric {name} needs more than grades and scores" in err


@pytest.mark.parametrize(("command", "code"), [("gate", 3), ("tune", 2)])
@pytest.mark.parametrize("shown", ["0", "1"])
def test_a_defect_has_the_code_of_an_error(command, code, shown, monkeypatch, capsys):
    def fail(options):
        raise NotImplementedError("no\x1b such\nmethod")

    monkeypatch.setattr(_cli, "_parse", fail)
    # A process with threads of other tests would end at once.
    monkeypatch.setattr(_cli.threading, "active_count", lambda: 1)
    monkeypatch.setattr(sys, "argv", ["sklearn-rank", command])
    monkeypatch.setenv("SKLEARN_RANK_TRACEBACK", shown)
    with pytest.raises(SystemExit) as stop:
        _cli.run_program()
    assert stop.value.code == code
    *trace, line = capsys.readouterr().err.splitlines()
    assert line.startswith(r"sklearn-rank: error: NotImplementedError: no\x1b such method")
    assert "SKLEARN_RANK_TRACEBACK=1" in line
    assert bool(trace) == (shown == "1")


def test_a_zip_that_python_cannot_unpack_is_no_verdict(tmp_path):
    path = tmp_path / "old.run.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("old.run", "q1 Q0 d1 1 2.5 mine\n" * 3)
    data = path.read_bytes()
    entry = data.rindex(b"PK\x01\x02")
    path.write_bytes(data[: entry + 10] + b"\x63\x00" + data[entry + 12 :])  # AES
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    runs = ["--baseline", path, "--candidate", path, "--qrels", tmp_path / "qrels"]
    done = subprocess.run(
        [sys.executable, "-m", "sklearn_rank", "gate", *runs, "--margin", "0.1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "old.run.zip': it has a password, or a kind of packing" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_skill_is_printed(run):
    code, out, err = run("skill")
    assert (code, err) == (0, "")
    assert out.startswith("---\nname: sklearn-rank\n")
    assert "sklearn-rank gate results.jsonl golden.jsonl" in out
