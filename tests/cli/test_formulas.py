"""CSV files give back what they got, formulas too; the documentation says so."""

import shutil
from pathlib import Path

import pandas as pd

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)"]
PAGE = Path(__file__).parents[2] / "docs" / "command_line.rst"


def test_ids_that_are_formulas_stay(run, write, tmp_path):
    rows = "".join(f"{user},a,1\n{user},b,2\n" for user in FORMULAS)
    lists = write(f"user,item,rank\n{rows}")
    fused = tmp_path / "fused.csv"
    other = write(f"user,item,rank\n{rows}", "other.csv")
    assert run("fuse", lists, other, "-o", fused)[0] == 0
    read = pd.read_csv(fused, dtype=str)
    assert sorted(set(read["query"])) == sorted(FORMULAS)


def test_a_run_that_is_named_as_a_formula(run, trec_files, tmp_path):
    name = "=cmd|'x'!A1"
    shutil.copy(trec_files / "new.run", tmp_path / f"{name}.run")
    runs = [trec_files / "old.run", tmp_path / f"{name}.run"]
    qrels = ["--qrels", trec_files / "qrels.txt"]
    assert run("compare", *runs, *qrels, "-o", tmp_path / "out.csv")[0] == 0
    assert f"ndcg@10 {name}" in pd.read_csv(tmp_path / "out.csv").columns


def test_the_page_tells_of_formulas():
    text = " ".join(PAGE.read_text().split())
    assert "do not open CSV files with ids of strangers" in text
    assert "Parquet files are safe" in text
