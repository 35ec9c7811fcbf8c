"""The picture of the front page: three systems against a baseline, with a margin."""

import matplotlib.pyplot as plt

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models

X, y, query = make_ranking(n_queries=300, random_state=0)
words, vectors = X[:, 2], X[:, 7]
scores = {
    "words": words,
    "vectors": 0.1 * words + vectors,
    "fused": words + 0.05 * vectors,
    "reranked": words + 0.3 * vectors,
}
values = {
    name: per_query_scores(y, score, groups=query, metrics="ndcg@10")
    for name, score in scores.items()
}
comparison = compare_models(values, baseline="words", margin=0.02)
figure, ax = plt.subplots(figsize=(5.4, 2.53), layout="constrained")
comparison.plot(ax=ax)
