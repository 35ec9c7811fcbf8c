# needs: langfuse
# recipe
from langfuse import Evaluation

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import ndcg_score


def exact_ndcg(*, input, output, expected_output, metadata=None, **kwargs):
    unique = list(dict.fromkeys(output))  # ids of documents, best first
    rows = from_item_lists([expected_output], [unique])
    return Evaluation(name="ndcg_at_10", value=ndcg_score(**rows, k=10))


# use: langfuse.run_experiment(name=..., data=..., task=..., evaluators=[exact_ndcg])
# end

found = exact_ndcg(input="how to", output=["d1", "d1", "d3"], expected_output=["d1", "d2"])
assert round(found.value, 4) == 0.6131
