"""from_files: one golden set and its lists in the forms of many repositories."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_files
from sklearn_rank.inputs._reading import _bytes
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
    "nested.json": json.dumps(
        each(
            lambda q: {
                "id": q,
                "expected": {"category": "a", "relevantDocIds": IDS[q], "texts": ["b c"]},
            }
        )
    ),
    "by_query.json": json.dumps({q: {"expected_ids": IDS[q], "note": ""} for q in GRADES}),
    "file.jsonl": lines(
        each(
            lambda q: {
                "qid": q,
                "relevant_documents": [
                    {"rank": n, "doc_id": i, "page": 3, "excerpt": "a text"}
                    for n, i in enumerate(IDS[q])
                ],
                "expected_answer_contains": ["a text"],
            }
        )
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
        ('{"a": [["x"]]}', None, "a list in a list in a; write one list of ids, or"),
        ('{"a": {"x": {"contains": "y"}}}', None, "write one list of ids.*Conditions"),
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
        ('{"a": ["x"], "a": ["y"]}', None, "'a' is twice in one object"),
        (
            None,
            '[{"q": "a", "hits": ["x"], "results": ["y"]}]',
            "'hits' and 'results'; .*`item`",
        ),
        (
            None,
            '[{"q": "a", "gold": ["x"]}]',
            "holds relevant ids, in its field 'gold', where retrieved",
        ),
        (
            '{"queries": [{"id": "a", "query": "b", "best": "x", "acceptable": ["y"]}]}',
            None,
            "no field .* relevant ids; it has: id, query, best, acceptable.*`relevant`",
        ),
        ("a 0 x 1\na 0 x 2\n", None, "'x' twice for the query 'a', again in line 2; leave"),
        ("a Q0 x 1 1 me\n", None, "6 fields, as a run of TREC .* relevant ids are needed"),
        (None, "a 0 x 1\n", "4 fields, as judgments of TREC .* retrieved ids are needed"),
        (
            '[{"q": "a", "gold": [{"text": "x"}]}]',
            None,
            r"without an id in \[0\]: .* text; .*one list of ids",
        ),
        (
            None,
            "query,item,run\na,x,bm25\na,y,dense\n",
            r"2 systems in one file \(bm25, dense\).*'run': split it, or .*`repeat`",
        ),
        ("", None, "is empty"),
        ('{"a": ["x"]', None, "is not JSON in line 1"),
        ('{"query": "a", "gold": ["x"]}\n{"query": "b",', None, "is not JSON in line 2"),
        ('{"a": ["x"]}\n{"b": "x', None, "line 2: Unterminated string, column 7."),
        ("q1 Q0 x 1 9 t", None, "needed; swap the files, or name another one."),
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


RISING = [("x", 0.1), ("y", 0.4)]


@pytest.mark.filterwarnings("ignore:Scores of 1 of 3 lists")
@pytest.mark.parametrize("form", ["lists.jsonl", "list.json", "by_query.json", "rows.csv"])
@pytest.mark.parametrize(
    ("others", "top"),
    [(THREE, [0.9, 3, 0.5]), ([("z", 0.2)], [0.9, 0.2, 0.5]), (RISING, [-1, -1, -1])],
)
def test_a_single_item_has_its_score(write, form, others, top):
    """Queries are compared by their top scores; distances and places are none."""
    lists = {"a": [("x", 0.9)], "b": others, "c": [("y", 0.5)]}
    hits = {q: [{"id": i, "score": s} for i, s in of] for q, of in lists.items()}
    records = [{"query": q, "retrieved": of} for q, of in hits.items()]
    rows = "".join(f"{q},{i},{s}\n" for q, of in lists.items() for i, s in of)
    if form == "rows.csv" and others is RISING:
        top = [0.9, 0.4, 0.5]  # a column orders its rows
    file = {
        "lists.jsonl": lines(records),
        "list.json": json.dumps(records),
        "by_query.json": json.dumps(hits),
        "rows.csv": f"query,item,score\n{rows}",
    }[form]
    rows = from_files({q: ["x"] for q in lists}, write(form, file))
    of_query = [max(rows.y_score[rows.groups == q]) for q in lists]
    assert of_query == top


BESIDE = [
    ["query,retrieved,scores", "q,d1;d2,0.9;0.4", "r,d3,0.3", "s,,"],
    *(
        [
            json.dumps({"query": "q", "retrieved": ["d1", "d2"], name: [0.9, 0.4]}),
            json.dumps({"query": "r", "retrieved": ["d3"], name: [0.3]}),
            json.dumps({"query": "s", "retrieved": [], name: []}),
        ]
        for name in ("score", "scores")
    ),
]


@pytest.mark.parametrize("lists", BESIDE)
@pytest.mark.parametrize("by_name", [False, True])
def test_numbers_beside_ids(lists, by_name):
    golden = [
        '{"query": "q", "relevant": ["d1", "d2"], "grades": [1, 2]}',
        '{"query": "r", "relevant": ["d3"], "grades": [3]}',
    ]
    names = {"score": "score" if '"score"' in lists[0] else "scores", "grade": "grades"}
    rows = from_files(golden, lists, **(names if by_name else {}), queries=["q", "r", "s"])
    assert rows.y_true.tolist() == [1, 2, 3, 0]
    assert rows.y_score.tolist() == [0.9, 0.4, 0.3, -np.inf]


@pytest.mark.parametrize(
    ("score", "name", "words"),
    [
        ([0.9], None, "has 2 ids and 1 score in line 1; give one score for each id"),
        ([0.9, "a"], None, 'has the score "a" in line 1'),
        (0.9, "score", "'score' of `score` is not read: beside a list of ids only a list"),
    ],
)
def test_numbers_beside_ids_that_are_refused(score, name, words):
    lists = [json.dumps({"query": "q", "retrieved": ["d1", "d2"], "score": score})]
    with pytest.raises(ValueError, match=words):
        from_files({"q": ["d1"]}, lists, score=name)


def hits_of(ids, name="id", **more):
    return [{name: item, "text": "a text", "n": n, **more} for n, item in enumerate(ids)]


# The list of a record in an object, or under another name, and the names to give.
WITHIN = {
    "an answer": (lambda ids: {"response": {"contexts": hits_of(ids, "chunkId")}}, {}),
    "a name": (lambda ids: {"a": {"b": hits_of(ids, "c")}}, {"item": "c"}),
    "ids": (lambda ids: {"response": {"retrieved_ids": ids, "ms": [1, 2]}}, {}),
    "a field": (lambda ids: {"a": {"b": ids}, "c": {"d": ["x"]}}, {"item": "b"}),
    "other objects": (
        lambda ids: {"a": {"matches": hits_of(ids)}, "filters": [{"key": "lang"}]},
        {},
    ),
    "metadata": (lambda ids: {"documents": [{"metadata": {"id": i}} for i in ids]}, {}),
    "a name in metadata": (
        lambda ids: {"documents": [{"id": None, "metadata": {"key2": i}} for i in ids]},
        {"item": "key2"},
    ),
    "a list of these": (
        lambda ids: {"retrieved": [{"id": None, "metadata": {"key2": i}} for i in ids]},
        {"item": "key2"},
    ),
    "also judged": (
        lambda ids: {"a": {"hits": hits_of(ids)}, "expected_ids": ["x"]},
        {"item": "id"},
    ),
}


@pytest.mark.parametrize("name", WITHIN)
def test_a_list_within_each_record(name):
    make, names = WITHIN[name]
    records = [{"question": q, **make(ids)} for q, ids in LISTS.items()]
    expected = from_files(GRADES, LISTS, return_items=True)
    for file in (lines(records), json.dumps(records), json.dumps({"results": records})):
        rows = from_files(GRADES, file.splitlines(), **names, return_items=True)
        assert all((rows[key] == expected[key]).all() for key in expected)
    alone = from_files({"q1": ["rose-1"]}, lines(records[:1]).splitlines(), **names)
    assert alone.y_true.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (
            {"a": {"hits": hits_of("x")}, "hits2": {"hits": hits_of("x")}},
            "no field that is",
        ),
        ({"a": {"hits": hits_of("x")}, "expected_ids": ["x"]}, "holds relevant ids"),
        ({"filters": [{"key": "lang"}]}, "no field that is known to hold retrieved ids"),
    ],
)
def test_lists_within_records_that_are_not_clear(record, words):
    file = lines([{"query": q, **record} for q in GRADES]).splitlines()
    with pytest.raises(ValueError, match=words):
        from_files(GRADES, file)


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
    table = "query,run,item\n" + "".join(
        f"{q},{r},{item}\n" for q, r, items in rows for item in items
    )
    again = from_files(golden, write("rows.csv", table))
    assert list(again) == ["1", "2"]
    for repeat, of_repeat in found.items():
        np.testing.assert_array_equal(again[repeat].y_true, of_repeat.y_true)
    one = from_files(
        golden, write("rows.csv", table.replace(",2,", ",1,")), duplicates="first"
    )
    assert one.groups.tolist() == ["a", "a", "b", "b"]


def test_an_alias_is_visited_once(write):
    yaml = pytest.importorskip("yaml")
    text = "tests: &all\n  - {q: q1, gold: [rose-1]}\nagain: [*all, *all]\n"
    rows = from_files(write("golden.yaml", text), {"q1": ["rose-1"]})
    assert yaml is not None
    assert rows.y_true.tolist() == [1]


NINE = "[" + ",".join(["{}"] * 9) + "]"
BOMB = "a0: &a0 {k: x}\n" + "".join(
    f"a{n}: &a{n} {NINE.format(*[f'*a{n - 1}'] * 9)}\n" for n in range(1, 10)
)
HOSTILE = {
    "levels.json": (
        '[{"q": "a", "gold": ["x"], "m": %s}]' % ("[" * 99 + "]" * 99),
        "line 1",
    ),
    "levels of one line.jsonl": (
        '{"q": "a", "gold": ["x"]}\n{"q": "b", "m": %s}' % ("[" * 100 + "]" * 100),
        "nested too deep in line 2; 100 levels",
    ),
    "endless.json": ('{"a":\n' + "[" * 100_000, "nested too deep in line 2"),
    "levels.yaml": ("q: a\ngold: " + "[" * 100 + "]" * 100, "nested too deep in line 2"),
    "endless.yaml": ("q: a\ngold: " + "[" * 5000, "not YAML.*line [23]|nested too deep"),
    "aliases.yaml": (BOMB + "list:\n - {q: a, gold: *a9}\n", "repeats too much by aliases"),
    "merged.yaml": (BOMB.replace("[", "{<<: [").replace("]", "]}"), "too much by aliases"),
    "itself.yaml": ("- &a {q: a, gold: [*a]}\n", "nested too deep"),
    "tag.yaml": ("a: !!python/object/apply:os.getcwd []\n", "not YAML.*tag.*line 1"),
    "twice.yaml": ("b: [x]\na: [x]\n'a': [y]\n", "line 1: 'a' is twice in one object"),
    "twice.jsonl": ('{"q": "a"}\n{"q": "b", "q": "c"}', "in line 2: 'q' is twice in one"),
    "id.json": ('{"a": [9223372036854775808]}', r"92233.* \(int\) in a, where an id"),
    "digits.json": ('{"a": [%s]}' % ("9" * 5000), "not JSON"),
    "float.csv": ("query,item,grade\na,x,1e999\n", 'the grade "1e999" in line 2'),
    "infinite.json": ('{"a": {"x": 1e999}}', "the grade Infinity in a"),
    "half.jsonl": ('{"a": ["\\ud83d\\ude00"]}\n{"b": ["\\ud83d"]}', "line 2.*surrogates"),
    "constant.json": ('[\n"NaN",\nNaN]', "not JSON in line 3: NaN is not a number"),
    "constant.yaml": ("a: {x: .nan}\n", "the grade NaN in a"),
    "text.json": ('{"a\\u202e\\u0007": [["x"]]}', r"in a\\u202e\\x07; write"),
    "latin.csv": ("query,item\na,x\nb,é\n".encode("latin-1"), "UTF-8 text: line 3.*iconv"),
    "half.parquet": (b"PAR1" + b"a" * 30 + b"PAR1", "not a whole Parquet file"),
    "half.gz": (gzip.compress(b"a" * 999)[:20], "Cannot read .*damaged"),
    "header.tsv": ("query-id\tcorpus-id\tscore\n", "no line below its header in line 1"),
    "cell.csv": ('query,item\na,"x\n', "not CSV in line 2"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(write, name):
    content, words = HOSTILE[name]
    if name.endswith((".yaml", ".parquet")):
        pytest.importorskip("yaml" if name.endswith(".yaml") else "pyarrow")
    with pytest.raises(ValueError, match=words) as caught:
        from_files(write(name, content), {"a": ["x"]})
    text = str(caught.value)
    assert text.isprintable()
    assert name in text


def test_files_that_would_fill_the_memory(write, monkeypatch):
    """Refused by the sizes that they have: 1 GiB, and 100 times the packed file."""
    monkeypatch.setattr(_bytes, "_MOST_UNPACKED", 10_000)
    packed = write("packed", gzip.compress(b"q 0 d 1\n" * 20_000))
    with pytest.raises(ValueError, match=r"packed' has more than [\d,]+ bytes unpacked"):
        from_files(packed, {"q": ["d"]})
    assert from_files(write("small", gzip.compress(b"q 0 d 1\n")), {"q": ["d"]}).y_true == 1
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"query": "q", "item": "d", "grade": np.ones(50_000)})
    table.to_parquet(rows := write("rows.parquet", ""))
    with pytest.raises(ValueError, match=r"rows.parquet' has more than .* unpacked"):
        from_files(rows, {"q": ["d"]})


WIDE = '[{"%s": "a", "gold": ["x"]}]', '[{"%s": "a", "hits": ["x"]}]'
LONG = "query,%s,grade\na,x,1\n", "query,%s,score\na,x,1\n"


@pytest.mark.parametrize(
    ("truth", "lists", "names"),
    [
        (WIDE[0] % "gid", WIDE[1] % "q", {"query": "gid"}),
        (WIDE[0] % "q", WIDE[1] % "rid", {"query": "rid"}),
        (WIDE[0] % "gid", "a Q0 x 1 1\n", {"query": "gid"}),
        (LONG[0] % "ref", LONG[1] % "doc", {"item": "ref"}),
        (LONG[0] % "doc", LONG[1] % "ref", {"item": "ref"}),
        (WIDE[0] % "q", LONG[1] % "ref", {"item": "ref"}),
        (WIDE[0] % "q", WIDE[1].replace("hits", "stuff") % "q", {"item": "stuff"}),
        (WIDE[0] % "q", '[{"q": "a", "hits": [{"ref": "x"}]}]', {"item": "ref"}),
        (WIDE[0] % "q", '{"a": ["x"]}', {"score": "score", "rank": "rank"}),
        ('[{"q": "a", "gold": [{"id": "x", "g": 1}]}]', WIDE[1] % "q", {"grade": "g"}),
        (WIDE[0] % "q", '[{"q": "a", "hits": [{"id": "x", "at": 1}]}]', {"rank": "at"}),
    ],
)
def test_fields_that_one_file_has(write, truth, lists, names):
    golden, results = write("golden", truth), write("results", lists)
    rows = from_files(golden, results, **names)
    assert (rows.y_true.tolist(), rows.groups.tolist()) == ([1], ["a"])
    wide = write("wide", WIDE[1] % "q")
    for name in set(names) - {"query"}:
        with pytest.raises(ValueError, match=rf"No file has .* 'zz' of `{name}`: .*has"):
            from_files(write("golden", WIDE[0] % "q"), wide, **{name: "zz"})


SPLICED = [
    *(b"[", b"]", b"{", b"}", b'"', b"\\", b"\n", b"\0", b"\t", b",", b";", b"|", b": "),
    *(b"*a", b"&a ", b"<<: ", b"!!python/none ", b"//", b"#", b"\xff", b"\\u202e"),
    *(b"1e999", b"NaN", b"null", b"-1", b"9" * 400, b"[[" * 60, b"{a: " * 60),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "seed",
    [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 220))],
)
def test_damaged_files_are_errors_with_one_line(write, seed):
    """Cut, doubled and changed bytes: rows, or one error that the package raises."""
    rng = np.random.default_rng(seed)
    forms, messages = TRUTH | GRADED | ROWS | RESULTS | RESULT_ROWS, []
    for name, text in forms.items():
        data = bytearray(text.encode())
        for _ in range(rng.integers(1, 4)):
            place = int(rng.integers(len(data) + 1))
            match rng.integers(4):
                case 0:
                    del data[place:]
                case 1:
                    data[place : place + 1] = rng.bytes(1)
                case 2:
                    data[place:place] = data[place : place + 9]
                case _:
                    data[place:place] = SPLICED[rng.integers(len(SPLICED))]
        files = write(f"damaged{name[-5:]}", bytes(data)), LISTS
        try:
            from_files(*(files if name in TRUTH | GRADED | ROWS else (IDS, files[0])))
        except (ValueError, UserWarning) as error:
            messages.append(str(error))
    assert len(messages) > 10
    assert all(message.isprintable() for message in messages)
    assert all("damaged" in message for message in messages)


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


def test_objects_with_scores_keep_them_beside_an_array():
    hits = [{"id": "x", "score": 0.9}, {"id": "y", "score": 0.2}]
    rows = from_files({"q": ["x"]}, [{"query": "q", "retrieved": hits, "scores": [1, 2]}])
    assert rows.y_score.tolist() == [0.9, 0.2]
