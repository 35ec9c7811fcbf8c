"""Scorers that say what may be recommended: seen items, candidates, exclusions."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit, cross_validate_per_query
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)

# Small logs repeat most pairs, on purpose: their scores are compared with those of loops.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.exceptions.MisleadingScoreWarning"
)

USERS, ITEMS = 25, 30


def make_log(n_rows=600):
    rng = np.random.default_rng(0)
    users = rng.integers(0, USERS, n_rows)
    items = (users % 3 * 5 + rng.geometric(0.15, n_rows)) % ITEMS
    return np.column_stack([users, items, np.arange(n_rows)])


LOG = make_log()
TRAIN, TEST = LOG[:300], LOG[300:]
POPULAR = PopularityRecommender().fit(TRAIN)
CANDIDATES = {user: np.arange(user % 4, ITEMS, 2 + user % 3) for user in range(USERS)}
EXCLUDED = {user: [user % 7, user % 11 + 3] for user in range(0, USERS, 2)}
METRICS = ["recall@5", "ndcg@5", "precision@5"]


MODELS = {
    "popularity": PopularityRecommender(),
    "neighbors": ItemNeighborsRecommender(),
    "EASE": EASERecommender(),
}


def by_hand(model, rows, *, exclude_seen=True, items=None, exclude=None, k=5):
    """Return the mean recall at k: whole rankings of single users, filtered by a loop."""
    relevant = {}
    for user, item in rows[:, :2].tolist():
        relevant.setdefault(user, set()).add(item)
    recalls = []
    for user, wanted in relevant.items():
        ids, scores = model.recommend(
            [user], len(model.items_), exclude_seen=exclude_seen, return_scores=True
        )
        ranked = ids[0][scores[0] > -np.inf].tolist()
        if items is not None:
            ranked = [one for one in ranked if one in items[user]]
        if exclude is not None:
            ranked = [one for one in ranked if one not in exclude.get(user, ())]
        recalls.append(len(wanted & set(ranked[:k])) / len(wanted))
    return pytest.approx(np.mean(recalls), rel=1e-12)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("exclude_seen", [True, False])
def test_seen_items_as_the_scorer_says(name, exclude_seen):
    model = clone(MODELS[name]).fit(TRAIN)
    scorer = make_recommender_scorer("recall@5", exclude_seen=exclude_seen)
    assert scorer(model, TEST) == by_hand(model, TEST, exclude_seen=exclude_seen)


def test_seen_items_as_the_recommender_says():
    expected = by_hand(POPULAR, TEST, exclude_seen=False)
    scorer = make_recommender_scorer("recall@5")
    assert scorer(PopularityRecommender(exclude_seen=False).fit(TRAIN), TEST) == expected
    assert scorer(POPULAR, TEST) != expected
    says = make_recommender_scorer("recall@5", exclude_seen=True)
    model = PopularityRecommender(exclude_seen=False).fit(TRAIN)
    assert says(model, TEST) == scorer(POPULAR, TEST)


def test_a_search_finds_that_purchases_repeat():
    search = GridSearchCV(
        PopularityRecommender(),
        {"exclude_seen": [True, False]},
        scoring=make_recommender_scorer("recall@5"),
        cv=TimeSplit(2, user=0, item=1, time=2),
        error_score="raise",
    ).fit(LOG)
    assert search.best_params_ == {"exclude_seen": False}


@pytest.mark.parametrize("name", MODELS)
def test_candidates_for_all_users(name):
    model = clone(MODELS[name]).fit(TRAIN)
    in_stock = np.arange(0, ITEMS, 2)
    items = dict.fromkeys(range(USERS), in_stock.tolist())
    expected = by_hand(model, TEST, items=items)
    for given in (in_stock, in_stock.tolist(), pd.Series(in_stock), [*in_stock, 999]):
        assert make_recommender_scorer("recall@5", items=given)(model, TEST) == expected


@pytest.mark.parametrize("name", MODELS)
def test_exclusions_for_all_users(name):
    model = clone(MODELS[name]).fit(TRAIN)
    scorer = make_recommender_scorer("recall@5", exclude=[3, 4, 999])
    exclude = {user: [3, 4] for user in range(USERS)}
    assert scorer(model, TEST) == by_hand(model, TEST, exclude=exclude)


def pairs_of(sets):
    return np.array([(user, item) for user, items in sets.items() for item in items])


def forms_of(sets):
    pairs = pairs_of(sets)
    return [
        sets,
        {user: set(items) for user, items in sets.items()},
        pairs[::-1],
        pd.DataFrame(pairs, columns=["user", "item"]),
    ]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", range(4))
def test_candidates_and_exclusions_of_each_user(name, form):
    model = clone(MODELS[name]).fit(TRAIN)
    test = pd.DataFrame(TEST[:, :2], columns=["user", "item"])
    given = {"items": forms_of(CANDIDATES)[form], "exclude": forms_of(EXCLUDED)[form]}
    for names in (["items"], ["exclude"], ["items", "exclude"]):
        chosen = {one: given[one] for one in names}
        sets = {"items": CANDIDATES, "exclude": EXCLUDED}
        expected = by_hand(model, TEST, **{one: sets[one] for one in names})
        scorer = make_recommender_scorer("recall@5", user="user", item="item", **chosen)
        assert scorer(model, test) == expected


def test_exclusions_for_all_beside_candidates_of_each():
    model = PopularityRecommender().fit(TRAIN)
    scorer = make_recommender_scorer("recall@5", items=CANDIDATES, exclude=[3, 4])
    exclude = {user: [3, 4] for user in range(USERS)}
    assert scorer(model, TEST) == by_hand(POPULAR, TEST, items=CANDIDATES, exclude=exclude)


def judged_rows():
    """Return rows with candidates that were not chosen: their grade is 0."""
    rng = np.random.default_rng(1)
    negatives = np.column_stack([np.repeat(range(USERS), 8), rng.integers(0, ITEMS, 200)])
    X = np.concatenate([TEST[:, :2], negatives])
    return X, np.repeat([1, 0], [len(TEST), len(negatives)])


def test_candidates_are_the_rows_of_the_user():
    X, y = judged_rows()
    items = {user: X[X[:, 0] == user, 1].tolist() for user in range(USERS)}
    scorer = make_recommender_scorer("recall@5", items="rows")
    model = PopularityRecommender().fit(TRAIN)
    assert scorer(model, X, y) == by_hand(POPULAR, TEST, items=items)
    again = make_recommender_scorer("recall@5", items=items)
    assert again(model, X, y) == scorer(model, X, y)


def test_metrics_without_cutoff_rank_the_candidates():
    train = np.array([[0, 1], [0, 2], [1, 1], [2, 1], [2, 3], [1, 3], [1, 4]])
    model = PopularityRecommender().fit(train)  # popular: 1, 3, 2, 4
    X, y = np.array([[9, 3], [9, 2], [9, 4]]), [0, 1, 0]
    assert make_recommender_scorer("mrr", items="rows")(model, X, y) == 1 / 2
    assert make_recommender_scorer("auc", items="rows")(model, X, y) == 1 / 2
    assert make_recommender_scorer("mrr")(model, X, y) == 1 / 3


def test_relevant_items_that_are_no_candidates_are_missed():
    scorer = make_recommender_scorer(["recall@9", "ndcg@9"], items=[1, 2, 3])
    few = scorer(POPULAR, np.array([[77, 2], [77, 9]]))
    assert few["recall@9"] == 1 / 2
    assert scorer(POPULAR, np.array([[77, 9]])) == {"recall@9": 0, "ndcg@9": 0}


def test_a_user_without_candidates_scores_0():
    model = PopularityRecommender().fit(TRAIN)
    rows = np.array([[1, 2], [77, 2], [78, 2]])
    items = {1: [], 77: [2], 78: [999]}
    values = make_recommender_scorer("recall@3", items=items).per_query(model, rows)
    assert values.scores["recall@3"].tolist() == [0, 1, 0]


def test_ids_may_be_strings():
    def named(rows):
        return np.array([[f"u{user}", f"i{item}"] for user, item, _ in rows.tolist()])

    items = {f"u{user}": [f"i{one}" for one in ids] for user, ids in CANDIDATES.items()}
    model = PopularityRecommender()
    scorer = make_recommender_scorer(METRICS, items=items)
    # Popular items tie by their place, which is that of the id.
    order = np.argsort(np.argsort([f"i{one}" for one in range(ITEMS)]))
    renamed = [np.column_stack([rows[:, 0], order[rows[:, 1]]]) for rows in (TRAIN, TEST)]
    sets = {user: order[ids] for user, ids in CANDIDATES.items()}
    numbers = make_recommender_scorer(METRICS, items=sets)
    assert scorer(model.fit(named(TRAIN)), named(TEST)) == pytest.approx(
        numbers(clone(model).fit(renamed[0]), renamed[1]), rel=1e-12
    )  # users are summed up in another order


def test_users_by_batches_get_their_own_candidates(monkeypatch):
    from sklearn_rank.metrics._scorers import _recommender_scorer as module

    model = PopularityRecommender().fit(TRAIN)
    scorer = make_recommender_scorer(METRICS, items=CANDIDATES, exclude=EXCLUDED)
    at_once = scorer(model, TEST)
    monkeypatch.setattr(module, "_BATCH_CELLS", 35)
    assert scorer(model, TEST) == at_once


SCORERS = [
    make_recommender_scorer("recall@5", exclude_seen=False),
    make_recommender_scorer(METRICS, items=CANDIDATES, exclude=EXCLUDED),
    make_recommender_scorer(METRICS, items="rows"),
    make_recommender_scorer("recall@5", items=[1, 2, 3], exclude=pairs_of(EXCLUDED)),
]


@pytest.mark.parametrize("scorer", SCORERS)
def test_copies_score_the_same(scorer):
    model = PopularityRecommender().fit(TRAIN)
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert repr(copy) == repr(scorer)
        assert copy(model, TEST) == scorer(model, TEST)


@pytest.mark.parametrize("scorer", SCORERS)
def test_cross_validation_takes_them(scorer):
    cv = TimeSplit(2, user=0, item=1, time=2, seen_items="drop")
    model = make_pipeline("passthrough", PopularityRecommender())
    found = cross_validate(model, LOG, scoring=scorer, cv=cv, error_score="raise")
    values = cross_validate_per_query(model, LOG, metrics=scorer, cv=cv)
    name = "test_recall@5" if "test_recall@5" in found else "test_score"
    means = [values.scores["recall@5"][values.fold == fold].mean() for fold in range(2)]
    np.testing.assert_allclose(found[name], means)


REPRS = [
    "make_recommender_scorer('recall@5', exclude_seen=False)",
    "make_recommender_scorer('recall@5', user='who', items='rows', exclude=['tea'])",
    "make_recommender_scorer('recall@5', exclude_seen=True, items={'ann': ['tea']})",
]


@pytest.mark.parametrize("call", REPRS)
def test_repr_is_the_call_that_makes_the_scorer(call):
    assert repr(eval(call)) == call


def test_all_held_out_pairs_are_seen_ones():
    repeated = TRAIN[:40]
    scorer = make_recommender_scorer("recall@5")
    message = "100% of 40 relevant rows.*40 repeat.*exclude_seen=False.*seen_items='drop'"
    with pytest.warns(MisleadingScoreWarning, match=message):
        assert scorer(POPULAR, repeated) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scorer(POPULAR, repeated) == 0  # said once
        assert make_recommender_scorer("recall@5", exclude_seen=False)(POPULAR, repeated)
        keeps = PopularityRecommender(exclude_seen=False).fit(TRAIN)
        assert make_recommender_scorer("recall@5")(keeps, repeated)


def test_the_training_data_themselves_may_be_scored():
    assert make_recommender_scorer("recall@5")(POPULAR, TRAIN) == 0


def test_the_training_data_may_have_more_users_than_items():
    # Codes of users and items that add up to the same are different pairs.
    pairs = [(user, item) for user in range(40) for item in range(3) if (user + item) % 3]
    model = PopularityRecommender().fit(pairs)
    with pytest.warns(MisleadingScoreWarning, match="80 relevant rows are those of fit,"):
        assert make_recommender_scorer("recall@1")(model, pairs) == 0
    twice = [*pairs[:-1], *pairs[:-1]]  # as many rows, and not all of them
    with pytest.warns(MisleadingScoreWarning, match="100% of"):
        make_recommender_scorer("recall@1")(model, twice)


def test_metrics_of_what_lists_show_have_nothing_to_hit():
    assert make_recommender_scorer(["novelty@5", "coverage@5"])(POPULAR, TRAIN[:40])


@pytest.mark.parametrize(
    ("n_new", "start"),
    [(49, "51% of 99 relevant"), (50, "50% of 100 relevant rows repeat")],
)
def test_more_than_half_of_rows_are_seen_ones(n_new, start):
    seen = np.unique(TRAIN[:, :2], axis=0)[:50]
    rows = np.concatenate([seen, np.column_stack([np.arange(n_new) + 900, [1] * n_new])])
    scorer = make_recommender_scorer("recall@5")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scorer.per_query(POPULAR, rows)
    assert [str(one.message)[: len(start)] for one in caught] == [start]
    assert all(one.filename == __file__ for one in caught)


class Bare(BaseEstimator):
    def fit(self, X, y=None):
        return self

    def recommend(self, users, k):
        return np.tile([1, 2, 3][:k], (len(users), 1))


@pytest.mark.parametrize(
    ("name", "value"),
    [("exclude_seen", False), ("items", [1, 2]), ("items", "rows"), ("exclude", {0: [1]})],
)
def test_a_recommender_that_does_not_take_it_is_an_error(name, value):
    scorer = make_recommender_scorer("recall@2", **{name: value})
    with pytest.raises(
        TypeError, match=rf"`{name}` was given.*Bare.recommend has no.*{name}"
    ):
        scorer(Bare(), np.array([[0, 1]]))


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"exclude_seen": "no"}, ValueError, "`exclude_seen` got 'no'"),
        ({"items": "stock"}, TypeError, "`items` must be 'rows', ids for all.*'stock'"),
        ({"items": 7}, TypeError, "`items` must be 'rows', ids for all.*got 7"),
        ({"items": []}, ValueError, "`items` is empty"),
        ({"items": np.ones((2, 3))}, ValueError, "`items` must have two columns.*2, 3"),
        ({"exclude": "rows"}, TypeError, "`exclude` must be ids for all users, a mapping"),
        (
            {"exclude": pd.DataFrame({"a": [1]}), "user": 0, "item": 1},
            ValueError,
            "`item=1`",
        ),
    ],
)
def test_what_is_no_set_of_items_is_an_error_at_once(given, kind, message):
    with pytest.raises(kind, match=message):
        make_recommender_scorer("recall@5", **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"items": {"0": [1]}}, "cannot be compared.*Convert"),
        ({"exclude": {"0": [1]}}, "cannot be compared.*Convert"),
        ({"items": ["tea", "jam"]}, r"cannot be compared: `items` has item 'tea' \(str\)"),
        (
            {"items": {user: ["tea"] for user in range(USERS)}},
            "cannot be compared: `items`",
        ),
        ({"exclude": ["7"]}, "Item ids cannot be compared: `exclude` has item '7'"),
        ({"exclude": {0: ["7"]}}, "Item ids cannot be compared: `exclude` has item '7'"),
        ({"exclude": pd.DataFrame({0: [1], 1: ["7"]})}, "Item ids cannot be compared"),
    ],
)
def test_ids_of_another_type_are_an_error(given, message):
    with pytest.raises(TypeError, match=message):
        make_recommender_scorer("recall@5", **given)(POPULAR, TEST)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"items": {0: [1]}}, r"`items` has no candidates of user 1, nor of 23 other"),
        ({"items": [77, 88]}, "None of the 2 candidates.*like 77 here and like 1"),
        ({"items": {user: [77] for user in range(USERS)}}, "None of the 25 candidates"),
    ],
)
def test_sets_that_do_not_fit_the_log_are_an_error(given, message):
    with pytest.raises(ValueError, match=message):
        make_recommender_scorer("recall@5", **given)(POPULAR, TEST)


@pytest.mark.parametrize(
    "given", [{"exclude": list(range(99))}, {"items": [1, 2], "exclude": [2, 1, 3]}]
)
def test_that_nothing_may_be_recommended_is_an_error(given):
    message = "No item may be recommended: `exclude` has all items of the training data"
    with pytest.raises(ValueError, match=message):
        make_recommender_scorer("recall@5", **given)(POPULAR, TEST)
    with pytest.raises(ValueError, match=message):
        POPULAR.recommend([1], 5, **given)


def test_what_is_not_to_be_recommended_need_not_be_known():
    scores = [
        make_recommender_scorer("recall@5", exclude=exclude)(POPULAR, TEST)
        for exclude in (None, [], [999], {0: [999]})
    ]
    assert len(set(scores)) == 1


def test_moments_are_alike_in_whatever_form():
    days = pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03"])
    test = pd.DataFrame({"user": days, "item": days[[1, 2, 0]]})
    model = PopularityRecommender(user="user", item="item").fit(test)
    columns = {"user": "user", "item": "item", "exclude_seen": False}
    every = dict.fromkeys(days, days.tolist())  # its keys are Timestamps
    later = pd.Timestamp("2026-02-01")
    for given in (
        {"items": every},
        {"exclude": [later]},
        {"exclude": np.array([later], "M8[D]")},
        {"exclude": {days[0]: [later]}},
        {"exclude": {days[0].to_pydatetime(): [later.to_pydatetime()]}},
    ):
        assert make_recommender_scorer("recall@3", **columns, **given)(model, test) == 1


def test_one_id_in_place_of_several_is_an_error():
    items = dict.fromkeys(range(USERS), "tea")
    with pytest.raises(TypeError, match="`items` of user 0 is 'tea'; each user"):
        make_recommender_scorer("recall@5", items=items)(POPULAR, TEST)


def test_cutoffs_together_are_each_alone():
    names = ["ndcg@3", "recall@20"]
    found = make_recommender_scorer(names)(POPULAR, TEST)
    alone = {name: make_recommender_scorer(name)(POPULAR, TEST) for name in names}
    assert found == alone
