"""Bad input of `compare`: one line that names the thing and the way out, exit code 2."""

import pandas as pd
import pytest


@pytest.fixture
def fails_compare(fails):
    def fail(*arguments):
        return fails(*arguments, command="compare")

    return fail


@pytest.fixture
def files(trec_files):
    return (
        trec_files / "old.run",
        trec_files / "new.run",
        "--qrels",
        trec_files / "qrels.txt",
    )


COLUMNS = ["--user", "user", "--item", "item", "--score", "value"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metric", "ndgc@10"], "Did you mean 'ndcg'?"),
        (["--metric", "rmse"], "name a ranking metric, such as ndcg@10"),
        (["--baseline", "old", "--all-pairs"], "not allowed with"),
        (["--margin", "-1"], "--margin: needs a number from 0, got '-1'"),
        (["--confidence-level", "95"], "--confidence-level: needs a share"),
        (["--test", "wilcoxon"], "invalid choice"),
        (["--truth", "t.csv"], "one of --qrels (TREC) and --truth (a table)"),
    ],
)
def test_arguments_are_checked_before_anything_is_read(fails_compare, arguments, said):
    message = fails_compare("old.run", "new.run", "--qrels", "no.txt", *arguments)
    assert said in message


@pytest.mark.parametrize(
    "option", ["--user", "--item", "--rank", "--score", "--rating", "--encoding"]
)
def test_options_of_tables_with_files_of_trec(run, fails, files, option):
    given = {"--encoding": "latin-1"}.get(option, "column")
    old, new, _, qrels = files
    said = f"{option} is for tables, but '{qrels if option == '--rating' else old}' is a"
    said += f" TREC file; leave {option} out, or give a CSV or parquet file."
    assert said in fails(*files, option, given, command="compare")
    assert said in fails(old, qrels, option, given, command="evaluate")
    gate = ["gate", "--baseline", old, "--candidate", new, "--margin", 1]
    code, _, err = run(*gate, "--qrels", qrels, option, given)
    assert (code, said in err) == (3, True)
    if option != "--rating":
        assert said in fails(old, new, "-o", "no.run", option, given, command="fuse")


def test_judgments_of_trec_are_no_table(fails_compare, files):
    message = fails_compare(*files[:2], "--truth", files[3])
    assert f"'{files[3]}' has judgments of TREC; name it with --qrels." in message


def test_options_of_tables_with_files_of_json(fails, write):
    lists = write('{"a": ["x"]}', "lists.json")
    for option in ("--rank", "--rating", "--user"):
        message = fails(lists, lists, option, "column", command="evaluate")
        assert f"{option} is for tables, but '{lists}' is a JSON file" in message


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--user", "q", "--item", "q"], "--user and --item both name the column 'q'"),
        (["--user", "rank"], "--user and --rank both name the column 'rank'"),
        (["--item", "s", "--score", "s"], "--item and --score both name the column 's'"),
    ],
)
def test_a_column_for_two_roles(run, fails, write, options, said):
    text = "user,item,q,s,rank\na,x,a,1,1\nb,y,b,2,2\n"
    files = [write(text, name) for name in ("a.csv", "b.csv")]
    truth = ["--truth", files[0]]
    assert said in fails(*files, *truth, *options, command="compare")
    assert said in fails(*files, "-o", "no.csv", *options, command="fuse")
    truth += ["--margin", 1, "--baseline", files[0], "--candidate", files[1]]
    code, _, err = run("gate", *truth, *options)
    assert (code, said in err) == (3, True)
    if said.startswith("--user and --item"):
        assert said in fails(*files, *options, command="evaluate")


@pytest.mark.parametrize("role", ["rank", "score", "rating"])
@pytest.mark.parametrize("values", [["2024-01-01", "2024-01-02"], [True, False]])
def test_dates_and_booleans_are_no_numbers(run, fails, tmp_path, role, values):
    is_date = isinstance(values[0], str)
    column = pd.to_datetime(values) if is_date else values
    paths = [tmp_path / f"{name}.parquet" for name in ("old", "new", "truth")]
    table = pd.DataFrame({"user": ["a", "b"], "item": [1, 2], "rank": [1, 1]})
    for path in paths:
        table.assign(of=column).to_parquet(path)
    arguments = [*paths[:2], "--truth", paths[2], f"--{role}", "of"]
    if role == "rating" and not is_date:
        # What is relevant may be said so.
        assert run("evaluate", *paths[::2], "--rating", "of")[0] == 0
        return
    message = fails(*arguments, command="compare")
    path = paths[2] if role == "rating" else paths[0]
    assert f"Column 'of' of '{path}' needs a number, but in row 1 it is" in message
    assert message.endswith("(number of bad rows: 2).")


def test_all_pairs_with_a_correction_for_a_baseline(fails_compare, files):
    message = fails_compare(*files, "--all-pairs", "--correction", "max_t")
    assert "--correction 'max_t' flips all differences to one model; give --base" in message


def test_a_baseline_that_is_none(fails_compare, files):
    message = fails_compare(*files, "--baseline", "odl")
    assert "--baseline got 'odl'. Did you mean 'old'? Valid: 'old', 'new'." in message


def test_one_run_only(fails_compare, files):
    assert "needs two runs or more, got 1" in fails_compare(files[0], *files[2:])


def test_a_run_twice(fails_compare, files):
    assert "is given twice" in fails_compare(files[0], *files)


def test_no_truth(fails_compare, files):
    assert "Name what is relevant" in fails_compare(*files[:2])


def test_a_column_that_is_missing(fails_compare, trec_files):
    tables = [trec_files / f"{name}.csv" for name in ("old", "new", "qrels")]
    message = fails_compare(*tables[:2], "--truth", tables[2])
    assert f"{tables[0]} has no column 'rank'; name one with --rank" in message


def test_missing_files(fails_compare, files, tmp_path):
    missing = tmp_path / "missing"
    said = f"There is no file '{missing}'"
    assert said in fails_compare(files[0], missing, *files[2:])
    assert said in fails_compare(*files[:3], missing)
    assert said in fails_compare(*files[:2], "--truth", missing, *COLUMNS)
    assert "is a folder" in fails_compare(files[0], tmp_path, *files[2:])


def test_no_common_query(fails_compare, files, write):
    other = write("1 Q0 d1 1 2.0 me\n", "other.run")
    message = fails_compare(files[0], other, *files[2:])
    assert f"'{other}' and '{files[-1]}' have no query in common" in message


def test_no_judgments(fails_compare, files, write):
    empty = write("", "qrels.txt")
    assert f"'{empty}' has no judgments" in fails_compare(*files[:3], empty)


def test_malformed_line(fails_compare, files, write):
    bad = write("q1 Q0 d1 1 2.0 me\nq1 Q0\n", "bad.run")
    message = fails_compare(files[0], bad, *files[2:])
    assert str(bad) in message
    assert "line 2" in message.lower()


def test_metric_undefined_everywhere(fails_compare, files, write):
    qrels = write("q1 0 d1 0\nq2 0 d1 0\n", "qrels.txt")
    assert "a comparison needs two clusters" in fails_compare(*files[:3], qrels)


def test_a_score_that_is_none(fails_compare, trec_files, write):
    bad = write("user,item,value\nq1,d1,0.5\nq1,d2,high\nq2,d1,\n", "bad.csv")
    truth = ["--truth", trec_files / "qrels.csv", *COLUMNS]
    message = fails_compare(trec_files / "old.csv", bad, *truth)
    assert (
        f"Column 'value' of '{bad}' needs a number, but in line 3 it is 'high'" in message
    )
    assert "number of bad rows: 2" in message
    bad.write_text("user,item,value\nq1,d1,\n")
    assert "it is empty" in fails_compare(trec_files / "old.csv", bad, *truth)


def test_an_item_twice(fails_compare, trec_files, write):
    bad = write("user,item,value\nq1,d1,0.5\nq1,d1,0.4\n", "bad.csv")
    truth = ["--truth", trec_files / "qrels.csv", *COLUMNS]
    message = fails_compare(trec_files / "old.csv", bad, *truth)
    assert f"'{bad}' has item 'd1' a second time for user 'q1' in line 3" in message


def test_errors_leave_no_folder_behind(fails_compare, files, tmp_path):
    folder = tmp_path / "out"
    fails_compare(*files[:3], tmp_path / "missing", "--output", folder)
    assert not folder.exists()
    assert "is a file" in fails_compare(*files, "--output", files[0])


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        ((1, 1), "has rank '1' a second time for user 'q1' in line 3"),
        ((1, -1), "has rank '-1' for user 'q1' in line 3 (number of such rows: 1)"),
    ],
)
def test_ranks_that_are_none(fails_compare, trec_files, write, ranks, said):
    rows = "".join(f"q1,d{n},{rank}\n" for n, rank in enumerate(ranks))
    bad = write(f"user,item,rank\n{rows}", "bad.csv")
    truth = ["--truth", trec_files / "qrels.csv"]
    other = write("user,item,rank\nq1,d1,1\n", "good.csv")
    message = fails_compare(other, bad, *truth)
    assert said in message
    assert str(bad) in message
    assert "`" not in message
