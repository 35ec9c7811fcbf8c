"""The ideal lists of nDCG, against a plain loop over all orders of tied rows."""

from itertools import product
from math import inf, isnan

import numpy as np
import pytest

from sklearn_rank.metrics import ndcg_score, per_query_scores
from tests.metrics import reference as ref

IDEALS = ("relevant", "list", "retrieved", "k", "all")
GRADES = [*product((0, 1, 3), repeat=4), *product((0, 2), repeat=5)]
SCORES = ((5, 4, 3, 2, 1), (2, 2, 1, 1, 1), (1, 1, 1, -inf, -inf), (-inf,) * 5)


def cases(ideal, ties, k):
    """Yield grades and scores, but for those whose best list depends on the order."""
    for grades, scores in product(GRADES, SCORES):
        rows = list(grades), list(scores[: len(grades)])
        orders = {
            tuple(sorted(grade for grade, score in order[:k] if score > -inf))
            for order in ref.all_orders(*rows)
        }
        if ideal != "retrieved" or ties != "average" or len(orders) == 1:
            yield rows


@pytest.mark.parametrize("k", [1, 2, 3, 7, None])
@pytest.mark.parametrize("ties", ["average", "first", "worst", "best"])
@pytest.mark.parametrize("ideal", IDEALS)
def test_all_small_lists(ideal, ties, k):
    if ideal == "k" and k is None:
        return
    of_ideal = list(cases(ideal, ties, k))
    assert len(of_ideal) > 200
    flat = [np.concatenate(side) for side in zip(*of_ideal, strict=True)]
    groups = np.repeat(np.arange(len(of_ideal)), [len(grades) for grades, _ in of_ideal])
    names = {
        gain: f"ndcg(ideal={ideal!r}, gain={gain!r}, k={k})"
        for gain in ("linear", "exponential", "binary")
    }
    found = per_query_scores(*flat, groups=groups, metrics=[*names.values()], ties=ties)
    for gain, name in names.items():
        for rows, value in zip(of_ideal, found.scores[name], strict=True):
            given = {"k": k, "ideal": ideal, "gain": gain}
            expected = ref.expected_over_ties(ref.ndcg, *rows, **given)
            if ties == "first":
                expected = ref.with_ties(ties, ref.ndcg, *rows, **given)
            elif ties != "average":
                sign = 1 if ties == "best" else -1
                order = sorted(zip(*rows, strict=True), key=lambda r: (-r[1], -sign * r[0]))
                expected = ref.ndcg(order, **given)
            assert value == pytest.approx(expected, rel=1e-12, nan_ok=True), rows


@pytest.mark.parametrize("ideal", IDEALS)
def test_a_grid_and_flat_rows_are_alike(ideal):
    rng = np.random.default_rng(3)
    grades, scores = (
        rng.integers(0, 3, (40, 12)),
        rng.permuted(np.tile([*range(9), *[-inf] * 3], (40, 1)), axis=1),
    )
    groups = np.repeat(np.arange(40), 12)
    grid = ndcg_score(grades, scores, k=5, ideal=ideal)
    flat = ndcg_score(grades.ravel(), scores.ravel(), groups=groups, k=5, ideal=ideal)
    expected = [
        ref.ndcg(ref.first_order(*rows), k=5, ideal=ideal)
        for rows in zip(grades.tolist(), scores.tolist(), strict=True)
    ]
    assert grid == flat == pytest.approx(np.mean([v for v in expected if not isnan(v)]))


def test_bounds_and_lists_without_a_hit():
    rows = {"y_true": [0, 1, 1, 1], "groups": [0] * 4}
    for ideal in IDEALS:
        assert ndcg_score(**rows, y_score=[1, *[-inf] * 3], k=3, ideal=ideal) == 0
        assert ndcg_score(**rows, y_score=[-inf] * 4, k=3, ideal=ideal) == 0
    y_score = [2, 1, -inf, -inf]
    found = [ndcg_score(**rows, y_score=y_score, k=2, ideal=ideal) for ideal in IDEALS]
    relevant, of_list, retrieved, of_k, of_all = found
    assert retrieved > of_list == relevant == of_k > of_all


def test_no_mean_over_orders_with_different_best_lists():
    rows = {"y_true": [0, 1, 0, 1], "y_score": [2, 1, 1, 0], "groups": ["q7"] * 4}
    with pytest.raises(ValueError, match=r"query q7.*ties='first', 'best' or 'worst'"):
        ndcg_score(**rows, k=2, ideal="retrieved")
    assert ndcg_score(**rows, k=2, ideal="retrieved", ties="worst") == 0
    assert ndcg_score(**rows, k=3, ideal="retrieved") == pytest.approx(
        (1 / np.log2(3) + 1 / 2) / 2
    )


def test_k_items_need_a_cutoff():
    with pytest.raises(ValueError, match=r"`ideal` is 'k', but `k` is None.*Give a cutoff"):
        ndcg_score([1], [1], groups=[0], ideal="k")
