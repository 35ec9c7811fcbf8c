"""Users of `recommend` of whom none is known."""

import re
import warnings

import numpy as np
import pytest

from sklearn_rank.datasets import make_interactions
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)

MADE = make_interactions(60, 30, 400, random_state=0)
LOG = np.column_stack([MADE.user, MADE.item])
UNKNOWN = [1000, 1001, 1002]


@pytest.fixture
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MisleadingScoreWarning)
        yield


@pytest.mark.parametrize("model", [EASERecommender(), ItemNeighborsRecommender()])
def test_none_is_known(model):
    text = (
        "None of 3 users is in the data of fit, so all get the popular items. Are these "
        "the ids of fit, and its columns in order?"
    )
    with pytest.warns(MisleadingScoreWarning, match=re.escape(text)):
        model.fit(LOG).recommend(UNKNOWN, 5)


@pytest.mark.usefixtures("silent")
def test_what_is_meant_is_silent():
    model = EASERecommender().fit(LOG)
    model.recommend(UNKNOWN[:2], 5)
    model.recommend([*UNKNOWN, LOG[0, 0]], 5)
    PopularityRecommender().fit(LOG).recommend(UNKNOWN, 5)
    EASERecommender(new_users=PopularityRecommender()).fit(LOG).recommend(UNKNOWN, 5)
    model.recommend_for_items([[1]] * 3, 5)
