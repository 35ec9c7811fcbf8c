"""A module that the package does not have."""

from sklearn_rank import foo as foo  # wrong
