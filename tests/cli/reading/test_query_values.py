"""Tables of values per query in place of lists, for `gate` and `compare`."""

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import gate_model

OLD = np.array([0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1, 0.9])
NEW = OLD - np.linspace(0.01, 0.09, 12)


@pytest.fixture
def table(tmp_path):
    """Write values of queries; return the path."""

    def write_table(name="old", labels=range(12), file="csv", **columns):
        path = tmp_path / f"{name}.{file}"
        frame = pd.DataFrame({"query": labels, **columns})
        frame.to_parquet(path) if file == "parquet" else frame.to_csv(path, index=False)
        return path

    return write_table


@pytest.fixture
def gate(run):
    def run_gate(old, new, *options, margin=0.01):
        runs = ["--baseline", old, "--candidate", new]
        return run("gate", *runs, "--margin", margin, *options)

    return run_gate


def test_the_verdict_is_that_of_python(gate, table):
    old, new = table(**{"mrr@3": OLD}), table("new", **{"mrr@3": NEW})
    code, out, err = gate(old, new)
    found = [PerQueryScores(range(12), {"mrr@3": one}) for one in (OLD, NEW)]
    expected = gate_model(*found, margin=0.01).lines[0]
    assert (code, err) == (1, "")
    assert out.strip() == expected.replace("candidate - baseline", "new - old")


def test_what_evaluate_writes_is_read(run, gate, trec_files, tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("old", "bad")]
    qrels = trec_files / "qrels.txt"
    for path in paths:
        lists = trec_files / f"{path.stem}.run"
        run("evaluate", lists, qrels, "--metric", "ndcg@10", "--values", path)
    lists = [trec_files / f"{path.stem}.run" for path in paths]
    assert gate(*paths) == gate(*lists, "--qrels", qrels)


def test_what_per_query_scores_writes_is_read(gate, tmp_path):
    for name, values in {"old": OLD, "new": NEW}.items():
        found = PerQueryScores(range(6), {"a": values[:6]}, fold=np.zeros(6))
        other = PerQueryScores(range(6), {"a": values[6:]}, fold=np.ones(6))
        found.merge(other).to_frame().to_csv(tmp_path / f"{name}.csv")
    _, out, _ = gate(tmp_path / "old.csv", tmp_path / "new.csv")
    assert "12 queries" in out
    assert "fail: a of new - old: -0.0500" in out


def test_equal_values_pass(gate, table):
    old, new = table(mrr=OLD), table("new", mrr=OLD)
    for pair in ((old, new), (old, old)):
        code, out, _ = gate(*pair, margin=0)
        assert code == 0
        assert out == "pass: mrr: identical on all 12 queries, margin 0\n"


def test_all_metrics_by_default(gate, table):
    old = table(mrr=OLD, **{"ndcg@10": OLD})
    new = table("new", mrr=NEW, **{"NDCG@10": OLD})
    _, out, _ = gate(old, new)
    assert [line.split()[1].rstrip(":") for line in out.splitlines()] == ["mrr", "ndcg@10"]
    _, out, _ = gate(old, new, "--metric", "nDCG@10")
    assert out.startswith("pass: ndcg@10: identical")


def test_direction_and_range_are_those_of_the_metric(gate, table):
    old, new = table(mean_rank=1 + OLD), table("new", mean_rank=1 + NEW)
    code, out, _ = gate(old, new)
    assert code == 0
    assert "mean_rank (lower is better)" in out


def test_other_numbers_are_values_too(gate, table):
    old, new = table(clicks=OLD * 9), table("new", clicks=NEW * 9)
    code, _, err = gate(old, new)
    assert code == 1
    assert "'clicks' is not a metric of this package: higher is taken as better" in err


def test_ids_are_text(gate, table):
    pytest.importorskip("pyarrow")
    old = table(mrr=OLD)
    new = table("new", labels=np.arange(12.0), file="parquet", mrr=OLD)
    assert gate(old, new)[0] == 0


def test_an_empty_cell_is_undefined(gate, table):
    values = np.where(OLD < 0.2, np.nan, OLD)
    old, new = table(mrr=values), table("new", mrr=values)
    new.write_text(new.read_text().replace(",\n", ",NaN\n"))
    code, out, err = gate(old, new)
    assert code == 0
    assert "10 queries" in out
    assert "2 queries left out of mrr" in err


def test_weights_and_counts_of_rows(gate, table):
    beside = {"rows": [3] * 12, "by.kind": list("ab") * 6}
    weight = {"weight.mrr": [0.0] * 6 + [1.0] * 6}
    old, new = table(mrr=OLD, **beside, **weight), table("new", mrr=NEW, **beside, **weight)
    _, out, _ = gate(old, new)
    assert out.startswith(f"fail: mrr of new - old: {(NEW - OLD)[6:].mean():+.4f}")


def test_compare_takes_them(run, table):
    files = [table("a", mrr=OLD), table("b", mrr=NEW), table("c", mrr=OLD / 2)]
    code, out, _ = run("compare", *files)
    assert code == 0
    assert out.startswith("mrr, 12 queries; difference to a")


def test_other_queries_are_counted_and_named(fails, table):
    old = table(mrr=OLD)
    new = table("new", labels=[*range(8), 30, 31, 32, 33], mrr=NEW)
    message = fails(old, new, command="compare")
    assert f"'{old}' and '{new}' have different queries: " in message
    assert (
        "4 gone (such as ['8', '9', '10']), 4 new (such as ['30', '31', '32'])" in message
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,mrr\na,0.1\na,0.2\n", "per query, since query 'a' is in several rows."),
        ("user,item,rank\na,b,1\n", "(a table): '{path}' is not a table"),
        ("query,mrr\na,0.1\nb,x\n", "needs a number, but in line 3 it is 'x'"),
        ("query\na\n", "has the columns 'query'; a table of values has the query in"),
        ("query,mrr,MRR\na,1,1\n", "one for each metric, each once"),
        ("query,mrr\n,0.1\n", "has no complete row"),
        ("q1 Q0 d1 1 2.0 me\n", "Name what is relevant with one of --qrels"),
    ],
)
def test_other_files(fails, write, text, said):
    path = write(text, "x.txt")
    message = fails(path, write(text, "y.txt"), command="compare")
    assert said.format(path=path) in message


def test_lists_of_json_need_what_is_relevant(fails, write):
    path = write('{"a": ["b"]}', "x.json")
    assert "--truth" in fails(path, path.with_name("y.json"), command="compare")


def test_rows_without_a_query_are_counted(gate, table, write):
    old = table(mrr=OLD)
    new = write(old.read_text() + ",0.4\n", "new.csv")
    code, _, err = gate(old, new)
    assert code == 0
    assert f"1 row of {new} left out: column 'query' is empty." in err


def test_options_that_do_not_fit(fails, table):
    files = [table("a", mrr=OLD), table("b", mrr=NEW)]
    message = fails(*files, "--user", "query", command="compare")
    assert "--user is for lists, which need --qrels (TREC) or --truth (a table)" in message
    message = fails(*files, "--metric", "map", command="compare")
    assert "--metric got 'map'" in message
