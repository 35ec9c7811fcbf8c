"""Orders of candidates, compared with their definitions as plain loops."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.recommenders._reranking_recommender import (
    AspectCoverage,
    CalibrationGain,
    CategoryEntries,
    MarginalRelevance,
    cosine_distance_to_all,
    distance_to_all,
    order_greedily,
    scale_relevance,
    unit_vectors,
)

N_USERS, N_CANDIDATES, N_ITEMS, K = 30, 12, 40, 6


def make_lists(seed):
    """Return items, descending scores, shares of items and of users, and distances."""
    rng = np.random.default_rng(seed)
    items = np.array([rng.permutation(N_ITEMS)[:N_CANDIDATES] for _ in range(N_USERS)])
    scores = -np.sort(-rng.normal(size=items.shape), axis=1)
    scores[3, 9:], items[3, 9:] = -np.inf, -1
    has = rng.random((N_ITEMS, 5)) < 0.4
    has[0] = False  # an item without categories
    shares = has / np.maximum(has.sum(axis=1, keepdims=True), 1)
    shares = np.vstack([shares, np.zeros(5)])
    wanted = rng.dirichlet(np.full(5, 0.5), N_USERS)
    wanted[4] = [1, 0, 0, 0, 0]
    distances = rng.random((N_ITEMS, N_ITEMS))
    return items, scores, shares, wanted, distances


def in_turn(items, scores, worth, strength):
    """Return the places of K candidates by the definition."""
    finite = [score for score in scores if score > -np.inf]
    low, high = min(finite), max(finite)
    taken = []
    for _ in range(K):
        gains = {}
        for place, score in enumerate(scores):
            if place in taken or score == -np.inf:
                continue
            chosen = [items[one] for one in taken]
            relevant = (score - low) / (high - low)
            gains[place] = (1 - strength) * relevant + strength * worth(
                items[place], chosen
            )
        best = max(gains.values())
        taken.append(next(place for place, gain in gains.items() if gain == best))
    return taken


def farthest(distance):
    return lambda item, chosen: min((distance(item, one) for one in chosen), default=0.0)


def cosine(shares):
    def distance(one, other):
        lengths = np.linalg.norm(shares[one]) * np.linalg.norm(shares[other])
        return 1 - shares[one] @ shares[other] / lengths if lengths else 1.0

    return distance


def aspects(shares, wanted):
    def worth(item, chosen):
        total = 0.0
        for category, share in enumerate(wanted / wanted.max()):
            left = np.prod([1 - shares[one][category] for one in chosen])
            total += share * shares[item][category] * left
        return total

    return worth


def calibrated(shares, wanted):
    def worth(item, chosen):
        total = sum((shares[one] for one in [*chosen, item]), np.zeros(len(wanted)))
        shown = total / total.sum() if total.sum() else total
        mixed = 0.99 * shown + 0.01 * wanted
        pairs = zip(wanted, mixed, strict=True)
        return round(-sum(p * np.log(p / q) for p, q in pairs if p > 0), 12)

    return worth


@pytest.mark.parametrize("strength", [0.1, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("method", ["matrix", "cosine", "aspects", "calibrated"])
def test_every_order_is_that_of_its_definition(method, strength):
    items, scores, shares, wanted, distances = make_lists(0)
    table = sparse.csr_array(shares)
    worth, definition = {
        "matrix": (
            MarginalRelevance(
                items, distance_to_all(lambda one, other: distances[one, other], items)
            ),
            lambda user: farthest(lambda one, other: distances[one, other]),
        ),
        "cosine": (
            MarginalRelevance(items, cosine_distance_to_all(unit_vectors(table), items)),
            lambda user: farthest(cosine(shares)),
        ),
        "aspects": (
            AspectCoverage(CategoryEntries(table, items), wanted),
            lambda user: aspects(shares, wanted[user]),
        ),
        "calibrated": (
            CalibrationGain(CategoryEntries(table, items), wanted),
            lambda user: calibrated(shares, wanted[user]),
        ),
    }[method]
    places = order_greedily(scale_relevance(scores), worth, strength, K)
    for user in range(N_USERS):
        expected = in_turn(items[user], scores[user], definition(user), strength)
        assert places[user].tolist() == expected


def test_equal_gains_keep_the_order_of_the_first_stage():
    items = np.array([[3, 1, 2, 0]])
    alike = MarginalRelevance(
        items, distance_to_all(lambda one, other: np.zeros(len(one)), items)
    )
    assert order_greedily(np.ones((1, 4)), alike, 0.5, 4).tolist() == [[0, 1, 2, 3]]


def test_what_is_missing_comes_last_at_any_strength():
    items = np.array([[0, 1, -1]])
    scores = np.array([[2.0, 1.0, -np.inf]])
    far = MarginalRelevance(
        items, distance_to_all(lambda one, other: (one < 0) + 0.0, items)
    )
    assert order_greedily(scale_relevance(scores), far, 1.0, 3).tolist() == [[0, 1, 2]]


def test_relevance_is_from_0_to_1_for_scores_of_any_size():
    scores = np.array([[1e308, 0.0, -1e308], [5.0, 5.0, -np.inf], [-np.inf] * 3])
    expected = [[1, 0.5, 0], [1, 1, -np.inf], [-np.inf] * 3]
    np.testing.assert_array_equal(scale_relevance(scores), expected)
