"""The picture of two stages and the models that find their candidates."""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import evaluate_models
from sklearn_rank.recommenders import (
    EASERecommender,
    PopularityRecommender,
    TwoStageRecommender,
)

log = make_interactions(500, 200, 12_000, drift=1.0, random_state=0, as_frame=True)
log = log.sort_values("time")
train, test = log[:10_500], log[10_500:]
models = {
    "EASE": EASERecommender(300),
    "popularity": PopularityRecommender(half_life="10D", time="time"),
}
two = TwoStageRecommender(
    list(models.items()),
    make_pipeline(
        QuantileTransformer(n_quantiles=100, random_state=0),
        LogisticRegression(max_iter=1000),
    ),
    time="time",
    n_candidates=40,
    label_window="21D",
    n_windows=2,
)
fitted = {name: model.fit(train) for name, model in {"two stages": two, **models}.items()}
display = evaluate_models(fitted, test, metrics="ndcg@10").plot("intervals")
for text in display.figure_.axes[0].texts:
    text.set_fontsize(11)  # readable on a phone
