"""The ways to hold rows out, with times and without, and where the rows do not suffice."""

import json

import pandas as pd
import pytest

QUICK = ("--models", "popularity,neighbors", "--folds", 2)


@pytest.fixture(scope="module")
def pairs_csv(small_log, tmp_path_factory):
    path = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    small_log[["user", "item"]].to_csv(path, index=False)
    return path


@pytest.mark.parametrize("cv", ["random", "user"])
def test_a_log_without_times(run, pairs_csv, tmp_path, cv):
    code, out, err = run("tune", pairs_csv, "--cv", cv, *QUICK, "--output", tmp_path)
    assert code == 0, err
    assert "popularity on the held-out rows: ndcg@10 " in out
    assert "period" not in out
    assert "decayed" not in out
    report = json.loads((tmp_path / "report.json").read_text())
    (verdict,) = report["verdict"]
    assert "The tuned model beats popularity on the held-out rows" in verdict
    assert report["log"]["first_time"] is None


@pytest.mark.parametrize("cv", ["random", "user"])
def test_times_are_not_read_where_none_are_used(run, small_log, tmp_path, cv):
    small_log.assign(time="soon").to_csv(tmp_path / "log.csv", index=False)
    assert run("tune", tmp_path / "log.csv", "--cv", cv, *QUICK)[0] == 0


@pytest.mark.parametrize("cv", ["time", "last"])
def test_without_a_column_of_times_the_way_out_is_named(fails, pairs_csv, cv):
    message = fails(pairs_csv, "--cv", cv)
    assert "no column 'time'" in message
    assert message.endswith("For a log without times take --cv random.")


def test_one_column_alone_is_probably_not_separated(fails, write):
    message = fails(write("user/item/time\na/x/1\n"))
    assert message.endswith("Separators are comma, semicolon, tab and bar.")


PYTHON = ("'keep'", "'drop'", "n_splits", "test_size", "min_train", "`")


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        # Too few rows for the folds.
        ("a,x,1\nb,x,2\na,y,3\nb,y,4\n", ["--holdout", "0.5"], "--folds 3 by --cv time"),
        # One moment.
        ("a,x,5\nb,y,5\na,y,5\nb,x,5\n", [], "off 4 rows of 2 users at 1 time."),
        # Nobody has two rows.
        ("a,x,1\nb,y,2\nc,x,3\nd,y,4\n", ["--cv", "random"], "cannot be cut off 4 rows of"),
        ("a,x,1\nb,y,2\nc,x,3\nd,y,4\n", ["--cv", "user"], "cannot be cut off 4 rows of"),
        # Only newcomers in the end.
        ("a,x,1\nb,y,2\nc,x,3\nd,y,4\n", [], "all its users are new, or repeat"),
        # Short histories.
        (
            "".join(f"u{i % 5},x{i % 4},{i}\n" for i in range(20)),
            ["--cv", "last", "--folds", 4],
            "--folds 4 by --cv last. Change one, or --holdout",
        ),
        (
            "".join(f"u{i % 3},x{i % 4},{i}\n" for i in range(12)),
            ["--cv", "user", "--folds", 4, "--holdout", 0.5],
            "--folds 4 by --cv user. Change one, or --holdout",
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


@pytest.mark.parametrize("cv", ["time", "random", "user"])
def test_the_way_out_is_another_one(run, tmp_path, cv):
    log_of(60, 60).to_csv(tmp_path / "log.csv", index=False)
    code, out, _ = run("tune", tmp_path / "log.csv", "--cv", cv, *QUICK)
    assert code == 0
    text = " ".join(out.split())
    assert "a larger --holdout" in text
    assert ("--cv random" in text) is (cv != "random")


def test_what_users_have_is_recommended_where_that_is_asked_for(run, small_csv, tmp_path):
    options = ["--include-seen", "--models", "repeats", "--folds", 2, "--choose", "one-se"]
    code, out, err = run("tune", small_csv, *options, "--output", tmp_path)
    assert code == 0, err
    assert "that repeat an item" not in out
    report = json.loads((tmp_path / "report.json").read_text())
    assert "model = RepeatRecommender(" in report["python"]


def test_that_few_users_judge_is_in_the_report(run, small_csv, tmp_path):
    run("tune", small_csv, *QUICK, "--holdout", 0.05, "--output", tmp_path)
    assert "Few users are evaluated: " in (tmp_path / "report.txt").read_text()
