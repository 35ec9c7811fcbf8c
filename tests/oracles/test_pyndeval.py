"""pyndeval: the metrics of subtopics of TREC's web track."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_trec
from sklearn_rank.metrics import per_query_scores

pyndeval = pytest.importorskip("pyndeval", reason="needs pyndeval")

CUTOFFS = [1, 5, 10, 20]
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


@pytest.fixture(scope="module")
def lines():
    """Return qrels and run of queries with 3 to 24 documents and 1 to 5 subtopics."""
    rng = np.random.default_rng(0)
    qrels, run = [], []
    for query in range(200):
        n, n_subtopics = int(rng.integers(3, 25)), int(rng.integers(1, 6))
        relevant = rng.random((n, n_subtopics)) < rng.choice([0.15, 0.3, 0.5])
        relevant[0, 0] = True
        qrels += [
            (
                f"q{query}",
                str(subtopic + 1),
                f"d{document:02d}",
                int(relevant[document, subtopic]),
            )
            for document in range(n)
            for subtopic in range(n_subtopics)
        ]
        retrieved = rng.permutation(n)[: int(rng.integers(1, n + 1))]
        run += [
            (f"q{query}", f"d{document:02d}", float(100 - rank))
            for rank, document in enumerate(retrieved)
        ]
    return qrels, run


@pytest.fixture(scope="module")
def theirs(lines):
    qrels = [pyndeval.SubtopicQrel(*line) for line in lines[0]]
    run = [pyndeval.ScoredDoc(*line) for line in lines[1]]
    return pyndeval.ndeval(qrels, run, measures=[*NAMES])


@pytest.fixture(scope="module")
def ours(lines):
    qrels = [" ".join(map(str, line)) for line in lines[0]]
    run = [f"{query} Q0 {document} 1 {score} me" for query, document, score in lines[1]]
    rows = from_trec(qrels, run, subtopics=True)
    return per_query_scores(**rows, metrics=[*NAMES.values()])


def values(name, theirs, ours):
    return np.array([theirs[query][name] for query in ours.groups]), ours.scores[
        NAMES[name]
    ]


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in (*IDEAL, "ERR-IA@1")]
)
def test_all_agree(name, theirs, ours):
    np.testing.assert_allclose(*values(name, theirs, ours), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", IDEAL)
def test_ideal_lists_differ_for_few_queries_and_by_little(name, theirs, ours):
    their, our = values(name, theirs, ours)
    assert (np.abs(their - our) > 1e-9).mean() <= 0.06
    np.testing.assert_allclose(their, our, atol=0.03)


def test_it_does_not_divide_at_rank_1(theirs, ours, lines):
    their, our = values("ERR-IA@1", theirs, ours)
    subtopics = {
        query: len({s for q, s, _, relevance in lines[0] if q == query and relevance})
        for query in ours.groups
    }
    n_subtopics = np.array([subtopics[query] for query in ours.groups])
    np.testing.assert_allclose(their, our * n_subtopics, rtol=1e-12)
