"""What a scorer costs in a search, beside the prediction that it asks for."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    make_ranking_scorer,
    make_recommender_scorer,
    ndcg_score,
    ranking_scores,
)
from sklearn_rank.recommenders import ItemNeighborsRecommender
from tests.benchmarks.case import Case, Task
from tests.benchmarks.data import make_pairs_like, make_queries
from tests.benchmarks.flat import FIVE
from tests.benchmarks.peers import imported

__all__ = ["CASES"]


class Known(BaseEstimator):
    """A fitted estimator that predicts in no time: its scores are a column of X."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X[:, 1]


def scorer(n_rows: int, scale: int) -> Case:
    """Five metrics by a scorer, beside the same by a function and beside one metric."""
    n_rows = n_rows // scale if scale < n_rows else n_rows
    data = make_queries(n_rows, max(n_rows // 100, 1))
    X = np.column_stack([data.groups, data.y_score])
    number = max(50_000 // n_rows, 1)

    def score(metric: str | tuple[str, ...]) -> Task:
        wanted = list(metric) if isinstance(metric, tuple) else metric
        call = make_ranking_scorer(wanted, groups=0)
        name = "one metric" if isinstance(metric, str) else "scorer of five"
        run = partial(call, Known(), X, data.y_true)
        values = dict if isinstance(metric, tuple) else None
        return Task(name, run, values, number=number)

    def function() -> dict[str, float]:
        return ranking_scores(*data.arrays[:2], groups=data.groups, metrics=FIVE)

    peers = [
        Task("ranking_scores of the five", function, dict, limit=1.5, number=number),
        score("ndcg@10"),
    ]
    peers[1].limit = 2.0
    size = f"{n_rows:,} rows in {n_rows // 100:,} queries, groups a column of X"
    return Case(f"scorer-{n_rows}", size, score(FIVE), peers)


class KnownLists(BaseEstimator):
    """A fitted recommender that answers in no time: its lists are made."""

    def __init__(self, users, item_ids, lists):
        self.users_ = self.user_ids_ = users
        self.items_ = self.item_ids_ = item_ids
        self.lists = lists

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "recommender"
        return tags

    def recommend(self, users, *, n_recommendations=10, **ignored):
        lists = self.lists[np.searchsorted(self.users_, users)]
        return self.items_[lists], np.broadcast_to(np.arange(10.0)[::-1], lists.shape)


def recommender_scorer(are_strings: bool, scale: int) -> Case:
    """One metric of lists of 10, beside the road over dictionaries and a peer's own."""
    n_rows, n_users, n_items = 100_000, 20_000, 50_000
    if scale < n_rows:
        n_rows, n_users, n_items = n_rows // scale, n_users // scale + 1, n_items // scale
    rng = np.random.default_rng(0)
    users, items = np.arange(n_users), np.arange(max(n_items, 20))
    starts = rng.integers(0, len(items), (n_users, 1))
    model = KnownLists(users, items, (starts + 7 * np.arange(10)) % len(items))
    user, place = rng.integers(0, n_users, n_rows), rng.integers(0, 30, n_rows)
    held_out = np.column_stack([user, (starts[user, 0] + 7 * place) % len(items)])
    if are_strings:
        model.users_ = model.user_ids_ = _named("u", users)
        model.items_ = model.item_ids_ = _named("i", items)
        named = [_named(letter, ids) for letter, ids in zip("ui", held_out.T, strict=True)]
        held_out = np.column_stack(named)

    def dictionaries() -> float:
        relevant: dict = {}
        for one, item in held_out.tolist():
            relevant.setdefault(one, set()).add(item)
        asked = np.array(list(relevant), dtype=model.users_.dtype)
        found = model.recommend(asked)[0].tolist()
        lists = dict(zip(relevant, found, strict=True))
        return ndcg_score(**from_item_lists(relevant, lists), k=10)

    def as_values(score: float) -> dict[str, float]:
        return {"ndcg@10": score}

    call = make_recommender_scorer("ndcg@10")
    ours = Task("recommender scorer", partial(call, model, held_out), as_values)
    peers = [Task("sets, from_item_lists, ndcg_score", dictionaries, as_values, limit=1.0)]
    theirs = imported("skrecsys.metrics")
    name = "skrecsys's evaluate_recommender"
    if theirs is None:
        peers.append(Task(name, None))
    else:
        run = partial(
            theirs.evaluate_recommender, model, held_out, metrics=[theirs.ndcg_at_k], k=10
        )
        peers.append(Task(name, run, dict, limit=1.0))
    kind = "strings" if are_strings else "integers"
    size = f"{n_rows:,} held-out rows, {len(items):,} items, ids are {kind}"
    return Case(f"recommender-scorer-{kind}", size, ours, peers)


def whole_lists(scale: int) -> Case:
    """The reciprocal rank in lists of all items, beside that of the first ten."""
    pairs = make_pairs_like("dense", scale)
    is_test = np.random.default_rng(0).random(len(pairs)) < 0.1
    test = pairs[is_test]
    test = test[test[:, 0] < 1_000]
    model = ItemNeighborsRecommender().fit(pairs[~is_test])

    def score(metric: str) -> Task:
        return Task(metric, partial(make_recommender_scorer(metric), model, test))

    peer = score("mrr@10")
    peer.limit = 3.5
    size = f"{len(test):,} held-out rows, {len(model.items_):,} items"
    return Case("recommender-scorer-uncut", size, score("mrr"), [peer])


def _named(letter: str, numbers: np.ndarray) -> np.ndarray:
    return np.array([f"{letter}{number:06}" for number in numbers.tolist()], dtype=object)


CASES = {f"scorer-{n_rows}": partial(scorer, n_rows) for n_rows in (1_000, 100_000)}
CASES |= {
    f"recommender-scorer-{kind}": partial(recommender_scorer, kind == "strings")
    for kind in ("integers", "strings")
}
CASES["recommender-scorer-uncut"] = whole_lists
