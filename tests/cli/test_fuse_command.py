"""Several runs as one: the numbers of RankFusion, from any form of file."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.inputs import from_files, from_runs
from sklearn_rank.metrics import ndcg_score
from sklearn_rank.rankers import RankFusion

NAMES = ("old", "bad")


@pytest.fixture
def trec(trec_files):
    return [trec_files / f"{name}.run" for name in NAMES]


@pytest.fixture
def tables(trec_files):
    return [*(trec_files / f"{name}.csv" for name in NAMES), "--score", "value"]


def expected(paths, **options):
    rows = from_runs({}, paths, missing="empty", return_items=True)
    fusion = RankFusion(**options).fit(rows.X, groups=rows.groups)
    scores = fusion.predict(rows.X, groups=rows.groups)
    table = pd.DataFrame({"query": rows.groups, "item": rows["items"], "score": scores})
    return table.set_index(["query", "item"])["score"].sort_index()


def read(path):
    return pd.read_csv(path).set_index(["query", "item"])["score"].sort_index()


TWO_ONE = {"weights": [2, 1]}


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--k", 10], {"rrf_k": 10}),
        (["--method", "borda"], {"method": "borda"}),
        (["--method", "condorcet"], {"method": "condorcet"}),
        (["--method", "dbsf"], {"method": "dbsf"}),
        (["--formula", "chroma", "--weights", "2,1"], {"convention": "chroma"} | TWO_ONE),
        (
            ["--formula", "weaviate", "--weights", "2,1"],
            {"convention": "weaviate"} | TWO_ONE,
        ),
        (
            ["--method", "comb_sum", "--normalization", "l2"],
            {"method": "comb_sum", "normalization": "l2"},
        ),
        (
            ["--method", "comb_sum", "--normalization", "z_score", "--weights", "2,0.5"],
            {"method": "comb_sum", "normalization": "z_score", "weights": [2, 0.5]},
        ),
        (
            ["--method", "comb_max", "--normalization", "none"],
            {"method": "comb_max", "normalization": None},
        ),
    ],
)
def test_numbers_of_python(run, trec, tmp_path, arguments, options):
    path = tmp_path / "fused.csv"
    code, out, err = run("fuse", *trec, *arguments, "-o", path)
    assert (code, err) == (0, "")
    assert out == f"Wrote 720 rows of 60 queries into {path}.\n"
    pd.testing.assert_series_equal(read(path), expected(trec, **options), rtol=1e-12)


def test_settings_of_a_search_engine(run, trec, tmp_path):
    path = tmp_path / "fused.csv"
    arguments = ["--formula", "qdrant", "--weights", "3,1"]
    settings = '{"query": {"rrf": {"k": 2, "weights": [3.0, 1.0]}}}'
    code, out, err = run("fuse", *trec, *arguments, "-o", path)
    assert (code, err) == (0, "")
    assert out == f"{settings}\n\nWrote 720 rows of 60 queries into {path}.\n"
    options = {"convention": "qdrant", "weights": [3, 1]}
    pd.testing.assert_series_equal(read(path), expected(trec, **options), rtol=1e-12)
    code, out, err = run("fuse", *trec, *arguments, "--k", 5)
    assert err == f"sklearn-rank: note: {settings.replace('2', '5')}\n"
    assert json.loads(out.splitlines()[0])["query"]
    code, out, err = run("fuse", *trec, "--formula", "opensearch")
    assert json.loads(err.partition("note:")[2])["phase_results_processors"]


def learn(trec, qrels, **options):
    rows = from_runs(qrels, trec, missing="empty")
    return RankFusion(weights="learned", **options).fit(rows.X, rows.y, groups=rows.groups)


def test_weights_are_learned(run, trec, trec_files, tmp_path):
    path, qrels = tmp_path / "fused.csv", trec_files / "qrels.txt"
    learned = ["--weights", "learned", "--qrels", qrels]
    code, out, err = run("fuse", *trec, *learned, "-o", path)
    assert (code, err) == (0, "")
    fusion = learn(trec, qrels)
    wrote = f"Wrote 720 rows of 60 queries into {path}."
    assert out == f"{fusion.tuning_['text']}\n\n{wrote}\n"
    options = {"weights": fusion.weights_}
    pd.testing.assert_series_equal(read(path), expected(trec, **options), rtol=1e-12)
    metric = ["-m", "precision@5", "--formula", "elasticsearch"]
    code, out, err = run("fuse", *trec, *learned, *metric)
    tuned = learn(trec, qrels, metric="precision@5", convention="elasticsearch")
    notes = [line.removeprefix("sklearn-rank: note: ") for line in err.splitlines()]
    assert notes == [tuned.tuning_["text"], json.dumps(tuned.configuration())]


def test_weights_are_learned_from_the_judged_queries_only(run, trec, trec_files, write):
    lines = (trec_files / "qrels.txt").read_text().splitlines()
    queries = list(dict.fromkeys(line.split()[0] for line in lines))[:20]
    judged = "\n".join(line for line in lines if line.split()[0] in queries)
    qrels = write(judged + f"\n{queries[0]} 0 unjudged -1\n", "qrels20.txt")
    learned = ["--weights", "learned", "--qrels", qrels, "-m", "precision@5"]
    code, out, err = run("fuse", *trec, *learned)
    assert code == 0
    assert err.startswith("sklearn-rank: note: 20 queries: ")
    assert len(out.splitlines()) == 60


def test_ranks_follow_scores(run, trec, tmp_path):
    path = tmp_path / "fused.csv"
    assert run("fuse", *trec, "-n", 5, "-o", path)[0] == 0
    fused = pd.read_csv(path)
    for _, of in fused.groupby("query"):
        assert of["rank"].tolist() == [1, 2, 3, 4, 5]
        assert of["score"].is_monotonic_decreasing


def test_lines_of_json_are_read_by_evaluate(run, trec, trec_files, monkeypatch):
    code, lines, err = run("fuse", *trec)
    assert (code, err) == (0, "")
    assert list(json.loads(lines.splitlines()[0])) == ["query", "retrieved"]
    fused = run("fuse", *trec, "--format", "csv")[1]
    for text in (lines, fused):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code, out, err = run("evaluate", "-", trec_files / "qrels.txt", "--score", "score")
        assert (code, err) == (0, "")
        assert out.splitlines()[1].startswith("ndcg@10")


def test_a_run_of_trec(run, trec, trec_files, tmp_path):
    path = tmp_path / "fused.run"
    assert run("fuse", *trec, "-o", path)[0] == 0
    fields = path.read_text().splitlines()[0].split()
    assert (fields[1], fields[3], len(fields)) == ("Q0", "1", 6)
    rows = from_files(trec_files / "qrels.txt", path)
    assert 0 < ndcg_score(**rows) < 1


def test_forms_of_files_are_alike(run, trec, tables, tmp_path):
    lists = {}
    for name, path in zip(NAMES, tables, strict=False):
        rows = pd.read_csv(path)
        lists[name] = tmp_path / f"{name}.json"
        by_user = {
            user: dict(zip(of["item"], of["value"], strict=True))
            for user, of in rows.groupby("user")
        }
        lists[name].write_text(json.dumps(by_user))
    outputs = []
    for files in (trec, tables, lists.values(), [trec[0], *tables[1:]]):
        outputs.append(tmp_path / f"{len(outputs)}.csv")
        code, _, err = run("fuse", *files, "--method", "comb_sum", "-o", outputs[-1])
        assert code == 0, err
    for output in outputs[1:]:
        pd.testing.assert_series_equal(read(output), read(outputs[0]))


def test_lists_without_scores(run, write, tmp_path):
    one = write('{"u": ["a", "b"], "v": ["a"]}', "one.json")
    two = write("query,sku,rank\nu,b,1\nu,c,2\n", "two.csv")
    path = tmp_path / "both.csv"
    code, _, err = run("fuse", one, two, "-o", path)
    assert code == 0
    assert err == "sklearn-rank: note: two has no list for 1 of 2 queries.\n"
    fused = pd.read_csv(path)
    assert fused["item"].tolist() == ["b", "a", "c", "a"]
    np.testing.assert_allclose(
        fused["score"], [1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 61], rtol=1e-12
    )


def test_numbers_as_ids_of_parquet_match_those_of_a_csv_file(run, tmp_path):
    rows = pd.DataFrame({"user": [1, 1], "item": [10, 20], "rank": [1, 2]})
    rows.to_parquet(tmp_path / "one.parquet")
    rows.to_csv(tmp_path / "two.csv", index=False)
    files = [tmp_path / "one.parquet", tmp_path / "two.csv"]
    code, out, _ = run("fuse", *files, "-o", tmp_path / "both.csv")
    assert (code, out[:12]) == (0, "Wrote 2 rows")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--weights", "1,2,3"], "one for each of 2 runs, got [1.0, 2.0, 3.0]"),
        (["--weights", "1,x"], "--weights: needs a number from 0, or learned, got 'x'"),
        (["--weights", "learned"], "--weights learned and --truth GOLDEN go together"),
        (["--qrels", "qrels.txt"], "--weights learned and --truth GOLDEN go together"),
        (["-m", "map"], "--metric map needs --weights learned"),
        (["--formula", "vespa"], "invalid choice: 'vespa'"),
        (["--formula", "milvus", "--weights", "1,2"], "no effect with --formula milvus"),
        (["--formula", "chroma", "--k", "0"], "--k must be a number, 1 or more"),
        (["--formula", "elasticsearch", "--k", "0"], "--k of --formula elasticsearch must"),
        (["--formula", "weaviate", "--k", "9"], "--formula weaviate has --k 60, got 9"),
        (["--formula", "qdrant", "--method", "borda"], "--formula qdrant is a formula of"),
        (["--weights", "0,0"], "--weights must be finite numbers >= 0, not all of them 0"),
        (["--weights", "1,2", "--method", "comb_max"], "have no effect with --method"),
        (["--method", "combsum"], "Did you mean 'comb_sum'?"),
        (["--k", "-1"], "--k: needs a number from 0"),
        (["-o", "no/folder/out.run"], "there is no folder"),
        (["-o", "."], "needs one of the endings"),
        (["-o", "out.json"], "--output 'out.json' needs one of the endings .jsonl, .csv"),
    ],
)
def test_arguments_that_are_wrong(fails, trec, tmp_path, arguments, said):
    out = [] if "-o" in arguments else ["-o", tmp_path / "out.run"]
    assert said in fails(*trec, *arguments, *out, command="fuse")
    assert not (tmp_path / "out.run").exists()


def test_runs_without_a_query_in_common(fails, write):
    runs = [write(f'{{"{query}": ["a", "b"]}}', f"{query}.json") for query in ("q1", "q2")]
    said = fails(*runs, command="fuse")
    assert "The runs have no query in common ('q1', 'q2'); give the queries" in said


def test_files_that_are_wrong(fails, trec, write, tmp_path):
    out = ["-o", tmp_path / "out.csv"]
    assert "needs two runs" in fails(trec[0], *out, command="fuse")
    assert "is given twice" in fails(trec[0], trec[0], *out, command="fuse")
    for text, said in {
        "query,item,rank\nu,a,1\nu,a,2\n": "'a' twice for the query 'u', again in line 3",
        "q1 Q0 d 1 2.0 t\nq1 Q0 d 2 1.0 t\n": "'d' twice for the query 'q1', again in line",
        "{": "is not JSON in line 1",
        '{"u": ["a"], "u": ["c"]}': "'u' is twice in one object",
        '{"u": ["a", null]}': "has null (null) in u, where an id is needed",
        '{"u": {"a": 1, "b": NaN}}': "NaN is not a number of JSON",
        '{"u": {"a": 1, "b": 1e999}}': "has the score Infinity in u; a number is needed",
        "[" * 100_000: "is nested too deep",
    }.items():
        bad = write(text, "bad")
        assert said in fails(trec[0], bad, *out, command="fuse")
    assert f"'{bad}' is an input" in fails(
        trec[0], bad, "-o", bad, "--format", "csv", command="fuse"
    )


def test_the_name_of_another_tool_for_a_method(fails, trec):
    message = fails(*trec, "--method", "wsum", command="fuse")
    assert "write comb_sum, and --weights, for wsum" in message


def test_several_lists_of_a_query_are_refused(fails, trec, write):
    rows = [{"query": "q1", "run": n, "retrieved": ["d1", "d2"]} for n in (1, 2)]
    repeats = write("".join(json.dumps(row) + "\n" for row in rows), "repeats.jsonl")
    message = fails(trec[0], repeats, command="fuse")
    assert f"'{repeats}' has several lists of a query; give one of each." in message


def test_distances_as_scores_are_noted(run, write):
    ids = [["a", "b", *side] for side in ("cdefghij", "klmnopqr")]
    near = {f"q{q}": {i: n / 8 for n, i in enumerate(ids[0])} for q in range(20)}
    high = {f"q{q}": {i: 9 - n for n, i in enumerate(ids[1])} for q in range(20)}
    rows = [f"{q},{i},{s}" for q, of in near.items() for i, s in of.items()]
    objects = [
        {"query": q, "retrieved": [{"id": i, "score": s} for i, s in of.items()]}
        for q, of in near.items()
    ]
    table = write("\n".join(["query,docid,score", *rows]), "dist.csv")
    lines = write("\n".join(map(json.dumps, objects)), "dist.jsonl")
    scores = write(json.dumps(high), "high.json")
    for path, text in (
        (table, f"All 20 lists of '{table}' rise in score in the order given"),
        (lines, f"Scores of 20 of 20 lists of '{lines}' rise somewhere, as distances do"),
    ):
        code, _, err = run("fuse", path, scores)
        assert code == 0
        assert err.startswith(f"sklearn-rank: note: {text}")
        assert len(err.splitlines()) == 1
