"""The picture of the front page."""

import matplotlib.pyplot as plt

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import MetricAtKDisplay, PerQueryDisplay
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import MatrixFactorizationRecommender, PopularityRecommender

log = make_interactions(random_state=0, as_frame=True)
splitter = TimeSplit(test_size="28D", time="time", seen_items="drop")
((past, future),) = splitter.split(log)
train, test = log.iloc[past], log.iloc[future]
popularity = PopularityRecommender().fit(train)
factorization = MatrixFactorizationRecommender().fit(train)

figure, (above, below) = plt.subplots(2, 1, figsize=(6.4, 7.2), layout="constrained")
models = {"factorization": factorization, "popularity": popularity}
MetricAtKDisplay.from_estimators(models, test, ax=above, labeled_k=10)
PerQueryDisplay.from_estimator(
    factorization,
    test,
    baseline=popularity,
    name="factorization",
    baseline_name="popularity",
    ax=below,
)
