"""fuse_runs: the lists of RankFusion, from runs in dictionaries."""

import re
import warnings

import numpy as np
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_runs
from sklearn_rank.rankers import RankFusion, fuse_runs

WORDS = {"q1": {"d1": 9.0, "d2": 4.0}, "q2": {"d9": 1.0}}
VECTORS = {"q1": [("d2", 0.8), ("d3", 0.5)]}


def test_reciprocal_ranks_by_hand():
    expected = {
        "q1": {"d2": 1 / 61 + 1 / 62, "d1": 1 / 61, "d3": 1 / 62},
        "q2": {"d9": 1 / 61},
    }
    by_name = fuse_runs({"words": WORDS, "vectors": VECTORS})
    for fused in (fuse_runs([WORDS, VECTORS]), by_name):
        assert list(fused) == ["q1", "q2"]
        for query, items in expected.items():
            assert list(fused[query]) == list(items)  # best first
            assert fused[query] == pytest.approx(items, abs=1e-12)
    assert isinstance(fused["q1"]["d2"], float)


def test_equal_scores_keep_the_order_of_the_runs():
    assert list(fuse_runs([{1: [7, 8]}, {1: [8, 7, 9]}])[1]) == [7, 8, 9]
    assert list(fuse_runs([{1: [8, 7]}, {1: [7, 8, 9]}])[1]) == [8, 7, 9]


@pytest.mark.parametrize(
    "options",
    [
        {"method": "comb_sum", "weights": [2, 1], "normalization": "l2"},
        {"method": "comb_anz", "unretrieved": "zero", "normalization": None},
        {"method": "dbsf"},
        {"rrf_k": 3, "weights": [3, 1], "convention": "qdrant"},
    ],
)
def test_the_scores_are_those_of_the_estimator(options):
    rng = np.random.default_rng(0)
    runs = [
        {query: dict(enumerate(rng.random(8).tolist(), first)) for query in "abc"}
        for first in (0, 4)
    ]
    rows = from_runs({}, runs, return_items=True)
    fusion = RankFusion(**options).fit(rows.X, groups=rows.groups)
    scores = fusion.predict(rows.X, groups=rows.groups)
    fused = fuse_runs(runs, **options)
    for query, item, score in zip(rows.groups, rows["items"], scores, strict=True):
        assert fused[query][item] == score
    assert sum(map(len, fused.values())) == len(scores)
    for items in fused.values():
        assert list(items.values()) == sorted(items.values(), reverse=True)


def test_files_are_runs(tmp_path):
    path = tmp_path / "words.run"
    path.write_text("q1 Q0 d1 1 9 x\nq1 Q0 d2 2 4 x\nq2 Q0 d9 1 1 x\n")
    assert fuse_runs([path, VECTORS]) == fuse_runs([WORDS, VECTORS])


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ([WORDS, VECTORS], {"weights": "learned"}, "there are no judgments to learn from"),
        ([WORDS, VECTORS], {"weights": [1]}, "one for each of 2 runs"),
        ([WORDS, VECTORS], {"method": "rff"}, "`method` got 'rff'"),
        ([], {}, "`runs` is empty"),
        (WORDS, {}, "`runs` is a single run"),
        ([WORDS, {"q1": []}], {}, "run 1 has no item of any query"),
        ([WORDS, VECTORS], {"k": 60}, "has no parameter 'k'. Write rrf_k=."),
    ],
)
def test_bad_input(runs, options, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        fuse_runs(runs, **options)


def test_the_estimator_names_it():
    with pytest.raises(AttributeError, match=r"Write fuse_runs\(runs\), of sklearn_rank"):
        RankFusion().fuse  # noqa: B018


def test_weights_by_name_are_refused():
    runs = {"words": WORDS, "vectors": VECTORS}
    with pytest.raises(TypeError, match="`weights` must be numbers in the order of `runs`"):
        fuse_runs(runs, weights={"words": 3, "vectors": 1})


def two_runs(n_queries=20):
    """Return distances and scores of ten items each, nearest and best first.

    Both retrieve the two nearest of all.
    """
    ids = [[0, 1, *range(first, first + 8)] for first in (10, 20)]
    near = {query: {i: 0.1 * n for n, i in enumerate(ids[0])} for query in range(n_queries)}
    high = {query: {i: 9.0 - n for n, i in enumerate(ids[1])} for query in range(n_queries)}
    return near, high


@pytest.mark.parametrize("turn", [1, -1])
def test_distances_as_scores(turn):
    runs = two_runs()[::turn]
    with pytest.warns(MisleadingScoreWarning, match=r"20 lists of `runs\[[01]\]` rise"):
        fuse_runs(runs)
    with pytest.warns(MisleadingScoreWarning, match="lists of `near` rise in score"):
        fuse_runs(dict(zip(["near", "high"][::turn], runs, strict=True)))


def test_scores_in_any_order_are_no_distances():
    near, high = two_runs()
    up = {query: dict(reversed(of.items())) for query, of in high.items()}  # worst first
    negative = {query: {i: -d for i, d in of.items()} for query, of in near.items()}
    mixed = {query: dict(sorted(of.items())) for query, of in up.items()}
    lists = {query: list(of) for query, of in near.items()}
    rest = {query: {i: s for i, s in of.items() if i > 1} for query, of in high.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for run in (up, negative, mixed, lists):
            fuse_runs([run, high])
            fuse_runs([high, run])
        fuse_runs([near, rest])  # nothing is in both
        fuse_runs([two_runs(4)[0], two_runs(4)[1]])  # too few to tell
