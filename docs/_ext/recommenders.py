"""The picture of models with and without a half-life."""

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import evaluate_models
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)

log = make_interactions(500, 200, 12_000, drift=1.0, random_state=0, as_frame=True)
log = log.sort_values("time")
train, test = log[:10_500], log[10_500:]
decay = {"half_life": "20D", "time": "time"}
models = {
    "popularity": PopularityRecommender(),
    "popularity with half-life": PopularityRecommender(**decay),
    "neighbors": ItemNeighborsRecommender(),
    "neighbors with half-life": ItemNeighborsRecommender(**decay),
    "EASE": EASERecommender(),
    "EASE with half-life": EASERecommender(**decay),
}
fitted = {name: model.fit(train) for name, model in models.items()}
display = evaluate_models(fitted, test, metrics="ndcg@10").plot("intervals")
for text in display.figure_.axes[0].texts:
    text.set_fontsize(11)  # readable on a phone
