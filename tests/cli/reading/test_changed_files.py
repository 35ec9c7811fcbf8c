"""A file that is read twice and changes in between is refused, and nothing is written."""

import os
import shutil
from functools import partial

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli import (
    _evaluate_command,
    _rank_command,
    _split_command,
    _tune_command,
    main,
)
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.reading import (
    _id_tables,
    _judged_runs,
    _log,
    _query_files,
    _run_files,
)
from sklearn_rank._cli.reading._csv import AS_USUAL, refuse_changes

ENDINGS = (".csv", ".csv.gz", ".parquet")


def make_log(first, last):
    rows = np.arange(first, last)
    hours = pd.to_timedelta(rows, unit="h")
    times = pd.Timestamp("2024-01-01") + hours
    return pd.DataFrame({"user": rows % 20, "item": rows % 7, "time": times})


def save(log, path):
    if path.suffix == ".parquet":
        log.to_parquet(path)
    else:
        log.to_csv(path, index=False)


LOG = make_log(0, 200)
OTHER_ROWS = {
    "shuffled": LOG.sample(frac=1, random_state=0),
    "rotated": make_log(100, 300),
    "cut": make_log(0, 50),
    "grown": make_log(0, 201),
    "renamed": LOG.rename(columns={"item": "thing"}),
}


def cut_line(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 6 // 10])


CHANGES = {
    name: lambda path, other=other: save(other, path) for name, other in OTHER_ROWS.items()
}
CHANGES |= {"cut in a line": cut_line, "removed": os.unlink}


def change_before(monkeypatch, module, name, change):
    """Let another process change a file before a function of a module is called."""
    function = getattr(module, name)

    def changed(*arguments, **options):
        change()
        return function(*arguments, **options)

    monkeypatch.setattr(module, name, changed)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("change", CHANGES)
def test_split(fails, monkeypatch, tmp_path, ending, change):
    path = tmp_path / f"log{ending}"
    save(LOG, path)
    change_before(monkeypatch, _split_command, "make_files", lambda: CHANGES[change](path))
    message = fails(path, "-o", tmp_path / "parts", command="split")
    assert message == (
        f"sklearn-rank: error: {str(path)!r} changed while it was read; nothing was "
        "written. Copy it first, or run again."
    )
    assert not (tmp_path / "parts").exists()


def replace_in_place(path, old, new):
    """Change text of the same length within one tick of the clock."""
    assert len(old) == len(new)
    before = path.stat()
    with path.open("r+") as file:
        text = file.read()
        file.seek(0)
        file.write(text.replace(old, new, 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(("old", "new"), [("\n5,5,", " 5,5,"), (" 05:", "\n05:")])
def test_split_counts_rows_that_changed_within_one_tick(
    fails, monkeypatch, tmp_path, old, new
):
    path = tmp_path / "log.csv"
    LOG.to_csv(path, index=False)
    change_before(
        monkeypatch, _split_command, "make_files", lambda: replace_in_place(path, old, new)
    )
    message = fails(path, "-o", tmp_path / "parts", command="split")
    assert "changed while it was read" in message
    assert not (tmp_path / "parts").exists()


def test_split_counts_rows_of_parquet(monkeypatch, tmp_path, fails):
    path, other = tmp_path / "log.parquet", tmp_path / "other.parquet"
    save(LOG, path)
    save(make_log(0, 50), other)
    from pyarrow import parquet

    read = parquet.read_table

    def read_changed(path, **options):
        return read(path, **options) if options else read(other)  # pandas has options

    monkeypatch.setattr(parquet, "read_table", read_changed)
    message = fails(path, "-o", tmp_path / "parts", command="split")
    assert "changed while it was read" in message


@pytest.mark.parametrize(("module", "name"), [(_log, "read_columns"), (_log, "locate_row")])
def test_a_log_that_changes_while_it_is_checked(fails, monkeypatch, tmp_path, module, name):
    path = tmp_path / "log.csv"
    LOG.assign(time=LOG["time"].astype(str).where(LOG.index != 150, "soon")).to_csv(
        path, index=False
    )
    change_before(monkeypatch, module, name, lambda: save(make_log(0, 20), path))
    assert "changed while it was read" in fails(path, "-o", tmp_path / "x", command="split")


def test_tune_finds_far_rows_in_a_log_that_changes(fails, monkeypatch, tmp_path):
    path = tmp_path / "log.csv"
    late = LOG["time"].where(LOG.index != 150, pd.Timestamp("2099-12-31"))
    LOG.assign(time=late).to_csv(path, index=False)
    change_before(monkeypatch, _log, "find_far_rows", lambda: save(make_log(0, 20), path))
    assert "changed while it was read" in fails(path, "--cv", "time", command="tune")


def test_tune_does_not_read_its_log_after_the_search(run, monkeypatch, tmp_path, small_log):
    path = tmp_path / "log.csv"
    small_log.to_csv(path, index=False, sep=";", encoding="utf-16")
    change_before(monkeypatch, _tune_command, "run_search", path.unlink)
    options = ["--models", "popularity", "--folds", 1, "--encoding", "utf-16"]
    code, out, err = run("tune", path, *options)
    assert code == 0, err
    assert "sep=';'" in out
    assert "encoding='utf-16'" in out


@pytest.fixture
def lists(tmp_path, trec_files):
    for name in ("old.run", "new.run", "qrels.txt", "old.csv", "new.csv", "qrels.csv"):
        shutil.copy(trec_files / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_judgments_that_change_between_two_runs(fails, monkeypatch, lists, command):
    qrels = lists / "qrels.txt"
    text = qrels.read_text()
    name = {"compare": "per_query_scores", "evaluate": "read_truth"}[command]
    module = {"compare": _judged_runs, "evaluate": _evaluate_command}[command]
    change_before(
        monkeypatch, module, name, lambda: qrels.write_text(text.replace(" 2\n", " 0\n"))
    )
    old, new = lists / "old.run", lists / "new.run"
    arguments = [old, qrels] if command == "evaluate" else [old, new, "--qrels", qrels]
    assert f"{str(qrels)!r} changed" in fails(*arguments, command=command)


def test_a_run_that_changes_before_its_row_is_named(fails, monkeypatch, lists):
    run, lines = lists / "old.csv", (lists / "old.csv").read_text().splitlines()
    run.write_text("\n".join([*lines, lines[1]]))
    change_before(
        monkeypatch, _run_files, "locate_row", lambda: run.write_text(f"{lines[0]}\na,b,1")
    )
    arguments = [run, lists / "new.csv", "--truth", lists / "qrels.csv", "--score", "value"]
    assert f"{str(run)!r} changed" in fails(*arguments, command="compare")


def test_a_table_of_ids_that_changes(monkeypatch, write):
    path = write("user,item\n,b\na,b\n")
    change = partial(path.write_text, "user,item\n")
    change_before(monkeypatch, _id_tables, "drop_incomplete", change)
    with pytest.raises(InputError, match="changed while it was read"):
        _id_tables.read_id_table(str(path), {"user": "user"}, AS_USUAL)


def test_parquet_rows_that_change_while_they_are_scored(run, monkeypatch, tmp_path):
    path = tmp_path / "rows.parquet"
    rows = pd.DataFrame(
        {"q": np.repeat(range(10), 4), "s": np.arange(40), "y": [0, 1] * 20}
    )
    rows.to_parquet(path)
    change_before(
        monkeypatch, _evaluate_command, "summarize", lambda: rows[:20].to_parquet(path)
    )
    options = ["--query", "q", "--rating", "y", "--score", "s"]
    code, out, err = run("evaluate", path, *options)
    assert (code, out) == (2, "")
    assert f"{str(path)!r} changed" in err.splitlines()[-1]


@pytest.mark.parametrize("name", ["train", "test"])
def test_queries_that_change(fails, monkeypatch, tmp_path, rank_files, name):
    for each in ("train", "test"):
        shutil.copy(rank_files.folder / f"{each}.qid", tmp_path / each)
    changed = tmp_path / name

    def change():
        changed.write_text("1 qid:1 1:0.5\n")

    module, function = {
        "train": (_query_files, "_count_rows_of_queries"),
        "test": (_rank_command, "align_features"),
    }[name]
    change_before(monkeypatch, module, function, change)
    model = ["--model", "pairwise", "--folds", 2]
    arguments = [tmp_path / "train", "--test", tmp_path / "test", *model]
    assert f"{str(changed)!r} changed" in fails(*arguments, command="rank")


def test_an_interrupt_stays_one(tmp_path, monkeypatch, capsys):
    path = tmp_path / "log.csv"
    save(LOG, path)

    def interrupted(*_):
        path.unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr(_split_command, "make_files", interrupted)
    assert main(["split", str(path), "-o", str(tmp_path / "parts")]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_a_name_that_no_system_takes_is_told_by_its_reader():
    with refuse_changes("\0", None):
        pass
