import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from sklearn_rank._cli._progress import show_progress


@pytest.mark.parametrize("total", [1, 7, 10, 39])
def test_plain_lines_where_there_is_no_terminal(capsys, total):
    with show_progress("Tuning", total) as advance, ThreadPoolExecutor(4) as pool:
        for _ in range(total):
            pool.submit(advance)
    lines = capsys.readouterr().err.splitlines()
    # The first, and then a tenth after the other.
    assert len(lines) == min(total, 11)
    assert lines[0] == f"Tuning: 1 of {total}"
    assert lines[-1] == f"Tuning: {total} of {total}"


def test_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with show_progress("Tuning", 5) as advance:
        for _ in range(5):
            advance()
    captured = capsys.readouterr()
    assert "5/5" in captured.err
    assert captured.out == ""


def test_a_terminal_without_rich_says_what_to_install(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "rich", None)
    with (
        pytest.raises(ImportError, match=r"sklearn-rank\[cli\]"),
        show_progress("Tuning", 5),
    ):
        pass
