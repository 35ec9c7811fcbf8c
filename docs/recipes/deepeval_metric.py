# needs: deepeval
import os

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
# recipe
from deepeval.metrics import BaseMetric

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import ndcg_score


class ExactNDCG(BaseMetric):
    threshold = 0.5
    async_mode = False

    def measure(self, test_case, *args, **kwargs):
        unique = list(dict.fromkeys(test_case.retrieval_context))
        self.score = ndcg_score(**from_item_lists([test_case.context], [unique]), k=10)
        return self.score

    def is_successful(self):
        return self.score >= self.threshold


# end


from deepeval.test_case import LLMTestCase

case = LLMTestCase(
    input="how to",
    actual_output="so",
    context=["d1", "d2"],
    retrieval_context=["d1", "d1", "d3"],
)
metric = ExactNDCG()
assert round(metric.measure(case), 4) == 0.6131
assert metric.is_successful()
