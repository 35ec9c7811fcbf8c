"""Small files as each data set writes them, made by the test."""

import gzip
import zipfile

import pytest

from sklearn_rank.datasets import make_interactions, read_log
from sklearn_rank.datasets._logs import load_formats
from sklearn_rank.experiments import tune_models

pd = pytest.importorskip("pandas")

GENRES = "0|" * 18 + "1"
AMAZON = "A1,B000000001,5.0,1400000000\nA2,0000000116,3.0,1400000001\n"
SWAPPED = "".join(
    ",".join([item, user, rest]) + "\n"
    for user, item, rest in (line.split(",", 2) for line in AMAZON.splitlines())
)
RETAIL = "Invoice,StockCode,Description,Quantity,InvoiceDate,Price,Customer ID,Country"
PURCHASES = f"""{RETAIL}
489434,85048,"LIGHTS, WARM",12,2009-12-01 07:45:00,6.95,13085.0,United Kingdom
C489435,22041,RECORD,1,2009-12-01 07:46:00,6.75,13085.0,United Kingdom
489436,22041,RECORD,-2,2009-12-01 07:47:00,6.75,13085.0,United Kingdom
489437,22041,RECORD,1,2009-12-01 07:48:00,6.75,,United Kingdom
489438,POST,CAF\xc9,1,2009-12-01 07:49:00,1.5,13078.0,France
"""
# The files of each data set, and its first row.
LOGS = {
    "movielens-100k": (
        {
            "ml-100k/u.data": "196\t242\t3\t881250949\n",
            "ml-100k/u1.base": "196\t242\t3\t881250949\n",
            "ml-100k/u.item": f'242|"Kolya" Caf\xe9 (1996)|24-Jan-1997||http|{GENRES}\n',
            "ml-100k/u.user": "196|49|M|writer|00105\n",
        },
        (196, 242, 3, "1997-12-04 15:55:49"),
    ),
    "movielens-1m": (
        {
            "ml-1m/ratings.dat": "1::1193::5::978300760\n",
            "ml-1m/movies.dat": "1193::Am\xe9lie: 1|2::Comedy|Romance\n",
            "ml-1m/users.dat": "1::F::1::10::02138\n",
        },
        (1, 1193, 5, "2000-12-31 22:12:40"),
    ),
    "movielens": (
        {
            "ratings.csv": "userId,movieId,rating,timestamp\n1,296,3.5,1147880044\n",
            "movies.csv": 'movieId,title,genres\n296,"Pulp, Fiction",Crime\n',
            "tags.csv": "userId,movieId,tag,timestamp\n1,296,good,1147880044\n",
        },
        (1, 296, 3.5, "2006-05-17 15:34:04"),
    ),
    "amazon-2023": (
        {
            "Books.csv": "user_id,parent_asin,rating,timestamp\n"
            "AE22,0000000116,4.0,1400000000123\n"
        },
        ("AE22", "0000000116", 4.0, "2014-05-13 16:53:20.123"),
    ),
    "amazon": (
        {"ratings_Books.csv": AMAZON},
        ("A1", "B000000001", 5.0, "2014-05-13 16:53:20"),
    ),
    "retailrocket": (
        {
            "events.csv": "timestamp,visitorid,event,itemid,transactionid\n"
            "1433221332117,257597,view,355908,\n",
            "category_tree.csv": "categoryid,parentid\n1,2\n",
        },
        (257597, 355908, "2015-06-02 05:02:12.117"),
    ),
    "yoochoose": (
        {
            "yoochoose-clicks.dat": "1,2014-04-07T10:51:09.277Z,214536502,0\n"
            "2,2014-04-07T13:56:37.614Z,214662742,S\n"
        },
        (1, 214536502, "2014-04-07 10:51:09.277"),
    ),
    "online-retail-ii": (
        {"online_retail_II.csv": PURCHASES},
        (13085, "85048", "2009-12-01 07:45:00"),
    ),
    "lastfm-360k": (
        {
            "usersha1-artmbid-artname-plays.tsv": "00a\t\t311\t99\n"
            "00a\tf1\tNA\t7\n00b\t\t\t1\n",
            "usersha1-profile.tsv": "00a\tf\t22\tGermany\tFeb 1, 2007\n",
        },
        ("00a", "311", 99),
    ),
}


def encode(dataset, text):
    """Return the bytes: old data sets have Latin-1."""
    return text.encode("latin-1" if dataset != "movielens-10m" else "utf-8")


def write_folder(folder, dataset, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(dataset, text))
    return folder


def write_archive(folder, dataset, files):
    path = folder / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__MACOSX/._u.data", "attributes")
        for name, text in files.items():
            archive.writestr(name, encode(dataset, text))
    return path


def test_each_data_set_has_a_test():
    assert set(LOGS) == set(load_formats())


@pytest.mark.parametrize("write", [write_folder, write_archive])
@pytest.mark.parametrize("dataset", LOGS)
def test_a_log_as_it_is_downloaded(tmp_path, dataset, write):
    files, row = LOGS[dataset]
    log = read_log(write(tmp_path, dataset, files))
    assert log.dataset == dataset
    assert "Source: " in log.DESCR
    if isinstance(row[-1], str):
        row = (*row[:-1], pd.Timestamp(row[-1]))
    assert tuple(log.frame.iloc[0, : len(row)]) == row
    first = [n for n in ("user", "item", "rating", "time") if n in log.frame]
    assert list(log.frame)[: len(first)] == first
    assert len(first) == len(row)
    assert ("time" in first) == (log.frame.dtypes.iloc[len(row) - 1].kind == "M")


def read(tmp_path, dataset):
    return read_log(write_folder(tmp_path, dataset, LOGS[dataset][0]))


def test_items_and_users_beside_the_log(tmp_path):
    log = read(tmp_path, "movielens-100k")
    item, user = log.item_features.iloc[0], log.user_features.iloc[0]
    assert (item["item"], item["title"], item["western"]) == (242, '"Kolya" Café (1996)', 1)
    assert (user["user"], user["zip_code"]) == (196, "00105")
    old = read(tmp_path / "1m", "movielens-1m")
    assert old.item_features.iloc[0].tolist() == [1193, "Amélie: 1|2", "Comedy|Romance"]
    assert old.user_features.iloc[0].tolist() == [1, "F", 1, 10, "02138"]
    new = read(tmp_path / "20m", "movielens")
    assert new.item_features.iloc[0].tolist() == [296, "Pulp, Fiction", "Crime"]
    assert new.user_features is None


def test_movies_of_10m_are_in_another_encoding(tmp_path):
    files = LOGS["movielens-1m"][0] | {}
    del files["ml-1m/users.dat"]
    log = read_log(write_folder(tmp_path, "movielens-10m", files))
    assert log.item_features["title"][0] == "Amélie: 1|2"
    assert log.user_features is None


def test_returns_and_rows_without_a_customer_are_counted(tmp_path):
    log = read(tmp_path, "online-retail-ii")
    assert log.n_left_out == 3
    assert log.frame["user"].tolist() == [13085, 13078]
    assert log.frame["user"].dtype == "int64"
    assert log.frame["Description"].tolist() == ["LIGHTS, WARM", "CAFÉ"]
    assert set(log.frame) >= {"invoice", "quantity", "price", "Country"}


def test_names_that_look_like_missing_values_or_numbers_are_names(tmp_path):
    log = read(tmp_path, "lastfm-360k")
    assert log.frame["item"].tolist() == ["311", "NA"]
    assert log.n_left_out == 1
    assert log.user_features["country"].tolist() == ["Germany"]


def test_events_and_categories_are_kept(tmp_path):
    assert list(read(tmp_path / "a", "retailrocket").frame)[3:] == ["event", "transaction"]
    assert read(tmp_path / "b", "yoochoose").frame["category"].tolist() == ["0", "S"]


def test_amazon_of_2018_has_items_first(tmp_path):
    path = tmp_path / "Books.csv"
    frames = []
    for text in (AMAZON, SWAPPED):
        path.write_text(text)
        frames.append(read_log(path).frame)
    pd.testing.assert_frame_equal(*frames)
    assert frames[0]["item"].tolist() == ["B000000001", "0000000116"]
    path.write_text("A123456789,B000000001,5.0,1400000000\n")
    with pytest.raises(ValueError, match="'amazon': users and items look alike"):
        read_log(path)


def test_packed_files(tmp_path):
    files, _ = LOGS["movielens-100k"]
    packed = gzip.compress(files["ml-100k/u.data"].encode())
    (tmp_path / "u.data.gz").write_bytes(packed)
    assert read_log(tmp_path / "u.data.gz").frame["user"].tolist() == [196]
    assert read_log(tmp_path).dataset == "movielens-100k"
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("u.data.gz", packed)
    assert read_log(tmp_path / "all.zip").frame["user"].tolist() == [196]


def test_a_file_of_any_name_if_the_data_set_is_named(tmp_path):
    path = tmp_path / "films.txt"
    path.write_text("196\t242\t3\t881250949\n")
    with pytest.raises(ValueError, match=r"no log of movielens-100k or .*has films.txt"):
        read_log(path)
    assert read_log(path, "movielens-100k").frame["item"].tolist() == [242]
    with pytest.raises(ValueError, match=r"no log of movielens; it has films\.txt"):
        read_log(path, "movielens")


def test_several_logs_are_named(tmp_path):
    for dataset in ("movielens-100k", "movielens-1m"):
        write_folder(tmp_path, dataset, LOGS[dataset][0])
    with pytest.raises(
        ValueError, match=r"2 files that fit: ml-100k/u.data \(movielens-100"
    ):
        read_log(tmp_path)
    assert read_log(tmp_path, "movielens-1m").frame["item"].tolist() == [1193]


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist; pass the archive"):
        read_log(tmp_path / "ml-1m.zip")
    with pytest.raises(ValueError, match="it has no file"):
        read_log(tmp_path)
    with pytest.raises(TypeError, match="`source` must be a path, got 3"):
        read_log(3)
    with pytest.raises(ValueError, match=r"'movielens-1M'.*'movielens-1m'"):
        read_log(tmp_path, "movielens-1M")
    path = tmp_path / "u.data"
    path.write_text("1\t2\t3\t4\n1\t2\t3\t4\t5\n")
    with pytest.raises(ValueError, match=r"cannot be read as 'movielens-100k': .*line 2"):
        read_log(path)
    path.write_text("1\t2\t3\tnow\n")
    with pytest.raises(ValueError, match="cannot be read as 'movielens-100k'"):
        read_log(path)
    path.write_text("")
    with pytest.raises(ValueError, match="no log of movielens-100k or"):
        read_log(path)
    path.write_bytes(gzip.compress(b"1\t2\t3\t4\n" * 99)[:-9])
    with pytest.raises(ValueError, match="damaged or incomplete"):
        read_log(path)
    whole = write_archive(tmp_path, *("movielens-100k", LOGS["movielens-100k"][0]))
    data = whole.read_bytes()
    whole.write_bytes(data.replace(b"PK\x03\x04", b"PK\x03\x05"))
    with pytest.raises(ValueError, match="cannot be unpacked: it is damaged"):
        read_log(whole)


def test_a_log_can_be_tuned_on(tmp_path):
    made = make_interactions(60, 60, 900, random_state=0)
    seconds = made.time.astype("datetime64[s]").astype(int)
    rows = zip(made.user, made.item, seconds, strict=True)
    lines = (f"{user}::{item}::5::{second}\n" for user, item, second in rows)
    files = {"ml-1m/ratings.dat": "".join(lines)}
    log = read_log(write_archive(tmp_path, "movielens-1m", files))
    assert log.frame["time"].tolist() == [pd.Timestamp(time) for time in made.time]
    tuned = tune_models(log.frame, time="time", models=["neighbors"])
    assert tuned.best_estimator_.recommend([7], k=3).shape == (1, 3)


DAMAGED = {
    "a part of a user beside an empty cell": (
        "1\t2\t3\t4\n\n1.5\t2\t3\t4\n\t1\t1\t1\n",
        "3 has no",
    ),
    "an endless user beside an empty cell": ("inf\t2\t3\t4\n\t2\t3\t4\n", "1 has no user"),
    "an item that floats round": (f"1\t{2**53 + 2}\t3\t4\n1\t\t3\t4\n", "1 has no item"),
    "an endless time": ("1\t2\t3\t4\n1\t2\t3\tinf\n", "2 has no time"),
    "a far time": ("1\t2\t3\t4\n1\t2\t3\t1e300\n", "2 has no time"),
    "a time that wraps around": (f"1\t2\t3\t{2**64 - 1}\n", "1 has no time"),
    "a word for a time": ("1\t2\t3\tnow\n", "1 has no time"),
    "a word for a rating": ("1\t2\t3\t4\n1\t2\tgood\t4\n", "2 has no rating"),
    "an exponent beyond 32 bits": (
        "1\t2\t3\t4\n1\t2\t1e2147483648\t4\n",
        "2 has no rating",
    ),
}


@pytest.mark.parametrize(("text", "place"), DAMAGED.values(), ids=DAMAGED)
def test_a_cell_that_is_wrong_is_named_by_file_and_line(tmp_path, text, place):
    path = tmp_path / "u.data"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"'movielens-100k': u.data: line {place}"):
        read_log(path)


def test_rows_with_more_cells_than_names(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("userId,movieId,rating,timestamp\n9,1,296,3.5,1147880044\n")
    with pytest.raises(ValueError, match=r"ratings\.csv: its rows have more cells than"):
        read_log(path)


def test_a_row_without_any_cell_is_a_row(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("userId,movieId,rating,timestamp\n,,,\n\n1,296,good,1147880044\n")
    with pytest.raises(ValueError, match=r"ratings\.csv: line 4 has no rating"):
        read_log(path)


def test_lines_that_end_as_on_old_computers(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes(b"userId,movieId,rating,timestamp\r1,296,3.5,1147880044\r")
    assert read_log(path).frame["item"].tolist() == [296]


def test_an_archive_whose_end_lies_before_its_start(tmp_path):
    whole = write_archive(tmp_path, *("movielens-100k", LOGS["movielens-100k"][0]))
    data = whole.read_bytes()
    end = data.rindex(b"PK\x05\x06")
    for place in (12, 16):  # the size of the list of files, and where it begins
        wrong = bytearray(data)
        wrong[end + place : end + place + 4] = b"\xff\xff\xff\x7f"
        whole.write_bytes(wrong)
        with pytest.raises(ValueError, match="cannot be unpacked: it is damaged"):
            read_log(whole)


def test_names_and_cells_of_strangers_are_shown_without_controls(tmp_path):
    path = tmp_path / "hostile.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a\x1b[2J\u202eb.txt", "1")
    with pytest.raises(ValueError, match=r"has a\\x1b\[2J\\u202eb\.txt") as caught:
        read_log(path)
    assert caught.value.__cause__ is caught.value.__context__ is None
    path = tmp_path / "u.data"
    path.write_text("1\t2\t3\t\x1b[2J\n")
    with pytest.raises(ValueError, match="line 1 has no time") as caught:
        read_log(path)
    assert str(caught.value).isprintable()
