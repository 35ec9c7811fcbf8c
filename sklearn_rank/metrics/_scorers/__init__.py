"""Scorers: metrics for the tools of scikit-learn."""
