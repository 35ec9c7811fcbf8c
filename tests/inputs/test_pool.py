"""Pools of several runs."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_item_lists, make_pool
from sklearn_rank.metrics import judged_at_k_score
from sklearn_rank.recommenders import PopularityRecommender

RUNS = {
    "bm25": {"jaguar": ["d1", "d2", "d3"], "puma": ["d7"]},
    "dense": {"jaguar": ["d2", "d4", "d1"], "lynx": ["d5", "d6"]},
}


def rows_of(pool):
    values = (pool[name].tolist() for name in ("groups", "items", "rank", "n_runs"))
    return list(zip(*values, strict=True))


def test_pool_by_hand():
    assert rows_of(make_pool(RUNS, depth=2)) == [
        ("jaguar", "d2", 1, 2),
        ("jaguar", "d1", 1, 1),
        ("jaguar", "d4", 2, 1),
        ("puma", "d7", 1, 1),
        ("lynx", "d5", 1, 1),
        ("lynx", "d6", 2, 1),
    ]
    assert rows_of(make_pool(RUNS, depth=1)) == [
        ("jaguar", "d1", 1, 1),
        ("jaguar", "d2", 1, 1),
        ("puma", "d7", 1, 1),
        ("lynx", "d5", 1, 1),
    ]


def test_what_is_judged_is_left_out():
    judged = {"jaguar": {"d1": 2, "d9": 0}, "lynx": {"d5", "d6"}, "cat": ["d1"]}
    pool = make_pool(RUNS, depth=2, judged=judged)
    assert pool["items"].tolist() == ["d2", "d4", "d7"]
    everything = {"jaguar": ["d1", "d2"], "puma": ["d7"], "lynx": np.array(["d5"])}
    empty = make_pool(RUNS, depth=1, judged=everything)
    assert rows_of(empty) == []


def test_a_judged_pool_leaves_nothing_unjudged():
    pool = make_pool(RUNS, depth=2)
    judged = {query: {} for query in pool.groups.tolist()}
    for query, item in zip(pool.groups.tolist(), pool["items"].tolist(), strict=True):
        judged[query][item] = 1
    for run in RUNS.values():
        shown = {query: items[:2] for query, items in run.items()}
        rows = from_item_lists({query: judged[query] for query in shown}, shown)
        assert judged_at_k_score(**rows, k=2) >= np.mean(
            [len(i) / 2 for i in shown.values()]
        )


def test_lists_of_recommenders():
    log = np.random.default_rng(0).integers(0, 20, (300, 2))
    users = np.unique(log[:, 0])
    whole, half = PopularityRecommender().fit(log), PopularityRecommender().fit(log[:150])
    runs = {"whole": whole.recommend(users, 5), "half": half.recommend(users, 5)}
    pool = make_pool(runs, depth=3)
    for user, lists in enumerate(zip(*runs.values(), strict=True)):
        expected = {item for items in lists for item in np.asarray(items)[:3].tolist()}
        assert set(pool["items"][pool.groups == user].tolist()) == expected


def test_the_end_of_a_list_may_be_empty():
    pool = make_pool({"run": [[1, 2, None], [None], []]})
    assert rows_of(pool) == [(0, 1, 1, 1), (0, 2, 2, 1)]


@pytest.mark.parametrize(
    ("runs", "given", "error", "text"),
    [
        ({}, {}, ValueError, "no run"),
        ([["d1"]], {}, TypeError, "mapping from the name"),
        ({"run": {"q": ["d", "d"]}}, {}, ValueError, "has item 'd' twice for query"),
        ({"run": {"q": [None, "d"]}}, {}, ValueError, "missing id before an item"),
        ({"one": [["d"]], "two": [["d"], ["e"]]}, {}, ValueError, "matched by position"),
        ({"one": [["d"]], "two": {"q": ["d"]}}, {}, TypeError, "both be mappings"),
        ({"one": {"q": {"d"}}}, {}, TypeError, "order"),
        ({"one": {"q": ["d"]}}, {"depth": 0}, ValueError, "depth"),
        ({"one": {"q": ["d"]}}, {"judged": [["d"]]}, TypeError, "`judged` must both"),
        ({"one": {"q": ["d"]}}, {"judged": {5: ["d"]}}, TypeError, "cannot be compared"),
    ],
)
def test_refuses(runs, given, error, text):
    with pytest.raises(error, match=text):
        make_pool(runs, **given)
