"""Tables of pyarrow are read like those of pandas; tables not in memory are refused."""

import types
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import __version__ as sklearn_version
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, cross_val_score

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.experiments import evaluate_models, tune_models
from sklearn_rank.inputs import from_frames
from sklearn_rank.metrics import (
    Catalogue,
    make_ranking_scorer,
    make_recommender_scorer,
    ndcg_score,
    per_query_scores,
)
from sklearn_rank.model_selection import (
    LeaveLastOut,
    TimeSplit,
    UserKFold,
    cross_validate_per_query,
    describe_split,
    k_core,
    train_valid_test_split,
)
from sklearn_rank.online import compare_variants
from sklearn_rank.rankers import GroupRanker, PairwiseRanker, QueryFeatures, RankFusion
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)

pa = pytest.importorskip("pyarrow")

LOG = make_interactions(120, 100, 2500, random_state=0, as_frame=True)
LOG["user"] = "u" + LOG["user"].astype(str)
FEATURES, GRADES, QUERY = make_ranking(n_queries=40, random_state=0)
QUERIES = pd.DataFrame(FEATURES, columns=[f"f{i}" for i in range(10)]).assign(query=QUERY)
CV = TimeSplit(2, test_size=0.2, time="time")
SCORER = make_recommender_scorer("ndcg@10")


def as_table(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def as_batch(frame):
    return as_table(frame).combine_chunks().to_batches()[0]


both = pytest.mark.parametrize("convert", [as_table, as_batch])


def ranker():
    return GroupRanker(Ridge(), groups="query")


@pytest.mark.skipif(
    tuple(map(int, sklearn_version.split(".")[:2])) < (1, 9),
    reason="scikit-learn 1.6 takes no rows of Arrow tables",
)
def test_cross_validation_gives_the_same_bits():
    scores = [
        cross_val_score(EASERecommender(), X, cv=CV, scoring=SCORER)
        for X in (LOG, as_table(LOG))
    ]
    np.testing.assert_array_equal(*scores)
    np.testing.assert_allclose(scores[0], [0.16476452, 0.26533676], rtol=0, atol=5e-9)


@both
@pytest.mark.parametrize("splitter", [CV, UserKFold(3), LeaveLastOut(time="time")])
def test_splits_are_equal(splitter, convert):
    expected = list(splitter.split(LOG))
    for one, other in zip(splitter.split(convert(LOG)), expected, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


@both
@pytest.mark.parametrize(
    "recommender",
    [
        EASERecommender(),
        EASERecommender(half_life="30D", time="time"),
        EASERecommender(user=0, item=1),
        ItemNeighborsRecommender(recency=0.9, time="time"),
    ],
)
def test_recommendations_are_equal(recommender, convert):
    X = convert(LOG)
    users = ["u3", "u5"]
    expected = recommender.fit(LOG).recommend(users, k=5)
    predicted = recommender.predict(LOG)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of names that fit knew, and X lacks
        np.testing.assert_array_equal(recommender.predict(X), predicted)
        np.testing.assert_array_equal(recommender.fit(X).recommend(users, k=5), expected)
        np.testing.assert_array_equal(recommender.predict(X), predicted)
        np.testing.assert_array_equal(recommender.predict(LOG), predicted)
    assert recommender.feature_names_in_.tolist() == ["user", "item", "time"]


# Scores the rows of fit.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
@both
def test_what_reads_a_log_reads_arrow(convert):
    X = convert(LOG)
    model = EASERecommender().fit(LOG)
    assert SCORER(model, X) == SCORER(model, LOG)
    parts = train_valid_test_split(X, splitter=CV)
    expected = train_valid_test_split(LOG, splitter=CV)
    assert [part.num_rows for part in parts] == list(map(len, expected))
    assert parts[2]["user"].to_pylist() == expected[2]["user"].tolist()
    assert str(describe_split(CV, X)) == str(describe_split(CV, LOG))
    catalogue = Catalogue.from_interactions(X)
    assert repr(catalogue) == repr(Catalogue.from_interactions(LOG))
    np.testing.assert_array_equal(
        k_core(X.column("user"), X.column("item"), 15), k_core(LOG["user"], LOG["item"], 15)
    )
    models = {"popularity": PopularityRecommender().fit(X)}
    found = [evaluate_models(models, data, metrics="mrr").to_frame() for data in (X, LOG)]
    pd.testing.assert_frame_equal(*found)


@both
def test_rankers_read_arrow(convert):
    X = convert(QUERIES)
    expected = ranker().fit(QUERIES, GRADES).predict(QUERIES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = ranker().fit(X, GRADES)
        np.testing.assert_allclose(fitted.predict(X), expected, rtol=0, atol=1e-14)
        np.testing.assert_allclose(fitted.predict(QUERIES), expected, rtol=0, atol=1e-14)
    score = make_ranking_scorer("ndcg@10", groups="query")
    assert score(fitted, X, GRADES) == pytest.approx(score(fitted, QUERIES, GRADES))
    for make in (
        lambda: RankFusion(groups="query"),
        lambda: PairwiseRanker(LogisticRegression(), groups="query", random_state=0),
    ):
        expected = make().fit(QUERIES, GRADES).predict(QUERIES)
        found = make().fit(X, GRADES).predict(X)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    values = [
        cross_validate_per_query(ranker(), data, GRADES, cv=GroupKFold(3), groups=QUERY)
        for data in (X, QUERIES)
    ]
    assert values[0].mean() == pytest.approx(values[1].mean(), rel=1e-12)


@both
def test_features_of_queries_are_added_to_an_arrow_table(convert):
    made = QueryFeatures(groups="query").fit_transform(convert(QUERIES))
    expected = QueryFeatures(groups="query").fit_transform(QUERIES)
    assert made.column_names == list(expected.columns)
    np.testing.assert_array_equal(made.to_pandas(), expected)


def test_a_wrong_name_lists_the_names_of_an_arrow_table():
    message = (
        "'usr'` is not a column of X. Did you mean 'user'. Valid: 'user', 'item', 'time'"
    )
    with pytest.raises(ValueError, match=message):
        EASERecommender(user="usr").fit(as_table(LOG))
    shown = r"X has \['query', 'item', 'time'\]"
    with pytest.raises(ValueError, match=shown):
        EASERecommender().fit(as_table(LOG).rename_columns(["query", "item", "time"]))


# Tables that are not in memory.

CALLS = [
    lambda X: EASERecommender().fit(X),
    lambda X: EASERecommender().fit(LOG).predict(X),
    lambda X: list(CV.split(X)),
    lambda X: list(UserKFold(3).split(LOG, users=X)),
    lambda X: describe_split(CV, X),
    lambda X: train_valid_test_split(X, splitter=CV),
    lambda X: SCORER(EASERecommender().fit(LOG), X),
    lambda X: ranker().fit(X, GRADES),
    lambda X: ranker().fit(QUERIES, X),
    lambda X: GroupRanker(Ridge()).fit(QUERIES, GRADES, groups=X),
    lambda X: RankFusion(groups="query").fit(X),
    lambda X: QueryFeatures(groups="query").fit(X),
    lambda X: cross_validate_per_query(ranker(), X, GRADES, cv=3, groups=QUERY),
    lambda X: ndcg_score(X, X),
    lambda X: ndcg_score([1, 0], X, groups=[0, 0]),
    lambda X: per_query_scores([1, 0], [1, 2], groups=X, metrics="mrr"),
    lambda X: compare_variants("f1", "query", control=0, data=X),
    lambda X: from_frames(X, X, user="user", item="item", rank="time"),
    lambda X: Catalogue.from_interactions(X),
    lambda X: tune_models(X, time="time"),
    lambda X: evaluate_models({"ease": EASERecommender()}, X, metrics="mrr"),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_lazy_frame_is_refused_by_one_sentence(call):
    polars = pytest.importorskip("polars")
    lazy = polars.from_pandas(LOG).lazy()
    message = (
        r"`(\w+)` is a polars LazyFrame, which is not in memory; pass \1\.collect\(\)\. "
        r"For rows that do not fit, score lists with sklearn_rank\.distributed\."
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", polars.exceptions.PerformanceWarning)
        with pytest.raises(TypeError, match=message):
            call(lazy)


@pytest.mark.parametrize("name", ["duckdb", "pyarrow.dataset", "dask.dataframe"])
def test_the_way_into_memory_works(name):
    library = pytest.importorskip(name)
    make, way = {
        "duckdb": (lambda: library.from_arrow(as_table(LOG)), "to_arrow_table"),
        "pyarrow.dataset": (lambda: library.dataset(as_table(LOG)), "to_table"),
        "dask.dataframe": (lambda: library.from_pandas(LOG, npartitions=2), "compute"),
    }[name]
    X = make()
    for call in (
        EASERecommender().fit,
        lambda X: next(CV.split(X)),
        lambda X: ranker().fit(X, [1]),
    ):
        with pytest.raises(TypeError, match=rf"not in memory; pass X\.{way}\(\)"):
            call(X)
    EASERecommender().fit(getattr(X, way)())


@pytest.mark.parametrize(
    ("package", "name", "way"),
    [
        ("pyspark.sql.dataframe", "DataFrame", "toPandas"),
        ("ibis.expr.types.relations", "Table", "to_pandas"),
        ("ray.data.dataset", "Dataset", "to_pandas"),
    ],
)
def test_tables_of_larger_libraries_are_known_by_their_names(package, name, way):
    table = types.new_class(name, exec_body=lambda body: body.update(__module__=package))
    derived = type("Connected", (table,), {})  # as Spark Connect has them
    with pytest.raises(
        TypeError, match=rf"{name}, which is not in memory; pass X\.{way}\(\)"
    ):
        EASERecommender().fit(derived())
