"""The consoles of the pages: each command runs, and prints what the page shows."""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.docs import garden

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

UPDATE = "sklearn-rank gate results.jsonl golden.jsonl -m mrr@10 --update"
# What was run before the first block of a page.
ANSWERS = "from tests.docs import garden; garden.write_answers('.')"
BEFORE = {"index.rst": UPDATE, "conform.rst": f'"{sys.executable}" -c "{ANSWERS}"'}
_BLOCK = re.compile(
    r"^( *)\.\. code-block:: console\n((?:\1 +\S.*\n|\n)+)|^```console\n([\s\S]*?)^```",
    re.MULTILINE,
)
SKILL = ROOT / "sklearn_rank" / ".agents" / "skills" / "sklearn-rank" / "SKILL.md"
FILES = [ROOT / "README.md", SKILL, *sorted((ROOT / "docs").glob("*.rst"))]
PAGES = [path for path in FILES if _BLOCK.search(path.read_text(encoding="utf-8"))]


def consoles(text):
    """Yield each command of the consoles of a page, and what it prints."""
    for match in _BLOCK.finditer(text):
        block = textwrap.dedent(match[2] or match[3]).replace("\\\n", "")
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.rstrip("\n") + "\n" * bool(output.strip())


def write_programs(folder):
    """Write the command, and programs that run it without installing anything."""
    run_it = 'while [ "$1" != sklearn-rank ]; do shift; done; exec "$@"'
    programs = {
        "sklearn-rank": f'exec "{sys.executable}" -m sklearn_rank "$@"',
        "uvx": run_it,
        "pipx": run_it,
        "search": "cat new.jsonl",  # the reader's own
    }
    folder.mkdir()
    for name, script in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)


@pytest.fixture
def shell(tmp_path):
    """Run a command in a folder with the files of the garden."""
    garden.write_files(tmp_path)
    write_programs(tmp_path / ".bin")
    path = os.pathsep.join([str(tmp_path / ".bin"), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "120"}
    environment.pop("GITHUB_ACTIONS", None)

    def run(command):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout

    return run


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_commands_print_what_the_page_shows(page, shell):
    if page.name in BEFORE:
        shell(BEFORE[page.name])
    checker = doctest.OutputChecker()
    text = page.read_text(encoding="utf-8")
    commands = list(consoles(text))
    assert (
        len(commands) >= text.count(".. code-block:: console") > 0 or "```console" in text
    )
    for command, wanted in commands:
        printed = "\n".join(line.rstrip() for line in shell(command).splitlines())
        printed += "\n" * bool(printed)
        assert checker.check_output(wanted, printed, doctest.ELLIPSIS), (
            f"{page.name}: {command}\n{printed}"
        )


def test_the_fixture_of_the_page_gates(shell, tmp_path):
    page = (ROOT / "docs" / "gate_in_ci.rst").read_text(encoding="utf-8")
    test = re.search(r"^\.\. code-block:: python\n\n((?: +\S.*\n|\n)+)", page, re.MULTILINE)
    (tmp_path / "test_search.py").write_text(textwrap.dedent(test[1]))
    # An installed package registers the plugin itself; here it may not be installed.
    plugins = "-p sklearn_rank._pytest_plugin -p no:cacheprovider"
    pytest_ = (
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 "
        f"'{sys.executable}' -m pytest -q test_search.py {plugins}"
    )
    assert "1 failed" in shell(pytest_)
    shell(f"{pytest_} --update-ranking-baselines")
    assert (tmp_path / "baselines/test_search/test_search_is_not_worse.csv").exists()
    assert "1 passed" in shell(pytest_)
    shell("mv new.jsonl results.jsonl")
    printed = shell(pytest_)
    assert "fail: mrr@10 -0.1111, exact on these 12 queries" in printed


def test_the_workflow_of_the_page_gates(shell, tmp_path):
    yaml = pytest.importorskip("yaml")
    page = (ROOT / "docs" / "gate_in_ci.rst").read_text(encoding="utf-8")
    block = re.search(r"code-block:: yaml\n\n((?:   .*\n)+)", page)[1]
    assert block.count("\n") <= 15
    checkout, search, gate = yaml.safe_load(block)["jobs"]["gate"]["steps"]
    assert checkout["uses"].startswith("actions/checkout@")
    action = yaml.safe_load((ROOT / gate["uses"] / "action.yml").read_text())
    values = {
        name: value["default"]
        for name, value in action["inputs"].items()
        if "default" in value
    }
    values |= gate["with"]
    assert values.keys() == action["inputs"].keys()
    variables = "".join(
        f"export {name}='{values[expression.split('.')[1].strip(' }')]}'\n"
        for name, expression in action["runs"]["steps"][0]["env"].items()
    )
    files = "GITHUB_OUTPUT=verdict GITHUB_STEP_SUMMARY=summary.md"
    (tmp_path / "job").write_text(variables + action["runs"]["steps"][0]["run"])
    shell(UPDATE)
    shell("mv .bin/search .")
    shell(search["run"])
    shell(f"{files} bash -e job")
    assert (tmp_path / "verdict").read_text() == "verdict=fail\n"
    assert "mrr@10" in (tmp_path / "summary.md").read_text()


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_the_lines_of_jq_make_files(shell, tmp_path):
    hits = [{"_id": "carrots.md#2", "_score": 3.1}, {"_id": "soil.md#1", "_score": 0.4}]
    raw = {"query": "how to sow carrots", "response": {"hits": hits}}
    (tmp_path / "raw.jsonl").write_text(json.dumps(raw))
    (tmp_path / "corpus.json").write_text(json.dumps([{"id": "a", "text": "sow in May"}]))
    page = (ROOT / "docs" / "golden_sets.rst").read_text(encoding="utf-8")
    lines = re.findall(r"^   (jq -c .*\n(?: .*\n)*)", page, re.MULTILINE)
    assert len(lines) == 2
    wanted = {
        "query": raw["query"],
        "retrieved": [
            {"id": "carrots.md#2", "score": 3.1},
            {"id": "soil.md#1", "score": 0.4},
        ],
    }
    assert json.loads(shell(lines[0])) == wanted
    (tmp_path / "golden.jsonl").write_text('{"query": "when", "must_contain": "May"}')
    assert json.loads(shell(lines[1])) == {"query": "when", "relevant": ["a"]}
