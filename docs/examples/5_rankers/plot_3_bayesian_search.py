"""
Bayesian search
===============

A grid over four parameters has hundreds of points. A Bayesian search, here with Optuna,
tries more values near good scores. Scorers and rankers of this package work in its
objective without changes.
"""

# %%
# The objective
# -------------
# LightGBM's ranker has four parameters to tune. The objective is nDCG@10 on
# three folds of whole queries. The query is column 0 of X, so no metadata
# routing is needed.

import numpy as np
import optuna
from lightgbm import LGBMRanker
from sklearn.model_selection import GroupKFold, cross_val_score

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.rankers import GroupRanker

X, y, groups = make_ranking(n_queries=100, query_effect=2.0, random_state=0)
X = np.column_stack([groups, X])
scorer = make_ranking_scorer("ndcg@10", groups=0, replace_undefined_by=np.nan)


def objective(trial):
    """Return nDCG@10 of the parameters that Optuna suggests."""
    ranker = LGBMRanker(
        n_estimators=20,
        learning_rate=trial.suggest_float("learning_rate", 0.003, 1.0, log=True),
        num_leaves=trial.suggest_int("num_leaves", 2, 32, log=True),
        min_child_samples=trial.suggest_int("min_child_samples", 1, 100, log=True),
        colsample_bytree=trial.suggest_float("colsample_bytree", 0.2, 1.0),
        random_state=0,
        n_jobs=1,
        verbose=-1,
    )
    return cross_val_score(
        GroupRanker(ranker, groups=0),
        X,
        y,
        groups=groups,  # for GroupKFold
        cv=GroupKFold(3),
        scoring=scorer,
        error_score="raise",
    ).mean()


optuna.logging.set_verbosity(optuna.logging.WARNING)


def search(sampler):
    """Return a study of 16 trials."""
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=16)
    return study


bayesian = search(optuna.samplers.TPESampler(seed=0, n_startup_trials=6))
random = search(optuna.samplers.RandomSampler(seed=0))
for name, study in {"Bayesian": bayesian, "random": random}.items():
    print(f"{name}: {study.best_value:.3f}")
    for parameter, value in study.best_params.items():
        print(f"    {parameter}: {value:.3g}")

# %%
# The tried values
# ----------------
# Both searches begin with the same six random trials. After that the Bayesian search
# stays near high scores, and the random search does not.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for name, study in {"Bayesian": bayesian, "random": random}.items():
    values = np.array([trial.value for trial in study.trials])
    rates = [trial.params["learning_rate"] for trial in study.trials]
    left.scatter(rates, values, s=18, label=name)
    right.step(
        np.arange(1, len(values) + 1),
        np.maximum.accumulate(values),
        where="post",
        label=name,
    )
left.set_xscale("log")
left.set(xlabel="learning_rate", ylabel="nDCG@10 of a trial")
right.set(xlabel="trials", ylabel="best nDCG@10 so far")
for ax in (left, right):
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)

# %%
# ``OptunaSearchCV`` of the package `optuna-integration` wraps such a search as an
# estimator. It does not pass metadata on, so scorers, rankers and splitters must name
# columns of X, as in this example.
