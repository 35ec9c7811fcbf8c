"""The page of the documentation does what it says."""

import doctest
from pathlib import Path


def test_the_examples_of_the_page_run():
    page = Path(__file__).parents[2] / "docs" / "recommenders.rst"
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert tried > 20
    assert failed == 0
