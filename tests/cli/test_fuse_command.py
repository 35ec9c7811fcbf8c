"""Several runs as one: the numbers of RankFusion, from any form of file."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.inputs import from_runs, from_trec
from sklearn_rank.metrics import ndcg_score
from sklearn_rank.rankers import RankFusion

NAMES = ("old", "bad")


@pytest.fixture
def trec(trec_files):
    return [trec_files / f"{name}.run" for name in NAMES]


@pytest.fixture
def tables(trec_files):
    return [*(trec_files / f"{name}.csv" for name in NAMES), "--score", "value"]


def expected(paths, **options):
    rows = from_runs({}, paths, missing="empty", return_items=True)
    fusion = RankFusion(**options).fit(rows.X, groups=rows.groups)
    scores = fusion.predict(rows.X, groups=rows.groups)
    table = pd.DataFrame({"user": rows.groups, "item": rows["items"], "score": scores})
    return table.set_index(["user", "item"])["score"].sort_index()


def read(path):
    return pd.read_csv(path).set_index(["user", "item"])["score"].sort_index()


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--k", 10], {"rrf_k": 10}),
        (["--method", "borda"], {"method": "borda"}),
        (["--method", "condorcet"], {"method": "condorcet"}),
        (
            ["--method", "comb_sum", "--normalization", "z_score", "--weights", "2,0.5"],
            {"method": "comb_sum", "normalization": "z_score", "weights": [2, 0.5]},
        ),
        (
            ["--method", "comb_max", "--normalization", "none"],
            {"method": "comb_max", "normalization": None},
        ),
    ],
)
def test_numbers_of_python(run, trec, tmp_path, arguments, options):
    path = tmp_path / "fused.csv"
    code, out, err = run("fuse", *trec, *arguments, "-o", path)
    assert (code, err) == (0, "")
    assert out == f"Wrote 720 rows of 60 queries into {path}.\n"
    pd.testing.assert_series_equal(read(path), expected(trec, **options), rtol=1e-12)


def test_ranks_follow_scores(run, trec, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "fused.parquet"
    assert run("fuse", *trec, "-n", 5, "-o", path)[0] == 0
    fused = pd.read_parquet(path)
    for _, of in fused.groupby("user"):
        assert of["rank"].tolist() == [1, 2, 3, 4, 5]
        assert of["score"].is_monotonic_decreasing


def test_a_run_of_trec(run, trec, trec_files, tmp_path):
    path = tmp_path / "fused.run"
    assert run("fuse", *trec, "-o", path)[0] == 0
    fields = path.read_text().splitlines()[0].split()
    assert (fields[1], fields[3], len(fields)) == ("Q0", "1", 6)
    rows = from_trec(trec_files / "qrels.txt", path)
    assert 0 < ndcg_score(**rows) < 1


def test_forms_of_files_are_alike(run, trec, tables, tmp_path):
    lists = {}
    for name, path in zip(NAMES, tables, strict=False):
        rows = pd.read_csv(path)
        lists[name] = tmp_path / f"{name}.json"
        by_user = {
            user: dict(zip(of["item"], of["value"], strict=True))
            for user, of in rows.groupby("user")
        }
        lists[name].write_text(json.dumps(by_user))
    outputs = []
    for files in (trec, tables, lists.values(), [trec[0], *tables[1:]]):
        outputs.append(tmp_path / f"{len(outputs)}.csv")
        code, _, err = run("fuse", *files, "--method", "comb_sum", "-o", outputs[-1])
        assert code == 0, err
    for output in outputs[1:]:
        pd.testing.assert_series_equal(read(output), read(outputs[0]))


def test_lists_without_scores(run, write, tmp_path):
    one = write('{"u": ["a", "b"], "v": ["a"]}', "one.json")
    two = write("customer,sku,place\nu,b,1\nu,c,2\n", "two.csv")
    columns = ["--user", "customer", "--item", "sku", "--rank", "place"]
    path = tmp_path / "both.csv"
    code, _, err = run("fuse", one, two, *columns, "-o", path)
    assert code == 0
    assert err == "sklearn-rank: note: two has no list for 1 of 2 queries.\n"
    fused = pd.read_csv(path)
    assert fused.columns.tolist() == ["customer", "sku", "rank", "score"]
    assert fused["sku"].tolist() == ["b", "a", "c", "a"]
    np.testing.assert_allclose(
        fused["score"], [1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 61], rtol=1e-12
    )


def test_numbers_as_ids_of_parquet_match_those_of_a_csv_file(run, tmp_path):
    rows = pd.DataFrame({"user": [1, 1], "item": [10, 20], "rank": [1, 2]})
    rows.to_parquet(tmp_path / "one.parquet")
    rows.to_csv(tmp_path / "two.csv", index=False)
    files = [tmp_path / "one.parquet", tmp_path / "two.csv"]
    code, out, _ = run("fuse", *files, "-o", tmp_path / "both.csv")
    assert (code, out[:12]) == (0, "Wrote 2 rows")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--weights", "1,2,3"], "one for each of 2 runs, got [1.0, 2.0, 3.0]"),
        (["--weights", "1,x"], "--weights: needs a number from 0, got 'x'"),
        (["--weights", "0,0"], "--weights must be finite numbers >= 0, not all of them 0"),
        (["--weights", "1,2", "--method", "comb_max"], "have no effect with --method"),
        (["--method", "combsum"], "invalid choice: 'combsum'"),
        (["--k", "-1"], "--k: needs a number from 0"),
        (["-o", "no/folder/out.run"], "there is no folder"),
        (["-o", "."], "it is a folder, not a file"),
        (["-o", "out.json"], "'out.json' ends in .json, which is neither a table"),
        (["-o", "out.run.gz"], "ends in .gz, which is neither a table"),
    ],
)
def test_arguments_that_are_wrong(fails, trec, tmp_path, arguments, said):
    out = [] if "-o" in arguments else ["-o", tmp_path / "out.run"]
    assert said in fails(*trec, *arguments, *out, command="fuse")
    assert not (tmp_path / "out.run").exists()


def test_files_that_are_wrong(fails, trec, write, tmp_path):
    path = tmp_path / "out.csv"
    out = ["-o", path]
    assert "needs two runs" in fails(trec[0], *out, command="fuse")
    assert "is given twice" in fails(trec[0], trec[0], *out, command="fuse")
    bad = write("user,item,rank\nu,a,1\nu,a,2\n", "bad.csv")
    assert "'a' a second time for user 'u' in line 3" in fails(
        trec[0], bad, *out, command="fuse"
    )
    path.write_text("old")
    assert "exists" in fails(*trec, *out, command="fuse")
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not valid JSON"),
        ("[1]", "has no lists of items"),
        ("{}", "has no lists of items"),
        ('{"u": ["a"], "v": {"b": 1}}', "needs lists of one kind"),
        ('{"u": "abc"}', "needs lists of one kind"),
        ('{"u": ["a", null]}', "has 'null' in the list of user 'u'; items must be texts"),
        ('{"u": {"a": "1"}}', "has '1' in the list of user 'u'; the value of an item"),
        ('{"u": {"a": 1, "b": NaN}}', "has 'nan' in the list of user 'u'; the value"),
        ('{"u": {"a": 1, "b": 1e999}}', "has score 'inf' for user 'u' (number"),
        ('{"u": ["a"], "v": ["b"], "u": ["c"]}', "has 'u' twice in a JSON object"),
        ("[" * 100_000, "is nested too deep"),
        ('{"u": ["a", "b", "a"]}', "has item 'a' a second time for user 'u' (number"),
    ],
)
def test_json_that_is_wrong(fails, trec, write, tmp_path, text, said):
    bad = write(text, "bad.json")
    assert said in fails(trec[0], bad, "-o", tmp_path / "out.csv", command="fuse")


@pytest.mark.parametrize(
    ("rank", "said"), [("-1", "has rank '-1'"), ("inf", "has rank 'inf'")]
)
def test_ranks_are_found_in_the_file(fails, trec, write, tmp_path, rank, said):
    bad = write(f"user,item,place\nu,a,1\n\nu,b,{rank}\n", "bad.csv")
    other = write("user,item,place\nu,a,1\n", "other.csv")
    columns = ["--rank", "place", "-o", tmp_path / "out.csv"]
    message = fails(bad, other, *columns, command="fuse")
    assert f"{said} for user 'u' in line 4 (number" in message


def test_whole_numbers_beyond_64_bits_stay_apart(run, write, tmp_path):
    table = pd.DataFrame({"user": [1e20, 1e21], "item": ["a", "a"], "rank": [1, 1]})
    table.to_parquet(tmp_path / "large.parquet")
    other = write("user,item,rank\n1e+20,b,1\n", "other.csv")
    out = tmp_path / "out.csv"
    assert run("fuse", tmp_path / "large.parquet", other, "-o", out)[0] == 0
    found = pd.read_csv(out, dtype=str)
    assert sorted(zip(found["user"], found["item"], strict=True)) == [
        ("1e+20", "a"),
        ("1e+20", "b"),
        ("1e+21", "a"),
    ]


def test_what_a_run_has_twice_is_said_of_its_file(fails, trec, write, tmp_path):
    bad = write("q1 Q0 d 1 2.0 t\nq1 Q0 d 2 1.0 t\n", "twice.run")
    message = fails(trec[0], bad, "-o", tmp_path / "out.run", command="fuse")
    assert f"{bad} has document 'd' twice for query 'q1'" in message


@pytest.mark.parametrize("name", ["lists.csv", "lists.run"])
def test_what_is_read_is_not_written_to(fails, trec, write, name):
    lists = write("a Q0 x 1 2.0 t\n", name)
    message = fails(trec[0], lists, "-o", lists, "--force", command="fuse")
    assert f"'{lists}' is an input" in message
    assert lists.read_text() == "a Q0 x 1 2.0 t\n"


def test_columns_of_the_lists_have_names_of_their_own(run, write, tmp_path):
    lists = [write("rank,item,place\na,x,1\n", name) for name in ("a.csv", "b.csv")]
    options = ["--user", "rank", "--rank", "place", "-o", tmp_path / "fused.csv"]
    assert run("fuse", *lists, *options)[0] == 0
    assert list(pd.read_csv(tmp_path / "fused.csv")) == ["user", "item", "rank", "score"]
