"""Doctests of the guide; what Sphinx runs or writes is no test."""

import pytest
from sklearn import config_context

collect_ignore = [
    "conf.py",
    "_ext",
    "_build",
    "auto_examples",
    "examples",
    "generated",
    "recipes",
]


@pytest.fixture(autouse=True)
def scikit_learn_settings_stay():
    """Give each page scikit-learn's default settings, and undo what it sets."""
    with config_context():
        yield
