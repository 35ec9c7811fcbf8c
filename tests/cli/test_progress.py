import re
import sys

import pytest

from sklearn_rank._cli import _progress
from sklearn_rank._cli._progress import show_progress


@pytest.mark.parametrize("total", [1, 7, 10, 39])
def test_plain_lines_where_there_is_no_terminal(capsys, total):
    with show_progress("Tuning") as advance:
        for done in range(1, total + 1):
            advance(done, total, done / total)
    lines = capsys.readouterr().err.splitlines()
    # The first, and then a tenth after the other.
    assert len(lines) == min(total, 11)
    assert lines[0] == f"Tuning: 1 of {total}"
    assert lines[-1] == f"Tuning: {total} of {total}"


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_progress, "monotonic", clock)
    return clock


def said_after(clock, capsys, seconds, weights=(1, 1, 1, 1)):
    """Return the lines of four steps that take so many seconds each."""
    with show_progress("Tuning") as advance:
        for done, n_seconds in enumerate(seconds, 1):
            clock.now += n_seconds
            advance(done, 4, sum(weights[:done]) / sum(weights))
    return capsys.readouterr().err.splitlines()


def test_the_time_left_where_there_is_no_terminal(capsys, clock):
    assert said_after(clock, capsys, [40, 40, 40, 40]) == [
        "Tuning: 1 of 4, about 2 min left",
        "Tuning: 2 of 4, about 80 s left",
        "Tuning: 3 of 4, about 40 s left",
        "Tuning: 4 of 4",
    ]


def test_steps_that_take_longer_count_more(capsys, clock):
    lines = said_after(clock, capsys, [60, 60, 3600, 3600], weights=[1, 1, 60, 60])
    # By a sixtieth of the work nobody can tell.
    assert lines[:2] == ["Tuning: 1 of 4", "Tuning: 2 of 4"]
    assert lines[2] == "Tuning: 3 of 4, about 60 min left"
    lines = said_after(clock, capsys, [60, 60, 600, 600], weights=[1, 1, 10, 10])
    assert lines[1] == "Tuning: 2 of 4, about 20 min left"


def test_nothing_is_said_of_seconds(capsys, clock):
    assert said_after(clock, capsys, [0.1] * 4)[2] == "Tuning: 3 of 4"


def test_a_line_comes_at_least_every_half_minute(capsys, clock):
    with show_progress("Tuning") as advance:
        for done in range(1, 9):
            clock.now += 20
            advance(done, 100, done / 100)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["1", "3", "5", "7"]


@pytest.mark.parametrize("width", [40, 80])
def test_the_bar_can_be_read_on_a_narrow_terminal(capsys, monkeypatch, clock, width):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    with show_progress("Tuning by ndcg@10") as advance:
        clock.now += 40
        advance(1, 4, 0.25)
    drawn = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", capsys.readouterr().err)
    bars = drawn.replace("\r", "\n").splitlines()
    assert max(map(len, bars)) <= width
    last = next(line for line in reversed(bars) if "1/4" in line)
    assert "about 2 min left" in last
    assert last.count("━") >= 5
    assert ("Tuning" in last) is (width == 80)


def test_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with show_progress("Tuning") as advance:
        for done in range(1, 6):
            advance(done, 5, done / 5)
    captured = capsys.readouterr()
    assert "5/5" in captured.err
    assert captured.out == ""


def test_a_terminal_without_rich_says_what_to_install(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "rich", None)
    with pytest.raises(ImportError, match=r"sklearn-rank\[cli\]"), show_progress("Tuning"):
        pass
