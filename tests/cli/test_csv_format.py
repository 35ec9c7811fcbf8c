"""--sep and --encoding are of all CSV files that a command reads, and nowhere else."""

import pandas as pd
import pytest

from sklearn_rank._cli import main

FORMAT = ["--sep", "|", "--encoding", "latin-1"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    rows = [(f"Jürgen{n % 9}", f"i{n % 7}", n) for n in range(60)]
    table = pd.DataFrame(rows, columns=["user", "item", "time"])
    table["rank"] = table.groupby("user").cumcount() + 1
    table = table.drop_duplicates(["user", "item"])
    for name in ("log", "one", "two"):
        table.to_csv(tmp_path / f"{name}.csv", sep="|", encoding="latin-1", index=False)
    monkeypatch.chdir(tmp_path)


COMMANDS = (
    "compare one.csv two.csv --truth log.csv",
    "gate --baseline one.csv --candidate two.csv --truth log.csv --margin 0.1",
    "evaluate one.csv log.csv --metric coverage@2 --train log.csv",
    "fuse one.csv two.csv -o both.csv",
    "split log.csv -o parts",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_read_other_formats(files, capsys, command):
    arguments = command.split()
    assert main([*arguments, *FORMAT]) == 0, capsys.readouterr().err
    assert main(arguments) in (2, 3)


def test_recommend_reads_other_formats(files, capsys):
    pd.read_csv("log.csv", sep="|", encoding="latin-1").to_csv("usual.csv", index=False)
    options = ["--models", "popularity", "--folds", "1"]
    assert main(["tune", "usual.csv", *options, "--save", "model"]) == 0
    lists = ["recommend", "model", "--users", "one.csv", "-o", "lists.csv"]
    assert main([*lists, *FORMAT]) == 0, capsys.readouterr().err
    assert pd.read_csv("lists.csv")["user"].str.startswith("Jürgen").all()


def test_trec_files_have_no_separator(files, trec_files, capsys):
    runs = [str(trec_files / name) for name in ("old.run", "new.run")]
    qrels = ["--qrels", str(trec_files / "qrels.txt")]
    assert main(["compare", *runs, *qrels, "--sep", ";"]) == 2
    assert "--sep is for tables" in capsys.readouterr().err
