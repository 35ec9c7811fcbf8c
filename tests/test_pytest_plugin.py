"""The fixture `ranking_gate`, in runs of pytest of its own."""

import subprocess
import sys

import pytest

# Before the runs within this process, which forget what they import first.
import sklearn_rank.statistics  # noqa: F401

pytest_plugins = ["pytester"]

PLUGIN = ("-p", "sklearn_rank._pytest_plugin", "-p", "no:cacheprovider")
UPDATE = "--update-ranking-baselines"
BEGIN = """
import numpy as np
import pytest
from sklearn_rank.metrics import PerQueryScores

OLD = np.linspace(0, 1, 30)

def values(change=0.0, labels=range(30), **others):
    return PerQueryScores(list(labels), {"mrr": OLD + change, **others})
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """Write the file of tests and run it; return the result."""
    # An installed plugin would be registered twice.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    left_out = "GITHUB_ACTIONS GITHUB_STEP_SUMMARY PYTEST_ADDOPTS PYTEST_XDIST_WORKER"
    for name in left_out.split():
        monkeypatch.delenv(name, raising=False)

    def run(body, *options, passed=1, failed=0, begin=BEGIN):
        pytester.makepyfile(test_search=begin + body)
        result = pytester.runpytest_inprocess(*PLUGIN, *options)
        result.assert_outcomes(passed=passed, failed=failed)
        return result.stdout.str()

    return run


def one_test(call):
    return f"def test_it(ranking_gate):\n    found = ranking_gate({call})\n"


SAME = one_test("values(), margin=0.01")
WORSE = one_test("values(-0.1 + OLD / 50), margin=0.01")


def test_a_baseline_is_written_only_if_asked(project, pytester):
    out = project(SAME, passed=0, failed=1)
    path = pytester.path / "baselines" / "test_search" / "test_it.csv"
    assert f"There is no baseline to compare with.\nBaseline: {path}. Write it with" in out
    assert f"{UPDATE}, and commit it." in out
    assert not path.exists()
    project(SAME + "    assert found is None", UPDATE)
    assert path.read_text().startswith("group,mrr\n0,0.0\n1,0.034482758620689655\n")
    out = project(SAME + "    assert found.passes and found.notes == []")
    assert "= ranking gates =" in out
    line = "test_search.py::test_it: pass: mrr: identical on all 30 queries, margin"
    assert out.count(line) == 1


def test_a_loss_fails(project, pytester):
    project(SAME, UPDATE)
    out = project(WORSE, passed=0, failed=1)
    assert "\nfail: mrr of candidate - baseline: -0.0900, 95% interval [-0." in out
    assert "test_it.csv. If this is meant, write it again with --update-ranking-" in out
    assert "Traceback" not in out
    assert "def gate" not in out
    project(WORSE, UPDATE)
    assert "pass: mrr" in project(WORSE)


def test_undecided_fails_unless_it_may_pass(project):
    noise = "np.tile([0.3, -0.3], 15)"
    project(SAME, UPDATE)
    out = project(one_test(f"values({noise}), margin=0.01"), passed=0, failed=1)
    assert "undecided: mrr" in out
    assert "undecided: mrr" in project(
        one_test(f"values({noise}), margin=0.01, undecided='pass'")
    )
    worse = one_test("values(-0.1 + OLD / 50), margin=0.01, undecided='pass'")
    assert "fail: mrr" in project(worse, passed=0, failed=1)


def test_other_queries_are_counted_and_named(project):
    project(SAME, UPDATE)
    other = one_test("values(labels=[*range(1, 31)]), margin=0.01")
    out = project(other, passed=0, failed=1)
    assert "1 gone (such as ['0']), 1 new (such as ['30'])" in out


def test_a_second_call_and_another_class_have_other_files(project, pytester):
    body = """
class TestOne:
    @pytest.mark.parametrize("size", ["a b", "c/d"])
    def test_it(self, ranking_gate, size):
        ranking_gate(values(), margin=0)
        ranking_gate(values(), margin=0)
        ranking_gate(values(), margin=0, baseline="own/file.csv")
"""
    project(body, UPDATE, passed=2)
    files = {str(one.relative_to(pytester.path)) for one in pytester.path.rglob("*.csv")}
    names = ("a_b_", "a_b__2", "c_d_", "c_d__2")
    assert files == {
        *(f"baselines/test_search/TestOne_test_it_{name}.csv" for name in names),
        "own/file.csv",
    }
    project(body, passed=2)


def test_metrics_clusters_folds_and_undefined_values(project, pytester):
    body = """
def test_it(ranking_gate):
    fold = np.repeat([0, 1], 15)
    labels = [*range(15), *range(15)]
    undefined = np.where(OLD < 0.1, np.nan, OLD)
    found = PerQueryScores(labels, {"mrr": OLD, "map": undefined}, fold=fold)
    order = np.arange(30)[::-1]
    clusters = order % 15
    how = {"margin": 0, "clusters": dict(enumerate(range(15)))}
    both = [
        ranking_gate(found.of(order), baseline="b.csv", metrics=["map"], **how),
        ranking_gate(found.of(order), baseline="b.csv", margin=0, clusters=clusters),
    ]
    return both
"""
    project(body.replace("return both", "assert both == [None, None]"), UPDATE)
    assert (pytester.path / "b.csv").read_text().startswith("group,fold,mrr,map\n14,1,1.0,")
    out = project(
        body.replace("return both", "assert [one.passes for one in both] == [True] * 2")
    )
    assert out.count("pass: map: identical") == 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("OLD, margin=0", "`values` must be a result of per_query_scores"),
        ("values(), margin=0, undecided='ok'", "`undecided` got 'ok'"),
        ("values(), margin=0, metrics='map'", "The baseline has no 'map', only ['mrr']."),
        ("values(), margin=0, clusters=[1, 2]", "`clusters`"),
    ],
)
def test_bad_input(project, call, said):
    project(SAME, UPDATE)
    assert said in project(one_test(call), passed=0, failed=1)


def test_a_damaged_file(project, pytester):
    project(SAME, UPDATE)
    path = pytester.path / "baselines" / "test_search" / "test_it.csv"
    path.write_text(path.read_text().replace("1.0", "x"))
    out = project(SAME, passed=0, failed=1)
    assert "The baseline cannot be read: could not convert string to float: 'x'." in out


def test_a_job_on_github(project, pytester, monkeypatch):
    project(SAME, UPDATE)
    summary = pytester.path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    line = (BEGIN + WORSE).strip().splitlines().index("def test_it(ranking_gate):") + 1
    out = project(WORSE, passed=0, failed=1)
    said = f"\n::error file=test_search.py,line={line},title=gate::fail: mrr of candidate"
    assert said in out
    assert "95%25 interval" in out
    head, rule, row, _ = summary.read_text().split("\n", 3)
    assert (head, rule) == ("| Test | Ranking gate |", "| --- | --- |")
    assert row.startswith(
        r"| test\_search.py::test\_it | fail: mrr of candidate - baseline"
    )


def test_a_run_without_the_fixture_says_nothing(project):
    assert "ranking gates" not in project("def test_it(): pass")


def test_lines_cross_processes(project):
    pytest.importorskip("xdist")
    line = "pass: mrr of candidate - baseline"
    body = f"def test_it(record_property):\n    record_property('ranking_gate', '{line}')\n"
    out = project(body, "-p", "xdist", "-n1", begin="")
    assert f"test_search.py::test_it: {line}" in out


def test_the_plugin_loads_nothing_of_the_package():
    code = "import sys, sklearn_rank._pytest_plugin; print('numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "False\n", found.stderr
