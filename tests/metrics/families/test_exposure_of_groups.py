"""Fairness of exposure: groups of items, and items of equal relevance."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import jensenshannon

from sklearn_rank.metrics import (
    awrf_at_k_score,
    expected_exposure,
    group_exposure,
    make_ranking_scorer,
    max_skew_at_k_score,
    min_skew_at_k_score,
    ndkl_score,
    per_query_scores,
    ranking_scores,
)

EQUAL = {"P": 0.5, "Q": 0.5}
LIST = {"y_true": [0] * 5, "y_score": [5, 4, 3, 2, 1], "groups": [0] * 5}
GROUPS = list("PQPPQ")
METRICS = {
    "awrf": awrf_at_k_score,
    "ndkl": ndkl_score,
    "min_skew": min_skew_at_k_score,
    "max_skew": max_skew_at_k_score,
}


# ---- the specification -----------------------------------------------------------------


def test_ndkl_of_the_specification():
    target = {"P": 0.6, "Q": 0.4}
    found = ndkl_score(**LIST, item_groups=GROUPS, target=target)
    assert found == pytest.approx(0.1865072, abs=5e-8)
    of_rows = ndkl_score(**LIST, item_groups=GROUPS, target="candidates")
    assert of_rows == pytest.approx(found, rel=1e-14)


@pytest.mark.parametrize(("base", "expected"), [(np.e, 0.9951125513), (2, 0.9929489020)])
def test_awrf_of_the_specification(base, expected):
    given = {"discount": "jarvelin", "divergence_base": base}
    found = awrf_at_k_score(**LIST, item_groups=GROUPS, target=EQUAL, **given)
    assert found == pytest.approx(expected, abs=5e-11)
    attention = 1 / np.log2(np.maximum(np.arange(1, 6), 2))
    share = attention[[0, 2, 3]].sum() / attention.sum()
    distance = jensenshannon([share, 1 - share], [0.5, 0.5], base)
    assert found == pytest.approx(1 - distance**2, rel=1e-12)


def test_the_least_awrf_is_0_or_that_of_trec():
    rows = {**LIST, "item_groups": ["P"] * 5, "target": {"P": 0, "Q": 1}}
    assert awrf_at_k_score(**rows) == pytest.approx(0, abs=1e-15)
    found = awrf_at_k_score(**rows, divergence_base=np.e)
    assert found == pytest.approx(1 - np.log(2))


def test_skews_by_hand():
    rows = {**LIST, "item_groups": GROUPS, "target": EQUAL}
    assert max_skew_at_k_score(**rows, k=3) == pytest.approx(np.log(2 / 3 / 0.5))
    assert min_skew_at_k_score(**rows, k=3) == pytest.approx(np.log(1 / 3 / 0.5))
    assert min_skew_at_k_score(**rows, k=2) == 0


# ---- by loops, with ties ---------------------------------------------------------------


def random_rows(seed, n_queries=5):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_queries)
    groups = np.repeat(np.arange(n_queries), sizes)
    scores = rng.choice([0.0, 1, 2], len(groups))
    scores[rng.random(len(groups)) < 0.15] = -np.inf
    shares = rng.dirichlet([1, 1, 1], len(groups))
    return {
        "y_true": rng.choice([0.0, 0, 1, 2], len(groups)),
        "y_score": scores,
        "groups": groups,
        "item_groups": shares,
    }


def orders_of(scores):
    return [
        list(order)
        for order in permutations(np.flatnonzero(scores > -np.inf).tolist())
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]


def target_by_hand(target, grades, shares):
    if isinstance(target, dict):
        return np.array(list(target.values()))
    rows = shares if target == "candidates" else shares[grades > 0]
    return rows.mean(axis=0) if len(rows) else np.full(3, np.nan)


def by_hand(name, scores, shares, fair, k):
    """Return the metric of expected exposure over all orders."""
    orders = orders_of(scores)
    n = min(k, len(orders[0]))
    at_rank = np.mean([shares[order[:n]] for order in orders], axis=0)  # rank × group
    if n == 0 or np.isnan(fair).any():
        return np.nan
    weigh = 1 / np.log2(np.arange(2, n + 2))
    if name == "awrf":
        exposure = weigh @ at_rank / weigh.sum()
        return 1 - jensenshannon(exposure, fair, 2) ** 2
    if name == "ndkl":
        shown = np.cumsum(at_rank, axis=0) / np.arange(1, n + 1)[:, None]
        return weigh @ (shown * np.log(shown / fair)).sum(axis=1) / weigh.sum()
    skews = np.log(at_rank.mean(axis=0) / fair)
    return skews.min() if name == "min_skew" else skews.max()


@pytest.mark.parametrize("target", ["candidates", "relevant", {0: 0.2, 1: 0.3, 2: 0.5}])
@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("name", METRICS)
def test_soft_groups_and_ties_by_loops(name, k, target):
    for seed in range(4):
        rows = random_rows(seed)
        found = [
            METRICS[name](
                **{key: column[rows["groups"] == query] for key, column in rows.items()},
                k=k,
                target=target,
                replace_undefined_by=np.nan,
            )
            for query in range(5)
        ]
        for query, got in enumerate(found):
            of = rows["groups"] == query
            fair = target_by_hand(target, rows["y_true"][of], rows["item_groups"][of])
            args = rows["y_score"][of], rows["item_groups"][of], fair, k
            expected = by_hand(name, *args)
            assert got == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


# ---- targets and groups ----------------------------------------------------------------


def test_the_catalogue_is_the_columns_of_a_grid():
    y_score = np.array([[4.0, 3, 2, 1], [1, 2, 3, 4]])
    rows = {"y_true": np.zeros((2, 4)), "y_score": y_score, "item_groups": list("PPPQ")}
    found = per_query_scores(**rows, metrics="max_skew(target='catalogue')@2")
    expected = [np.log(1 / 0.75), np.log(0.5 / 0.25)]
    assert found.scores["max_skew(target='catalogue')@2"] == pytest.approx(expected)
    soft = {**rows, "item_groups": np.array([[1, 0], [1, 0], [1, 0], [0, 1]])}
    again = per_query_scores(**soft, metrics="max_skew(target='catalogue')@2")
    assert again.mean() == pytest.approx(found.mean())
    with pytest.raises(
        ValueError, match="'catalogue', which is known in the 2-D form only"
    ):
        ndkl_score(**LIST, item_groups=GROUPS, target="catalogue")


@pytest.mark.parametrize("name", [*METRICS, "eel", "eed", "eer"])
@pytest.mark.parametrize("target", ["catalogue", "candidates", "relevant"])
def test_sparse_grids_are_dense_ones(name, target):
    rng = np.random.default_rng(0)
    y_score = rng.choice([1.0, 2.0, 3.0, -np.inf], (6, 12))
    y_score[:, 0] = 4
    y_true = (rng.random(y_score.shape) < 0.3) * rng.choice([1.0, 2.0], y_score.shape)
    y_true[:, 1] = 1
    asked = f"{name}(target={target!r})" if name in METRICS else name
    given = {"metrics": asked, "item_groups": np.arange(12) % 3}
    dense = per_query_scores(y_true, y_score, **given).scores[asked]
    stored = sparse.csr_array(np.where(y_score > -np.inf, y_score, 0))
    for grades in (y_true, sparse.csr_array(y_true)):
        found = per_query_scores(grades, stored, **given).scores[asked]
        np.testing.assert_allclose(found, dense, rtol=1e-12)
    rows = {
        "y_true": y_true.ravel(),
        "y_score": y_score.ravel(),
        "groups": np.repeat(np.arange(6), 12),
        "item_groups": np.tile(np.arange(12) % 3, 6),
    }
    if target != "catalogue":
        flat = per_query_scores(**rows, metrics=asked).scores[asked]
        np.testing.assert_allclose(flat, dense, rtol=1e-12)


def test_a_group_that_only_the_target_has():
    rows = {**LIST, "item_groups": ["P"] * 5, "target": EQUAL}
    assert awrf_at_k_score(**rows) == pytest.approx(
        1 - jensenshannon([1, 0], [0.5] * 2, 2) ** 2
    )
    assert np.isnan(min_skew_at_k_score(**rows, replace_undefined_by=np.nan))


def test_infinite_divergences_are_undefined():
    rows = {**LIST, "item_groups": GROUPS, "target": {"P": 1, "Q": 0}}
    given = {"replace_undefined_by": np.nan}
    assert np.isnan(ndkl_score(**rows, **given))
    assert ndkl_score(**rows, k=1) == 0
    assert np.isnan(max_skew_at_k_score(**rows, k=5, **given))
    assert max_skew_at_k_score(**rows, k=1) == 0


def test_a_data_frame_names_its_groups():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"P": [1, 0, 1, 1, 0], "Q": [0, 1, 0, 0, 1]})
    expected = ndkl_score(**LIST, item_groups=GROUPS, target=EQUAL)
    assert ndkl_score(**LIST, item_groups=frame, target=EQUAL) == expected


def test_a_scorer_takes_a_target_and_a_column():
    class Model:
        def predict(self, X):
            return X[:, 1]

    X = np.column_stack([np.zeros(5), [5, 4, 3, 2, 1], [0, 1, 0, 0, 1]])
    given = {"target": {0.0: 0.5, 1.0: 0.5}, "groups": 0, "item_groups": 2}
    scorer = make_ranking_scorer(["awrf@5", "ndkl"], **given)
    found = scorer(Model(), X, np.zeros(5))
    rows = {**LIST, "item_groups": GROUPS, "target": EQUAL}
    assert found["awrf@5"] == awrf_at_k_score(**rows, k=5)
    assert found["neg_ndkl"] == -ndkl_score(**rows)


@pytest.mark.parametrize("name", METRICS)
def test_no_default_is_fair(name):
    with pytest.raises(ValueError, match=r"`target` is needed: 'catalogue'.*awrf\(target="):
        ranking_scores(**LIST, item_groups=GROUPS, metrics=name)
    with pytest.raises(TypeError, match="target"):
        METRICS[name](**LIST, item_groups=GROUPS)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"target": {"P": 0.5, "Q": 0.6}}, "`target` has shares that add up to 1.1, got"),
        ({"target": {"P": -0.5, "Q": 1.5}}, "`target` has shares that add up to 1, got"),
        ({"target": {}}, "`target` has shares that add up to 0"),
        ({"target": {"P": np.nan, "Q": 1}}, "must be a number of 0 or more"),
        ({"target": {"P": 1}}, "`target` has no share for group 'Q'"),
        ({"target": "catalog"}, "`target` got 'catalog': 'catalogue', 'candidates'"),
        ({"target": None}, "`target` is needed"),
        ({"item_groups": list("PQPP")}, "has 4 value.*5 rows; give the group of each row"),
        ({"item_groups": ["P", "Q", None, "P", "Q"]}, "`item_groups`"),
        (
            {"item_groups": [[0.5, 0.6]] * 5},
            "5 row.s. that are not shares, the first row 0",
        ),
        ({"item_groups": [[1.5, -0.5]] * 5}, "that are not shares"),
        ({"item_groups": [[np.nan, 1]] * 5}, "that are not shares|missing"),
        ({"item_groups": None}, "`item_groups` is needed, the group of each row's item"),
        ({"divergence_base": 1}, "`divergence_base` must be a number > 1"),
    ],
)
def test_bad_input(given, text):
    rows = {**LIST, "item_groups": GROUPS, "target": EQUAL, **given}
    with pytest.raises((ValueError, TypeError), match=text):
        awrf_at_k_score(**rows)


@pytest.mark.parametrize("ties", ["worst", "best"])
@pytest.mark.parametrize("name", ["awrf(target='relevant')", "eel", "eed", "eer"])
def test_no_order_is_known_as_best(name, ties):
    with pytest.raises(ValueError, match="no order of tied rows is known as best"):
        ranking_scores(**LIST, item_groups=GROUPS, metrics=name, ties=ties)


# ---- expected exposure -----------------------------------------------------------------


def exposures(scores, weigh):
    total = np.zeros(len(scores))
    orders = orders_of(scores)
    for order in orders:
        total[order] += weigh(np.arange(1, len(order) + 1)) / len(orders)
    return total


@pytest.mark.parametrize("discount", ["geometric", "log", "reciprocal"])
def test_expected_exposure_by_loops(discount):
    weigh = {
        "geometric": lambda rank: 0.7 ** (rank - 1.0),
        "log": lambda rank: 1 / np.log2(rank + 1),
        "reciprocal": lambda rank: 1 / rank,
    }[discount]
    given = f"(discount={discount!r}, persistence=0.7)"
    for seed in range(6):
        rows = random_rows(seed)
        del rows["item_groups"]
        found = per_query_scores(
            **rows, metrics=[f"{m}{given}" for m in ("eel", "eed", "eer")]
        )
        for query, (eel, eed, eer) in enumerate(zip(*found.scores.values(), strict=True)):
            of = rows["groups"] == query
            exposure = exposures(rows["y_score"][of], weigh)
            equal = exposures(rows["y_true"][of], weigh)
            assert eed == pytest.approx((exposure**2).sum(), rel=1e-12)
            assert eer == pytest.approx((exposure * equal).sum(), rel=1e-12)
            assert eel == pytest.approx(((exposure - equal) ** 2).sum(), abs=1e-12)
            identity = eed - 2 * eer + (equal**2).sum()
            assert eel == pytest.approx(identity, abs=1e-12)


# ---- exposure as it is -----------------------------------------------------------------


def test_group_exposure_of_the_specification():
    """Attention to each item of a group, as FairRankTune has it."""
    found = group_exposure(**LIST, item_groups=GROUPS)
    total = (1 / np.log2(np.arange(2, 7))).sum()
    each = {group: share * total / GROUPS.count(group) for group, share in found.items()}
    assert each == pytest.approx({"P": 0.6435589, "Q": 0.5088913}, abs=5e-8)
    assert each["Q"] / each["P"] == pytest.approx(0.7907455, abs=5e-8)


@pytest.mark.parametrize("k", [1, 3, None])
def test_group_exposure_of_the_system_and_of_queries(k):
    rows = random_rows(1)
    by_query = group_exposure(**rows, k=k, per="query")
    of_system = group_exposure(**rows, k=k)
    total, attention = np.zeros(3), 0.0
    for query in range(5):
        of = rows["groups"] == query
        orders = orders_of(rows["y_score"][of])
        n = len(orders[0]) if k is None else min(k, len(orders[0]))
        weigh = 1 / np.log2(np.arange(2, n + 2))
        at_rank = np.mean([rows["item_groups"][of][o[:n]] for o in orders], axis=0)
        shares = [by_query.scores[str(group)][query] for group in range(3)]
        if n == 0:
            assert np.isnan(shares).all()
            continue
        assert shares == pytest.approx(weigh @ at_rank / weigh.sum(), rel=1e-12)
        total, attention = total + weigh @ at_rank, attention + weigh.sum()
    assert list(of_system.values()) == pytest.approx(total / attention, rel=1e-12)


def test_nothing_is_shown_to_anybody():
    rows = {"y_true": [1, 1], "y_score": [-np.inf] * 2, "groups": [0, 0]}
    found = group_exposure(**rows, item_groups=["P", "Q"])
    assert np.isnan(list(found.values())).all()


DRAWS = {
    "y_true": [1, 1, 0, 0, 1, 1],
    "y_score": [3, 2, 1, 3, 2, 1],
    "items": ["r1", "r2", "n1", "n1", "r1", "r2"],
    "groups": (["q"] * 6, [1, 1, 1, 2, 2, 2]),
}


def test_expected_exposure_of_the_specification():
    found = expected_exposure(**DRAWS)
    assert found.mean() == {"eel": 0.28125, "eed": 1.09375, "eer": 1.0}
    assert found.lower_is_better == {"eel", "eed"}
    shuffled = np.random.default_rng(0).permutation(6)
    rows = {
        name: np.array(DRAWS[name])[shuffled] for name in ("y_true", "y_score", "items")
    }
    rows["groups"] = tuple(np.array(labels)[shuffled] for labels in DRAWS["groups"])
    assert expected_exposure(**rows).mean() == found.mean()


def test_all_orders_of_ties_are_as_many_rankings():
    rows = random_rows(2)
    del rows["item_groups"]
    tied = expected_exposure(**rows)
    scores = ranking_scores(**rows, metrics=["eel", "eed", "eer"])
    assert tied.mean() == pytest.approx(scores, rel=1e-12)
    columns = {"y_true": [], "y_score": [], "items": []}
    queries, draws = [], []
    for query in range(5):
        of = rows["groups"] == query
        for draw, order in enumerate(orders_of(rows["y_score"][of])):
            score = np.full(of.sum(), -np.inf)
            score[order] = -np.arange(len(order))
            columns["y_true"] += rows["y_true"][of].tolist()
            columns["y_score"] += score.tolist()
            columns["items"] += list(range(of.sum()))
            queries += [query] * of.sum()
            draws += [draw] * of.sum()
    apart = expected_exposure(**columns, groups=(queries, draws))
    for name in ("eel", "eed", "eer"):
        np.testing.assert_allclose(apart.scores[name], tied.scores[name], atol=1e-12)


def test_an_item_that_a_ranking_lacks_gets_nothing_there():
    rows = {name: DRAWS[name][:5] for name in ("y_true", "y_score", "items")}
    rows["groups"] = tuple(labels[:5] for labels in DRAWS["groups"])
    found = expected_exposure(**rows)
    expected = np.array([(1 + 0.5) / 2, 0.5 / 2, (0.25 + 1) / 2])
    assert found.mean()["eed"] == pytest.approx((expected**2).sum())


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"groups": None}, "`groups` is required: give the query of each row, or groups="),
        ({"groups": ([1] * 6,)}, "`groups` is a tuple of 1: give .* groups=.query, draw"),
        ({"groups": ([1] * 6, [1] * 5)}, "5 values, but there are 6 rows"),
        ({"items": None}, "`items` is needed, the id of each row's item"),
        ({"items": ["a"] * 5}, "`items` has 5 values, but there are 6 rows"),
        ({"groups": ["q"] * 6}, "query q has the item of row . more than once"),
        ({"y_true": [1, 1, 0, 1, 1, 1]}, "grade 1.0 in one ranking of query q and 0.0"),
        ({"persistence": 1.5}, "`persistence` must be a number between 0 and 1"),
        ({"discount": "linear"}, "`discount` got 'linear'"),
        ({"ties": "best"}, "`ties` got 'best'"),
    ],
)
def test_bad_draws(given, text):
    with pytest.raises(ValueError, match=text):
        expected_exposure(**{**DRAWS, **given})


def test_bad_parameters_of_group_exposure():
    with pytest.raises(ValueError, match="`per` got 'user'"):
        group_exposure(**LIST, item_groups=GROUPS, per="user")
    with pytest.raises(ValueError, match="`k` must be an integer >= 1"):
        group_exposure(**LIST, item_groups=GROUPS, k=0)
    with pytest.raises(ValueError, match="`ties` got 'worst'"):
        group_exposure(**LIST, item_groups=GROUPS, ties="worst")
