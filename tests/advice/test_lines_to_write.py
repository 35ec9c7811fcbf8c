"""Lines that messages tell people to write are executed on the input that caused them."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

from sklearn_rank._base._text import conversion_of

pd = pytest.importorskip("pandas")

IMPORTS = """
import numpy as np, pandas as pd, pandas
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import tune_models
from sklearn_rank.inputs import from_frames, from_item_lists, from_runs
from sklearn_rank.metrics import *
from sklearn_rank.model_selection import LeaveLastOut, TimeSplit
from sklearn_rank.rankers import GroupRanker, RankFusion
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender
from sklearn_rank.statistics import compare_models, confidence_interval
"""

RANKING = """
rng = np.random.default_rng(0)
groups = np.repeat(np.arange(30), 8)
X = pd.DataFrame({"a": rng.random(240), "query": groups, "b": rng.random(240)})
y = (X["a"] + rng.random(240) > 1).astype(int)
folds = GroupKFold(3)
"""
LOG = """
log = make_interactions(40, 40, 300, random_state=0, as_frame=True)
log = log.rename(columns={"user": "customer"})
class Own(BaseEstimator):
    def fit(self, X, y=None):
        self.items_ = X["item"].value_counts().index.to_list()
        return self
    def recommend(self, users, k=10):
        return [self.items_[:k] for _ in users]
def with_column(user):
    scorer = make_recommender_scorer("recall@3", user=user)
    return cross_val_score(Own(), log, scoring=scorer, cv=split, error_score="raise").mean()
split = TimeSplit(time="time", user="customer", item="item", n_splits=2)
"""
TIMES = """
log = pd.DataFrame({"user": [1, 1, 2, 2], "item": [1, 2, 1, 2], "time": TEXTS})
times = log["time"]
def held_out(times):
    rows = log.assign(time=times)
    return [test.tolist() for _, test in LeaveLastOut(user="user", time="time").split(rows)]
"""


class Advice(NamedTuple):
    """An input with a mistake, what the message says to write, and what is right then."""

    setup: str
    call: str
    line: str  # a part of the message
    use: str  # how the line is used, `{}` for it
    right: Any  # the value, or an expression that does not use the line


ADVICE = {
    "a plain estimator without groups": Advice(
        RANKING,
        'cross_val_score(Ridge(), X, y, scoring=make_ranking_scorer("ndcg@3"), cv=folds, '
        'groups=groups, error_score="raise")',
        "GroupRanker(Ridge(), groups='query')",
        'cross_val_score({}, X, y, scoring=make_ranking_scorer("ndcg@3", groups="query"), '
        "cv=folds, groups=groups).mean()",
        "np.mean([ndcg_score(y.iloc[test], Ridge().fit(X.iloc[train][['a', 'b']], "
        "y.iloc[train]).predict(X.iloc[test][['a', 'b']]), groups=groups[test], k=3) "
        "for train, test in folds.split(X, y, groups)])",
    ),
    "a recommender in a scorer of rows": Advice(
        LOG.replace("customer", "user"),
        'cross_val_score(PopularityRecommender(), log, cv=split, error_score="raise", '
        "scoring=make_ranking_scorer('recall@3'))",
        "make_recommender_scorer('recall@3')",
        "cross_val_score(PopularityRecommender(), log, cv=split, scoring={}).mean()",
        "cross_val_score(PopularityRecommender(), log, cv=split, "
        'scoring=make_recommender_scorer("recall@3", user="user", item="item")).mean()',
    ),
    "a scorer that cannot name the users": Advice(
        LOG,
        "with_column(None)",
        'make_recommender_scorer(..., user="customer", item="product")',
        'with_column("customer")',
        "np.mean([np.mean([len(set(rows['item']) & set(log['item'].iloc[train]"
        ".value_counts().index[:3])) / rows['item'].nunique() for _, rows in "
        "log.iloc[test].groupby('customer')]) for train, test in split.split(log)])",
    ),
    "texts of two lengths as times": Advice(
        TIMES.replace("TEXTS", '["2025-01-02 10:00:00", "2025-01-01"] * 2'),
        "held_out(times)",
        "X['time'] = pandas.to_datetime(X['time'], format=\"ISO8601\")",
        'held_out(exec("""X = log; {}""") or X["time"])',
        [[0, 2]],
    ),
    "texts of two zones as times": Advice(
        TIMES.replace(
            "TEXTS", '["2025-01-01 01:30:00+00:00", "2025-01-01 02:00:00+01:00"] * 2'
        ),
        "held_out(times)",
        "X['time'] = pandas.to_datetime(X['time'], utc=True)",
        'held_out(exec("""X = log; {}""") or X["time"])',
        [[0, 2]],
    ),
    "datetimes with and without a zone": Advice(
        TIMES.replace(
            "TEXTS",
            '[pd.Timestamp("2025-01-02", tz="UTC"), pd.Timestamp("2025-01-01")] * 2',
        ),
        "held_out(times)",
        "pandas.to_datetime(times, utc=True)",
        "held_out({})",
        [[0, 2]],
    ),
    "sessions in which all rows have one time": Advice(
        """
X = pd.DataFrame({"user": [1, 1, 2, 2], "item": [1, 2, 1, 2], "time": [5, 5, 6, 6]})
log = pd.DataFrame({"user": [8, 8, 9], "item": [1, 2, 3], "time": 4, "order": 0})
def score(time):
    model = EASERecommender(time=time).fit(log)
    return make_recommender_scorer("hit_rate@1", reveal=True)(model, X)
""",
        'score("time")',
        "X[\"order\"] = X.groupby('user').cumcount()",
        '(exec("""{}"""), score("order"))[1]',
        1.0,  # who had item 1 has item 2 first, as one of two users of fit had both
    ),
    "the probability of the wrong class": Advice(
        RANKING + "y = (X['a'] > X.groupby(groups)['a'].transform('median')).astype(int)\n"
        "X = X[['a']]\nmodel = LogisticRegression().fit(X, y)",
        'ranking_scores(y, model.predict_proba(X)[:, 0], groups=groups, metrics="auc")',
        "predict_proba(X)[:, 1]",
        'ranking_scores(y, model.{}, groups=groups, metrics="auc")["auc"]',
        1.0,
    ),
    "a ranker behind steps that rename its column": Advice(
        RANKING + 'steps = ColumnTransformer([("x", "passthrough", ["a", "b"]), '
        '("q", "passthrough", ["query"])]).set_output(transform="pandas")\n',
        "make_pipeline(steps, GroupRanker(Ridge(), groups='query')).fit(X, y)",
        "GroupRanker(make_pipeline(..., Ridge()), groups='query')",
        "GroupRanker(make_pipeline('passthrough', Ridge()), groups='query')"
        ".fit(X, y).score(X, y)",
        "ndcg_score(y, Ridge().fit(X[['a', 'b']], y).predict(X[['a', 'b']]), "
        "groups=groups)",
    ),
    "judgments and runs exchanged": Advice(
        'y_true = {"q": {"b": 1}}\nruns = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1.0}}]',
        "from_runs(runs, y_true)",
        "from_runs(y_true, runs)",
        "{}.X.tolist()",
        [[1.0, 1.0], [2.0, np.nan]],
    ),
    "codes that fill empty places": Advice(
        "lists = [[1, -1, -1], [3, 4, -1]]",
        "from_item_lists([[1, 2], [3]], lists)",
        "filler=-1",
        "recall_at_k_score(**from_item_lists([[1, 2], [3]], lists, {}), k=3)",
        0.75,
    ),
    "ids as numbers beside ids as text": Advice(
        'y_true = {"q": ["10", "11"]}\ny_pred = {"q": [11, 12]}',
        "from_item_lists(y_true, y_pred)",
        "{q: [str(i) for i in ids] for q, ids in y_pred.items()}",
        "recall_at_k_score(**from_item_lists(y_true, {}), k=2)",
        0.5,
    ),
    "several values of one query": Advice(
        "values = pd.Series(np.sin(range(60)), index=[f'q{n // 4}' for n in range(60)])",
        "confidence_interval(values)",
        "clusters=values.index",
        'confidence_interval(values, method="t", {}).high',
        'confidence_interval(values.groupby(level=0).mean(), method="t").high',
    ),
    "a score by distance": Advice(
        'truth = pd.DataFrame({"user": list("abcde"), "item": 1})\n'
        'recommendations = pd.DataFrame({"user": list("abcde") * 2, "item": [1] * 5 + '
        '[2] * 5, "distance": [0.1] * 5 + [0.9] * 5})\ncolumns = dict(user="user", '
        'item="item")',
        'from_frames(truth, recommendations, rank="distance", **columns)',
        "-recommendations['distance']",
        "hit_rate_at_k_score(**from_frames(truth, recommendations.assign(near={}), "
        'score="near", **columns), k=1)',
        1.0,
    ),
    "an estimator without parameters": Advice(
        LOG.replace("customer", "user").replace("Own(BaseEstimator)", "Own"),
        'tune_models(log, models={"own": Own()})',
        "inherit from sklearn.base.BaseEstimator too",
        "type('Own', (Own, BaseEstimator), {{}})().get_params()",
        {},
    ),
    "one estimator as models": Advice(
        RANKING + "model = GroupRanker(Ridge())",
        "tune_models(X, y, groups=groups, models=model)",
        '{"GroupRanker": model}',
        "list(tune_models(X, y, groups=groups, models={}, n_splits=2).models_)[:1]",
        ["GroupRanker"],
    ),
}


def message_of(call, names):
    """Return the text of the error or the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            eval(call, names)
        except (TypeError, ValueError, AttributeError) as error:
            return str(error)
    return "\n".join(str(warning.message) for warning in caught)


@pytest.mark.parametrize("mistake", ADVICE)
def test_the_line_of_a_message_gives_the_right_number(mistake):
    advice = ADVICE[mistake]
    names = {}
    exec(IMPORTS + advice.setup, names)
    assert advice.line in message_of(advice.call, names)
    value = eval(advice.use.format(advice.line), names)
    right = eval(advice.right, names) if isinstance(advice.right, str) else advice.right
    if isinstance(right, float):
        assert value == pytest.approx(right, rel=1e-12)
    else:
        np.testing.assert_equal(value, right)


@pytest.mark.parametrize(
    ("texts", "option"),
    [
        (["01/01/2025", "13/01/2025"], ", dayfirst=True"),
        (["01/01/2025", "01/13/2025"], ", dayfirst=False"),
        (["2025-01-01", "2025-01-13"], ""),
    ],
)
def test_a_conversion_says_whether_the_day_is_first(texts, option):
    assert conversion_of("times", texts) == f"pandas.to_datetime(times{option})"
