"""The action for GitHub: its script, as the runner starts it."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[1] / ".github/actions/gate/action.yml").read_text()
SCRIPT = textwrap.dedent(TEXT.rpartition("run: |\n")[2])
# How the runner starts `shell: bash`.
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@pytest.fixture
def job(tmp_path):
    """Run the script; return its exit code, its output, and what it says to the runner."""

    def run(python, **inputs):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "python").write_text(f"#!/usr/bin/env bash\n{python}\n")
        (folder / "python").chmod(0o755)
        names = re.findall(r"^ {8}([A-Z]+): \$\{\{ inputs\.", TEXT, re.MULTILINE)
        given = dict.fromkeys(names, "") | {"UNDECIDED": "fail", **inputs}
        files = {
            name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        }
        path = {
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
        }
        found = subprocess.run(
            [*BASH, "-c", SCRIPT],
            env={**os.environ, **given, **files, **path},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        return found.returncode, found, (tmp_path / "GITHUB_OUTPUT").read_text()

    return run


@pytest.mark.parametrize(
    ("code", "undecided", "ends", "verdict"),
    [
        (0, "fail", 0, "pass"),
        (1, "pass", 1, "fail"),
        (2, "fail", 2, "undecided"),
        (2, "pass", 0, "undecided"),
        (3, "pass", 3, "error"),
        (127, "fail", 127, "error"),
    ],
)
def test_verdict_and_exit_code(job, code, undecided, ends, verdict):
    found, _, output = job(f"exit {code}", UNDECIDED=undecided)
    assert (found, output) == (ends, f"verdict={verdict}\n")


def test_inputs_are_arguments_and_not_code(job, tmp_path):
    (tmp_path / "x").touch()
    hostile = {"RESULTS": "-a b", "GOLDEN": "$(touch bad)", "MARGIN": "; touch bad"}
    hostile |= {"LOWER_IS_BETTER": "a b", "RANGE": "m=0,1"}
    metrics = {"METRICS": "ndcg@10 *\nmrr", "BY": "`touch bad`", "QUERIES": "sample"}
    _, found, _ = job('printf "%s\\n" "$@"', **hostile, **metrics)
    assert found.stdout.splitlines() == [
        *("-m", "sklearn_rank", "gate", "--candidate=-a b"),
        *(f"--markdown={tmp_path / 'GITHUB_STEP_SUMMARY'}", "--margin=; touch bad"),
        *("--queries=sample", "--by=`touch bad`", "--range=m=0,1", "--lower-is-better=a b"),
        *("--truth=$(touch bad)", "--metric=ndcg@10", "--metric=*", "--metric=mrr"),
    ]
    assert not (tmp_path / "bad").exists()


def test_no_input_is_in_a_script():
    scripts = re.findall(r"^ +run: (?:\|\n((?: {8}.*\n?)+)|(.+))", TEXT, re.MULTILINE)
    assert len(scripts) == 1
    assert not any("${{" in part for script in scripts for part in script)


def test_the_command_itself(job, tmp_path):
    rows = [{"query": f"q{n}", "relevant_ids": ["a"]} for n in range(40)]
    golden = "".join(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "golden.jsonl").write_text(golden)
    values = "".join(f"q{n},1.0\n" for n in range(40))
    (tmp_path / "golden.baseline.csv").write_text(f"query,mrr@10\n{values}")
    for first, verdict in (("a", "pass"), ("b", "fail")):
        lists = {f"q{n}": [first if n < 9 else "a", "b", "a"] for n in range(40)}
        lists = {query: list(dict.fromkeys(items)) for query, items in lists.items()}
        (tmp_path / "results.json").write_text(json.dumps(lists))
        files = {"RESULTS": "results.json", "GOLDEN": "golden.jsonl"}
        code, found, output = job(f'exec "{sys.executable}" "$@"', **files)
        assert code == ("pass", "fail").index(verdict), found.stderr
        assert output.endswith(f"verdict={verdict}\n")
        assert found.stdout.startswith(f"{verdict}: mrr@10")
    assert "::error title=gate::fail: mrr@10 -0.1125, exact on these 40" in found.stdout
    summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert "### fail: candidate against baseline" in summary


def test_tables_of_other_numbers(job, tmp_path):
    (tmp_path / "old.csv").write_text("query,latency\na,1\nb,2\n")
    (tmp_path / "new.csv").write_text("query,latency\na,1\nb,9\n")
    files = {"RESULTS": "new.csv", "BASELINE": "old.csv", "MARGIN": "1"}
    python = f'exec "{sys.executable}" "$@"'
    code, found, _ = job(python, **files)
    assert (code, "give its direction, --lower-is-better latency" in found.stderr) == (3, 1)
    code, found, _ = job(python, **files, LOWER_IS_BETTER="latency")
    assert (code, found.stdout.split(",")[0]) == (
        *(1, "fail: latency (lower is better) +3.5000"),
    )
