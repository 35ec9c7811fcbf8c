"""`sklearn-rank rank`: rankers from a file of queries."""
