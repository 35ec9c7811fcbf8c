"""The fixture `ranking_gate`, in runs of pytest of its own."""

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

# Before the runs within this process, which forget what they import first.
import sklearn_rank.statistics  # noqa: F401
from sklearn_rank._pytest_plugin import PROPERTY, _claim, _lines_of

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


def text_of_failures(out):
    """Return what pytest prints of failed tests, without the summaries that follow."""
    failures = out.partition("= FAILURES =")[2]
    return re.split(r"^=+ (?:warnings|short test) summary", failures, flags=re.MULTILINE)[0]


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
    assert "\nfail: mrr -0.0900, exact on these 30 queries, 30 differ, margin 0.01" in out
    assert "test_it.csv. If this is meant, write it again with --update-ranking-" in out
    assert "Traceback" not in out
    assert "def gate" not in out
    project(WORSE, UPDATE)
    assert "pass: mrr" in project(WORSE)


def test_repeats_have_columns(project, pytester):
    body = """
def run(shift, n):
    rng = np.random.default_rng(n)
    return [values(shift + 0.01 * n + rng.normal(0, 0.01, 30)) for n in range(n)]

def test_it(ranking_gate):
    found = ranking_gate(run({}, {}), margin=0.05{})
"""
    project(body.format(0, 3, ""), UPDATE)
    path = pytester.path / "baselines" / "test_search" / "test_it.csv"
    assert path.read_text().startswith("group,mrr,mrr #2,mrr #3\n")
    line = "5 and 3 repeats on these 30 queries"
    out = project(body.format(0, 5, "") + "    assert found.passes")
    assert line in out
    assert line in project(body.format(-0.2, 5, ""), passed=0, failed=1)
    assert "undecided: mrr" in project(body.format(-0.05, 5, ""), passed=0, failed=1)
    sample = body.format(0, 4, ", queries='sample'") + "    assert found.passes"
    assert "4 and 3 repeats; SD between queries" in project(
        sample + "\n    print(found)", "-s"
    )


def test_undecided_fails_unless_it_may_pass(project):
    noise = "np.tile([0.3, -0.3], 15)"
    project(SAME, UPDATE)
    sample = f"values({noise}), margin=0.01, queries='sample'"
    out = project(one_test(sample), passed=0, failed=1)
    assert "undecided: mrr" in out
    assert "undecided: mrr" in project(one_test(f"{sample}, undecided='pass'"))
    worse = one_test("values(-0.1 + OLD / 50), margin=0.01, undecided='pass'")
    assert "fail: mrr" in project(worse, passed=0, failed=1)


def test_other_queries_are_left_out_and_counted(project):
    project(SAME, UPDATE)
    other = "values(labels=[*range(1, 31)])"
    body = f"""
def test_it(ranking_gate):
    found = ranking_gate({other}, margin=0.05)
    assert found.notes == [
        "1 new query without a baseline, such as '30': left out, {UPDATE} adds them.",
        "1 query of the baseline not among the results, such as '0': left out, "
        "{UPDATE} drops them.",
    ]
"""
    assert "pass: mrr -0.0345, exact on these 29 queries" in project(body)
    few = one_test("values(labels=[*range(20, 50)]), margin=1")
    out = project(few, passed=0, failed=1)
    assert "have 10 of 30 queries in common (such as '30' and '0')" in out


def test_what_finds_nothing_is_no_baseline(project, pytester):
    zeros = one_test("values(-OLD), margin=1")
    out = project(zeros, UPDATE, passed=0, failed=1)
    assert "no value is above 0, so they cannot be a baseline" in out
    project(SAME, UPDATE)
    path = pytester.path / "baselines" / "test_search" / "test_it.csv"
    path.write_text("group,mrr\n" + "".join(f"{n},0.0\n" for n in range(30)))
    out = project(SAME, passed=0, failed=1)
    assert "The baseline has no value above 0: ids renamed, or a broken run?" in out


def test_the_margin_of_metrics_from_0_to_1(project):
    ranged = "per_query_scores(np.eye(8), np.eye(8), metrics='mrr')"
    begin = BEGIN + "from sklearn_rank.metrics import per_query_scores\n"
    project(one_test(ranged), UPDATE, begin=begin)
    assert "margin 0.05" in project(one_test(ranged), begin=begin)
    out = project(one_test("values()"), UPDATE, passed=0, failed=1)
    assert "`margin` is needed: mrr is not a metric from 0 to 1." in out


RULES = """
def test_it(ranking_gate):
    rules = {{"margin": {{"m": 0.05}}, "floor": {{"m": {floor}}}, "lower_is_better": "m"}}
    values = {{"m": dict(enumerate(OLD {change}))}}
    ranking_gate(values, value_range={{"m": (0, 2)}}, **rules)
"""


def test_other_numbers_have_rules(project):
    project(RULES.format(change="", floor=0.6), UPDATE)
    project(RULES.format(change="+ 0.04", floor=0.6))
    # Of another length: Python tells compiled files apart by seconds and lengths.
    out = project(RULES.format(change="+ 0.04", floor="0.50"), passed=0, failed=1)
    assert "\npass: m (lower is better) +0.0400, exact on these 30" in out
    assert (
        "\nfail: m (lower is better): mean 0.5400, exact on these 30 queries, floor" in out
    )
    assert "\n  +0.040 m  " in out
    out = project(RULES.format(change="+ 0.04", floor=0.6), UPDATE)
    assert (
        "wrote: m: the mean of these queries was 0.5000, and is 0.5400; 0 of 30 fell."
        in out
    )
    out = project(
        one_test("{'cost': {'a': 1.0, 'b': 2.0}}, margin=1"), UPDATE, passed=0, failed=1
    )
    assert (
        "lower is often better for 'cost': give its direction, lower_is_better={'cost'"
        in out
    )


def test_a_second_call_and_another_class_have_other_files(project, pytester):
    body = """
class TestOne:
    @pytest.mark.parametrize("size", ["a b", "c/d"])
    def test_it(self, ranking_gate, size):
        ranking_gate(values(), margin=0)
        ranking_gate(values(), margin=0)
        ranking_gate(values(), margin=0, baseline=f"own/{size[0]}.csv")
"""
    project(body, UPDATE, passed=2)
    files = {str(one.relative_to(pytester.path)) for one in pytester.path.rglob("*.csv")}
    names = sorted(re.sub("-[0-9a-f]{12}", "-DIGEST", name) for name in files)
    start = "baselines/test_search/TestOne_test_it_"
    shown = ("a_b_-DIGEST-2", "a_b_-DIGEST", "c_d_-DIGEST-2", "c_d_-DIGEST")
    assert names == [*(f"{start}{name}.csv" for name in shown), "own/a.csv", "own/c.csv"]
    project(body, passed=2)


def test_no_two_calls_share_a_file(project, pytester):
    body = """
@pytest.mark.parametrize("case", ["a/b", "a b", "a:b", "A b", "a" * 300, "a" * 299, "ü"])
def test_m(ranking_gate, case):
    ranking_gate(values(), margin=0)

def test_x(ranking_gate):
    ranking_gate(values(), margin=0)
    ranking_gate(values(), margin=0)

def test_x_2(ranking_gate):
    ranking_gate(values(), margin=0)

def test_X(ranking_gate):
    ranking_gate(values(), margin=0)

class TestM:
    def test_it(self, ranking_gate):
        ranking_gate(values(), margin=0)

class Testm:
    def test_it(self, ranking_gate):
        ranking_gate(values(), margin=0)
"""
    project(body, UPDATE, passed=12)
    files = {path.name for path in (pytester.path / "baselines/test_search").iterdir()}
    assert len({name.lower() for name in files}) == 13
    assert {"test_x.csv", "test_x-2.csv", "test_x_2.csv"} < files
    assert max(map(len, files)) < 130
    project(body, passed=12)


SHARED = """
@pytest.mark.parametrize("size", [0, 1])
def test_it(ranking_gate, size):
    ranking_gate(values(size / 100), margin=0, baseline="shared.csv")
"""


def test_a_session_writes_a_file_once(project, pytester):
    out = project(SHARED, UPDATE, passed=1, failed=1)
    assert (
        "ranking_gate: call 1 of test_search.py::test_it[0] and call 1 of "
        "test_search.py::test_it[1] write the same baseline, "
    ) in out
    assert "0,0.0\n" in (pytester.path / "shared.csv").read_text()
    # Nothing is left of it in the next session.
    project(SHARED.replace("[0, 1]", "[1]"), UPDATE)
    assert "0,0.01\n" in (pytester.path / "shared.csv").read_text()


def test_all_processes_write_a_file_once(project):
    pytest.importorskip("xdist")
    # Without the rest of the package, which each process would load.
    body = """
import pytest
from pathlib import Path
from sklearn_rank._pytest_plugin import _claim

@pytest.mark.parametrize("size", [0, 1])
def test_it(request, size):
    _claim(request, Path("shared.csv"), request.node.nodeid)
"""
    out = project(body, "-p", "xdist", "-n2", passed=1, failed=1, begin="")
    assert "write the same baseline, shared.csv. Name another `baseline` in one of" in out


def test_a_test_that_is_run_again_writes_again(project):
    again = """
@pytest.fixture(autouse=True)
def run_twice(request):
    yield

def test_it(request):
    from _pytest.runner import runtestprotocol
    # As plugins do that run a failed test again.
    item = next(one for one in request.session.items if one.name == "test_gate")
    runtestprotocol(item, nextitem=request.node, log=False)

def test_gate(ranking_gate):
    assert ranking_gate(values(), margin=0) is None
"""
    project(again, UPDATE, passed=2)


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
        ranking_gate(found.of(order), baseline="c.csv", margin=0, clusters=clusters),
    ]
    return both
"""
    project(body.replace("return both", "assert both == [None, None]"), UPDATE)
    assert (pytester.path / "b.csv").read_text().startswith("group,fold,mrr,map\n14,1,1.0,")
    out = project(
        body.replace("return both", "assert [one.passes for one in both] == [True] * 2")
    )
    assert out.count("pass: map: identical") == 2


@pytest.mark.parametrize("options", [(), (UPDATE,)])
@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("OLD, margin=0", "`values` must be a result of per_query_scores, a dict"),
        ("values(), margin=0, undecided='ok'", "`undecided` got 'ok'"),
        ("values(), margin=0, baseline=5", "`baseline` must be a path, got 5."),
        ("values(), margin=-1", "`margin` must be a finite number >= 0"),
        ("values(), margin=0, confidence_level=2", "`confidence_level`"),
        ("values(), margin=0, metrics='map'", "'map'"),
        ("values(), margin=0, metrics=5", "`metrics`"),
        ("values(), margin=0, clusters=[1, 2]", "`clusters`"),
        ("values(labels=[0, *range(29)]), margin=0", "quer"),
    ],
)
def test_bad_input_is_one_paragraph(project, pytester, call, said, options):
    project(SAME, UPDATE)
    before = [path.read_bytes() for path in pytester.path.rglob("*.csv")]
    out = project(one_test(call), *options, passed=0, failed=1)
    failure = text_of_failures(out)
    assert said in failure
    assert len(failure.splitlines()) < 7, failure
    assert [path.read_bytes() for path in pytester.path.rglob("*.csv")] == before


def test_a_metric_that_the_baseline_lacks(project):
    project(SAME, UPDATE)
    out = project(one_test("values(map=OLD), margin=0"), passed=0, failed=1)
    assert "The baseline has no 'map', only ['mrr']." in out


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.replace("1.0\n", "x\n"), "line 31: could not convert string to"),
        (lambda text: "", "the metrics are []"),
        (lambda text: "group\n0\n", "line 1: the metrics are []"),
        (lambda text: text.encode("utf-16"), "'utf-8' codec can't decode"),
        (lambda text: b"\xed\xa0\x80" + text.encode(), "'utf-8' codec can't decode"),
        (lambda text: text[: text.rindex(",")], "line 31: 1 cell(s) instead of 2, as in"),
        (lambda text: f"{text}30,0.5,0.5\n", "line 32: 3 cell(s) instead of 2"),
        (lambda text: f"{text}29,1.0\n", "line 32: query '29' is there twice"),
        (lambda text: text.replace("mrr", "mrr,mrr"), "line 1: the metrics are ['mrr', 'm"),
        (lambda text: f"{text}{'9' * 200_000},1\n", "line 32: field larger than field"),
        (lambda text: f'{text}"30,1\n', "line 32: unexpected end of data"),
        (lambda text: text.replace("1.0", "9" * 5000 + "x"), "line 31: could not convert"),
        (lambda text: text.replace("1.0", "inf"), "ranking_gate: "),
    ],
)
def test_a_damaged_file(project, pytester, damage, said):
    project(SAME, UPDATE)
    path = pytester.path / "baselines" / "test_search" / "test_it.csv"
    damaged = damage(path.read_text())
    path.write_bytes(damaged.encode() if isinstance(damaged, str) else damaged)
    out = project(SAME, passed=0, failed=1)
    failure = text_of_failures(out)
    assert said in failure
    assert len(failure.splitlines()) < 7, failure


def test_a_last_line_without_line_end_is_read(project, pytester):
    project(SAME, UPDATE)
    path = pytester.path / "baselines" / "test_search" / "test_it.csv"
    path.write_text(path.read_text().rstrip("\n"))
    project(SAME)


def test_a_fold_is_a_whole_number(project, pytester):
    body = one_test("PerQueryScores([*range(30)], {'mrr': OLD}, fold=[0] * 30), margin=0")
    project(body, UPDATE)
    path = pytester.path / "baselines" / "test_search" / "test_it.csv"
    for fold in ("inf", "0.5", ""):
        path.write_text(path.read_text().replace("\n29,0,", f"\n29,{fold},"))
        assert "line 31: invalid literal for int()" in project(body, passed=0, failed=1)


def test_a_job_on_github(project, pytester, monkeypatch):
    project(SAME, UPDATE)
    summary = pytester.path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    line = (BEGIN + WORSE).strip().splitlines().index("def test_it(ranking_gate):") + 1
    out = project(WORSE, passed=0, failed=1)
    said = f"\n::error file=test_search.py,line={line},title=gate::fail: mrr -0.0900"
    assert said in out
    assert "exact on these 30 queries" in out
    head, rule, row, _ = summary.read_text().split("\n", 3)
    assert (head, rule) == ("| Test | Ranking gate |", "| --- | --- |")
    assert row.startswith(r"| test\_search.py::test\_it | fail: mrr -0.0900")


def test_a_run_without_the_fixture_says_nothing(project):
    assert "ranking gates" not in project("def test_it(): pass")


def test_lines_cross_processes(project):
    pytest.importorskip("xdist")
    line = "pass: mrr +0.0000"
    body = f"def test_it(record_property):\n    record_property('ranking_gate', '{line}')\n"
    out = project(body, "-p", "xdist", "-n1", begin="")
    assert f"test_search.py::test_it: {line}" in out


def test_the_plugin_loads_only_pytest_and_the_standard_library():
    code = """
import sys, pytest
before = set(sys.modules)
import sklearn_rank._pytest_plugin
names = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(names - sys.stdlib_module_names))
print(sorted(name for name in sys.modules if name.startswith("sklearn_rank.")))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = ["_hints", "_hints._explain", "_pytest_plugin"]
    names = [f"sklearn_rank.{name}" for name in loaded]
    assert found.stdout == f"['sklearn_rank']\n{names}\n", found.stderr


def test_a_test_that_is_run_again_writes_its_file_again(tmp_path):
    # In a process of pytest-xdist, whose folder lies in that of all processes.
    base = SimpleNamespace(getbasetemp=lambda: tmp_path / "gw0")
    config = SimpleNamespace(workerinput={})
    request = SimpleNamespace(config=config, getfixturevalue=lambda name: base)
    for _ in range(2):
        _claim(request, tmp_path / "baseline.csv", "test_a")
    assert len([*tmp_path.iterdir()]) == 1
    with pytest.raises(pytest.fail.Exception, match="test_a and test_b write the same"):
        _claim(request, tmp_path / "baseline.csv", "test_b")


def test_verdicts_among_properties_of_others():
    properties = [("a", "b", "c"), ("other", "pass: x"), (PROPERTY, "no verdict")]
    report = pytest.TestReport(
        "test_a",
        ("a.py", 1, "a"),
        {},
        "passed",
        None,
        "teardown",
        user_properties=[*properties, (PROPERTY, "pass: ndcg")],
    )
    assert [*_lines_of(report)] == ["pass: ndcg"]
    report.user_properties = None
    assert not [*_lines_of(report)]
    report.when = "call"
    assert not [*_lines_of(report)]
    assert not [*_lines_of(None)]


HOSTILE = """
import pytest

class Odd:
    def __iter__(self):
        raise RuntimeError

    def __eq__(self, other):
        raise RuntimeError

@pytest.mark.parametrize("properties", [
    [("a", "b", "c")],
    [Odd(), 5, None, (), "ranking_gate", {"ranking_gate": 1}, (Odd(), Odd())],
    [("ranking_gate", 5), ("ranking_gate", None), ("ranking_gate", Odd())],
    [("ranking_gate", "no verdict")],
    None,
])
def test_other(request, properties):
    request.node.user_properties = properties
"""


def test_a_foreign_project_is_left_alone(pytester, monkeypatch):
    pytester.makepyfile(test_other=HOSTILE)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    result = pytester.runpytest_subprocess(*PLUGIN)
    result.assert_outcomes(passed=5)
    out = result.stdout.str() + result.stderr.str()
    assert result.ret == 0, out
    for text in ("Traceback", "INTERNALERROR", "ranking gates", "Cannot write"):
        assert text not in out


def test_a_summary_that_cannot_be_opened_is_one_line(project, pytester, monkeypatch):
    project(SAME, UPDATE)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path))
    out = project(SAME)
    assert f"\nCannot write the summary {str(pytester.path)!r}: " in out


def test_odd_text_reaches_the_summary(project, pytester, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    line = r"pass: \ud800 {1}"
    project(
        f"def test_it(record_property):\n    record_property('ranking_gate', '{line}')\n"
    )
    assert "pass: " in (pytester.path / "summary.md").read_text()


def test_a_baseline_has_all_metrics_of_each_repeat(project, pytester):
    body = one_test("[values(map=OLD), values(0.01, map=OLD)], margin=0.1")
    project(body, UPDATE)
    path = pytester.path / "baselines" / "test_search" / "test_it.csv"
    rows = [line.split(",") for line in path.read_text().splitlines()]
    lost = rows[0].index("map #2")
    kept = [",".join(row[:lost] + row[lost + 1 :]) for row in rows]
    path.write_text("\n".join(kept) + "\n")
    out = project(body, passed=0, failed=1)
    assert "The baseline has no 'map #2'." in text_of_failures(out)
