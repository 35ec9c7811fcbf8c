"""The verdict of a gate, its exit code, and where it is written."""

import json

import pytest

from sklearn_rank.inputs import from_trec
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models


@pytest.fixture
def gate(run, trec_files):
    """Run the gate on runs of these names or paths."""

    def run_gate(baseline, candidate, *options, **how):
        paths = [trec_files / f"{baseline}.run", trec_files / f"{candidate}.run"]
        runs = ["--baseline", paths[0], "--candidate", paths[1]]
        return run("gate", *runs, "--qrels", trec_files / "qrels.txt", *options, **how)

    return run_gate


def test_pass_in_one_line(gate, trec_files):
    code, out, err = gate("old", "new", "--margin", 0.2)
    scores = {
        name: per_query_scores(
            **from_trec(trec_files / "qrels.txt", trec_files / f"{name}.run"),
            metrics="ndcg@10",
        )
        for name in ("old", "new")
    }
    row = compare_models(scores, baseline="old", margin=0.2).row("new")
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert out.startswith("pass: ndcg@10 of new - old: ")
    end = f"95% interval {_interval(row)}, margin 0.2, 60 queries, 17 differ\n"
    assert out.endswith(end)


def _interval(row):
    def signed(number):
        return f"{number:+.4f}" if abs(number) >= 0.001 else f"{number:+.2g}"

    return f"[{signed(row.low)}, {signed(row.high)}]"


def test_fail(gate):
    code, out, _ = gate("old", "bad", "--margin", 0.01)
    assert code == 1
    assert out.startswith("fail: ndcg@10 of bad - old: -0.")


def test_better_is_pass_without_margin(gate):
    assert gate("bad", "old", "--margin", 0)[0] == 0


def test_undecided(gate):
    code, out, _ = gate("old", "new", "--margin", 0)
    assert code == 2
    assert out.startswith("undecided: ")


def test_a_drop_that_is_not_significant_is_no_pass(run, write):
    qrels = write("".join(f"q{q} 0 a 1\nq{q} 0 b 0\n" for q in range(12)), "qrels.txt")
    good = "q{0} Q0 a 1 2 m\nq{0} Q0 b 2 1 m\n"
    bad = "q{0} Q0 a 2 1 m\nq{0} Q0 b 1 2 m\n"
    old = write("".join(good.format(q) for q in range(12)), "old.run")
    new = write("".join((bad if q < 2 else good).format(q) for q in range(12)), "new.run")
    runs = ["--baseline", old, "--candidate", new, "--qrels", qrels, "--metric", "mrr"]
    assert run("gate", *runs, "--margin", 0.01)[0] == 2
    assert run("gate", *runs, "--margin", 0.5)[0] == 0


def test_equal_runs_pass_with_margin_0(run, trec_files, write):
    copy = write((trec_files / "old.run").read_text(), "copy.run")
    runs = ["--baseline", trec_files / "old.run", "--candidate", copy]
    code, out, _ = run("gate", *runs, "--qrels", trec_files / "qrels.txt", "--margin", 0)
    assert code == 0
    assert out == "pass: ndcg@10: identical on all 60 queries, margin 0\n"
    swapped = (trec_files / "old.run").read_text().replace("q1 Q0", "q99 Q0")
    assert (
        "identical"
        not in run(
            *("gate", *runs[:3], write(swapped, "other.run")),
            *("--qrels", trec_files / "qrels.txt", "--margin", 0),
        )[1]
    )


def test_runs_without_a_difference_need_many_queries(gate):
    code, out, err = gate("old", "bad", "--margin", 0.01, "--metric", "hit_rate@12")
    assert code == 2
    assert out.endswith("interval [-0.0596, +0.0596], margin 0.01, 60 queries, 0 differ\n")
    assert "a loss of up to 0.0596 is not ruled out; margin 0.01 needs 368 such" in err
    assert gate("old", "bad", "--margin", 0.06, "--metric", "hit_rate@12")[0] == 0


def test_equal_losses_beyond_the_margin_fail_without_a_range(run, write):
    qrels = write("".join(f"q{q} 0 a 1\nq{q} 0 b 0\n" for q in range(12)), "qrels.txt")
    runs = {
        name: "".join(f"q{q} Q0 {item} 1 1 m\n" for q in range(12) for item in items)
        for name, items in {"old": "a", "new": "b"}.items()
    }
    paths = [write(text, f"{name}.run") for name, text in runs.items()]
    options = ["--qrels", qrels, "--metric", "dcg@10", "--margin", 0.01]
    code, out, _ = run("gate", "--baseline", paths[0], "--candidate", paths[1], *options)
    assert code == 1
    assert "fail: dcg@10 of new - old: -1.0000, 95% interval [-1.0000, -1.0000]" in out
    options[-1] = 1
    code, out, _ = run("gate", "--baseline", paths[0], "--candidate", paths[1], *options)
    assert (code, out[:10]) == (2, "undecided:")


def test_every_metric_has_to_pass(gate):
    both = ["--metric", "hit_rate@12", "--metric", "ndcg@10"]
    code, out, _ = gate("old", "bad", "--margin", 0.06, *both)
    assert [line.partition(":")[0] for line in out.splitlines()] == ["pass", "fail"]
    assert code == 1


def test_order_of_lines_does_not_matter(run, gate, trec_files, write):
    lines = (trec_files / "new.run").read_text().splitlines()
    new = write("\n".join(reversed(lines)), "new.run")
    runs = ["--baseline", trec_files / "old.run", "--candidate", new]
    options = ["--margin", 0.05]
    mixed = run("gate", *runs, "--qrels", trec_files / "qrels.txt", *options)
    assert mixed == gate("old", "new", *options)


def test_a_query_that_is_not_answered_counts_and_is_said(run, trec_files, write):
    lines = (trec_files / "old.run").read_text().splitlines()
    few = write("\n".join(line for line in lines if line.startswith("q1 ")), "few.run")
    runs = ["--baseline", trec_files / "old.run", "--candidate", few]
    code, out, err = run(
        "gate", *runs, "--qrels", trec_files / "qrels.txt", "--margin", 0.1
    )
    assert code == 1
    assert "60 queries" in out
    assert "sklearn-rank: note: few has no list for 59 of 60 queries, such as 'q0'" in err


def test_undefined_queries_are_said(run, trec_files, write):
    qrels = write((trec_files / "qrels.txt").read_text() + "q60 0 d1 0\n", "qrels.txt")
    runs = ["--baseline", trec_files / "old.run", "--candidate", trec_files / "new.run"]
    code, out, err = run("gate", *runs, "--qrels", qrels, "--margin", 0.2)
    assert code == 0
    assert "60 queries" in out
    assert "1 query left out of ndcg@10, which is undefined there" in err


def test_tables(run, trec_files):
    runs = ["--baseline", trec_files / "old.csv", "--candidate", trec_files / "bad.csv"]
    columns = ["--user", "user", "--item", "item", "--score", "value"]
    truth = ["--truth", trec_files / "qrels.csv", *columns, "--rating", "grade"]
    assert run("gate", *runs, *truth, "--margin", 0.01)[0] == 1


def test_files(gate, tmp_path):
    folder = tmp_path / "out"
    _, out, _ = gate("old", "bad", "--margin", 0.01, "--output", folder)
    assert (folder / "comparison.txt").read_text().startswith(out)
    found = json.loads((folder / "comparison.json").read_text())
    assert found["verdict"] == "fail"
    assert found["verdicts"][0]["n_queries"] == 60
    assert (folder / "per_query.csv").read_text().startswith("metric,query,old,bad\n")


def test_notes_are_in_files_and_tables(run, trec_files, write, tmp_path):
    lines = (trec_files / "new.run").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("q7 "))
    runs = ["--baseline", trec_files / "old.run", "--candidate", write(text, "n_1.run")]
    summary, folder = tmp_path / "summary.md", tmp_path / "out"
    files = ["--output", folder, "--markdown", summary]
    run("gate", *runs, "--qrels", trec_files / "qrels.txt", "--margin", 0.2, *files)
    assert "Note: n_1 has no list" in (folder / "comparison.txt").read_text()
    assert r"Note: n\_1 has no list" in summary.read_text()


def test_markdown_is_appended(gate, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    for _ in range(2):
        gate("old", "bad", "--margin", 0.01, "--markdown", summary)
    lines = summary.read_text().splitlines()
    assert lines[0] == "before"
    assert lines.count("### fail: bad against old") == 2
    tables = [line for line in lines if line.startswith("|")]
    assert len({line.count("|") for line in tables}) == 1
    assert tables[2].startswith("| ndcg@10 | 0.")
    assert tables[2].endswith("| 0.01 | 60 | 60 | fail |")


def test_github_shows_the_verdict_beside_the_job(gate):
    plain = gate("old", "bad", "--margin", 0.01)
    code, out, err = gate("old", "bad", "--margin", 0.01, "--json", on_github=True)
    assert json.loads(out)["verdict"] == "fail"
    assert code == plain[0]
    assert err.startswith("::error title=gate::fail: ndcg@10 of bad - old: -0.")
    assert "95%25 interval" in err
