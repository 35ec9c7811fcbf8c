"""Scorers: metrics as the tools of scikit-learn call them."""
