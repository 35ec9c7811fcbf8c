"""A report is text unless a dict is asked for."""

from sklearn_rank.metrics import ranking_report

found = ranking_report([1, 0], [2.0, 1.0], groups=[1, 1], output_dict=True)
print(found["ndcg@10"])
text = ranking_report([1, 0], [2.0, 1.0], groups=[1, 1])
print(text["ndcg@10"])  # wrong
