"""The file of `tune --save`: complete or not there, and a pickle only with --trust."""

import errno
import os
from pathlib import Path

import joblib
import numpy as np
import pytest

from sklearn_rank._cli import _new_files
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._new_files import check_new_file
from sklearn_rank._cli._results import read_model, save_model
from sklearn_rank.recommenders import EASERecommender, load_model


@pytest.fixture(scope="module")
def model(small_log):
    return EASERecommender(user="user", item="item").fit(small_log)


@pytest.fixture
def path(model, tmp_path):
    path = str(tmp_path / "model.npz")
    assert not save_model(path, model)
    return path


class Own(EASERecommender):
    """A model of somebody, which cannot be in a file without their code."""


class Exploding:
    """A model that tells when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("code of the file ran",)


def test_what_is_read_is_what_was_written(path, model):
    users = model.users_[:20]
    for read in (read_model(path), read_model(path, trust=True), load_model(path)):
        np.testing.assert_array_equal(read.recommend(users), model.recommend(users))


def test_a_file_is_replaced_only_by_force(path, model):
    before = Path(path).read_bytes()
    with pytest.raises(InputError, match="exists; name another file, or replace it with"):
        save_model(path, model)
    assert Path(path).read_bytes() == before
    assert not save_model(path, model, force=True)


def test_a_pickle_needs_trust(small_log, tmp_path):
    path = str(tmp_path / "model")
    assert save_model(path, Own(user="user", item="item").fit(small_log))
    with pytest.raises(InputError, match="add --trust, which runs the code in it"):
        read_model(path)
    assert type(read_model(path, trust=True)) is Own
    assert type(joblib.load(path)) is Own


def test_nothing_runs_without_trust(tmp_path):
    path = str(tmp_path / "model")
    joblib.dump(Exploding(), path)
    with pytest.raises(InputError, match="is not a model file of sklearn-rank"):
        read_model(path)


@pytest.mark.parametrize("content", [b"", b"user,item\n", b"\x80\x05.", b"P"])
def test_no_model(tmp_path, content):
    path = tmp_path / "model"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not a model file"):
        read_model(str(path))
    with pytest.raises(InputError, match="cannot be loaded as a pickle"):
        read_model(str(path), trust=True)


def test_a_part_of_a_file(path):
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:1000])
    for trust in (False, True):
        with pytest.raises(ValueError, match="is incomplete; copy or save it again"):
            read_model(path, trust=trust)


def test_code_that_is_missing(tmp_path, monkeypatch):
    def load(file):
        raise ModuleNotFoundError("No module named 'implicit'")

    (tmp_path / "model").write_bytes(b"pickle")
    monkeypatch.setattr(joblib, "load", load)
    with pytest.raises(InputError, match=r"No module named.*Install what it needs"):
        read_model(str(tmp_path / "model"), trust=True)


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "disk full"), KeyboardInterrupt()])
def test_what_stops_halfway_leaves_nothing(tmp_path, model, monkeypatch, step, error):
    def stop(*args):
        raise error

    monkeypatch.setattr(_new_files.os, step, stop)
    with pytest.raises((InputError, KeyboardInterrupt)):
        save_model(str(tmp_path / "model"), model, force=True)
    assert list(tmp_path.iterdir()) == []


def test_what_stops_halfway_leaves_the_old_file(path, tmp_path):
    class Unpicklable:
        def __reduce__(self):
            raise KeyboardInterrupt

    before = Path(path).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        save_model(path, Unpicklable(), force=True)
    assert Path(path).read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_places_are_tried_before_the_work(tmp_path):
    old = tmp_path / "old"
    old.write_text("")
    check_new_file(str(tmp_path / "new"), force=False)
    check_new_file(str(old), force=True)
    assert list(tmp_path.iterdir()) == [old]
    for path, said in (
        (old, "exists"),
        (tmp_path, "it is a folder, not a file"),
        ("", "it is a folder, not a file"),
        (tmp_path / "none" / "new", "there is no folder"),
        (tmp_path / ("x" * 300), "Cannot write"),
        (os.devnull, "is a device"),
    ):
        with pytest.raises(InputError, match=said):
            check_new_file(str(path), force=False)


def test_a_link_is_followed(tmp_path, model):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "model"
    target.write_text("old")
    link = tmp_path / "link"
    link.symlink_to(target)
    save_model(str(link), model, force=True)
    assert link.is_symlink()
    assert read_model(str(target)).users_.tolist() == model.users_.tolist()
