# needs: llama-index-core
# recipe
from llama_index.core.evaluation.retrieval.metrics_base import (
    BaseRetrievalMetric,
    RetrievalMetricResult,
)

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import ndcg_score


class ExactNDCG(BaseRetrievalMetric):
    metric_name: str = "exact_ndcg"

    def compute(
        self,
        query=None,
        expected_ids=None,
        retrieved_ids=None,
        expected_texts=None,
        retrieved_texts=None,
        **kwargs,
    ):
        unique = list(dict.fromkeys(retrieved_ids))  # a document counts once
        score = ndcg_score(**from_item_lists([expected_ids], [unique]), k=10)
        return RetrievalMetricResult(score=score)


# end


result = ExactNDCG().compute(expected_ids=["d1", "d2"], retrieved_ids=["d1", "d1", "d3"])
assert round(result.score, 4) == 0.6131
