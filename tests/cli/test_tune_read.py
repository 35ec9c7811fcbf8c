"""What files and columns are read as."""

import bz2
import gzip
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.files._log_files import read_log_file


def read(path, **columns):
    return read_log_file(str(path), {"user": None, "item": None, "time": None, **columns})


def moments_of(log):
    return log.log.to_frame()[log.columns["time"]]


def sizes(log):
    return len(log.log.users_), len(log.log.items_)


def times_of(write, *texts):
    rows = "".join(f'u{i},x{i},"{text}"\n' for i, text in enumerate(texts))
    return read(write("user,item,time\n" + rows))


def test_ids_stay_text(write):
    log = read(write("user,item,time\n7,1,1\n007,01,2\n7,NA,3\n7,None,4\n"))
    assert sizes(log) == (2, 4)
    assert log.n_dropped == {}


def test_rows_without_user_item_or_time_are_dropped_and_counted(write):
    text = "user,item,time\na,x,1\n,x,2\n,,3\na,,4\nb,y,\nb,y,6\n"
    log = read(write(text))
    assert log.n_dropped == {"user": 2, "item": 1, "time": 1}
    assert moments_of(log).tolist() == [1, 6]
    assert "dropped 2 rows where column 'user' is empty" in log.describe()


def test_columns_may_have_any_name_and_place(write):
    log = read(
        write("when,n,Who Is It,thing\n1,2.5,a,x\n2,3.5,b,y\n"),
        user="Who Is It",
        item="thing",
        time="when",
        rating="n",
    )
    assert moments_of(log).tolist() == [1, 2]
    assert log.log.y.tolist() == [2.5, 3.5]


def test_columns_may_have_the_other_usual_names(write, tmp_path):
    text = "user_id,Item ID,time\na,x,1\nb,y,2\n"
    path = tmp_path / "log.parquet"
    pd.read_csv(write(text)).to_parquet(path)
    for log in (read(write(text)), read(path)):
        assert log.columns == {"user": "user_id", "item": "Item ID", "time": "time"}
        assert log.log.to_frame().columns.tolist() == ["user_id", "Item ID", "time"]


def test_of_two_usual_names_one_is_to_be_named(write):
    with pytest.raises(InputError, match="may both hold the users"):
        read(write("user_id,userId,item,time\na,a,x,1\n"))


def test_a_usual_name_has_no_second_role(write):
    path = write("user_id,item,time\n1,x,1\n2,y,2\n")
    with pytest.raises(InputError, match=r"--user and --rating both name .* 'user_id'"):
        read(path, rating="user_id")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators(write, separator):
    text = "user,item,time\na,x,1\nb,y,2\n".replace(",", separator)
    assert len(read(write(text)).rows) == 2


def test_byte_order_mark_and_gzip(tmp_path):
    path = tmp_path / "log.csv.gz"
    text = "\ufeffuser,item,time\na,x,1\nb,y,2\n"
    path.write_bytes(gzip.compress(text.encode()))
    assert len(read(path).rows) == 2


def test_parquet_and_csv_are_the_same_log(small_log, small_csv, tmp_path):
    path = tmp_path / "log.parquet"
    small_log.assign(stars=2).set_index("user", drop=False).to_parquet(path)
    one, other = read(path, rating="stars"), read(small_csv)
    assert sizes(one) == sizes(other)
    assert (moments_of(one).to_numpy() == moments_of(other).to_numpy()).all()
    assert (one.log.y == 2).all()


@pytest.mark.parametrize("name", ["log.csv", "log", "log.csv.gz", "log.zip"])
@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zip"])
def test_packed_files(write, tmp_path, ending, name):
    plain = write("user,item,time\na,x,1\nb,y,2\n", "plain.csv")
    packed = tmp_path / name
    if ending == ".zip":
        with zipfile.ZipFile(packed, "w") as archive:
            archive.write(plain, "log.csv")
    else:
        compress = {".gz": gzip, ".bz2": bz2, ".xz": lzma}[ending].compress
        packed.write_bytes(compress(plain.read_bytes()))
    assert moments_of(read(packed)).tolist() == [1, 2]


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zip"])
def test_plain_text_under_the_name_of_a_packed_file(write, ending):
    assert len(read(write("user,item,time\na,x,1\nb,y,2\n", f"log.csv{ending}")).rows) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines_and_empty_lines(tmp_path, end):
    path = tmp_path / "log.csv"
    path.write_bytes(
        "\n  \nuser,item,time\n\na,x,1\n   \nb,y,2".replace("\n", end).encode()
    )
    assert moments_of(read(path)).tolist() == [1, 2]


def test_cells_in_quotes_may_hold_anything(write):
    text = 'user,item,time\n"a, b","line\nbreak",1\n"say ""x""",y"z,2\n'
    log = read(write(text))
    assert moments_of(log).tolist() == [1, 2]
    assert sizes(log)[0] == 2


@pytest.mark.parametrize(
    ("texts", "moments"),
    [
        (["2024-01-31", "2024-02-01 10:30"], ["2024-01-31", "2024-02-01T10:30"]),
        (
            ["2024-01-31T23:00:00-02:00", "2024-02-01T00:00:00Z"],
            ["2024-02-01T01", "2024-02-01"],
        ),
        (["1/2/2024 8:05", "1/13/2024 18:26"], ["2024-01-02T08:05", "2024-01-13T18:26"]),
        (["1/2/2024", "13/1/2024"], ["2024-02-01", "2024-01-13"]),
        (["31.12.2023 7:00", "1.2.2024 7:00"], ["2023-12-31T07", "2024-02-01T07"]),
    ],
)
def test_dates(write, texts, moments):
    log = times_of(write, *texts)
    expected = np.array(moments, dtype="datetime64[us]")
    assert (moments_of(log).to_numpy() == expected).all()


def test_dates_that_are_not_iso_are_announced(write):
    assert "read as %m/%d/%Y" in times_of(write, "1/2/2024", "1/13/2024").describe()
    assert "read as" not in times_of(write, "2024-01-02", "2024-01-13").describe()


def test_dates_with_the_day_or_the_month_first_are_an_error(write):
    texts = [f"{day:02}/12/2010" for day in range(1, 12)]
    with pytest.raises(InputError, match="'time' has dates such as '01/12/2010', and"):
        times_of(write, *texts)
    # One more row says which of them it is.
    log = times_of(write, *texts, "13/12/2010")
    assert moments_of(log).max() == pd.Timestamp("2010-12-13")
    # Both readings are on one day: in all that is computed of times they are the same.
    assert len(times_of(write, "01/12/2010", "01/12/2010").rows) == 2


def test_numbers_are_times(write):
    assert moments_of(times_of(write, "978300760", "1e9", "-3.5")).tolist() == [
        978300760,
        1e9,
        -3.5,
    ]


@pytest.mark.parametrize(
    ("text", "read_as", "moment"),
    [
        ("20240131", "YYYYMMDD", "2024-01-31"),
        ("20240131221500", "YYYYMMDDhhmmss", "2024-01-31T22:15"),
        ("978300760", "seconds since 1970", "2000-12-31T22:12:40"),
        ("978300760.5", "seconds since 1970", "2000-12-31T22:12:40.5"),
        ("978300760000", "milliseconds since 1970", "2000-12-31T22:12:40"),
        ("978300760000000", "microseconds since 1970", "2000-12-31T22:12:40"),
        ("978300760000000000", "nanoseconds since 1970", "2000-12-31T22:12:40"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_numbers_that_stand_for_dates(tmp_path, write, text, read_as, moment, kind):
    log = times_of(write, text, text)
    if kind == "parquet":
        number = float(text) if "." in text else int(text)
        frame = pd.DataFrame({"user": ["a", "b"], "item": [1, 2], "time": number})
        frame.to_parquet(tmp_path / "log.parquet")
        log = read(tmp_path / "log.parquet")
    assert moments_of(log).tolist() == [pd.Timestamp(moment)] * 2
    assert f"times were read as {read_as}" in log.describe()
    assert f", {moment[:10]} to {moment[:10]}" in log.describe()


def test_nanoseconds_since_1970_stay_apart(write):
    texts = [str(1_700_000_000_000_000_000 + i) for i in range(3)]
    expected = pd.to_datetime([int(text) for text in texts])
    assert moments_of(times_of(write, *texts)).tolist() == expected.tolist()
    # One that is bad does not cost the others their last digits.
    found = times_of(write, *(str(1_700_000_000_000_000_000 + i) for i in range(20)), "7")
    assert moments_of(found).nunique() == 20


@pytest.mark.parametrize("texts", [["2011", "2012"], ["20110131", "20110132"], ["1", "2"]])
def test_mere_numbers_stay_numbers(write, texts):
    log = times_of(write, *texts)
    assert moments_of(log).tolist() == list(map(int, texts))
    assert "read as" not in log.describe()


@pytest.mark.parametrize(
    ("texts", "line", "n_left"),
    [
        (["1", "2", "2024-01-31", "3"], 4, 3),
        (["2024-01-31", "2024-02-01", "5", "2024-02-02"], 4, 3),
        (["2024-01-31", "20240201", "2024-02-02"], 3, 2),
        (["2011", "2012", "2011-05-01"], 4, 2),
        (["1/2/2024", "1/13/2024", "7"], 4, 2),
        ([f"202401{day}" for day in range(10, 20)] + ["20240132"], 12, 10),
        (["1e9"] + [str(978300760 + i) for i in range(10)] + ["0"], 13, 11),
    ],
)
def test_a_time_of_another_kind_is_dropped_and_counted(write, texts, line, n_left):
    log = times_of(write, *texts)
    assert len(log.rows) == n_left
    assert log.n_dropped == {"time": 1}
    said = f"1 row where column 'time' is not a time, such as {texts[line - 2]!r} in line"
    assert f"dropped {said} {line}" in log.describe()


@pytest.mark.parametrize("bad", ["-1", "nan", "inf", "many", "", "1e31"])
def test_a_bad_rating_is_dropped_and_counted(write, bad):
    text = f"user,item,time,stars\na,x,1,5\nb,y,2,{bad}\nb,x,3,1\n,y,soon,\nc,y,no,no\n"
    log = read(write(text + "c,z,4,2\nd,z,5,3\n"), rating="stars")
    assert log.log.y.tolist() == [5, 1, 2, 3]
    assert moments_of(log).tolist() == [1, 3, 4, 5]
    # A row counts for one reason only.
    assert log.n_dropped == {"user": 1, "time": 1, "stars": 1}
    assert f"is not a rating, such as {repr(bad) if bad else 'empty'} in line 3" in (
        log.describe()
    )


def test_a_log_without_times(write):
    path = str(write("user,item\na,x\nb,y\n"))
    log = read_log_file(path, {"user": None, "item": None})
    assert list(log.log.to_frame()) == ["user", "item"]
    assert "2 rows of 2 users and 2 items\n" in log.describe() + "\n"


@pytest.mark.parametrize("other", ["2024-01-03", "2024-01-03T00:00:00", "2024-01-03 05:00"])
def test_times_with_and_without_a_zone(write, other):
    log = write(f"user,item,time\n1,a,2024-01-01T00:00:00Z\n2,a,{other}\n")
    text = rf"Column 'time' mixes .* zone, such as '2024-01-01T00:00:00Z' and '{other}'"
    with pytest.raises(InputError, match=text):
        read(log)


def test_parquet_times_with_zone_and_as_dates(tmp_path):
    moments = pd.to_datetime(["2024-01-31 23:00", "2024-02-01 00:00"]).tz_localize(
        "Europe/Berlin"
    )
    frame = pd.DataFrame({"user": ["a", "b"], "item": [1, 2], "time": moments})
    frame.to_parquet(tmp_path / "zone.parquet")
    log = read(tmp_path / "zone.parquet")
    assert moments_of(log).iloc[0] == pd.Timestamp("2024-01-31 22:00")
    frame["time"] = frame["time"].dt.date
    frame.to_parquet(tmp_path / "dates.parquet")
    log = read(tmp_path / "dates.parquet")
    assert moments_of(log).iloc[0] == pd.Timestamp("2024-01-31")


SECONDS = [1_700_000_000 + 86_400 * day for day in range(40)]


@pytest.mark.parametrize("step", [2, 20])  # half of them; as few as are dropped otherwise
@pytest.mark.parametrize(
    ("unit", "factor"), [("milliseconds", 10**3), ("nanoseconds", 10**9)]
)
def test_units_that_are_mixed_are_refused(write, step, unit, factor):
    times = [t * factor if row % step == 0 else t for row, t in enumerate(SECONDS)]
    n = 40 // step
    with pytest.raises(ValueError, match="mixes seconds") as raised:
        times_of(write, *times)
    assert str(raised.value) == (
        f"Column 'time' mixes seconds ({40 - n} rows, such as {times[1]} in line 3) and "
        f"{unit} ({n} row{'s' * (n > 1)}, such as {times[0]} in line 2); divide the {unit} "
        f"by {factor:,}."
    )
    mended = [t // factor if t > 10**11 else t for t in times]
    assert len(times_of(write, *mended).rows) == 40


def test_rows_far_after_all_others_are_found_by_their_line(write):
    days = np.datetime64("2024-01-01") + np.arange(150).astype("m8[D]")
    assert times_of(write, *days).far_rows() is None
    # A row that is not read comes before.
    found = times_of(write, *days[:5], "", *days[5:], "2200-01-01").far_rows()
    assert found == (
        "Column 'time' has 1 row far after all others, such as 2200-01-01 in line 153; the "
        "newest of the others is at 2024-05-29."
    )


def test_the_embedded_log_without_a_path():
    log = read_log_file(None, {"user": None, "item": None, "time": None})
    assert log.describe().startswith("Read the embedded log: 100,000 rows\n")
    assert (log.n_dropped, len(log.rows)) == ({}, 100_000)
