"""
From offline figures to users
=============================

This example shows three ways to find out from users which of two tuned models is better:
interleaved lists, an A/B test, and the log of a ranker that chose at random. The users are
simulated, so the truth is known.
"""

# %%
# Two models
# ----------
# The models are ridge regressions with tuned regularization. The old one uses three of the
# columns, and the new one uses all. Each query is a user with twenty items.

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import make_ranking_scorer, per_query_scores
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.statistics import compare_models

n_users, n_items, n_shown = 4000, 20, 5
X, y, groups = make_ranking(n_users + 100, (n_items, n_items), noise=1.0, random_state=0)
X = np.column_stack([groups, X])  # the query of each row is a column
train, test = groups < 100, groups >= 100
search = GridSearchCV(
    GroupRanker(Ridge(), groups=0),
    {"estimator__alpha": [1, 10, 100, 1000]},
    scoring=make_ranking_scorer("ndcg@5"),
    cv=GroupKFold(3),
    error_score="raise",  # an error stops the search; otherwise it becomes nan
)
scores, tops = {}, {}
for name, n_columns in {"old": 4, "new": 11}.items():
    search.fit(X[train, :n_columns], y[train], groups=groups[train])
    scores[name] = search.predict(X[test, :n_columns]).reshape(n_users, n_items)
    tops[name] = (-scores[name]).argsort(axis=1)[:, :n_shown]

offline = {
    name: per_query_scores(y[test], found.ravel(), groups=groups[test], metrics="ndcg@5")
    for name, found in scores.items()
}
print(compare_models(offline, baseline="old"))

# %%
# The users
# ---------
# Users look at rank r with the probability 1 / r. They click a viewed item more often if
# its grade is higher. ``probability`` is the true probability of each click.

from sklearn_rank.datasets import make_click_log

relevance = np.array([0.05, 0.1, 0.2, 0.4, 0.6])[y[test].reshape(n_users, n_items)]
truth = {
    name: make_click_log(top, relevance).probability.sum() / n_users
    for name, top in tops.items()
}
print({name: round(clicks.item(), 3) for name, clicks in truth.items()})

# %%
# Interleaving
# ------------
# 400 users see one list each, to which both models contribute items in turn. The model
# whose items get more clicks wins.

from sklearn_rank.online import interleaving_test, team_draft_interleave

some = slice(400)
lists = team_draft_interleave([tops["new"][some], tops["old"][some]], random_state=0)
log = make_click_log(lists.item, relevance[some], random_state=0)
preference = interleaving_test(
    lists.team.ravel(), log.clicked, impression=log.impression, names=["new", "old"]
)
print(preference)

# %%
# The interval excludes 0, so users prefer the new model. The test does not measure how
# many more clicks this model would get.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(7, 2), layout="constrained")
display = preference.plot(ax=ax)

# %%
# An A/B test
# -----------
# Each user is assigned to one of the models, and visits several times in a month. Some
# users visit more often than others. Their clicks in the month before predict this.

from sklearn_rank.online import compare_variants, sample_ratio_test

rng = np.random.default_rng(0)
variant = rng.choice(["old", "new"], n_users)
visits = rng.gamma(1.5, 2, n_users)


def clicks_of_a_month(top, seed):
    """Return the clicks of each user on the lists of all visits."""
    user = np.repeat(np.arange(n_users), rng.poisson(visits))
    found = make_click_log(top[user], relevance, user=user, random_state=seed)
    return np.bincount(found.user, found.clicked, n_users)


before = clicks_of_a_month(tops["old"], 1)
served = np.where((variant == "new")[:, np.newaxis], tops["new"], tops["old"])
clicks = clicks_of_a_month(served, 2)

print(f"sample ratio: p = {sample_ratio_test(variant).p_value:.2f}")
print(compare_variants(clicks, variant, control="old"))

# %%
# With the earlier clicks as a covariate (CUPED) the interval is narrower.

print(compare_variants(clicks, variant, control="old", covariate=before))

# %%
# Looks during the run
# --------------------
# An ordinary interval is valid for a single look. Any-time intervals are valid at every
# look, and are wider. Here users enter one after another.

from sklearn_rank.online import VariantLooksDisplay

looks = {"any time": {"anytime_n": 2000}, "one look": {}}
so_far = {
    name: [
        compare_variants(
            clicks[:n], variant[:n], control="old", covariate=before[:n], **options
        )
        for n in range(400, n_users + 1, 200)
    ]
    for name, options in looks.items()
}
figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for ax, (name, comparisons) in zip(axes, so_far.items(), strict=True):
    display = VariantLooksDisplay.from_comparisons(comparisons, name=name, ax=ax)

# %%
# The log of a ranker that chose at random
# ----------------------------------------
# The old model drew its lists at random: the probability of an item increases with its
# score. From this log alone, the clicks of a ranker that draws by the new scores can be
# estimated.

from sklearn_rank.online import off_policy_value


def draw(weights, rng):
    """Return lists without duplicates; items are drawn in proportion to weights."""
    return (rng.exponential(size=weights.shape) / weights).argsort(axis=1)


def chances(weights, lists):
    """Return the probability of each item of the lists, given the items above."""
    drawn = np.take_along_axis(weights, lists, axis=1)
    return drawn / drawn[:, ::-1].cumsum(axis=1)[:, ::-1]


policies = {name: np.exp(3 * found) for name, found in scores.items()}
logged = draw(policies["old"], rng)
log = make_click_log(logged[:, :3], relevance, random_state=3)
estimate = off_policy_value(
    log.clicked,
    chances(policies["old"], logged)[:, :3].ravel(),
    chances(policies["new"], logged)[:, :3].ravel(),
    slate=log.impression,
    position=log.position,
)
print(f"estimate: {estimate.value:.3f}, {estimate.low:.3f} to {estimate.high:.3f}")
print(f"effective sample sizes: {estimate.effective_sample_size.round().tolist()}")

# %%
# The true value of the new ranker, from many drawn lists, and the clicks of the old one:

wanted = [
    make_click_log(draw(policies["new"], rng)[:, :3], relevance).probability.sum()
    for _ in range(10)
]
print(f"truth: {np.mean(wanted) / n_users:.3f}, logged: {log.clicked.sum() / n_users:.3f}")
