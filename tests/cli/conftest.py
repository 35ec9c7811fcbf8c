import os
import signal
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

from sklearn_rank._cli import main
from sklearn_rank.datasets import make_interactions


@pytest.fixture(autouse=True)
def signals_arrive():
    """Set Python's own handlers: in the background of a shell signals are ignored."""
    own = {signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):
        own[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, handler) for number, handler in own.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def small_log():
    return make_interactions(
        150, 80, 2000, n_tastes=4, drift=0, random_state=0, as_frame=True
    )


@pytest.fixture(scope="session")
def small_csv(small_log, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.csv"
    small_log.to_csv(path, index=False)
    return path


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command line on a wide terminal; return (exit code, stdout, stderr)."""

    def run_it(*arguments, width=300, on_github=False):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("GITHUB_ACTIONS", str(on_github).lower())
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_it


@pytest.fixture
def fails(run):
    """Run the command line, which must fail as promised; return what it says."""

    def fail(*arguments, command="tune"):
        code, _, err = run(command, *arguments)
        lines = err.splitlines()
        assert code == 2
        assert len(lines) == 1
        assert lines[0].startswith("sklearn-rank: error: ")
        return lines[0]

    return fail


@pytest.fixture
def interrupt(tmp_path):
    """Send a signal in the middle of a search, in a process of its own, and judge it."""

    def interrupt_it(*arguments, number=signal.SIGINT):
        folder = tmp_path / "results"
        command = [sys.executable, "-m", "sklearn_rank", *arguments, "--output", folder]
        terminal, stderr = os.openpty()
        with subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            # A shell's background jobs ignore Ctrl-C, and pass that on.
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
        ) as process:
            os.close(stderr)
            first = os.read(terminal, 100).decode()
            process.send_signal(number)
            out, _ = process.communicate(timeout=60)
            err = b""
            with suppress(OSError):  # the end of a terminal is an error
                while part := os.read(terminal, 1000):
                    err += part
            os.close(terminal)
        err = err.decode()
        what = "interrupted" if number == signal.SIGINT else "terminated"
        last = f"sklearn-rank: {what}; no file is half written."
        assert first.startswith("\rTuning by ndcg@10: "), first + err
        assert process.returncode == 128 + number
        assert err.split("\r")[-2] == last
        assert "Traceback" not in err
        assert "Candidates" not in out
        assert not folder.exists()

    return interrupt_it


@pytest.fixture
def write(tmp_path):
    """Write a file; return its path."""

    def write_it(text, name="log.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_it


@pytest.fixture(scope="session")
def trec_files(tmp_path_factory):
    """Judgments of 60 queries and runs: old, new (close to it), bad; as tables too."""
    folder = tmp_path_factory.mktemp("runs")
    rng = np.random.default_rng(0)
    lines = {name: [] for name in ("qrels", "old", "new", "bad")}
    for query in range(60):
        grades = rng.integers(0, 3, 12)
        old = grades + rng.normal(0, 1.5, 12)
        scores = {
            "old": old,
            "new": old + rng.normal(0, 0.05, 12),
            "bad": rng.normal(0, 1, 12),
        }
        lines["qrels"] += [(query, item, grade) for item, grade in enumerate(grades)]
        for name, of in scores.items():
            lines[name] += [(query, item, score) for item, score in enumerate(of)]
    for name, found in lines.items():
        is_truth = name == "qrels"
        trec = "q{} 0 d{} {}\n" if is_truth else "q{} Q0 d{} 1 {!r} me\n"
        suffix, last = (".txt", "grade") if is_truth else (".run", "value")
        text = "".join(trec.format(q, d, v.item()) for q, d, v in found)
        (folder / f"{name}{suffix}").write_text(text)
        table = "".join(f"q{q},d{d},{v.item()!r}\n" for q, d, v in found)
        (folder / f"{name}.csv").write_text(f"user,item,{last}\n{table}")
    return folder
