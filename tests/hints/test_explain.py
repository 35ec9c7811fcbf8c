"""Decorators that explain keywords and attributes which do not exist."""

import copy
import pickle
from inspect import signature

import pytest

from sklearn_rank._hints._explain import explain_attributes, explain_keywords


@explain_keywords(length="Write k=.")
def first(values, k=1, **others):
    """Return the first values."""
    if others:
        raise TypeError(f"first() has no {others}")
    return values[:k]


def test_a_call_is_as_without_the_decorator():
    assert first([1, 2, 3], k=2) == first([1, 2, 3], 2) == [1, 2]
    assert list(signature(first).parameters) == ["values", "k", "others"]
    assert (first.__name__, first.__doc__) == ("first", "Return the first values.")
    assert pickle.loads(pickle.dumps(first)) is first


def test_a_keyword_that_does_not_exist_is_explained():
    with pytest.raises(TypeError, match=r"^first\(\) has no .*'length'. Write k=.$"):
        first([1, 2, 3], length=2)
    with pytest.raises(TypeError, match=r"^first\(\) has no \{'size': 2\}$"):
        first([1, 2, 3], size=2)


def test_another_error_stays_what_it_is():
    with pytest.raises(TypeError, match="slice indices"):
        first([1, 2, 3], k="2")
    with pytest.raises(TypeError, match="missing 1 required"):
        first()


@explain_attributes(size="Write len().")
class Values:
    """Some values, with a property that fails."""

    @property
    def mean(self):
        raise AttributeError("there are no values")


def test_an_attribute_that_does_not_exist_is_explained():
    with pytest.raises(
        AttributeError, match=r"^'Values' object has no attribute 'size'. Write len\(\).$"
    ) as raised:
        Values().size  # noqa: B018
    assert raised.value.name == "size"
    assert not hasattr(Values(), "size")
    assert "size" not in dir(Values())


def test_other_attributes_raise_what_python_does():
    with pytest.raises(AttributeError, match=r"^'Values' object has no attribute 'sum'$"):
        Values().sum  # noqa: B018
    with pytest.raises(AttributeError, match=r"^there are no values$"):
        Values().mean  # noqa: B018


def test_objects_are_copied_and_pickled():
    values = Values()
    values.first = 3
    for again in (
        copy.copy(values),
        copy.deepcopy(values),
        pickle.loads(pickle.dumps(values)),
    ):
        assert vars(again) == {"first": 3}
