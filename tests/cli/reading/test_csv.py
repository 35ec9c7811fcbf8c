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


def write_log(separator, encoding):
    rows = ["Käufer;Artikel;Zeit", *(f"Jürgen{n % 9};Käse{n % 7};{n}" for n in range(60))]
    with open("log.csv", "w", encoding=encoding) as file:
        file.write("\n".join(rows).replace(";", separator))


@pytest.mark.parametrize(
    ("separator", "encoding"), [(";", "latin-1"), ("|", "latin-1"), ("|", "utf-16")]
)
def test_what_is_written_goes_with_the_log_it_is_of(
    run, tmp_path, monkeypatch, separator, encoding
):
    monkeypatch.chdir(tmp_path)
    write_log(separator, encoding)
    form = ["--sep", separator, "--encoding", encoding, "--user", "Käufer"]
    form += ["--item", "Artikel"]
    log = ["log.csv", *form, "--time", "Zeit"]
    options = ["--models", "popularity", "--folds", 1, "--save", "model"]
    assert run("tune", *log, *options)[0] == 0
    code, _, err = run("recommend", "model", "--include-seen", "-n", 7, "-o", "lists.csv")
    assert code == 0, err
    code, out, err = run("evaluate", "lists.csv", "log.csv", *form, "--metric", "recall@7")
    assert code == 0, err
    # All seven items are shown to all, and relevant to all.
    assert out.split()[-5:-3] == ["recall@7", "1.0000"]


def test_lists_without_letters_of_other_alphabets_are_no_utf_16(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.csv").write_text("user\titem\n1\t2\n", encoding="utf-16")
    (tmp_path / "lists.csv").write_text("user,item,rank\n1,2,1\n")
    options = ["--encoding", "utf-16", "--metric", "recall@1"]
    code, out, err = run("evaluate", "lists.csv", "test.csv", *options)
    assert (code, err) == (0, "")
    assert "1.0000" in out


def test_a_log_of_utf_8_is_split_as_it_is(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_log(",", "utf-8")
    columns = ["--user", "Käufer", "--item", "Artikel", "--time", "Zeit"]
    assert run("split", "log.csv", *columns, "-o", "one")[0] == 0
    assert run("split", "log.csv", *columns, "--encoding", "cp1252", "-o", "two")[0] == 0
    for part in ("train", "valid", "test"):
        one, two = (tmp_path / name / f"{part}.csv" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_trec_files_have_no_separator(files, trec_files, capsys):
    runs = [str(trec_files / name) for name in ("old.run", "new.run")]
    qrels = ["--qrels", str(trec_files / "qrels.txt")]
    assert main(["compare", *runs, *qrels, "--sep", ";"]) == 2
    assert "--sep is for tables" in capsys.readouterr().err
