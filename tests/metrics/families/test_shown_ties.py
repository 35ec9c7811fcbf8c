"""Metrics of shown items under ties: the mean over all orders of tied rows."""

from itertools import combinations, pairwise, permutations
from math import log2

import numpy as np
import pytest

from sklearn_rank.metrics import Catalogue, per_query_scores

ITEMS = "abcdefg"
HISTORY = {"u0": list("abc"), "u1": list("abd"), "u2": list("ac"), "u3": list("ae")}
HISTORY |= {"u4": list("bg")}
FEATURES = {
    "a": [1, 0, 0],
    "b": [2, 1, 0],
    "c": [0, 1, 0],
    "d": [0, 1, 1],
    "e": [0, 0, 1],
    "f": [1, 0, 3],
    "g": [0, 0, 0],
}
CATEGORIES = {"a": "X", "b": ["X", "Y"], "c": "Y", "d": ["Y", "Z"], "e": "Z", "f": []}
EXPECTED = {f"u{user}": list("bdf") for user in range(5)}
CATALOGUE = Catalogue(
    items=list(ITEMS),
    history=HISTORY,
    features=FEATURES,
    categories=CATEGORIES,
    reference=EXPECTED,
)
USERS = {item: sum(item in had for had in HISTORY.values()) for item in ITEMS}
PRICE = dict(zip(ITEMS, [3.0, -1.0, 4.0, 1.5, 5.0, 9.0, 2.0], strict=True))
RELEVANT = set("bdef")
# The head has 9.6 of 12 interactions: a, b, c, and one of d, e and g.
OUTSIDE = {**dict.fromkeys("abc", 0), **dict.fromkeys("deg", 2 / 3), "f": 1}
# Scores with ties of all kinds, below and across each cutoff; -inf was not shown.
SCORES = [
    dict(zip(ITEMS, scores, strict=True))
    for scores in (
        [2, 1, 1, 1, 0, 0, 0],
        [3, 3, 2, 2, 2, 2, 1],
        [0] * 6 + [-np.inf],
        range(7),
        [0, -np.inf, 2, 1, 0, -np.inf, 0],
    )
]


def orders(scores):
    """Return all lists that the scores allow, without what was not retrieved."""
    return [
        order
        for order in permutations(item for item, s in scores.items() if s > -np.inf)
        if all(scores[one] >= scores[other] for one, other in pairwise(order))
    ]


def cosine(one, other):
    x, y = np.array(FEATURES[one]), np.array(FEATURES[other])
    norm = np.sqrt(x @ x) * np.sqrt(y @ y)
    return 1 - (x @ y / norm if norm else 0)


def together(one, other):
    sets = [{u for u, had in HISTORY.items() if item in had} for item in (one, other)]
    size = np.sqrt(len(sets[0]) * len(sets[1]))
    return 1 - (len(sets[0] & sets[1]) / size if size else 0)


def hamming(one, other):
    return sum(x != y for x, y in zip(FEATURES[one], FEATURES[other], strict=True))


def jaccard(one, other):
    sets = [{f for f, x in enumerate(FEATURES[item]) if x} for item in (one, other)]
    union = sets[0] | sets[1]
    return 1 - (len(sets[0] & sets[1]) / len(union) if union else 0)


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else np.nan


def of_pairs(distance):
    return lambda shown, user: mean(distance(i, j) for i, j in combinations(shown, 2))


def bits(item):
    return -log2(max(USERS[item], 1) / len(HISTORY))


def surprise(shown, user):
    counts = sorted({count for count in USERS.values() if count}, reverse=True)
    dense = {count: 1 + place for place, count in enumerate(counts)}
    ranks = [dense.get(USERS[item], 8) for item in shown]
    return mean(
        max(0, rank - place) / 7 * (item in RELEVANT)
        for place, (rank, item) in enumerate(zip(ranks, shown, strict=True), start=1)
    )


def far_from_history(distance):
    def of_list(shown, user):
        return mean(
            (item in RELEVANT) * mean(distance(item, had) for had in HISTORY[user])
            for item in shown
        )

    return of_list


def discounted(shown, user):
    weights = [1 / log2(rank + 1) for rank in range(1, len(shown) + 1)]
    total = sum(
        weight * (1 - USERS[item] / len(HISTORY)) * (item in RELEVANT)
        for weight, item in zip(weights, shown, strict=True)
    )
    return total / sum(weights)


def categories_of(item):
    found = CATEGORIES.get(item, [])
    return {found} if isinstance(found, str) else set(found)


BY_LIST = {
    "mean_value": lambda shown, user: mean(PRICE[item] for item in shown),
    "novelty": lambda shown, user: mean(bits(item) for item in shown),
    "novelty(unknown='skip')": lambda shown, user: mean(
        bits(item) for item in shown if USERS[item]
    ),
    "popularity": lambda shown, user: mean(USERS[item] for item in shown),
    "long_tail": lambda shown, user: mean(OUTSIDE[item] for item in shown),
    "novel_share": lambda shown, user: mean(item not in HISTORY[user] for item in shown),
    "unexpectedness": lambda shown, user: mean(item not in "bdf" for item in shown),
    "serendipity": surprise,
    "serendipity(unexpected='history')": far_from_history(together),
    "serendipity(unexpected='history', similarity='cosine')": far_from_history(cosine),
    "epc": discounted,
    "intra_list_distance": of_pairs(cosine),
    "intra_list_distance(distance='co_occurrence')": of_pairs(together),
    "intra_list_distance(distance='hamming')": of_pairs(hamming),
    "intra_list_distance(distance='jaccard')": of_pairs(jaccard),
    "category_coverage": lambda shown, user: (
        len(set().union(*map(categories_of, shown))) / 3
    ),
}


def rows(ties="average"):
    flat = [
        (item in RELEVANT, score, f"u{user}", item, PRICE[item])
        for user, scores in enumerate(SCORES)
        for item, score in scores.items()
    ]
    names = ["y_true", "y_score", "groups", "items", "values"]
    return dict(zip(names, map(list, zip(*flat, strict=True)), strict=True))


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6, None])
@pytest.mark.parametrize("name", BY_LIST)
def test_values_are_means_over_all_orders(name, k):
    """Orders for which the value is undefined do not count."""
    asked = name if k is None else f"{name}@{k}"
    if k is None and "(" in name:
        asked = name[:-1] + ",k=None)"
    elif k is None:
        asked = f"{name}(k=None)"
    found = per_query_scores(**rows(), metrics=asked, catalogue=CATALOGUE)
    values = next(iter(found.scores.values()))
    for user, scores in enumerate(SCORES):
        of_orders = [BY_LIST[name](order[:k], f"u{user}") for order in orders(scores)]
        defined = [value for value in of_orders if value == value]
        expected = mean(defined)
        assert values[user] == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("name", BY_LIST)
def test_rows_as_given_are_one_order(name):
    found = per_query_scores(
        **rows(), metrics=f"{name}@3", catalogue=CATALOGUE, ties="first"
    )
    values = next(iter(found.scores.values()))
    for user, scores in enumerate(SCORES):
        retrieved = [item for item, score in scores.items() if score > -np.inf]
        shown = sorted(retrieved, key=lambda item: -scores[item])[:3]
        expected = BY_LIST[name](shown, f"u{user}")
        assert values[user] == pytest.approx(expected, rel=1e-12, abs=1e-14)


def shares(weights):
    total = np.zeros(3)
    for item, weight in weights.items():
        for category in (of_item := categories_of(item)):
            total["XYZ".index(category)] += weight / len(of_item)
    with np.errstate(invalid="ignore"):
        return total / total.sum()  # NaN without any category


def entropy(p):
    return -sum(x * log2(x) for x in p if x)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_entropy_and_calibration_are_those_of_the_expected_shares(k):
    names = [f"category_entropy@{k}", f"category_entropy(rank_weight=0.5)@{k}"]
    names += [f"calibration@{k}", f"calibration(divergence='hellinger')@{k}"]
    found = per_query_scores(**rows(), metrics=names, catalogue=CATALOGUE).scores
    for user, scores in enumerate(SCORES):
        possible = orders(scores)
        ranks = {i: np.array([o.index(i) for o in possible]) for i in possible[0]}
        chance = {
            item: (found_at[:, np.newaxis] == np.arange(k)).mean(axis=0)
            for item, found_at in ranks.items()
        }
        q = shares({item: each.sum() for item, each in chance.items()})
        by_rank = shares({i: each @ 0.5 ** np.arange(k) for i, each in chance.items()})
        p = shares(dict.fromkeys(HISTORY[f"u{user}"], 1))
        mixed = 0.99 * q + 0.01 * p
        apart = sum(x * np.log(x / y) for x, y in zip(p, mixed, strict=True) if x)
        hellinger = np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2)
        expected = [entropy(q), entropy(by_rank), apart, hellinger]
        values = [found[name][user] for name in names]
        assert values == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_ties_by_hand():
    """Two ranks: a, then b = c = d; b = c, d, e; and all four alike."""
    scores = {
        "u1": {"a": 2, "b": 1, "c": 1, "d": 1},
        "u2": {"b": 3, "c": 3, "d": 2, "e": 1},
        "u3": dict.fromkeys("abcd", 0),
    }
    flat = [(0, s, user, item) for user, all_ in scores.items() for item, s in all_.items()]
    names = ["y_true", "y_score", "groups", "items"]
    some = dict(zip(names, map(list, zip(*flat, strict=True)), strict=True))
    catalogue = Catalogue(
        popularity={"a": 4, "b": 2, "c": 2, "d": 1, "e": 1, "f": 0},
        n_users=4,
        distance=lambda i, j: abs(ord(i) - ord(j)),
    )
    found = per_query_scores(**some, metrics=["novelty@2", "ild@2"], catalogue=catalogue)
    assert found.scores["novelty@2"] == pytest.approx([2 / 3, 1, 1], rel=1e-14)
    assert found.scores["ild@2"] == pytest.approx([2, 1, 5 / 3], rel=1e-14)


def test_many_tied_rows_take_a_sum_and_no_pairs():
    """Of 30,000 tied items there are 450 million pairs."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(30_000, 3))
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    total = unit.sum(axis=0)
    expected = 1 - (total @ total - 30_000) / (30_000 * 29_999)
    found = per_query_scores(
        np.zeros((1, 30_000)),
        np.zeros((1, 30_000)),
        metrics="ild@10",
        catalogue=Catalogue(features=features),
    )
    assert found.scores["ild@10"] == pytest.approx([expected], rel=1e-10)


def test_pairs_in_small_blocks_are_the_same(monkeypatch):
    names = ["ild(distance='hamming')@3", "ild@4", "category_coverage@3", "calibration@3"]
    names += ["serendipity(unexpected='history')@3"]
    whole = per_query_scores(**rows(), metrics=names, catalogue=CATALOGUE)
    families = "sklearn_rank.metrics._families"
    monkeypatch.setattr(f"{families}._shown_items.LIST_CELLS", 4)
    monkeypatch.setattr(f"{families}._shown_items.SCORE_BYTES", 64)
    monkeypatch.setattr(f"{families}._categories.LIST_CELLS", 4)
    small = per_query_scores(**rows(), metrics=names, catalogue=CATALOGUE)
    for name, values in whole.scores.items():
        np.testing.assert_allclose(small.scores[name], values, rtol=1e-14)
