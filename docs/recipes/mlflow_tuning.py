# needs: mlflow-skinny sqlalchemy alembic pandas matplotlib
import mlflow

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import tune_models

mlflow.set_tracking_uri("sqlite:///mlflow.db")
log = make_interactions(200, 100, 4000, random_state=0, as_frame=True)
tuned = tune_models(log, time="time", models=["popularity", "neighbors"])

# recipe
means = tuned.values_[tuned.best_name_].mean()
with mlflow.start_run():
    mlflow.log_params(tuned.best_params_)
    mlflow.log_metrics({name.replace("@", "_at_"): mean for name, mean in means.items()})
    mlflow.log_dict(tuned.to_dict(), "tuned.json")
    mlflow.log_text(tuned.to_html(), "report.html")
    mlflow.log_figure(tuned.plot().figure_, "tuned.png")
# end

run = mlflow.last_active_run()
assert run.data.metrics["ndcg_at_10"] == means["ndcg@10"]
