# needs: mlflow-skinny sqlalchemy alembic pandas matplotlib
import mlflow
import pandas as pd

mlflow.set_tracking_uri("sqlite:///mlflow.db")
data = pd.DataFrame({"relevant": [["d1", "d2", "d3", "d4", "d5"]], "found": [["d1"]]})

# recipe
from mlflow.metrics import MetricValue, make_metric

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import per_query_scores


def ndcg_at_10(predictions, targets):
    rows = from_item_lists(targets.tolist(), predictions.tolist())
    values = per_query_scores(**rows, metrics="ndcg@10")
    return MetricValue(
        values.scores["ndcg@10"].tolist(), None, {"mean": values.mean()["ndcg@10"]}
    )


metric = make_metric(eval_fn=ndcg_at_10, greater_is_better=True, name="exact_ndcg_at_10")

# use
with mlflow.start_run():
    result = mlflow.models.evaluate(
        data=data,
        targets="relevant",
        predictions="found",
        model_type="retriever",
        extra_metrics=[metric],
    )
# end

assert round(result.metrics["exact_ndcg_at_10/mean"], 5) == 0.33916, result.metrics
assert result.metrics["ndcg_at_3/mean"] == 1.0  # MLflow's own
