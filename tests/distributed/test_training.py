"""Boosters that train on a cluster, and their predictions as rows to score.

What users copy stands between the marks; the guide shows these lines.
"""

import numpy as np
import pytest

from sklearn_rank.datasets import make_ranking
from sklearn_rank.distributed import QueryScorer, summarize
from sklearn_rank.metrics import ranking_report

pd = pytest.importorskip("pandas")

pytestmark = [
    pytest.mark.slow,  # two clusters start
    # The libraries call what newer versions of pandas and of each other will not have.
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:(dask|distributed)\..*"),
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:pyspark\..*"),
    pytest.mark.filterwarnings("ignore:Parameter n_jobs will be ignored:UserWarning"),
    pytest.mark.filterwarnings(r"ignore::FutureWarning:xgboost\..*"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
]
FEATURES = [f"x{column}" for column in range(5)]


@pytest.fixture(scope="module")
def frame():
    X, y, query = make_ranking(n_queries=60, n_features=5, shuffle=True, random_state=0)
    return pd.DataFrame(X, columns=FEATURES).assign(grade=y, query=query)


def check_scored(rows, values, frame, score):
    """Raise unless values are those of the scored rows, and better than by chance."""
    assert len(rows) == len(frame)
    assert summarize(values, n_rows=len(frame)) == ranking_report(
        rows["grade"], rows[score], groups=rows["query"], metrics="ndcg@10"
    )
    untrained = np.random.default_rng(0).random(len(rows))
    by_chance = ranking_report(
        rows["grade"], untrained, groups=rows["query"], metrics="ndcg@10", output_dict=True
    )
    assert values["ndcg@10"].mean() > by_chance["ndcg@10"]["mean"] + 0.1


@pytest.fixture(scope="module")  # a cluster takes long to start
def whole(frame):
    dd = pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster),
    ):
        ddf = dd.from_pandas(frame, npartitions=4)
        # begin whole queries
        whole = ddf.shuffle("query", npartitions=2)
        whole = whole.map_partitions(lambda part: part.sort_values("query")).persist()
        # end whole queries
        yield whole


def test_xgboost_on_dask(whole, frame):
    pytest.importorskip("xgboost")
    from xgboost.dask import DaskXGBRanker

    features = FEATURES
    # begin xgboost on dask
    ranker = DaskXGBRanker(n_estimators=20, max_depth=3)
    ranker.fit(whole[features], whole["grade"], qid=whole["query"])
    scored = whole.assign(score=ranker.predict(whole[features]))

    score = QueryScorer(["ndcg@10"], groups="query", y_true="grade", y_score="score")
    values = scored.map_partitions(score, meta=score.meta(scored)).compute()
    # end xgboost on dask
    check_scored(scored.compute(), values, frame, "score")


def test_lightgbm_on_dask(whole, frame):
    lightgbm = pytest.importorskip("lightgbm")
    features = FEATURES
    # begin lightgbm on dask
    ranker = lightgbm.DaskLGBMRanker(n_estimators=20, num_leaves=8)
    sizes = whole.map_partitions(
        lambda part: part.groupby("query").size(), meta=("size", "int64")
    )
    ranker.fit(whole[features], whole["grade"], group=sizes)
    scored = whole.assign(score=ranker.predict(whole[features]))
    # end lightgbm on dask
    score = QueryScorer(["ndcg@10"], groups="query", y_true="grade", y_score="score")
    values = scored.map_partitions(score, meta=score.meta(scored)).compute()
    check_scored(scored.compute(), values, frame, "score")


def test_xgboost_on_spark(spark, frame):
    pytest.importorskip("xgboost")
    from xgboost.spark import SparkXGBRanker

    features = FEATURES
    sdf = spark.createDataFrame(frame).repartition(2)  # as many parts as workers
    # begin xgboost on spark
    ranker = SparkXGBRanker(
        features_col=features,
        label_col="grade",
        qid_col="query",
        num_workers=2,
        force_repartition=True,
        n_estimators=20,
        max_depth=3,
    )
    scored = ranker.fit(sdf).transform(sdf)

    score = QueryScorer(["ndcg@10"], groups="query", y_true="grade", y_score="prediction")
    whole = scored.repartition("query")
    values = whole.mapInPandas(score.iterate, score.schema(scored)).toPandas()
    # end xgboost on spark
    check_scored(scored.toPandas(), values, frame, "prediction")
