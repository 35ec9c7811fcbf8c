"""Lists of places in a catalogue score as lists of ids do, without being made of ids."""

import datetime
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import (
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
)

# Small logs repeat most pairs, on purpose: their scores are compared with those of loops.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.exceptions.MisleadingScoreWarning"
)

USERS, ITEMS = 12, 15
METRICS = ["ndcg@3", "recall@5", "auc", "mean_rank", "coverage@3", "novelty", "gini@4"]


class OfIds:
    """The same lists as ids: a class with a `recommend` of its own."""

    def recommend(
        self,
        users,
        k=10,
        *,
        exclude_seen=None,
        return_scores=False,
        items=None,
        exclude=None,
    ):
        return super().recommend(
            users,
            k,
            exclude_seen=exclude_seen,
            return_scores=return_scores,
            items=items,
            exclude=exclude,
        )


class IdsOfNeighbors(OfIds, ItemNeighborsRecommender):
    pass


class IdsOfFactors(OfIds, MatrixFactorizationRecommender):
    pass


PAIRS = [
    (ItemNeighborsRecommender, IdsOfNeighbors),
    (MatrixFactorizationRecommender, IdsOfFactors),
]


def objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


IDS = {
    "integers": np.arange(ITEMS) - 4,
    "far apart": np.arange(ITEMS) * 10**12 + 7,
    "floats": np.arange(ITEMS) + 0.5,
    "strings": np.array([f"item {7 * one % 15}" for one in range(ITEMS)]),
    "objects": objects([f"item {one}" for one in range(ITEMS)]),
    "bytes": objects([b"%d" % one for one in range(ITEMS)]),
    "1 and 'no 1'": objects([one if one % 2 else f"no {one}" for one in range(ITEMS)]),
    "tuples": objects([("shop", one) for one in range(ITEMS)]),
    "days": np.datetime64("2024-02-25", "ns") + np.arange(ITEMS).astype("m8[D]"),
    "dates": objects([datetime.date(2024, 2, 1 + one) for one in range(ITEMS)]),
}


def log(ids, rng, n_rows, n_items=ITEMS):
    item = pd.Series(ids)[rng.integers(0, n_items, n_rows)].reset_index(drop=True)
    return pd.DataFrame({"user": rng.integers(0, USERS, n_rows), "item": item})


def train_and_test(kind, seed=0):
    """Return logs of which the second has items and users that the first lacks."""
    rng = np.random.default_rng(seed)
    return log(IDS[kind], rng, 60, ITEMS - 3), log(IDS[kind], rng, 50)


def both_scores(makers, train, test, y=None, metrics=METRICS, **options):
    columns = {"user": "user", "item": "item"}
    made = [maker(exclude_seen=False, **columns).fit(train) for maker in makers]
    options |= {**columns, "replace_undefined_by": -1.0}
    scorer = make_recommender_scorer(metrics, **options)
    return [scorer(one, test, y) for one in made]


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("makers", PAIRS)
def test_places_score_as_ids_do(makers, kind):
    train, test = train_and_test(kind)
    grade = np.random.default_rng(1).integers(0, 4, len(test))
    known = IDS[kind][: ITEMS - 3].tolist()
    if kind == "days":
        known = list(IDS[kind][: ITEMS - 3])
    few = {user: known[user % 5 :] for user in range(USERS)}
    ways = ({}, {"exclude_seen": True}, {"exclude": known[:4]}, {"items": few})
    for options in (*ways, {"exclude": few}, {"items": "rows"}):
        own, by_id = both_scores(makers, train, test, grade, **options)
        np.testing.assert_equal(own, by_id)


@pytest.mark.parametrize("odd", [None, float("nan"), 2.5, "nowhere", ("no", "item")])
def test_odd_items_of_held_out_rows_are_missed(odd):
    train, test = train_and_test("objects")
    test["item"] = test["item"].astype(object)
    test.loc[::4, "item"] = pd.Series([odd] * len(test), dtype=object)
    metrics = ["ndcg@3", "recall@5", "auc"]
    own, by_id = both_scores(PAIRS[0], train, test, metrics=metrics)
    np.testing.assert_equal(own, by_id)


def test_a_missing_item_is_an_error_for_metrics_of_items():
    train, test = train_and_test("objects")
    test["item"] = test["item"].astype(object)
    test.loc[3, "item"] = None
    for maker in PAIRS[0]:
        with pytest.raises(ValueError, match="`items` has 1 missing value"):
            both_scores([maker], train, test, metrics="novelty@3")


def test_items_that_can_never_match_are_an_error():
    train, test = train_and_test("objects")
    test["item"] = np.arange(len(test))
    for maker in PAIRS[0]:
        with pytest.raises(TypeError, match=r"`X` of user 0 has item \d+ \(int\) and `re"):
            both_scores([maker], train, test, metrics="ndcg@3")


def test_batches_of_users_score_as_one(monkeypatch):
    train, test = train_and_test("strings")
    whole = both_scores(PAIRS[0], train, test)
    module = "sklearn_rank.metrics._scorers._recommender_scorer"
    monkeypatch.setattr(f"{module}._BATCH_CELLS", 3 * ITEMS)
    own, by_id = both_scores(PAIRS[0], train, test)
    np.testing.assert_equal(own, by_id)
    assert own == pytest.approx(whole[0])


class Reversed(PopularityRecommender):
    def recommend(self, users, k=10, **options):
        options.pop("return_scores", None)
        return super().recommend(users, len(self.items_), **options)[:, ::-1][:, :k]


class Wrapper:
    """Hands all on, but for the order of lists."""

    def __init__(self, inner):
        self._inner = inner

    def recommend(self, users, k=10):
        return self._inner.recommend(users, len(self.items_))[:, ::-1][:, :k]

    def __getattr__(self, name):
        return getattr(self._inner, name)


def test_a_recommend_of_ones_own_makes_the_lists():
    train = [[user, item] for user in range(9) for item in range(9 - user)]
    test = [[user, 8] for user in range(1, 9)]
    scorer = make_recommender_scorer("mrr@3", exclude_seen=None)
    model = PopularityRecommender(exclude_seen=False).fit(train)
    assert scorer(model, test) == 0
    assert scorer(Reversed(exclude_seen=False).fit(train), test) == 1
    assert scorer(Wrapper(model), test) == 1
    recommend = model.recommend
    model.recommend = lambda users, k: recommend(users, 9)[:, ::-1][:, :k]
    assert scorer(model, test) == 1


@dataclass(frozen=True, order=True)
class Id:
    """An id that counts how often it is looked up."""

    number: int
    n_hashes = 0

    def __hash__(self):
        Id.n_hashes += 1
        return hash(self.number)


def test_ids_are_looked_up_once_and_not_in_each_list():
    items = objects([Id(number) for number in range(200)])
    train = pd.DataFrame({"user": np.arange(400) % 100, "item": np.tile(items, 2)})
    test = pd.DataFrame({"user": np.arange(100), "item": items[:100]})
    model = PopularityRecommender(user="user", item="item", exclude_seen=False).fit(train)
    Id.n_hashes = 0
    scorer = make_recommender_scorer(["auc", "novelty"], user="user", item="item")
    assert 0 < scorer(model, test)["auc"] < 1
    assert Id.n_hashes < 20 * len(items)  # not as many as the lists have places, 20,000
