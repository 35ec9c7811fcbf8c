"""Metrics of what lists show, relevant or not: of each user, and of all users together."""

from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import cross_validate

from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank.datasets import make_interactions
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    make_ranking_scorer,
    make_recommender_scorer,
    per_query_scores,
    ranking_report,
    ranking_scores,
)
from sklearn_rank.metrics._core._evaluate import evaluate, mean_score, metric
from sklearn_rank.metrics._core._parameters import Cutoff
from sklearn_rank.metrics._core._registry import METRICS, bind
from sklearn_rank.metrics._core._side_columns import Column, read_numbers
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import ItemNeighborsRecommender
from tests.docstrings.shared import TABLE, shared_paragraph
from tests.metrics.core import test_contract

BOUGHT = {"ann": {"tea"}, "bob": {"salt": 2, "rice": 1}, "eve": {"jam"}}
SHOWN = {"ann": ["tea", "jam", "milk"], "bob": ["jam", "cake"], "eve": []}
# Relevant items, and scores of items, many of which tie.
TIED = {
    "ann": ({"b"}, {"a": 2, "b": 1, "c": 1, "d": 1}),
    "bob": ({"e"}, {"b": 3, "c": 3, "d": 2, "e": 1}),
    "eve": (set(), {"a": 0, "b": 0, "c": 0, "d": 0}),
}
CATALOG = ["a", "b", "c", "d", "e", "f"]
POPULAR = {"a", "c"}


@pytest.fixture(autouse=True)
def families(add_family):
    return add_family("_long_tail_share"), add_family("_catalog_share")


def rows_with_ties(order=None):
    rows = [
        (item in relevant, score, user, item)
        for user, (relevant, scores) in TIED.items()
        for item, score in scores.items()
    ]
    rows = rows if order is None else [rows[place] for place in order]
    columns = map(list, zip(*rows, strict=True))
    return dict(zip(["y_true", "y_score", "groups", "items"], columns, strict=True))


def every_order():
    """Return for each user all lists that the scores allow, one for each order of ties."""
    return [
        [
            order
            for order in permutations(scores)
            if all(scores[a] >= scores[b] for a, b in pairwise(order))
        ]
        for _, scores in TIED.values()
    ]


# ---- from lists of items ---------------------------------------------------------------


def test_lists_with_items_are_all_they_need(families):
    rows = from_item_lists(BOUGHT, SHOWN, return_items=True)
    found = ranking_scores(
        **rows, metrics=["ndcg@2", "catalog_share@2", "catalog_share(n_items=8)@3", "map"]
    )
    assert list(found) == ["ndcg@2", "catalog_share@2", "catalog_share(n_items=8)@3", "map"]
    assert found["catalog_share@2"] == 3  # tea, jam, cake
    assert found["catalog_share(n_items=8)@3"] == 4 / 8
    alone = from_item_lists(BOUGHT, SHOWN)
    assert found["map"] == ranking_scores(**alone, metrics="map")["map"]
    long_tail, catalog_share = families
    share = long_tail.long_tail_share_at_k_score(
        **rows, k=2, popular={"tea"}, replace_undefined_by=np.nan
    )
    assert share == (1 / 2 + 2 / 2) / 2  # of an empty list there is no share
    assert catalog_share.catalog_share_at_k_score(**rows, k=1, n_items=8) == 2 / 8


def test_a_share_has_values_of_users_and_a_catalog_share_has_not():
    rows = from_item_lists(BOUGHT, SHOWN, return_items=True)
    found = per_query_scores(**rows, metrics="long_tail_share@2")
    assert found.groups.tolist() == ["ann", "bob", "eve"]
    assert found.scores["long_tail_share@2"].tolist() == pytest.approx(
        [1, 1, np.nan], nan_ok=True
    )
    with pytest.raises(ValueError, match="one value for all queries"):
        per_query_scores(**rows, metrics="catalog_share@2")
    report = ranking_report(**rows, metrics=["catalog_share", "long_tail_share"], k=2)
    assert "catalog_share@2    3.0000        nan        3          0" in report


def test_items_are_asked_for_where_they_are_missing():
    with pytest.raises(ValueError, match="`items` is needed, the id of each row's item"):
        ranking_scores(**from_item_lists(BOUGHT, SHOWN), metrics="catalog_share")


# ---- ties ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3, 4, None])
def test_a_share_is_the_mean_over_all_orders(families, k):
    expected = [
        np.mean([np.mean([item not in POPULAR for item in list_[:k]]) for list_ in lists])
        for lists in every_order()
    ]
    share = families[0].long_tail_share_at_k_score
    found = share(**rows_with_ties(), k=k, popular=POPULAR)
    assert found == pytest.approx(np.mean(expected), rel=1e-14)


@pytest.mark.parametrize("k", [1, 2, 3, 4, None])
def test_catalog_share_is_the_mean_over_all_orders_of_all_lists(families, k):
    expected = np.mean(
        [
            len(set().union(*(set(list_[:k]) for list_ in lists)))
            for lists in product(*every_order())
        ]
    )
    catalog_share = families[1].catalog_share_at_k_score
    assert catalog_share(**rows_with_ties(), k=k) == pytest.approx(expected, rel=1e-14)
    assert catalog_share(**rows_with_ties(), k=k, n_items=6) == pytest.approx(expected / 6)


def test_ties_by_hand(families):
    """Two ranks: ann a and one of bcd; bob b, c; eve two of abcd."""
    shown = 1 + 1 + 1 + (1 - 2 / 3 * 1 / 2)  # a, b, c, and d of ann or of eve
    found = families[1].catalog_share_at_k_score(**rows_with_ties(), k=2)
    assert found == pytest.approx(shown, rel=1e-15)


def test_the_order_of_rows_decides_where_it_is_asked_to(families):
    found = families[1].catalog_share_at_k_score(**rows_with_ties(), k=2, ties="first")
    assert found == len({"a", "b"} | {"b", "c"} | {"a", "b"})


@pytest.mark.parametrize("ties", ["worst", "best"])
def test_no_order_is_better_or_worse(families, ties):
    with pytest.raises(ValueError, match="no order of tied rows is better"):
        families[1].catalog_share_at_k_score(**rows_with_ties(), ties=ties)
    with pytest.raises(ValueError, match="no order of tied rows is better"):
        ranking_scores(**rows_with_ties(), metrics=["ndcg", "catalog_share"], ties=ties)


# ---- every form of input ---------------------------------------------------------------


def share_and_catalog_share(families, rows, **given):
    long_tail, catalog_share = families
    share = long_tail.long_tail_share_at_k_score(**rows, k=3, popular=POPULAR, **given)
    return share, catalog_share.catalog_share_at_k_score(**rows, k=2, **given)


def test_rows_in_any_order(families):
    expected = share_and_catalog_share(families, rows_with_ties())
    rng = np.random.default_rng(0)
    for _ in range(5):
        rows = rows_with_ties(rng.permutation(12))
        assert share_and_catalog_share(families, rows) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("form", ["dense", "sparse", "sparse grades"])
@pytest.mark.parametrize("n_items", [9, 900])
def test_grids_have_items_as_columns(families, form, n_items):
    """Also of many columns, whose ranks below the cutoff are not worked out."""
    rng = np.random.default_rng(1)
    y_score = rng.choice([1.0, 2.0, 3.0, 4.0], (7, n_items))
    y_score[rng.random(y_score.shape) < 0.3] = -np.inf
    y_true = (rng.random(y_score.shape) < 0.2).astype(float)
    y_true[:, 4] = 1
    retrieved = y_score > -np.inf
    flat = {
        "y_true": y_true.ravel(),
        "y_score": y_score.ravel(),
        "groups": np.repeat(np.arange(7), n_items),
        "items": np.tile(np.arange(n_items), 7),
    }
    shuffled = rng.permutation(7 * n_items)
    grid = {"y_true": y_true, "y_score": y_score}
    if form != "dense":
        grid["y_true"] = sparse.csr_array(y_true)
    if form == "sparse":
        grid["y_score"] = sparse.csr_array(np.where(retrieved, y_score, 0))
    names = ["catalog_share@2", "catalog_share@3", "long_tail_share@2", "ndcg@3"]
    expected = ranking_scores(
        **{name: column[shuffled] for name, column in flat.items()}, metrics=names
    )
    assert ranking_scores(**flat, metrics=names) == pytest.approx(expected, rel=1e-13)
    assert ranking_scores(**grid, metrics=names) == pytest.approx(expected, rel=1e-13)
    alone = {name: ranking_scores(**grid, metrics=name)[name] for name in names}
    assert alone == pytest.approx(expected, rel=1e-13)
    labeled = families[0].long_tail_share_at_k_score(
        **grid, items=[f"i{i}" for i in range(n_items)], k=2, popular=["i0", "i1"]
    )
    by_number = families[0].long_tail_share_at_k_score(**grid, k=2, popular=[0, 1])
    assert labeled == by_number < 1


def test_small_blocks_change_nothing(families, monkeypatch):
    rng = np.random.default_rng(2)
    rows = {
        "y_true": rng.choice([0, 0, 1], 600),
        "y_score": rng.choice([1, 2, 3, 4], 600),
        "groups": np.sort(rng.integers(0, 60, 600)),
        "items": rng.integers(0, 500, 600),
    }
    whole = share_and_catalog_share(families, rows)
    monkeypatch.setattr("sklearn_rank._ranking._rank.RANKED_ROWS", 64)
    monkeypatch.setattr("sklearn_rank._ranking._keys.SORTED_ROWS", 50)
    assert share_and_catalog_share(families, rows) == pytest.approx(whole, rel=1e-14)


# ---- what nobody judged is shown all the same ------------------------------------------


def test_rows_that_nobody_judged_are_shown(families):
    rows = rows_with_ties()
    expected = share_and_catalog_share(families, rows)
    rows["y_true"] = [
        np.nan if place % 2 else grade for place, grade in enumerate(rows["y_true"])
    ]
    assert share_and_catalog_share(families, rows) == pytest.approx(expected, rel=1e-14)


def test_beside_metrics_of_judgments_nothing_is_lost():
    judged = {"ann": {"tea": 1, "jam": 0}, "bob": {"salt": 2, "rice": 1}}
    rows = from_item_lists(
        judged, {"ann": SHOWN["ann"], "bob": SHOWN["bob"]}, return_items=True
    )
    found = ranking_scores(**rows, metrics=["judged@3", "catalog_share@3"])
    assert found["catalog_share@3"] == 4  # tea, jam, milk, cake
    assert found["judged@3"] == pytest.approx((2 / 3 + 0 / 2) / 2)


# ---- weights, and parts ----------------------------------------------------------------


def test_equal_weights_are_none_and_queries_without_weight_show_nothing(families):
    rows = rows_with_ties()
    expected = share_and_catalog_share(families, rows)
    for weight in (1, 0.25, 8):
        found = families[0].long_tail_share_at_k_score(
            **rows, k=3, popular=POPULAR, sample_weight=[weight] * 12
        )
        assert found == pytest.approx(expected[0], rel=1e-14)
    assert share_and_catalog_share(families, rows, sample_weight=[1] * 12) == pytest.approx(
        expected, rel=1e-14
    )
    weight = [float(user == "bob") for user in rows["groups"]]
    assert families[1].catalog_share_at_k_score(**rows, k=4, sample_weight=weight) == 4


def test_a_weight_of_two_is_a_query_twice(families):
    rows = rows_with_ties()
    weight = [1 + (user == "eve") for user in rows["groups"]]
    twice = {name: column + column[8:] for name, column in rows.items()}
    twice["groups"] = twice["groups"][:12] + ["eve again"] * 4
    found = families[1].catalog_share_at_k_score(**rows, k=2, sample_weight=weight)
    expected = families[1].catalog_share_at_k_score(**twice, k=2)
    assert found == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("ties", ["average", "first"])
@pytest.mark.parametrize("name", ["long_tail_share", "long_tail_share@3"])
def test_a_share_keeps_the_promises_of_the_core(name, ties, monkeypatch):
    defaults = METRICS["long_tail_share"].parameters  # of this test alone
    defaults["popular"] = range(0, 500, 3)
    test_contract.test_a_query_has_the_same_value_alone_and_among_others(name, ties)
    test_contract.test_a_query_has_the_same_value_in_every_block(name, monkeypatch)
    test_contract.test_long_lists_give_what_short_ones_give(name)
    for weighted in (False, True):
        test_contract.test_halves_merge_into_the_number_of_the_whole(name, weighted)


@pytest.mark.parametrize("k", [2, None])
def test_halves_merge_into_the_catalog_share_of_the_whole(k):
    rows = test_contract.rows_for("long_tail_share")
    rows["sample_weight"] = np.random.default_rng(9).integers(0, 3, 20)[rows["groups"]]
    (wanted,) = bind("catalog_share", k=k, n_items=500)
    names = ("y_true", "y_score", "groups")

    def summary_of(queries):
        part = test_contract.of_queries(rows, queries)
        columns = {"items": part.pop("items")}
        part = {name: part[name] for name in (*names, "sample_weight")}
        return evaluate([wanted], **part, columns=columns).summaries()["catalog_share"]

    whole = summary_of(range(20))
    merged = summary_of(range(7)).merge(summary_of(range(7, 20)))
    assert 0 < whole.result() < 1
    assert merged.result() == pytest.approx(whole.result(), rel=1e-14)
    assert merged.n == whole.n


def test_parts_merge_by_the_labels_of_items():
    lists = {1: [("a", 1), 7, "tea"], 2: [7, b"x"], 3: ["tea", 8.5]}
    wanted = bind("catalog_share@2")

    def summary_of(users):
        rows = from_item_lists(
            {u: [] for u in users}, {u: lists[u] for u in users}, return_items=True
        )
        columns = {"items": rows.pop("items")}
        return evaluate(wanted, **rows, columns=columns).summaries()["catalog_share@2"]

    whole = summary_of([1, 2, 3])
    merged = summary_of([1]).merge(summary_of([2])).merge(summary_of([3]))
    assert merged.result() == whole.result() == 5
    assert merged.n == whole.n == 3
    assert set(merged.items.tolist()) == {("a", 1), 7, b"x", "tea", 8.5}


# ---- scorers ---------------------------------------------------------------------------


def test_a_ranking_scorer_takes_items_from_a_column(families):
    class Model:
        def predict(self, X):
            return X[:, 2]

    rows = rows_with_ties()
    users = np.unique(rows["groups"], return_inverse=True)[1]
    items = [CATALOG.index(item) for item in rows["items"]]
    X = np.column_stack([users, items, rows["y_score"]])
    names = ["catalog_share@2", "long_tail_share@3"]
    scorer = make_ranking_scorer(names, groups=0, items=1, popular={0, 2})  # a and c
    found = scorer(Model(), X, np.array(rows["y_true"], dtype=float))
    share, catalog_share = share_and_catalog_share(families, rows)
    assert found == pytest.approx({names[0]: catalog_share, names[1]: share}, rel=1e-14)


def test_a_recommender_scorer_hands_items_on(monkeypatch):
    log = make_interactions(60, 40, 600, random_state=0, as_frame=True)
    popular = set(log["item"].value_counts().index[:8])
    columns = {"user": "user", "item": "item"}
    scorer = make_recommender_scorer(
        ["ndcg@5", "catalog_share@5", "long_tail_share@5"],
        popular=popular,
        n_items=40,
        **columns,
    )
    found = cross_validate(
        ItemNeighborsRecommender(**columns),
        log,
        cv=TimeSplit(2, test_size=0.2, time="time"),
        scoring=scorer,
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    for fold, estimator in enumerate(found["estimator"]):
        test = log.iloc[found["indices"]["test"][fold]]
        lists = estimator.recommend(test["user"].unique(), 5)
        shown = np.unique(lists)
        assert found["test_catalog_share@5"][fold] == pytest.approx(len(shown) / 40)
        is_unpopular = ~np.isin(lists, list(popular))
        assert found["test_long_tail_share@5"][fold] == pytest.approx(is_unpopular.mean())
        monkeypatch.setattr(
            "sklearn_rank.metrics._scorers._recommender_scorer._BATCH_CELLS", 50
        )
        assert scorer(estimator, test) == pytest.approx(
            {n.name: found[f"test_{n.name}"][fold] for n in scorer._wanted}
        )
        monkeypatch.undo()


# ---- a column of its own -----------------------------------------------------------------

PRICE = Column("price", "the price of each row's item", read_numbers)


def mean_price(lists: RankedLists, k: Cutoff) -> Any:
    places = lists.every_place(k)
    price = places.share(lists.column("price").astype(float))
    return divide(lists.sum(places.query, price), lists.n_shown(k))


def mean_price_at_k_score(
    y_true,
    y_score,
    *,
    groups=None,
    price,
    k=10,
    ties="average",
    sample_weight=None,
    replace_undefined_by="warn",
):
    """Mean price at ``k``. Higher is better."""
    rows = y_true, y_score, groups, sample_weight
    own = {"price": price, "k": k}
    return mean_score(mean_price_at_k_score, rows, own, ties, replace_undefined_by)


# Called in tests, after which the registry forgets the metric.
declare_mean_price = metric(mean_price, rows="shown", columns=(PRICE,))


@pytest.mark.parametrize("ties", ["average", "first"])
@pytest.mark.parametrize("name", ["mean_price", "mean_price@3"])
def test_a_metric_with_a_column_of_its_own_needs_no_other_change(
    name, ties, monkeypatch, definitions
):
    declare_mean_price(mean_price_at_k_score)
    test_contract.test_a_query_has_the_same_value_alone_and_among_others(name, ties)
    test_contract.test_a_query_has_the_same_value_in_every_block(name, monkeypatch)
    test_contract.test_long_lists_give_what_short_ones_give(name)
    test_contract.test_halves_merge_into_the_number_of_the_whole(name, weighted=True)
    assert ":Needs: ``price``, the price of each row's item" in definitions.definitions()
    (found,) = test_contract.values_of(name, test_contract.rows_for(name)).scores.values()
    assert len(np.unique(found)) > 5


@pytest.mark.parametrize(
    "function", ["long_tail_share_at_k_score", "mean_price_at_k_score"]
)
def test_the_shared_lines_on_ties_and_judgments_are_true(function):
    declare_mean_price(mean_price_at_k_score)
    ties = shared_paragraph(TABLE, "Parameters", "ties", function)
    assert ties.kind.startswith('{"average", "first"}')
    assert "No order is best" in ties.text
    assert (
        "NaN is unjudged" in shared_paragraph(TABLE, "Parameters", "y_true", function).text
    )


def test_so_is_that_on_a_number_of_all_lists():
    ties = shared_paragraph(TABLE, "Parameters", "ties", "catalog_share_at_k_score")
    assert ties.kind.startswith('{"average", "first"}')


# ---- the page --------------------------------------------------------------------------


def test_they_have_sections_on_the_page_of_definitions(definitions):
    text = definitions.definitions()
    for name in ("catalog-share", "long-tail-share"):
        assert f".. _metric-{name}:" in text
    assert ":Needs: ``items``, the id of each row's item" in text
    row = definitions.behavior_table().partition(
        "`catalog_share@2 <metric-catalog-share>`"
    )[2]
    assert row.splitlines()[1] == "     - 2"
