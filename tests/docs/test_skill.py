"""The skill for coding agents: its blocks run, agents can read it, and it is installed."""

import doctest
import re
import tomllib
from pathlib import Path

import pytest
from sklearn import config_context

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "sklearn_rank"
SKILL = PACKAGE / ".agents" / "skills" / "sklearn-rank" / "SKILL.md"
HEAD, BODY = SKILL.read_text(encoding="utf-8").split("---\n", 2)[1:]


def test_its_blocks_run():
    pytest.importorskip("pandas")
    report = []
    examples = doctest.DocTestParser().get_doctest(BODY, {}, SKILL.stem, str(SKILL), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    with config_context():
        runner.run(examples, out=report.append)
    assert not report, "".join(report)
    assert runner.tries > 30


def test_each_task_has_a_right_and_a_wrong_way():
    tasks = re.split(r"^## (?=\d)", BODY, flags=re.MULTILINE)[1:]
    assert [int(task.split(".")[0]) for task in tasks] == list(range(1, 17))
    for task in tasks:
        assert "```" in task, task
        assert "Wrong:" in task, task
    assert len(f"{HEAD}{BODY}".split()) <= 1600


def test_it_says_which_tasks_need_pandas():
    tasks = re.split(r"^## (?=\d)", BODY, flags=re.MULTILINE)
    needing = [n for n, task in enumerate(tasks) if re.search(r"\bpd\.|as_frame=", task)]
    assert f"Sections {', '.join(map(str, needing))} need pandas" in BODY


def test_its_front_matter_is_what_agents_read():
    yaml = pytest.importorskip("yaml")
    head = yaml.safe_load(HEAD)
    assert head["name"] == SKILL.parent.name
    assert "Use when" in head["description"]
    assert len(head["description"]) <= 1024
    assert re.search(r'^description: ".*"$', HEAD, re.MULTILINE)  # a colon needs quotes
    assert head["license"] == "BSD-3-Clause"


def test_it_is_installed_with_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["sklearn_rank"]
    assert SKILL in {path for pattern in patterns for path in PACKAGE.glob(pattern)}
