"""`sklearn-rank tune`: recommenders from a log of interactions."""
