"""The ways to hold rows out, with times and without, and where the rows do not suffice."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli._log import read_log
from sklearn_rank._cli.tune._periods import split_periods
from sklearn_rank._cli.tune._ways import WAYS

QUICK = ("--models", "popularity,neighbors", "--folds", 2)


@pytest.fixture(scope="module")
def pairs_csv(small_log, tmp_path_factory):
    path = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    small_log[["user", "item"]].to_csv(path, index=False)
    return path


def periods_of(path, cv, share=0.2):
    log = read_log(str(path), {name: name for name in WAYS[cv].columns})
    return split_periods(log, cv, share, np.ones(len(log.X), dtype=bool))


@pytest.mark.parametrize("cv", ["random", "user"])
def test_a_log_without_times(run, pairs_csv, tmp_path, cv):
    code, out, err = run("tune", pairs_csv, "--cv", cv, *QUICK, "--output", tmp_path)
    assert code == 0, err
    assert "popularity on the held-out rows: ndcg@10 " in out
    assert "period" not in out
    assert "decayed" not in out
    report = json.loads((tmp_path / "report.json").read_text())
    assert list(report["comparison"]["baselines"]) == ["popularity"]
    assert report["log"]["first_time"] is None
    assert report["beats_popularity"] is True


@pytest.mark.parametrize("cv", ["random", "user"])
def test_times_are_not_read_where_none_are_used(run, small_log, tmp_path, cv):
    small_log.assign(time="soon").to_csv(tmp_path / "log.csv", index=False)
    assert run("tune", tmp_path / "log.csv", "--cv", cv, *QUICK)[0] == 0


def test_random_rows_of_each_user(pairs_csv, small_log):
    periods = periods_of(pairs_csv, "random", 0.3)
    n_of_user = small_log["user"].value_counts()
    expected = np.ceil(0.3 * n_of_user[n_of_user > 1]).sum()
    assert len(periods.held_out) == expected
    assert len(periods.train) + len(periods.held_out) == len(small_log)


def test_rows_of_some_users(pairs_csv, small_log):
    periods = periods_of(pairs_csv, "user")
    n_held_out = periods.held_out["user"].nunique()
    assert n_held_out <= small_log["user"].nunique() / 5
    assert set(periods.held_out["user"]) <= set(periods.train["user"])
    assert periods.left_out["new_users"] == 0


@pytest.mark.parametrize("cv", ["time", "last"])
def test_without_a_column_of_times_the_way_out_is_named(fails, pairs_csv, cv):
    message = fails(pairs_csv, "--cv", cv)
    assert "no column 'time'" in message
    assert message.endswith("For a log without times take --cv random.")


def test_one_column_alone_is_probably_not_separated(fails, write):
    message = fails(write("user|item|time\na|x|1\n"))
    assert message.endswith("Name what separates its cells with --sep.")


PYTHON = ("'keep'", "'drop'", "n_splits", "n_last", "n_out", "test_size", "min_train", "`")


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        # Too few rows for the folds.
        ("a,x,1\nb,x,2\na,y,3\nb,y,4\n", ["--holdout", "0.5"], "--folds 3 by --cv time"),
        # One moment.
        ("a,x,5\nb,y,5\na,y,5\nb,x,5\n", [], "4 rows of 2 users at 1 time."),
        # Nobody has two rows.
        ("a,x,1\nb,y,2\nc,x,3\nd,y,4\n", ["--cv", "random"], "cannot be cut off 4 rows of"),
        ("a,x,1\nb,y,2\nc,x,3\nd,y,4\n", ["--cv", "user"], "cannot be cut off 4 rows of"),
        # Only newcomers in the end.
        ("a,x,1\nb,y,2\nc,x,3\nd,y,4\n", [], "all its users are new in it"),
        # Short histories.
        (
            "".join(f"u{i % 5},x{i % 4},{i}\n" for i in range(20)),
            ["--cv", "last", "--folds", 4],
            "--folds 4 by --cv last: that needs users with more rows than there are folds",
        ),
        (
            "".join(f"u{i % 3},x{i % 4},{i}\n" for i in range(12)),
            ["--cv", "user", "--folds", 4, "--holdout", 0.5],
            "as many users with two rows as there are folds",
        ),
    ],
)
def test_errors_are_in_words_of_the_command_line(fails, write, rows, options, said):
    message = fails(write("user,item,time\n" + rows), *options)
    assert said in message
    assert not any(word in message for word in PYTHON), message


def log_of(n_users, n_late):
    """A log in which so many of the users have rows in the last period."""
    early = [(u, (u + i) % 20, i) for u in range(n_users) for i in range(8)]
    late = [(u, (u + 10 + i) % 20, 100 + i) for u in range(n_late) for i in range(2)]
    return pd.DataFrame(early + late, columns=["user", "item", "time"])


@pytest.mark.parametrize(
    ("n_users", "n_late", "is_told"),
    [(943, 109, True), (200, 150, False), (100, 60, True), (1000, 300, False)],
)
def test_few_users_that_judge_are_told(tmp_path, n_users, n_late, is_told):
    log = log_of(n_users, n_late)
    log.to_csv(tmp_path / "log.csv", index=False)
    share = (2 * n_late) / len(log)
    periods = periods_of(tmp_path / "log.csv", "time", share)
    text = periods.describe()
    assert (f"Few users judge: {n_late:,} of {n_users:,} (" in text) is is_told
    assert periods.judge_few is is_told


@pytest.mark.parametrize("cv", ["time", "random", "user"])
def test_the_way_out_is_another_one(tmp_path, cv):
    log_of(60, 60).to_csv(tmp_path / "log.csv", index=False)
    text = periods_of(tmp_path / "log.csv", cv).describe()
    assert "a larger --holdout" in text
    assert ("--cv random" in text) is (cv != "random")


def test_that_few_users_judge_is_in_the_report(run, small_csv, tmp_path):
    run("tune", small_csv, *QUICK, "--holdout", 0.05, "--output", tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["last_period"]["few_users_judge"] is True
    assert "Few users judge: " in (tmp_path / "report.txt").read_text()
