"""Pools of several runs."""

from itertools import pairwise

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
        ({}, {}, ValueError, "`runs` is empty"),
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


# ---- a budget --------------------------------------------------------------------------

PAGE = {
    "bm25": {"jaguar": ["d1", "d2", "d3"], "puma": ["d7", "d8"]},
    "dense": {"jaguar": ["d2", "d4", "d1"], "puma": ["d8", "d9"]},
}
SIZES = {
    **{"d1": 0.25, "d2": 0.184535, "d4": 0.315465, "d3": 0.25},
    **{"d8": 0.184535, "d7": 0.5, "d9": 0.315465},
}


def drawn(runs=PAGE, depth=3, random_state=0, **given):
    pool = make_pool(runs, depth=depth, random_state=random_state, **given)
    return dict(zip(pool["items"].tolist(), pool.probability.tolist(), strict=True))


def test_a_printed_draw():
    expected = {"d4": 0.687566, "d7": 1, "d9": 0.687566}
    assert drawn(budget=3) == pytest.approx(expected, abs=5e-7)
    expected = {"d4": 0.692526, "d3": 0.548814, "d7": 1, "d9": 0.692526}
    assert drawn(budget=4) == pytest.approx(expected, abs=5e-7)
    assert list(drawn(budget=7)) == [*SIZES]
    assert set(drawn(budget=7).values()) == set(drawn(budget=99).values()) == {1}
    assert "probability" not in make_pool(PAGE)


def test_the_draw_is_that_of_priority_sampling():
    """By loops: the smallest numbers over sizes, and the next one as the threshold."""
    u = np.random.RandomState(5).uniform(size=7)
    ratios = [number / size for number, size in zip(u, SIZES.values(), strict=True)]
    threshold = sorted(ratios)[4]
    expected = {
        item: min(1, size * threshold)
        for (item, size), ratio in zip(SIZES.items(), ratios, strict=True)
        if ratio < threshold
    }
    assert drawn(budget=4, random_state=5) == pytest.approx(expected, rel=1e-5)


def test_a_larger_budget_adds_items():
    draws = [set(drawn(budget=n, random_state=3)) for n in range(1, 8)]
    assert [len(one) for one in draws] == [*range(1, 8)]
    assert all(one < other for one, other in pairwise(draws))


@pytest.mark.parametrize(
    ("metric", "weights"),
    [("precision", [1, 1, 1]), ("rbp", [1, 0.8, 0.64]), ("dcg", [1, 0.63093, 0.5])],
)
def test_sizes_of_metrics(metric, weights):
    """Of a single item the probability shows the ratio of sizes."""
    runs = {"a": {"q": ["x", "y", "z"]}, "b": {"q": ["y", "x"]}, "c": {"q": ["x"]}}
    first, second, third = weights
    table = {"x": [first, second, first], "y": [second, first, 0], "z": [third, 0, 0]}
    sizes = {item: max(np.std(w), 0.1 * np.mean(w)) for item, w in table.items()}
    u = np.random.RandomState(0).uniform(size=3)
    ratios = [number / size for number, size in zip(u, sizes.values(), strict=True)]
    item = [*table][int(np.argmin(ratios))]
    expected = {item: min(1, sizes[item] * sorted(ratios)[1])}
    assert drawn(runs, budget=1, metric=metric) == pytest.approx(expected, rel=1e-4)


def test_one_run_is_drawn_by_its_weights():
    runs = {"a": {"q": ["x", "y", "z"]}}
    found = [drawn(runs, budget=1, random_state=seed) for seed in range(400)]
    share = np.mean([list(one) == ["x"] for one in found])
    assert share > np.mean([list(one) == ["z"] for one in found]) + 0.1


def test_drawn_items_over_their_probabilities_have_the_true_sum():
    values = dict(zip(SIZES, [3, 0, 1, 2, 0, 1, 3], strict=True))
    sums = [
        sum(
            values[item] / chance
            for item, chance in drawn(budget=3, random_state=n).items()
        )
        for n in range(2000)
    ]
    error = np.std(sums) / np.sqrt(len(sums))
    assert np.mean(sums) == pytest.approx(sum(values.values()), abs=4 * error)


def test_what_is_judged_leaves_before_the_draw():
    found = drawn(budget=2, judged={"jaguar": {"d4": 1, "d3": 0}, "puma": ["d7"]})
    assert len(found) == 2
    assert not {"d4", "d3", "d7"} & set(found)
    assert (
        drawn(
            budget=2,
            judged={"jaguar": ["d1", "d2", "d3", "d4"], "puma": ["d7", "d8", "d9"]},
        )
        == {}
    )


def test_uncertain_items_are_drawn_more():
    alike = {
        "jaguar": dict.fromkeys(["d1", "d2", "d3", "d4"], 2),
        "puma": dict.fromkeys(["d7", "d8", "d9"], 2),
    }
    assert drawn(budget=3, uncertainty=alike) == pytest.approx(drawn(budget=3))
    less = {query: dict.fromkeys(items, 0.001) for query, items in alike.items()}
    less["puma"]["d8"] = 9
    assert drawn(budget=1, uncertainty=less) == {"d8": 1}
    runs = {name: list(run.values()) for name, run in PAGE.items()}
    found = drawn(runs, budget=1, uncertainty=list(less.values()))
    assert found == {"d8": 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": 0}, "`budget` must be an integer >= 1"),
        ({"budget": 2, "metric": "ndcg"}, "`metric`"),
        (
            {"budget": 2, "uncertainty": {"jaguar": {"d1": 1}}},
            "item 'd2' of query 'jaguar'",
        ),
        (
            {"budget": 2, "uncertainty": {"jaguar": {"d1": 0}}},
            "item 'd1' .* is 0, or missing",
        ),
        ({"budget": 2, "uncertainty": {"jaguar": ["d1"]}}, "item 'd1' of query 'jaguar'"),
        ({"budget": 2, "uncertainty": {"jaguar": {"d1": -1}}}, "finite numbers >= 0"),
        ({"uncertainty": {"jaguar": {"d1": 1}}}, "is for a draw; give `budget` too"),
    ],
)
def test_draws_that_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        make_pool(PAGE, depth=3, **given)
