"""One ranking in the forms of other libraries and collections: the same rows from each."""

import io
import json

import numpy as np
import pytest

from sklearn_rank.inputs import from_files, from_item_lists, from_runs, to_trec
from sklearn_rank.rankers import fuse_runs

JUDGED = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}
FOUND = {"q1": {"d2": 0.9, "d1": 0.7}, "q2": {"d4": 0.8, "d3": 0.1}}
QRELS = ["q1 0 d1 2", "q1 0 d2 0", "q2 0 d3 1"]
RUN = ["q1 Q0 d2 1 0.9 me", "q1 Q0 d1 2 0.7 me", "q2 Q0 d4 1 0.8 me", "q2 Q0 d3 2 .1 me"]
HEADER = "query-id\tcorpus-id\tscore"


def beir(values):
    return [
        HEADER,
        *(f"{q}\t{d}\t{v}" for q, some in values.items() for d, v in some.items()),
    ]


class OfRanx:
    """Holds judgments or a run as the classes of ranx do; these stand with the oracles."""

    def __init__(self, values):
        self._values = values

    def to_dict(self):
        return self._values


QRELS_FORMS = {
    "trec": lambda: QRELS,
    "beir": lambda: beir(JUDGED),
    "mapping": lambda: JUDGED,
    "numbers of numpy": lambda: {
        q: {d: np.int32(v) for d, v in some.items()} for q, some in JUDGED.items()
    },
    "ranx": lambda: OfRanx(JUDGED),
}
RUN_FORMS = {
    "trec": lambda: RUN,
    "text after the tag": lambda: [f"{line} of today" for line in RUN],
    "beir": lambda: beir(FOUND),
    "ms marco": lambda: ["q1\td2\t1", "q1\td1\t2", "q2\td4\t1", "q2\td3\t2"],
    "ms marco from 0": lambda: ["q1 d1 1", "q1 d2 0", "q2 d4 0", "q2 d3 7"],
    "ranks below a header": lambda: [
        "qid pid rank",
        "q1 d2 1",
        "q1 d1 2",
        "q2 d4 1",
        "q2 d3 2",
    ],
    "mapping": lambda: FOUND,
    "ranx": lambda: OfRanx(FOUND),
}


def as_ranked(rows):
    """Return rows with ranks in place of scores; no score of these ties."""
    rows = as_lists(rows)
    rank = {(q, -s): 0 for q, s in zip(rows["groups"], rows["y_score"], strict=True)}
    for n, key in enumerate(sorted(rank)):
        rank[key] = n
    rows["y_score"] = [
        rank[q, -s] for q, s in zip(rows["groups"], rows["y_score"], strict=True)
    ]
    return rows


def as_lists(rows):
    return {name: np.asarray(values).tolist() for name, values in rows.items()}


@pytest.mark.parametrize("run", list(RUN_FORMS))
@pytest.mark.parametrize("qrels", list(QRELS_FORMS))
def test_all_forms_are_one_ranking(qrels, run):
    expected = as_ranked(from_files(QRELS, RUN, return_items=True))
    judged, found = QRELS_FORMS[qrels](), RUN_FORMS[run]()
    assert as_ranked(from_files(judged, found, return_items=True)) == expected


@pytest.mark.parametrize("form", ["beir", "ms marco"])
def test_files_of_three_fields(tmp_path, form):
    path = tmp_path / "run.tsv"
    path.write_text("\n".join(RUN_FORMS[form]()) + "\n")
    assert as_lists(from_files(QRELS, path)) == as_lists(from_files(QRELS, RUN))


TIED = ["q Q0 d1 1 0.5", "q Q0 d2 1 0.5", "q Q0 d3 1 0.9"]


@pytest.mark.parametrize(
    ("ties", "scores"),
    [
        ("id_descending", {"d3": -1, "d2": -2, "d1": -3, "d4": -np.inf}),
        ("id_ascending", {"d3": -1, "d1": -2, "d2": -3, "d4": -np.inf}),
        ("average", {"d3": 0.9, "d2": 0.5, "d1": 0.5, "d4": -np.inf}),
    ],
)
def test_ties(ties, scores):
    rows = from_files({"q": {"d1": 1, "d4": 1}}, TIED, ties=ties, return_items=True)
    assert dict(zip(rows["items"].tolist(), rows.y_score.tolist(), strict=True)) == scores


HITS = [
    [{"corpus_id": 5, "score": 0.9}, {"corpus_id": 3, "score": 0.7, "text": "three"}],
    [{"corpus_id": 8, "score": 0.8}],
]


@pytest.mark.parametrize("name", ["corpus_id", "id"])
def test_hits_of_other_libraries(name):
    pairs = [[(5, 0.9), (3, 0.7)], [(8, 0.8)]]
    hits = [[{name: i, "score": score, "text": "three"} for i, score in of] for of in pairs]
    assert as_lists(from_item_lists([{3}, {7}], hits)) == as_lists(
        from_item_lists([{3}, {7}], pairs)
    )
    by_query = dict(zip("ab", hits, strict=True))
    runs = [by_query, dict(zip("ab", pairs, strict=True))]
    assert fuse_runs(runs) == fuse_runs(runs[1:] * 2)
    rows = from_item_lists({"a": 3, "b": {7}}, by_query, return_items=True)
    assert rows["items"].tolist() == [5, 3, 8, 7]
    file = io.StringIO()
    to_trec(by_query, file)
    assert file.getvalue().splitlines()[0] == "a Q0 5 1 0.9 sklearn_rank"


def test_records_in_memory():
    truth = [{"query": q, "relevant": list(items)} for q, items in JUDGED.items()]
    lists = [
        {"query": q, "retrieved": [{"id": i, "score": s} for i, s in items.items()]}
        for q, items in FOUND.items()
    ]
    lines = [json.dumps(record) for record in lists]
    assert as_lists(from_files(truth, lists)) == as_lists(from_files(truth, lines))


def test_a_query_without_hits():
    rows = from_item_lists([{3}, {7}], [HITS[0], []])
    assert rows.groups.tolist() == [0, 0, 1]


def test_qrels_and_run_of_ranx_in_memory():
    judged, found = OfRanx(JUDGED), OfRanx(FOUND)
    assert as_lists(from_item_lists(judged, found)) == as_lists(
        from_item_lists(JUDGED, FOUND)
    )
    rows = from_runs(judged, {"one": found, "two": FOUND})
    assert rows.X[:, 0].tolist() == rows.X[:, 1].tolist()
    file = io.StringIO()
    to_trec(found, file, tag="me")
    assert as_lists(from_files(judged, file.getvalue().splitlines())) == as_lists(
        from_files(QRELS, RUN)
    )


WRONG = [
    ({"q": [["d1"]]}, RUN, ValueError, "a list in a list in q; write one list of ids"),
    ({"q": {0.5: 1}}, RUN, ValueError, r"has 0.5 \(float\) in q, where an id is needed"),
    ({"q": {"d": -0.5}}, RUN, ValueError, "the grade -0.5 in q; grades are numbers from 0"),
    ({"q": {"d": np.nan}}, RUN, ValueError, "the grade NaN in q"),
    (
        QRELS,
        {"q1": {"d": np.inf}},
        ValueError,
        "the score Infinity in q1; a number is need",
    ),
    (["q1 d1 x"], RUN, ValueError, "`truth` has no row below line 1"),
    ([HEADER, "q1 d1 x"], RUN, ValueError, "line 2: the grade must be a whole number"),
    (
        QRELS,
        ["q1 d1 7", "q1 d2 12"],
        ValueError,
        "not a rank: query 'q1' has no rank 1. Scor",
    ),
    (QRELS, ["q1 d1 1", "q1 d2 1"], ValueError, "not a rank: query 'q1' has rank 1 twice"),
    (QRELS, ["q1 d1 0.5"], ValueError, "line 1: the rank must be a whole number, got '0.5"),
    (QRELS, [HEADER, "q1 d1 nan"], ValueError, "line 2: the score must be a finite"),
    (QRELS, ["q1 d1 1", RUN[0]], ValueError, "line 2: 6 field.* instead of 3"),
]


@pytest.mark.parametrize(("qrels", "run", "error", "message"), WRONG)
def test_what_is_no_ranking(qrels, run, error, message):
    with pytest.raises(error, match=message):
        from_files(qrels, run)


def test_mappings_have_no_subtopics():
    with pytest.raises(ValueError, match="`truth` has no subtopics; give lines of T"):
        from_files(JUDGED, RUN, subtopics=True)


@pytest.mark.parametrize(
    ("hits", "message"),
    [
        (HITS[0], "`y_pred` has the hits of one query; pass a list of such lists"),
        ([[{"corpus_id": 1}], []], "the hit {'corpus_id': 1}; write {'corpus_id': id, "),
        ([[{"corpus_id": 1, "score": 0.5}, (2, 0.4)], []], r"the hit \(2, 0.4\); write"),
    ],
)
def test_hits_that_are_none(hits, message):
    with pytest.raises(TypeError, match=message):
        from_item_lists([{3}, {7}], hits)


def test_documents_judged_below_0_were_pooled():
    rows = from_files({"q": {"d": -1, "e": 1}}, {"q": {"d": 1.0}})
    assert np.isnan(rows.y_true[0])


def test_a_query_of_a_mapping_without_documents_stays():
    rows = from_files({"q": {"d": 1}, "r": {"d": 1}}, {"q": {"d": 1.0}, "r": {}})
    assert rows.groups.tolist() == ["q", "r"]
