"""A booster that trains on a cluster, and its predictions as rows to score."""

import numpy as np
import pytest

from sklearn_rank.datasets import make_ranking
from sklearn_rank.distributed import QueryScorer, summarize
from sklearn_rank.metrics import ranking_report

pd = pytest.importorskip("pandas", reason="tables are made with it")
dd = pytest.importorskip("dask.dataframe", reason='pip install "sklearn-rank[dask]"')
distributed = pytest.importorskip("distributed", reason='pip install "sklearn-rank[dask]"')
xgboost = pytest.importorskip("xgboost", reason='pip install "sklearn-rank[rankers]"')

pytestmark = [
    # The libraries call what newer versions of pandas and of each other will not have.
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:(dask|distributed)\..*"),
    pytest.mark.filterwarnings(r"ignore::FutureWarning:xgboost\..*"),
]


@pytest.fixture
def client():
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_xgboost_on_dask(client):
    from xgboost.dask import DaskXGBRanker

    X, y, query = make_ranking(n_queries=60, n_features=5, shuffle=True, random_state=0)
    features = [f"x{column}" for column in range(5)]
    frame = pd.DataFrame(X, columns=features).assign(grade=y, query=query)
    ddf = dd.from_pandas(frame, npartitions=4)
    # begin training
    whole = ddf.shuffle("query", npartitions=2)
    whole = whole.map_partitions(lambda part: part.sort_values("query")).persist()
    ranker = DaskXGBRanker(n_estimators=20, max_depth=3)
    ranker.fit(whole[features], whole["grade"], qid=whole["query"])
    scored = whole.assign(score=ranker.predict(whole[features]))

    score = QueryScorer(["ndcg@10"], query="query", y_true="grade", y_score="score")
    values = scored.map_partitions(score, meta=score.meta(scored)).compute()
    # end training
    found = summarize(values, n_rows=len(frame))
    rows = scored.compute()
    assert found == ranking_report(
        rows["grade"], rows["score"], groups=rows["query"], metrics="ndcg@10"
    )
    untrained = frame.assign(score=np.random.default_rng(0).random(len(frame)))
    assert values["ndcg@10"].mean() > score(untrained)["ndcg@10"].mean() + 0.1
