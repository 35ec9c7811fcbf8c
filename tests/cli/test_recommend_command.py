"""Lists of a saved model: the same as in Python, complete or not there."""

import sys
from datetime import timedelta
from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli import _recommend_command, main
from sklearn_rank._cli._results import save_model
from sklearn_rank.recommenders import ItemNeighborsRecommender, RecommenderMixin

DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def log(small_log):
    """Ids as a CSV file has them, in columns of other names."""
    return small_log.rename(columns={"user": "customer", "item": "article"}).astype(
        {"customer": str, "article": str}
    )


@pytest.fixture(scope="module")
def model(log):
    return ItemNeighborsRecommender(user="customer", item="article").fit(log)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    return save(model, tmp_path_factory.mktemp("model") / "model.npz")


def save(model, path):
    save_model(str(path), model)
    return path


def expected(model, users, *args, **options):
    lists = pd.DataFrame(model.rank(users, *args, **options))
    return lists.rename(columns={"query": "customer", "item": "article"})


def read_csv(path, **options):
    return pd.read_csv(path, **options, dtype={"customer": str, "article": str})


def check(found, lists):
    pd.testing.assert_frame_equal(found, lists, check_dtype=False)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".parquet"])
def test_all_users_of_the_model(run, saved, model, tmp_path, ending, monkeypatch):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.setattr(_recommend_command, "ROWS_AT_ONCE", 70)
    path = tmp_path / f"recs{ending}"
    code, out, err = run("recommend", saved, "-o", path)
    assert (code, out) == (0, f"Wrote 1,500 rows for 150 users into {path}.\n")
    assert err.splitlines()[-1] == "Blocks of users: 22 of 22"
    read = {".parquet": pd.read_parquet, ".tsv": partial(read_csv, sep="\t")}
    check(read.get(ending, read_csv)(path), expected(model, model.users_))


def test_blocks_change_nothing(run, saved, tmp_path, monkeypatch):
    paths = [tmp_path / "one.csv.gz", tmp_path / "many.csv"]
    assert run("recommend", saved, "-o", paths[0])[0] == 0
    monkeypatch.setattr(_recommend_command, "ROWS_AT_ONCE", 1)
    assert run("recommend", saved, "-o", paths[1])[0] == 0
    check(read_csv(paths[0]), read_csv(paths[1]))


def test_users_and_items_of_files(run, saved, model, log, write, tmp_path):
    users, items = ["7", "3"], ["5", "9", "11", "60"]
    users_file = write("customer\n7\n3\n7\n", "users.csv")
    items_file = tmp_path / "stock.parquet"
    pd.DataFrame({"sku": items}).to_parquet(items_file)
    arguments = ["--users", users_file, "--items", items_file, "--item", "sku", "-n", 2]
    path = tmp_path / "recs.csv"
    code, _, err = run("recommend", saved, *arguments, "--include-seen", "-o", path)
    assert code == 0, err
    check(read_csv(path), expected(model, users, 2, items=items, exclude_seen=False))


def test_a_log_may_say_which_users(run, saved, log, tmp_path):
    log.head(30).to_csv(tmp_path / "log.csv")
    path = tmp_path / "recs.csv"
    assert run("recommend", saved, "--users", tmp_path / "log.csv", "-o", path)[0] == 0
    assert read_csv(path)["customer"].unique().tolist() == (
        log["customer"].head(30).unique().tolist()
    )


def test_unknown_users_get_popular_items(run, saved, model, write, tmp_path):
    users = write("customer\n7\nnobody\n\nnone\n", "users.csv")
    path = tmp_path / "recs.csv"
    code, _, err = run("recommend", saved, "--users", users, "-o", path)
    assert code == 0
    said = (
        f"The model does not know 2 of 3 users in '{users}', such as 'nobody': they get "
        "popular items."
    )
    assert said in err
    check(read_csv(path), expected(model, ["7", "nobody", "none"]))


def test_ids_of_a_csv_file_become_numbers_where_those_of_the_model_are(
    run, small_log, write, tmp_path
):
    pytest.importorskip("pyarrow")
    log = small_log.rename(columns={"user": "customer", "item": "article"})
    model = ItemNeighborsRecommender(user="customer", item="article").fit(log)
    saved = save(model, tmp_path / "model")
    users, path = write("customer\n7\n9999\n", "users.csv"), tmp_path / "recs.parquet"
    assert run("recommend", saved, "--users", users, "-o", path)[0] == 0
    check(pd.read_parquet(path), expected(model, [7, 9999]))
    users.write_text("customer\n7\nx9\n")
    code, _, err = run("recommend", saved, "--users", users, "-o", tmp_path / "no.csv")
    assert code == 2
    assert "The users of the model are numbers, such as '0', but the file has 'x9'" in err


def test_ids_of_a_parquet_file_become_text_where_those_of_the_model_are(
    run, saved, model, tmp_path
):
    users = tmp_path / "users.parquet"
    # A gap makes the numbers floats.
    pd.DataFrame({"customer": [7, None, 3]}).to_parquet(users)
    path = tmp_path / "recs.csv"
    code, _, err = run("recommend", saved, "--users", users, "-o", path)
    assert code == 0
    assert f"1 row of {users} left out: column 'customer' is empty." in err
    check(read_csv(path), expected(model, ["7", "3"]))


def test_lists_that_are_shorter_are_said(run, saved, model, log, tmp_path):
    seen = log[log["customer"] == "7"]["article"].unique()
    pd.DataFrame({"article": [*seen[:2], "not there"]}).to_csv(tmp_path / "few.csv")
    path = tmp_path / "recs.csv"
    code, _, err = run("recommend", saved, "--items", tmp_path / "few.csv", "-o", path)
    assert code == 0
    assert "does not know 1 of 3 items" in err
    assert "Only 2 items can be recommended." in err
    n_short = np.count_nonzero(model.seen_[:, np.isin(model.items_, seen[:2])].sum(axis=1))
    assert f"{n_short} users get fewer items: they have seen the others" in err
    assert "7" not in set(read_csv(path)["customer"])


def test_an_output_that_exists(run, saved, tmp_path):
    path = tmp_path / "recs.csv"
    path.write_text("old")
    code, _, err = run("recommend", saved, "-o", path)
    assert (code, path.read_text()) == (2, "old")
    assert f"'{path}' exists; name another file, or replace it with --force." in err
    assert run("recommend", saved, "-o", path, "--force")[0] == 0
    assert len(read_csv(path)) == 1500


def test_what_is_read_is_not_written_to(fails, saved, write):
    for option, name in (("--users", "customer"), ("--items", "article")):
        given = write(f"{name}\n1\n", "given.csv")
        options = [option, given, "-o", given, "--force"]
        assert f"'{given}' is an input" in fails(saved, *options, command="recommend")
        assert given.read_text() == f"{name}\n1\n"


@pytest.mark.parametrize("ending", [".csv.gz", ".parquet"])
@pytest.mark.parametrize("n_blocks", [0, 1])
@pytest.mark.parametrize("stop", [KeyboardInterrupt(), OSError(28, "No space left")])
def test_what_stops_halfway_leaves_nothing(
    saved, tmp_path, monkeypatch, ending, stop, n_blocks
):
    def rank(*args, **options):
        if len(done) == n_blocks:
            raise stop
        done.append(1)
        return original(*args, **options)

    done, original = [], RecommenderMixin.rank
    monkeypatch.setattr(_recommend_command, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(RecommenderMixin, "rank", rank)
    code = main(["recommend", str(saved), "-o", str(tmp_path / f"recs{ending}")])
    assert code == (130 if isinstance(stop, KeyboardInterrupt) else 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "recs.txt"], "needs an ending for its format: .csv"),
        (["-o", "no/folder/recs.csv"], "there is no folder"),
        (["-n", "0", "-o", "r.csv"], "needs a whole number from 1"),
        (["--user", "u", "-o", "r.csv"], "--user needs --users, the file that has"),
        ([], "the following arguments are required: -o/--output"),
    ],
)
def test_arguments_that_are_wrong(fails, saved, arguments, said):
    assert said in fails(saved, *arguments, command="recommend")


def test_files_that_are_wrong(fails, saved, write, tmp_path):
    out = ["-o", tmp_path / "recs.csv"]
    users = write("name\nann\n", "users.csv")
    message = fails(saved, "--users", users, *out, command="recommend")
    assert f"{users} has no column 'customer'; name one with --user" in message
    items = write("article\nxyz\n", "items.csv")
    message = fails(saved, "--items", items, *out, command="recommend")
    assert f"'{items}' has no item of the model, such as '0'" in message
    message = fails(users, *out, command="recommend")
    assert "is not a model file of sklearn-rank" in message
    message = fails(tmp_path / "none", *out, command="recommend")
    assert "There is no file" in message
    (tmp_path / "folder").mkdir()
    message = fails(tmp_path / "folder", *out, command="recommend")
    assert "is a folder; name a model file in it" in message
    other = tmp_path / "other"
    joblib.dump({"not": "a model"}, other)
    assert "is not a model file" in fails(other, *out, command="recommend")
    assert "is not a recommender" in fails(other, "--trust", *out, command="recommend")
    empty = write("customer\n", "empty.csv")
    message = fails(saved, "--users", empty, *out, command="recommend")
    assert "has column names but no rows" in message
    missing = write('customer\n""\n""\n', "missing.csv")
    message = fails(saved, "--users", missing, *out, command="recommend")
    assert f"'{missing}' has no complete row: 2 rows where" in message
    assert not (tmp_path / "recs.csv").exists()


def test_without_pyarrow(fails, saved, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = fails(saved, "-o", tmp_path / "recs.parquet", command="recommend")
    assert 'pip install "sklearn-rank[arrow]"' in message


def test_whole_numbers_stay_whole(run, small_log, write, tmp_path):
    fitted = ItemNeighborsRecommender(user="user", item="item").fit(small_log)
    saved = tmp_path / "model"
    save_model(str(saved), fitted)
    texts = write("user\n1\n3.0\n", "users.csv")
    floats = tmp_path / "users.parquet"
    pd.DataFrame({"user": [1.0, 3.0, np.nan]}).to_parquet(floats)
    for users in (texts, floats):
        path = tmp_path / "recs.csv"
        options = ["--users", users, "-n", 1, "-o", path, "--force"]
        assert run("recommend", saved, *options)[0] == 0
        assert pd.read_csv(path, dtype=str)["user"].tolist() == ["1", "3"]


def test_users_that_are_infinite(fails, small_log, write, tmp_path):
    fitted = ItemNeighborsRecommender(user="user", item="item").fit(small_log)
    saved = tmp_path / "model"
    save_model(str(saved), fitted)
    users = write("user\n1\ninf\n", "users.csv")
    options = ["--users", users, "-o", tmp_path / "recs.csv"]
    message = fails(saved, *options, command="recommend")
    assert "The users of the model are numbers" in message
    assert "the file has 'inf'" in message


def test_users_of_another_type(fails, small_log, write, tmp_path):
    log = small_log.assign(user=pd.Timestamp("2024-01-01") + small_log["user"] * DAY)
    fitted = ItemNeighborsRecommender(user="user", item="item").fit(log)
    saved = tmp_path / "model"
    save_model(str(saved), fitted)
    options = ["--users", write("user\n2024-01-02\n"), "-o", tmp_path / "recs.csv"]
    message = fails(saved, *options, command="recommend")
    assert "users of the model are neither text nor numbers, but datetime64s" in message
    assert "give them in a parquet file" in message


def test_a_log_with_columns_of_the_lists(run, log, tmp_path):
    pytest.importorskip("pyarrow")
    renamed = log.rename(columns={"customer": "rank", "article": "score"})
    fitted = ItemNeighborsRecommender(user="rank", item="score").fit(renamed)
    saved = tmp_path / "model"
    save_model(str(saved), fitted)
    path = tmp_path / "recs.parquet"
    assert run("recommend", saved, "-n", 1, "-o", path)[0] == 0
    assert list(pd.read_parquet(path)) == ["user", "item", "rank", "score"]
