"""Lists beside what is relevant: the numbers of Python, from any form of file."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from sklearn_rank.inputs import from_frames, from_trec
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


@pytest.mark.parametrize(
    ("lists", "test"),
    [
        ("recs.csv", "test.csv"),
        ("recs.parquet", "test.parquet"),
        ("recs.csv", "test.parquet"),
        ("recs.parquet", "test.csv"),
        ("recs.json", "test.csv"),
        ("recs.json", "test.parquet"),
    ],
)
def test_numbers_of_python(run, files, rows, parts, lists, test):
    code, out, err = run("evaluate", files / lists, files / test)
    assert (code, out) == (0, f"{ranking_report(**rows, metrics=METRICS)}\n")
    n_again = parts[1].duplicated(["user", "item"]).sum()
    said = f"{n_again} rows of {files / test} repeat a user and item: they count once."
    assert err == f"sklearn-rank: note: {said}\n"


def test_scores_instead_of_ranks(run, files):
    by_rank = run("evaluate", files / "recs.csv", files / "test.csv")
    by_score = run("evaluate", files / "recs.csv", files / "test.csv", "--score", "score")
    assert by_score[0] == 0
    assert by_score[1].splitlines()[0] == by_rank[1].splitlines()[0]


def test_files_of_trec(run, trec_files):
    files = trec_files / "qrels.txt", trec_files / "old.run"
    arguments = ["--metric", "map", "--metric", "ndcg@5"]
    code, out, err = run("evaluate", files[1], files[0], *arguments)
    found = per_query_scores(**from_trec(*files), metrics=["map", "ndcg@5"]).mean()
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()[1:]]
    assert [line[0] for line in lines] == ["map", "ndcg@5"]
    assert [float(line[1]) for line in lines] == pytest.approx(
        list(found.values()), abs=5e-5
    )


def test_grades(run, trec_files):
    columns = ["--score", "value", "--rating", "grade"]
    tables = trec_files / "old.csv", trec_files / "qrels.csv"
    trec = run("evaluate", trec_files / "old.run", trec_files / "qrels.txt")
    assert run("evaluate", *tables, *columns) == trec


def test_metrics_of_what_lists_show(run, files, rows, parts):
    metrics = ["novelty@10", "coverage@5"]
    arguments = [word for name in metrics for word in ("--metric", name)]
    train = ["--train", files / "train.csv"]
    code, out, _ = run(
        "evaluate", files / "recs.csv", files / "test.csv", *arguments, *train
    )
    catalogue = Catalogue.from_interactions(parts[0])
    expected = ranking_report(**rows, metrics=metrics, catalogue=catalogue)
    assert (code, out) == (0, f"{expected}\n")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_values_of_each_user(run, files, rows, tmp_path, ending):
    path = tmp_path / f"values{ending}"
    metrics = ["--metric", "ndcg@10", "--metric", "recall@5", "--metric", "coverage@5"]
    options = [*metrics, "--train", files / "train.parquet", "--values", path]
    # Those of an earlier run are replaced.
    path.write_text("old")
    code, _, err = run("evaluate", files / "recs.parquet", files / "test.parquet", *options)
    read = pd.read_csv if ending == ".csv" else pd.read_parquet
    expected = per_query_scores(**rows, metrics=["ndcg@10", "recall@5"]).to_frame()
    assert code == 0
    pd.testing.assert_frame_equal(
        read(path), expected.rename_axis("user").reset_index(), check_dtype=False
    )
    assert err.endswith(f"note: '{path}' has {len(expected)} rows.\n")


@pytest.mark.parametrize("metrics", [[], ["--metric", "auc(n_items=9000)"]])
def test_a_picture(run, files, tmp_path, metrics):
    path = tmp_path / "at_k.png"
    options = ["--picture", path, *metrics]
    code, _, err = run("evaluate", files / "recs.csv", files / "test.csv", *options)
    assert code == 0, err
    assert plt.imread(path).std() > 0


def test_metrics_of_the_catalogue_need_its_size(run, files):
    arguments = ["evaluate", files / "recs.csv", files / "test.csv", "--metric"]
    code, _, err = run(*arguments, "auc")
    assert code == 2
    assert "relevant item(s) are in no list. Give 'auc(n_items=...)'" in err
    assert run(*arguments, "auc(n_items=9000)")[0] == 0


def test_what_only_one_side_has_is_said(run, files, write):
    test = write("user,item\n1,2\n999,3\n", "test.csv")
    code, _, err = run("evaluate", files / "recs.csv", test)
    assert code == 0
    assert "recs.csv has no list for 1 of 2 users, such as '999'" in err
    assert "without judgments" in err


def test_items_that_the_log_lacks_are_said(run, write):
    recs = write("user,item,rank\na,x,1\na,new,2\n", "recs.csv")
    test = write("user,item\na,x\n", "test.csv")
    train = write("user,item\na,y\nb,x\n", "train.csv")
    arguments = [recs, test, "--metric", "novelty@1", "--train", train]
    code, _, err = run("evaluate", *arguments)
    assert code == 0
    assert f"'{train}' has no row of 1 item that lists show, such as 'new'" in err


def test_rows_without_an_id_are_left_out_and_said(run, write):
    recs = write("user,item,rank\na,x,1\n,y,1\n", "recs.csv")
    test = write("user,item\na,x\na,\n", "test.csv")
    code, out, err = run("evaluate", recs, test, "--metric", "mrr@10")
    assert (code, out.split()[-4:-2]) == (0, ["1.0000", "nan"])
    assert f"1 row of {recs} left out: column 'user' is empty." in err
    assert f"1 row of {test} left out: column 'item' is empty." in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metric", "ndgc"], "--metric ndgc: Unknown metric 'ndgc'."),
        (["--metric", "rmse"], "--metric rmse needs more than lists of items and grades"),
        (["--metric", "ips_ndcg@10"], "needs more than lists of items and grades"),
        (["--metric", "novelty@10"], "the number of users of each item; use --train LOG"),
        (["--metric", "category_coverage@5"], "a log does not contain them"),
        (["--query", "user"], "--query goes without TEST."),
        (["--sorted"], "--sorted goes without TEST."),
        (
            ["--metric", "coverage@5", "--train", "x.csv", "--values", "v.csv"],
            "--values needs a metric that has a value of each list",
        ),
        (["--values", "v.txt"], "needs an ending for its format"),
        (["--picture", "no/folder/p.png"], "there is no folder"),
        (["--picture", "p.jpg"], "--picture 'p.jpg' needs the ending .png."),
        (["--metric", "coverage@10"], "--metric coverage@10 needs the number of items"),
        (["--rank", "rank", "--score", "score"], "not allowed with"),
        (["--user", "customer"], "has no column 'customer'; name one with --user"),
        (["--train", "none.csv", "--metric", "mrr"], "There is no file 'none.csv'"),
    ],
)
def test_arguments_that_are_wrong(fails, files, arguments, said):
    lists = files / "recs.csv", files / "test.csv"
    assert said in fails(*lists, *arguments, command="evaluate").replace("`", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Without TEST, rows need --query, --rating, --score, the names of columns"),
        ([], "Lists need TEST, a file with what is relevant."),
        (["--query", "q", "--rating", "r"], "rows need --score"),
        (["--rank", "rank"], "--rank goes with TEST."),
        (["--picture", "p.png"], "--picture goes with TEST."),
    ],
)
def test_rows_need_their_columns(fails, files, arguments, said):
    assert said in fails(files / "recs.parquet", *arguments, command="evaluate")


def test_files_that_are_wrong(fails, files, trec_files, write, tmp_path):
    recs, test = files / "recs.csv", files / "test.csv"
    other = write("user,item\nx,y\n", "other.csv")
    message = fails(recs, other, command="evaluate")
    assert f"'{recs}' and '{other}' have no user in common" in message
    assert "together? One has" in message
    assert "the other 'x'." in message
    message = fails(trec_files / "old.run", test, command="evaluate")
    assert "is a run of TREC, which goes with judgments of TREC" in message
    twice = write("user,item,rank\na,x,1\na,y,2\na,x,3\n", "twice.csv")
    message = fails(twice, test, command="evaluate")
    assert "has item 'x' a second time for user 'a' in line 4" in message
    empty = write("user,item,rank\n", "empty.csv")
    assert "has column names but no rows" in fails(empty, test, command="evaluate")
    assert "There is no file" in fails(tmp_path / "no", test, command="evaluate")
    assert "is a folder" in fails(tmp_path, test, command="evaluate")


def test_errors_of_trec_name_the_file(fails, trec_files, write):
    run = write("q1 Q0 d 1 2.0 t\nq1 Q0 d 2 1.0 t\n", "twice.run")
    qrels = trec_files / "qrels.txt"
    assert f"'{run}' has item 'd' twice" in fails(run, qrels, command="evaluate")
    qrels = write("q1 0 d 1\nq1 0 d 1\n", "twice.txt")
    assert f"'{qrels}' has item 'd' twice" in fails(run, qrels, command="evaluate")
    qrels = write("q1 0 d 1\n", "qrels.txt")
    run = write("", "empty.run")
    assert f"'{run}' has no list" in fails(run, qrels, command="evaluate")


def test_what_is_read_is_not_written_to(fails, run, files, write):
    recs, test = files / "recs.csv", files / "test.csv"
    before = recs.read_bytes()
    for options in (["--values", recs], ["--values", test]):
        assert "is an input" in fails(recs, test, *options, command="evaluate")
    train = write("user,item\n1,2\n", "train.csv")
    options = ["--train", train, "--values", train]
    assert "is an input" in fails(recs, test, *options, command="evaluate")
    assert recs.read_bytes() == before


def test_rows_are_not_written_to(fails, tmp_path):
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"q": [1, 1], "grade": [0, 1], "value": [0.2, 0.1]}).to_parquet(path)
    before = path.read_bytes()
    columns = ["--query", "q", "--rating", "grade", "--score", "value"]
    message = fails(path, *columns, "--values", path, command="evaluate")
    assert "is an input" in message
    assert path.read_bytes() == before


def test_the_catalogue_of_a_metric_may_be_given_by_its_size(run, files):
    metric = ["--metric", "coverage(n_items=500)@10"]
    code, out, _ = run("evaluate", files / "recs.csv", files / "test.csv", *metric)
    assert code == 0
    assert "coverage(n_items=500)@10" in out


def test_rows_of_the_log_that_are_left_out_are_counted(run, write):
    recs = write("user,item,rank\na,x,1\n", "recs.csv")
    test = write("user,item\na,x\n", "test.csv")
    train = write("user,item\nb,x\n,x\n", "train.csv")
    options = ["--train", train, "--metric", "novelty@1"]
    code, _, err = run("evaluate", recs, test, *options)
    assert code == 0
    assert f"1 row of {train} left out: column 'user' is empty." in err


def test_grades_that_are_all_0(run, write):
    recs = write("user,item,rank\na,x,1\n", "recs.csv")
    test = write("user,item,stars\na,x,0\nb,y,0\n", "test.csv")
    code, _, err = run("evaluate", recs, test, "--rating", "stars")
    assert code == 0
    assert f"Nothing in {test} is relevant: no grade is above 0." in err


def test_a_metric_that_is_named_twice(run, files):
    once = ["--metric", "ndcg@10"]
    paths = [files / "recs.csv", files / "test.csv"]
    assert run("evaluate", *paths, *once, *once) == run("evaluate", *paths, *once)


def test_lists_without_a_hit_are_said_to_be(run, write):
    test = write("user,item\na,x\nb,y\n", "test.csv")
    recs = write("user,item,rank\na,0x,1\nb,0y,1\n", "recs.csv")
    code, _, err = run("evaluate", recs, test, "--metric", "ndcg@1")
    assert code == 0
    assert "No list of recs.csv has a relevant item. One shows '0x', and 'x' is" in err
    recs = write("user,item,rank\na,0x,1\nb,y,1\n", "recs.csv")
    assert run("evaluate", recs, test, "--metric", "ndcg@1")[2] == ""
    # There was nothing to find.
    none = write("user,item,stars\na,x,0\n", "none.csv")
    assert "No list" not in run("evaluate", recs, none, "--rating", "stars")[2]


def test_metrics_have_an_option_each(fails, files):
    paths = [files / "recs.csv", files / "test.csv"]
    said = "For several metrics, repeat --metric."
    message = fails(*paths, "--metric", "ndcg@10,map@10", command="evaluate")
    assert message.endswith(said)
    assert said not in fails(*paths, "--metric", "ndgc@10", command="evaluate")


def test_the_numbers_of_another_library(run, fails, files, tmp_path):
    paths = [files / "recs.csv", files / "test.csv"]
    code, out, _ = run("evaluate", *paths, "--convention", "lightgbm")
    assert code == 0
    assert "ndcg@10" in out
    assert "hit_rate" not in out  # which it does not have
    values = tmp_path / "values.csv"
    given = ["--convention", "lightgbm", "--metric", "ndcg@10", "--values", values]
    assert run("evaluate", *paths, *given, "--picture", tmp_path / "k.png")[0] == 0
    message = fails(*paths, *given[:2], "--metric", "mrr@10", command="evaluate")
    assert "lightgbm" in message
