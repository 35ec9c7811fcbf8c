# needs: wandb pandas
import os

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import per_query_scores

os.environ["WANDB_MODE"] = "offline"
X, y, groups = make_ranking(n_queries=50, random_state=0)
values = per_query_scores(y, X[:, 0], groups=groups, metrics=["ndcg@10", "mrr"])

# recipe
import wandb

run = wandb.init(project="rankings")
run.log(values.mean())
run.log({"per_query": wandb.Table(dataframe=values.to_frame().reset_index())})
run.finish()
# end

assert run.summary["mrr"] == values.mean()["mrr"]
