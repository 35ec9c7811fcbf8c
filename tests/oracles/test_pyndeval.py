"""The metrics of subtopics of TREC's web track: the program ndeval, and pyndeval."""

from collections import defaultdict

import numpy as np
import pytest

from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import per_query_scores
from tests.oracles.ndeval import ndeval

CUTOFFS = [1, 2, 5, 10, 20]
NAMES = {
    "MAP-IA": "map_ia",
    "NRBP": "nrbp",
    "nNRBP": "nrbp(normalize='collection')",
    **{f"ERR-IA@{k}": f"err_ia@{k}" for k in CUTOFFS},
    **{f"nERR-IA@{k}": f"err_ia(normalize='collection')@{k}" for k in CUTOFFS},
    **{f"alpha-nDCG@{k}": f"alpha_ndcg@{k}" for k in CUTOFFS},
    **{f"P-IA@{k}": f"precision_ia@{k}" for k in CUTOFFS},
    **{f"strec@{k}": f"subtopic_recall@{k}" for k in CUTOFFS},
}
# The ideal list: by name there, and here by look-ahead, or of all orders.
IDEAL = [name for name in NAMES if name.startswith(("alpha", "n"))]
LIBRARIES = {"ndeval": "id_descending", "pyndeval": "id_ascending"}


def make_lines():
    """Return qrels and run: ties, short lists, and much that is not relevant.

    Some documents have no judgment or negative ones, some queries nothing relevant, and
    two stand on one side alone.
    """
    rng = np.random.default_rng(0)
    qrels, run = [], []
    for query in range(300):
        n, n_subtopics = int(rng.integers(3, 25)), int(rng.integers(1, 6))
        share = rng.choice([0.0, 0.15, 0.3, 0.5], p=[0.1, 0.3, 0.3, 0.3])
        relevant = rng.random((n, n_subtopics)) < share
        grades = np.where(relevant, rng.integers(1, 3, relevant.shape), 0)
        grades[~relevant & (rng.random(relevant.shape) < 0.2)] = rng.choice([-1, -2])
        if query != 7:
            qrels += [
                (f"q{query}", str(subtopic + 1), f"d{doc:02d}", int(grades[doc, subtopic]))
                for doc in range(n)
                for subtopic in range(n_subtopics)
            ]
        if query != 8:
            retrieved = rng.permutation(n + 2)[: int(rng.integers(1, n + 1))]
            scores = rng.integers(0, rng.choice([1, 3, 1000]), len(retrieved))
            each = zip(retrieved, scores, strict=True)
            run += [(f"q{query}", f"d{doc:02d}", float(score)) for doc, score in each]
    return qrels, run


LINES = make_lines()


def by_loops(lines, tied):
    """Return the measures of each query that both sides have."""
    judged, scores = defaultdict(dict), defaultdict(dict)
    for query, subtopic, document, grade in lines[0]:
        of = judged[query].setdefault(document, set())
        of |= {subtopic} if grade > 0 else set()
    for query, document, score in lines[1]:
        scores[query][document] = score
    return {
        query: ndeval(
            judged[query], scores[query], CUTOFFS, descending=tied == "id_descending"
        )
        for query in scores
        if query in judged
    }


def by_us(lines, library):
    qrels = [" ".join(map(str, line)) for line in lines[0]]
    run = [f"{query} Q0 {document} 1 {score} me" for query, document, score in lines[1]]
    rows = from_files(qrels, run, subtopics=True, ties=LIBRARIES[library])
    found = per_query_scores(**rows, metrics=[*NAMES.values()], convention=library)
    places = {query: place for place, query in enumerate(found.groups)}
    return {
        query: {name: found.scores[ours][place] for name, ours in NAMES.items()}
        for query, place in places.items()
    }


def package(lines):
    pyndeval = pytest.importorskip("pyndeval")
    qrels = [pyndeval.SubtopicQrel(*line) for line in lines[0]]
    run = [pyndeval.ScoredDoc(*line) for line in lines[1]]
    return pyndeval.ndeval(qrels, run, measures=[*NAMES])


@pytest.fixture(scope="module", params=LIBRARIES)
def both(request):
    """The program by loops and ours, or pyndeval's loops and ours."""
    return by_loops(LINES, LIBRARIES[request.param]), by_us(LINES, request.param)


def columns(name, both):
    theirs, ours = both
    return np.array([(theirs[query][name], ours[query][name]) for query in theirs]).T


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in (*IDEAL, "ERR-IA@1")]
)
def test_all_agree(name, both):
    np.testing.assert_allclose(*columns(name, both), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", IDEAL)
def test_ideal_lists_differ_for_few_queries_and_by_little(name, both):
    theirs, ours = columns(name, both)
    assert (np.isnan(theirs) == np.isnan(ours)).all()
    assert np.isnan(theirs).any() == (name == "nNRBP")
    assert (np.abs(theirs - ours) > 1e-9).mean() <= 0.06
    np.testing.assert_allclose(theirs, ours, atol=0.1)


def test_the_first_rank_is_not_divided(both):
    theirs, ours = columns("ERR-IA@1", both)
    n_subtopics = [
        len({s for q, s, _, grade in LINES[0] if q == query and grade > 0})
        for query in both[0]
    ]
    np.testing.assert_allclose(theirs, ours * n_subtopics, rtol=1e-12)


def test_the_loops_are_those_of_the_package():
    theirs, loops = package(LINES), by_loops(LINES, "ascending")
    assert theirs.keys() == loops.keys()
    for query, measures in theirs.items():
        assert loops[query] == pytest.approx(measures, rel=1e-12, nan_ok=True)


def test_queries_of_one_side_are_left_out_there_and_count_0_here(both):
    theirs, ours = both
    assert {"q7", "q8"} == ours.keys() - theirs.keys()
    for query in ("q7", "q8"):
        assert not np.nan_to_num([*ours[query].values()]).any()


def test_the_order_of_two_tied_documents():
    """Two subtopics, both of them in one document and one in the other."""
    qrels = [("q", "1", "a", 1), ("q", "2", "a", 1), ("q", "1", "b", 0)]
    lines = qrels, [("q", "a", 1.0), ("q", "b", 1.0)]
    for library, value in {"ndeval": 0.4, "pyndeval": 0.8}.items():
        assert by_us(lines, library)["q"]["ERR-IA@2"] == pytest.approx(value)
        loops = by_loops(lines, LIBRARIES[library])
        assert loops["q"]["ERR-IA@2"] == pytest.approx(value)
    assert package(lines)["q"]["ERR-IA@2"] == pytest.approx(0.8)
