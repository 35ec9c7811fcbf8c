"""Functions for engines: a table comes back in the kind of the one that went in."""

from typing import Any, assert_type

import pandas as pd
import polars as pl

from sklearn_rank.distributed import QueryScorer, UserLists, as_per_query_scores, summarize
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.recommenders import PopularityRecommender

rows = pd.DataFrame(
    {"user": [1, 1, 2, 2], "grade": [0, 1, 1, 0], "score": [4.0, 3.0, 2.0, 1.0]}
)
score = QueryScorer(["mrr", "ndcg@2"], groups="user", y_true="grade", y_score="score")
values = score(rows)
assert_type(values, pd.DataFrame)
assert_type(score(pl.from_pandas(rows)), pl.DataFrame)
assert_type(score.stream([rows[:2], rows[2:]], sorted_by="user"), pd.DataFrame)
for part in score.parts(lambda: iter([rows]), partitions=2, memory="1GB"):
    assert_type(part, pd.DataFrame)

assert_type(summarize(values), str)
assert_type(summarize([values], output_dict=True), dict[str, dict[str, Any]])
assert_type(summarize(values, n_rows=4, as_frame=True), pd.DataFrame)
assert_type(as_per_query_scores(values), PerQueryScores)

log = pd.DataFrame({"user": ["ann", "ann", "bob"], "item": ["tea", "jam", "tea"]})
lists = UserLists(PopularityRecommender().fit(log), k=1, exclude=["oil"])
assert_type(lists(pd.DataFrame({"user": ["eve", "bob"]})), pd.DataFrame)
