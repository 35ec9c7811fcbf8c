"""Plain mistakes get an error of this package, not one from inside it."""

import inspect
from decimal import Decimal

import numpy as np
import pytest

from sklearn_rank import recommenders
from sklearn_rank.distributed import QueryScorer
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import label_propensity, ndcg_score, ranking_similarity
from sklearn_rank.model_selection import SplitDescription
from sklearn_rank.statistics import (
    abstention_threshold,
    judge_assisted_mean,
    partly_judged_scores,
)

NESTED = []
for _ in range(3000):
    NESTED = [NESTED]
SIGNALING = Decimal("sNaN")
GRADES = np.ones((4, 2))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: QueryScorer("ndcg", "q", "y", "s"), r'Write QueryScorer\("ndcg@10", gro'),
        (
            lambda: ranking_similarity([1, 2], [2, 1], metrics=np.array(1)),
            "`metrics` must be a name such as 'rbo', or a sequence of names",
        ),
        (lambda: ndcg_score([1, 0], [2, 1], groups=[NESTED, NESTED]), "must be 1-D"),
        (lambda: ndcg_score(NESTED, [2, 1], groups=[1, 1]), "one number per row"),
        (lambda: ndcg_score([SIGNALING, 1], [2, 1], groups=[1, 1]), "has 1 NaN value"),
        (lambda: ndcg_score([0, 1], [SIGNALING, 1], groups=[1, 1]), "has 1 NaN value"),
        (lambda: ndcg_score([0, 1], [2, 1], groups=[SIGNALING, 1]), "must be hashable"),
        (lambda: from_item_lists({"u": {"a": SIGNALING}}, {"u": ["a"]}), "must be finite"),
        (
            lambda: partly_judged_scores(
                GRADES.ravel(), {"a": GRADES.ravel()}, groups=[1, 1, 2], probability=0.5
            ),
            "`groups` has 3 values, but there are 8 rows",
        ),
        (
            lambda: judge_assisted_mean([1, np.nan, 3], [1, 2, 3], probability=5e-324),
            "at least 1e-100 and at most 1",
        ),
    ],
)
def test_an_error_of_this_package(call, said):
    with pytest.raises((TypeError, ValueError), match=said) as caught:
        call()
    assert "sklearn_rank" in str(caught.traceback[-1].path)


@pytest.mark.parametrize("metric", ["hit_rate@1", "ndcg@2"])
def test_a_risk_next_to_0(metric):
    y_score = np.random.default_rng(0).random((50, 4))
    y_true = np.eye(4)[np.arange(50) % 4]
    for risk in (5e-324, 1e-20):
        with pytest.warns(UserWarning, match="It takes at least 9223372036854775808 ans"):
            found = abstention_threshold(y_true, y_score, metric=metric, max_risk=risk)
        assert found.threshold == np.inf


@pytest.mark.parametrize("a", [2**53 + 1, 1e308])
def test_the_limit_of_a_propensity(a):
    # 1 + (log n - 1) ((b + 1) / (count + b)) ** a, with b = 1.5
    found = label_propensity([0, 1, 2], 10, a=a)
    assert found.tolist() == [0, 1 / np.log(10), 1]


def test_a_description_of_splits_has_a_signature():
    assert "columns" in inspect.signature(SplitDescription).parameters
    columns = {"fold": [0], "train": [3]}
    assert SplitDescription(columns) == SplitDescription(**columns) == columns


PROTOCOL = (
    *("fit_interactions", "score_histories", "score_users", "score_pairs"),
    *("update_users", "propose", "propose_histories"),
)


def test_methods_that_check_nothing_say_so():
    classes = [getattr(recommenders, name) for name in recommenders.__all__]
    methods = [
        getattr(kind, name)
        for kind in classes
        if inspect.isclass(kind)
        for name in PROTOCOL
        if hasattr(kind, name)
    ]
    assert len(methods) > 50
    said = " The package calls it with positions; it checks nothing."
    for method in methods:
        assert inspect.getdoc(method).split("\n")[0].endswith(said), method
