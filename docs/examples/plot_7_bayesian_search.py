"""
Bayesian search
===============

Where a model has many parameters a grid is hopeless. Optuna looks where it has
found something, and our scorers and splitters go into its objective as they
are.
"""

# %%
# The objective
# -------------
# A recommender with four parameters, three periods of time, one number.

import numpy as np
import optuna
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import cross_val_score

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import MatrixFactorizationRecommender

log = make_interactions(600, 500, 20_000, random_state=0, as_frame=True)
columns = {"user": "user", "item": "item", "time": "time"}
folds = TimeSplit(3, test_size="21D", seen_items="drop", **columns)
scorer = make_recommender_scorer("ndcg@10", user="user", item="item")


def objective(trial):
    """Return nDCG@10 of the parameters that Optuna suggests."""
    model = MatrixFactorizationRecommender(
        TruncatedSVD(
            trial.suggest_int("components", 2, 128, log=True),
            n_iter=trial.suggest_int("n_iter", 1, 7),
            random_state=0,
        ),
        weighting=trial.suggest_categorical("weighting", ["sum", "log", "binary"]),
        user="user",
        item="item",
    )
    return cross_val_score(model, log, cv=folds, scoring=scorer).mean()


optuna.logging.set_verbosity(optuna.logging.WARNING)


def search(sampler):
    """Return a study of 40 trials."""
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=40)
    return study


bayesian = search(optuna.samplers.TPESampler(seed=0, n_startup_trials=8))
random = search(optuna.samplers.RandomSampler(seed=0))
print(bayesian.best_params, round(bayesian.best_value, 3))

# %%
# Where it looked
# ---------------
# The Bayesian search spends its trials where scores are high; the random one
# spreads them.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for name, study in {"Bayesian": bayesian, "random": random}.items():
    values = np.array([trial.value for trial in study.trials])
    components = [trial.params["components"] for trial in study.trials]
    left.scatter(components, values, s=18, label=name)
    right.step(
        np.arange(1, len(values) + 1),
        np.maximum.accumulate(values),
        where="post",
        label=name,
    )
left.set_xscale("log", base=2)
left.set(xlabel="components", ylabel="nDCG@10 of a trial")
right.set(xlabel="trials", ylabel="best nDCG@10 so far")
for ax in (left, right):
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)

# %%
# ``OptunaSearchCV`` of the package `optuna-integration` puts this behind
# ``fit``. It knows no metadata, so scorers and splitters must name columns of
# X, as they do here.
