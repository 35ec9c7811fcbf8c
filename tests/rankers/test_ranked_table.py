"""Ranked rows as a long table."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_rank.inputs import from_frames
from sklearn_rank.metrics import ndcg_score
from sklearn_rank.rankers import GroupRanker, PairwiseRanker, RankFusion
from sklearn_rank.recommenders import ItemNeighborsRecommender


@pytest.fixture(params=[GroupRanker(Ridge()), PairwiseRanker(LogisticRegression())])
def ranker(request, queries):
    return request.param.fit(queries.X, queries.y, groups=queries.groups)


def test_each_query_is_sorted_by_its_scores(ranker, queries):
    table = ranker.rank(queries.X, groups=queries.groups)
    assert list(table) == ["query", "item", "rank", "score"]
    scores = ranker.predict(queries.X)
    assert sorted(table["item"]) == list(range(len(queries.y)))
    assert np.array_equal(table["score"], scores[table["item"]])
    assert np.array_equal(table["query"], queries.groups[table["item"]])
    first_seen = list(dict.fromkeys(queries.groups.tolist()))
    assert list(dict.fromkeys(table["query"].tolist())) == first_seen
    for query in first_seen:
        of_query = table["query"] == query
        assert table["rank"][of_query].tolist() == list(range(1, of_query.sum() + 1))
        assert (np.diff(table["score"][of_query]) <= 0).all()


def test_it_may_be_cut_and_name_the_items(ranker, queries):
    items = np.array([f"item {row}" for row in range(len(queries.y))])
    whole = ranker.rank(queries.X, groups=queries.groups, items=items)
    cut = ranker.rank(queries.X, groups=queries.groups, items=items, k=2)
    for name, column in cut.items():
        assert np.array_equal(column, whole[name][whole["rank"] <= 2])


def test_equal_scores_keep_the_order_of_rows():
    ranker = GroupRanker(Ridge(), groups=0)
    X = [["b", 1.0], ["a", 0.0], ["b", 2.0], ["b", 1.0], ["a", 0.0]]
    table = ranker.fit(X, [0, 1, 2, 0, 1]).rank(X)
    assert table["query"].tolist() == ["b", "b", "b", "a", "a"]
    assert table["item"].tolist() == [2, 0, 3, 1, 4]
    assert table["rank"].tolist() == [1, 2, 3, 1, 2]


def test_the_table_is_what_from_frames_reads(ranker, queries):
    pandas = pytest.importorskip("pandas")
    rows = np.arange(len(queries.y))
    found = pandas.DataFrame(ranker.rank(queries.X, groups=queries.groups))
    truth = pandas.DataFrame({"query": queries.groups, "item": rows, "grade": queries.y})
    data = from_frames(
        truth, found, user="query", item="item", relevance="grade", score="score"
    )
    expected = ndcg_score(queries.y, ranker.predict(queries.X), groups=queries.groups)
    again = ndcg_score(data.y_true, data.y_score, groups=data.groups)
    assert again == pytest.approx(expected)


def test_groups_of_several_columns(queries):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(queries.X, columns=list("abcd"))
    X["user"], X["day"] = queries.query // 3, queries.query % 3
    table = GroupRanker(Ridge(), groups=["user", "day"]).fit(X, queries.y).rank(X, k=1)
    assert set(table["query"].tolist()) == {(q // 3, q % 3) for q in range(24)}


def test_bad_input(ranker, queries):
    n = len(queries.y)
    with pytest.raises(ValueError, match="needs `groups`"):
        ranker.rank(queries.X)
    with pytest.raises(ValueError, match=f"`groups` has {n - 1} values, but X has {n}"):
        ranker.rank(queries.X, groups=queries.groups[1:])
    with pytest.raises(ValueError, match=f"`items` has 3 values, but X has {n}"):
        ranker.rank(queries.X, groups=queries.groups, items=[1, 2, 3])
    with pytest.raises(ValueError, match="`k` must be an integer >= 1"):
        ranker.rank(queries.X, groups=queries.groups, k=0)


def test_the_same_from_recommenders():
    log = [["ann", "x"], ["ann", "y"], ["bob", "x"], ["bob", "z"], ["cy", "y"], ["cy", "z"]]
    model = ItemNeighborsRecommender().fit(log)
    table = model.rank(["cy", "ann"], k=3)
    # Each has seen all items but one.
    assert {name: column.tolist() for name, column in table.items() if name != "score"} == {
        "query": ["cy", "ann"],
        "item": ["x", "z"],
        "rank": [1, 1],
    }
    lists, scores = model.recommend(
        ["cy", "ann"], 3, exclude_seen=False, return_scores=True
    )
    table = model.rank(["cy", "ann"], 3, exclude_seen=False)
    assert np.array_equal(table["item"], lists.ravel())
    assert np.array_equal(table["score"], scores.ravel())
    assert table["rank"].tolist() == [1, 2, 3] * 2
    assert model.rank(["ann"], 1, items=["z"])["item"].tolist() == ["z"]


def test_groups_reach_a_ranker_that_needs_them_to_predict():
    X, groups = [[3.0, 0.1], [9.0, 0.4], [5.0, 0.2], [2.0, 0.9]], ["a", "a", "b", "b"]
    fusion = RankFusion(method="comb_sum").fit(X, groups=groups)
    table = fusion.rank(X, groups=groups)
    assert table["item"].tolist() == [1, 0, 2, 3]
    assert table["score"].tolist() == [2.0, 0.0, 1.0, 1.0]
