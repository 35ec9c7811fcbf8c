"""Lists of users made part by part, and scored in the same task."""

import pickle
from itertools import pairwise

import numpy as np
import pytest

from sklearn_rank.datasets import make_interactions
from sklearn_rank.distributed import QueryScorer, UserLists, summarize
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RerankingRecommender,
    UserNeighborsRecommender,
)
from tests.table_libraries import LIBRARIES

pd = pytest.importorskip("pandas")

MODELS = {
    "popularity": PopularityRecommender(),
    "neighbors": ItemNeighborsRecommender(),
    "ease": EASERecommender(),
    "factors": MatrixFactorizationRecommender(),
}


@pytest.fixture(scope="module", params=["integers", "strings"])
def log(request):
    log = make_interactions(300, 80, 2500, as_frame=True, random_state=0)
    log = log[["user", "item"]]
    if request.param == "strings":
        log = pd.DataFrame({name: "ü" + log[name].astype(str) for name in log})
    return log


@pytest.fixture(scope="module")
def users(log):
    known = pd.unique(log["user"])
    new = "nobody" if isinstance(known[0], str) else 10_000
    users = pd.DataFrame({"user": [*known, new]})
    return users.sample(frac=1, random_state=0, ignore_index=True)


def in_parts(frame, n_parts):
    bounds = np.linspace(0, len(frame), n_parts + 1).astype(int).tolist()
    return [frame[start:stop] for start, stop in pairwise(bounds)]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_parts", [1, 8, 64])
def test_lists_of_parts_are_those_of_one_call(log, users, name, n_parts):
    model = MODELS[name].fit(log)
    ids, scores = model.recommend(users["user"], k=7, return_scores=True)
    lists = pickle.loads(pickle.dumps(UserLists(model, k=7)))
    found = pd.concat([lists(part) for part in in_parts(users, n_parts)])
    assert list(found.columns) == ["user", "item", "score", "rank"]
    found = dict(list(found.groupby("user")))
    assert len(found) == len(users)
    # Products of factors are rounded by the number of users, on some processors.
    tolerance = (1e-12, 1e-14) if name == "factors" else (0.0, 0.0)
    for user, items, of_items in zip(users["user"], ids, scores, strict=True):
        n_left = np.count_nonzero(~np.isneginf(of_items))
        mine = found[user]
        assert mine["rank"].tolist() == list(range(1, n_left + 1))
        assert mine["item"].tolist() == items[:n_left].tolist()
        np.testing.assert_allclose(mine["score"], of_items[:n_left], *tolerance)


def as_rows(table):
    columns = (np.asarray(table[name]).tolist() for name in ("user", "rank", "item"))
    return sorted(zip(*columns, strict=True))


@pytest.mark.parametrize("to", LIBRARIES)
def test_tables_of_any_library_streams_and_partitions(log, users, to):
    lists = UserLists(PopularityRecommender().fit(log), k=3)
    expected = lists(to(users))
    assert type(expected) is type(to(users))
    (joined,) = lists.iterate([to(part) for part in in_parts(users, 3)])
    streamed = lists.stream([to(users)], partitions=2)
    assert as_rows(expected) == as_rows(joined) == as_rows(streamed)
    assert len(lists(to(users[:0]))) == 0


def test_a_user_who_stands_there_twice_gets_one_list(log):
    lists = UserLists(PopularityRecommender().fit(log), k=3)
    assert len(lists(log[:1])) == len(lists(pd.concat([log[:1], log[:1]]))) == 3


@pytest.mark.parametrize("metric", ["ndcg@5", "recall@5"])
def test_lists_and_their_values_in_one_task(log, users, metric):
    model = ItemNeighborsRecommender().fit(log)
    rng = np.random.default_rng(0)
    pairs = pd.DataFrame(
        {
            "user": users["user"].repeat(4).to_numpy(),
            "item": rng.choice(log["item"], 4 * len(users)),
            "grade": rng.integers(1, 4, 4 * len(users)),
        }
    ).drop_duplicates(["user", "item"])
    pairs["country"] = pairs["user"].astype(str).str.len()
    lists = UserLists(model, k=5)
    score = QueryScorer.from_tables(
        metric,
        user="user",
        item="item",
        marker="held_out",
        relevance="grade",
        score="score",
        by="country",
    )
    below = lists(users).assign(held_out=False, grade=0)
    below["country"] = below["user"].astype(str).str.len()
    both = pd.concat([pairs.assign(held_out=True, score=0.0), below], ignore_index=True)
    expected = summarize(score(both), digits=17, by="country")
    together = pickle.loads(pickle.dumps(lists.then(score)))
    parts = [pairs[pairs["user"].isin(part["user"])] for part in in_parts(users, 8)]
    values = [together(part) for part in parts]
    assert summarize(values, digits=17, by="country") == expected
    streamed = together.stream(pairs, partitions=3)
    assert summarize(streamed, digits=17, by="country") == expected


def test_items_that_only_some_users_may_get(log):
    model = PopularityRecommender(exclude_seen=False).fit(log)
    best, second = model.recommend(log["user"][:1], k=2)[0]
    ann, bob, eve = pd.unique(log["user"])[:3]
    rows = pd.DataFrame(
        {
            "user": [ann, bob, eve, ann, ann],
            "item": [None, None, None, second, best],
            "mine": [False, False, False, True, True],
        }
    )
    found = UserLists(model, k=2, offered="mine")(rows)
    assert found[["user", "item", "rank"]].to_numpy().tolist() == [
        [ann, best, 1],
        [ann, second, 2],
    ]
    found = UserLists(model, k=2, excluded="mine")(rows).set_index("user")
    assert found.loc[bob, "item"].tolist() == [best, second]
    assert not {best, second} & set(found.loc[ann, "item"])
    one = UserLists(model, items=[second], k=1)(rows[:1])
    assert one["item"].tolist() == [second]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_without_its_users_makes_the_same_lists_of_histories(log, name):
    model = MODELS[name].fit(log)
    items = UserLists.from_histories(model.without_users(), k=4)(log)
    pd.testing.assert_frame_equal(items, UserLists.from_histories(model, k=4)(log))
    assert len(model.users_) == log["user"].nunique()
    assert len(pickle.dumps(model.without_users())) < len(pickle.dumps(model))


@pytest.mark.parametrize("weight", [None, "weight"])
def test_histories_need_no_users_in_the_model(log, weight):
    model = ItemNeighborsRecommender(weighting="sum").fit(log)
    rows = log.assign(weight=2.0)
    lists = UserLists.from_histories(model, k=4, weight=weight)
    found = lists(rows.sample(frac=1, random_state=0))
    users = pd.unique(found["user"])
    histories = [rows.loc[rows["user"] == user, "item"].tolist() for user in users]
    if weight is not None:
        histories = [{item: 2.0 * one.count(item) for item in one} for one in histories]
    ids, scores = model.recommend_for_items(histories, k=4, return_scores=True)
    kept = ~np.isneginf(scores)
    assert found["item"].tolist() == ids[kept].tolist()
    np.testing.assert_array_equal(found["score"], scores[kept])


def test_what_is_wrong_is_said_at_once(log):
    model = PopularityRecommender().fit(log)
    with pytest.raises(TypeError, match="must be a recommender with `recommend`"):
        UserLists("popularity")
    with pytest.raises(ValueError, match="lower `k`"):
        UserLists(model, k=1000)
    with pytest.raises(ValueError, match="not both"):
        UserLists(model, items=model.items_[:20], offered="mine")
    tuples = PopularityRecommender().fit([["ann", ("a", 1)], ["bob", ("b", 2)]])
    with pytest.raises(TypeError, match="all numbers or all strings"):
        UserLists(tuples, k=1)
    with pytest.raises(ValueError, match="`user='user'` is not a column"):
        UserLists(model)(pd.DataFrame({"customer": [1]}))


def test_what_a_scorer_of_lists_has_to_read(log):
    lists = UserLists(PopularityRecommender().fit(log), k=5)
    given = {"user": "user", "item": "item", "marker": "m", "score": "score"}
    with pytest.raises(ValueError, match="looks at 10 ranks, but lists have 5"):
        lists.then(QueryScorer.from_tables("ndcg@10", **given))
    with pytest.raises(ValueError, match=r"from_tables\(\.\.\., user='user'"):
        lists.then(QueryScorer.from_tables("ndcg@5", **{**given, "user": "customer"}))
    marked = UserLists(PopularityRecommender().fit(log), offered="mine")
    with pytest.raises(ValueError, match="known by id alone"):
        marked.then(QueryScorer.from_tables("ndcg@5", **given))
    with pytest.raises(TypeError, match="`score` must be a QueryScorer"):
        lists.then("ndcg@5")


def test_models_that_are_made_of_users_cannot_do_without(log):
    model = UserNeighborsRecommender().fit(log)
    with pytest.raises(
        TypeError, match="UserNeighborsRecommender makes lists from the users"
    ):
        model.without_users()
    rerank = RerankingRecommender(PopularityRecommender(), "popularity").fit(log)
    with pytest.raises(TypeError, match="cannot do without users"):
        rerank.without_users()
    users = pd.DataFrame({"user": log["user"].unique()})
    assert len(UserLists(rerank, k=3)(users)) == 3 * len(users)
