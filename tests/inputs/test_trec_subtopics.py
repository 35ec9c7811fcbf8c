"""Judgments by subtopic, as ndeval reads them."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import alpha_ndcg_score, per_query_scores, ranking_scores

QRELS = """\
q 1 d1 1
q 1 d2 1
q 2 d2 1
q 3 d3 1
q 2 d5 1
q 1 d6 1
q 2 d6 1
q 3 d6 1
q 3 d4 0
r 1 d4 1
r 2 d4 -2
s 1 d9 0
"""
RUN = [
    f"q Q0 {doc} {rank} {9 - rank} me"
    for rank, doc in enumerate(["d1", "d4", "d2", "d3", "d5"])
]
RUN += ["r Q0 d1 1 2 me", "r Q0 d4 2 1 me", "s Q0 d1 1 1 me"]


def test_the_example_of_the_specification():
    rows = from_files(QRELS.splitlines(), RUN, subtopics=True)
    assert rows.y_true.shape == (10, 3)
    assert rows.groups.tolist() == ["q"] * 6 + ["r"] * 2 + ["s"] * 2
    names = ["alpha_ndcg@3", "err_ia@3", "nrbp", "map_ia", "subtopic_recall@3"]
    found = per_query_scores(**rows, metrics=names)
    assert found.groups.tolist() == ["q", "r", "s"]
    expected = [0.4509228744, 0.375, 0.3828125, 0.3083333333, 0.6666666667]
    for name, value in zip(names, expected, strict=True):
        assert found.scores[name][0] == pytest.approx(value, abs=5e-11)
        assert np.isnan(found.scores[name][2])
    second = 1 / np.log2(3)  # r: its only relevant document at rank 2
    assert found.scores["alpha_ndcg@3"][1] == pytest.approx(second)


def test_lines_in_any_order_and_relevance_as_it_is():
    lines = QRELS.replace("q 2 d5 1", "q 2 d5 3").splitlines()
    rows = from_files(lines[::-1], RUN, subtopics=True)
    again = from_files(lines, RUN, subtopics=True)
    assert rows.y_true.max() == 3
    one, other = (
        ranking_scores(**r, metrics="map_ia", replace_undefined_by=0) for r in (rows, again)
    )
    assert one == pytest.approx(other)


def test_queries_that_share_documents_keep_their_subtopics():
    of_query = {"q": ["x", "y"], "r": ["y", "x"], "s": ["xy", ""]}
    subtopics = {"x": "1", "y": "2"}
    documents = ["d1", "d2"]
    qrels = [
        f"{query} {subtopics[name]} {document} 1"
        for query, each in of_query.items()
        for document, names in zip(documents, each, strict=True)
        for name in names
    ]
    run = [f"{query} Q0 {d} 0 {-int(d[1])} me" for query in of_query for d in documents]
    found = from_files(qrels, run, subtopics=True).y_true.toarray()
    expected = [
        [name in names for name in "xy"] for each in of_query.values() for names in each
    ]
    assert found.tolist() == expected


def test_documents_are_returned_too():
    rows = from_files(QRELS.splitlines(), RUN, subtopics=True, return_items=True)
    assert rows["items"].tolist()[:6] == ["d1", "d4", "d2", "d3", "d5", "d6"]
    metrics = ["alpha_ndcg@3", "coverage(n_items=10)@1"]
    found = ranking_scores(**rows, metrics=metrics, replace_undefined_by=0)
    assert found["coverage(n_items=10)@1"] == 0.1


def test_a_document_judged_twice_for_a_subtopic():
    lines = [*QRELS.splitlines(), "q 3 d6 1"]
    with pytest.raises(
        ValueError, match="'d6' of query 'q' more than once for subtopic '3'"
    ):
        from_files(lines, RUN, subtopics=True)


def test_without_being_asked_for_a_document_may_stand_once():
    with pytest.raises(ValueError, match=r"d2.*q|q.*d2"):
        from_files(QRELS.splitlines(), RUN)
    with pytest.raises(ValueError, match="`subtopics`"):
        from_files(QRELS.splitlines(), RUN, subtopics="yes")


def test_no_relevant_line():
    rows = from_files(["q 1 d1 0"], RUN[:1], subtopics=True)
    assert rows.y_true.nnz == 0
    assert np.isnan(alpha_ndcg_score(**rows, replace_undefined_by=np.nan))
