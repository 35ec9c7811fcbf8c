"""Bad input of `gate`: one line, and an exit code that is no verdict."""

import sys

import pytest

from sklearn_rank._cli import _gate_command, main


@pytest.fixture
def arguments(trec_files):
    runs = ["--baseline", trec_files / "old.run", "--candidate", trec_files / "new.run"]
    return [*runs, "--qrels", trec_files / "qrels.txt", "--margin", 0.05]


@pytest.fixture
def fails_gate(run):
    def fail(*arguments):
        code, _, err = run("gate", *arguments)
        assert code == 3
        assert err.count("\n") == 1
        assert err.startswith("sklearn-rank: error: ")
        return err

    return fail


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--metric", "ndgc@10"], "Did you mean 'ndcg'?"),
        (["--candidate", "missing"], "There is no file 'missing'"),
        (["--qrels", "missing"], "There is no file 'missing'"),
        (["--margin", "-0.1"], "--margin: needs a number from 0"),
        (["--margin", "nan"], "--margin: needs a number from 0"),
        (["--truth", "t.csv"], "one of --qrels (TREC) and --truth"),
        (["--tolerance", "1"], "--tolerance"),
    ],
)
def test_bad_arguments(fails_gate, arguments, options, said):
    assert said in fails_gate(*arguments, *options)


@pytest.mark.parametrize("missing", ["--baseline", "--candidate", "--qrels", "--margin"])
def test_needed_arguments(fails_gate, arguments, missing):
    place = arguments.index(missing)
    assert missing in fails_gate(*arguments[:place], *arguments[place + 2 :])


def test_the_same_run(run, arguments):
    code, out, _ = run("gate", *arguments, "--candidate", arguments[1])
    assert code == 0
    assert "pass" in out


def test_no_common_query(fails_gate, arguments, write):
    other = write("1 Q0 d1 1 2.0 me\n", "other.run")
    message = fails_gate(*arguments, "--candidate", other)
    assert "have no query in common" in message


def test_one_query(fails_gate, arguments, write):
    qrels = write("q1 0 d1 1\n", "qrels.txt")
    assert "needs two clusters" in fails_gate(*arguments, "--qrels", qrels)


def test_a_summary_that_cannot_be_written(run, arguments, tmp_path):
    path = tmp_path / "missing" / "summary.md"
    code, _, err = run("gate", *arguments, "--markdown", path)
    assert code == 3
    assert f"Cannot write '{path}': No such file or directory." in err


def test_too_little_memory(fails_gate, arguments, monkeypatch):
    def allocate(*args, **how):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(_gate_command, "compare_runs", allocate)
    assert "not enough memory" in fails_gate(*arguments)


def test_arguments_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["sklearn-rank", "gate"])
    assert main() == 3
    monkeypatch.setattr(sys, "argv", ["sklearn-rank"])
    assert main() == 2
    capsys.readouterr()


def test_warnings_of_others_stay_warnings(arguments, run, monkeypatch):
    import warnings

    from sklearn_rank._cli.reading import _judged_runs

    original = _judged_runs.compare_models

    def compare(*args, **kwargs):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return original(*args, **kwargs)

    monkeypatch.setattr(_judged_runs, "compare_models", compare)
    with pytest.warns(DeprecationWarning, match="old"):
        assert run("gate", *arguments, "--margin", "0.2")[0] == 0


def test_a_summary_is_not_added_to_what_is_read(fails_gate, arguments):
    before = arguments[1].read_bytes()
    message = fails_gate(*arguments, "--markdown", arguments[1])
    assert "is an input" in message
    assert arguments[1].read_bytes() == before


@pytest.mark.parametrize("name", ["none/step.md", "folder", "out/comparison.txt"])
def test_a_summary_that_cannot_be_added_to(fails_gate, arguments, tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "out").mkdir()
    files = ["--output", tmp_path / "out", "--markdown", tmp_path / name]
    assert repr(str(tmp_path / name)) in fails_gate(*arguments, *files)
    # Neither what goes with it, nor what was tried out.
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "out"]


@pytest.fixture
def value_tables(write):
    """Return the arguments for two tables of values of a metric, the last one another."""

    def tables(metric, last):
        old = f"query,{metric}\n" + "".join(f"q{i},0.91\n" for i in range(12))
        new = old.replace("q11,0.91", f"q11,{last}")
        return [
            *("--baseline", write(old, "old.csv"), "--candidate", write(new, "new.csv")),
            *("--margin", 0.1),
        ]

    return tables


@pytest.mark.parametrize("anytime", [[], ["--anytime"]])
def test_a_value_that_the_metric_cannot_have(fails_gate, value_tables, anytime):
    said = fails_gate(*value_tables("ndcg@10", 5), *anytime)
    assert "Column 'ndcg@10' of" in said
    assert "new.csv' has 5 in line 13, but the metric is 0 to 1." in said


@pytest.mark.parametrize("metric", ["own", "dcg@10"])
def test_any_time_needs_a_known_range(run, value_tables, metric):
    code, _, err = run("gate", *value_tables(metric, 0.5), "--anytime")
    assert code == 3
    error = err.splitlines()[-1]
    assert "--anytime needs the lowest and the highest possible value, which are" in error
    assert "Name others with --metric, or leave --anytime out." in error
    assert "value_range" not in err
