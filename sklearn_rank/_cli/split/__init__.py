"""`sklearn-rank split`: train, valid and test files, for all libraries the same."""
