"""from_files: one golden set and its lists in the forms of many repositories."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import per_query_scores

GRADES = {
    "q1": {"rose-1": 2, "rose-2": 1},
    "q2": {"tom-3": 1},
    "q3": {"com-1": 1, "com-4": 1},
    "q4": {"car-2": 1},
    "q5": {},
    "q6": {"slug-1": 1},
}
LISTS = {
    "q1": ["rose-2", "x-1", "rose-1"],
    "q2": ["x-2", "tom-3"],
    "q3": ["com-4", "com-1", "x-3"],
    "q4": ["x-4", "x-5", "x-6"],
    "q5": ["x-7"],
    "q6": ["slug-1"],
}
TEXTS = {query: f"how to {query}?" for query in GRADES}
IDS = {query: list(grades) for query, grades in GRADES.items()}


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def each(make):
    return [make(query) for query in GRADES]


TRUTH = {
    "lines.jsonl": lines(each(lambda q: {"query": q, "expected_ids": IDS[q]})),
    "object.json": json.dumps(
        {
            "version": 1,
            "questions": each(lambda q: {"id": q, "expected_sources": IDS[q] or None}),
        }
    ),
    "camel.json": json.dumps(
        each(lambda q: {"question": TEXTS[q], "expectedDocuments": IDS[q]})
    ),
    "golden.yaml": "tests:\n"
    + "".join(
        f"  - id: {q}\n    expected_chunk_ids: {json.dumps(IDS[q])}\n" for q in GRADES
    ),
    "comments.jsonl": "// the set\n\n"
    + lines(each(lambda q: {"query_id": q, "query": TEXTS[q], "gold_docs": IDS[q]})),
    "ragas.jsonl": lines(
        each(
            lambda q: {
                "user_input": TEXTS[q],
                "reference": "a text",
                "reference_contexts": ["a text"],
                "reference_context_ids": IDS[q],
            }
        )
    ),
    "promptfoo.json": json.dumps(
        each(lambda q: {"vars": {"query": TEXTS[q]}, "metadata": {"relevant_docs": IDS[q]}})
    ),
    "cells.csv": "query,expected_doc_ids\n"
    + "".join(f"{q},{';'.join(IDS[q])}\n" for q in GRADES),
}
GRADED = {
    "labels.jsonl": lines(
        each(
            lambda q: {
                "id": q,
                "query": TEXTS[q],
                "target_keys": IDS[q],
                "relevance_labels": GRADES[q],
            }
        )
    ),
    "llama.json": json.dumps({"queries": TEXTS, "relevant_docs": GRADES, "mode": "text"}),
    "rank_eval.json": json.dumps(
        {
            "requests": each(
                lambda q: {
                    "id": q,
                    "ratings": [{"_id": i, "rating": g} for i, g in GRADES[q].items()],
                }
            )
        }
    ),
    "solr.json": json.dumps(
        each(
            lambda q: {
                "query": q,
                "relevant_documents": {
                    grade: [i for i, g in GRADES[q].items() if g == int(grade)]
                    for grade in "12"
                },
            }
        )
    ),
    "mapping.json": json.dumps(GRADES),
}
ROWS = {
    "quepid.csv": "query,docid,rating\n"
    + "".join(f"{q},{i},{g}\n" for q, grades in GRADES.items() for i, g in grades.items()),
    "qrels.txt": "".join(
        f"{q} 0 {i} {g}.0\n" for q, grades in GRADES.items() for i, g in grades.items()
    ),
    "beir.tsv": "query-id\tcorpus-id\tscore\n"
    + "".join(
        f"{q}\t{i}\t{g}\n" for q, grades in GRADES.items() for i, g in grades.items()
    ),
}
RESULTS = {
    "results.jsonl": lines(
        {"id": q, "query": TEXTS[q], "retrieved": items} for q, items in LISTS.items()
    ),
    "hits.json": json.dumps(
        [
            {
                "query_id": q,
                "query": TEXTS[q],
                "hits": [{"_id": i, "_score": 9.5 - n} for n, i in enumerate(items)],
            }
            for q, items in LISTS.items()
        ]
    ),
    "ragas.jsonl": lines(
        {
            "user_input": TEXTS[q],
            "id": q,
            "retrieved_contexts": ["text"],
            "retrieved_context_ids": items,
        }
        for q, items in LISTS.items()
    ),
}
RESULT_ROWS = {
    "run.txt": "".join(
        f"{q} Q0 {i} {n} {9 - n}\n"
        for q, items in LISTS.items()
        for n, i in enumerate(items, 1)
    ),
    "rows.csv": "query,doc_id\n"
    + "".join(f"{q},{i}\n" for q, items in LISTS.items() for i in items),
    "ranks.csv": "user_id,item_id,rank\n"
    + "".join(f"{q},{i},{n}\n" for q, items in LISTS.items() for n, i in enumerate(items)),
    "mapping.json": json.dumps(LISTS),
}
GRADED_NDCG, BINARY_NDCG = 0.678223, 0.710130


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        (tmp_path / name).write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )
        return tmp_path / name

    return write


def means(rows):
    values = per_query_scores(**rows, metrics=["ndcg@10", "mrr@10", "recall@2"])
    return [np.nanmean(values[name]) for name in values.scores]


@pytest.mark.filterwarnings("ignore:1 query", "ignore:.*without scores")
@pytest.mark.parametrize(
    "lists", RESULTS | {f"of rows/{n}": RESULT_ROWS[n] for n in RESULT_ROWS}
)
@pytest.mark.parametrize("truth", TRUTH | GRADED | ROWS)
def test_one_set_in_many_forms(write, truth, lists):
    pytest.importorskip("yaml")
    golden = write(f"golden-{truth}", (TRUTH | GRADED | ROWS)[truth])
    results = write(
        lists.rpartition("/")[2],
        (RESULTS | {f"of rows/{n}": RESULT_ROWS[n] for n in RESULT_ROWS})[lists],
    )
    is_by_text = truth in ("camel.json", "ragas.jsonl", "promptfoo.json")
    if is_by_text and lists.startswith("of rows"):
        with pytest.raises(ValueError, match=r"No query of .*golden-.* is in .*`query`"):
            from_files(golden, results)
        return
    expected = BINARY_NDCG if truth in TRUTH else GRADED_NDCG
    first = means(from_files(golden, results))
    assert first == pytest.approx([expected, 0.7, 0.7], abs=5e-7)
    base = write("base.json", json.dumps(GRADES if truth not in TRUTH else IDS))
    assert first == means(from_files(base, write("base-lists.json", json.dumps(LISTS))))


def test_ranks_of_lists_without_judgments(write):
    """Each list has its own ranks, also where nothing of it is judged."""
    lists = write("lists.csv", "user,item,rank\nu1,a,1\nu2,a,1\nu3,a,1\n")
    rows = from_files(["u1 0 a 1"], lists)
    assert rows.groups.tolist() == ["u1", "u2", "u3"]
    assert rows.y_score.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("truth", "lists", "words"),
    [
        (
            '[{"q": "a", "gold": ["x"], "expected": ["y"]}]',
            None,
            "'gold' and 'expected'.*`relevant`",
        ),
        (
            '[{"q": "a", "answer": "x"}]',
            None,
            "no field .* relevant ids.*q, answer.*`relevant` F",
        ),
        (
            '[{"q": "a", "retrieved": ["x"]}]',
            None,
            "holds retrieved ids.*'retrieved'.*swap",
        ),
        ('{"a": [["x"]]}', None, "a list in a list in a; needed is one list of ids, or"),
        ('{"a": {"x": {"contains": "y"}}}', None, "needed is one list of ids.*Conditions"),
        (
            '{"q":"a","gold":["x"]}\n{"q":"a","gold":["y"]}',
            None,
            "'a' in line 1 and again in line 2.*`query`",
        ),
        (
            None,
            '{"q":"a","hits":["x"]}\n{"q":"a","hits":["y"]}',
            "again in line 2.*`repeat`",
        ),
        (
            None,
            '{"a": ["x", "x"]}',
            "'x' twice for the query 'a', again in a; .*duplicates='first'",
        ),
        ('{"a": [1.5]}', None, r"1.5 \(float\) in a, where an id"),
        ('{"a": [null]}', None, r"null \(null\) in a, where an id"),
        ('{"a": [1e400]}', None, "where an id is needed"),
        ("query,item,grade\na,x,high\n", None, 'the grade "high" in line 2'),
        (
            "query,item,grade\na,x,-1\n",
            None,
            'the grade "-1" in line 2; grades are numbers f',
        ),
        ("query,item,grade\na,x\n", None, "2 fields in line 2, but 3 in line 1"),
        ('{"a": ["x"], "a": ["y"]}', None, "'a' twice in one object"),
        (
            '{"a": [' + "[" * 5000 + "]" * 5000 + "]}",
            None,
            "nested too deep|a list in a list",
        ),
        ("", None, "is empty"),
        ('{"a": ["x"]', None, "is not JSON in line 1"),
        ('{"query": "a", "gold": ["x"]}\n{"query": "b",', None, "is not JSON in line 2"),
        (
            '[{"id": "a", "gold": ["x"]}]',
            '{"zz": ["x"]}',
            "No query of .*'a', is in .*'zz'",
        ),
        (
            '[{"id": 1, "q": "one", "gold": ["x"]}, {"id": 2, "q": "two", "gold": ["y"]}]',
            '[{"id": 1, "q": "two", "hits": ["y"]}, {"id": 2, "q": "one", "hits": ["x"]}]',
            "ids and texts pair different queries.*`query`",
        ),
    ],
)
def test_what_is_refused(write, truth, lists, words):
    golden = write("golden", truth if truth is not None else '{"a": ["x"]}')
    results = write("results", lists if lists is not None else '{"a": ["x"]}')
    with pytest.raises(ValueError, match=words) as caught:
        from_files(golden, results)
    assert "\n" not in str(caught.value)
    named = golden if truth is not None else results
    assert repr(str(named)) in str(caught.value)


THREE = [("x", 3), ("y", 3), ("z", 1)]


@pytest.mark.parametrize(
    ("lists", "scores"),
    [
        (
            json.dumps([{"q": "a", "hits": [{"id": i, "score": s} for i, s in THREE]}]),
            [3, 3, 1],
        ),
        (
            '[{"q": "a", "hits": [{"id": "x", "score": 3}, {"id": "y", "score": 3}]}]',
            [-1, -2],
        ),
        ('{"a": {"x": 0.5, "y": 0.5}}', [0.5, 0.5]),
        ('{"a": ["x", "y"]}', [-1, -2]),
        ("a Q0 x 1 0.5\na Q0 y 1 0.5", [-2, -1]),
    ],
)
def test_ties(write, lists, scores):
    golden = write("golden.json", '{"a": {"x": 1, "y": 2, "z": 3}}')
    rows = from_files(golden, write("lists", lists), return_items=True)
    found = dict(zip(rows["items"].tolist(), rows.y_score.tolist(), strict=True))
    assert [found[item] for item in "xyz"[: len(scores)]] == scores


def test_packed_files_pipes_and_folders(write, tmp_path):
    golden, lists = json.dumps(IDS), json.dumps(LISTS)
    first = means(from_files(write("g.json", golden), write("l.json", lists)))
    packed = write("packed", gzip.compress(lists.encode()))
    assert means(from_files(write("g", golden), packed)) == first
    (tmp_path / "beir" / "qrels").mkdir(parents=True)
    for split in ("test", "dev"):
        path = tmp_path / "beir" / "qrels" / f"{split}.tsv"
        path.write_text(
            ROWS["beir.tsv"]
            if split == "test"
            else "query-id\tcorpus-id\tscore\nq1\tz\t1\n"
        )
    folder = from_files(tmp_path / "beir", write("l.json", lists))
    assert means(folder)[0] == pytest.approx(GRADED_NDCG, abs=5e-7)
    assert (
        from_files(tmp_path / "beir", write("l.json", lists), split="dev").y_true.sum() == 1
    )
    with pytest.raises(ValueError, match=r"is a folder with dev.tsv, test.tsv in qrels"):
        from_files(tmp_path / "beir", write("l.json", lists), split="train")


def test_repeats(write):
    golden = write("golden.json", '{"a": ["y"], "b": ["z"]}')
    rows = [("a", 1, ["y"]), ("a", 2, ["x", "y"]), ("b", 1, ["z"]), ("b", 2, ["w"])]
    text = lines({"query": q, "seed": r, "retrieved": v} for q, r, v in rows)
    found = from_files(golden, write("runs.jsonl", text), repeat="seed")
    assert list(found) == ["1", "2"]
    assert [np.mean(per_query_scores(**found[r], metrics="mrr")["mrr"]) for r in found] == [
        1,
        0.25,
    ]


def test_an_alias_is_visited_once(write):
    yaml = pytest.importorskip("yaml")
    levels = "\n".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))
    text = f"a0: &a0 [x, y]\n{levels}\n"
    assert yaml is not None
    with pytest.raises(ValueError, match=r"golden\.yaml' has (no field|a list in a list)"):
        from_files(write("golden.yaml", text), write("l.json", json.dumps(LISTS)))


@pytest.mark.parametrize("seed", range(6))
def test_damaged_files_are_errors_with_one_line(write, seed):
    """Cut, doubled and changed bytes: rows, or one error that the package raises."""
    rng = np.random.default_rng(seed)
    texts, messages = [*TRUTH.values(), *GRADED.values(), *ROWS.values()], []
    lists = write("lists.json", json.dumps(LISTS))
    for text in texts:
        data = bytearray(text.encode())
        for _ in range(5):
            place = int(rng.integers(len(data)))
            match rng.integers(3):
                case 0:
                    del data[place:]
                case 1:
                    data[place] = int(rng.integers(256))
                case _:
                    data[place:place] = data[place : place + 9]
            data = data or bytearray(b"{")
            try:
                from_files(write("golden", bytes(data)), lists)
            except (ValueError, UserWarning) as error:
                messages.append(str(error))
    assert len(messages) > 20
    assert not any("\n" in message for message in messages)


def test_repeats_keep_their_places():
    golden, lists = {"ann": ["x", "y"]}, {"ann": ["x", "x", "y"]}
    rows = from_files(golden, lists, duplicates="miss", return_items=True)
    assert rows.y_true.tolist() == [1, 0, 1]
    assert rows["items"].tolist() == ["x", "x", "y"]
    chunks = {"ann": ["x#1", "x#2", "y#1"]}
    of = {"document_sep": "#", "duplicates": "miss"}
    np.testing.assert_array_equal(from_files(golden, chunks, **of).y_true, rows.y_true)


def test_ids_in_columns_of_floats(tmp_path):
    pytest.importorskip("pyarrow")
    file = tmp_path / "lists.parquet"
    lists = pd.DataFrame({"query": ["a", "a"], "item": [7.0, 8.0], "score": [2, 1]})
    lists.to_parquet(file)
    golden = {"a": ["7"]}
    for names in ({}, {"item": "item"}):
        assert from_files(golden, file, **names).y_true.tolist() == [1, 0]
    lists.assign(item=np.array([2**24 + 1, 7], "float32")).to_parquet(file)
    text = r"\['item'\]` has numbers of float32 such as 16777216"
    with pytest.warns(MisleadingScoreWarning, match=text):
        from_files(golden, file)


COLUMNS = {
    "rank": (lambda n: n, "`score='rank'` has the ranks of each user's items"),
    "distance": (lambda n: n + 0.5, "`score='distance'` ranks the largest first"),
    "score": (lambda n: n + 0.5, "All 30 lists of `lists` rise in score"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_scores_that_are_best_if_small(name):
    value, text = COLUMNS[name]
    golden = {f"q{query}": ["d1"] for query in range(30)}
    rows = [f"{query},d{n},{value(n)}" for query in golden for n in range(1, 6)]
    with pytest.warns(MisleadingScoreWarning) as caught:
        from_files(golden, [f"query,item,{name}", *rows], score=name)
    assert [str(one.message)[: len(text)] for one in caught] == [text]
