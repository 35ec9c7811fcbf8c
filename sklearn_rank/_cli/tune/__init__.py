"""`sklearn-rank tune`: tune recommenders on a log of interactions."""
