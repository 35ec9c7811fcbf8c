"""
Image retrieval, tuned by mean average precision
================================================

Search by example: some images of digits are queries, the others are the catalogue, and
images of the same digit are relevant. Which representation and which distance find them?
A grid search over nearest neighbors, evaluated by MAP, decides.
"""

# %%
# The images
# ----------
# scikit-learn's digits have 8 by 8 pixels. 400 images are queries, and the others are the
# catalogue.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

images, digits = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    images, digits, test_size=400, stratify=digits, random_state=0
)

# %%
# Retrieval as an estimator
# -------------------------
# Twenty lines: `fit` stores the catalogue, and `predict` scores every image in it for
# each query. Here a query is a row of a matrix, so the metric does not need groups.

from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise_distances

from sklearn_rank.metrics import mean_average_precision_score


class Retrieval(BaseEstimator):
    """Scores of all catalogue images for each query: minus the distance."""

    def __init__(self, metric="euclidean"):
        self.metric = metric

    def fit(self, X, y):
        """Keep the catalogue."""
        self.catalog_, self.labels_ = X, y
        return self

    def predict(self, X):
        """Return a score for each query and image."""
        return -pairwise_distances(X, self.catalog_, metric=self.metric)

    def score(self, X, y):
        """Return MAP at 100, relevant being images of the same digit."""
        is_same = (np.asarray(y)[:, None] == self.labels_).astype(float)
        return mean_average_precision_score(is_same, self.predict(X), k=100)


# %%
# The search
# ----------
# Distances can be measured between pixels, principal components, or directions that
# separate the digits of the catalogue.

from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

search = GridSearchCV(
    Pipeline([("represent", "passthrough"), ("retrieve", Retrieval())]),
    {
        "represent": ["passthrough", PCA(20), LinearDiscriminantAnalysis()],
        "retrieve__metric": ["euclidean", "cosine", "manhattan"],
    },
    cv=3,
    error_score="raise",
).fit(X_train, y_train)
print(search.best_params_, round(search.best_score_, 3))

# %%
# Compare the winner with raw pixels and Euclidean distance, on queries that the search
# has not seen:

import matplotlib.pyplot as plt

from sklearn_rank.metrics import PrecisionRecallAtKDisplay

first_idea = Retrieval().fit(X_train, y_train)
is_same = (y_test[:, None] == y_train).astype(float)
scores = {"tuned": search.predict(X_test), "pixels": first_idea.predict(X_test)}
_ = PrecisionRecallAtKDisplay.from_predictions(is_same, scores, max_k=200)

# %%
# The hardest queries
# -------------------
# The values per query find the hardest images. The first image of each row is a query.
# The others are the retrieved images, with wrong ones in red.

from sklearn_rank.metrics import per_query_scores

scores = search.predict(X_test)
values = per_query_scores(is_same, scores, metrics="map@100").scores["map@100"]
hardest = np.argsort(values)[:5]
figure, axes = plt.subplots(5, 9, figsize=(8, 5), layout="constrained")
for row, query in zip(axes, hardest, strict=True):
    nearest = np.argsort(-scores[query])[:8]
    row[0].imshow(X_test[query].reshape(8, 8), cmap="Blues")
    row[0].set_title(f"{y_test[query]}", fontsize="small")
    for ax, image in zip(row[1:], nearest, strict=True):
        is_right = y_train[image] == y_test[query]
        ax.imshow(X_train[image].reshape(8, 8), cmap="Greys" if is_right else "Reds")
for ax in axes.flat:
    ax.set_axis_off()
