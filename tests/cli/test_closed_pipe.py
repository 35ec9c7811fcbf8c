"""Whoever closes the pipe early, as `head` does, loses no file."""

import errno
import io
import os
import sys

import pandas as pd
import pytest

from sklearn_rank._cli import main


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
    return tmp_path


COMMANDS = {
    "compare": (["one.csv", "two.csv", "--truth", "log.csv"], ["out.csv"]),
    "gate": (
        ["--baseline", "one.csv", "--candidate", "two.csv", "--truth", "log.csv"],
        ["out.json", "table.md"],
    ),
    "split": (["log.csv"], ["out/train.csv", "out/split.json"]),
    "evaluate": (["one.csv", "log.csv"], ["values.csv", "at_k.png"]),
    "fuse": (["one.csv", "two.csv"], ["both.csv"]),
}
OUTPUTS = {
    "compare": ["--output", "out.csv"],
    "gate": ["--output", "out.json", "--margin", "0.1", "--markdown", "table.md"],
    "split": ["-o", "out"],
    "evaluate": ["-o", "values.csv", "--picture", "at_k.png"],
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
