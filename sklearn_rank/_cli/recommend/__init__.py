"""`sklearn-rank recommend`: the lists of a saved model, in a file."""
