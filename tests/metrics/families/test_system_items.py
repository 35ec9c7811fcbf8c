"""Metrics of all lists together: coverage, Gini, entropy, personalization."""

from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import cross_validate

from sklearn_rank.datasets import make_interactions
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    Catalogue,
    coverage_at_k_score,
    make_ranking_scorer,
    make_recommender_scorer,
    per_query_scores,
    personalization_at_k_score,
    ranking_report,
    ranking_scores,
)
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import PopularityRecommender

LISTS = {"u1": [*"def"], "u2": [*"ceg"], "u3": [*"bd"], "u4": [*"bcd"]}
RELEVANT = {"u1": ["e"], "u2": ["c", "e"], "u3": ["d"], "u4": ["f"]}
# Scores of items, many of which tie.
TIED = {
    "u1": {"a": 2, "b": 1, "c": 1, "d": 1},
    "u2": {"b": 3, "c": 3, "d": 2, "e": 1},
    "u3": {"a": 0, "b": 0, "c": 0, "d": 0},
}
CATALOG = "abcdef"
NAMES = [
    "coverage(n_items=500)",
    "coverage(n_items=500, at_users=9)",
    "coverage(n_items=500, denominator='attainable')",
    "gini(n_items=500)",
    "exposure_gini(n_items=500)",
    "exposure_gini(discount='geometric', n_items=500)",
    "entropy",
    "entropy(normalize=True, n_items=500)",
    "personalization",
]


def toy():
    return from_item_lists(RELEVANT, LISTS, return_items=True)


def rows_of(scores):
    rows = [
        (0, score, user, item) for user, of in scores.items() for item, score in of.items()
    ]
    columns = map(list, zip(*rows, strict=True))
    return dict(zip(["y_true", "y_score", "groups", "items"], columns, strict=True))


def every_set_of_lists():
    """Return what all users may be shown, one for each order of all ties."""
    return product(
        *(
            [
                order
                for order in permutations(scores)
                if all(scores[a] >= scores[b] for a, b in pairwise(order))
            ]
            for scores in TIED.values()
        )
    )


def value(name, rows, k=None, **given):
    if k is not None:
        name = f"{name}@{k}"
    return ranking_scores(**rows, metrics=name, **given)[name]


# ---- the specification -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("coverage(n_items=8)@3", 0.75),
        ("entropy@3", 2.4817145730),
        ("entropy(normalize=True, n_items=8)@3", 0.8272381910),
        ("gini(n_items=8)@3", 0.3977272727),
        ("exposure_gini(discount='geometric', n_items=8)@3", 0.4228834596),
        ("personalization@3", 0.6666666667),
        ("user_coverage@3", 0.75),
        ("user_coverage(length='any')@3", 1),
    ],
)
def test_values_of_the_specification(name, expected):
    assert value(name, toy()) == pytest.approx(expected, abs=5e-11)


def test_what_libraries_make_of_them():
    """Elliot: 1 - Gini over N - 1; Evidently: shown items alone, over their number - 1."""
    rows = toy()
    elliot = 1 - value("gini(n_items=8)@3", rows) * 8 / 7
    assert elliot == pytest.approx(0.5454545455, abs=5e-11)
    evidently = value("gini(n_items=6)@3", rows) * 6 / 5
    assert evidently == pytest.approx(0.2363636364, abs=5e-11)
    recbole = value("entropy@3", rows) * np.log(2) / 6
    assert recbole == pytest.approx(0.2866989099, abs=5e-11)
    # Its formula takes all lists for full.
    amounts = np.array([2, 2, 3, 2, 1, 1])
    full = 1 - ((amounts**2).sum() - 11) / (4 * 3) / 3
    assert value("personalization@3", rows) == pytest.approx(full)


def test_ties_of_the_specification():
    rows = rows_of(TIED)
    assert value("coverage(n_items=6)@2", rows) == pytest.approx(11 / 18, rel=1e-14)
    assert value("personalization@2", rows) == pytest.approx(5 / 9, rel=1e-14)


# ---- ties ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3, 4, None])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_coverage_at_users_is_the_mean_over_orders_and_draws(k, m):
    covered = [
        len(set().union(*(set(list_[:k]) for list_ in drawn)))
        for lists in every_set_of_lists()
        for drawn in combinations(lists, m)
    ]
    found = coverage_at_k_score(**rows_of(TIED), k=k, n_items=6, at_users=m)
    assert found == pytest.approx(np.mean(covered) / 6, rel=1e-13)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_personalization_is_the_mean_over_all_orders(k):
    overlap = [
        len(set(one[:k]) & set(other[:k])) / k
        for lists in every_set_of_lists()
        for one, other in combinations(lists, 2)
    ]
    found = personalization_at_k_score(**rows_of(TIED), k=k)
    assert found == pytest.approx(1 - np.mean(overlap), rel=1e-13)


@pytest.mark.parametrize("k", [1, 2, 3, 4, None])
@pytest.mark.parametrize("discount", ["log", "geometric", "reciprocal"])
def test_gini_and_entropy_are_those_of_expected_exposure(k, discount):
    weigh = {
        "log": lambda rank: 1 / np.log2(rank + 1),
        "geometric": lambda rank: 0.85 ** (rank - 1),
        "reciprocal": lambda rank: 1 / rank,
    }[discount]
    orders = list(every_set_of_lists())
    shown, seen = dict.fromkeys(CATALOG, 0.0), dict.fromkeys(CATALOG, 0.0)
    for lists in orders:
        for list_ in lists:
            for rank, item in enumerate(list_[:k], 1):
                shown[item] += 1 / len(orders)
                seen[item] += weigh(rank) / len(orders)

    def gini(amounts):
        x = np.array(list(amounts.values()))
        return np.abs(x[:, None] - x).sum() / (2 * len(x) * x.sum())

    rows = {**rows_of(TIED), "metrics": bind(["gini", "entropy"], k=k, n_items=6)}
    found = ranking_scores(**rows)
    share = np.array([x for x in shown.values() if x]) / sum(shown.values())
    assert found["gini"] == pytest.approx(gini(shown), rel=1e-12)
    assert found["entropy"] == pytest.approx(-(share * np.log2(share)).sum(), rel=1e-12)
    wanted = bind("exposure_gini", k=k, n_items=6, discount=discount)
    found = ranking_scores(**rows_of(TIED), metrics=wanted)
    assert found["exposure_gini"] == pytest.approx(gini(seen), rel=1e-12)


def test_the_order_of_rows_decides_where_it_is_asked_to():
    rows = rows_of(TIED)
    assert value("coverage(n_items=6)@2", rows, ties="first") == 3 / 6
    assert value("personalization@2", rows, ties="first") == pytest.approx(1 - 4 / 6)


@pytest.mark.parametrize("ties", ["worst", "best"])
@pytest.mark.parametrize("name", [*NAMES, "user_coverage"])
def test_no_order_is_better(name, ties):
    with pytest.raises(ValueError, match="no order of tied rows is better"):
        value(name, rows_of(TIED), 2, ties=ties)


# ---- rarefaction -----------------------------------------------------------------------


def many(seed=0, n_users=40):
    rng = np.random.default_rng(seed)
    scores = rng.choice(4, (n_users, 30)).astype(float) if seed % 2 else None
    scores = rng.normal(size=(n_users, 30)) if scores is None else scores
    return {"y_true": np.zeros((n_users, 30)), "y_score": scores}


@pytest.mark.parametrize("seed", [0, 1])
def test_all_users_are_all_users(seed):
    rows = many(seed)
    whole = coverage_at_k_score(**rows, k=3)
    assert coverage_at_k_score(**rows, k=3, at_users=40) == pytest.approx(whole, rel=1e-12)
    fewer = [coverage_at_k_score(**rows, k=3, at_users=m) for m in (1, 5, 20, 40)]
    assert fewer[0] == pytest.approx(3 / 30)
    assert (np.diff(fewer) > 0).all()


def test_folds_of_different_size_compare():
    """More users cover more; as many users, drawn from either, cover as much."""
    large, small = many(0, 400), many(2, 50)
    at = {"k": 1, "at_users": 25}
    assert coverage_at_k_score(**large, k=1) > coverage_at_k_score(**small, k=1) + 0.05
    both = [coverage_at_k_score(**rows, **at) for rows in (large, small)]
    assert both[0] == pytest.approx(both[1], abs=0.05)


def test_attainable_divides_by_what_lists_can_show():
    rows = toy()  # four lists of one item: d, c, b, b
    assert value("coverage(n_items=8, denominator='attainable')@1", rows) == 3 / 4
    assert value("coverage(n_items=8, denominator='attainable')@3", rows) == 6 / 8
    found = value("coverage(n_items=8, at_users=2, denominator='attainable')@1", rows)
    assert found == pytest.approx((2 * 5 + 1 * 1) / 6 / 2)  # of six pairs b, b is one


# ---- parts, weights, forms of input ----------------------------------------------------


def contract_rows():
    rng = np.random.default_rng(5)
    sizes = rng.permutation([1, 2, 3, 5, 8, 30, 33, 64, 150, 400] * 2)
    groups = np.repeat(np.arange(20), sizes)
    y_score = np.round(rng.normal(size=len(groups)), 1)
    y_score[rng.random(len(groups)) < 0.05] = -np.inf
    items = np.concatenate([rng.permutation(500)[:size] for size in sizes])
    return {
        "y_true": np.zeros(len(groups)),
        "y_score": y_score,
        "groups": groups,
        "items": items,
    }


def summary_of(wanted, rows, queries):
    kept = np.isin(rows["groups"], queries)
    part = {name: column[kept] for name, column in rows.items()}
    columns = {"items": part.pop("items")}
    (summary,) = evaluate(wanted, **part, columns=columns).summaries().values()
    return summary


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [3, 20])
@pytest.mark.parametrize("name", NAMES)
def test_halves_merge_into_the_number_of_the_whole(name, k, weighted):
    rows = contract_rows()
    if weighted:
        rows["sample_weight"] = np.random.default_rng(9).integers(1, 3, 20)[rows["groups"]]
    wanted = bind(f"{name}@{k}")
    queries = np.random.default_rng(2).permutation(20)
    whole = summary_of(wanted, rows, queries)
    one, other = (summary_of(wanted, rows, q) for q in np.split(queries, [7]))
    merged = one.merge(other)
    assert merged.result() == pytest.approx(whole.result(), rel=1e-12)
    assert whole.result() == pytest.approx(value(name, rows, k), rel=1e-13)
    assert merged.n == whole.n == 20
    assert np.isnan(whole.standard_error())


@pytest.mark.parametrize("name", NAMES)
def test_small_blocks_change_nothing(name, monkeypatch):
    rows = contract_rows()
    whole = value(name, rows, 3)
    monkeypatch.setattr("sklearn_rank._ranking._rank.RANKED_ROWS", 64)
    monkeypatch.setattr("sklearn_rank._ranking._keys.SORTED_ROWS", 50)
    assert value(name, rows, 3) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_weight_of_two_is_a_user_twice(name):
    rows = contract_rows()
    weight = 1 + (rows["groups"] < 4)
    again = rows["groups"] < 4
    twice = {name: np.r_[column, column[again]] for name, column in rows.items()}
    twice["groups"][len(again) :] += 100
    found = value(name, {**rows, "sample_weight": weight}, 3)
    assert found == pytest.approx(value(name, twice, 3), rel=1e-12)


@pytest.mark.parametrize("name", ["gini(n_items=500)", "entropy"])
@pytest.mark.parametrize("scale", [2.0**-1020, 2.0**1000])
def test_the_scale_of_weights_does_not_matter(name, scale):
    rows = contract_rows()
    weight = 1.0 + (rows["groups"] < 4)
    expected = value(name, {**rows, "sample_weight": weight}, 3)
    found = value(name, {**rows, "sample_weight": weight * scale}, 3)
    assert found == pytest.approx(expected, rel=1e-12)


def test_users_without_weight_show_nothing():
    rows = rows_of(TIED)
    weight = [float(user == "u2") for user in rows["groups"]]
    found = value("coverage(n_items=6)@4", {**rows, "sample_weight": weight})
    assert found == pytest.approx(4 / 6)


@pytest.mark.parametrize("name", NAMES)
def test_rows_in_any_order_and_grids(name):
    rng = np.random.default_rng(1)
    y_score = rng.choice([1.0, 2.0, 3.0, 4.0], (12, 500))
    y_score[rng.random(y_score.shape) < 0.3] = -np.inf
    grid = {"y_true": np.zeros_like(y_score), "y_score": y_score}
    flat = {
        "y_true": np.zeros(y_score.size),
        "y_score": y_score.ravel(),
        "groups": np.repeat(np.arange(12), 500),
        "items": np.tile(np.arange(500), 12),
    }
    order = rng.permutation(y_score.size)
    shuffled = {name: column[order] for name, column in flat.items()}
    expected = value(name, flat, 3)
    assert value(name, shuffled, 3) == pytest.approx(expected, rel=1e-12)
    assert value(name, grid, 3) == pytest.approx(expected, rel=1e-12)


def test_the_columns_of_a_grid_are_the_catalog():
    scores = np.array([[3.0, 2, 1, 0], [3, 2, 1, 0]])
    names = ["coverage@2", "gini@2", "entropy(normalize=True)@2"]
    found = ranking_scores(np.zeros((2, 4)), scores, metrics=names)
    assert list(found.values()) == [0.5, 0.5, 0.5]
    assert coverage_at_k_score(np.zeros((2, 4)), scores, k=2, n_items=8) == 0.25


def test_a_scorer_negates_gini():
    class Model:
        def predict(self, X):
            return X[:, 2]

    X = np.array([[1, 5, 2.0], [1, 6, 1], [2, 6, 2], [2, 7, 1]])
    scorer = make_ranking_scorer(["gini@1", "coverage@1"], groups=0, items=1, n_items=4)
    found = scorer(Model(), X, np.ones(4))
    assert found == {"neg_gini@1": -0.5, "coverage@1": 0.5}


def test_a_report_shows_them_without_an_error():
    report = ranking_report(**toy(), metrics=["coverage(n_items=8)", "ndcg"], k=3)
    assert "coverage(n_items=8)@3  0.7500        nan        4          0" in report


def test_they_have_no_values_of_queries():
    for name in NAMES:
        with pytest.raises(ValueError, match="one value for all queries"):
            per_query_scores(**toy(), metrics=f"{name}@2")
    found = per_query_scores(**toy(), metrics="user_coverage@3")
    assert found.scores["user_coverage@3"].tolist() == [1, 1, 0, 1]


# ---- undefined, and bad input ----------------------------------------------------------


def test_nothing_shown():
    rows = from_item_lists({"ann": ["tea"]}, {"ann": []}, return_items=True)
    assert coverage_at_k_score(**rows, n_items=5) == 0
    assert value("user_coverage", rows) == 0


@pytest.mark.parametrize("name", ["gini(n_items=5)", "entropy", "personalization"])
def test_undefined_follows_the_rule_of_means(name):
    rows = from_item_lists({"ann": ["tea"]}, {"ann": []}, return_items=True)
    with pytest.warns(UndefinedMetricWarning, match=r"1 of 1 queries.*needs two lists"):
        assert np.isnan(value(name, rows))
    assert np.isnan(value(name, rows, replace_undefined_by=np.nan))
    assert value(name, rows, replace_undefined_by=0.25) == 0.25
    report = ranking_report(**rows, metrics=name, output_dict=True)
    assert {row["undefined"] for row in report.values()} == {1}


def test_the_personalization_of_a_single_user_is_undefined():
    rows = from_item_lists({"ann": ["tea"]}, {"ann": ["tea", "jam"]}, return_items=True)
    with pytest.warns(UndefinedMetricWarning, match="personalization"):
        assert np.isnan(personalization_at_k_score(**rows))
    assert personalization_at_k_score(**rows, replace_undefined_by=1.0) == 1.0


def test_all_alike_and_all_different():
    same = {"y_true": np.zeros((3, 4)), "y_score": np.tile([4.0, 3, 2, 1], (3, 1))}
    assert value("personalization@2", same) == 0
    assert value("gini@4", same) == 0
    assert value("entropy@4", same) == 2
    rolled = {**same, "y_score": np.eye(3, 4)}
    assert value("personalization@1", rolled) == 1


@pytest.mark.parametrize("name", ["coverage", "gini", "exposure_gini"])
def test_the_size_of_the_catalog_is_asked_for(name):
    with pytest.raises(ValueError, match=rf"`n_items` is needed.*'{name}\(n_items=1000\)"):
        value(name, toy(), 3)


def test_a_normalized_entropy_asks_for_it_too():
    with pytest.raises(ValueError, match="`n_items` is needed for 'entropy'"):
        value("entropy(normalize=True)@3", toy())


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"n_items": 5}, "`n_items` is 5, but lists show 6 different items"),
        ({"n_items": 0}, "`n_items` must be an integer >= 1"),
        ({"n_items": 8, "at_users": 5}, "`at_users` is 5, but there are 4 users"),
        ({"n_items": 8, "at_users": 0}, "`at_users` must be an integer >= 1"),
        ({"n_items": 8, "denominator": 2}, "`denominator` got 2. Valid: .catalogue"),
    ],
)
def test_bad_numbers(given, text):
    with pytest.raises(ValueError, match=text):
        coverage_at_k_score(**toy(), k=3, **given)


def test_half_a_user_cannot_be_drawn():
    rows = toy()
    rows["sample_weight"] = np.full(len(rows["groups"]), 0.5)
    with pytest.raises(ValueError, match="weights must be whole numbers of users"):
        coverage_at_k_score(**rows, k=3, n_items=8, at_users=1)


def test_personalization_needs_a_cutoff():
    with pytest.raises(TypeError, match="`k` must be an integer >= 1, got None"):
        personalization_at_k_score(**toy(), k=None)


def test_items_are_asked_for():
    rows = from_item_lists(RELEVANT, LISTS)
    with pytest.raises(ValueError, match="`items` is needed"):
        coverage_at_k_score(**rows, n_items=8)


# ---- the number of items of a catalogue, and of a fitted recommender -------------------


def test_a_catalogue_knows_the_number_of_items():
    names = ["coverage@3", "gini@3"]
    catalogue = Catalogue(items=list("abcdefgh"), popularity=[4, 2, 2, 1, 1, 0, 0, 0])
    found = ranking_scores(**toy(), metrics=names, catalogue=catalogue)
    given = ranking_scores(**toy(), metrics=["coverage(n_items=8)@3", "gini(n_items=8)@3"])
    assert list(found.values()) == list(given.values())


def test_a_recommender_scorer_counts_the_items_of_its_training_fold():
    log = make_interactions(40, 30, 250, random_state=0, as_frame=True)
    columns = {"user": "user", "item": "item"}
    scorer = make_recommender_scorer("coverage@5", **columns)
    cv = TimeSplit(n_splits=2, time="time")
    recommender = PopularityRecommender(**columns)
    found = cross_validate(recommender, log, scoring=scorer, cv=cv, return_estimator=True)
    for fitted, (_, test), score in zip(
        found["estimator"], cv.split(log), found["test_score"], strict=True
    ):
        lists = fitted.recommend(log["user"].iloc[test].unique(), 5)
        assert score == len(np.unique(lists)) / len(fitted.items_)


@pytest.mark.parametrize(
    ("score", "parameters"),
    [
        (personalization_at_k_score, {}),
        (coverage_at_k_score, {"n_items": 5, "at_users": 1}),
    ],
)
def test_a_list_that_has_an_item_twice_counts_no_lists(score, parameters):
    """It would be shown by two lists, and personalization be -0.5."""
    rows = {"y_true": [0] * 4, "y_score": [2, 1, 2, 1], "groups": [1, 1, 2, 2]}
    with pytest.raises(ValueError, match="`items` has 'a' twice in one query"):
        score(**rows, items=["a", "a", "a", "b"], k=2, **parameters)
    # Below the cutoff it is not shown.
    score(**rows, items=["a", "a", "a", "b"], k=1, **parameters)
