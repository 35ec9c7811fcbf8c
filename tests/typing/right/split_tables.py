"""Three parts, a description of folds, a dense core of a log, values of all queries."""

from typing import assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.model_selection import (
    SplitDescription,
    TimeSplit,
    cross_validate_per_query,
    describe_split,
    k_core,
    train_valid_test_split,
)

log = make_interactions(60, 60, 900, random_state=0, as_frame=True)
assert_type(log, pd.DataFrame)
kept = k_core(log["user"], log["item"], min_user=3, min_item=3)
assert_type(kept, NDArray[np.bool_])
log = log[kept]

splitter = TimeSplit(time="time")
train, valid, test = train_valid_test_split(log, splitter=splitter, valid="20D")
print(len(train), len(valid), len(test))
rows = train_valid_test_split(log, splitter=splitter, return_indices=True)
assert_type(rows, list[NDArray[np.intp]])

found = describe_split(splitter, log)
assert_type(found, SplitDescription)
assert_type(found.to_frame(), pd.DataFrame)
print(found, describe_split([([0, 1], [2, 3])], log, check=None))

X, y, groups = make_ranking(n_queries=30, random_state=0)
scores = cross_validate_per_query(
    Ridge(), X, y, groups=groups, metrics="ndcg@5", cv=GroupKFold(3)
)
assert_type(scores, PerQueryScores)
