"""Case 3: scorers and displays without groups take the query column of the ranker."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import MetricAtKDisplay, PerQueryDisplay, make_ranking_scorer
from sklearn_rank.model_selection import UserKFold, cross_validate_per_query
from sklearn_rank.rankers import GroupRanker, RankFusion

X, Y, GROUPS = make_ranking(n_queries=40, random_state=0)
FRAME = pd.DataFrame(X).add_prefix("x").assign(q=GROUPS)
CV = UserKFold(4, user="q")
SCORER = make_ranking_scorer("ndcg@5")
NAMED = GroupRanker(Ridge(), groups="q")


def scores(model, scoring, X=FRAME, cv=CV, **given):
    return cross_val_score(
        model, X, Y, scoring=scoring, cv=cv, error_score="raise", **given
    ).tolist()


EXPECTED = scores(NAMED, make_ranking_scorer("ndcg@5", groups="q"))


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        NAMED,
        GroupRanker(Ridge(), groups=X.shape[1]),
        GroupRanker(Ridge(), groups=["q"]),
        make_pipeline("passthrough", NAMED),
        GridSearchCV(NAMED, {"estimator__alpha": [1.0]}, scoring=SCORER, cv=CV),
    ],
)
def test_a_scorer_without_groups_takes_those_of_the_ranker(model, routing):
    with config_context(enable_metadata_routing=routing):
        assert scores(model, SCORER) == EXPECTED


def test_arrays_have_positions():
    array = FRAME.to_numpy()
    cv = UserKFold(4, user=X.shape[1])
    assert scores(GroupRanker(Ridge(), groups=-1), SCORER, array, cv) == EXPECTED


def moved(frame):
    return frame[frame.columns[::-1]]


def test_a_position_after_steps_may_be_that_of_another_column():
    model = make_pipeline(FunctionTransformer(moved), GroupRanker(Ridge(), groups=0))
    with pytest.raises(ValueError, match="got no groups and cannot tell"):
        scores(model, SCORER)
    with pytest.raises(ValueError, match="got no groups and cannot tell"):
        scores(Ridge(), SCORER)


def test_what_is_passed_or_named_wins():
    frame = FRAME.assign(half=FRAME["q"] // 2)
    model = GroupRanker(Ridge(), groups="q").fit(frame, Y)
    passed = SCORER(model, frame, Y, groups=frame["half"])
    assert make_ranking_scorer("ndcg@5", groups="half")(model, frame, Y) == passed
    assert SCORER(model, frame, Y) != passed


def test_values_per_query_need_no_groups():
    found = cross_validate_per_query(NAMED, FRAME, Y, metrics="ndcg@5", cv=GroupKFold(4))
    same = cross_validate_per_query(
        NAMED, FRAME, Y, metrics="ndcg@5", cv=GroupKFold(4), groups="q"
    )
    assert np.array_equal(found.scores["ndcg@5"], same.scores["ndcg@5"])
    assert np.array_equal(found.groups, same.groups)
    fusion = RankFusion(groups="q")
    assert len(cross_validate_per_query(fusion, FRAME, Y, cv=CV)) == 40


def test_displays_need_no_groups():
    pytest.importorskip("matplotlib")
    model = NAMED.fit(FRAME, Y)
    found = MetricAtKDisplay.from_estimator(model, FRAME, Y)
    named = MetricAtKDisplay.from_estimator(model, FRAME, Y, groups="q")
    assert found.mean["ndcg"].tolist() == named.mean["ndcg"].tolist()
    pair = PerQueryDisplay.from_estimator(model, FRAME, Y, baseline=Ridge().fit(FRAME, Y))
    assert len(pair.scores) == 40
