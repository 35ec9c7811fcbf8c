"""Lists by a golden set: the numbers of Python, from any form of file."""

import json
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from sklearn_rank.inputs import from_files, from_frames
from sklearn_rank.metrics import Catalogue, per_query_scores, ranking_report
from sklearn_rank.recommenders import PopularityRecommender

METRICS = ["ndcg@10", "map@10", "mrr@10", "precision@10", "recall@10", "hit_rate@10"]


@pytest.fixture(scope="module")
def parts(small_log):
    return small_log[:1500], small_log[1500:]


@pytest.fixture(scope="module")
def recs(parts):
    model = PopularityRecommender(user="user", item="item").fit(parts[0])
    lists = model.rank(np.unique(parts[1]["user"]), 10)
    return pd.DataFrame(lists).rename(columns={"query": "user"})


@pytest.fixture(scope="module")
def files(parts, recs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lists")
    tables = {"train": parts[0], "test": parts[1], "recs": recs}
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
        table.to_parquet(folder / f"{name}.parquet")
    by_user = {
        str(user): of.sort_values("rank")["item"].tolist()
        for user, of in recs.groupby("user")
    }
    (folder / "recs.json").write_text(json.dumps(by_user))
    return folder


@pytest.fixture(scope="module")
def rows(parts, recs):
    relevant = parts[1].drop_duplicates(["user", "item"])
    columns = {"user": "user", "item": "item", "rank": "rank"}
    return from_frames(relevant, recs, **columns, return_items=True)


def numbers_of(out):
    return [line.split()[:3] for line in out.splitlines()[1:]]


@pytest.mark.parametrize("lists", ["recs.csv", "recs.parquet", "recs.json"])
@pytest.mark.parametrize("test", ["test.csv", "test.parquet"])
def test_numbers_of_python(run, files, rows, lists, test):
    code, out, err = run("evaluate", files / lists, files / test, "--rank", "rank")
    expected = ranking_report(**rows, metrics=METRICS)
    assert (code, err) == (0, "")
    assert numbers_of(out) == numbers_of(expected)


def test_all_bits_of_the_numbers(run, trec_files):
    """Means have the bits of Python's report, in each form of file."""
    rows = from_files(trec_files / "qrels.txt", trec_files / "old.run")
    values = per_query_scores(**rows, metrics=["map", "ndcg@5"])
    means, errors = values.mean(), values.standard_error()
    forms = [("old.run", "qrels.txt"), ("old.csv", "qrels.csv", "--score", "value")]
    for lists, truth, *more in forms:
        call = ("evaluate", trec_files / lists, trec_files / truth, *more)
        code, out, err = run(*call, "-m", "map,ndcg@5", "--json")
        found = json.loads(out)
        assert (code, err) == (0, "")
        for row in found["rows"]:
            name = row["definition"]
            assert (row["mean"], row["standard_error"]) == (means[name], errors[name])


def test_names_stay_as_they_were_asked(run, trec_files):
    call = ("evaluate", trec_files / "old.run", trec_files / "qrels.txt")
    _, out, _ = run(*call, "-m", "ndcg_cut.5,10", "-m", "AP", "--json")
    rows = json.loads(out)["rows"]
    assert [row["metric"] for row in rows] == ["ndcg_cut.5", "ndcg_cut.10", "AP"]
    assert [row["definition"] for row in rows] == [
        *("ndcg@5", "ndcg@10", "map(denominator='relevant')")
    ]
    metric = "ndcg(gain='exponential', k=3)"
    _, out, _ = run(*call, "-m", f"{metric},mrr")
    assert out.splitlines()[1].startswith(metric)


def test_either_order_and_the_standard_input(run, trec_files, monkeypatch):
    both = [trec_files / "old.run", trec_files / "qrels.txt"]
    expected = run("evaluate", *both)
    assert run("evaluate", *reversed(both)) == expected
    assert run("evaluate", both[0], "--qrels", both[1]) == expected
    with both[0].open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert run("evaluate", "-", both[1]) == expected
    assert "read once" in run("evaluate", "-", "-")[2]


def test_values_of_queries(run, write, tmp_path):
    golden = write(
        '{"id": "a", "question": "one", "relevant_ids": ["x"]}\n'
        '{"id": "b", "question": "two", "relevant_ids": null}\n',
        "golden.jsonl",
    )
    lists = write('{"a": ["x"], "b": ["y"]}', "lists.json")
    path = tmp_path / "values.csv"
    code, out, err = run("evaluate", lists, golden, "-m", "mrr,recall@1", "-q", "-o", path)
    assert (code, err) == (0, "")
    assert out.splitlines()[-4:] == [
        "mrr\tone\t1.0000",
        "recall@1\tone\t1.0000",
        "mrr\ttwo\t",
        "recall@1\ttwo\t",
    ]
    assert path.read_text() == "query,mrr,recall@1\na,1.0,1.0\nb,,\n"
    assert (
        run("evaluate", lists, golden, "-m", "mrr", "-o", "-")[1]
        == "query,mrr\na,1.0\nb,\n"
    )


def test_one_file_with_both(run, write):
    text = "query,docid,score,grade\nq,a,0.9,0\nq,b,0.8,1\nr,c,0.1,1\n"
    code, out, _ = run("evaluate", write(text, "rows.csv"), "-m", "mrr")
    assert (code, out.split()[6]) == (0, "0.7500")
    rows = [{"query": "q", "expected_ids": ["a"], "retrieved_ids": ["b", "a"]}]
    code, out, _ = run("evaluate", write(json.dumps(rows), "both.json"), "-m", "mrr")
    assert (code, out.split()[6]) == (0, "0.5000")
    rows = "query,grade,score\nq,1,0.1\nq,0,0.9\nr,1,2\n"
    code, out, err = run("evaluate", write(rows, "rows.csv"), "-m", "mrr")
    assert (code, out.split()[6]) == (0, "0.7500")
    assert "each row counts as an item of its own" in err


def test_a_run_alone(run, trec_files):
    path = trec_files / "old.run"
    _, _, err = run("evaluate", path)
    assert (
        f"{str(path)!r} is a run; name the golden set: sklearn-rank evaluate {path} G"
        in err
    )
    path = trec_files / "qrels.txt"
    _, _, err = run("evaluate", path)
    assert f"is a golden set; name the results: sklearn-rank evaluate RESULTS {path}" in err


def test_means_of_repeats(run, write):
    golden = write('{"a": ["y"], "b": ["z"]}', "golden.json")
    rows = [("a", 1, ["y", "x"]), ("a", 2, ["x", "y"]), ("b", 1, ["z"]), ("b", 2, ["w"])]
    text = "".join(
        json.dumps({"query": q, "run": r, "retrieved": v}) + "\n" for q, r, v in rows
    )
    code, out, _ = run("evaluate", write(text, "runs.jsonl"), golden, "-m", "mrr", "-q")
    assert code == 0
    assert "0.6250" in out.splitlines()[1]
    assert out.splitlines()[-2:] == ["mrr\ta\t0.7500", "mrr\tb\t0.5000"]
    text = text.replace('"run": 1', '"run": "bm25"').replace('"run": 2', '"run": "dense"')
    _, _, err = run("evaluate", write(text, "runs.jsonl"), golden)
    assert "2 systems in one file (bm25, dense) by its field 'run': split it" in err


def test_chunks(run, write):
    golden = write('{"q": ["s:B:5", "s:C:3"]}', "golden.json")
    lists = write('{"q": ["s:A:7", "s:A:9", "s:B:1", "s:C:1"]}', "lists.json")
    call = ("evaluate", lists, golden, "--document-sep", ":", "-m", "mrr,recall@2,recall@3")
    _, _, err = run(*call)
    assert (
        "has the item 's:A' twice for the query 'q', again in q; with --duplicates f" in err
    )
    _, out, _ = run(*call, "--duplicates", "first")
    assert [line.split()[1] for line in out.splitlines()[1:]] == [
        "0.5000",
        "0.5000",
        "1.0000",
    ]
    chunks = write(
        "chunk,document\ns:A:7,A\ns:A:9,A\ns:B:1,B\ns:B:5,B\ns:C:1,C\ns:C:3,C\n", "m.csv"
    )
    mapped = ("--document-map", chunks, "--duplicates", "first", *call[-2:])
    assert run("evaluate", lists, golden, *mapped)[1] == out


def test_metrics_of_what_lists_show(run, files, rows, parts):
    train = ["--train", files / "train.csv"]
    lists = files / "recs.csv", files / "test.csv", "--rank", "rank"
    code, out, _ = run("evaluate", *lists, "-m", "novelty@10,coverage@5", *train)
    catalogue = Catalogue.from_interactions(parts[0])
    metrics = ["novelty@10", "coverage@5"]
    expected = ranking_report(**rows, metrics=metrics, catalogue=catalogue)
    assert code == 0
    assert numbers_of(out) == numbers_of(expected)


def test_a_picture(run, files, tmp_path):
    path = tmp_path / "at_k.png"
    call = ("evaluate", files / "recs.csv", files / "test.csv", "--picture", path)
    code, _, err = run(*call)
    assert code == 0, err
    assert plt.imread(path).std() > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metric", "ndgc"], "--metric ndgc: Unknown metric 'ndgc'."),
        (["--metric", "rmse"], "--metric rmse needs more than items and grades"),
        (["--metric", "ips_ndcg@10"], "needs more than items and grades"),
        (["--metric", "novelty@10"], "the number of users of each item; use --train LOG"),
        (["--metric", "category_coverage@5"], "a log does not contain them"),
        (["--picture", "no/folder/p.png"], "there is no folder"),
        (["-o", "values.json"], "name a file that ends in .csv. For JSON write --json"),
        (["--metric", "coverage@10"], "--metric coverage@10 needs the number of items"),
        (["--query", "customer"], "No file has the field 'customer' of --query: 'test."),
        (["--item", "sku"], "No file has the field 'sku' of --item: 'test.csv' has user"),
        (["--rank", "r", "--score", "s"], "has no field 's' of --score"),
        (["--train", "none.csv", "--metric", "novelty"], "There is no file 'none.csv'"),
        (["--by", "kind"], "has no field 'kind' of --by; it has: user, item"),
        (["--convention", "lightgbm", "-m", "mrr"], "lightgbm"),
        (["-o", "test.csv"], "is an input"),
    ],
)
def test_arguments_that_are_wrong(fails, files, monkeypatch, arguments, said):
    monkeypatch.chdir(files)
    if "--score" in arguments:
        said = "Name --score or --rank, not both."
    lists = "recs.csv", "test.csv"
    assert said in fails(*lists, *arguments, command="evaluate").replace("`", "")


@pytest.mark.filterwarnings("always::UserWarning")
def test_lists_without_a_hit_are_said_to_be(run, write):
    test = write("user,item\na,x\nb,y\n", "test.csv")
    recs = write("user,item,rank\na,0x,1\nb,0y,1\n", "recs.csv")
    code, _, err = run("evaluate", recs, test, "--metric", "ndcg@1")
    assert (code, err.count("note:")) == (0, 1)
    alike = "('x'; '0x'), so every score is 0. Check zeros, spaces, types."
    assert f"items in {str(test)!r} is in a list of {str(recs)!r} {alike}" in err
    other = write("user,item,rank\na,v,1\nb,w,1\n", "other.csv")
    code, _, err = run("evaluate", other, test, "--metric", "ndcg@1")
    assert (code, err.count("note:")) == (0, 1)
    assert f"No list of {str(other)!r} has a relevant item. One shows 'v'," in err
    none = write("user,item,rating\na,x,0\n", "none.csv")
    err = run("evaluate", recs, none)[2]
    assert f"Nothing in {str(none)!r} is relevant: no grade is above 0." in err


def test_the_numbers_of_another_library(run, files):
    call = ("evaluate", files / "recs.csv", files / "test.csv", "--convention", "lightgbm")
    code, out, _ = run(*call)
    assert code == 0
    assert "ndcg@10" in out
    assert "hit_rate" not in out  # which it does not have


def test_json_has_notes_and_warnings(run, write):
    golden = write('{"a": ["x"], "b": ["y"]}', "golden.json")
    lists = write(
        '[{"query": "a", "hits": [{"id": "z", "score": 1}, {"id": "x", "score": 2}]}]',
        "l.json",
    )
    code, out, err = run("evaluate", lists, golden, "--json")
    found = json.loads(out)
    assert code == 0
    assert list(found)[-1] == "options"
    assert len(found["notes"]) == err.count("sklearn-rank: note: ") == 2
    assert "rise somewhere, as distances do" in err
    values = per_query_scores([0, 1], [2, 1], groups=[0, 0], metrics="mrr@10")
    assert found["rows"][2]["mean"] == values.mean()["mrr@10"] / 2


def test_a_note_where_little_is_judged(run, write):
    """Of 8 shown items 2 are judged, at most 4 in a list: judged@4 is .25."""
    qrels = write("a 0 x 1\na 0 y 0\nb 0 z 1\n", "qrels.txt")
    lists = ({"query": q, "retrieved": [i, *"pqr"]} for q, i in (("a", "x"), ("b", "z")))
    results = write("".join(json.dumps(row) + "\n" for row in lists), "results.jsonl")
    note = "judged@4 is 0.2500: unjudged documents count as irrelevant."
    code, out, err = run("evaluate", results, qrels, "-m", "mrr")
    assert (code, out.count("\n"), err) == (0, 2, f"sklearn-rank: note: {note}\n")
    found = json.loads(run("evaluate", results, qrels, "-m", "AP", "--json", "-q")[1])
    assert (found["notes"], found["queries"][0]) == ([note], {"query": "a", "AP": 1.0})
    assert found["rows"][0]["definition"] == "map(denominator='relevant')"
    qrels.write_text("a 0 x 1\nb 0 z 1\n")  # only what is relevant is known
    assert run("evaluate", results, qrels, "-m", "mrr")[2] == ""


def test_items_that_the_log_of_the_model_lacks(run, write):
    golden = write('{"a": ["x"], "b": ["y"]}', "golden.json")
    lists = write('{"a": ["x", "z"], "b": ["y", "x"]}', "lists.json")
    train = write("user,item\na,x\nb,y\nb,w\n", "train.csv")
    call = ("evaluate", lists, golden, "-m", "mrr,coverage@1", "--train", train)
    code, _, err = run(*call)
    note = f"{str(train)!r} has no row of 1 item that lists show, such as 'z'."
    assert (code, err) == (0, f"sklearn-rank: note: {note}\n")


def test_a_golden_set_with_scores_is_no_run_beside_one(run, write):
    golden = write("query,docid,score,grade\nq,a,0.9,0\nq,b,0.8,1\n", "golden.csv")
    lists = write("q Q0 a 1 0.1 me\nq Q0 b 2 0.2 me\n", "lists.run")
    expected = run("evaluate", lists, golden, "-m", "mrr")
    assert (expected[0], expected[1].split()[6]) == (0, "1.0000")
    assert run("evaluate", golden, lists, "-m", "mrr") == expected


def test_a_metric_of_all_lists_has_no_values_to_write(fails, write, tmp_path):
    golden = write("query,item,grade\na,x,1\na,z,0\nb,y,1\n", "golden.csv")
    lists = write('{"a": ["x", "z"], "b": ["y", "x"]}', "lists.json")
    train = write("user,item\na,x\nb,y\n", "train.csv")
    path = tmp_path / "values.csv"
    call = (lists, golden, "-m", "coverage@1", "--train", train, "-o", path)
    message = fails(*call, command="evaluate")
    assert "--output needs a metric that has a value of each list" in message
    assert not path.exists()


def test_values_of_repeats_compare_as_their_lists_do(run, write, tmp_path):
    queries = [f"q{n}" for n in range(12)]
    golden = write(json.dumps({query: [query] for query in queries}), "golden.json")
    lists, tables = [], []
    for name, shift in [("old", 1), ("new", 2)]:
        records = [
            {"query": query, "retrieved": ["a", "b"], "repeat": repeat}
            for repeat in range(3)
            for query in queries
        ]
        for n, record in enumerate(records):
            record["retrieved"].insert(n * shift % 3, record["query"])
        lists.append(write("\n".join(map(json.dumps, records)), f"{name}.jsonl"))
        tables.append(tmp_path / f"{name}.csv")
        assert run("evaluate", lists[-1], golden, "-m", "mrr", "-o", tables[-1])[0] == 0
    header = tables[0].read_text().partition("\n")[0]
    assert header == "query,mrr,mrr #2,mrr #3"
    of_lists = run("compare", *lists, "--truth", golden, "-m", "mrr")
    assert run("compare", *tables, "-m", "mrr")[:2] == of_lists[:2]
    assert "3 and 3 repeats" in of_lists[1]


def test_a_metric_of_all_lists_alone(run, write):
    golden = write('{"a": ["x"], "b": ["y"]}', "golden.json")  # without a grade 0
    lists = write('{"a": ["x", "z"], "b": ["y", "x"]}', "lists.json")
    train = write("user,item\na,x\nb,y\na,z\n", "train.csv")
    call = ("evaluate", lists, golden, "-m", "coverage@1", "--train", train, "-q")
    code, out, err = run(*call)
    assert (code, err) == (0, "")
    assert out.split()[5:] == ["coverage@1", "0.6667", "nan", "2", "0"]


def test_a_short_name_of_the_command(fails):
    assert "Write evaluate for eval." in fails("a.run", "qrels.txt", command="eval")
