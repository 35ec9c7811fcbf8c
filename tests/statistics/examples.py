"""Data of the worked examples, with sources where they are published."""

import numpy as np

# R. A. Fisher, The Design of Experiments, 1935: Darwin's plants, in eighths of an inch.
DARWIN = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]) / 8

# Student, Biometrika 6, 1908: hours of sleep that each of two drugs adds.
FIRST_DRUG = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2.0]
SECOND_DRUG = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

THREE_MODELS = {
    "A": [0.30, 0.60, 0.10, 0.80, 0.40, 0.20],
    "B": [0.45, 0.70, 0.12, 0.78, 0.55, 0.30],
    "C": [0.50, 0.72, 0.25, 0.90, 0.51, 0.28],
}

TIED_SUMS = [0.1, 0.2, 0.3, -0.3, 0.1, 0.2]

SIX = np.array([0.2, 0.1, -0.1, 0.3, 0, 0.4])
WEIGHTS = np.array([1, 2, 1, 1, 3, 2])
THREE_CLUSTERS = [0, 0, 1, 1, 1, 2]

OF_USERS = [0.10, 0.12, 0.11, -0.02, 0, 0.05, 0.07, 0.06, -0.04, 0.03, 0.09, 0.08]
USERS = [0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 7]

WITH_NAN = {
    "A": [0.5, 0.6, np.nan, 0.4, 0.9],
    "B": [0.7, 0.6, np.nan, 0.6, np.nan],
    "C": [0.4, 0.5, np.nan, 0.7, 0.8],
}

TEN_SMALL = np.array([0.02, -0.01, 0.03, 0, 0.01, -0.02, 0.02, 0.01, 0, 0.01])


def against_zero(values):
    """Return scores of two models whose differences are the values."""
    return {"zero": np.zeros(len(values)), "model": np.asarray(values, dtype=float)}
