"""from_trec: as trec_eval reads and orders, and errors with the number of the line."""

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.inputs import from_trec
from sklearn_rank.metrics import ndcg_score, per_query_scores

QRELS = """
# the judgements
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
    assert rows_of(from_trec(io.StringIO(QRELS), io.StringIO(RUN))) == ROWS


@pytest.mark.parametrize("convert", [str, Path])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_paths_may_be_compressed(tmp_path, convert, compress, newline):
    paths = []
    for name, text in (("qrels.gz", QRELS), ("run.txt", "\ufeff" + RUN)):
        path = tmp_path / name
        path.write_bytes(compress(text.replace("\n", newline).encode()))
        paths.append(convert(path))
    assert rows_of(from_trec(*paths)) == ROWS


def test_open_files_stay_open(tmp_path):
    (tmp_path / "run").write_text(RUN)
    qrels = io.BytesIO(QRELS.encode())
    with (tmp_path / "run").open() as run:
        assert rows_of(from_trec(qrels, run)) == ROWS
        assert not run.closed
    assert not qrels.closed


def test_lines_are_read_as_a_file():
    assert rows_of(from_trec(QRELS.splitlines(), RUN.splitlines())) == ROWS


def test_scores_are_compared_exactly():
    run = ["q Q0 a 1 0.10000000000000002 t", "q Q0 b 2 0.1 t"]
    assert from_trec(["q 0 a 1"], run).y_true.tolist() == [1, 0]


def test_an_empty_run_scores_zero():
    assert ndcg_score(**from_trec(["q 0 a 1"], ["# nothing"])) == 0


QUERIES = st.sampled_from(["1", "2", "10"])
DOCUMENTS = st.sampled_from(["a", "B", "b", "é", "10", "9", "ﬀ", "😀"])
JUDGEMENTS = st.dictionaries(
    QUERIES, st.dictionaries(DOCUMENTS, st.integers(-1, 3), min_size=1), min_size=1
)
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
# Without any judged irrelevant document metrics of judgements give no number.
JUDGED_IRRELEVANT = {"other": {"a": 0, "b": 1}}


@given(JUDGEMENTS, RUNS)
def test_scores_are_those_of_trec_eval(qrels, run):
    """Metrics of judgements and others from one reading, in one call."""
    qrels = qrels | JUDGED_IRRELEVANT
    judged = [f"{q} 0 {d} {g}" for q, grades in qrels.items() for d, g in grades.items()]
    lines = [f"{q} Q0 {d} 0 {s} t" for q, scores in run.items() for d, s in scores.items()]
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"recip_rank", "ndcg_cut.2", "P.2", "bpref", "infAP"}
    )
    expected = evaluator.evaluate(run)
    result = per_query_scores(**from_trec(judged, lines), metrics=tuple(PAIRS.values()))
    for query, measures in expected.items():
        row = result.groups.tolist().index(query)
        for theirs, ours in PAIRS.items():
            value = np.nan_to_num(result.scores[ours][row])
            assert value == pytest.approx(measures[theirs], abs=1e-12)
    for query in qrels.keys() - run.keys():
        row = result.groups.tolist().index(query)
        assert not np.nan_to_num(result.scores["mrr"][row])


ERRORS = [
    (["q 0 a 1", "", "q 0 b"], [], "`qrels`, line 3: 3 field.* instead of 4 .*'q 0 b'"),
    (["q 0 a 1 x"], [], "`qrels`, line 1: 5 field"),
    (["q 0 a one"], [], "`qrels`, line 1: the relevance must be a whole number, got 'one'"),
    (["q 0 a 0.5"], [], "the relevance must be a whole number, got '0.5'"),
    (["q 0 a 1"], ["#", "q Q0 a 1 0.5"], "`run`, line 2: 5 field.* instead of 6"),
    (
        ["q 0 a 1"],
        ["q Q0 a 1 high t"],
        "line 1: the score must be a finite number, got 'high'",
    ),
    (["q 0 a 1"], ["q Q0 a 1 nan t"], "the score must be a finite number, got 'nan'"),
    (["q 0 a 1"], ["q Q0 a 1 -inf t"], "the score must be a finite number, got '-inf'"),
    (["q 0 a 1", "q 0 a 2"], [], "`qrels` has item 'a' twice for user 'q'"),
    (["q 0 a 1"], ["q Q0 a 1 2 t"] * 2, "`run` has item 'a' twice for user 'q'"),
    ([b"q 0 \xff 1"], [], "`qrels` is not UTF-8 text"),
]


@pytest.mark.parametrize(("qrels", "run", "message"), ERRORS)
def test_errors_name_the_line(qrels, run, message):
    with pytest.raises(ValueError, match=message):
        from_trec(qrels, run)


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "judged.txt"
    path.write_text("q 0 a 1\nq 0 b x\n")
    with pytest.raises(ValueError, match=r"judged\.txt, line 2: the relevance"):
        from_trec(path, [])
    with path.open() as file, pytest.raises(ValueError, match=r"judged\.txt, line 2"):
        from_trec(file, [])


def test_half_a_file_is_an_error(tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(RUN.encode())[:-12])
    with pytest.raises(ValueError, match=r"run\.gz is damaged or not whole"):
        from_trec(io.StringIO(QRELS), path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.txt"):
        from_trec(tmp_path / "none.txt", [])


@pytest.mark.parametrize("source", [3, None, b"q 0 a 1"])
def test_only_paths_and_files_are_read(source):
    with pytest.raises(TypeError, match="`qrels` must be a path or an open file"):
        from_trec(source, [])
