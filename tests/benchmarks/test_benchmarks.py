"""The cases in miniature: they run, and ours agree with the peers that are here."""

import gc
import json
import sys

import pytest

from tests.benchmarks import __main__ as command
from tests.benchmarks.case import Case, Task
from tests.benchmarks.measure import Times, check_values, measure, peak_bytes
from tests.benchmarks.table import rows_of

# ranx compiles for minutes where it has never run; the others have tests of their own.
LONG = ("fit", "flat-runs", "recommend", "split", "threads")
SMALL = [
    pytest.param(name, marks=pytest.mark.slow if name.startswith("scorer") else ())
    for name in command.CASES
    if not name.startswith(LONG)
]


@pytest.fixture(autouse=True, scope="module")
def little_to_collect():
    """Leave the objects of all libraries out of what is collected before each task."""
    gc.freeze()
    yield
    gc.unfreeze()


# Some cases have one row per query on purpose.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
@pytest.mark.parametrize("name", SMALL)
def test_values_agree(name):
    case = command.CASES[name](100)
    times = measure(case, 1)
    checks = check_values(case, times)
    assert all(check["agree"] for check in checks), checks
    assert checks or name.startswith(
        ("whole", "tied", "path", "rows", "grow", "core", "runs")
    )
    for row in rows_of(case, times, peak_bytes(case.ours)):
        assert row["ratio"] > 0
        assert row["target"] is None or row["verdict"]


def test_verdicts():
    peers = [
        Task("slow", dict, limit=0.5),
        Task("fast", dict, limit=0.5),
        Task("absent", None, limit=0.5),
    ]
    case = Case("case", "size", Task("ours", dict), peers, limit_ms=500)
    times = {
        "ours": Times([1.0, 1.0, 9.0], [1.0, 2.0]),
        "slow": Times([4.0], [4.0]),
        "fast": Times([1.0], [4.0]),
    }
    verdicts = [row["verdict"] for row in rows_of(case, times, None)]
    assert verdicts == ["met", "missed, by cpu met", "not installed", "missed"]


def test_wrong_values_are_told():
    peer = Task("peer", lambda: {"a": 1.0, "b": float("nan")}, dict)
    case = Case("case", "size", Task("ours", lambda: {"a": 1.0, "b": 1.0}, dict), [peer])
    [check] = check_values(case, measure(case, 1))
    assert not check["agree"]


def test_the_command(tmp_path, monkeypatch, capsys):
    path = tmp_path / "found.json"
    asked = f"benchmarks --quick --check --repeats 1 --only call --json {path}".split()
    monkeypatch.setattr(sys, "argv", asked)
    assert command.main() == 0
    found = json.loads(path.read_text())
    assert [row["peer"] for row in found["rows"]][-1] == "the limit of 0.3 ms"
    assert all(check["agree"] for check in found["checks"])
    assert found["versions"]["numpy"] in capsys.readouterr().out


def test_no_such_case(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--only", "nothing"])
    with pytest.raises(SystemExit, match="No case begins with"):
        command.main()
