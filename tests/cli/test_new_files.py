"""A set of results appears whole or not at all, and where it cannot is known at once."""

import errno
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from sklearn_rank._base import _files
from sklearn_rank._cli import _new_files, _tune_command, main
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._new_files import (
    check_new_file,
    check_not_read,
    check_output,
    new_file,
    write_set,
)
from sklearn_rank._cli._results import TUNED_FILES
from sklearn_rank._display._result import as_json_types

OLD = {"report.txt": b"old", "report.json": b"{}"}
NEW = {"report.txt": b"new", "report.json": b"{1}", "cv_results.csv": b"a,b"}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def old(tmp_path):
    """A folder with the results of an earlier run."""
    folder = tmp_path / "results"
    assert write_set(str(folder), OLD, TUNED_FILES) == []
    assert contents(folder) == OLD
    return folder


def disk_full(*args, **options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupted(*args, **options):
    raise KeyboardInterrupt


def on_call(n, function, other):
    """Return a function that does something else at its n-th call."""
    calls = []

    def either(*args):
        calls.append(args)
        return (other if len(calls) == n else function)(*args)

    return either


def test_writes_and_replaces(old):
    assert write_set(str(old), NEW, TUNED_FILES) == []
    assert contents(old) == NEW


def test_what_is_left_of_an_earlier_run_is_no_part_of_the_set(old):
    (old / "mine.txt").write_bytes(b"mine")
    files = {"report.txt": b"new"}
    assert write_set(str(old), files, TUNED_FILES) == ["report.json"]
    assert contents(old) == {**files, "mine.txt": b"mine"}


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("stop", [disk_full, interrupted])
def test_what_stops_halfway_leaves_the_old_set(old, monkeypatch, step, call, stop):
    monkeypatch.setattr(os, step, on_call(call, getattr(os, step), stop))
    with pytest.raises((InputError, KeyboardInterrupt)) as error:
        write_set(str(old), NEW, TUNED_FILES)
    if stop is disk_full:
        message = str(error.value)
        assert "No space left on device" in message
        assert f"Cannot write '{old}" in message
        assert ".tmp" not in message
    assert contents(old) == OLD


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_stops_halfway_leaves_no_new_folder(tmp_path, monkeypatch, step):
    monkeypatch.setattr(os, step, on_call(2, getattr(os, step), disk_full))
    with pytest.raises(InputError, match="No space left"):
        write_set(str(tmp_path / "deep" / "results"), NEW, TUNED_FILES)
    assert list(tmp_path.iterdir()) == []


def test_no_two_writers_share_an_unfinished_file(old, monkeypatch):
    """Processes of two machines may have the same number."""
    monkeypatch.setattr(os, "getpid", lambda: 1)
    seen = []

    def note(source, place):
        seen.append(Path(source).name)
        rename(source, place)

    rename = os.replace
    monkeypatch.setattr(os, "replace", note)
    for _ in range(2):
        write_set(str(old), {"report.txt": b"new"}, ("report.txt",))
    unfinished = [name for name in seen if name.endswith(".tmp")]
    assert len(unfinished) == len(set(unfinished)) == 2


def test_files_are_complete_on_the_disk_before_the_first_is_seen(old, monkeypatch):
    steps = []
    do = {name: getattr(os, name) for name in ("fsync", "replace")}
    for name in do:

        def noted(*args, name=name):
            steps.append(name)
            return do[name](*args)

        monkeypatch.setattr(os, name, noted)
    write_set(str(old), NEW, TUNED_FILES)
    assert steps[: len(NEW)] == ["fsync"] * len(NEW)
    assert set(steps[len(NEW) : -1]) == {"replace"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_for_the_set(old, monkeypatch, number):
    def signalled(source, place):
        rename(source, place)
        signal.raise_signal(number)

    rename = os.replace
    monkeypatch.setattr(os, "replace", signalled)
    came = []
    before = signal.signal(number, lambda number, frame: came.append(contents(old)))
    try:
        write_set(str(old), NEW, TUNED_FILES)
    finally:
        signal.signal(number, before)
    assert came[0] == NEW


def test_a_link_is_followed(old, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "shared.txt").write_bytes(b"old")
    (old / "report.txt").unlink()
    (old / "report.txt").symlink_to(elsewhere / "shared.txt")
    write_set(str(old), NEW, TUNED_FILES)
    assert (old / "report.txt").is_symlink()
    assert contents(elsewhere) == {"shared.txt": b"new"}


def folder_in_the_way(folder):
    (folder / "report.txt").mkdir(parents=True)
    return folder, "report.txt': it is a folder"


def dangling_file(folder):
    folder.mkdir()
    (folder / "report.json").symlink_to(folder / "gone" / "report.json")
    return folder, "report.json' is a symbolic link to"


def dangling_folder(folder):
    folder.symlink_to(folder.with_name("gone"))
    return folder / "results", "is a symbolic link to"


def looping_link(folder):
    folder.symlink_to(folder)
    return folder, "is a symbolic link to"


def file_as_folder(folder):
    folder.write_text("")
    return folder / "results", "is a file, not a folder"


def long_name(folder):
    return folder / ("x" * 300), "File name too long"


def no_name(folder):
    return "", "needs a text, got ''"


def kernel_folder(folder):
    return "/proc/results", "Cannot write '/proc/results'"


PLACES = [
    folder_in_the_way,
    dangling_file,
    dangling_folder,
    looping_link,
    file_as_folder,
    long_name,
    no_name,
]
if sys.platform == "linux":
    PLACES.append(kernel_folder)


@pytest.mark.parametrize("place", PLACES)
def test_where_nothing_can_be_written_is_known_before_the_log_is_read(
    place, tmp_path, fails, monkeypatch
):
    path, said = place(tmp_path / "output")
    monkeypatch.setattr(_tune_command, "read_log", lambda *args: pytest.fail("has begun"))
    assert said in fails("log.csv", "--output", path)


@pytest.mark.parametrize("path", ["results", "deep/results", "new/../results"])
def test_trying_leaves_no_trace(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    check_output(path, TUNED_FILES)
    assert list(tmp_path.iterdir()) == []


def test_trying_changes_nothing(old):
    check_output(str(old), TUNED_FILES)
    assert contents(old) == OLD


def test_a_full_disk_is_known_before_the_log_is_read(tmp_path, fails, monkeypatch):
    monkeypatch.setattr(os, "fsync", disk_full)
    monkeypatch.setattr(_tune_command, "read_log", lambda *args: pytest.fail("has begun"))
    message = fails("log.csv", "--output", tmp_path / "results")
    assert "No space left on device" in message
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_a_read_only_disk(tmp_path, fails, monkeypatch):
    def read_only(*args, **kwargs):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    # A disk of that kind removes nothing, be it there or not.
    monkeypatch.setattr(os, "unlink", read_only)
    monkeypatch.setattr(_files, "open", read_only, raising=False)
    message = fails("log.csv", "--output", tmp_path)
    assert f"Cannot write '{tmp_path}" in message
    assert "Read-only file system. Nothing was written" in message


def test_a_disk_that_is_full_at_the_end_takes_none_of_the_set(
    small_csv, fails, tmp_path, monkeypatch
):
    # The first is the trial before the search.
    monkeypatch.setattr(os, "fsync", on_call(4, os.fsync, disk_full))
    folder = tmp_path / "results"
    options = ["--models", "popularity", "--folds", 1, "--output", folder]
    message = fails(small_csv, *options)
    assert f"Cannot write '{folder}" in message
    assert not folder.exists()


def test_without_matplotlib_the_picture_is_left_out(small_csv, run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    (tmp_path / "metric_at_k.png").write_bytes(b"of an earlier run")
    options = ["--models", "popularity", "--folds", 1, "--output", tmp_path]
    code, out, _ = run("tune", small_csv, *options)
    assert code == 0
    assert "metric_at_k.png is left out." in out
    assert "Removed metric_at_k.png of an earlier run." in out
    assert 'pip install "sklearn-rank[plot]"' in out
    assert "they need matplotlib" in (tmp_path / "report.html").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cv_results.csv",
        "report.html",
        "report.json",
        "report.txt",
    ]


def test_files_of_two_commands_do_not_mix(small_csv, rank_files, run, tmp_path):
    options = ["--model", "pairwise", "--folds", 2, "--output", tmp_path]
    assert run("rank", *rank_files.arguments, *options)[0] == 0
    assert (tmp_path / "test_scores.txt").exists()
    options = ["--models", "popularity", "--folds", 1, "--output", tmp_path]
    code, out, _ = run("tune", small_csv, *options)
    assert code == 0
    assert "Removed test_scores.txt of an earlier run." in out
    assert not (tmp_path / "test_scores.txt").exists()


def test_json_has_no_nan():
    assert json.dumps(as_json_types({"a": [float("nan"), 1.5], 2: (float("inf"),)})) == (
        '{"a": [null, 1.5], "2": [null]}'
    )


@pytest.mark.parametrize("stage", ["plan_search", "describe_candidates", "write_results"])
def test_interrupt_writes_nothing_and_exits_130(
    small_csv, tmp_path, monkeypatch, capsys, stage
):
    monkeypatch.setattr(_tune_command, stage, interrupted)
    folder = tmp_path / "results"
    options = ["--models", "popularity", "--folds", "1", "--output", str(folder)]
    assert main(["tune", str(small_csv), *options]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not folder.exists()


def test_a_folder_that_others_use_by_now_stays(tmp_path, monkeypatch):
    folder = tmp_path / "results"

    def used(*args):
        (folder / "mine.txt").write_text("mine")
        disk_full()

    monkeypatch.setattr(_new_files.os, "fsync", used)
    with pytest.raises(InputError):
        write_set(str(folder), NEW, TUNED_FILES)
    assert contents(folder) == {"mine.txt": b"mine"}


def watch(monkeypatch, look):
    """Look before and after each step that changes names."""
    steps = {name: getattr(os, name) for name in ("replace", "link", "unlink")}
    for name in steps:

        def watched(*arguments, name=name, **options):
            look()
            steps[name](*arguments, **options)
            look()

        monkeypatch.setattr(os, name, watched)


def test_a_kill_at_any_step_leaves_each_name(old, monkeypatch):
    seen = []
    watch(monkeypatch, lambda: seen.append(contents(old)))
    write_set(str(old), NEW, TUNED_FILES)
    for found in seen:
        for name, content in OLD.items():
            assert found[name] in (content, NEW[name])
    assert any(found["report.txt"] != seen[-1]["report.txt"] for found in seen)


def test_what_is_no_part_of_the_set_goes_last(old, monkeypatch):
    seen = []
    watch(monkeypatch, lambda: seen.append(contents(old)))
    write_set(str(old), {"report.txt": b"new"}, TUNED_FILES)
    assert all(
        found["report.txt"] == b"new" for found in seen if "report.json" not in found
    )
    assert contents(old) == {"report.txt": b"new"}


def test_what_cannot_be_removed_leaves_the_old_set(old, monkeypatch):
    monkeypatch.setattr(os, "unlink", on_call(1, os.unlink, disk_full))
    with pytest.raises(InputError, match=r"Cannot write .*report\.json"):
        write_set(str(old), {"report.txt": b"new"}, TUNED_FILES)
    assert contents(old) == OLD


def no_links(*args):
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.parametrize("call", [None, 1, 2, 3])
def test_where_links_are_not_possible_files_are_copied(old, monkeypatch, call):
    monkeypatch.setattr(os, "link", no_links)
    if call is None:
        write_set(str(old), NEW, TUNED_FILES)
        assert contents(old) == NEW
        return
    monkeypatch.setattr(os, "replace", on_call(call, os.replace, disk_full))
    with pytest.raises(InputError, match="No space left"):
        write_set(str(old), NEW, TUNED_FILES)
    assert contents(old) == OLD


def test_a_later_run_tells_of_what_a_kill_left(old, capsys):
    (old / ".report.txt.0123456789abcdef.tmp").touch()
    for other in (".report.txt.0123.tmp", ".mine.0123456789abcdef.tmp"):
        (old / other).touch()
    check_output(str(old), TUNED_FILES)
    (note,) = capsys.readouterr().err.splitlines()
    assert note.startswith("sklearn-rank: note: '")
    assert ".report.txt.0123456789abcdef.tmp' is unfinished, or an old copy" in note
    check_new_file(str(old / "mine"), force=False)
    assert ".mine.0123456789abcdef.tmp'" in capsys.readouterr().err


def test_of_two_writers_without_force_one_fails(tmp_path, monkeypatch):
    path, link, replace = tmp_path / "f.csv", os.link, os.replace

    def late(step):
        def after_another(source, place):
            path.write_bytes(b"of another")
            step(source, place)

        return after_another

    monkeypatch.setattr(os, "link", late(link))
    monkeypatch.setattr(os, "replace", late(replace))
    with (
        pytest.raises(InputError, match="exists; name another file, or replace it with"),
        new_file(str(path), force=False) as file,
    ):
        file.write(b"mine")
    assert contents(tmp_path) == {"f.csv": b"of another"}


@pytest.mark.parametrize("force", [True, False])
def test_a_new_file_where_links_are_not_possible(tmp_path, monkeypatch, force):
    monkeypatch.setattr(os, "link", no_links)
    with new_file(str(tmp_path / "f.csv"), force=force) as file:
        file.write(b"mine")
    assert contents(tmp_path) == {"f.csv": b"mine"}


@pytest.mark.parametrize("given", [[None, "input.csv"], ["input.csv"]])
def test_an_input_is_never_an_output(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    Path("input.csv").touch()
    with pytest.raises(InputError, match="is an input and is never overwritten"):
        check_not_read("input.csv", given)
    check_not_read("output.csv", given)


NOT_WRITTEN = (
    "sklearn-rank: note: 'results' has the report of this run, but the model 'm.npz' was "
    "not written."
)


@pytest.fixture
def tune_again(small_csv, run, tmp_path, monkeypatch):
    """Replace a report and a model; return the exit code, the notes and both files."""
    monkeypatch.chdir(tmp_path)
    write_set("results", OLD, TUNED_FILES)
    Path("m.npz").write_bytes(b"old")
    options = ["--models", "popularity", "--folds", 1, "--force", "--output", "results"]

    def tune():
        code, out, err = run("tune", small_csv, *options, "--save", "m.npz")
        assert "As Python, fitted on all rows" in out
        report, model = Path("results/report.txt"), Path("m.npz")
        return code, err, report.read_bytes() != b"old", model.read_bytes() != b"old"

    return tune


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("step", ["save_model", "replace", "write_results"])
def test_a_signal_between_report_and_model_is_told(tune_again, monkeypatch, number, step):
    module = os if step == "replace" else _tune_command
    function = getattr(module, step)

    def signalled(*args, **options):
        result = function(*args, **options)
        signal.raise_signal(number)
        return result

    monkeypatch.setattr(module, step, signalled)
    code, err, is_new_report, is_new_model = tune_again()
    assert code == 128 + number
    assert is_new_report
    assert is_new_model is (step == "save_model")
    assert (NOT_WRITTEN in err) is not is_new_model


def test_a_model_that_cannot_be_written_is_told(tune_again, monkeypatch):
    monkeypatch.setattr(_tune_command, "save_model", disk_full)
    code, err, is_new_report, is_new_model = tune_again()
    assert (code, is_new_report, is_new_model) == (2, True, False)
    assert NOT_WRITTEN in err


def test_a_report_that_cannot_be_written_says_so_itself(tune_again, monkeypatch):
    monkeypatch.setattr(_tune_command, "write_results", disk_full)
    code, err, is_new_report, is_new_model = tune_again()
    assert (code, is_new_report, is_new_model) == (2, False, False)
    assert NOT_WRITTEN not in err
