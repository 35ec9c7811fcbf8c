"""
Several meanings of one query
=============================

Someone who searches for *jaguar* may want the animal, the car, the guitar or the old game
console. Documents about the most frequent meaning match best, and a ranking by relevance
alone shows only these. This example diversifies the ranking, and measures the effect with
subtopic metrics.
"""

# %%
# Documents of four meanings
# --------------------------
# Documents are generated from the words of each meaning. One meaning has most of the
# documents, and some documents have two meanings. Half of the documents do not have any
# of them.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from sklearn_rank.metrics import per_query_scores

random = np.random.default_rng(0)
meanings = [
    "cat forest prey spots river hunts amazon claws",
    "engine drive leather sedan wheels luxury speed dealer",
    "strings neck pickup bridge tremolo fret chord amplifier",
    "console cartridge pixels chip gamepad memory arcade emulator",
]
words = [meaning.split() for meaning in meanings]
others = ["time", "year", "people", "way", "day", "thing", "world", "life", "part"]
shares = [0.6, 0.2, 0.12, 0.08]


def write(subtopics):
    """Return a document: words of its subtopics, if it has any, and other words."""
    text = list(random.choice(others, 12))
    for subtopic in subtopics:
        text += list(random.choice(words[subtopic], 8))
    return " ".join(text + ["jaguar"] * int(random.integers(1, 4)) * bool(subtopics))


def draw_query():
    """Return 60 documents for one query, their subtopics, and the frequent one."""
    order = random.permutation(4)  # the frequent meaning is the first one
    subtopics = []
    for _ in range(30):
        n = 1 + (random.random() < 0.2)
        subtopics.append([int(s) for s in random.choice(order, n, False, p=shares)])
    subtopics += [[]] * 30
    table = np.array([[s in of for s in range(4)] for of in subtopics], dtype=float)
    return [write(of) for of in subtopics], table, int(order[0])


# %%
# Relevance against novelty
# -------------------------
# Maximal marginal relevance adds one document after the other, the one with the highest
# score: :math:`\lambda` times its similarity to the query, minus :math:`1 - \lambda`
# times its highest similarity to a document in the list. The query has a word of the
# frequent meaning.


def order_of(documents, query, weight):
    """Return the documents in the order of maximal marginal relevance."""
    vectors = TfidfVectorizer().fit([*documents, query])
    known = vectors.transform(documents)
    relevance = (known @ vectors.transform([query]).T).toarray().ravel()
    similar = (known @ known.T).toarray()
    order = [int(relevance.argmax())]
    while len(order) < len(documents):
        gain = weight * relevance - (1 - weight) * similar[:, order].max(axis=1)
        gain[order] = -np.inf
        order.append(int(gain.argmax()))
    return order


queries = [draw_query() for _ in range(30)]
weights = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
metrics = ["ndcg@10", "alpha_ndcg@10", "err_ia@10", "subtopic_recall@10"]
found = {}
for weight in weights:
    y_true, y_score, groups = [], [], []
    for query, (documents, subtopics, frequent) in enumerate(queries):
        order = order_of(documents, f"jaguar {words[frequent][0]}", weight)
        scores = np.empty(len(documents))
        scores[order] = -np.arange(len(order))
        y_true.append(subtopics)
        y_score.append(scores)
        groups.append(np.full(len(documents), query))
    found[weight] = per_query_scores(
        np.concatenate(y_true),
        np.concatenate(y_score),
        groups=np.concatenate(groups),
        metrics=metrics,
    )

# %%
# Costs and gains
# ---------------
# ``y_true`` has a column for each subtopic. In the same call nDCG counts a document with
# any subtopic as relevant, so a second meaning does not increase nDCG.

figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
for name in metrics:
    means = [found[weight].mean()[name] for weight in weights]
    errors = [found[weight].standard_error()[name] for weight in weights]
    ax.errorbar(weights, means, errors, label=name, marker="o", capsize=3)
ax.set(xlabel="weight of relevance", ylabel="mean over queries", ylim=(0, 1.02))
ax.invert_xaxis()
_ = ax.legend()

# %%
# Choose the weight with the highest α-nDCG, which rewards new meanings near the top. The
# differences are paired by query:

best = max(weights, key=lambda weight: found[weight].mean()["alpha_ndcg@10"])
gain = found[best].difference(found[1.0])
for name in metrics:
    mean, error = gain.mean()[name], gain.standard_error()[name]
    print(f"{name:20} {mean:+.3f} ± {error:.3f} at a weight of {best}")
