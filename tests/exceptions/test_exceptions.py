"""Errors and warnings as users catch them."""

import pickle
import warnings

import pytest

from sklearn_rank.exceptions import IncomparableIdsError, MisleadingScoreWarning
from sklearn_rank.inputs import from_item_lists


@pytest.mark.parametrize("caught", [IncomparableIdsError, ValueError, TypeError])
def test_ids_of_two_types_are_caught_in_three_ways(caught):
    with pytest.raises(caught, match="ann"):
        from_item_lists({"ann": {1}}, {"ann": ["1", "2"]})


def test_a_warning_is_ignored_by_its_class():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", MisleadingScoreWarning)
        warnings.warn("a score", MisleadingScoreWarning, stacklevel=1)
        with pytest.raises(UserWarning, match="another"):
            warnings.warn("another", UserWarning, stacklevel=1)


@pytest.mark.parametrize("cls", [IncomparableIdsError, MisleadingScoreWarning])
def test_they_are_pickled(cls):
    again = pickle.loads(pickle.dumps(cls("text")))
    assert type(again) is cls
    assert again.args == ("text",)
