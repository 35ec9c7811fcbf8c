"""
Hybrid search: two retrievers fused, and the fusion tuned
=========================================================

Word matching finds exact names, and embeddings find related meanings. This example fuses
both rankings, chooses the fusion by cross-validation over queries, and evaluates it on
held-out queries.
"""

# %%
# A corpus
# --------
# Each document has words of a topic, and may have the name of a product. A query has two
# words of a topic and the name of a product. Documents about both are relevant.

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(0)
N_TOPICS, N_PRODUCTS, N_DOCUMENTS, N_QUERIES = 40, 60, 3000, 480
topic_words = [[f"t{topic}w{i}" for i in range(15)] for topic in range(N_TOPICS)]
common = [f"c{i}" for i in range(400)]

topic = rng.integers(N_TOPICS, size=N_DOCUMENTS)
product = rng.integers(N_PRODUCTS, size=N_DOCUMENTS)
corpus = [
    " ".join(
        [
            *rng.choice(topic_words[t], 5),
            *rng.choice(topic_words[rng.integers(N_TOPICS)], 2),
            *rng.choice(common, 12),
            *([f"p{p}"] * rng.integers(0, 3)),
        ]
    )
    for t, p in zip(topic, product, strict=True)
]
asked = rng.choice(N_DOCUMENTS, N_QUERIES, replace=False)
queries = [
    " ".join([*rng.choice(topic_words[topic[d]], 2), f"p{product[d]}"]) for d in asked
]
relevant = {
    query: np.flatnonzero((topic == topic[d]) & (product == product[d])).tolist()
    for query, d in enumerate(asked)
}

# %%
# Two retrievers
# --------------
# One counts words, as BM25 does: rare words have more weight, and repeated words add
# little. The other compares vectors of 20 dimensions, in which words of one topic are
# close. Each returns 50 documents per query, as a dictionary.

from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer


def retrieve(model):
    """Return the 50 best documents of each query and their scores."""
    documents, asked = model.fit_transform(corpus), model.transform(queries)
    scores = asked @ documents.T
    scores = scores.toarray() if hasattr(scores, "toarray") else scores
    best = np.argsort(-scores, axis=1, kind="stable")[:, :50]
    return {
        query: dict(zip(best[query].tolist(), scores[query, best[query]], strict=True))
        for query in range(N_QUERIES)
    }


words = TfidfVectorizer(sublinear_tf=True)
runs = {
    "words": retrieve(words),
    "vectors": retrieve(
        make_pipeline(words, TruncatedSVD(20, random_state=0), Normalizer())
    ),
}

# %%
# Runs as a table
# ---------------
# The table has a row for each document that was retrieved or is relevant, and a column
# for each run. Documents that a run did not return are NaN.

from sklearn_rank.inputs import from_runs

rows = from_runs(relevant, runs)
print(rows.X[:4].round(2))
tuning = rows.groups < N_QUERIES // 2
held_out = ~tuning

# %%
# Tuning
# ------
# Reciprocal rank fusion uses only ranks. Normalized scores have more information. The query
# of each row is the first column of X, which the fusion and the scorer read.

from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.rankers import RankFusion

table = np.column_stack([rows.groups, rows.X])
weights = [[w, 1 - w] for w in (0.2, 0.35, 0.5, 0.65, 0.8)]
search = GridSearchCV(
    RankFusion(groups=0),
    [
        {"method": ["rrf"], "rrf_k": [1, 10, 60], "weights": weights},
        {
            "method": ["comb_sum"],
            "normalization": ["min_max", "z_score"],
            "unretrieved": ["omit", "minimum"],
            "weights": weights,
        },
    ],
    scoring=make_ranking_scorer("ndcg@10"),
    cv=GroupKFold(3),
    error_score="raise",  # an error stops the search; otherwise it becomes nan
).fit(table[tuning], rows.y[tuning], groups=rows.groups[tuning])
print(search.best_params_)

# %%
# Evaluation
# ----------
# Compare each run, the usual fusion (RRF) and the tuned fusion on the other half of the
# queries.

from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models

X, y, groups = rows.X[held_out], rows.y[held_out], rows.groups[held_out]
alone = np.nan_to_num(X, nan=-np.inf)
rrf = RankFusion(groups=0).fit(table[held_out])
fused = {
    "words": alone[:, 0],
    "vectors": alone[:, 1],
    "RRF": rrf.predict(table[held_out]),
    "tuned": search.predict(table[held_out]),
}
scores = {
    name: per_query_scores(y, of_rows, groups=groups, metrics=["ndcg@10", "recall@10"])
    for name, of_rows in fused.items()
}
comparison = compare_models(scores, baseline="RRF")
print(comparison)

# %%
# The runs are not equally good, but RRF gives them equal weight. By nDCG the words alone
# may be as good. The tuned fusion gives the words more weight and is better. It ranks
# relevant documents higher, but finds few more of them in the first ten.

figure, axes = plt.subplots(2, 1, figsize=(7, 5), layout="constrained")
for ax, metric in zip(axes, ["ndcg@10", "recall@10"], strict=True):
    comparison.plot(metric=metric, ax=ax)
