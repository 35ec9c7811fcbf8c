"""Bad input: one line that names the thing and the way out, exit code 2, no files."""

import gzip
import os
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

ROWS = "user,item,time\na,x,1\na,y,2\nb,x,3\nb,z,4\n"


@pytest.mark.parametrize("option", ["--user", "--item", "--time", "--rating"])
def test_missing_column_lists_those_there_are_nearest_first(fails, write, option):
    log = write("User_ID,item_id,timing,user,item,time\na,x,1,a,x,1\n")
    wanted = {"--user": "usr", "--item": "itm", "--time": "tme", "--rating": "timng"}
    message = fails(log, option, wanted[option])
    nearest = {"--user": "user", "--item": "item", "--time": "time", "--rating": "timing"}
    assert f"no column {wanted[option]!r}" in message
    assert option in message
    assert f". Did you mean {nearest[option]!r}? Valid: 'User_ID', " in message
    for column in ("User_ID", "item_id", "timing", nearest[option]):
        assert repr(column) in message
    # Another role has it.
    assert repr("user" if option == "--item" else "item") not in message


def test_missing_file(fails, tmp_path):
    assert "no file" in fails(tmp_path / "log.csv")


def test_folder_for_a_file(fails, tmp_path):
    assert f"{str(tmp_path)!r} has no log of movielens" in fails(tmp_path)


def test_half_a_parquet_file(fails, tmp_path):
    path = tmp_path / "log.parquet"
    pd.DataFrame({"user": range(99), "item": range(99)}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-40])
    message = fails(path)
    assert f"'{path}' is not a complete parquet file: " in message


@pytest.mark.parametrize(
    "text",
    [
        *('{"index_columns":[],"column_indexes":[],"columns":[{"nme":"user"}]}', "{", "[]"),
        *('{"columns": 3}', '{"index_columns":["x"],"columns":[],"column_indexes":[{}]}'),
        *('{"index_columns":[3],"columns":[],"column_indexes":[]}',),
    ],
)
def test_a_parquet_file_with_damaged_metadata(fails, tmp_path, text):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"user": range(9), "item": range(9), "time": range(9)})
    pq.write_table(table.replace_schema_metadata({"pandas": text}), tmp_path / "log.pq")
    message = fails(tmp_path / "log.pq")
    assert "log.pq' is not a complete parquet file: " in message


def test_text_in_another_encoding(fails, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes("user,item,time\né,x,1\n".encode("latin-1"))
    assert "is not UTF-8 text" in fails(path)
    assert "iconv -f latin1 -t utf-8" in fails(path)


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.parquet"])
def test_files_of_junk(fails, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(bytes(range(120, 250)))
    assert repr(str(path)) in fails(path)


def test_parquet_without_pyarrow(fails, write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert 'pip install "sklearn-rank[arrow]"' in fails(write("PAR1", "log.parquet"))


def test_cut_off_gzip(fails, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(gzip.compress((ROWS * 1000).encode())[:50])
    assert f"Cannot read '{path}': it is damaged or incomplete; get it again." in fails(
        path
    )


@pytest.mark.parametrize("line", ["a\0,x,1", "a,x,1\0", "\0\0\0"])
def test_a_nul_character_is_no_text(fails, write, line):
    log = write(f"{ROWS}{line}\n")
    assert f"Line {ROWS.count(chr(10)) + 1} of '{log}' has a NUL character" in fails(log)


def test_a_log_in_json(fails, run, write):
    log = write('{"a": ["x", "y"]}', "log.json")
    assert f"'{log}' is not a list of objects, one for each row." in fails(log)
    rows = [f'{{"user": "u{n % 9}", "item": {n % 30}, "time": {n}}}\n' for n in range(90)]
    log = write("".join(rows), "log.jsonl")
    code, _, err = run("tune", log, "--models", "popularity", "--folds", 1)
    assert code == 0, err


def test_open_quote(fails, write):
    message = fails(write(ROWS + 'b,"z,4\n'))
    assert "Cannot read" in message
    assert "EOF inside string" in message


@pytest.mark.parametrize(("line", "n_cells"), [("u1,jam, red,7", 4), ("u1,jam,7,,red", 5)])
@pytest.mark.parametrize("before", ["", "\n\n", 'b,"two\nlines",9\n'])
def test_a_row_with_more_cells_than_the_first_line_has_names(
    fails, write, line, n_cells, before
):
    text = ROWS + before
    message = fails(write(f"{text}{line}\n{ROWS}"))
    assert (
        f"Expected 3 fields in line {text.count(chr(10)) + 1 - ('two' in before)}, saw "
        in message
    )
    assert f"saw {n_cells} . Quote cells that hold the separator." in message


def test_names_of_rows_without_a_name_are_not_taken_for_users(fails, write):
    message = fails(write("user,item,time\n1,a,x,1\n2,b,y,2\n"))
    assert "Quote cells that hold the separator." in message


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_a_device_is_not_read(fails, path):
    assert f"'{path}' is a device, which may have no end; name a file." in fails(path)


def test_a_zip_of_several_files(fails, tmp_path):
    path = tmp_path / "log.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", ROWS)
        archive.writestr("b.csv", ROWS)
    assert "has to hold one file" in fails(path)
    path.write_bytes(b"PK\3\4 junk")
    assert "Cannot read" in fails(path)


@pytest.mark.parametrize("role", ["user", "item", "time"])
def test_lists_in_a_column_of_parquet(fails, tmp_path, role):
    log = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "time": [1, 2]})
    log[role] = [[1], [2]]
    log.to_parquet(tmp_path / "log.parquet")
    message = fails(tmp_path / "log.parquet")
    assert f"Column {role!r} needs one value per row" in message


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_empty_file(fails, write, text):
    assert "is empty" in fails(write(text))


def test_names_without_rows(fails, write):
    assert "no rows" in fails(write("user,item,time\n"))


def test_no_complete_row(fails, write):
    message = fails(write("user,item,time\n,x,1\na,,2\nb,x,\n"))
    assert "no complete row" in message
    for column in ("user", "item", "time"):
        assert f"1 row where column {column!r} is empty" in message


def test_duplicate_columns(fails, write):
    message = fails(write("user,item,user,time\na,x,b,1\n"))
    assert "2 columns named 'user'" in message
    assert "rename" in message


def test_two_roles_for_a_column(fails, write):
    message = fails(write(ROWS), "--user", "item")
    assert "--user and --item both name the column 'item'" in message


@pytest.mark.parametrize("what", ["user", "item"])
def test_fewer_than_two(fails, write, what):
    row = {"user": "a,{0},{0}\n", "item": "{0},x,{0}\n"}[what]
    log = write("user,item,time\n" + "".join(row.format(i) for i in range(5)))
    message = fails(log)
    assert f"only one {what}" in message
    assert f"--{what}" in message


@pytest.mark.parametrize("bad", ["soon", "2024-13-01", "inf", "nan"])
@pytest.mark.parametrize("good", ["2024-01-31", "17", "31/01/2024"])
def test_times_that_cannot_be_read(fails, write, good, bad):
    log = write(f"user,item,time\na,x,{good}\n,y,rubbish\nb,y,{bad}\nb,z,{bad}\n")
    message = fails(log)
    assert "Column 'time'" in message
    assert f"in line 4 it is {bad!r} (number of bad rows: 2)" in message


@pytest.mark.parametrize("bad", ["-1", "nan", "inf", "many", "", "1e31", "1" + "0" * 400])
def test_ratings_that_are_none(fails, write, bad):
    log = write(f"user,item,time,stars\na,x,1,5\nb,y,2,{bad}\n")
    message = fails(log, "--rating", "stars")
    assert "Column 'stars' needs a number from 0 to 1e+30, but in line 3" in message
    assert (f"it is '{bad[:60]}" if bad else "empty") in message
    assert "0" * 100 not in message


def test_times_that_no_difference_fits(fails, write):
    rows = "".join(f"u{n},i{n},{n - 4}e307\n" for n in range(9))
    message = fails(write(f"user,item,time\n{rows}"))
    assert "'time' needs one kind of time in all rows, here a number up to 1e+30" in message
    assert "it is '-4e307' (number of bad rows: 8)" in message


def test_half_numbers_and_half_dates_in_one_column(fails, write):
    message = fails(write("user,item,time\na,x,2024-01-31\na,y,5\nb,x,2024-01-31\nb,y,6\n"))
    needed = (
        "needs one kind of time in all rows, here a number up to 1e+30, but in line 2 it is"
    )
    assert needed in message
    assert "'2024-01-31' (number of bad rows: 2)" in message


def test_lines_are_counted_as_an_editor_does(fails, write):
    text = '\n\nuser,item,time\na,"two\nlines",1\n\n   \n,dropped,2\n""\nb,x,soon\n'
    message = fails(write(text))
    assert (
        f"but in line {text[: text.index('b,x')].count(chr(10)) + 1} it is 'soon'"
        in message
    )


def test_rows_of_parquet_are_counted_as_rows(fails, tmp_path):
    log = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"], "time": ["1", "soon"]})
    log.to_parquet(tmp_path / "log.parquet")
    assert "but in row 2 it is 'soon'" in fails(tmp_path / "log.parquet")


def test_min_relevance_above_all_ratings(fails, write):
    log = write("user,item,time,stars\na,x,1,5\nb,y,2,4\n")
    message = fails(log, "--rating", "stars", "--min-relevance", "6")
    assert "6 or more" in message
    assert "the largest in column 'stars' is 5" in message


def test_no_rating_above_0(fails, write):
    log = write("user,item,time,stars\na,x,1,0\nb,y,2,0\n")
    assert "No rating is above 0" in fails(log, "--rating", "stars")


def test_log_too_short_for_the_folds(fails, write):
    rows = "a,x,1\nb,x,2\na,y,3\nb,y,4\n"
    message = fails(write("user,item,time\n" + rows), "--holdout", "0.5")
    assert "--folds 3" in message


def test_last_period_of_newcomers(fails, write):
    rows = "".join(f"u{i},x{i % 3},{i}\n" for i in range(50))
    message = fails(write("user,item,time\n" + rows))
    assert "has no row to evaluate" in message
    assert "--holdout" in message


def test_one_moment_cannot_be_cut(fails, write):
    rows = "".join(f"u{i % 5},x{i % 3},2024-01-01\n" for i in range(50))
    assert "--holdout 0.2" in fails(write("user,item,time\n" + rows))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metric", "ndgc@10"], "Did you mean 'ndcg'?"),
        (["--metric", "ndcg(discount=[])"], "'[' is not a value"),
        (["--metric", "ndcg(k=1)+(2)"], "'+' comes after the end of the name"),
        (["--metric", "ndcg@0"], "positive integer, got '0'"),
        (["--metric", "ndcg@-3"], "positive integer, got '-3'"),
        (["--metric", "ndcg@1.5"], "positive integer, got '1.5'"),
        (["--metric", "ndcg(gian='linear')@5"], "Did you mean 'gain'?"),
        (["--metric", "rmse"], "name a ranking metric"),
        (["--folds", "0"], "--folds: needs a whole number from 1 to 1,000, got '0'"),
        (["--folds", "two"], "--folds"),
        (["--folds", "9" * 30], "--folds: needs a whole number from 1 to 1,000"),
        (["--folds", "9" * 5000], "--folds: needs a whole number from 1 to 1,000"),
        (["--folds", "٣"], "--folds: needs a whole number"),
        (["--jobs", "9" * 30], "--jobs: needs a whole number from 1 to 1,000"),
        (["--min-relevance", "9" * 400, "--rating", "stars"], "--min-relevance"),
        (["--output", ""], "--output: needs a text, got ''"),
        (["--metric", "ndcg(log_base=0)"], "`log_base` must be"),
        (["--holdout", "1"], "--holdout: needs a share above 0 and below 1"),
        (["--holdout", "nan"], "--holdout"),
        (["--jobs", "0"], "--jobs"),
        (["--cv", "chance"], "choose from"),
        (["--cv", "random", "--time", "when"], "--cv random uses no times; leave out"),
        (["--cv", "user", "--folds", "1"], "--cv user needs --folds 2 or more"),
        (["--force"], "--force needs --save"),
        (["--users", "users.txt"], "--users needs --lists"),
        (["--min-relevance", "3"], "--min-relevance needs --rating"),
        (["--min-relevance", "-3", "--rating", "stars"], "--min-relevance"),
        (["--usr", "a"], "--usr"),
        (["a.csv", "b.csv"], "b.csv"),
    ],
)
def test_arguments_are_checked_before_anything_is_read(fails, arguments, said):
    assert said in fails(*arguments)


def test_output_that_is_a_file(fails, write):
    log = write(ROWS)
    for path in (log, log / "results"):
        assert "is a file; name a folder" in fails(log, "--output", path)


def test_errors_leave_no_folder_behind(fails, write, tmp_path):
    folder = tmp_path / "results"
    fails(write(ROWS), "--output", folder)
    fails(write("user,item,time\n"), "--output", folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("role", "values", "needed"),
    [
        ("rating", pd.to_datetime(["2024-01-01", "2024-01-02"]), "a number from 0"),
        ("time", [True, False], "a time: a number up to 1e+30, or"),
    ],
)
def test_columns_of_another_kind(fails, tmp_path, role, values, needed):
    log = pd.DataFrame({"user": [1, 2], "item": [1, 2], "time": [1, 2]})
    log.assign(**{role: values}).to_parquet(tmp_path / "log.parquet")
    message = fails(tmp_path / "log.parquet", f"--{role}", role)
    assert f"Column {role!r} needs {needed}" in message
    assert "in row 1 it is" in message


def test_a_row_far_ahead_is_named_before_the_search(fails, run, small_log, tmp_path):
    path, model = tmp_path / "log.csv", tmp_path / "model.npz"
    times = small_log["time"].astype("str")
    small_log.assign(time=times.where(small_log.index != 7, "2099-12-31")).to_csv(path)
    message = fails(path, "--save", model, "--models", "popularity")
    assert (
        "'time' has 1 row far after all others, such as 2099-12-31 in line 9; the"
        in message
    )
    assert not model.exists()
    code, _, _ = run("tune", path, "--models", "popularity", "--cv", "random")
    assert code == 0  # the advice
    small_log.drop(index=7).to_csv(path)
    code, _, _ = run("tune", path, "--models", "popularity", "--save", model)
    assert code == 0
    assert model.exists()


def test_training_that_ends_just_after_a_pause(fails, run, small_log, tmp_path):
    path = tmp_path / "log.csv"
    days = np.datetime64("2024-01-01", "h") + np.arange(2000).astype("m8[h]")
    # 1,600 rows are trained on; of these the last ten come after a pause.
    days[1590:] += np.timedelta64(60, "D")
    log = small_log.sort_values("time").assign(time=days)
    log.to_csv(path, index=False)
    message = fails(path, "--models", "popularity", "--folds", 2)
    assert (
        "ends just after a pause that begins at 2024-03-07 05:00:00, and half-lives "
        "would be measured from 10 rows after it." in message
    )
    code, _, _ = run(
        "tune", path, "--models", "popularity", "--folds", 2, "--holdout", 0.25
    )
    assert code == 0  # the advice
