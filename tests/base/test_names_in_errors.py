"""Errors speak of what users wrote: public classes, and values as Python writes them."""

import inspect
import re
from importlib import import_module

import numpy as np
import pytest

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._validation import check_option, suggest
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer
from tests.test_public_api import PROMISED


def public_classes():
    modules = map(import_module, PROMISED)
    objects = [getattr(module, name) for module in modules for name in module.__all__]
    return [found for found in objects if inspect.isclass(found)]


SCORERS = [type(make_ranking_scorer("ndcg")), type(make_recommender_scorer("ndcg@5"))]
CLASSES = [*public_classes(), *SCORERS]


def own_methods(cls):
    for name in dir(cls):
        method = getattr(cls, name)
        method = getattr(method, "__func__", method)
        if type(inspect.getattr_static(cls, name)).__name__ == "_AvailableIfDescriptor":
            method = method.__wrapped__  # it asks an object whether it has the method
        is_ours = str(getattr(method, "__module__", "")).startswith("sklearn_rank")
        if inspect.isfunction(method) and is_ours and not name.startswith("_"):
            yield name, method


def takes_any_number(method):
    kinds = {each.kind for each in inspect.signature(method).parameters.values()}
    return inspect.Parameter.VAR_POSITIONAL in kinds


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_the_error_of_a_wrong_call_names_no_private_class(cls):
    public = {found.__name__ for found in public_classes()}
    for name, method in own_methods(cls):
        if takes_any_number(method):
            continue
        with pytest.raises(TypeError) as raised:
            method(*[None] * 99)
        named = re.match(r"(?:(\w+)\.)?(\w+)\(\)", str(raised.value))
        assert named is not None
        assert named[2] == name
        assert named[1] is None or named[1] in public


@pytest.mark.parametrize("name", ["recommend", "explain", "update_users", "propose"])
def test_the_method_is_named_without_the_class_that_holds_it(name):
    from sklearn_rank.recommenders import EASERecommender

    with pytest.raises(TypeError, match=rf"^{name}\(\) missing"):
        getattr(EASERecommender(), name)()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.int64(0), "0"),
        (np.float32(0.5), "0.5"),
        (np.str_("a"), "'a'"),
        (np.True_, "True"),
        ((np.int64(1), np.str_("x")), "(1, 'x')"),
        (np.datetime64("2024-01-01"), "np.datetime64('2024-01-01')"),
    ],
)
def test_numbers_of_numpy_are_shown_as_those_of_python(value, shown):
    assert shorten(value) == shown


def test_a_suggestion_is_written_as_it_is_to_be_typed():
    assert suggest("1", [1, 2]).startswith("Did you mean 1? Valid: 1, 2")
    assert suggest(1, ["1", "2"]).startswith("Did you mean '1'? ")
    with pytest.raises(ValueError, match=r"`n` got '1'\. Did you mean 1\? Valid: 1, 2"):
        check_option("n", "1", [1, 2])
