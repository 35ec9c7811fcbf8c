"""Runs compared by one set of judgments."""

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models, compare_runs, gate_model, rank_models

RNG = np.random.default_rng(0)
ITEMS = [f"d{i}" for i in range(40)]
QUERIES = [f"q{i:02}" for i in range(30)]


def drawn(n):
    return RNG.choice(ITEMS, n, replace=False).tolist()


QRELS = {q: {d: int(RNG.integers(0, 3)) for d in drawn(12)} for q in QUERIES}
OLD = {q: {d: float(RNG.random()) for d in drawn(20)} for q in QUERIES}
NEW = {
    q: {d: float(RNG.random() + 0.3 * QRELS[q].get(d, 0)) for d in drawn(20)}
    for q in QUERIES
}
RUNS = {"old": OLD, "new": NEW}
NAMES = {"ndcg@10": "ndcg_cut_10", "map": "map"}


def test_the_differences_are_those_of_pytrec_eval_and_scipy():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    found = compare_runs(QRELS, RUNS, metrics=list(NAMES), convention="trec_eval")
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, set(NAMES.values()))
    old, new = evaluator.evaluate(OLD), evaluator.evaluate(NEW)
    for row in found.rows():
        name = NAMES[row.metric]
        values = [np.array([of[q][name] for q in QUERIES]) for of in (new, old)]
        assert row.difference == pytest.approx((values[0] - values[1]).mean(), abs=1e-9)
        assert row.p_value == pytest.approx(stats.ttest_rel(*values).pvalue, rel=1e-6)


def test_lists_files_and_rows_are_read_alike(tmp_path):
    expected = compare_runs(QRELS, RUNS).row("new").difference
    lists = {
        name: {q: sorted(run[q], key=run[q].get, reverse=True) for q in run}
        for name, run in RUNS.items()
    }
    assert compare_runs(QRELS, lists).row("new").difference == expected
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(
        "".join(f"{q} 0 {d} {g}\n" for q in QRELS for d, g in QRELS[q].items())
    )
    files = {}
    for name, run in RUNS.items():
        files[name] = tmp_path / name
        lines = (f"{q} Q0 {d} 1 {s!r} x\n" for q in run for d, s in run[q].items())
        files[name].write_text("".join(lines))
    assert compare_runs(qrels, files).row("new").difference == pytest.approx(expected)
    rows = {"y_true": RNG.integers(0, 2, 60), "groups": np.repeat(np.arange(20), 3)}
    scores = {"a": RNG.random(60), "b": RNG.random(60)}
    options = {"metrics": "mrr", "test": "randomization", "random_state": 0}
    values = {m: per_query_scores(**rows, y_score=scores[m], metrics="mrr") for m in scores}
    alone = compare_models(values, test="randomization", random_state=0)
    assert str(compare_runs(**rows, runs=scores, **options)) == str(alone)


@pytest.mark.parametrize("convention", [None, "trec_eval"])
def test_queries_that_a_run_lacks(convention, tmp_path):
    # q00 is missing in one run, and nobody judged q99.
    other = {**NEW, "q99": {"d1": 1.0}}
    del other["q00"]
    options = {"metrics": "recall@10", "convention": convention}
    with pytest.warns(UserWarning, match="undefined") if convention else nullcontext():
        found = compare_runs(QRELS, {"old": OLD, "new": other}, **options)
    values = compare_runs(QRELS, RUNS, **options).values["recall@10"]["new"]
    kept = values[1:].mean() if convention else values[1:].sum() / 30
    assert found.row("new").mean == pytest.approx(kept)
    assert found.row("new").n_queries == (29 if convention else 30)


def test_what_is_not_values_per_query():
    with pytest.raises(TypeError, match=r"compare_runs\(y_true, {"):
        compare_models(QRELS, RUNS)
    with pytest.raises(ValueError, match=r"write compare_runs\(y_true, runs, metrics="):
        compare_models(RUNS)
    rows = {name: from_item_lists(QRELS, run) for name, run in RUNS.items()}
    with pytest.raises(
        ValueError, match=r"give compare_runs\(y_true, runs\), or per_query"
    ):
        compare_models(rows)
    # The lines of the messages.
    by_rows = compare_models(
        {n: per_query_scores(**of, metrics="map") for n, of in rows.items()}
    )
    by_runs = compare_runs(QRELS, RUNS, metrics="map")
    assert by_rows.row("new").difference == by_runs.row("new").difference
    with pytest.raises(
        TypeError, match="`runs` must be a dict from the name of each model"
    ):
        compare_runs(QRELS, [OLD, NEW])


def test_missing_lists_are_counted():
    qrels = {f"q{i}": {"a": 1} for i in range(40)}
    full = {query: ["a", "b"] for query in qrels}
    short = {query: ["b", "a"] for query in list(qrels)[:30]}
    found = compare_runs(qrels, {"full": full, "short": short}, metrics=["ndcg@2"])
    assert found.settings["without_list"] == {"short": (10, 40)}
    assert "short has no list for 10 of 40 queries." in str(found)
    again = compare_runs(qrels, {"full": full, "other": full}, metrics="mrr")
    assert "without_list" not in again.settings
    assert "no list" not in str(again)


def test_results_of_several_calls_meet_by_definition():
    names = ["ndcg@10", "ndcg_cut_10"]
    sets = {
        f"set {i}": {
            model: per_query_scores(**_rows_of(2 * i + place), metrics=names[i % 2])
            for place, model in enumerate("ab")
        }
        for i in range(6)
    }
    assert str(rank_models(sets)).startswith("ndcg@10, 2 models on 6 data sets")
    old, new = (per_query_scores(**_rows_of(0), metrics=name) for name in names)
    assert gate_model(old, new, margin=0.1, queries="fixed").verdict == "pass"


def _rows_of(seed):
    rng = np.random.default_rng(seed)
    rows = {"y_true": rng.integers(0, 2, 200), "y_score": rng.random(200)}
    return {**rows, "groups": np.repeat(np.arange(20), 10)}


def test_golden_sets_and_lists_of_several_repeats(tmp_path):
    files = {}
    for name, run in RUNS.items():
        files[name] = tmp_path / f"{name}.jsonl"
        lists = {q: sorted(run[q], key=run[q].get, reverse=True) for q in run}
        records = [{"query": q, "retrieved": items} for q, items in lists.items()]
        files[name].write_text("\n".join(map(json.dumps, records)))
    golden = tmp_path / "golden.json"
    golden.write_text(json.dumps(QRELS))
    found = compare_runs(golden, files)
    assert found.row("new").difference == compare_runs(QRELS, RUNS).row("new").difference


def test_repeats_of_files_and_of_mappings(tmp_path):
    """Those of `compare` are the means of repeats, with the error of both kinds."""
    rng = np.random.default_rng(0)
    qrels = {f"q{n}": {f"d{n}": 1} for n in range(12)}
    repeats = {
        name: [
            {
                query: rng.permutation([f"d{n}", "a", "b"]).tolist()
                for n, query in enumerate(qrels)
            }
            for _ in range(n_repeats)
        ]
        for name, n_repeats in {"old": 1, "new": 3}.items()
    }
    values = {
        name: [
            per_query_scores(**from_item_lists(qrels, run), metrics="mrr") for run in runs
        ]
        for name, runs in repeats.items()
    }
    expected = compare_models(values, baseline="old").row("new")
    compared = compare_runs(qrels, repeats, metrics="mrr", baseline="old")
    assert dict(compared.row("new")) == dict(expected)
    golden, paths = tmp_path / "golden.json", {}
    golden.write_text(json.dumps(qrels))
    for name, runs in repeats.items():
        paths[name] = tmp_path / f"{name}.jsonl"
        records = [
            {"query": query, "retrieved": items, "repeat": n}
            for n, run in enumerate(runs)
            for query, items in run.items()
        ]
        paths[name].write_text("\n".join(map(json.dumps, records)))
    compared = compare_runs(golden, paths, metrics="mrr", baseline="old")
    assert dict(compared.row("new")) == dict(expected)
    records = [record for record in records if record != records[0]]  # one empty list
    paths["new"].write_text("\n".join(map(json.dumps, records)))
    lacking = compare_runs(golden, paths, metrics="mrr", baseline="old").row("new")
    assert lacking.difference < expected.difference
    assert lacking.n_repeats == (3, 1)


@pytest.mark.parametrize("kind", [str, Path])
def test_a_list_of_files_has_repeats_and_one_of_lines_has_none(tmp_path, kind):
    def write(name, field, of_query):
        path = tmp_path / name
        rows = [{"query": query, field: of} for query, of in of_query.items()]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return kind(path)

    golden = write("golden.jsonl", "relevant_ids", QRELS)
    lists = [
        {q: sorted(of, key=of.get)[::step] for q, of in OLD.items()} for step in (1, -1)
    ]
    paths = [write(f"{n}.jsonl", "retrieved", of) for n, of in enumerate(lists)]
    lines = Path(paths[0]).read_text().splitlines()
    runs = {"both": paths, "first": paths[:1], "lines": lines}
    compared = compare_runs(golden, runs, metrics="mrr", baseline="lines")
    of_dicts = compare_runs(
        QRELS, {"both": lists, "lines": lists[0]}, metrics="mrr", baseline="lines"
    )
    assert compared.row("first").difference == 0
    assert compared.row("both").difference == of_dicts.row("both").difference != 0
    assert compared.row("both").n_repeats == (2, 1)
    with pytest.raises(FileNotFoundError, match="none"):
        compare_runs(golden, {"both": [*paths, kind(tmp_path / "none")], "lines": lines})


def test_files_of_the_same_queries_are_read_once(tmp_path):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"q{n} 0 d{n % 3} 1\n" for n in range(12)))
    lines = {
        name: "".join(
            f"q{n} Q0 d{d} 1 {3 - (d + n * s) % 3} r\n" for n in range(12) for d in range(3)
        )
        for name, s in (("a", 1), ("b", 2))
    }
    for name, text in lines.items():
        (tmp_path / name).write_text(text)
    shorter = tmp_path / "c"
    shorter.write_text("".join(lines["a"].splitlines(keepends=True)[3:]))
    runs = {name: tmp_path / name for name in "abc"}
    found = compare_runs(qrels, runs, metrics="mrr", test="randomization")
    assert found.means["mean"][2] < found.means["mean"][0]


def test_a_query_that_only_one_file_has_is_empty_in_the_other(tmp_path):
    qrels, old, new = (tmp_path / name for name in ("qrels.txt", "old", "new"))
    qrels.write_text("".join(f"q{n:02} 0 a 1\n" for n in range(12)))
    lines = [f"q{n:02} Q0 a 1 2.0 x\nq{n:02} Q0 b 2 1.0 x\n" for n in range(12)]
    old.write_text("".join(lines[:-2]))
    new.write_text("".join(lines))
    row = compare_runs(qrels, {"old": old, "new": new}, metrics="mrr").row("new")
    assert (row.n_queries, row.better, row.equal) == (12, 2, 10)
    assert row.difference == pytest.approx(2 / 12)


def test_a_query_that_one_file_of_lists_has_is_one_of_all(tmp_path):
    paths = [tmp_path / name for name in ("golden.json", "old.json", "new.json")]
    lists = {f"q{n}": ["a", f"d{n}"] for n in range(12)}
    contents = {f"q{n}": [f"d{n}"] for n in range(12)}, lists, {**lists, "zz": ["a"]}
    for path, content in zip(paths, contents, strict=True):
        path.write_text(json.dumps(content))
    compared = compare_runs(paths[0], {"old": paths[1], "new": paths[2]}, metrics="mrr")
    assert compared.row("new").difference == 0
