"""From runs to the comparison: the same numbers as in Python, printed and in files."""

import json
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli.reading._run_files import name_runs
from sklearn_rank.inputs import from_trec
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models

MODELS = ("old", "new", "bad")
NAMES = (
    *("comparison.txt", "comparison.json", "per_query.csv", "report.html"),
    "comparison.png",
)


@pytest.fixture
def runs(trec_files):
    files = [trec_files / f"{name}.run" for name in MODELS]
    return [*files, "--qrels", trec_files / "qrels.txt"]


@pytest.fixture
def tables(trec_files):
    files = [trec_files / f"{name}.csv" for name in MODELS]
    columns = ["--user", "user", "--item", "item", "--score", "value"]
    return [*files, "--truth", trec_files / "qrels.csv", *columns, "--rating", "grade"]


@pytest.fixture(scope="module")
def scores(trec_files):
    return {
        name: per_query_scores(
            **from_trec(trec_files / "qrels.txt", trec_files / f"{name}.run"),
            metrics=["ndcg@10", "map"],
        )
        for name in MODELS
    }


def test_prints_what_python_says(run, runs, scores):
    code, out, err = run("compare", *runs)
    assert (code, err) == (0, "")
    expected = compare_models(scores, baseline="old", metrics="ndcg@10")
    assert out == f"{expected}\n"


def test_the_page_shows_the_lists(run, runs, tmp_path):
    assert run("compare", *runs, "--output", tmp_path)[0] == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    found = json.loads(re.search('id="queries-data">(.*?)</script>', page)[1])
    rows = from_trec(runs[4], runs[0], return_items=True)
    is_first = (rows.groups == found["labels"][0]) & (rows.y_score > -np.inf)
    best = np.argsort(-rows.y_score[is_first], kind="stable")
    shown = [found["items"][item] for item in found["lists"][0][0]]
    assert shown == rows["items"][is_first][best].tolist()


def test_options_reach_the_comparison(run, runs, scores):
    options = ["--test", "randomization", "--correction", "bonferroni", "--margin", 0.02]
    metrics = ["--metric", "map", "--metric", "ndcg@10", "--metric", "map"]
    code, out, _ = run(
        "compare", *runs, *options, *metrics, "--confidence-level", 0.9, "--baseline", "new"
    )
    expected = compare_models(
        scores,
        baseline="new",
        metrics=["map", "ndcg@10"],
        test="randomization",
        correction="bonferroni",
        margin=0.02,
        confidence_level=0.9,
        random_state=0,
    )
    assert (code, out) == (0, f"{expected}\n")


def test_all_pairs_without_correction(run, runs, scores):
    out = run("compare", *runs, "--all-pairs", "--correction", "none")[1]
    assert out == f"{compare_models(scores, metrics='ndcg@10', correction=None)}\n"


def test_baseline_by_its_path(run, runs):
    assert "difference to bad" in run("compare", *runs, "--baseline", runs[2])[1]


def test_tables_give_the_same_values(run, runs, tables):
    assert run("compare", *tables) == run("compare", *runs)


def test_parquet_and_ranks(run, tables, trec_files, tmp_path):
    files = []
    for name in MODELS:
        table = pd.read_csv(trec_files / f"{name}.csv")
        table["place"] = table.groupby("user")["value"].rank(ascending=False).astype(int)
        files.append(tmp_path / f"{name}.parquet")
        table.to_parquet(files[-1])
    columns = ["--user", "user", "--item", "item", "--rank", "place"]
    arguments = ["--truth", trec_files / "qrels.csv", *columns, "--rating", "grade"]
    assert run("compare", *files, *arguments) == run("compare", *tables)


def test_without_grades_each_row_of_the_truth_is_relevant(run, tables):
    out = run("compare", *tables[:-2], "--metric", "recall@12")[1]
    assert re.search(r"^old +1\.0000", out, re.MULTILINE)


def test_files(run, runs, scores, tmp_path):
    folder = tmp_path / "deep" / "out"
    metrics = ["--metric", "ndcg@10", "--metric", "map"]
    code, out, _ = run("compare", *runs, *metrics, "--output", folder)
    assert code == 0
    assert sorted(path.name for path in folder.iterdir()) == sorted(NAMES)
    assert (folder / "comparison.png").read_bytes().startswith(b"\x89PNG")
    files = {name: (folder / name).read_text() for name in NAMES[:2]}
    assert out.startswith(files["comparison.txt"])
    assert out.endswith(f"Wrote {', '.join(NAMES)} into {folder}.\n")
    found = json.loads(files["comparison.json"])
    expected = compare_models(scores, baseline="old")
    assert [row["difference"] for row in found["rows"]] == pytest.approx(
        expected.columns["difference"]
    )
    assert [row["model"] for row in found["means"]] == [*MODELS, *MODELS]
    assert found["options"]["correction"] == "holm"
    table = pd.read_csv(folder / "per_query.csv")
    assert list(table.columns) == ["metric", "query", *MODELS]
    for metric in ("ndcg@10", "map"):
        rows = table[table["metric"] == metric].set_index("query")
        for model in MODELS:
            values = rows.loc[scores[model].groups, model].to_numpy()
            np.testing.assert_allclose(values, scores[model].scores[metric])


def test_what_only_one_side_has_is_said(run, runs, write, trec_files):
    lines = (trec_files / "new.run").read_text().splitlines()
    kept = [line for line in lines if not line.startswith("q7 ")]
    new = write("\n".join([*kept, "q99 Q0 d1 1 1.0 me"]), "new.run")
    code, out, _ = run("compare", runs[0], new, *runs[3:])
    text = " ".join(out.split())
    assert code == 0
    assert "60 queries" in text
    assert "new has no list for 1 of 60 queries, such as 'q7'" in text
    assert "new has lists for 1 query without judgments, such as 'q99'" in text


def test_queries_without_a_relevant_document_are_left_out_and_said(run, runs, write):
    qrels = runs[-1].read_text() + "q60 0 d1 0\n"
    out = run("compare", *runs[:-1], write(qrels, "qrels.txt"))[1]
    assert "60 queries" in out
    assert "Left out, as a model has no value: 1." in out


def test_few_queries_are_a_note(run, write):
    qrels = write("a 0 x 1\na 0 y 0\nb 0 x 1\nb 0 y 0\n", "qrels.txt")
    one = write("a Q0 x 1 2 m\na Q0 y 2 1 m\nb Q0 x 1 2 m\n", "one.run")
    two = write("a Q0 x 1 1 m\na Q0 y 2 2 m\nb Q0 x 1 2 m\n", "two.run")
    code, out, err = run("compare", one, two, "--qrels", qrels)
    assert (code, err) == (0, "")
    assert "Note: 'ndcg@10' has 2 queries" in out


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["a.run", "b.run.gz"], ["a", "b"]),
        (["run.1", "run.2"], ["run.1", "run.2"]),
        (["x/a.run", "y/a.run"], ["x/a.run", "y/a.run"]),
    ],
)
def test_names_are_as_long_as_needed(names, shown):
    assert name_runs(names) == dict(zip(shown, names, strict=True))


@pytest.mark.parametrize("all_pairs", [False, True])
def test_the_picture_is_of_any_names_and_metrics(run, runs, tmp_path, all_pairs):
    names = ["$x^$y", "\u7389" * 60, "\u7389" * 61]
    copies = [tmp_path / f"{name}.run" for name in names]
    for copy, path in zip(copies, runs, strict=False):
        copy.write_bytes(path.read_bytes())
    metrics = ["--metric", "mrr", "--metric", "mean_rank", "--margin", 0.05]
    options = [*metrics, "--output", tmp_path / "out", *["--all-pairs"] * all_pairs]
    code, _, err = run("compare", *copies, *runs[3:], *options)
    assert (code, err) == (0, "")
    assert plt.imread(tmp_path / "out" / "comparison.png").std() > 0


def test_without_matplotlib_the_picture_is_left_out(run, runs, tmp_path, monkeypatch):
    assert run("compare", *runs, "--output", tmp_path)[0] == 0
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, _ = run("compare", *runs, "--output", tmp_path)
    assert code == 0
    assert "comparison.png is left out. The picture needs matplotlib" in out
    assert out.endswith("Removed comparison.png of an earlier run.\n")
    assert not (tmp_path / "comparison.png").exists()


def test_usual_names_of_columns_and_lists_in_json(run, tmp_path):
    lists = {"a": ["x", "y"], "b": ["y", "x"], "c": ["x", "z"]}
    table = [(u, i, r) for u, items in lists.items() for r, i in enumerate(items, 1)]
    frame = pd.DataFrame(table, columns=["user", "item", "rank"])
    frame.to_csv(tmp_path / "one.csv", index=False)
    frame.to_parquet(tmp_path / "two.parquet")
    (tmp_path / "three.json").write_text(json.dumps(lists))
    truth = tmp_path / "truth.csv"
    truth.write_text("user,item\na,x\nb,x\nc,z\na,x\n")
    files = [tmp_path / name for name in ("one.csv", "two.parquet", "three.json")]
    code, out, err = run("compare", *files, "--truth", truth)
    assert (code, err) == (0, "")
    assert len(set(re.findall(r"^(?:one|two|three) +(0\.\d+)", out, re.MULTILINE))) == 1
    text = " ".join(out.split())
    assert "1 row of" in text
    assert "repeats a user and item: the two count once" in text
    assert "0 of 3 queries differ." in text
    text = " ".join(run("compare", *files, "--truth", truth, "--test", "t")[1].split())
    assert "3 queries cannot decide at 0.05; add queries" in text


def test_an_earlier_name_of_rating(run, tables):
    new = [*tables[:-2], "--rating", "grade"]
    assert run("compare", *tables) == run("compare", *new)


def test_intervals_that_hold_together(run, trec_files):
    runs = [trec_files / f"{name}.run" for name in ("old", "new", "bad")]
    options = ["--qrels", trec_files / "qrels.txt", "--intervals", "simultaneous"]
    code, out, _ = run("compare", *runs, *options)
    assert (code, out.count("All intervals hold together.")) == (0, 1)
    code, _, err = run("compare", *runs, *options, "--correction", "none")
    assert code == 2
    assert "'simultaneous' has no form for --correction None; use 'holm'" in err
