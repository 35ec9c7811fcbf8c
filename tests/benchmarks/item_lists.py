"""Recommended item ids per user, as lists and as tables."""

from functools import lru_cache
from math import log2
from typing import Any

import numpy as np

from sklearn_rank.inputs import from_frames, from_item_lists, from_runs
from sklearn_rank.metrics import ranking_scores
from tests.benchmarks.case import Case, Task
from tests.benchmarks.flat import FIVE
from tests.benchmarks.peers import imported

__all__ = ["CASES"]

DISCOUNT = [1 / log2(rank + 1) for rank in range(1, 11)]


@lru_cache(maxsize=1)
def make_lists(n_users: int) -> tuple[dict[int, set], dict[int, list]]:
    """Return 10 relevant and 20 recommended items of each user, of 5,000 items."""
    rng = np.random.default_rng(5)
    relevant = rng.integers(0, 5_000, (n_users, 10))
    recommended = np.argsort(rng.random((n_users, 200), dtype=np.float32), axis=1)[:, :20]
    recommended = recommended * 25 + rng.integers(0, 25, recommended.shape)
    recommended[:, 3::7] = relevant[:, :3]
    lists = (list(dict.fromkeys(row)) for row in recommended.tolist())
    users = range(1_000, 1_000 + n_users)
    truth = dict(zip(users, map(set, relevant.tolist()), strict=True))
    return truth, dict(zip(users, lists, strict=True))


def ndcg_at_k(relevant: set, recommended: list, k: int) -> float:
    gains = [1.0 if item in relevant else 0.0 for item in recommended[:k]]
    return dcg(gains) / dcg([1.0] * min(len(relevant), k))


def dcg(gains: list[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def average_precision_at_k(relevant: set, recommended: list, k: int) -> float:
    hits, total = 0, 0.0
    for rank, item in enumerate(recommended[:k], start=1):
        if item in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant)


def precision_at_k(relevant: set, recommended: list, k: int) -> float:
    return len(relevant & set(recommended[:k])) / k


def recall_at_k(relevant: set, recommended: list, k: int) -> float:
    return len(relevant & set(recommended[:k])) / len(relevant)


def reciprocal_rank(relevant: set, recommended: list, k: int) -> float:
    for rank, item in enumerate(recommended[:k], start=1):
        if item in relevant:
            return 1 / rank
    return 0.0


FUNCTIONS = dict(
    zip(
        FIVE,
        (ndcg_at_k, average_precision_at_k, precision_at_k, recall_at_k, reciprocal_rank),
        strict=True,
    )
)


def by_functions(truth: dict, lists: dict, k: int = 10) -> dict[str, float]:
    """The five metrics as they are usually written: a function each, called for a user."""
    values: dict[str, list[float]] = {name: [] for name in FUNCTIONS}
    for user, relevant in truth.items():
        recommended = lists.get(user, [])
        for name, metric in FUNCTIONS.items():
            values[name].append(metric(relevant, recommended, k))
    return {name: sum(of_users) / len(of_users) for name, of_users in values.items()}


def by_loop(truth: dict, lists: dict, k: int = 10) -> dict[str, float]:
    """The same by hand in one loop: each list is looked at once, discounts are a table."""
    sums = dict.fromkeys(FIVE, 0.0)
    for user, relevant in truth.items():
        is_hit = [item in relevant for item in lists.get(user, [])[:k]]
        hits, precisions, gain = 0, 0.0, 0.0
        for rank, hit in enumerate(is_hit, start=1):
            if hit:
                hits += 1
                precisions += hits / rank
                gain += DISCOUNT[rank - 1]
        sums["ndcg@10"] += gain / sum(DISCOUNT[: min(k, len(relevant))])
        sums["map(denominator='relevant')@10"] += precisions / len(relevant)
        sums["precision@10"] += hits / k
        sums["recall@10"] += hits / len(relevant)
        sums["mrr@10"] += 1 / (is_hit.index(True) + 1) if hits else 0.0
    return {name: total / len(truth) for name, total in sums.items()}


def as_lists(scale: int) -> Case:
    n_users = 50_000 // scale
    truth, lists = make_lists(n_users)

    def ours() -> dict[str, float]:
        return ranking_scores(**from_item_lists(truth, lists), metrics=FIVE)

    peers = [
        Task(
            "five functions a user, as usual",
            lambda: by_functions(truth, lists),
            dict,
            limit=1 / 8,
        ),
        Task("the same fused in one loop", lambda: by_loop(truth, lists), dict, limit=0.7),
    ]
    task = Task("from_item_lists, ranking_scores", ours, dict)
    return Case("lists", _size(n_users), task, peers)


def as_arrays(scale: int) -> Case:
    """Ids in two arrays, as `recommend` returns them."""
    n_users = 50_000 // scale
    rng = np.random.default_rng(5)
    items = np.argsort(rng.random((n_users, 100), dtype=np.float32), axis=1)
    relevant, recommended = items[:, :10], items[:, 5:25]

    def ours() -> dict[str, float]:
        return ranking_scores(**from_item_lists(relevant, recommended), metrics=FIVE)

    def loop() -> dict[str, float]:
        truth = dict(enumerate(map(set, relevant.tolist())))
        return by_loop(truth, dict(enumerate(recommended.tolist())))

    task = Task("from_item_lists, ranking_scores", ours, dict)
    peer = Task("the fused loop, with its sets and lists", loop, dict, limit=0.2)
    return Case("arrays", _size(n_users), task, [peer])


def as_frames(scale: int) -> Case:
    n_users = 50_000 // scale
    truth, lists = make_lists(n_users)
    pandas = imported("pandas")
    if pandas is None:
        return Case("frames", _size(n_users), Task("from_frames needs pandas", dict))
    bought, shown = _frame(pandas, truth), _frame(pandas, lists)
    shown["rank"] = shown.groupby("user").cumcount() + 1

    def ours() -> dict[str, float]:
        rows = from_frames(bought, shown, user="user", item="item", rank="rank")
        return ranking_scores(**rows, metrics=FIVE)

    def loop() -> dict[str, float]:
        """Group both tables into lists, then run the fused loop over users."""
        sets = bought.groupby("user")["item"].agg(set).to_dict()
        ranked = shown.sort_values("rank").groupby("user")["item"].agg(list).to_dict()
        return by_loop(sets, ranked)

    def join() -> None:
        bought.merge(shown, on=["user", "item"]).groupby("user").size()

    peers = [
        Task("pandas groupby, then the fused loop", loop, dict, most_repeats=3),
        Task("pandas merge and count alone", join),
    ]
    task = Task("from_frames, ranking_scores", ours, dict)
    return Case("frames", _size(n_users), task, peers)


def _frame(pandas: Any, items_of: dict) -> Any:
    pairs = [(user, item) for user, items in items_of.items() for item in items]
    return pandas.DataFrame(pairs, columns=["user", "item"])


def as_runs(scale: int) -> Case:
    """Two runs in columns, beside each run by itself."""
    n_queries = max(1_000 // scale, 10)
    rng = np.random.default_rng(0)
    items = [f"d{number}" for number in range(5_000)]

    def run() -> dict[str, dict[str, float]]:
        docs = np.argsort(rng.random((n_queries, 5_000), dtype=np.float32), axis=1)[:, :100]
        return {
            f"q{query}": {items[doc]: float(-rank) for rank, doc in enumerate(row)}
            for query, row in enumerate(docs.tolist())
        }

    first, second = run(), run()
    truth = {query: dict.fromkeys(list(docs)[:5], 1) for query, docs in first.items()}

    def alone() -> None:
        for scores in (first, second):
            from_item_lists(truth, scores, return_items=True)

    def ours() -> None:
        from_runs(truth, [first, second], return_items=True)

    peer = Task("from_item_lists of each", alone, limit=2.5)
    size = f"{n_queries:,} queries, two runs of 100 items"
    return Case("runs", size, Task("from_runs", ours), [peer])


def _size(n_users: int) -> str:
    return f"{n_users:,} users, 20 recommended items, five metrics at 10"


CASES = {"lists": as_lists, "arrays": as_arrays, "frames": as_frames, "runs": as_runs}
