# needs: pandas
import pandas as pd

results = pd.DataFrame(
    {
        "qid": ["1", "1", "2"],
        "docno": ["d1", "d3", "d9"],
        "score": [2.0, 1.0, 3.0],
        "rank": [0, 1, 0],
    }
)
qrels = pd.DataFrame(
    {"qid": ["1", "1", "2"], "docno": ["d1", "d2", "d9"], "label": [1, 1, 2]}
)

# recipe
from sklearn_rank.inputs import from_frames
from sklearn_rank.metrics import per_query_scores

# results = pipeline(topics); qrels = dataset.get_qrels()
rows = from_frames(
    qrels, results, user="qid", item="docno", relevance="label", score="score"
)
values = per_query_scores(**rows, metrics=["ndcg@10", "map@100"])
# end

assert round(values["ndcg@10"].tolist()[0], 4) == 0.6131
