"""Parts of a log: by the public splitters, with all that the rows have."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    k_core,
    train_valid_test_split,
)

PARTS = ("train", "valid", "test")


@pytest.fixture(scope="module")
def log(small_log):
    text = [f'note; "{row}"' for row in range(len(small_log))]
    return small_log.assign(text=text)


@pytest.fixture(scope="module")
def csv(log, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.csv"
    log.to_csv(path, index=False)
    return path


def expected(log, splitter, **options):
    # Users as a CSV file has them: their order decides who is drawn.
    columns = {"users": log["user"].astype(str), "times": log["time"]}
    return train_valid_test_split(log, splitter=splitter, **columns, **options)


def read(folder, ending=".csv", **options):
    return [pd.read_csv(folder / f"{part}{ending}", **options) for part in PARTS]


def check(found, parts, log):
    for one, other in zip(found, parts, strict=True):
        one = one.assign(time=pd.to_datetime(one["time"]).astype(log["time"].dtype))
        pd.testing.assert_frame_equal(one, other.reset_index(drop=True), check_dtype=False)


RULES = {
    "time": ([], TimeSplit(test_size=0.1)),
    "last": (["--test", 2, "--valid", 2], LeaveLastOut(test_size=2)),
    "random": (["--seed", 3], LeaveRandomOut(test_size=0.1, random_state=3)),
    "users": (["--valid", 0.2, "--test", 0.2], UserKFold(5, shuffle=True, random_state=0)),
}


@pytest.mark.parametrize("by", RULES)
def test_parts_are_those_of_the_splitter(run, csv, log, tmp_path, by):
    options, splitter = RULES[by]
    code, out, err = run("split", csv, "--by", by, *options, "-o", tmp_path / "parts")
    assert (code, err) == (0, "")
    check(read(tmp_path / "parts"), expected(log, splitter), log)
    names = [f"{part}.csv" for part in PARTS] + ["split.json"]
    assert out.endswith(f"Wrote {', '.join(names)} into {tmp_path / 'parts'}.\n")
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == sorted(names)


def test_sizes_of_valid_and_test_may_differ(run, csv, log, tmp_path):
    assert run("split", csv, "--test", 0.3, "--valid", 0.2, "-o", tmp_path)[0] == 0
    check(read(tmp_path), expected(log, TimeSplit(), test=0.3, valid=0.2), log)


def test_rows_to_drop(run, csv, log, tmp_path):
    options = ["--by", "last", "--drop", "new-items,repeats", "--valid", 3]
    code, out, err = run("split", csv, *options, "-o", tmp_path)
    dropped = {"cold_items": "drop", "seen_items": "drop"}
    parts = expected(log, LeaveLastOut(**dropped), valid=3, items=log["item"])
    n_dropped = len(log) - sum(map(len, parts))
    assert code == 0
    assert err == f"sklearn-rank: note: {n_dropped} rows are in no part, see --drop.\n"
    assert out.count("0.0%") == 6
    check(read(tmp_path), parts, log)


def test_what_was_done_stands_in_a_file(run, csv, log, tmp_path):
    out = run("split", csv, "-o", tmp_path)[1]
    found = json.loads((tmp_path / "split.json").read_text())
    train, valid, test = expected(log, TimeSplit(test_size=0.1))
    assert found["options"]["by"] == "time"
    assert found["rows_read"] == 2000
    parts = found["parts"]
    assert [parts[name]["rows"] for name in PARTS] == [len(train), len(valid), len(test)]
    assert parts["test"]["users"] == test["user"].nunique()
    assert parts["valid"]["to"] == str(valid["time"].max())
    before = pd.concat([train, valid])
    is_new = ~test["user"].isin(before["user"])
    assert parts["test"]["of new users"] == pytest.approx(is_new.mean())
    pairs = set(zip(before["user"], before["item"], strict=True))
    repeated = [pair in pairs for pair in zip(test["user"], test["item"], strict=True)]
    assert parts["test"]["repeated pairs"] == pytest.approx(np.mean(repeated))
    assert f"{len(train):,}" in out


def test_twice_the_same(run, csv, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        assert run("split", csv, "--by", "random", "-o", folder)[0] == 0
    for part in PARTS:
        one, two = (folder / f"{part}.csv" for folder in folders)
        assert one.read_bytes() == two.read_bytes()


def test_cells_are_copied_as_they_are(run, tmp_path):
    lines = [
        "user;item;time;note\r\n",
        '"a;b";007;3;"two\nlines ""here"""\r\n',
        "\r\n",
        "c; x ;1;\r\n",
        "d;y;2;é",
    ]
    path = tmp_path / "log.csv"
    path.write_bytes("\ufeff".encode() + "".join(lines).encode())
    options = ["--test", 0.3, "--valid", 0.3]
    assert run("split", path, *options, "-o", tmp_path / "parts")[0] == 0
    found = [(tmp_path / "parts" / f"{part}.csv").read_bytes() for part in PARTS]
    rows = [line.replace("\r\n", "\n") for line in (lines[3], lines[4] + "\n", lines[1])]
    assert found == [f"user;item;time;note\n{row}".encode() for row in rows]


@pytest.mark.parametrize("ending", [".csv.gz", ".tsv", ".parquet"])
def test_the_format_of_the_log(run, log, tmp_path, ending):
    path = tmp_path / f"log{ending}"
    parts = expected(log, TimeSplit(test_size=0.1))
    if ending == ".parquet":
        log.to_parquet(path)
    else:
        log.to_csv(path, index=False, sep="\t" if ending == ".tsv" else ",")
    assert run("split", path, "-o", tmp_path / "parts")[0] == 0
    if ending == ".parquet":
        as_read = pd.read_parquet(path)
        for part, rows in zip(PARTS, parts, strict=True):
            # Types, too.
            found = pd.read_parquet(tmp_path / "parts" / f"{part}.parquet")
            pd.testing.assert_frame_equal(
                found, as_read.loc[rows.index].reset_index(drop=True)
            )
    else:
        separator = "\t" if ending == ".tsv" else ","
        check(read(tmp_path / "parts", ending, sep=separator), parts, log)


def test_k_core(run, csv, log, tmp_path):
    code, _, err = run("split", csv, "--k-core", 12, "-o", tmp_path)
    kept = k_core(log["user"], log["item"], 12, 12)
    assert code == 0
    assert f"note: {np.count_nonzero(~kept):,} rows left out by --k-core 12." in err
    check(read(tmp_path), expected(log[kept], TimeSplit(test_size=0.1)), log)


def test_times_are_not_read_where_they_are_not_needed(run, write, tmp_path):
    rows = "".join(f"u{n % 3},i{n}\n" for n in range(30))
    path = write(f"user,item\n{rows}")
    assert run("split", path, "--by", "random", "-o", tmp_path / "parts")[0] == 0
    assert [len(part) for part in read(tmp_path / "parts")] == [24, 3, 3]
    # Whole numbers, which floats of other columns do not change.
    assert '"rows": 24,' in (tmp_path / "parts" / "split.json").read_text()


def test_incomplete_rows_are_left_out_and_said(run, write, tmp_path):
    rows = [f"u{n % 3},i{n},{n}" for n in range(30)] + [",i1,50", "u1,,51", "u1,i1,"]
    path = write("user,item,time\n" + "\n".join(rows))
    code, out, _ = run("split", path, "-o", tmp_path / "parts")
    assert code == 0
    assert out.startswith(f"Read {path}: 33 rows\n")
    for column in ("user", "item", "time"):
        assert f"  dropped 1 row where column {column!r} is empty\n" in out
    assert sum(map(len, read(tmp_path / "parts"))) == 30


def test_times_are_read_as_by_tune(run, write, tmp_path):
    rows = [f"u{n % 3};i{n};{n % 28 + 1:02}.{n // 28 + 1:02}.2024" for n in range(40)]
    path = write("user;item;time\n" + "\n".join([*rows, "u1;i1;soon"]))
    code, out, _ = run("split", path, "-o", tmp_path / "parts")
    assert code == 0
    said = "dropped 1 row where column 'time' is not a time, such as 'soon' in line 42"
    assert f"  {said}\n" in out
    assert "  times were read as %d.%m.%Y\n" in out
    assert "2024-02-12" in out


@pytest.mark.parametrize(
    ("read_as", "unit"),
    [("YYYYMMDD", None), ("seconds since 1970", 10**9), ("milliseconds since 1970", 10**6)],
)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_numbers_that_are_dates(run, log, tmp_path, read_as, unit, ending):
    nanoseconds = log["time"].astype("datetime64[ns]").astype("int64")
    days = log["time"].dt.strftime("%Y%m%d").astype(int)
    numbers = log.assign(time=days if unit is None else nanoseconds // unit)
    path = tmp_path / f"log{ending}"
    numbers.to_csv(path) if ending == ".csv" else numbers.to_parquet(path)
    code, out, _ = run("split", path, "-o", tmp_path / "parts")
    assert code == 0
    assert f"  times were read as {read_as}\n" in out
    about = json.loads((tmp_path / "parts" / "split.json").read_text())["parts"]
    form = "%Y-%m-%d 00:00:00" if unit is None else "%Y-%m-%d %H:%M:%S"
    for part, rows in zip(PARTS, expected(numbers, TimeSplit(test_size=0.1)), strict=True):
        first = f"{log.loc[rows.index, 'time'].min():{form}}"
        assert about[part]["from"] == first
        assert first in out


def test_a_year_beyond_the_calendar_of_python(run, log, tmp_path):
    times = log["time"].astype("datetime64[s]")
    times.loc[7] = np.datetime64("12024-01-01", "s")
    log.assign(time=times).to_parquet(tmp_path / "log.parquet")
    code, out, err = run("split", tmp_path / "log.parquet", "-o", tmp_path / "parts")
    assert code == 0
    assert " to 12024-01-01\n" in out
    assert "12024-01-01 00:00:00" in out
    assert "12024-01-01" in err
    assert "row 8" in err


def test_what_is_there_is_replaced_only_by_force(run, csv, log, tmp_path):
    log.to_parquet(tmp_path / "log.parquet")
    folder = tmp_path / "parts"
    assert run("split", csv, "-o", folder)[0] == 0
    arguments = ["split", tmp_path / "log.parquet", "-o", folder]
    code, _, err = run(*arguments)
    assert code == 2
    assert f"'{folder}' has 'train.csv' already; name another folder" in err
    assert run(*arguments, "--force")[0] == 0
    names = {"train.parquet", "valid.parquet", "test.parquet", "split.json"}
    assert {path.name for path in folder.iterdir()} == names


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--test", "3"], "--test with --by time needs a share such as 0.1, got 3."),
        (["--by", "last", "--valid", "0.5"], "--by last needs a number of rows, got 0.5"),
        (["--test", "1.5"], "needs a share above 0 and below 1"),
        (["--drop", "repeat"], "Did you mean 'repeats'?"),
        (["--by", "week"], "invalid choice: 'week'"),
        (["--seed", "-1"], "--seed: needs a whole number from 0"),
        (["--k-core", "900"], "--k-core 900 leaves no row"),
        (["--time", "when"], "has no column 'when'; name one with --time"),
        (["--by", "last", "--test", "800"], "The log has 2,000 rows of 150 users"),
        (["--test", "0.9999"], "leaves a part empty. The log has 2,000 rows"),
        (["--user", "item"], "--user and --item both name the column 'item'"),
        (["--by", "users", "--test", "0.9"], "needs 1 user of N, such as 0.1, 0.2"),
        (["--by", "users", "--valid", "0.3"], "got 0.3; the nearest is 0.333."),
        (["--by", "users", "--drop", "new-users"], "and --drop new-users leaves a part"),
    ],
)
def test_arguments_that_are_wrong(fails, csv, tmp_path, arguments, said):
    folder = tmp_path / "parts"
    message = fails(csv, *arguments, "-o", folder, command="split")
    assert said in message
    assert "`" not in message
    assert not folder.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("user,item,time\n", "has column names but no rows"),
        ("user,item,time\n,x,\n", "no complete row: 1 row where column 'user' is empty"),
        ("user item time\na x 1\n", "Separators are comma, semicolon, tab and bar."),
        ("user,item\na,x\n", "For a log without times take --by random or users."),
        ("user,item,time\na,x,2020-01-01\nb,y,5\n", "one kind of time in all rows"),
        (
            "user,item,time\na,x,1\nb,y,1\n",
            "The log has 2 rows of 2 users at 1 time; choose",
        ),
        ("", "is empty"),
    ],
)
def test_logs_that_are_wrong(fails, write, tmp_path, text, said):
    folder = tmp_path / "parts"
    assert said in fails(write(text), "-o", folder, command="split")
    assert not folder.exists()


def test_times_with_a_zone(run, log, tmp_path):
    zoned = log.assign(time=log["time"].dt.tz_localize("Europe/Berlin", ambiguous=True))
    zoned = zoned.assign(time=zoned["time"].dt.tz_convert("Asia/Tokyo"))
    zoned.to_parquet(tmp_path / "log.parquet")
    code, out, _ = run("split", tmp_path / "log.parquet", "-o", tmp_path / "parts")
    assert code == 0
    first = zoned["time"].min().tz_convert("UTC")
    assert f"{first:%Y-%m-%d %H:%M:%S}" in out
    about = json.loads((tmp_path / "parts" / "split.json").read_text())
    assert about["parts"]["train"]["from"] == f"{first:%Y-%m-%d %H:%M:%S}"
    times = expected(
        zoned.assign(time=zoned["time"].dt.tz_convert(None)), TimeSplit(test_size=0.1)
    )
    for part, rows in zip(PARTS, times, strict=True):
        found = pd.read_parquet(tmp_path / "parts" / f"{part}.parquet")
        assert found["text"].tolist() == rows["text"].tolist()


@pytest.mark.parametrize(
    ("times", "bad"),
    [
        (["1", "soon", "later", "never"], "soon"),
        (["1", "2", "3", "-inf", "inf", "nan"], "-inf"),
    ],
)
def test_a_column_of_bad_times_is_refused_by_the_first(fails, write, tmp_path, times, bad):
    rows = "".join(f"u,i{place},{time}\n" for place, time in enumerate(times))
    log = write(f"user,item,time\n{rows}")
    message = fails(log, "-o", tmp_path / "parts", command="split")
    assert repr(bad) in message


def test_a_part_does_not_replace_its_log(fails, run, csv, tmp_path):
    assert run("split", csv, "-o", tmp_path)[0] == 0
    train = tmp_path / "train.csv"
    before = train.read_bytes()
    assert "is an input" in fails(train, "-o", tmp_path, "--force", command="split")
    assert train.read_bytes() == before


def test_times_that_cannot_be_meant(run, log, tmp_path):
    path, output = tmp_path / "log.csv", tmp_path / "parts"
    times = log["time"].astype("str")
    log.assign(time=times.where(log.index != 7, "2099-12-31")).to_csv(path, index=False)
    code, _, err = run("split", path, "--output", output)
    assert code == 0
    assert err == (
        "sklearn-rank: note: Column 'time' has 1 row far after all others, such as "
        f"2099-12-31 in line 9; the newest of the others is at {times.max()}. Drop or "
        "correct them if they are wrong.\n"
    )
    seconds = log["time"].to_numpy().astype("M8[s]").astype(int)
    seconds[::2] *= 1000
    log.assign(time=seconds).to_csv(path, index=False)
    code, _, err = run("split", path, "--output", output, "--force")
    assert code == 2
    assert "Column 'time' mixes seconds (1,000 rows, such as " in err
    code, _, err = run("split", path, "--by", "random", "--output", output, "--force")
    assert (code, err) == (0, "")


def test_a_file_is_no_folder(fails, csv, tmp_path):
    (tmp_path / "parts").write_text("")
    said = fails(csv, "-o", tmp_path / "parts", command="split")
    assert "parts' is a file; name a folder" in said


def test_json_lines_stay_json_lines(run, tmp_path):
    rows = [{"user": f"u{n % 3}", "item": n, "time": n, "tags": ["é"]} for n in range(30)]
    path = tmp_path / "log.jsonl"
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")
    assert run("split", path, "-o", tmp_path / "parts")[0] == 0
    texts = [(tmp_path / "parts" / f"{part}.jsonl").read_text("utf-8") for part in PARTS]
    assert "".join(texts) == "".join(lines)


def test_without_pandas_it_says_what_to_install(fails, csv, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pandas", None)
    message = fails(csv, "-o", tmp_path / "parts", command="split")
    assert "The command split needs pandas, which is not installed." in message
