"""`sklearn-rank recommend`: write the lists of a saved model into a file."""
