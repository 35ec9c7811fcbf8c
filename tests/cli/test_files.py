"""Each file appears whole or not at all."""

import json
import os
import sys

import pytest

from sklearn_rank._cli import main
from sklearn_rank._cli._files import _plain, write_whole


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "report.txt"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_stops_halfway_leaves_the_old_file(tmp_path, monkeypatch, error):
    path = tmp_path / "report.txt"
    write_whole(path, b"old")

    def stop(*args):
        raise error

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(error):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_without_matplotlib_the_picture_is_left_out(small_csv, run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, _ = run("tune", small_csv, "--folds", "1", "--output", tmp_path)
    assert code == 0
    assert "metric_at_k.png is left out." in out
    assert 'pip install "sklearn-rank[plot]"' in out
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cv_results.csv",
        "report.json",
        "report.txt",
    ]


def test_json_has_no_nan():
    assert json.dumps(_plain({"a": [float("nan"), 1.5], 2: (float("inf"),)})) == (
        '{"a": [null, 1.5], "2": [null]}'
    )


@pytest.mark.parametrize("stage", ["search_best", "compare", "write_results"])
def test_interrupt_writes_nothing_and_exits_130(
    small_csv, tmp_path, monkeypatch, capsys, stage
):
    from sklearn_rank._cli import _tune

    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(_tune, stage, interrupt)
    folder = tmp_path / "results"
    options = ["--folds", "1", "--output", str(folder)]
    assert main(["tune", str(small_csv), *options]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not folder.exists()
