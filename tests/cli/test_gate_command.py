"""The verdict on a golden set that a reasonable person expects, in each way of calling."""

import json
import re

import numpy as np
import pytest

from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import gate_model
from sklearn_rank.statistics._baseline import common_queries, finds_nothing, take_queries

# In a process of its own, warnings are notes.
pytestmark = pytest.mark.filterwarnings("always::UserWarning")
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


def renamed(value):
    if isinstance(value, str):
        return f"new/{value}"
    if isinstance(value, dict):
        return {renamed(item): grade for item, grade in value.items()}
    return [renamed(item) for item in value]


def all_renamed(mapping):
    return {query: renamed(value) for query, value in mapping.items()}


def shuffled_below():
    return {query: [*items[:10], *items[:9:-1]] for query, items in OLD.items()}


def without(mapping, n):
    return {query: mapping[query] for query in QUERIES[n:]}


def more(mapping, make):
    return mapping | {f"new{n}": make(n) for n in range(5)}


def corrected(n):
    return GOLDEN | {query: {f"{query}-a": 1} for query in QUERIES[:n]}


MORE = more(GOLDEN, lambda n: {f"new{n}-a": 1})
MORE_LISTS = more(OLD, lambda n: [f"new{n}-a", "x1"])
# Lists of the change, its golden set, the verdict, and words of a note or an error. The
# baseline was written with OLD and GOLDEN.
SCENARIOS = {
    "no change": (OLD, GOLDEN, "pass", "identical on all 40"),
    "shuffled below the cutoff": (shuffled_below(), GOLDEN, "pass", "identical on all 40"),
    "two queries fall": (fall(2), GOLDEN, "pass", "mrr@10 -0.0417, exact on these 40"),
    "ten queries fall": (fall(10), GOLDEN, "fail", "mrr@10 -0.2083"),
    "all fall": (fall(N), GOLDEN, "fail", "mrr@10 -0.8333"),
    "ten rise, ten fall": (
        fall(10) | {q: listed(q, 1) for q in QUERIES[10:]},
        GOLDEN,
        "fail",
        "10 differ",
    ),
    "all lists are empty": ({query: [] for query in QUERIES}, GOLDEN, "fail", "-1.0000"),
    "five lists are missing": (without(OLD, 5), GOLDEN, "fail", "5 of 40 queries"),
    "ids of the lists renamed": (all_renamed(OLD), GOLDEN, "fail", "-1.0000"),
    "ids of the golden set renamed": (OLD, all_renamed(GOLDEN), "error", "same judgments"),
    "ids of both renamed": (
        all_renamed(OLD),
        all_renamed(GOLDEN),
        "error",
        "same judgments",
    ),
    "questions added": (MORE_LISTS, MORE, "pass", "5 new queries without a baseline"),
    "questions added and a loss": (MORE_LISTS | fall(10), MORE, "fail", "-0.2083"),
    "questions removed": (
        without(OLD, 5),
        without(GOLDEN, 5),
        "pass",
        "5 queries of the b",
    ),
    "most questions removed": (without(OLD, 25), without(GOLDEN, 25), "error", "15 of 40"),
    "questions renamed": (
        {f"r{q}": items for q, items in OLD.items()},
        {f"r{q}": items for q, items in GOLDEN.items()},
        "error",
        "0 of 40 queries in common",
    ),
    "a label corrected": (OLD, corrected(1), "pass", "1 query with other judgments"),
    "a label corrected beside a loss": (fall(12), corrected(1), "fail", "11 differ"),
    "a chunk twice": (
        OLD | {QUERIES[0]: [*OLD[QUERIES[0]], OLD[QUERIES[0]][0]]},
        GOLDEN,
        "error",
        "--duplicates first",
    ),
    "better": (fall(0), GOLDEN, "pass", "identical"),
}


def as_lines(mapping, name):
    return "".join(json.dumps({"query": q, name: v}) + "\n" for q, v in mapping.items())


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


CODES = {"pass": 0, "fail": 1, "undecided": 2, "error": 3}


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("name", SCENARIOS)
def test_with_a_file_beside_the_golden_set(run, files, name):
    lists, golden, verdict, words = SCENARIOS[name]
    code, out, err = run("gate", *files(lists, golden))
    assert (code, words in out + err) == (CODES[verdict], True), out + err


@pytest.mark.parametrize("name", SCENARIOS)
def test_with_lists_as_the_baseline(run, files, write, name):
    """Old lists are scored by the golden set of the change: its labels are no change."""
    lists, golden, verdict, _ = SCENARIOS[name]
    old = write(as_lines(OLD, "retrieved"), "old.jsonl")
    code, out, err = run(
        *("gate", *files(lists, golden), "--baseline", old, "-m", ",".join(METRICS))
    )
    if "golden set renamed" in name or "both renamed" in name:
        assert (code, "The baseline" in err and "finds nothing" in err) == (3, True)
    elif name == "most questions removed":
        assert code == 0
    else:
        assert code == CODES[verdict], out + err


@pytest.mark.parametrize("name", SCENARIOS)
def test_in_python(files, name):
    lists, golden, verdict, _ = SCENARIOS[name]
    if "judgments" in SCENARIOS[name][3] or verdict == "error":
        pytest.skip("values do not know judgments")
    values = [
        per_query_scores(**from_files(*reversed(files(*side))), metrics=METRICS)
        for side in ((OLD, GOLDEN), (lists, golden))
    ]
    common, _ = common_queries(*(one.groups.tolist() for one in values), "--update")
    old, new = (take_queries(one, common) for one in values)
    found = gate_model(old, new, margin=0.05, queries="fixed")
    assert found.verdict == verdict


@pytest.mark.parametrize("name", SCENARIOS)
def test_with_tables_of_values(run, files, write, tmp_path, name):
    lists, golden, verdict, _ = SCENARIOS[name]
    for side, file in (((OLD, GOLDEN), "old.csv"), ((lists, golden), "new.csv")):
        code, _, _ = run(
            "evaluate", *files(*side), "-m", ",".join(METRICS), "-o", tmp_path / file
        )
        if code:
            assert verdict == "error"
            return
    code, out, err = run(
        *("gate", "--baseline", tmp_path / "old.csv", "--candidate", tmp_path / "new.csv")
    )
    if "golden set renamed" in name:
        verdict = "fail"
    elif "both renamed" in name:
        verdict = "pass"
    assert code == CODES[verdict], out + err


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
    assert "kind many" not in out
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
        "mrr@10: 1.0000 was the mean of these queries, 0.7917 is; 10 of 40 fell."
    )
    assert run("gate", *files(fall(10), GOLDEN))[0] == 0


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
    assert (code, "finds nothing: ids renamed, or a broken run?" in err) == (3, True)


def test_other_scores_and_their_margin(run, write):
    old = "query,faithfulness\n" + "".join(f"q{n},0.{n}\n" for n in range(1, 9))
    new = old.replace("q1,0.1", "q1,0.05")
    paths = (write(old, "old.csv"), write(new, "new.csv"))
    call = ("gate", "--baseline", paths[0], "--candidate", paths[1])
    code, _, err = run(*call)
    assert (code, "--margin is needed: faithfulness is not a metric from" in err) == (
        3,
        True,
    )
    code, out, err = run(*call, "--margin", 0.01)
    assert (code, out.split(",")[0]) == (0, "pass: faithfulness -0.0063")
    assert (
        "'faithfulness' is not a metric of this package: higher is taken as better" in err
    )


def test_repeats_are_refused(run, files, write):
    _, golden = files(OLD, GOLDEN)
    rows = ({"query": q, "run": n, "retrieved": v} for q, v in OLD.items() for n in (1, 2))
    results = write("".join(json.dumps(row) + "\n" for row in rows), "results.jsonl")
    code, _, err = run("gate", results, golden, "--update")
    assert code == 3
    assert "has several lists of a query: `evaluate` takes their mean" in err
    code, out, _ = run("evaluate", results, golden, "-m", "mrr@10")
    assert (code, "1.0000" in out) == (0, True)


@pytest.mark.usefixtures("baseline")
def test_files_of_the_verdict(run, files, tmp_path):
    both = files(fall(10), GOLDEN)
    for ending in ("csv", "json", "html"):
        assert run("gate", *both, "-o", tmp_path / f"out.{ending}")[0] == 1
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["verdict"] == "fail"
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
        (["r.jsonl"], "gate needs RESULTS and GOLDEN"),
        ([], "gate needs RESULTS and GOLDEN"),
        (["r", "g", "--anytime", "--queries", "fixed"], "--anytime is about a sample"),
        (
            ["--baseline", "a", "--candidate", "b", "--update"],
            "--update needs RESULTS and G",
        ),
        (["r", "g", "--margin", "-0.1"], "--margin: needs a number from 0"),
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
    assert finds_nothing(values, ["mrr"])
