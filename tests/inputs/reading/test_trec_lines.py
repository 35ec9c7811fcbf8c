"""Lines of TREC: as trec_eval reads and orders, and errors with the line."""

import bz2
import gzip
import io
import lzma
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import per_query_scores

QRELS = """
# the judgments
q2 0 b 1
q1\t0\ta  2

q1 0 c 0
  # indented
q1 0 d -1
q3 0 a 1
"""
RUN = """q1 Q0 c 9 1e0 tag
q1 Q0 a 1 1.0 tag
q1 Q0 d -2 7 tag
q4 Q0 a 1 0 tag
q2 Q0 b 1 -2.5 tag"""
ROWS = [
    ("q2", 1, -1),
    ("q1", "pooled", -1),
    ("q1", 0, -2),
    ("q1", 2, -3),
    ("q3", 1, -np.inf),
    ("q4", "never pooled", -1),
]


def rows_of(bunch):
    assert list(bunch) == ["y_true", "y_score", "groups"]
    grades = [grade_or_word(grade) for grade in bunch.y_true.tolist()]
    columns = bunch.groups.tolist(), grades, bunch.y_score.tolist()
    rows = list(zip(*columns, strict=True))
    users = list(dict.fromkeys(bunch.groups.tolist()))
    return sorted(rows, key=lambda row: (users.index(row[0]), -row[2]))


def grade_or_word(grade):
    if np.isnan(grade):
        return "pooled"
    return "never pooled" if grade == 0 and np.signbit(grade) else grade


def test_files_are_ordered_as_trec_eval_does():
    assert rows_of(from_files(io.StringIO(QRELS), io.StringIO(RUN))) == ROWS


def test_documents_of_one_score_in_either_order():
    run = ["q Q0 b 1 2 me", "q Q0 10 1 2 me", "q Q0 é 1 2 me", "q Q0 9 1 3 me"]
    orders = {"id_descending": ["9", "é", "b", "10"], "id_ascending": ["9", "10", "b", "é"]}
    for ties, expected in orders.items():
        rows = from_files(["q 0 b 1"], run, ties=ties, return_items=True)
        assert rows["items"][np.argsort(-rows.y_score)].tolist() == expected
    with pytest.raises(ValueError, match="`ties` got 'rank'"):
        from_files(["q 0 b 1"], run, ties="rank")


@pytest.mark.parametrize("convert", [str, Path])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_paths_may_be_compressed(tmp_path, convert, compress, newline):
    paths = []
    for name, text in (("qrels.gz", QRELS), ("run.txt", "\ufeff" + RUN)):
        path = tmp_path / name
        path.write_bytes(compress(text.replace("\n", newline).encode()))
        paths.append(convert(path))
    assert rows_of(from_files(*paths)) == ROWS


def test_open_files_stay_open(tmp_path):
    (tmp_path / "run").write_text(RUN)
    qrels = io.BytesIO(QRELS.encode())
    with (tmp_path / "run").open() as run:
        assert rows_of(from_files(qrels, run)) == ROWS
        assert not run.closed
    assert not qrels.closed


def test_lines_are_read_as_a_file():
    assert rows_of(from_files(QRELS.splitlines(), RUN.splitlines())) == ROWS


def test_scores_are_compared_exactly():
    run = ["q Q0 a 1 0.10000000000000002 t", "q Q0 b 2 0.1 t"]
    assert from_files(["q 0 a 1"], run).y_true.tolist() == [1, 0]


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\x85", "\x1c", "\u3000"])
@pytest.mark.parametrize(
    "as_file", [list, "\n".join, lambda lines: "\n".join(lines).encode()]
)
def test_ids_hold_white_space_that_is_not_of_ascii(space, as_file):
    """As text it would separate fields, and the rank would be taken for the score."""
    document = f"a{space}b"
    sources = []
    for lines in (
        [f"q 0 {document} 1", "q 0 c 0"],
        [f"q Q0 {document} 2 0.1 me", "q Q0 c 1 0.5 me"],
    ):
        whole = as_file(lines)
        kinds = {str: io.StringIO, bytes: io.BytesIO}
        sources.append(kinds.get(type(whole), list)(whole))
    rows = from_files(*sources)
    assert rows_of(rows) == [("q", 0, -1), ("q", 1, -2)]


@pytest.mark.parametrize("space", [" ", "\t", "\x0b", "\f", " \t \r"])
def test_white_space_of_ascii_separates_fields(space):
    qrels, run = ("q 0 a 1", "q Q0 a 1 0.5 me")
    rows = from_files([qrels.replace(" ", space)], [run.replace(" ", space) + "\r\n"])
    assert rows_of(rows) == [("q", 1, -1)]


def test_ids_keep_null_characters():
    qrels = ["q 0 a 1", "q 0 a\0 2", "q\0 0 a 3"]
    rows = from_files(qrels, ["q\0 Q0 a 1 1 t", "q Q0 a\0 1 1 t"])
    expected = [("q", 2, -1), ("q", 1, -np.inf), ("q\0", 3, -1)]
    assert rows_of(rows) == expected


@pytest.mark.parametrize("rank", ["0", "1", "-3", "+2", "007", "9" * 40])
def test_ranks_are_integers_of_any_kind(rank):
    assert from_files(["q 0 a 1"], [f"q Q0 a {rank} 0.5 t"]).y_score.tolist() == [-1]


def test_an_empty_file_is_an_error():
    for nothing in ([], ["# nothing"], "\n \n".splitlines()):
        with pytest.raises(ValueError, match="`lists` is empty"):
            from_files(["q 0 a 1"], nothing)


def test_a_run_of_other_queries_is_an_error():
    with pytest.raises(ValueError, match="No query of `truth`, such as 'q', is in `lists`"):
        from_files(["q 0 a 1"], ["r Q0 a 1 1 t"])


QUERIES = st.sampled_from(["1", "2", "10"])
DOCUMENTS = st.sampled_from(["a", "B", "b", "é", "10", "9", "ﬀ", "😀"])
# trec_eval writes beyond its memory where all judgments of a query are below -1.
GRADES = st.dictionaries(DOCUMENTS, st.integers(-3, 3), min_size=1).filter(
    lambda grades: max(grades.values()) >= -1
)
JUDGEMENTS = st.dictionaries(QUERIES, GRADES, min_size=1)
RUNS = st.dictionaries(
    QUERIES, st.dictionaries(DOCUMENTS, st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=1)
)
PAIRS = {
    "recip_rank": "mrr",
    "ndcg_cut_2": "ndcg@2",
    "P_2": "precision@2",
    "bpref": "bpref",
    "infAP": "infap",
}
# Without any judged irrelevant document metrics of judgments give no number.
JUDGED_IRRELEVANT = {"other": {"a": 0, "b": 1}}
ANSWERED = {"other": {"b": 1.0}}


# 'b' and 'B' look alike.
@pytest.mark.filterwarnings("ignore:None of .* items:UserWarning")
@pytest.mark.filterwarnings("ignore:1 item of `truth` looks like:UserWarning")
@given(JUDGEMENTS, RUNS)
@pytest.mark.filterwarnings("ignore:None of .* queries has a retrieved row")
def test_scores_are_those_of_trec_eval(qrels, run):
    """Metrics of judgments and others from one reading, in one call."""
    qrels, run = qrels | JUDGED_IRRELEVANT, run | ANSWERED
    judged = [f"{q} 0 {d} {g}" for q, grades in qrels.items() for d, g in grades.items()]
    lines = [f"{q} Q0 {d} 0 {s} t" for q, scores in run.items() for d, s in scores.items()]
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"recip_rank", "ndcg_cut.2", "P.2", "bpref", "infAP"}
    )
    expected = evaluator.evaluate(run)
    result = per_query_scores(**from_files(judged, lines), metrics=tuple(PAIRS.values()))
    for query, measures in expected.items():
        row = result.groups.tolist().index(query)
        for theirs, ours in PAIRS.items():
            value = np.nan_to_num(result.scores[ours][row])
            assert value == pytest.approx(measures[theirs], abs=1e-12)
    for query in qrels.keys() - run.keys():
        row = result.groups.tolist().index(query)
        assert not np.nan_to_num(result.scores["mrr"][row])


ERRORS = [
    (["q 0 a 1", "", "q 0 b"], [], "`truth`, line 3: 3 field.* instead of 4 .*'q 0 b'"),
    (["q 0 a 0.5"], [], "`truth`, line 1: the grade must be a whole number, got '0.5'"),
    (["q 0 a 1"], ["q Q0 a"], "`lists` has no row below line 1"),
    (["q 0 a 1"], [*RUN.splitlines()[:1], "q Q0 a 1 high t"], "the score must be a finite"),
    (["q 0 a 1"], ["q Q0 a 1 nan t"], "the score must be a finite number, got 'nan'"),
    (["q 0 a 1"], ["q Q0 a 1 -inf t"], "the score must be a finite number, got '-inf'"),
    (
        ["q 0 a 1", "q 0 a 2"],
        ["q Q0 a 1 2 t"],
        "'a' twice for the query 'q', again in line 2",
    ),
    (["q 0 a 1"], ["q Q0 a 1 2 t"] * 2, "`lists` has the item 'a' twice.*'q', .*line 2"),
    ([b"q 0 \xff 1"], [], "`truth` is not UTF-8 text: line 1: .*0xff"),
    (["q 0 a 1", "q 0 \udc80 1"], [], "`truth` is not UTF-8 text: line 2: "),
    (["q 0 a 1"], ["q Q0 a 1 1_0 t"], "the score must be a finite number, got '1_0'"),
    (["q 0 a 1"], ["q Q0 a 1 1e999 t"], "the score must be a finite number, got '1e999'"),
    (["q 0 a 1"], ["q Q0 a 1 1 t", "q Q0 b 1 \u0661 t"], "must be a finite number, got"),
    (["q 0 a 1_0"], [], "the grade must be a whole number, got '1_0'"),
    (["q 0 a 9007199254740993"], [], "grade 9007199254740993 is beyond 2"),
    (["q 0 a -9007199254740993"], [], "grade -9007199254740993 is beyond 2"),
    (["q 0 a 1" + "0" * 400], [], r"the grade an integer of 1329 bits is beyond"),
    (
        ["q 0 a 1", "q 0 a " + "1" * 9999],
        [],
        r"the grade must be a whole number, got '1+\.\.\.",
    ),
    (
        ["q 0 a 1"],
        ["q Q0 a 1 0.5 t", "q Q0 doc 1 1 0.5 t"],
        "`lists`, line 2: 7 field.* instead of 6 .* a number: is there white space",
    ),
    (
        ["q 0 a 1", "q 0 " + "a " * 999],
        [],
        r"1001 field\(s\) instead of 4 .*: 'q 0 a a .*\.\.\. \(2003 characters\)\.$",
    ),
    (["q 0 a 1"], ["q 0 a 1"], "`lists` has 4 fields, as judgments of TREC have, .* swap"),
    (["q Q0 a 1 1 t"], ["q 0 a 1"], "`truth` has 6 fields, as a run of TREC has, .* swap"),
]


@pytest.mark.parametrize(("qrels", "run", "message"), ERRORS)
def test_errors_name_the_line(qrels, run, message):
    with pytest.raises(ValueError, match=message):
        from_files(qrels, run)


@pytest.mark.parametrize("rank", ["b", "1.0", "1_0", "nan"])
def test_ranks_that_are_not_used_are_not_read(rank):
    rows = from_files(["q 0 a 2.0"], [f"q Q0 a {rank} 0.5 t"])
    assert rows_of(rows) == [("q", 2, -1)]


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "judged.txt"
    path.write_text("q 0 a 1\nq 0 b x\n")
    with pytest.raises(ValueError, match=r"judged\.txt', line 2: the grade"):
        from_files(path, [])
    with path.open() as file, pytest.raises(ValueError, match=r"judged\.txt', line 2"):
        from_files(file, [])


def test_long_lines_are_read():
    document = "d" * 500_000
    rows = from_files([f"q 0 {document} 1"], io.StringIO(f"q Q0 {document} 1 1 t\n"))
    assert rows_of(rows) == [("q", 1, -1)]


def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(pipe.write_text, "q 0 a 1\n")
        rows = from_files(pipe, ["q Q0 a 1 1 t"])
        written.result()
    assert rows_of(rows) == [("q", 1, -1)]


@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_packed_files_are_known_by_their_bytes(tmp_path, module):
    run, qrels = tmp_path / "run", tmp_path / "qrels.txt"
    run.write_bytes(module.compress(RUN.encode()))
    qrels.write_bytes(module.compress(QRELS.encode()))
    plain = from_files(io.StringIO(QRELS), io.StringIO(RUN))
    assert rows_of(from_files(qrels, run)) == rows_of(plain)


@pytest.mark.parametrize("module", [bz2, lzma])
def test_half_a_file_of_any_packing_is_an_error(tmp_path, module):
    path = tmp_path / "run"
    path.write_bytes(module.compress(RUN.encode())[:-12])
    with pytest.raises(ValueError, match="run': it is damaged or incomplete"):
        from_files(io.StringIO(QRELS), path)


def test_half_a_file_is_an_error(tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(RUN.encode())[:-12])
    with pytest.raises(ValueError, match=r"run\.gz': it is damaged or incomplete"):
        from_files(io.StringIO(QRELS), path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.txt"):
        from_files(tmp_path / "none.txt", [])


@pytest.mark.parametrize(
    "source", [3, None, b"q 0 a 1", bytearray(b"q"), np.array("q 0 a 1"), object()]
)
def test_only_paths_and_files_are_read(source):
    with pytest.raises(TypeError, match="`truth` must be a path or an open file"):
        from_files(source, [])


@pytest.mark.parametrize("role", ["truth", "lists"])
def test_tables_are_of_from_frames(role):
    sides = {"truth": QRELS.splitlines(), "lists": ["q 0 a 1 1 me"]}
    sides[role] = pd.DataFrame({"query": ["q"], "doc_id": ["a"], "rating": [1]})
    with pytest.raises(TypeError, match=f"`{role}` is a table in memory; from_frames"):
        from_files(**sides)


@pytest.mark.parametrize("line", [1, None, ["q 0 a 1"], 0.5, np.zeros(3)])
def test_only_lines_of_text_are_read(line):
    with pytest.raises(TypeError, match=r"`truth` must be a path, or .* but line 2 is"):
        from_files(["q 0 a 1", line], [])


def test_lines_may_be_bytes_of_any_kind():
    rows = from_files([b"q 0 a 1"], [bytearray(b"\xef\xbb\xbfq Q0 a 1 1 t")])
    assert rows_of(rows) == [("q", 1, -1)]


@pytest.mark.parametrize("text", ["q 0 a 1\nq 0 b 1", "x" * 100_000, "a\0b"])
def test_text_is_no_path(text):
    with pytest.raises(ValueError, match=r"`truth`: .* is not a path.*StringIO") as caught:
        from_files(text, [])
    assert len(str(caught.value)) < 200
