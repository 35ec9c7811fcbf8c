"""How a file is written: privately, and whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from sklearn_rank._base._files import atomic_file
from sklearn_rank._cli._new_files import write_set

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
    write_set(str(tmp_path), {"a.csv": b"1", "b.csv": b"2"}, ["a.csv", "b.csv"])
    assert (mode_of(secret), mode_of(public)) == (0o600, 0o644)


def test_a_drive_without_modes_is_written_to(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refuse)
    write_set(str(tmp_path), {"a.csv": b"1"}, ["a.csv"])
    assert (tmp_path / "a.csv").read_bytes() == b"1"


def test_what_fails_in_the_middle_leaves_the_old_file_alone(tmp_path):
    target = tmp_path / "model.zip"
    target.write_bytes(b"old")
    with pytest.raises(TypeError), atomic_file(target) as file:
        file.writelines([b"half", None])
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [
        ("model.zip", b"old")
    ]
