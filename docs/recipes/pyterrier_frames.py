# needs: python-terrier
import pandas as pd
import pyterrier as pt

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

topics = pd.DataFrame({"qid": ["1", "2"], "query": ["how to", "where is"]})
table = pt.Experiment(
    [results, results], topics, qrels, ["ndcg_cut_10"], names=["A", "B"], perquery=True
)
ours = dict(zip(["1", "2"], values["ndcg@10"].tolist(), strict=True))
systems = {
    name: dict(zip(rows["qid"], rows["value"], strict=True))
    for name, rows in table.groupby("name")
}
assert all(
    abs(system[qid] - ours[qid]) < 1e-12 for system in systems.values() for qid in ours
)
