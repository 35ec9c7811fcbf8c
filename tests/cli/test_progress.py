"""The progress of a search: a line on a terminal, nothing elsewhere."""

import sys

import pytest

from sklearn_rank._cli import _tuning
from sklearn_rank._cli._tuning import show_progress


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def said_after(monkeypatch, capsys):
    """Return what four steps that take so many seconds each print."""
    clock = Clock()
    monkeypatch.setattr(_tuning, "monotonic", clock)

    def say(seconds, weights=(1, 1, 1, 1)):
        with show_progress("Tuning") as advance:
            for done, n_seconds in enumerate(seconds, 1):
                clock.now += n_seconds
                advance(done, 4, sum(weights[:done]) / sum(weights))
        captured = capsys.readouterr()
        assert captured.out == ""
        return [text.strip() for text in captured.err.split("\r") if text.strip()]

    return say


def test_nothing_is_printed_where_there_is_no_terminal(said_after):
    assert said_after([40, 40, 40, 40]) == []


def test_the_time_left_on_a_terminal(said_after, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert said_after([40, 40, 40, 40]) == [
        "Tuning: 1 of 4, about 2 min left",
        "Tuning: 2 of 4, about 80 s left",
        "Tuning: 3 of 4, about 40 s left",
        "Tuning: 4 of 4",
    ]
    lines = said_after([60, 60, 3600, 3600], weights=[1, 1, 60, 60])
    # By a sixtieth of the work nobody can tell.
    assert lines[:3] == [
        *("Tuning: 1 of 4", "Tuning: 2 of 4", "Tuning: 3 of 4, about 60 min left")
    ]
    assert said_after([0.1] * 4)[2] == "Tuning: 3 of 4"


def test_a_line_is_cut_to_the_terminal_and_removed(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "20")
    with show_progress("Tuning by ndcg@10") as advance:
        advance(1, 1000, 0.001)
    assert capsys.readouterr().err == f"\rTuning by ndcg@10: \r{' ' * 19}\r"


def test_a_closed_terminal_does_not_stop_the_search(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with show_progress("Tuning") as advance:
        advance(1, 2, 0.5)
