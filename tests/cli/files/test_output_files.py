"""Files that commands write: whole or not at all, and never one that they read."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.files._output_files import check_output, write_file, write_folder

GOLDEN = "".join(
    json.dumps({"query": f"q{n}", "expected_ids": [f"d{n}"]}) + "\n" for n in range(900)
)
OLD = "query,mrr\nq1,0.5\n"
LISTS = GOLDEN.replace("expected_ids", "retrieved")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "golden.jsonl").write_text(GOLDEN)
    (tmp_path / "lists.jsonl").write_text(LISTS)
    (tmp_path / "values.csv").write_text(OLD)
    return tmp_path


EVALUATE = ["evaluate", "lists.jsonl", "golden.jsonl", "-m", "mrr"]
UPDATE = ["gate", "lists.jsonl", "golden.jsonl", "-m", "mrr", "--update"]


def start(*arguments, **options):
    # -B: below a limit of file sizes Python would leave half of a compiled module.
    command = [sys.executable, "-B", "-m", "sklearn_rank", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


@pytest.mark.parametrize(
    ("command", "target", "code"),
    [
        ([*EVALUATE, "-o", "values.csv"], "values.csv", 2),
        ([*UPDATE, "--baseline", "values.csv"], "values.csv", 3),
    ],
)
def test_a_file_beyond_the_limit_leaves_the_old_one(files, command, target, code):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

    with start(*command, preexec_fn=limit) as process:
        _, err = process.communicate()
    assert process.returncode == code
    reason = f"Cannot write '{target}': File too large. The old file stays."
    assert err == f"sklearn-rank: error: {reason}\n"
    assert (files / target).read_text() == OLD
    assert len(list(files.iterdir())) == 3


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
@pytest.mark.parametrize(("command", "code"), [(EVALUATE, 2), (UPDATE, 3)])
def test_a_full_disk_is_one_line(files, command, code):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sklearn_rank", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == code
    assert done.stderr.startswith("sklearn-rank: error: Cannot print: No space left")
    assert done.stderr.count("\n") == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command", [[*EVALUATE, "-o", "values.csv"], [*UPDATE, "--baseline", "values.csv"]]
)
def test_kills_leave_the_old_file_or_the_new_one(files, command):
    """Seven kills: what is asserted does not depend on how far the command came."""
    started = time.monotonic()
    with start(*command) as process:
        process.communicate()
    took = time.monotonic() - started
    new = (files / "values.csv").read_text()
    assert new != OLD
    for share in np.linspace(0.5, 1, 7):
        (files / "values.csv").write_text(OLD)
        with start(*command) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(share * took)
            process.kill()
        assert (files / "values.csv").read_text() in (OLD, new)
    names = {"golden.jsonl", "lists.jsonl", "values.csv"}
    rest = {path.name for path in files.iterdir()} - names
    assert all(name.startswith(".values.csv.") for name in rest)


@pytest.mark.parametrize("moment", ["os.fsync", "os.replace"])
def test_a_kill_at_the_worst_moment(files, moment):
    code = f"import os; {moment} = lambda *_: os.kill(os.getpid(), 9)\n"
    code += f"from sklearn_rank._cli import main; main({[*EVALUATE, '-o', 'values.csv']})"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert (files / "values.csv").read_text() == OLD


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_devices_are_written_into_and_never_replaced(files, monkeypatch, run):
    def refuse(*paths):
        raise AssertionError(paths)

    run(*EVALUATE)  # loads the command: Python moves compiled modules by os.replace, too
    monkeypatch.setattr(os, "replace", refuse)
    for path in ("/dev/full", "/dev/null", "-"):
        code, out, err = run(*EVALUATE, "-o", path)
        assert out.startswith("query,mrr\n") == (path == "-")
        assert code == (2 if path == "/dev/full" else 0)
        expected = "sklearn-rank: error: Cannot write '/dev/full': No space left on device"
        assert err.startswith(expected if code else "")
        assert err.count("\n") == bool(code)


def test_a_pipe_is_written_into(files):
    os.mkfifo("pipe")
    with open(os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)) as pipe:
        with start(*EVALUATE, "-o", "pipe") as process:
            assert process.wait() == 0
        assert pipe.readline() == "query,mrr\n"
        assert len(pipe.readlines()) == 900
    assert not os.path.isfile("pipe")


def test_of_a_link_the_target_is_replaced(files):
    os.symlink("values.csv", "link.csv")
    check_output("link.csv")
    write_file("link.csv", b"new")
    assert os.path.islink("link.csv")
    assert (files / "values.csv").read_text() == "new"


@pytest.mark.parametrize("path", ["golden.jsonl", "./golden.jsonl", "link"])
def test_an_input_is_never_an_output(files, path):
    os.symlink("golden.jsonl", "link")
    with pytest.raises(InputError, match="is an input and is never overwritten"):
        check_output(path, ["golden.jsonl"])
    with pytest.raises(InputError, match=r"lies in .* which is an input"):
        check_output(path, [str(files)])


def test_what_cannot_be_written_is_known_before_the_work(files):
    with pytest.raises(InputError, match="there is no folder"):
        check_output("missing/values.csv")
    with pytest.raises(InputError, match="Is a directory"):
        check_output(str(files))
    check_output("missing/values.csv", makes_folder=True)
    check_output("-", ["-"])
    check_output(None)


def test_a_folder_has_files_of_one_run(files):
    names = ["a.csv", "b.csv"]
    assert write_folder("out", {"a.csv": b"1", "b.csv": b"2"}, names) == []
    assert write_folder("out", {"a.csv": b"3"}, names) == ["b.csv"]
    assert [path.read_bytes() for path in (files / "out").iterdir()] == [b"3"]


def test_lists_of_the_winner(run, small_csv, tmp_path):
    users, lists = tmp_path / "users.txt", tmp_path / "lists.csv"
    users.write_text("3\n1\n")
    options = ["--models", "popularity", "--folds", 1, "-n", 2, "--users", users]
    code, out, err = run("tune", small_csv, *options, "--lists", lists)
    assert (code, err) == (0, "")
    assert f"Wrote the lists of 2 users to {lists}." in out
    names, *rows = lists.read_text().splitlines()
    assert names == "user,item,rank,score"
    assert [row.split(",")[0] for row in rows] == ["3", "3", "1", "1"]
    assert run("evaluate", lists, small_csv, "--rank", "rank", "-m", "mrr")[0] == 0


def test_a_new_file_in_a_folder_that_is_read_only(tmp_path, monkeypatch):
    (tmp_path / "old.csv").write_text(OLD)
    # Root may write into any folder, whatever its mode.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(
        InputError, match=r"Cannot write .*new\.csv': the folder .* is read"
    ):
        check_output(str(tmp_path / "new.csv"))
    check_output(str(tmp_path / "old.csv"))
