# needs: skore pandas
import pandas as pd
from sklearn.linear_model import Ridge

from sklearn_rank.datasets import make_ranking

X, y, query = make_ranking(n_queries=60, random_state=0)
X = pd.DataFrame(X).rename(columns=str).assign(query=query)
X_train, X_test, y_train, y_test = (
    X[query % 3 > 0],
    X[query % 3 == 0],
    y[query % 3 > 0],
    y[query % 3 == 0],
)

# recipe
from skore import EstimatorReport

from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.rankers import GroupRanker

report = EstimatorReport(
    GroupRanker(Ridge(), groups="query"),
    X_train=X_train,
    y_train=y_train,
    X_test=X_test,
    y_test=y_test,
)
scorer = make_ranking_scorer("ndcg@10", groups="query")
report.metrics.add(scorer, name="ndcg_at_10")
# end

shown = report.metrics.summarize().frame().to_string()
assert f"{scorer(report.estimator_, X_test, y_test):.6e}" in shown, shown
