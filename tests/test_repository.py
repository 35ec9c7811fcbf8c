"""What hosts and packagers read: workflows, the configuration of the pages, a citation."""

import re
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# A source archive has no folder for the host of the repository.
pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="not in a clone")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def read(path):
    """Return a workflow; YAML reads the word `on` as true."""
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found | {"on": found.get(True)}


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def commands(name):
    workflow = read(ROOT / ".github" / "workflows" / f"{name}.yml")
    return workflow, [step["run"] for step in steps(workflow) if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.stem for path in WORKFLOWS])
def test_a_workflow_is_complete_and_needs_no_secret(path):
    workflow = read(path)
    assert workflow["name"]
    assert workflow["on"]
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        assert job["timeout-minutes"]
        permissions = job.get("permissions", {})
        writes = {name for name in permissions if permissions[name] == "write"}
        assert writes <= {"id-token", "pages", "security-events"}
    for step in steps(workflow):
        assert ("uses" in step) != ("run" in step), step
    text = path.read_text()
    # A tag may move, so a hash names the version; the comment is for readers.
    pinned = re.findall(r"uses: [\w-]+(?:/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+", text)
    assert len(pinned) == text.count("uses:")
    assert "secrets." not in text
    assert "://" not in text
    # What others write may hold commands: `run` has values of the workflow itself only.
    in_commands = re.findall(r"run:.*\$\{\{ *([\w.]+)", text)
    assert all(name.startswith("matrix.") for name in in_commands)


def test_the_commands_of_the_readme_run_on_three_systems_and_all_pythons():
    workflow, run = commands("tests")
    matrix = workflow["jobs"]["tests"]["strategy"]["matrix"]
    supported = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert matrix["python"] == supported
    assert {name.partition("-")[0] for name in matrix["os"]} == {
        "ubuntu",
        "macos",
        "windows",
    }
    block = README.partition("```bash")[2].partition("```")[0]
    assert set(run) == {line for line in block.splitlines() if line.startswith("python")}


def test_the_gate_the_weekly_parts_and_the_release_are_the_scripts():
    assert commands("gate")[1] == [".ci/run"]
    workflow, run = commands("weekly")
    parts = workflow["jobs"]["parts"]["strategy"]["matrix"]["part"]
    script = (ROOT / ".ci" / "weekly").read_text()
    assert parts == re.search(r"^all=\((.+)\)$", script, re.MULTILINE)[1].split()
    assert all(re.search(rf"^# {part} ", script, re.MULTILINE) for part in parts)
    assert all(re.search(rf"^{part}\(\) {{", script, re.MULTILINE) for part in parts)
    assert run == [".ci/weekly ${{ matrix.part }}"]
    assert "schedule" in workflow["on"]
    workflow, run = commands("release")
    assert run[0].startswith('.ci/release "$GITHUB_REF_NAME"')
    assert list(workflow["on"]["push"]) == ["tags"]


def test_the_pages_are_built_by_both_hosts_in_the_same_way():
    _, run = commands("pages")
    assert 'python -m pip install -e ".[docs]"' in run
    assert any("sphinx -n -W" in command for command in run)
    host = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text())
    assert (ROOT / host["sphinx"]["configuration"]).exists()
    assert host["sphinx"]["fail_on_warning"]
    (install,) = host["python"]["install"]
    assert install["extra_requirements"] == ["docs"]
    assert host["build"]["tools"]["python"] in {
        name.rpartition(" ")[2] for name in PROJECT["classifiers"]
    }


def test_the_citation_is_complete_and_says_what_the_package_says():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    needed = {"cff-version", "message", "title", "abstract", "type", "authors", "version"}
    assert needed | {"license", "keywords"} <= set(citation)
    assert citation["license"] == PROJECT["license"]
    assert [one["name"] for one in citation["authors"]] == [
        one["name"] for one in PROJECT["authors"]
    ]
    assert set(PROJECT["keywords"]) <= set(citation["keywords"])
    page = (ROOT / "docs" / "which_test.rst").read_text()
    assert f"version = {{{citation['version']}}}" in page


def test_the_paper_cites_what_its_bibliography_has():
    paper = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    entries = re.findall(r"^@\w+\{(\w+),$", (ROOT / "docs" / "paper.bib").read_text(), re.M)
    assert sorted(set(re.findall(r"@([a-z]+\d*)\b", paper))) == sorted(entries)
    sections = re.findall(r"^# (.+)$", paper, re.MULTILINE)
    assert sections[:4] == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
    ]


def test_each_extra_is_explained():
    page = (ROOT / "docs" / "install.rst").read_text()
    for name in PROJECT["optional-dependencies"]:
        assert f"``{name}``" in page, name


def test_links_of_the_pages_for_contributors_lead_to_files():
    for path in (ROOT / ".github").glob("*.md"):
        for link in re.findall(r"\]\(([^):#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / link).exists(), (path.name, link)


def test_a_library_that_a_test_hides_does_not_skip_it(monkeypatch):
    spec = spec_from_file_location("root_conftest", ROOT / "conftest.py")
    conftest = module_from_spec(spec)
    spec.loader.exec_module(conftest)
    assert conftest._missing_library("No module named 'no_such_one'") == "no_such_one"
    monkeypatch.setitem(sys.modules, "no_such_one", None)
    assert conftest._missing_library("No module named 'no_such_one'") is None
