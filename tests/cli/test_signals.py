"""Ctrl-C, or a signal to end, in the middle of a search."""

import os
import runpy
import signal
import subprocess
import sys
import threading

import pytest

from sklearn_rank import _cli
from sklearn_rank._cli import _errors, main
from sklearn_rank._cli._errors import stop_on_signals
from sklearn_rank._cli._printing import ClosedPipe
from sklearn_rank.datasets import make_interactions

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no such signals to send"
)
ENDING = [signal.SIGTERM] if sys.platform == "win32" else [signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize(("jobs", "number"), [(1, signal.SIGINT), (2, signal.SIGTERM)])
def test_tune(tmp_path, interrupt, jobs, number):
    log = make_interactions(300, 200, 6000, random_state=0, as_frame=True)
    log.to_csv(tmp_path / "log.csv", index=False)
    options = ["--folds", 20, "--jobs", jobs]
    interrupt("tune", tmp_path / "log.csv", *options, number=number)


ENDS = """
import atexit, signal, sys, threading
from sklearn_rank import _cli

def run(options):
    if {working}:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    print("begun", end="")
    signal.raise_signal(signal.{number})

atexit.register(print, ", Python shuts down", end="")
_cli._run = run
sys.argv = ["sklearn-rank", "tune", "log.csv"]
_cli.run_program()
"""


@pytest.mark.parametrize("working", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_python_does_not_shut_down_below_threads_that_work(number, working):
    """Once in 20 times it aborted, where a thread was in compiled code."""
    done = subprocess.run(
        [sys.executable, "-c", ENDS.format(number=number.name, working=working)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 128 + number, done.stderr
    assert done.stdout == "begun" + (not working) * ", Python shuts down"


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_command_that_succeeds_ends_as_python_does(monkeypatch, n_threads):
    monkeypatch.setattr(_cli, "main", lambda: 0)
    monkeypatch.setattr(threading, "active_count", lambda: n_threads)
    with pytest.raises(SystemExit) as stop:
        _cli.run_program()
    assert stop.value.code == 0


def test_a_closed_pipe_does_not_stop_the_end(monkeypatch):
    def fail(code=None):
        raise ClosedPipe

    monkeypatch.setattr(_cli, "main", lambda: 130)
    monkeypatch.setattr(_cli, "flush", fail)
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    monkeypatch.setattr(os, "_exit", sys.exit)
    with pytest.raises(SystemExit) as stop:
        _cli.run_program()
    assert stop.value.code == 130


def test_a_system_without_the_signal_of_a_closed_terminal(monkeypatch):
    monkeypatch.delattr(signal, "SIGHUP", raising=False)
    assert runpy.run_path(_errors.__file__)["ENDING"] == (signal.SIGTERM,)


def test_nothing_that_takes_long_is_loaded_before_an_interrupt_is_caught():
    loaded = "import sys; import sklearn_rank._cli; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], check=True, capture_output=True, text=True
    )
    assert done.stdout == "False\n"


@pytest.mark.parametrize("number", ENDING)
def test_what_was_done_with_a_signal_before_is_done_again(number):
    for before in (signal.SIG_DFL, signal.SIG_IGN, lambda number, frame: None):
        own = signal.signal(number, before)
        try:
            # `nohup` ignores the end of the terminal; that holds.
            with stop_on_signals():
                assert (signal.getsignal(number) is before) is (before != signal.SIG_DFL)
            assert signal.getsignal(number) == before
        finally:
            signal.signal(number, own)


def test_other_threads_may_run_a_command(capsys):
    """Only the main thread may set what a signal does."""
    codes = []
    thread = threading.Thread(target=lambda: codes.append(main(["tune", "no such file"])))
    thread.start()
    thread.join()
    assert codes == [2]
    assert "There is no file" in capsys.readouterr().err
