"""
Score rows that do not fit into memory
======================================

A metric needs all rows of a query, but no other rows. So you can score rows part by part,
and get the same report as from one call. Here the parts are pieces of a generated table.
A Parquet file or a table of an engine works in the same way.
"""

# %%
# A scorer names the columns of a table. Call it with tables of whole queries.

import matplotlib.pyplot as plt
import pandas as pd

from sklearn_rank.datasets import make_ranking
from sklearn_rank.distributed import QueryScorer, as_per_query_scores, summarize
from sklearn_rank.metrics import PerQueryDisplay

scorer = QueryScorer(["ndcg@10", "mrr"], groups="query", y_true="grade", y_score="score")


def pieces(n_pieces=20):
    """Yield the rows in pieces, with only one piece in memory at a time."""
    for piece in range(n_pieces):
        X, grade, query = make_ranking(n_queries=200, random_state=piece)
        yield pd.DataFrame(
            {"query": query + 200 * piece, "grade": grade, "score": X[:, :3].sum(axis=1)}
        )


# %%
# `stream` takes the pieces. Here the rows of a query are contiguous; rows in any order
# need ``spill=`` or ``partitions=``. It returns one row of values per query.

values = scorer.stream(pieces, sorted_by="query")
print(summarize(values))

# %%
# Use the values per query for comparisons, intervals and pictures.

PerQueryDisplay.from_scores(as_per_query_scores(values), metric="ndcg@10")
plt.show()

# %%
# The result equals that of one call, to the last bit.

everything = pd.concat(pieces())
print(summarize(scorer(everything)) == summarize(values))
