# needs: wandb pandas
import os
from pathlib import Path

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

# Offline the run is a file, which W&B uploads later.
(file,) = Path("wandb").glob(f"offline-run-*-{run.id}/*.wandb")
assert b"ndcg@10" in file.read_bytes()
