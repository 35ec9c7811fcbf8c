"""`sklearn-rank rank`: tune rankers on a file of queries."""
