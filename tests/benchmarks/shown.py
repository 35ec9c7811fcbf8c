"""What lists show beside relevance, beside what accuracy takes."""

import numpy as np

from sklearn_rank.metrics import Catalogue, ranking_scores
from tests.benchmarks.case import Case, Task
from tests.benchmarks.data import make_queries

__all__ = ["CASES"]

N_ITEMS = 20_000


def novelty(scale: int) -> Case:
    """Every row may be shown, where precision needs to look at relevant ones alone."""
    data = make_queries(5_000_000 // scale, 50_000 // scale)
    rng = np.random.default_rng(0)
    items = rng.integers(0, N_ITEMS, len(data.y_true))
    users = rng.integers(1, 1_000, N_ITEMS)
    catalogue = Catalogue(items=np.arange(N_ITEMS), popularity=users, n_users=2_000)
    rows = {"y_true": data.y_true, "y_score": data.y_score, "groups": data.groups}

    def ours() -> dict[str, float]:
        return ranking_scores(
            **rows, items=items, metrics="novelty@10", catalogue=catalogue
        )

    def precision() -> dict[str, float]:
        return ranking_scores(**rows, metrics="precision@10", replace_undefined_by=0)

    def by_sorting() -> dict[str, float]:
        order = np.lexsort([-data.y_score, data.groups])
        sizes = np.bincount(data.groups)
        starts = np.cumsum(sizes) - sizes
        bits = -np.log2(users / 2_000)
        ranked, n_shown = bits[items[order]], np.minimum(sizes, 10)
        rank = np.arange(len(order)) - np.repeat(starts, sizes)
        total = np.bincount(data.groups[order], np.where(rank < 10, ranked, 0))
        return {"novelty@10": float((total / n_shown).mean())}

    peers = [
        Task("precision@10", precision, limit=2.0),
        Task("np.lexsort and means", by_sorting, dict, limit=1.0, most_repeats=3),
    ]
    size = f"{len(items):,} rows in {data.groups[-1] + 1:,} queries, {N_ITEMS:,} items"
    inputs = (*data.arrays, items)
    return Case("shown-novelty", size, Task("novelty@10", ours, dict), peers, inputs=inputs)


def diversity(scale: int) -> Case:
    """In about the time in which a model scores all items for these users."""
    n_users, n_factors, n_shown = 50_000 // scale, 64, 10
    rng = np.random.default_rng(0)
    features = rng.normal(size=(N_ITEMS // scale, n_factors))
    factors = rng.normal(size=(n_users, n_factors))
    shown = rng.integers(0, len(features), (n_users, n_shown))
    rows = {
        "y_true": np.zeros(shown.size),
        "y_score": np.tile(np.arange(n_shown, 0, -1), n_users),
        "groups": np.repeat(np.arange(n_users), n_shown),
        "items": shown.ravel(),
    }
    catalogue = Catalogue(items=np.arange(len(features)), features=features)
    name = "intra_list_distance@10"

    def ours() -> dict[str, float]:
        return ranking_scores(**rows, metrics=name, catalogue=catalogue)

    def scoring() -> None:
        for start in range(0, n_users, 500):
            factors[start : start + 500] @ features.T

    def by_pairs() -> dict[str, float]:
        unit = features / np.linalg.norm(features, axis=1, keepdims=True)
        one, other = np.triu_indices(n_shown, 1)
        means = [1 - (unit[i[one]] * unit[i[other]]).sum(axis=1).mean() for i in shown]
        return {name: float(np.mean(means))}

    peers = [
        Task("scores of all items", scoring, limit=1.0, most_repeats=3),
        Task("a loop over users", by_pairs, dict, limit=1 / 5, most_repeats=3),
    ]
    size = f"{n_users:,} users, {n_shown} items each, {n_factors} features"
    return Case("shown-diversity", size, Task("intra_list_distance", ours, dict), peers)


CASES = {"shown-novelty": novelty, "shown-diversity": diversity}
