"""Lists, tables and files as rows."""

import pandas as pd

from sklearn_rank.inputs import (
    from_files,
    from_frames,
    from_item_lists,
    from_relevance,
    from_runs,
    make_pool,
)
from sklearn_rank.metrics import ndcg_score

bought = {"ann": {"tea", "milk"}, "bob": {"rice": 3, "salt": 1}}
shown = {"ann": ["tea", "jam"], "bob": ["salt", "rice"]}
rows = from_item_lists(bought, shown)
print(ndcg_score(rows.y_true, rows.y_score, groups=rows.groups))
print(from_item_lists([["tea"], ["oil"]], [["tea", "jam"], ["oil"]]).y_true)

frame = from_frames(
    pd.DataFrame({"user": ["ann", "ann", "bob"], "item": [1, 2, 1]}),
    pd.DataFrame({"user": ["ann", "ann"], "item": [2, 3], "rank": [1, 2]}),
    user="user",
    item="item",
    rank="rank",
    return_items=True,
)
print(frame.groups, frame.y_score)
print(from_relevance([[0, 1, 0], [1]], n_relevant=[2, 1]).y_true)
print(from_files(["q1 0 d1 2", "q1 0 d2 0"], ["q1 Q0 d1 1 0.5 me"]).y_true)
found = from_runs({"q1": "d2"}, {"words": {"q1": {"d1": 9.0}}, "vectors": {"q1": ["d2"]}})
print(found.X)
pool = make_pool({"bm25": {"q": ["d1", "d2"]}, "dense": {"q": ["d2"]}}, depth=2)
print(pool.n_runs)
