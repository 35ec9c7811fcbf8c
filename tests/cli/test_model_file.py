"""A model in a file: read as written, or one line that says why not."""

import errno
import io
import json
import os
from pathlib import Path

import joblib
import numpy as np
import pytest
import sklearn

from sklearn_rank import __version__
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.writing import _model_file, _new_file
from sklearn_rank._cli.writing._model_file import read_model, write_model
from sklearn_rank._cli.writing._new_file import check_new_file
from sklearn_rank.recommenders import ItemNeighborsRecommender

COLUMNS = {"user": "customer", "item": "article"}


@pytest.fixture(scope="module")
def model(small_log):
    return ItemNeighborsRecommender(user="user", item="item").fit(small_log)


@pytest.fixture
def path(model, tmp_path):
    path = str(tmp_path / "model.joblib")
    write_model(path, model, columns=COLUMNS, metric="ndcg@10")
    return path


class Exploding:
    """A model that tells when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("code of the file ran",)


def test_what_is_read_is_what_was_written(path, model):
    saved = read_model(path)
    users = model.users_[:20]
    np.testing.assert_array_equal(saved.model.recommend(users), model.recommend(users))
    assert (saved.columns, saved.metric) == (COLUMNS, "ndcg@10")
    assert saved.versions["sklearn-rank"] == __version__
    assert saved.versions["scikit-learn"] == sklearn.__version__
    assert saved.versions["numpy"] == np.__version__


def test_the_first_line_is_json(path):
    with open(path, "rb") as file:
        assert json.loads(file.readline())["columns"] == COLUMNS


def test_a_file_is_replaced_only_by_force(path, model):
    before = Path(path).read_bytes()
    with pytest.raises(InputError, match="exists; name another file, or replace it with"):
        write_model(path, model, columns=COLUMNS, metric="map")
    assert Path(path).read_bytes() == before
    write_model(path, model, columns=COLUMNS, metric="map", force=True)
    assert read_model(path).metric == "map"


@pytest.mark.parametrize("package", ["sklearn-rank", "scikit-learn"])
def test_other_versions_are_refused_before_code_runs(tmp_path, monkeypatch, package):
    here = _model_file._versions()
    path = str(tmp_path / "model")
    with monkeypatch.context() as patch:
        patch.setattr(_model_file, "_versions", lambda: {**here, package: "0.0.9"})
        write_model(path, Exploding(), columns=COLUMNS, metric=None)
    with pytest.raises(InputError) as error:
        read_model(path)
    assert f"{package} 0.0.9" in str(error.value)
    assert f"{package} {here[package]}" in str(error.value)
    assert "Install those versions" in str(error.value)


def test_a_bug_fix_release_is_read(path, monkeypatch):
    here = _model_file._versions()
    near = {**here, "scikit-learn": ".".join([*here["scikit-learn"].split(".")[:2], "99"])}
    monkeypatch.setattr(_model_file, "_versions", lambda: near)
    assert read_model(path).columns == COLUMNS


@pytest.mark.parametrize("share", [0.02, 0.5, 0.999])
def test_a_part_of_a_file(tmp_path, share):
    path = tmp_path / "model"
    write_model(str(path), [Exploding(), np.arange(500)], columns=COLUMNS, metric=None)
    whole = path.read_bytes()
    path.write_bytes(whole[: max(int(share * len(whole)), 40)])
    with pytest.raises(InputError, match="damaged or not whole"):
        read_model(str(path))


@pytest.mark.parametrize("place", [40, 150, 400, -1])
def test_a_changed_byte(tmp_path, place):
    path = tmp_path / "model"
    write_model(str(path), [Exploding(), np.arange(500)], columns={}, metric=None)
    changed = bytearray(path.read_bytes())
    changed[place] ^= 0x81
    path.write_bytes(changed)
    with pytest.raises(InputError, match="damaged or not whole"):
        read_model(str(path))


@pytest.mark.parametrize("content", [b"", b"user,item\n", b"\x80\x05."])
def test_no_model(tmp_path, content):
    path = tmp_path / "model"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no model file of sklearn-rank"):
        read_model(str(path))


def test_what_joblib_alone_wrote_is_no_model(tmp_path):
    path = tmp_path / "model"
    joblib.dump(Exploding(), path)
    with pytest.raises(InputError, match="is no model file of sklearn-rank"):
        read_model(str(path))


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"versions": {}, "columns": {}, "metric": None},
        {"versions": 3, "columns": {}, "metric": None},
        {"versions": {"sklearn-rank": 1, "scikit-learn": 2}, "columns": {}, "metric": None},
        {"versions": _model_file._versions(), "columns": ["user"], "metric": None},
        {"versions": _model_file._versions(), "columns": {}, "metric": 3},
        {"versions": _model_file._versions(), "columns": {}},
    ],
)
def test_a_first_line_that_others_wrote(tmp_path, about):
    header = _model_file.START + json.dumps(about)[1:].encode() + b"\n"
    check_refused(tmp_path / "model", header)


@pytest.mark.parametrize("end", [b"}}\n", b"\xff}\n", b"[" * 10**5 + b"\n"])
def test_a_first_line_that_is_no_json(tmp_path, end):
    check_refused(tmp_path / "model", _model_file.START + end)


def check_refused(path, header):
    digest = _model_file._digest(header, io.BytesIO(b"model"))
    path.write_bytes(header + digest + b"model")
    with pytest.raises(InputError, match="is not as sklearn-rank writes it"):
        read_model(str(path))


def test_code_that_is_missing(path, monkeypatch):
    def load(file):
        raise ModuleNotFoundError("No module named 'implicit'")

    monkeypatch.setattr(joblib, "load", load)
    with pytest.raises(InputError, match=r"needs code that is not here: .*implicit"):
        read_model(path)


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "disk full"), KeyboardInterrupt()])
def test_what_stops_halfway_leaves_nothing(tmp_path, model, monkeypatch, step, error):
    def stop(*args):
        raise error

    monkeypatch.setattr(_new_file.os, step, stop)
    with pytest.raises((InputError, KeyboardInterrupt)):
        write_model(str(tmp_path / "model"), model, columns=COLUMNS, metric=None)
    assert list(tmp_path.iterdir()) == []


def test_what_stops_halfway_leaves_the_old_file(path, tmp_path):
    class Unpicklable:
        def __reduce__(self):
            raise KeyboardInterrupt

    before = Path(path).read_bytes()
    with pytest.raises(KeyboardInterrupt):
        write_model(path, Unpicklable(), columns=COLUMNS, metric=None, force=True)
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
        (tmp_path, "is no name of a file"),
        ("", "is no name of a file"),
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
    write_model(str(link), model, columns=COLUMNS, metric=None, force=True)
    assert link.is_symlink()
    assert read_model(str(target)).columns == COLUMNS


def test_a_form_of_another_release_is_named_as_such(path):
    before = Path(path).read_bytes()
    Path(path).write_bytes(before.replace(b'model": 1', b'model": 2', 1))
    with pytest.raises(InputError, match="has the form of another release"):
        read_model(path)
