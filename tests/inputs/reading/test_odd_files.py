"""Files that are unlike most: what they are read as, or the error that says why not."""

import json
import re

import pytest

from sklearn_rank._cli import main
from sklearn_rank.inputs import from_files
from sklearn_rank.inputs._reading import _forms

GOLDEN = {"q1": ["a"]}
LISTS = {"q1": ["a", "b"]}


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.fixture
def notes_of(write, capsys):
    """Evaluate the text of a golden set; return what is said beside the values."""

    def run(name, text, lists='{"q1": ["a", "b"]}'):
        assert (
            main(["evaluate", str(write(name, text)), str(write("run.json", lists))]) == 0
        )
        return " ".join(capsys.readouterr().err.split())

    return run


def test_a_folder_with_judgments_of_one_split(write):
    file = write("qrels/train.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t2\n")
    assert from_files(file.parent.parent, LISTS).y_true.tolist() == [2, 0]


DEEP = "[" * 101 + "]" * 101
REFUSED = {
    "cell.csv": ('query,expected_ids\nq1,"[a, b"\n', r"cell '\[a, b' in line 2, which is "),
    "digits.json": ('{"q1": {"a": "1_0"}}', 'has the grade "1_0" in q1; grades are numb'),
    "object.json": ("{}", "no field .* hold relevant ids; it has: no fields, as in {}"),
    "columns.csv": ("query,gold,query\nq1,a,b\n", "two columns 'query' in line 1"),
    "items.csv": ("query,doc_id,url,rating\nq1,a,b,1\n", "'doc_id' and 'url'; .* `item`"),
    "gaps.csv": ("query,doc_id,rating\n,a,1\nq1,,1\n", "no row with a query and an item"),
    "places.json": (
        '{"old": [{"id": "q1", "gold": ["a"]}], "new": [{"id": "q1", "gold": ["b"]}]}',
        "has records at old and at new; keep those of one place",
    ),
    "deep.jsonl": (
        f'{{"query": "q1", "gold": ["a"]}}\n// ]]]\n{{"query": "q2", "gold": {DEEP}}}\n',
        "nested too deep in line 3; 100 levels are enough",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_golden_set_is_refused(write, name):
    text, words = REFUSED[name]
    with pytest.raises(ValueError, match=rf"{re.escape(name)}' .*{words}"):
        from_files(write(name, text), LISTS)


def test_a_mapping_with_too_many_levels():
    value = []
    for _ in range(101):
        value = [value]
    with pytest.raises(ValueError, match="`truth` is nested too deep in its values"):
        from_files({"q1": value}, LISTS)


def test_as_many_levels_as_are_enough(write):
    """The object is one level; another bracket stands beside the lists of 99."""
    notes = "[" * 99 + "]" * 99
    lines = [f'{{"id": "q{n}", "gold": ["a"], "note": {notes}}}\n' for n in (1, 2)]
    assert from_files(write("gold.jsonl", "".join(lines)), LISTS).y_true.tolist() == [
        *(1, 0, 1)
    ]


def test_many_queries_are_not_nested_deep(monkeypatch):
    """Only what repeats, as aliases of YAML do, may have no end."""
    monkeypatch.setattr(_forms, "_MOST_PARTS", 10)
    golden = {f"q{number}": ["a"] for number in range(20)}
    assert len(from_files(golden, {query: ["b"] for query in golden}).y_true) == 40
    with pytest.raises(ValueError, match="`truth` is nested too deep"):
        from_files(dict.fromkeys(golden, GOLDEN["q1"]), LISTS)


READ = {
    "blank lines.jsonl": (
        '{"query": "q1", "gold": ["a"]}\n\n# more\n{"query": "q2", "gold": ["c"]}\n'
    ),
    "ends in commas.csv": "query,gold,,\nq1,a,,\nq2,c,,\n",
    "rows.json": (
        '[{"query_id": "q1", "doc_id": "a", "rating": 1},'
        ' {"query_id": "q2", "doc_id": "c", "rating": 1}]'
    ),
}


@pytest.mark.parametrize("name", READ)
def test_a_golden_set_is_read(write, name):
    rows = from_files(write(name, READ[name]), LISTS)
    assert rows.y_true.tolist() == [1, 0, 1]
    assert rows.groups.tolist() == ["q1", "q1", "q2"]


def test_rows_without_an_item_are_left_out(write):
    file = write("rows.csv", "query,doc_id,rating\nq1,a,1\nq1,,1\n")
    with pytest.warns(UserWarning, match="1 row of .* without a query or an item: left"):
        assert from_files(file, LISTS).y_true.tolist() == [1, 0]


@pytest.mark.parametrize("table", [["id,document,page", "a,b,1"], ["{}"]])
def test_a_map_of_documents_has_two_columns(table):
    with pytest.raises(ValueError, match="`document_map` is not a table with two columns"):
        from_files(GOLDEN, LISTS, document_map=table)


def test_excluded_documents_cover_no_subtopic():
    qrels = ["q1 1 a 1", "q1 2 b 1", "q1 2 c 1"]
    run = ["q1 Q0 a 1 3 me", "q1 Q0 b 2 2 me"]
    rows = from_files(
        qrels, run, subtopics=True, exclude={"q1": ["a", "c"]}, return_items=True
    )
    assert rows["items"].tolist() == ["b"]
    assert rows.y_true.toarray().sum() == 1


@pytest.mark.parametrize("score", ["inf", "nan", "1_0", "best"])
def test_a_score_that_is_not_finite(score):
    with pytest.raises(ValueError, match=f"line 2: the score must be a .* '{score}'"):
        from_files(["q1 0 a 1"], ["q1 Q0 a 1 3 me", f"q1 Q0 b 2 {score} me"])


def test_says_which_of_two_fields_is_read(notes_of):
    text = '[{"query": "q1", "expected_ids": ["a"], "expected_sources": ["c"]}]'
    said = notes_of("golden.json", text)
    assert "'expected_ids' of" in said
    assert "is read, 'expected_sources' is not." in said


def test_says_that_pages_are_not_read(notes_of):
    said = notes_of("golden.csv", "query,doc_id,rating,page\nq1,a,1,7\n")
    assert "'page' of" in said
    assert "is not read: an item counts as a whole." in said


def test_says_that_lines_are_comments(notes_of):
    said = notes_of("qrels.txt", "q1 0 a 1\n#q2 0 a 1\n# of the web\n")
    assert "1 line of" in said
    assert "with all fields has # in front, such as that of '#q2': it is a comment." in said


def test_one_query_as_an_object_is_a_golden_set(notes_of):
    assert "error" not in notes_of("one.json", '{"query": "q1", "expected_ids": ["a"]}')


def test_chunks_of_a_document_are_fused_by_their_best(write, capsys):
    files = [
        write(f"run{n}.json", f'{{"q1": {ids}}}')
        for n, ids in enumerate(('["b#1", "a#1", "b#2"]', '["b#3", "a#2"]'))
    ]
    options = ["--document-sep", "#", "--duplicates", "first"]
    assert main(["fuse", *map(str, files), *options]) == 0
    fused = json.loads(capsys.readouterr().out)["retrieved"]
    assert [item["id"] for item in fused] == ["b", "a"]
    assert [item["score"] for item in fused] == pytest.approx([2 / 61, 2 / 62])
