"""What recommenders return: ids, ids with scores, long tables, explanations."""

from typing import Any, assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import EASERecommender, Explanation

log = make_interactions(60, 60, 900, random_state=0, as_frame=True)
model = EASERecommender().fit(log)

lists = model.recommend([1, 2], k=5)
assert_type(lists, NDArray[Any])
items, scores = model.recommend(np.array([1, 2]), k=5, return_scores=True)
assert_type(items, NDArray[Any])
assert_type(scores, NDArray[np.float64])
print(lists.tolist(), scores.max(), items[0, 0])

print(model.recommend(log["user"][:3], k=2, exclude_seen=False, exclude=[3, 4]).shape)
print(model.recommend([1], k=2, items={1: [5, 6, 7]}, exclude_seen=False))
assert_type(model.recommend_for_items([[3, 4], {5: 2.0}], k=3), NDArray[Any])
assert_type(model.similar_items([3], k=3), NDArray[Any])
alike, how = model.similar_items([3], k=3, return_scores=True)
assert_type(how, NDArray[np.float64])

table = model.rank([1, 2], k=3)
assert_type(table, dict[str, NDArray[Any]])
print(pd.DataFrame(table))
assert_type(model.explain(1, 3), Explanation)
