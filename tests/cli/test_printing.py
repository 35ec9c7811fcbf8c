"""Text at the width of the terminal, and what stands out on it."""

import os
import sys

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._base._text import align_columns, place_beside, wrap_text
from sklearn_rank._cli import main
from sklearn_rank._cli._printing import terminal_width

TEXT = (
    "Read a-long-name.csv: 2,000 rows\n  dropped 3 rows where column 'x' is empty\n\nEnd."
)


@pytest.mark.parametrize("width", [20, 40, 80])
def test_lines_break_between_words(width):
    text = wrap_text(TEXT, width)
    assert max(map(len, text.splitlines())) <= max(width, len("a-long-name.csv:"))
    assert text.split() == TEXT.split()


def test_what_is_indented_goes_on_further_in():
    assert wrap_text("one two three\n  four five six", 11) == (
        "one two\nthree\n  four five\n    six"
    )
    assert wrap_text(TEXT, 200) == TEXT


def test_a_name_that_is_too_long_goes_on_under_itself():
    lines = place_beside("  0.5  0.1", "item neighbors, 20 nearest, by cosine", 40)
    assert lines == ["  0.5  0.1  item neighbors, 20 nearest,", "            by cosine"]


@pytest.mark.parametrize("width", range(30, 80))
def test_the_mark_of_the_best_is_not_broken(width):
    lines = place_beside("  0.5  0.1", "item neighbors, 20 nearest  <- best", width)
    assert sum("<- best" in line for line in lines) == 1


def test_where_it_is_narrow_the_name_comes_first():
    lines = place_beside("  0.5000  0.1000   0.4 to 0.6", "item neighbors, 20 nearest", 40)
    assert lines == ["item neighbors, 20 nearest", "  0.5000  0.1000   0.4 to 0.6"]


def test_columns_go_on_below():
    table = [["", "one", "two"], ["a", "1", "3"], ["bb", "2", "4"]]
    lines = ["    one", "a     1", "bb    2", "    two", "a     3", "bb    4"]
    assert align_columns(table, 9) == lines
    assert align_columns(table, 80) == ["    one  two", "a     1    3", "bb    2    4"]


def test_the_width_is_that_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "57")
    assert terminal_width() == 57
    monkeypatch.setenv("COLUMNS", "3")
    assert terminal_width() == 20


@pytest.mark.parametrize(
    "command",
    [
        ["split", "log.csv", "--force", "-o", "parts"],
        ["evaluate", "old.run", "qrels.txt", "--metric", "ndcg(gain='exponential')@10"],
        ["evaluate", "rows.parquet", "--query=q", "--grade=y", "--score=s", "--by=by"],
        ["compare", "old.run", "new.run", "--qrels", "qrels.txt", "--margin", "0.1"],
        ["compare", "old.run", "new.run", "--qrels", "qrels.txt", "--all-pairs"],
        ["fuse", "old.run", "new.run", "-o", "fused.run"],
    ],
)
def test_nothing_that_is_printed_is_wider_than_the_terminal(
    run, monkeypatch, small_log, trec_files, tmp_path, command
):
    monkeypatch.chdir(tmp_path)
    for name in ("old.run", "new.run", "qrels.txt"):
        (tmp_path / name).write_bytes((trec_files / name).read_bytes())
    small_log.to_csv("log.csv")
    segments = np.repeat(["AT", "a long name of a segment"], 20)
    table = {"q": np.repeat(range(10), 4), "s": np.arange(40), "by": segments}
    pd.DataFrame(table | {"y": np.arange(40) % 2}).to_parquet("rows.parquet")
    code, wide, _ = run(*command, width=300)
    assert code == 0
    narrow = run(*command, width=40)[1]
    assert max(map(len, narrow.splitlines())) <= 40
    # Names of rows are repeated.
    assert set(narrow.split()) == set(wide.split())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_disk_without_space(capfd, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["skill"]) == 2
    error = "sklearn-rank: error: Cannot print: No space left on device."
    assert capfd.readouterr().err.splitlines() == [error]


def test_an_error_where_stdout_is_closed(capfd, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)  # as a shell's >&- leaves it
    assert main(["gate"]) == 3
    line = "sklearn-rank: error: gate needs RESULTS and GOLDEN"
    assert capfd.readouterr().err.startswith(line)
