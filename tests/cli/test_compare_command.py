"""From runs to the comparison: the same numbers as in Python, printed and in files."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli._compared import name_runs
from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models

MODELS = ("old", "new", "bad")


@pytest.fixture
def runs(trec_files):
    files = [trec_files / f"{name}.run" for name in MODELS]
    return [*files, "--qrels", trec_files / "qrels.txt"]


@pytest.fixture
def tables(trec_files):
    files = [trec_files / f"{name}.csv" for name in MODELS]
    return [*files, "--truth", trec_files / "qrels.csv", "--score", "value"]


@pytest.fixture(scope="module")
def scores(trec_files):
    return {
        name: per_query_scores(
            **from_files(trec_files / "qrels.txt", trec_files / f"{name}.run"),
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
    assert run("compare", *runs, "-o", tmp_path / "page.html")[0] == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = json.loads(re.search('id="queries-data">(.*?)</script>', page)[1])
    rows = from_files(runs[4], runs[0], return_items=True)
    is_first = (rows.groups == found["labels"][0]) & (rows.y_score > -np.inf)
    best = np.argsort(-rows.y_score[is_first], kind="stable")
    shown = [found["items"][item] for item in found["lists"][0][0]]
    assert shown == rows["items"][is_first][best].tolist()


def test_options_reach_the_comparison(run, runs, scores):
    options = ["--test", "randomization", "--correction", "bonferroni", "--margin", 0.02]
    metrics = ["--metric", "map,ndcg@10", "-m", "map"]
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
    arguments = ["--truth", trec_files / "qrels.csv", "--rank", "place"]
    assert run("compare", *files, *arguments) == run("compare", *tables)


def test_files(run, runs, scores, tmp_path):
    call = ["compare", *runs, "-m", "ndcg@10,map"]
    for ending in ("csv", "json"):
        assert run(*call, "-o", tmp_path / f"out.{ending}")[0] == 0
    found = json.loads((tmp_path / "out.json").read_text())
    expected = compare_models(scores, baseline="old")
    assert [row["difference"] for row in found["rows"]] == pytest.approx(
        expected.columns["difference"]
    )
    assert [row["model"] for row in found["means"]] == [*MODELS, *MODELS]
    assert found["options"]["correction"] == "holm"
    table = pd.read_csv(tmp_path / "out.csv").set_index("query")
    for metric in ("ndcg@10", "map"):
        for model in MODELS:
            values = table.loc[scores[model].groups, f"{metric} {model}"].to_numpy()
            np.testing.assert_allclose(values, scores[model].scores[metric])
    assert run(*call, "-o", tmp_path / "out.png")[0] == 2


def test_what_only_one_side_has_is_said(run, runs, write, trec_files):
    lines = (trec_files / "new.run").read_text().splitlines()
    kept = [line for line in lines if not line.startswith("q7 ")]
    new = write("\n".join([*kept, "q99 Q0 d1 1 1.0 me"]), "new.run")
    code, out, err = run("compare", runs[0], new, *runs[3:])
    assert code == 0
    assert "60 queries" in out
    assert "1 of 60 queries of" in err
    assert "without a list, such as 'q7': counts as an empty list" in err
    assert f"1 query of {str(new)!r} without judgments, such as 'q99': left out." in err


def test_queries_without_a_relevant_document_are_left_out_and_said(run, runs, write):
    qrels = runs[-1].read_text() + "q60 0 d1 0\n"
    out = run("compare", *runs[:-1], write(qrels, "qrels.txt"))[1]
    assert "60 queries" in out
    assert "1 query left out: some model has no value." in out


def test_few_queries_are_a_note(run, write):
    qrels = write("a 0 x 1\na 0 y 0\nb 0 x 1\nb 0 y 0\n", "qrels.txt")
    one = write("a Q0 x 1 2 m\na Q0 y 2 1 m\nb Q0 x 1 2 m\n", "one.run")
    two = write("a Q0 x 1 1 m\na Q0 y 2 2 m\nb Q0 x 1 2 m\n", "two.run")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        code, _, err = run("compare", one, two, "--qrels", qrels)
    assert code == 0
    assert "note: 'ndcg@10' has 2 queries" in err


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


def test_intervals_that_hold_together(run, trec_files):
    runs = [trec_files / f"{name}.run" for name in ("old", "new", "bad")]
    options = ["--qrels", trec_files / "qrels.txt", "--intervals", "simultaneous"]
    code, out, _ = run("compare", *runs, *options)
    assert (code, out.count("All intervals hold together.")) == (0, 1)
    code, _, err = run("compare", *runs, *options, "--correction", "none")
    assert code == 2
    assert "'simultaneous' has no form for --correction None; use 'holm'" in err


@pytest.mark.filterwarnings("always::UserWarning")
def test_each_doubt_is_one_note(run, write):
    golden = write(json.dumps({f"q{n}": ["a"] for n in range(20)}), "golden.json")
    one = write(json.dumps({f"q{n}": ["b", "a"] for n in range(20)}), "one.json")
    two = {f"Q{n}" if n < 9 else f"q{n}": ["a"] for n in range(20)}
    files = one, write(json.dumps(two), "two.json")
    code, out, err = run("compare", *files, "--truth", golden)
    assert (code, "Warning" in out) == (0, False)
    text = f"9 queries of {str(golden)!r} look like ids that only {str(files[1])!r} has"
    assert err.count(text) == 1
    empty = write(json.dumps({f"q{n}": [] for n in range(20)}), "empty.json")
    code, out, err = run("compare", one, empty, "--truth", golden)
    assert (code, (out + err).count("None of 20 queries has a retrieved row")) == (0, 1)
    report = json.loads(run("compare", one, empty, "--truth", golden, "--json")[1])
    assert str(report).count("None of 20 queries has a retrieved row") == 1


@pytest.fixture
def of_values(write):
    """Return a function that writes a table of values of 20 queries."""

    def write_table(name, change=0.0):
        rows = "".join(f"q{n},{0.1 + n / 50 + change * (n % 3):.3f}\n" for n in range(20))
        return write(f"query,mrr\n{rows}", f"{name}.csv")

    return write_table


def test_tables_of_values(run, of_values):
    paths = of_values("old"), of_values("new", 0.1), of_values("last", 0.2)
    code, out, err = run("compare", *paths, "--json")
    report = json.loads(out)
    assert (code, err) == (0, "")
    assert [row["difference"] for row in report["rows"]] == pytest.approx([0.095, 0.19])


def test_an_undefined_value_is_left_out(run, of_values):
    paths = of_values("old"), of_values("new", 0.1)
    for path in paths:
        path.write_text(path.read_text().replace("q0,0.100", "q0,"))
    code, out, _ = run("compare", *paths)
    assert code == 0
    assert "1 query left out: some model has no value." in out


def test_rows_without_a_query_are_left_out_and_said(run, of_values):
    paths = of_values("old"), of_values("new", 0.1)
    expected = run("compare", *paths)[1]
    paths[1].write_text(paths[1].read_text() + ",0.9\n")
    code, out, err = run("compare", *paths)
    assert (code, out) == (0, expected)
    assert f"1 rows of {str(paths[1])!r} left out: column 'query' is empty." in err


def test_looks_at_any_time(run, runs):
    code, out, _ = run("compare", *runs, "--test", "anytime", "--json")
    assert code == 0
    assert json.loads(out)["options"]["test"] == "anytime"
    code, _, err = run("compare", *runs, "--test", "anytime", "-m", "dcg@10")
    assert code == 2
    assert "--test anytime needs the lowest and the highest possible value" in err
