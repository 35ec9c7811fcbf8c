"""How a file is written: privately, and whole or not at all."""

import ast
import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import sklearn_rank
from sklearn_rank._base._files import atomic_file
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.files._output_files import check_output, write_folder
from sklearn_rank._display._page import write_page
from sklearn_rank.inputs import from_files, to_trec
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.recommenders import PopularityRecommender, save_model

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def write_file(target):
    with atomic_file(target) as file:
        file.write(b"new")
        (unfinished,) = (path for path in target.parent.iterdir() if path != target)
        return mode_of(unfinished)


@pytest.fixture
def mask():
    """The mask that most systems give to users."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("mask")
def test_an_unfinished_file_is_private_and_a_new_one_has_the_usual_mode(tmp_path):
    target = tmp_path / "model.zip"
    assert write_file(target) == 0o600
    assert mode_of(target) == 0o644


@pytest.mark.usefixtures("mask")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    target = tmp_path / "report.html"
    target.write_bytes(b"old")
    target.chmod(mode)
    assert write_file(target) == 0o600
    assert target.read_bytes() == b"new"
    assert mode_of(target) == mode


@pytest.mark.usefixtures("mask")
def test_files_of_a_set_keep_their_modes(tmp_path):
    secret, public = tmp_path / "a.csv", tmp_path / "b.csv"
    secret.write_bytes(b"old")
    secret.chmod(0o600)
    write_folder(str(tmp_path), {"a.csv": b"1", "b.csv": b"2"}, ["a.csv", "b.csv"])
    assert (mode_of(secret), mode_of(public)) == (0o600, 0o644)


def test_a_drive_without_modes_is_written_to(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refuse)
    write_folder(str(tmp_path), {"a.csv": b"1"}, ["a.csv"])
    assert (tmp_path / "a.csv").read_bytes() == b"1"


def test_what_fails_in_the_middle_leaves_the_old_file_alone(tmp_path):
    target = tmp_path / "model.zip"
    target.write_bytes(b"old")
    with pytest.raises(TypeError), atomic_file(target) as file:
        file.writelines([b"half", None])
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [
        ("model.zip", b"old")
    ]


# Each way in which the package writes a file that a user names.
RUN = {f"q{number}": ["d1", "d2"] for number in range(2000)}


def write_run(path):
    to_trec(RUN, path)


def write_html(path):
    write_page("page " * 10_000, path)


def write_model(path):
    save_model(PopularityRecommender().fit([["ann", "tea"]]), path)


def write_baseline(path):
    from sklearn_rank._pytest_plugin import _write_values

    _write_values(Path(path), [PerQueryScores([*RUN], {"mrr": [0.5] * len(RUN)})])


def write_bytes(path):
    with atomic_file(path) as file:
        file.write(b"new" * 10_000)


WAYS = [write_run, write_html, write_baseline, write_bytes, write_model]
WAYS_INTO_STREAMS = WAYS[:-1]


@pytest.fixture
def never_replaced(monkeypatch):
    """Let no file be moved: as root a wrong move breaks the machine."""

    def refuse(*args):
        raise AssertionError(args)

    for name in ("replace", "rename", "link"):
        monkeypatch.setattr(os, name, refuse)


@pytest.mark.usefixtures("never_replaced")
@pytest.mark.parametrize("write", WAYS_INTO_STREAMS)
@pytest.mark.parametrize("path", ["/dev/null", "//dev/null", "/dev/../dev/null"])
def test_a_device_is_written_into(write, path):
    before = os.stat("/dev/null")
    write(path)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert os.stat("/dev/null").st_ino == before.st_ino


@pytest.mark.usefixtures("never_replaced")
@pytest.mark.parametrize("write", WAYS_INTO_STREAMS)
def test_a_link_to_a_device_is_written_into(write, tmp_path):
    link = tmp_path / "report.html"
    link.symlink_to("/dev/null")
    write(link)
    assert os.readlink(link) == "/dev/null"
    assert os.listdir(tmp_path) == ["report.html"]


@pytest.mark.usefixtures("never_replaced")
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no such folder")
@pytest.mark.parametrize("write", WAYS_INTO_STREAMS)
def test_an_open_file_of_proc_is_written_into(write, tmp_path):
    target = tmp_path / "redirected.txt"
    with target.open("wb") as file:
        # As /dev/stdout does where the shell sends it into a file.
        write(f"/proc/self/fd/{file.fileno()}")
        assert os.fstat(file.fileno()).st_ino == target.stat().st_ino
    assert target.stat().st_size > 1000


@pytest.mark.usefixtures("never_replaced")
@pytest.mark.parametrize("write", WAYS_INTO_STREAMS)
def test_a_pipe_is_written_into(write, tmp_path):
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert len(received[0]) > 1000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.usefixtures("never_replaced")
@pytest.mark.parametrize("path", ["/dev/null", "pipe", "."])
def test_a_model_needs_what_can_be_read_back(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(ValueError, match="must name a file, got the folder or device"):
        write_model(path)


def test_a_full_device_is_an_error():
    if not os.path.exists("/dev/full"):
        pytest.skip("no such device")
    with pytest.raises(OSError, match="No space left"):
        write_run("/dev/full")


@pytest.mark.parametrize("write", WAYS)
def test_of_a_link_the_target_is_replaced(write, tmp_path):
    target, link, new = (tmp_path / name for name in ("target", "link", "new"))
    target.write_bytes(b"old")
    link.symlink_to(target)
    new.symlink_to(tmp_path / "not yet")
    for path in (link, new):
        write(path)
        assert path.is_symlink()
        assert path.stat().st_size > 100
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        write(loop)
    assert loop.is_symlink()


@pytest.mark.parametrize("write", [write_run, write_html, write_bytes])
@pytest.mark.parametrize("path", ["", ".", "folder", "folder/", "no/"])
def test_a_folder_is_an_error(write, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder")
    with pytest.raises(IsADirectoryError):
        write(path)
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.parametrize("write", WAYS)
def test_a_file_that_may_not_be_written_stays(write, tmp_path):
    target = tmp_path / "kept.txt"
    target.write_bytes(b"old")
    target.chmod(0o444)
    with pytest.raises(PermissionError, match=r"kept\.txt"):
        write(target)
    assert (target.read_bytes(), mode_of(target)) == (b"old", 0o444)
    assert os.listdir(tmp_path) == ["kept.txt"]


def test_the_commands_keep_a_file_that_may_not_be_written(tmp_path):
    target = tmp_path / "a.csv"
    target.write_bytes(b"old")
    target.chmod(0o444)
    said = r"Cannot write '.*a\.csv': Permission denied\."
    for refuse in (
        lambda: check_output(str(target)),
        lambda: write_folder(str(tmp_path), {"a.csv": b"1"}, ["a.csv"]),
    ):
        with pytest.raises(InputError, match=said):
            refuse()
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("write", WAYS)
def test_the_longest_name_of_a_file_can_be_written(write, tmp_path):
    path = tmp_path / ("\u00e4" * 127)
    write(path)
    assert path.stat().st_size > 100


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_equal_runs_are_equal_files(tmp_path, ending):
    first, second = (tmp_path / f"{name}.run{ending}" for name in "ab")
    write_run(first)
    write_run(second)
    assert first.read_bytes() == second.read_bytes()
    rows = from_files({"q1": {"d1": 1}}, first)
    assert len(set(rows.groups)) == 2000


# What ends a write halfway: a full disk, a limit, a kill.

OLD = b"q1 Q0 old 1 1 me\n"


@pytest.fixture
def old(tmp_path):
    """A file that is about to be replaced."""
    path = tmp_path / "old.gz"
    path.write_bytes(OLD)
    return path


def assert_kept(old):
    assert old.read_bytes() == OLD
    assert os.listdir(old.parent) == [old.name]


@pytest.mark.parametrize("write", WAYS)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(write, step, old, monkeypatch):
    def fill(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, fill)
    with pytest.raises(OSError, match="No space left"):
        write(old)
    assert_kept(old)


# Run in a process of its own, with a way of writing after the other.
LIMITED = """
import resource, sys
from test_files import WAYS
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
for write in WAYS:
    try:
        write(sys.argv[1])
    except OSError as error:
        print(error.strerror)
"""
KILLED = """
import os, signal, sys
from pathlib import Path
from test_files import OLD, WAYS

def kill(*args, **options):
    os.kill(os.getpid(), signal.SIGKILL)

for write in WAYS:
    for step in ("chmod", "fsync", "replace"):
        if not os.fork():
            setattr(os, step, kill)
            write(sys.argv[1])
            os._exit(0)
        _, status = os.wait()
        print(os.WTERMSIG(status), Path(sys.argv[1]).read_bytes() == OLD)
"""


def run_python(code, path):
    folders = [str(Path(__file__).parent), str(Path(sklearn_rank.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-B", "-W", "error", "-c", code, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout.splitlines()


def test_a_limit_of_the_size_leaves_the_old_file(old):
    assert run_python(LIMITED, old) == ["File too large"] * len(WAYS)
    assert_kept(old)


def test_a_kill_leaves_the_old_file(old):
    said = f"{signal.SIGKILL.value} True"
    assert run_python(KILLED, old) == [said] * 3 * len(WAYS)


def test_a_value_that_cannot_be_written_leaves_the_old_run(old):
    with pytest.raises(UnicodeEncodeError):
        to_trec({**RUN, "q": ["\ud800"]}, old)
    assert_kept(old)


def writes_of(tree):
    """Yield the calls in a module that write a file by its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            texts = [
                value.value
                for value in (*node.args, *(pair.value for pair in node.keywords))
                if isinstance(value, ast.Constant) and isinstance(value.value, str)
            ]
            opens = name == "open" and any(set(text) & set("wx+") for text in texts)
            if opens or name in {"write_text", "write_bytes", "tofile"}:
                yield node.lineno


def test_there_is_one_way_to_write():
    """Text is appended elsewhere."""
    root = Path(sklearn_rank.__file__).parent
    files = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for _ in writes_of(ast.parse(path.read_text(encoding="utf-8")))
    }
    claims = {"_pytest_plugin.py"}  # temporary files that say who writes a baseline
    assert files == {"_base/_files.py", *claims}
