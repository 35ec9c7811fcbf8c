"""Whoever closes the pipe early, as `head` does, loses no file."""

import errno
import io
import os
import sys

import pandas as pd
import pytest

from sklearn_rank._cli import main
from sklearn_rank.recommenders import PopularityRecommender, save_model


class Closed(io.StringIO):
    def write(self, text):
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


@pytest.fixture
def files(tmp_path):
    rows = [(f"u{n % 9}", f"i{n % 7}", n, n) for n in range(60)]
    table = pd.DataFrame(rows, columns=["user", "item", "time", "rank"])
    table = table.drop_duplicates(["user", "item"])
    for name in ("log", "one", "two"):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    table.assign(score=table["rank"], grade=1).to_parquet(tmp_path / "rows.parquet")
    return tmp_path


COMMANDS = {
    "compare": (["one.csv", "two.csv", "--truth", "log.csv"], ["out/per_query.csv"]),
    "gate": (
        ["--baseline", "one.csv", "--candidate", "two.csv", "--truth", "log.csv"],
        ["out/comparison.json", "table.md"],
    ),
    "split": (["log.csv"], ["out/train.csv", "out/split.json"]),
    "evaluate": (["one.csv", "log.csv"], ["values.csv", "at_k.png"]),
    "fuse": (["one.csv", "two.csv"], ["both.csv"]),
}
OUTPUTS = {
    "compare": ["--output", "out"],
    "gate": ["--output", "out", "--margin", "0.1", "--markdown", "table.md"],
    "split": ["-o", "out"],
    "evaluate": ["--values", "values.csv", "--picture", "at_k.png"],
    "fuse": ["-o", "both.csv"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_files_are_written_before_anything_is_printed(files, monkeypatch, capsys, command):
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "stdout", Closed())
    arguments, written = COMMANDS[command]
    assert main([command, *arguments, *OUTPUTS[command]]) == 141
    assert "error" not in capsys.readouterr().err
    for name in written:
        assert (files / name).stat().st_size > 0


def test_lists_of_a_model(files, monkeypatch, capsys):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.chdir(files)
    save_model(
        PopularityRecommender(user="user", item="item").fit(pd.read_csv("log.csv")),
        "model.npz",
    )
    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["recommend", "model.npz", "-o", "lists.csv"]) == 2
    assert capsys.readouterr().err.endswith("The files were written.\n")
    assert len(pd.read_csv("lists.csv"))


def test_values_of_rows(files, monkeypatch):
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "stdout", Closed())
    columns = ["--query", "user", "--rating", "grade", "--score", "score"]
    main(["evaluate", "rows.parquet", *columns, "--values", "values.parquet"])
    assert len(pd.read_parquet("values.parquet")) == 9
