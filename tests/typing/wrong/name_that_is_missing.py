"""A name that a module does not have."""

from sklearn_rank.metrics import recall_score as recall_score  # wrong
