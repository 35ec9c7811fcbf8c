"""The verdict on a golden set that a reasonable person expects, in each way of calling."""

import json
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from sklearn_rank import _pytest_plugin
from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import gate_model
from sklearn_rank.statistics._gate_rules import GateRules, finds_nothing

# In a process of its own, warnings are notes.
pytestmark = pytest.mark.filterwarnings("always::UserWarning")
# Without an installed package nobody registers the fixture.
ranking_gate = _pytest_plugin.ranking_gate
N = 40
METRICS = ["mrr@10", "recall@5"]
QUERIES = [f"q{n:03}" for n in range(N)]
GOLDEN = {query: {f"{query}-a": 1, f"{query}-b": 1} for query in QUERIES}
OTHERS = [f"x{n}" for n in range(20)]


def listed(query, first=1, length=12):
    """Return a list with the relevant items at `first` and the place after it."""
    items = OTHERS[:length]
    items[first - 1 : first + 1] = list(GOLDEN[query])
    return items


OLD = {query: listed(query) for query in QUERIES}


def fall(n, first=6):
    """Return lists of which n have their relevant items further down."""
    return OLD | {query: listed(query, first) for query in QUERIES[:n]}


def emptied(n):
    return OLD | {query: [] for query in QUERIES[:n]}


def renamed(value):
    if isinstance(value, str):
        return f"new/{value}"
    if isinstance(value, dict):
        return {renamed(item): grade for item, grade in value.items()}
    return [renamed(item) for item in value]


def all_renamed(mapping):
    return {query: renamed(value) for query, value in mapping.items()}


def other_queries(mapping):
    return {f"r{query}": value for query, value in mapping.items()}


def without(mapping, n):
    return {query: mapping[query] for query in QUERIES[n:]}


def more(mapping, make):
    return mapping | {f"new{n}": make(n) for n in range(5)}


def corrected(n):
    return GOLDEN | {query: {f"{query}-a": 1} for query in QUERIES[:n]}


def with_distances(lists):
    """Return objects in the order of the lists, with distances that rise."""
    return {
        query: [{"id": item, "score": n / 10} for n, item in enumerate(items)]
        for query, items in lists.items()
    }


def by_distance(lists):
    """Return distances by item, which are read as scores."""
    return {
        query: {item: n / 10 for n, item in enumerate(of)} for query, of in lists.items()
    }


MORE = more(GOLDEN, lambda n: {f"new{n}-a": 1})
MORE_LISTS = more(OLD, lambda n: [f"new{n}-a", "x1"])
SHUFFLED_BELOW = {query: [*items[:10], *items[:9:-1]] for query, items in OLD.items()}
TWICE = OLD | {QUERIES[0]: [*OLD[QUERIES[0]], OLD[QUERIES[0]][0]]}


class Scenario(NamedTuple):
    """A change of lists and golden set; the baseline was written with OLD and GOLDEN."""

    lists: Any
    golden: Any
    verdict: str
    words: str = ""  # of a note or an error of the command
    # Verdicts of ways that know less, or more: "lists" scores old lists by the golden set
    # of the change, "values" do not know judgments, "python" needs the same queries.
    others: Mapping[str, str] = MappingProxyType({})


SCENARIOS = {
    "no change": Scenario(OLD, GOLDEN, "pass", "identical on all 40"),
    "shuffled below the cutoff": Scenario(SHUFFLED_BELOW, GOLDEN, "pass", "identical on"),
    "two queries fall": Scenario(fall(2), GOLDEN, "pass", "mrr@10 -0.0417, exact on th"),
    "ten queries fall": Scenario(fall(10), GOLDEN, "fail", "mrr@10 -0.2083"),
    "all fall": Scenario(fall(N), GOLDEN, "fail", "mrr@10 -0.8333"),
    "all lists are empty": Scenario(emptied(40), GOLDEN, "fail", "-1.0000"),
    "five lists are empty": Scenario(emptied(5), GOLDEN, "fail"),
    "five lists are missing": Scenario(without(OLD, 5), GOLDEN, "fail", "5 of 40 queries"),
    "ids of the lists renamed": Scenario(all_renamed(OLD), GOLDEN, "fail", "-1.0000"),
    "ids of the golden set renamed": Scenario(
        OLD,
        all_renamed(GOLDEN),
        "error",
        "The judgments of all 40 queries have changed",
        {"values": "fail"},
    ),
    "ids of both renamed": Scenario(
        *(all_renamed(OLD), all_renamed(GOLDEN)),
        *("error", "The judgments of all 40 queries have changed", {"values": "pass"}),
    ),
    "questions added": Scenario(
        MORE_LISTS, MORE, "pass", "5 new queries without a baseline", {"python": "error"}
    ),
    "questions added and a loss": Scenario(
        MORE_LISTS | fall(10), MORE, "fail", "-0.2083", {"python": "error"}
    ),
    "questions removed": Scenario(
        *(without(OLD, 5), without(GOLDEN, 5)),
        *("pass", "5 queries of the baseline", {"lists": "pass", "python": "error"}),
    ),
    "most questions removed": Scenario(
        *(without(OLD, 25), without(GOLDEN, 25)), *("error", "15 of 40", {"lists": "pass"})
    ),
    "questions renamed": Scenario(
        *(other_queries(OLD), other_queries(GOLDEN)),
        *("error", "0 of 40 queries in common"),
    ),
    "a label corrected": Scenario(
        OLD, corrected(1), "pass", "1 query whose judgments have changed"
    ),
    "a label corrected beside a loss": Scenario(fall(12), corrected(1), "fail", "11 diff"),
    "a chunk twice": Scenario(TWICE, GOLDEN, "error", "--duplicates first"),
    "repeats": Scenario(
        [(query, items, n) for query, items in OLD.items() for n in (1, 2)],
        *(GOLDEN, "pass", "", {"python": "error", "fixture": "error"}),
    ),
    "objects with distances": Scenario(with_distances(OLD), GOLDEN, "pass", "rise"),
    "distances as scores": Scenario(by_distance(OLD), GOLDEN, "fail", "rise in score"),
}


def as_lines(mapping, name):
    """Return a row for each query, with the number of the list where it has one."""
    rows = mapping.items() if isinstance(mapping, dict) else mapping
    keys = ("query", name, "run")
    return "".join(json.dumps(dict(zip(keys, r, strict=False))) + "\n" for r in rows)


@pytest.fixture
def files(write):
    """Write the golden set, and return a function that writes both sides."""

    def write_both(lists, golden):
        return (
            write(as_lines(lists, "retrieved"), "results.jsonl"),
            write(as_lines(golden, "relevant_ids"), "golden.jsonl"),
        )

    return write_both


@pytest.fixture
def baseline(run, files):
    """Write the baseline of OLD beside the golden set."""
    code, out, err = run("gate", *files(OLD, GOLDEN), "-m", ",".join(METRICS), "--update")
    assert (code, err) == (0, "")
    assert out.endswith("golden.baseline.csv: 40 queries, mrr@10, recall@5. Commit it.\n")


@pytest.fixture
def gate_in_a_test(request, monkeypatch, ranking_gate, tmp_path):
    """Call the fixture of pytest: with old values it writes, with new ones it compares."""
    path = tmp_path / "of_the_fixture.csv"

    def call(old, new, **rules):
        for values, writes in ((old, True), (new, False)):
            # Its second name is the one that pytest asks for where nobody registered it.
            for name in ("update_ranking_baselines", _pytest_plugin.OPTION):
                monkeypatch.setattr(request.config.option, name, writes, raising=False)
            try:
                gate = ranking_gate(values, baseline=path, **rules)
            except pytest.fail.Exception as failed:
                verdict = str(failed).partition(":")[0]
                return verdict if verdict in CODES else "error"
            finally:
                request.node.user_properties.clear()  # or the summary shows them
        return gate.verdict

    return call


CODES = {"pass": 0, "fail": 1, "undecided": 2, "error": 3}


def verdict_of(code):
    return next(verdict for verdict, number in CODES.items() if number == code)


def in_python(old, new, **rules):
    try:
        return gate_model(old, new, queries="fixed", **rules).verdict
    except ValueError:
        return "error"


def scores_of(files, lists, golden):
    results, truth = files(lists, golden)
    with warnings.catch_warnings(action="ignore"):
        return per_query_scores(**from_files(truth, results), metrics=METRICS)


def expected(scenario, *ways):
    """Return the verdict of a way that may have one of its own."""
    others = scenario.others
    return next((others[way] for way in ways if way in others), scenario.verdict)


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_with_a_file_beside_the_golden_set(run, files, scenario):
    both = files(scenario.lists, scenario.golden)
    code, out, err = run("gate", *both)
    assert verdict_of(code) == scenario.verdict, out + err
    assert scenario.words in out + err
    # The other order, of people who come from trec_eval.
    assert run("gate", *reversed(both))[:2] == (code, out)


def test_values_of_the_baseline_are_equal_though_it_has_fewer_decimals(run, files):
    """A logarithm in nDCG has more decimals than the file."""
    both = files({q: listed(q, 1 + n % 9) for n, q in enumerate(QUERIES)}, GOLDEN)
    assert run("gate", *both, "--update")[0] == 0
    code, out, err = run("gate", *both)
    assert (code, err) == (0, "")
    assert out == "pass: ndcg@10: identical on all 40 queries, margin 0.05\n"


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_with_lists_as_the_baseline(run, files, write, scenario):
    """Old lists are scored by the golden set of the change: its labels are no change."""
    old = write(as_lines(OLD, "retrieved"), "old.jsonl")
    both = files(scenario.lists, scenario.golden)
    code, out, err = run("gate", *both, "--baseline", old, "-m", ",".join(METRICS))
    assert verdict_of(code) == expected(scenario, "lists"), out + err
    if "judgments" in scenario.words and code == 3:
        assert "has no value above 0: ids renamed, or a broken run?" in err


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_with_tables_of_values(run, files, tmp_path, scenario):
    paths = tmp_path / "old.csv", tmp_path / "new.csv"
    sides = (OLD, GOLDEN), (scenario.lists, scenario.golden)
    code = 0
    for side, path in zip(sides, paths, strict=True):
        options = ("-m", ",".join(METRICS), "-o", path)
        code = code or (run("evaluate", *files(*side), *options)[0] and 3)
    if not code:
        code = run("gate", "--baseline", paths[0], "--candidate", paths[1])[0]
    assert verdict_of(code) == expected(scenario, "tables", "values")


@pytest.mark.parametrize("way", ["python", "fixture"])
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_with_values_in_python(files, gate_in_a_test, scenario, way):
    try:
        sides = (OLD, GOLDEN), (scenario.lists, scenario.golden)
        old, new = (scores_of(files, *side) for side in sides)
    except (ValueError, TypeError):  # from_files returns a dict by repeat
        verdict = "error"
    else:
        judge = gate_in_a_test if way == "fixture" else in_python
        verdict = judge(old, new, margin=0.05)
    assert verdict == expected(scenario, way, "values")


TOOLS = {  # old and new values, and the verdict if high, and if low is better
    "as before": ([0.5, 0.6, 0.9], [0.5, 0.6, 0.9], "pass", "pass"),
    "higher": ([0.5, 0.6, 0.7], [0.7, 0.9, 0.9], "pass", "fail"),
    "lower": ([0.7, 0.9, 0.9], [0.5, 0.6, 0.7], "fail", "pass"),
    "a little": ([0.7, 0.9, 0.9], [0.68, 0.91, 0.85], "pass", "pass"),
    "nothing": ([0.0, 0.0, 0.0], [0.5, 0.5, 0.5], "error", "fail"),
}


@pytest.mark.parametrize("way", ["tables", "python", "fixture"])
@pytest.mark.parametrize(("name", "is_low"), [("faithfulness", False), ("cost", True)])
@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_scores_of_other_tools(run, write, gate_in_a_test, tool, name, is_low, way):
    old, new, *verdicts = tool
    labels = "abc"
    rules = {"margin": 0.05, "value_range": {name: (0, 1)}}
    rules |= {"lower_is_better": name} if is_low else {}
    if way == "tables":
        paths = [
            write(
                f"query,{name}\n"
                + "".join(f"{q},{v}\n" for q, v in zip(labels, values, strict=True)),
                f"{side}.csv",
            )
            for side, values in (("old", old), ("new", new))
        ]
        options = ["--range", f"{name}=0,1"] + ["--lower-is-better", name] * is_low
        sides = ("--baseline", paths[0], "--candidate", paths[1])
        verdict = verdict_of(run("gate", *sides, *options)[0])
    else:
        judge = gate_in_a_test if way == "fixture" else in_python
        sides = ({name: dict(zip(labels, v, strict=True))} for v in (old, new))
        verdict = judge(*sides, **rules)
    if way == "python" and verdicts[is_low] == "error":
        verdicts[is_low] = "pass"  # values of any two systems, and none is a baseline
    assert verdict == verdicts[is_low]


def test_there_is_no_baseline_yet(run, files, tmp_path):
    results, golden = files(OLD, GOLDEN)
    code, _, err = run("gate", results, golden)
    assert code == 3
    path = str(tmp_path / "golden.baseline.csv")
    assert err == (
        f"sklearn-rank: error: There is no baseline {path!r} yet; write it with: "
        f"sklearn-rank gate {results} {golden} --update\n"
    )
    code, _, err = run("gate", results, golden, "--baseline", "missing.csv")
    assert (code, "There is no file 'missing.csv'" in err, "--update" in err) == (
        3,
        True,
        False,
    )


@pytest.mark.usefixtures("baseline")
def test_the_worst_queries_and_their_texts(run, files, write):
    results, _ = files(fall(2, 12), GOLDEN)
    golden = write(
        "".join(
            json.dumps({"id": q, "question": f"How {q}?", "relevant_ids": list(v)}) + "\n"
            for q, v in GOLDEN.items()
        ),
        "golden.jsonl",
    )
    code, out, _ = run("gate", results, golden, "--margin", 0.01)
    assert code == 1
    assert out.splitlines()[2:] == [
        "  -1.000 mrr@10  How q000?",
        "  -1.000 mrr@10  How q001?",
        "  -1.000 recall@5  How q000?",
    ]


@pytest.mark.usefixtures("baseline")
def test_a_category_can_only_fail(run, files, write):
    results, _ = files(fall(2, 12), GOLDEN)
    rows = (
        {"query": q, "relevant_ids": list(v), "kind": ["all", "few" if n < 4 else "many"]}
        for n, (q, v) in enumerate(GOLDEN.items())
    )
    golden = write("".join(json.dumps(row) + "\n" for row in rows), "golden.jsonl")
    code, out, _ = run("gate", results, golden, "--margin", 0.2, "--by", "kind")
    assert code == 1
    assert "fail: kind few: mrr@10 -0.5000, exact on these 4 queries, 2 differ" in out
    assert "\npass: kind all: mrr@10 -0.0500, exact on these 40 queries" in out
    assert "\npass: kind many: mrr@10: identical on all 36 queries" in out
    code, _, err = run("gate", results, golden, "--by", "size")
    assert (code, "has no field 'size' of --by; it has: query, " in err) == (3, True)


@pytest.mark.usefixtures("baseline")
def test_a_sample_of_queries(run, files):
    code, out, err = run("gate", *files(fall(10), GOLDEN), "--queries", "sample")
    assert code == 1
    assert re.search(
        r"fail: mrr@10 -0.2083, 95% interval \[.*\], margin 0.05, a sample of", out
    )
    code, out, err = run("gate", *files(fall(3, 2), GOLDEN), "--queries", "sample")
    assert code == 2
    assert re.search(
        r"mrr@10: 40 queries cannot tell; about [\d,]+ queries of this kind co", err
    )
    code, out, _ = run("gate", *files(OLD, GOLDEN), "--queries", "sample", "--margin", 0.02)
    assert code == 2
    assert (
        "identical on all 40 queries; 183 such queries could rule out a loss of 0." in out
    )


@pytest.mark.usefixtures("baseline")
def test_update_says_what_changes(run, files):
    code, out, _ = run("gate", *files(fall(10), GOLDEN), "--update")
    assert code == 0
    assert out.splitlines()[0] == (
        "mrr@10: the mean of these queries was 1.0000, and is 0.7917; 10 of 40 fell."
    )
    assert run("gate", *files(fall(10), GOLDEN))[0] == 0


def test_values_that_a_table_rounds_do_not_fall(run, write):
    golden = write('{"query": "q1", "relevant_ids": ["a"]}', "golden.jsonl")
    results = write('{"query": "q1", "retrieved": ["b", "c", "a"]}', "results.jsonl")
    for _ in range(2):
        out = run("gate", results, golden, "-m", "mrr@10", "--update")[1]
    assert out.startswith(
        "mrr@10: the mean of these queries was 0.3333, and is 0.3333; 0 of 1 fell."
    )


@pytest.mark.parametrize("lists", [{query: ["x1"] for query in QUERIES}, all_renamed(OLD)])
def test_update_refuses_what_finds_nothing(run, files, tmp_path, lists):
    code, _, err = run("gate", *files(lists, GOLDEN), "--update")
    assert code == 3
    assert "so it cannot be a baseline: ids renamed, or a broken run?" in err
    assert not (tmp_path / "golden.baseline.csv").exists()


@pytest.mark.usefixtures("baseline")
def test_another_definition_is_refused(run, files, tmp_path):
    both = files(OLD, GOLDEN)
    code, _, err = run("gate", *both, "-m", "ndcg@10")
    assert code == 3
    assert "has no values of ndcg@10; it has: mrr@10, recall@5. Name these" in err
    code, _, err = run("gate", *both, "--convention", "trec_eval")
    assert (code, "--convention is trec_eval; name that of the file" in err) == (3, True)
    run("gate", *both, "-m", "map", "--convention", "trec_eval", "--update")
    text = (tmp_path / "golden.baseline.csv").read_text()
    assert text.startswith("query,map [trec_eval],judgments\n")
    assert run("gate", *both, "--convention", "trec_eval")[0] == 0
    assert run("gate", *both)[0] == 3


def test_a_broken_baseline(run, files, write):
    zeros = "".join(f"{q},0.0\n" for q in QUERIES)
    write(f"query,mrr@10\n{zeros}", "golden.baseline.csv")
    code, _, err = run("gate", *files(OLD, GOLDEN))
    assert (code, "has no value above 0: ids renamed, or a broken run?" in err) == (3, True)


@pytest.fixture
def tools(write):
    """Write tables of numbers of other tools; return the call that compares them."""
    old = "query,faithfulness,latency_ms\n" + "".join(
        f"q{n},0.{n},{n}\n" for n in range(1, 9)
    )
    new = old.replace("q1,0.1,1", "q1,0.05,9")
    sides = write(old, "old.csv"), write(new, "new.csv")
    return ("gate", "--baseline", sides[0], "--candidate", sides[1])


LOW = ("--lower-is-better", "latency_ms")


def test_numbers_of_other_tools(run, tools):
    code, _, err = run(*tools)
    said = (
        "give its direction, --lower-is-better latency_ms or --higher-is-better latency_ms."
    )
    assert (code, said in err) == (3, True)
    code, _, err = run(*tools, *LOW, "--margin", "latency_ms=2")
    said = "needed: faithfulness is not a metric from 0 to 1; or leave it out: --metric lat"
    assert (code, said in err) == (3, True)
    ranged = (*tools, "--range", "faithfulness=0,1", "--margin", "latency_ms=2")
    code, out, err = run(*ranged, *LOW)
    assert code == 0
    assert out.splitlines() == [
        "pass: faithfulness -0.0063, exact on these 8 queries, 1 differs, margin 0.05",
        "pass: latency_ms (lower is better) +1.0000, exact on these 8 queries, 1 differs, "
        "margin 2",
    ]
    note = "'faithfulness' is not a metric of this package: higher is taken as better.\n"
    assert err == f"sklearn-rank: note: {note}"
    assert run(*ranged, *LOW, "--margin", "0.5")[0] == 1
    both = ("--higher-is-better", "latency_ms,faithfulness")
    assert run(*ranged, *both, "--margin", "0.5")[::2] == (0, "")


def test_a_range_of_a_sample(run, tools):
    sample = (*tools, *LOW, "--margin", "0.5", "-m", "faithfulness", "--queries", "sample")
    code, _, err = run(*sample)
    assert code == 3  # latency_ms is no metric of this call
    sample = (*tools, "--margin", "0.5", "-m", "faithfulness", "--queries", "sample")
    code, _, err = run(*sample)
    assert (
        "differ; with --range, its lowest and highest value, the interval is exact" in err
    )
    code, _, err = run(*sample, "--range", "faithfulness=0,1")
    assert (code, "--range" in err) == (0, False)
    anytime = (*sample[:-2], "--anytime")
    assert "are not known of 'faithfulness'" in run(*anytime)[2]
    assert run(*anytime, "--range", "faithfulness=0,1")[0] == 2


@pytest.mark.usefixtures("baseline")
def test_margins_and_floors_by_metric(run, files):
    both = files(fall(10), GOLDEN)
    by_metric = ("--margin", "mrr@10=0.3,recall@5=0.3", "--floor", "recall@5=0.85")
    code, out, _ = run("gate", *both, *by_metric)
    assert code == 1
    assert out.splitlines()[:3] == [
        "pass: mrr@10 -0.2083, exact on these 40 queries, 10 differ, margin 0.3",
        "pass: recall@5 -0.2500, exact on these 40 queries, 10 differ, margin 0.3",
        "fail: recall@5: mean 0.7500, exact on these 40 queries, floor 0.85",
    ]
    found = json.loads(run("gate", *both, *by_metric, "--json")[1])
    assert [row["margin"] for row in found["rows"]] == [0.3, 0.3]
    (floor,) = found["floors"]
    assert (floor["metric"], floor["mean"], floor["verdict"]) == ("recall@5", 0.75, "fail")
    assert run("gate", *both, "--margin", "0.3", "--floor", "0.7")[0] == 0
    # A metric that is not named has the usual margin.
    code, out, _ = run("gate", *both, "--margin", "mrr@10=0.3")
    assert (code, "fail: recall@5 -0.2500" in out, "margin 0.05" in out) == (1, True, True)
    code, _, err = run("gate", *both, "--floor", "recall=0.7")
    assert (code, "--floor got 'recall'. Did you mean 'recall@5'?" in err) == (3, True)


@pytest.mark.usefixtures("baseline")
def test_queries_that_belong_together(run, files, write):
    """Two conversations with one loss each are two values, whatever their questions."""
    results, _ = files(fall(20), GOLDEN)
    rows = (
        {"query": q, "relevant_ids": list(v), "talk": None if n > 37 else n % 5}
        for n, (q, v) in enumerate(GOLDEN.items())
    )
    golden = write("".join(json.dumps(row) + "\n" for row in rows), "golden.jsonl")
    sample = ("gate", results, golden, "--queries", "sample", "--cluster", "talk")
    code, out, err = run(*sample, "--json")
    assert json.loads(out)["rows"][0]["n_clusters"] == 7
    assert re.search("2 queries of .* without 'talk'", err)
    code, _, err = run(*sample[:3], "--cluster", "talk")
    assert (code, "add --queries sample" in err) == (3, True)
    code, _, err = run(*sample[:-1], "turn")
    assert (code, "has no field 'turn' of --cluster; it has: query, " in err) == (3, True)
    old = write(as_lines(OLD, "retrieved"), "old.jsonl")
    compare = ("compare", old, results, "--truth", golden, "-m", "AP", "--cluster", "talk")
    (row,) = json.loads(run(*compare, "--json")[1])["rows"]
    assert (row["n_clusters"], row["metric"]) == (7, "AP")
    assert row["definition"] == "map(denominator='relevant')"
    code, _, err = run("compare", old, results, "--cluster", "talk")
    assert (code, "--cluster is a field of a golden set" in err) == (2, True)


@pytest.mark.usefixtures("baseline")
def test_update_counts_empty_lists(run, files):
    out = run("gate", *files(emptied(5), GOLDEN), "--update")[1]
    assert out.splitlines()[:3] == [
        "mrr@10: the mean of these queries was 1.0000, and is 0.8750; 5 of 40 fell.",
        "recall@5: the mean of these queries was 1.0000, and is 0.8750; 5 of 40 fell.",
        "5 of 40 queries have an empty list.",
    ]


def test_lists_of_the_baseline_that_are_missing_are_no_empty_lists(run, files, write):
    old = write(as_lines(without(OLD, 5), "retrieved"), "old.jsonl")
    code, out, err = run("gate", *files(fall(1), GOLDEN), "--baseline", old)
    assert (code, "these 35 queries" in out or "all 35 queries" in out) == (0, True)
    assert err.count("note: ") == 1
    assert "5 new queries without a baseline, such as 'q000': left out" in err


def runs_of(n_repeats, shift=0):
    """Return lists of several repeats; each repeat loses other queries."""
    return [
        (query, ["none"] if (code + 3 * n) % 20 < shift else items, n)
        for code, (query, items) in enumerate(OLD.items())
        for n in range(1, n_repeats + 1)
    ]


def test_repeats_of_one_file(run, files, write, tmp_path):
    _, golden = files(OLD, GOLDEN)
    results = write(as_lines(runs_of(3, 2), "retrieved"), "results.jsonl")
    code, out, err = run("gate", results, golden, "-m", "mrr@10,recall@5", "--update")
    assert (code, "40 queries in 3 repeats" in out) == (0, True), err
    table = (Path(golden).parent / "golden.baseline.csv").read_text().splitlines()
    columns = "query,mrr@10,recall@5,mrr@10 #2,recall@5 #2,mrr@10 #3,recall@5 #3,judgments"
    assert table[0] == columns
    code, out, err = run("gate", results, golden)
    assert code == 0, out + err
    assert "3 and 3 repeats on these 40 queries" in out or "exact on these 40" in out
    worse = write(as_lines(runs_of(4, 12), "retrieved"), "worse.jsonl")
    code, out, _ = run("gate", worse, golden, "--json")
    assert code == 1
    row = json.loads(out)["rows"][0]
    assert (row["metric"], row["n_repeats"]) == ("mrr@10", [4, 3])
    code, out, _ = run("gate", worse, golden, "--queries", "sample")
    assert (code, "a sample of 40 queries" in out) == (1, True)
    code, out, err = run("compare", results, worse, "--truth", golden, "-m", "mrr@10")
    assert (code, "worse - results: 4 and 3 repeats; SD between queries" in out) == (
        0,
        True,
    )


def test_several_files_are_repeats(run, files, write):
    _, golden = files(OLD, GOLDEN)
    paths = {}
    for side, shift in (("old", 2), ("new", 3)):
        for n in (1, 2, 3):
            lists = {query: items for query, items, run in runs_of(3, shift) if run == n}
            of = write(as_lines(lists, "retrieved"), f"{side}{n}.jsonl")
            values = Path(of).with_suffix(".csv")
            assert run("evaluate", of, golden, "-m", "mrr@10", "-o", values)[0] == 0
            paths.setdefault(side, []).append((of, values))
    tables = {side: [values for _, values in of] for side, of in paths.items()}
    lists = {side: [path for path, _ in of] for side, of in paths.items()}
    options = ("--margin", 0.3)
    sides = "--baseline", *tables["old"], "--candidate", *tables["new"]
    by_tables = run("gate", *sides, *options)
    sides = "--baseline", *lists["old"], "--candidate", *lists["new"], "--truth", golden
    by_lists = run("gate", *sides, *options, "-m", "mrr@10")
    assert by_tables[:2] == by_lists[:2]
    assert by_tables[0] == 0
    # Lists that follow --baseline are RESULTS and GOLDEN.
    one = run(
        "gate", "--baseline", lists["old"][0], lists["new"][0], golden, "-m", "mrr@10"
    )
    assert one[0] in (0, 1)
    shorter = tables["new"][2].read_text().splitlines()[:-1]
    tables["new"][2].write_text("\n".join(shorter) + "\n")
    sides = "--baseline", *tables["old"], "--candidate", *tables["new"]
    code, _, err = run("gate", *sides, *options)
    assert (code, "new3.csv' lacks query 'q039'" in err) == (3, True), err
    code, _, err = run("gate", *sides[:5], tables["new"][0], *options, "--anytime")
    assert (code, "has no form for several repeats" in err) == (3, True)


def test_one_file_with_both_sides(run, files, write):
    rows = [
        {"query": q, "retrieved": OLD[q], "relevant_ids": [*GOLDEN[q]]} for q in QUERIES
    ]
    both = write("".join(json.dumps(row) + "\n" for row in rows), "both.jsonl")
    assert run("gate", both, "--update", "-m", "mrr@10")[0] == 0
    assert run("gate", both)[:2] == run("gate", both, both)[:2]
    assert run("gate", both)[1].startswith("pass: mrr@10: identical on all 40 queries")
    lists, golden = files(OLD, GOLDEN)
    end = f"is a run; name the golden set: sklearn-rank gate {lists} GOLDEN\n"
    assert run("gate", lists)[2].endswith(end)
    assert "sklearn-rank gate RESULTS " in run("gate", golden)[2]


@pytest.mark.usefixtures("baseline")
def test_files_of_the_verdict(run, files, tmp_path):
    both = files(fall(10), GOLDEN)
    for ending in ("csv", "json", "html"):
        assert run("gate", *both, "-o", tmp_path / f"out.{ending}")[0] == 1
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["verdict"], found["rows"][0]["definition"]) == ("fail", "mrr@10")
    assert found["rows"][0]["metric"] == "mrr@10"
    assert found["worst"][0]["query"] == "q000"
    assert "<html" in (tmp_path / "out.html").read_text()
    assert (tmp_path / "out.csv").read_text().startswith("query,mrr@10,recall@5\nq000,0.1")
    code, out, err = run("gate", *both, "--json")
    assert (code, json.loads(out)["verdict"], err) == (1, "fail", "")
    code, _, err = run("gate", *both, "-o", tmp_path / "out.txt")
    assert (code, "needs one of the endings .csv, .json, .html" in err) == (3, True)


@pytest.mark.usefixtures("baseline")
def test_a_summary_of_a_job(run, files, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    both = files(fall(10), GOLDEN)
    code, out, _ = run("gate", *both, "--markdown", summary, on_github=True)
    lines = summary.read_text().splitlines()
    assert lines[0] == "before"
    assert "### fail: candidate against baseline" in lines
    assert "::error title=gate::fail: mrr@10 -0.2083" in out
    both = files(MORE_LISTS, MORE)
    err = run("gate", *both, "--markdown", summary)[2]
    assert "5 new queries without a baseline" in err
    assert f"\n\nNote: {err.partition('note: ')[2]}" in summary.read_text()
    golden = both[1]
    before = golden.read_text()
    assert run("gate", *both, "--markdown", golden)[0] == 3
    assert golden.read_text() == before
    code, _, err = run("gate", *both, "--markdown", tmp_path / "none" / "summary.md")
    assert (code, "Cannot write" in err) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["r.jsonl", "g.jsonl", "--truth", "t"], "Name the golden set once"),
        (["r.jsonl", "--candidate", "c"], "Name the results once"),
        (["r1", "r2", "r3", "g"], "write --candidate r1 r2 r3 --truth g.\n"),
        ([], "gate needs RESULTS and GOLDEN"),
        (["r", "g", "--anytime", "--queries", "fixed"], "--anytime is about a sample"),
        (
            ["--baseline", "a", "--candidate", "b", "--update"],
            "--update needs RESULTS and G",
        ),
        (["r", "g", "--margin", "-0.1"], "--margin: needs a number from 0"),
        (["r", "g", "--margin", "m=x"], "--margin: needs a number from 0, got 'x'"),
        (["r", "g", "--margin", "m=1,2"], "--margin: needs NAME=NUMBER, got 'm=1,2'"),
        (["r", "g", "--margin", "1,m=2"], "--margin: needs NAME=..., got '1,m=2'"),
        (["r", "g", "--range", "0,1"], "--range: needs NAME=..., got '0,1'"),
        (["r", "g", "--range", "m=1,0"], "--range: needs NAME=LOW,HIGH, got 'm=1,0'"),
        (["r", "g", "--cluster", "c"], "--cluster is about a sample"),
        (
            ["--baseline=a", "--candidate=b", "--queries=sample", "--cluster=c"],
            "--cluster is a field of a golden set; name GOLDEN.",
        ),
        (["r", "g", "--threshold", "1"], "Write --margin M (the largest loss) or --floor"),
        (["r", "g", "--golden", "g"], "Write GOLDEN, without an option, or --truth GOLDEN"),
        (["r", "g", "--marginal", "1"], "gate has no option --marginal; sklearn-rank gate"),
        (["r", "g", "--margins=.1"], "--help lists all. Did you mean --margin?"),
        (["r", "g", "--queries", "both"], "invalid choice: 'both'"),
        (["missing", "g"], "There is no file 'missing'; check the name and the folder."),
    ],
)
def test_wrong_arguments(run, arguments, said):
    code, _, err = run("gate", *arguments)
    assert (code, err.count("\n")) == (3, 1)
    assert said in err


def test_looks_at_any_time(run, write):
    text = "query,ndcg@10\n" + "".join(f"q{n},{0.5 + n % 5 / 10}\n" for n in range(60))
    old, new = write(text, "old.csv"), write(text.rstrip("\n")[:-2], "new.csv")
    call = ("gate", "--baseline", old, "--candidate", new, "--margin", 0.3, "--anytime")
    code, out, err = run(*call)
    assert (code, "a sample of 59" in out or "all 59" in out) in ((0, True), (2, True))
    assert "has no line end: it is still being written, and is left out" in err
    code, _, err = run(*call[:-3], "--anytime", "--margin", 0.3, "-m", "dcg@10")
    assert code == 3


def test_a_baseline_with_undefined_values_finds_nothing():
    values = per_query_scores(np.zeros((3, 2)), np.ones((3, 2)), metrics="mrr")
    assert finds_nothing(values, ["mrr"], GateRules())


@pytest.mark.usefixtures("baseline")
def test_a_part_of_one_query_has_no_verdict(run, files, write):
    results, _ = files(fall(1), GOLDEN)
    rows = (
        {"query": q, "relevant_ids": list(v), "kind": "rare" if n == 0 else "usual"}
        for n, (q, v) in enumerate(GOLDEN.items())
    )
    golden = write("".join(json.dumps(row) + "\n" for row in rows), "golden.jsonl")
    code, out, _ = run("gate", results, golden, "--by", "kind", "--json")
    assert code == 0
    assert {row["kind"] for row in json.loads(out)["by"]} == {"usual"}


@pytest.mark.usefixtures("baseline")
def test_every_query_belongs_to_a_cluster(run, files, write):
    results, _ = files(fall(20), GOLDEN)
    rows = (
        {"query": q, "relevant_ids": list(v), "talk": n % 5}
        for n, (q, v) in enumerate(GOLDEN.items())
    )
    golden = write("".join(json.dumps(row) + "\n" for row in rows), "golden.jsonl")
    sample = ("--queries", "sample", "--cluster", "talk", "--json")
    _, out, err = run("gate", results, golden, *sample)
    assert json.loads(out)["rows"][0]["n_clusters"] == 5
    assert "a cluster of its own" not in err


LONG = "why does it do " * 40
HEAD = "user_input,retrieved_contexts,reference,faithfulness,answer_relevancy\n"


def exported(*references):
    """Write a table as ragas does: long questions, and texts and numbers."""
    return HEAD + "".join(
        f'"q{n} {LONG}","[\'a, b\']",{reference},0.{n},{n % 3 / 2 if n else ""}\n'
        for n, reference in enumerate(references)
    )


@pytest.mark.parametrize("command", ["gate", "compare"])
def test_columns_of_text_are_left_out(run, write, command):
    def call(new, *options):
        sides = write(exported(*"abcdef"), "old.csv"), write(new, "new.csv")
        if command == "compare":
            return run(command, *sides, *options)
        sides = ("--baseline", sides[0], "--candidate", sides[1])
        return run(command, *sides, "--margin", "0.5", *options)

    new = exported(*"ghijkl").replace(",0.5,", ",0.2,")
    code, out, err = call(new)
    note = "Columns without numbers left out: 'retrieved_contexts', 'reference'.\n"
    assert (code, err.count(note)) == (0, 1)
    assert "answer_relevancy" in out
    code, out, err = call(new, "-m", "faithfulness")
    assert (code, "-0.05" in out, "left out" in err) == (0, True, False)
    assert call(new, "--query", "retrieved_contexts")[2].endswith("with --query.\n")
    assert "has no column 'question' of --query" in call(new, "--query", "question")[2]
    cell = "needs a number, but in line 2 it is"
    assert f"{cell} 'a'" in call(new, "-m", "reference")[2]
    mixed = exported("yes", *"12345")
    assert f"{cell} 'yes'. Correct it, or name" in call(mixed)[2]
    assert call(mixed, "-m", "faithfulness")[0] == 0
    empty = re.sub('^"q.*?"', "", new, flags=re.MULTILINE)
    assert "has no query: column 'user_input' is empty" in call(empty)[2]
