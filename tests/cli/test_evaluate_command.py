"""The report of Parquet files, in a bounded number of bytes."""

import errno
import sys

import numpy as np
import pytest

from sklearn_rank._cli._evaluate_command import PercentCounter
from sklearn_rank.metrics import ranking_report
from sklearn_rank.statistics import confidence_interval

pd = pytest.importorskip("pandas")

METRICS = ["ndcg@10", "map@10"]
BY_METRICS = ["--metric", "ndcg@10", "--metric", "map@10"]
COLUMNS = ["--query", "user", "--rating", "grade", "--score", "score"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    user = np.sort(rng.integers(0, 200, 6000))
    return pd.DataFrame(
        {
            "user": [f"u{one}" for one in user],
            "grade": rng.integers(0, 3, 6000),
            "score": rng.random(6000).round(1),
            "country": np.where(user % 2, "AT", "DE"),
            "weight": 1.0 + user % 3,
        }
    )


@pytest.fixture
def folder(frame, tmp_path):
    path = tmp_path / "rows"
    path.mkdir()
    for number in range(3):
        frame[number::3].to_parquet(path / f"{number}.parquet", index=False)
    return path


@pytest.fixture
def scratch(tmp_path):
    path = tmp_path / "scratch"
    path.mkdir()
    return path


def report_of(frame, **options):
    text = ranking_report(
        frame["grade"], frame["score"], groups=frame["user"], metrics=METRICS, **options
    )
    return f"{text}\n"


def test_a_folder_in_any_order(run, frame, folder, scratch):
    arguments = [*BY_METRICS, "--memory", "700 kB", "--spill", scratch]
    code, out, err = run("evaluate", folder, *COLUMNS, *arguments)
    assert (code, out) == (0, report_of(frame))
    assert err.splitlines()[-1] == "Percent of reading and scoring: 100 of 100"
    assert not list(scratch.iterdir())


def test_a_sorted_file(run, frame, tmp_path):
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=500)
    path = tmp_path / "rows.parquet"
    code, out, _ = run("evaluate", path, *COLUMNS, *BY_METRICS, "--sorted")
    assert (code, out) == (0, report_of(frame))


def test_the_ending_says_what_is_written(run, folder, tmp_path):
    tables = [tmp_path / "values.csv", tmp_path / "values.parquet"]
    for table in tables:
        assert run("evaluate", folder, *COLUMNS, "--values", table)[0] == 0
    text = pd.read_csv(tables[0], dtype=str)
    binary = pd.read_parquet(tables[1])
    assert list(map(float, text["ndcg@10"])) == binary["ndcg@10"].tolist()
    assert text["group"].astype(str).tolist() == binary["group"].astype(str).tolist()


def test_segments_weights_and_values(run, frame, folder, tmp_path):
    table = tmp_path / "values.parquet"
    options = ["--by", "country", "--sample-weight", "weight", "--values", table]
    code, out, err = run("evaluate", folder, *COLUMNS, *BY_METRICS, *options)
    assert code == 0
    assert out == report_of(frame, by=frame["country"], sample_weight=frame["weight"])
    assert err.endswith(
        f"note: '{table}' has {frame['user'].nunique():,} rows of values.\n"
    )
    values = pd.read_parquet(table)
    assert set(values) >= {"group", "rows", "by.country", *METRICS, "weight.map@10"}
    assert confidence_interval(values["map@10"]).mean > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--query", "usr"], "--query usr is not a column of the frame."),
        (["--metric", "ndgc@10"], "Unknown metric 'ndgc@10'."),
        (["--metric", "err@10"], "takes `max_grade` from the whole data"),
        (["--memory", "much"], "--memory must be a positive number of bytes"),
        (["--memory", "2kB"], "alone has"),
        (["--spill", "/no/such/folder"], "--spill must be a folder that exists"),
        (["--sorted"], "the rows are not sorted by 'user'"),
        (["--values", "/no/such/folder/values.parquet"], "Cannot write"),
        (["--rating", "weight", "--by", "grade"], "differs within query"),
        (["--by", "grade"], "--rating and --by both name the column 'grade'"),
    ],
)
def test_errors(run, folder, arguments, message):
    code, _, err = run("evaluate", folder, *COLUMNS, *arguments)
    assert code == 2
    assert message in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("sklearn-rank: error: ")


def test_a_metric_that_is_named_twice(run, frame, folder):
    names = [word for name in (*METRICS, METRICS[0]) for word in ("--metric", name)]
    code, out, _ = run("evaluate", folder, *COLUMNS, *names)
    assert (code, out) == (0, report_of(frame))


def test_a_query_that_is_missing_is_told_by_the_option(run, frame, tmp_path):
    frame.astype({"user": object}).assign(user=None).to_parquet(tmp_path / "rows.parquet")
    code, _, err = run("evaluate", tmp_path / "rows.parquet", *COLUMNS)
    assert code == 2
    assert "Column 'user', which is --query, has" in err


def test_no_rows(run, frame, tmp_path):
    frame[:0].to_parquet(tmp_path / "rows.parquet")
    code, out, err = run("evaluate", tmp_path / "rows.parquet", *COLUMNS)
    assert (code, out) == (2, "")
    assert f"'{tmp_path / 'rows.parquet'}' has no rows." in err


def test_files_that_cannot_be_read(run, tmp_path):
    for path, message in (
        (tmp_path / "none", "There is no file or folder"),
        (tmp_path, "has no files"),
        (
            __file__,
            "is not a complete Parquet file, which rows need; lists also need TEST.",
        ),
    ):
        code, _, err = run("evaluate", path, *COLUMNS)
        assert code == 2
        assert message in err


def _end(content):
    return content[:-50]


def _middle(content):
    return content[:40] + bytes(len(content) - 1000) + content[-960:]


@pytest.mark.parametrize("damage", [_end, _middle])
def test_a_damaged_file_of_a_folder_is_named(run, frame, folder, damage):
    frame.to_parquet(folder / "3.parquet")
    damaged = folder / "3.parquet"
    damaged.write_bytes(damage(damaged.read_bytes()))
    code, out, err = run("evaluate", folder, *COLUMNS)
    assert (code, out) == (2, "")
    assert f"Cannot read '{damaged}': " in err
    assert "The file must be complete" in err


def test_a_column_of_another_type_names_its_file(run, frame, folder):
    frame.assign(grade="good").to_parquet(folder / "3.parquet")
    code, _, err = run("evaluate", folder, *COLUMNS)
    assert code == 2
    assert f"Cannot read '{folder / '3.parquet'}'" in err


@pytest.mark.parametrize("column", ["user", "grade", "score"])
@pytest.mark.parametrize("values", [[[1]], [{"a": 1}]], ids=["lists", "records"])
@pytest.mark.parametrize("way", [[], ["--sorted"]])
def test_a_column_of_lists(run, frame, tmp_path, column, values, way):
    path = tmp_path / "rows.parquet"
    frame.assign(**{column: values * len(frame)}).to_parquet(path)
    code, _, err = run("evaluate", path, *COLUMNS, *way)
    assert code == 2
    assert err.splitlines()[-1].startswith("sklearn-rank: error: ")


def test_a_full_disk_names_the_option_and_the_folder(run, folder, tmp_path, monkeypatch):
    import pyarrow.ipc

    def full(*_):
        raise OSError(errno.ENOSPC, "Error writing bytes to file")

    monkeypatch.setattr(pyarrow.ipc, "new_stream", full)
    code, _, err = run("evaluate", folder, *COLUMNS, "--spill", tmp_path)
    assert code == 2
    assert f"give --spill another folder, with more room: '{tmp_path}'" in err


def test_files_with_unlike_columns(run, frame, folder):
    frame.drop(columns="grade").to_parquet(folder / "3.parquet")
    code, _, err = run("evaluate", folder, *COLUMNS)
    assert code == 2
    assert "Column 'grade', which is --rating, has" in err


def test_without_pyarrow(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run("evaluate", folder, *COLUMNS)
    assert code == 2
    assert 'pip install "sklearn-rank[arrow]"' in err


def test_nothing_is_left_when_it_is_stopped(run, folder, scratch, monkeypatch):
    def stop_while_scoring(percent, n_rows):
        if any(scratch.rglob("*.arrow")):
            raise KeyboardInterrupt

    monkeypatch.setattr(PercentCounter, "add", stop_while_scoring)
    values = scratch.with_name("values.parquet")
    options = ["--memory", "700kB", "--spill", scratch, "--values", values]
    code, _, err = run("evaluate", folder, *COLUMNS, *options)
    assert code == 130
    assert "interrupted" in err
    assert not list(scratch.iterdir())
    assert not values.exists()


def test_the_numbers_of_another_library(run, fails, frame, folder, scratch):
    arguments = ["--metric", "ndcg@10", "--convention", "lightgbm", "--spill", scratch]
    code, out, _ = run("evaluate", folder, *COLUMNS, *arguments)
    frame = pd.concat([frame[number::3] for number in range(3)])  # whose ties keep order
    rows = {"groups": frame["user"], "metrics": "ndcg@10", "convention": "lightgbm"}
    assert (code, out) == (0, f"{ranking_report(frame['grade'], frame['score'], **rows)}\n")
    arguments = ["--metric", "gini@10", "--convention", "lightgbm"]
    assert "lightgbm" in fails(folder, *COLUMNS, *arguments, command="evaluate")
