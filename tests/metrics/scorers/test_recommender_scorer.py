"""The scorer of recommenders against plain loops over a small log."""

import pickle
from math import log2

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_rank.metrics import make_recommender_scorer, roc_auc_per_query_score
from sklearn_rank.metrics._scorers import _recommender_scorer as module
from sklearn_rank.model_selection import LeaveLastOut
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RandomRecommender,
    UserNeighborsRecommender,
)

# Small logs repeat most pairs, on purpose: their scores are compared with those of loops.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.exceptions.MisleadingScoreWarning"
)


def make_log(n_rows=400, n_users=25, n_items=30):
    rng = np.random.default_rng(0)
    users = rng.integers(0, n_users, n_rows)
    items = (users % 3 * 5 + rng.geometric(0.15, n_rows)) % n_items
    return np.column_stack([users, items])


LOG = make_log()
TRAIN, TEST = LOG[:300], LOG[300:]
POPULAR = PopularityRecommender().fit(TRAIN)
MODELS = {
    "popularity": PopularityRecommender(),
    "neighbors": ItemNeighborsRecommender(),
    "factorization": MatrixFactorizationRecommender(TruncatedSVD(4, random_state=0)),
}


def held_out(rows):
    """Return the set of held-out items of each user."""
    found = {}
    for user, item in rows.tolist():
        found.setdefault(user, set()).add(item)
    return found


def lists_of(model, k, rows=TEST):
    """Return each test user with the recommended items, seen ones left out, by a loop."""
    users, lists = list(held_out(rows)), {}
    # All users in one call, as in the scorer: BLAS may round a product of one row otherwise
    # than that of many, which decides between items of nearly equal scores.
    items, scores = model.recommend(users, len(model.items_), return_scores=True)
    for user, of_user, score in zip(users, items.tolist(), scores, strict=True):
        ranked = zip(of_user, score, strict=True)
        lists[user] = [item for item, score in ranked if score > -np.inf][:k]
    return lists


def hits_of(model, k, rows=TEST):
    relevant = held_out(rows)
    return {
        user: [item in relevant[user] for item in items]
        for user, items in lists_of(model, k, rows).items()
    }


def mean(values):
    values = list(values)
    return pytest.approx(sum(values) / len(values), rel=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_of_a_plain_loop(name):
    model = clone(MODELS[name]).fit(TRAIN)
    relevant, hits = held_out(TEST), hits_of(model, 5)
    score = make_recommender_scorer(["precision@5", "recall@5", "ndcg@5", "mrr@5"])(
        model, TEST
    )
    assert score["precision@5"] == mean(sum(hits[u]) / 5 for u in hits)
    assert score["recall@5"] == mean(sum(hits[u]) / len(relevant[u]) for u in hits)
    assert score["mrr@5"] == mean(
        1 / (hits[u].index(True) + 1) if any(hits[u]) else 0 for u in hits
    )
    assert score["ndcg@5"] == mean(dcg(hits[u]) / best(len(relevant[u]), 5) for u in hits)


def dcg(gains):
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def best(n_relevant, k):
    return dcg([1] * min(n_relevant, k))


def test_one_metric_is_one_float():
    one = make_recommender_scorer("ndcg@5")(POPULAR, TEST)
    several = make_recommender_scorer(["mrr", "ndcg@5"])(POPULAR, TEST)
    assert type(one) is float
    assert one == several["ndcg@5"]


def test_a_metric_without_cutoff_ranks_the_whole_catalog():
    relevant, hits = held_out(TEST), hits_of(POPULAR, None)
    score = make_recommender_scorer("ndcg")(POPULAR, TEST)
    assert score == mean(dcg(hits[u]) / best(len(relevant[u]), 99) for u in hits)


def make_whole_lists(monkeypatch):
    """Make scorers rank whole lists, as for recommenders that only give lists."""
    monkeypatch.setattr(module, "rank_rows", lambda *arguments: None)


COUNTED = {
    "popularity": PopularityRecommender(),
    "neighbors": ItemNeighborsRecommender(3),
    "bm25": ItemNeighborsRecommender(20, similarity="bm25", exclude_seen=False),
    "users": UserNeighborsRecommender(3, similarity="jaccard"),
    "ease": EASERecommender(10.0),
    "factors": MatrixFactorizationRecommender(TruncatedSVD(5, random_state=0)),
    "lately": ItemNeighborsRecommender(3, new_users=RandomRecommender(random_state=0)),
}
UNCUT = ["mrr", "map", "ndcg", "mean_rank", "auc", "recall@3", "ndcg@10", "precision"]
UNCUT += ["err(max_grade=3)", "rbp", "hit_rate@1", "r_precision", "accuracy", "fallout"]


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("ties", ["average", "worst", "first"])
def test_counted_ranks_have_the_values_of_whole_lists(name, ties, monkeypatch):
    """To the last bit, with ties, grades, repeated rows, and unknown users and items."""
    rows = make_log(3_000, n_users=120, n_items=90)
    test = make_log(900, n_users=130, n_items=95)[450:]
    model = clone(COUNTED[name]).fit(rows[:900])
    y = np.random.default_rng(1).integers(0, 4, len(test))
    scorer = make_recommender_scorer(UNCUT, ties=ties, replace_undefined_by=np.nan)
    found = scorer.per_query(model, test, y)
    make_whole_lists(monkeypatch)
    expected = scorer.per_query(model, test, y)
    assert found.groups.tolist() == expected.groups.tolist()
    assert found.longest_list == expected.longest_list
    for metric in found.scores:
        np.testing.assert_array_equal(found[metric], expected[metric], err_msg=metric)


def test_whole_lists_are_not_made_where_ranks_can_be_counted(monkeypatch):
    model = ItemNeighborsRecommender().fit(TRAIN)
    expected = make_recommender_scorer(["mrr", "mrr@10"])(model, TEST)
    monkeypatch.setattr(module.ListsOfUsers, "recommend", None)
    assert make_recommender_scorer("mrr")(model, TEST) == expected["mrr"]
    for metric in ("mrr@10", ["mrr", "novelty"]):
        with pytest.raises(TypeError, match="not callable"):
            make_recommender_scorer(metric)(model, TEST)


@pytest.mark.parametrize("options", [{}, {"exclude": [0, 1]}, {"items": range(12)}])
@pytest.mark.parametrize("dislikes", [[(0, 2)], [(user, 2) for user in range(9)]])
def test_items_that_are_left_out_are_not_ranked(options, dislikes, monkeypatch):
    model = ItemNeighborsRecommender().fit(TRAIN).update(dislikes=dislikes)
    scorer = make_recommender_scorer(["mrr", "recall"], **options)
    found = scorer(model, TEST)
    make_whole_lists(monkeypatch)
    assert scorer(model, TEST) == found


def test_the_share_of_wrong_items_is_of_all_that_may_be_recommended():
    relevant, hits = held_out(TEST), hits_of(POPULAR, None)
    score = make_recommender_scorer("fallout@5")(POPULAR, TEST)
    assert score == pytest.approx(
        -np.mean([(5 - sum(hits[u][:5])) / hits[u].count(False) for u in relevant])
    )


def test_users_can_be_weighted_by_their_pairs():
    rows = {"y_true": [], "y_score": [], "groups": []}
    relevant = held_out(TEST)
    for user, items in lists_of(POPULAR, None).items():
        missed = relevant[user] - set(items)
        rows["y_true"] += [item in relevant[user] for item in items] + [True] * len(missed)
        rows["y_score"] += [-rank for rank in range(len(items))] + [-np.inf] * len(missed)
        rows["groups"] += [user] * (len(items) + len(missed))
    for weighting in ("query", "positives", "pairs"):
        score = make_recommender_scorer("auc", weighting=weighting)(POPULAR, TEST)
        expected = roc_auc_per_query_score(**rows, weighting=weighting)
        assert score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("cells", [1, 60, 170])
def test_batches_do_not_matter(cells, monkeypatch):
    grades = 1 + TEST[:, 1] % 3
    metrics = ["ndcg@5", "rbp(max_grade=3)", "err(max_grade=3)@5"]
    metrics.append("auc(weighting='positives')")
    scorer = make_recommender_scorer(metrics)
    at_once = scorer(POPULAR, TEST, grades)
    values = scorer.per_query(POPULAR, TEST, grades)
    sizes = []
    recommend = POPULAR.recommend

    class Watched(BaseEstimator):
        items_ = POPULAR.items_

        def recommend(self, users, k=10, *, return_scores=False):
            sizes.append(len(users))
            return recommend(users, k, return_scores=return_scores)

    monkeypatch.setattr(module, "_BATCH_CELLS", cells)
    assert scorer(Watched(), TEST, grades) == at_once
    assert max(sizes) == max(cells // len(POPULAR.items_), 1)
    assert sum(sizes) == len(values.groups)
    again = scorer.per_query(Watched(), TEST, grades)
    for name in metrics:
        np.testing.assert_array_equal(again.scores[name], values.scores[name])


def test_repeats_in_the_held_out_rows_count_once():
    scorer = make_recommender_scorer(["ndcg@5", "recall@5"])
    repeated = np.concatenate([TEST, TEST[::-1], TEST[:7]])
    assert scorer(POPULAR, repeated) == scorer(POPULAR, TEST)


def test_of_rows_that_repeat_a_pair_the_highest_grade_counts():
    rows = np.array([[0, 7], [0, 7], [0, 7], [0, 8]])
    scorer = make_recommender_scorer("ndcg@2")
    score = scorer(Fixed([8, 7]), rows, [1, 3, 2, 1])
    assert score == pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))


def test_grades_and_the_lowest_that_is_relevant():
    rows = np.array([[0, 1], [0, 2], [0, 3]])
    model = Fixed([1, 2, 3])
    graded = make_recommender_scorer("dcg@3")(model, rows, [2, 0, 5])
    assert graded == pytest.approx(2 + 0 + 5 / log2(4))
    strict = make_recommender_scorer("dcg@3", min_relevance=4)(model, rows, [2, 0, 5])
    assert strict == pytest.approx(5 / log2(4))
    binary = make_recommender_scorer("dcg@3", gain=np.sign)(model, rows, [2, 0, 5])
    assert binary == pytest.approx(1 + 1 / log2(4))
    without_y = make_recommender_scorer("dcg@3")(model, rows)
    assert without_y == pytest.approx(1 + 1 / log2(3) + 1 / log2(4))


def test_a_user_without_anything_relevant_is_undefined():
    rows = np.array([[0, 1], [1, 2]])
    with pytest.warns(UndefinedMetricWarning, match="ndcg@2: undefined for some queries"):
        score = make_recommender_scorer("ndcg@2")(Fixed([1, 2]), rows, [1, 0])
    assert score == 1
    counting = make_recommender_scorer("ndcg@2", replace_undefined_by=0.0)
    assert counting(Fixed([1, 2]), rows, [1, 0]) == 0.5
    assert counting.per_query(Fixed([1, 2]), rows, [1, 0]).scores["ndcg@2"].tolist() == [
        1,
        0,
    ]


def test_values_per_user_have_the_score_as_their_mean():
    scorer = make_recommender_scorer(["ndcg@5", "mean_rank"])
    found = scorer.per_query(POPULAR, TEST)
    score = scorer(POPULAR, TEST)
    assert found.groups.tolist() == sorted(held_out(TEST))
    assert found.scores["ndcg@5"].mean() == pytest.approx(score["ndcg@5"])
    assert np.nanmean(found.scores["mean_rank"]) == pytest.approx(-score["neg_mean_rank"])
    assert found.to_frame().shape == (len(found.groups), 2)


class Fixed(BaseEstimator):
    """Recommends the same to everybody: `recommend` is all that the scorer needs."""

    def __init__(self, items=()):
        self.items = items

    def fit(self, X, y=None):
        return self

    def recommend(self, users, k):
        return np.tile(self.items[:k], (len(users), 1))


class MostRecent(BaseEstimator):
    """A recommender somebody else wrote, with ids that are strings."""

    def fit(self, X, y=None):
        self.items_ = X["item"].iloc[::-1].drop_duplicates().to_numpy()
        return self

    def recommend(self, users, k):
        return np.tile(self.items_[:k], (len(users), 1))


def test_a_recommender_needs_but_one_method():
    log = pd.DataFrame(
        {
            "user": ["ann", "bob", "ann", "bob", "eve", "ann"],
            "item": ["tea", "tea", "milk", "jam", "milk", "jam"],
        }
    )
    train, test = log[:4], log[4:]
    model = MostRecent().fit(train)
    scorer = make_recommender_scorer("mrr@2", user="user", item="item")
    # Recommended are jam, then milk: eve had milk, ann had jam.
    assert scorer(model, test) == (1 / 2 + 1) / 2
    scores = cross_val_score(
        MostRecent(), log, scoring=scorer, cv=[([0, 1, 2, 3], [4, 5])], error_score="raise"
    )
    assert scores == (1 / 2 + 1) / 2


def test_a_catalog_that_is_unknown_needs_a_cutoff():
    rows = np.array([[0, 1]])
    assert make_recommender_scorer("mrr@2")(Fixed([2, 1]), rows) == 0.5
    with pytest.raises(TypeError, match=r"Fixed has no `items_`.*with a cutoff"):
        make_recommender_scorer("mrr")(Fixed([2, 1]), rows)


def test_lists_end_before_items_that_only_fill_up():
    class Filling(Fixed):
        def recommend(self, users, k, *, return_scores=False):
            scores = np.tile([2.0, 1.0, -np.inf], (len(users), 1))
            items = super().recommend(users, k)
            return (items, scores) if return_scores else items

    rows = np.array([[0, 3], [1, 2]])
    scorer = make_recommender_scorer("recall@3")
    assert scorer(Filling([1, 2, 3]), rows) == 1 / 2
    assert scorer(Fixed([1, 2, 3]), rows) == 1


def test_items_seen_in_training_are_not_hit():
    train = np.array([[0, 1], [0, 2], [1, 1], [1, 3]])
    model = PopularityRecommender().fit(train)
    scorer = make_recommender_scorer("recall@3")
    assert scorer(model, np.array([[0, 3]])) == 1
    assert scorer(model, np.array([[0, 1]])) == 0


def test_users_unknown_to_training_get_what_is_popular():
    train = np.array([[0, 1], [1, 1], [2, 1], [0, 2], [1, 2], [0, 3]])
    model = MatrixFactorizationRecommender().fit(train)
    rows = np.array([[77, 2], [88, 1]])
    assert make_recommender_scorer("mrr@3")(model, rows) == (1 / 2 + 1) / 2


def test_items_unknown_to_training_can_be_relevant_only():
    scorer = make_recommender_scorer(["recall@9", "precision@9"])
    score = scorer(POPULAR, np.array([[77, -5], [77, TRAIN[0, 1]]]))
    assert score == {"recall@9": 1 / 2 if recommended(77, 9) else 0.0, "precision@9": 1 / 9}


def recommended(user, k):
    return TRAIN[0, 1] in POPULAR.recommend([user], k)[0]


def wrap(model):
    """Return the model in a pipeline in a search in a pipeline."""
    inner = make_pipeline(FunctionTransformer(), model)
    search = GridSearchCV(
        inner,
        {"popularityrecommender__half_life": [None]},
        scoring=make_recommender_scorer("ndcg@5"),
        cv=[(np.arange(200), np.arange(200, 300))],
    )
    return make_pipeline(FunctionTransformer(), search)


def test_the_recommender_is_found_in_pipelines_and_searches():
    scorer = make_recommender_scorer("ndcg@5")
    wrapped = wrap(PopularityRecommender()).fit(TRAIN)
    assert not hasattr(wrapped, "recommend")
    assert scorer(wrapped, TEST) == scorer(POPULAR, TEST)

    class Wrapper(BaseEstimator):
        estimator_ = wrapped

    assert scorer(Wrapper(), TEST) == scorer(POPULAR, TEST)


TABLE = pd.DataFrame({"time": range(100), "who": TEST[:, 0], "what": TEST[:, 1]})
CONTAINERS = {
    "pandas": (TABLE, "who", "what"),
    "pandas by position": (TABLE, 1, 2),
    "polars": (pl.from_pandas(TABLE), "who", "what"),
    "array": (TABLE.to_numpy(), 1, -1),
    "records": (TABLE.to_records(index=False), "who", "what"),
    "rows": (TABLE.to_numpy().tolist(), 1, 2),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_columns_of_users_and_items_in_each_container(container):
    X, user, item = CONTAINERS[container]
    scorer = make_recommender_scorer("ndcg@5", user=user, item=item)
    assert scorer(POPULAR, X) == make_recommender_scorer("ndcg@5")(POPULAR, TEST)


def tune(n_jobs=None, scoring=None, refit=True):
    scoring = make_recommender_scorer("ndcg@5") if scoring is None else scoring
    timed = np.column_stack([LOG, np.arange(len(LOG))])
    return GridSearchCV(
        ItemNeighborsRecommender(),
        {"n_neighbors": [1, 20]},
        scoring=scoring,
        cv=LeaveLastOut(n_splits=2, user=0, time=2),
        error_score="raise",
        n_jobs=n_jobs,
        refit=refit,
    ).fit(timed)


def test_a_search_scores_each_fold_as_the_scorer_does():
    timed = np.column_stack([LOG, np.arange(len(LOG))])
    cv = LeaveLastOut(n_splits=2, user=0, time=2)
    scorer = make_recommender_scorer("ndcg@5")
    expected = [
        scorer(ItemNeighborsRecommender(n_neighbors=1).fit(timed[train]), timed[test])
        for train, test in cv.split(timed)
    ]
    for routing in (False, True):
        with config_context(enable_metadata_routing=routing):
            results = tune().cv_results_
        found = [results[f"split{fold}_test_score"][0] for fold in range(2)]
        assert found == expected


@pytest.mark.parametrize("routing", [False, True])
def test_a_pipeline_that_ends_in_a_search_is_scored(routing):
    timed = np.column_stack([LOG, np.arange(len(LOG))])
    with config_context(enable_metadata_routing=routing):
        search = tune()
        model = make_pipeline("passthrough", search).fit(timed)
        # Of other users: what its own have in the log is not recommended again.
        others = timed + np.array([1000, 0, 0])
        score = model.score(others)
    assert score == make_recommender_scorer("ndcg@5")(search, others) > 0


def test_a_list_of_metrics_tunes_by_the_one_that_refit_names():
    metrics = ["ndcg@5", "mean_rank"]
    found = tune(scoring=make_recommender_scorer(metrics), refit="neg_mean_rank")
    means = found.cv_results_["mean_test_neg_mean_rank"]
    assert (means < 0).all()
    assert found.best_index_ == np.argmax(means)
    one = tune().cv_results_["mean_test_score"]
    np.testing.assert_array_equal(found.cv_results_["mean_test_ndcg@5"], one)


def test_two_processes_find_the_same():
    one, two = (tune(n_jobs).cv_results_["mean_test_score"] for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


REPRS = [
    "make_recommender_scorer('ndcg@10')",
    "make_recommender_scorer(['ndcg@10', 'recall@5'], user='who', item='what')",
    "make_recommender_scorer('ndcg', min_relevance=4, k=10, gain='exponential')",
    "make_recommender_scorer('mrr@5', item=2, replace_undefined_by=0.0)",
]


@pytest.mark.parametrize("call", REPRS)
def test_repr_is_the_call_that_makes_the_scorer(call):
    assert repr(eval(call)) == call


def test_copies_score_the_same():
    scorer = make_recommender_scorer(["ndcg@5", "mrr"], min_relevance=1, ties="worst")
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert repr(copy) == repr(scorer)
        assert copy(POPULAR, TEST) == scorer(POPULAR, TEST)
    assert scorer.get_metadata_routing().score.requests == {"sample_weight": None}


def test_an_estimator_without_recommend_is_an_error():
    scorer = make_recommender_scorer("ndcg@5")
    for estimator in (Ridge(), make_pipeline(FunctionTransformer(), Ridge())):
        name = type(estimator).__name__
        with pytest.raises(TypeError, match=rf"{name} has no method recommend.*rank"):
            scorer(estimator, TEST)


@pytest.mark.parametrize(
    ("metric", "params", "kind", "message"),
    [
        ("ndgc@10", {}, ValueError, "Unknown metric 'ndgc@10'.*Did you mean 'ndcg'"),
        ("ndcg", {"depth": 3}, ValueError, "No metric in 'ndcg' has a parameter 'depth'"),
        ("rmse", {}, ValueError, r"predicted ratings.*make_ranking_scorer\('rmse'\)"),
        ("bpref", {}, ValueError, "judged irrelevant, but a log of interactions has no"),
        ("ndcg", {"min_relevance": 0}, ValueError, "`min_relevance` must be a positive"),
        ("ndcg", {"k": 2.5}, TypeError, "`k` must be an integer"),
        ([], {}, ValueError, "`metrics` is empty"),
    ],
)
def test_a_wrong_metric_or_parameter_is_an_error_at_once(metric, params, kind, message):
    with pytest.raises(kind, match=message):
        make_recommender_scorer(metric, **params)


def test_a_missing_column_is_an_error():
    with pytest.raises(ValueError, match=r"`user='whom'`.*Did you mean 'who'"):
        make_recommender_scorer("mrr", user="whom", item="what")(POPULAR, TABLE)
    with pytest.raises(ValueError, match=r"`item=5` is not a column of X.*2 column"):
        make_recommender_scorer("mrr", item=5)(POPULAR, TEST)


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        ([1.0, np.nan], "`y` has 1 missing value"),
        ([1.0, -1.0], "`y` has 1 negative value"),
        ([1.0, np.inf], "`y` has 1 infinite value"),
        (["good", "bad"], "`y` must hold numbers"),
        ([1.0], "`y` has 1 values, but X has 2 rows"),
    ],
)
def test_grades_that_are_none_are_an_error(grades, message):
    with pytest.raises(ValueError, match=message):
        make_recommender_scorer("mrr@2")(Fixed([1, 2]), np.array([[0, 1], [1, 2]]), grades)


def test_an_item_recommended_twice_is_an_error():
    with pytest.raises(ValueError, match="twice"):
        make_recommender_scorer("mrr@2")(Fixed([2, 2]), np.array([[0, 1]]))


def test_lists_are_as_long_as_the_longest_cutoff_needs():
    names = ["ndcg@3", "recall@20"]
    together = make_recommender_scorer(names)(POPULAR, TEST)
    alone = {name: make_recommender_scorer(name)(POPULAR, TEST) for name in names}
    assert together == alone
    shorter = make_recommender_scorer("recall@3")(POPULAR, TEST)
    assert alone["recall@20"] > shorter
