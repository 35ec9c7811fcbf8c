"""`sklearn-rank split`: write train, valid and test files for any library."""
