"""The keywords that metrics share, written into the signatures of their functions."""

from __future__ import annotations

import inspect
import re
from typing import Any, Unpack, get_type_hints

import pytest

from sklearn_rank.metrics import ips_recall_at_k_score, ndcg_score
from sklearn_rank.metrics._core._keywords import ItemsAtK, ThresholdOfAll, write_out

SHARED_AT_END = ["ties", "sample_weight", "replace_undefined_by"]


def share(y_true: Any, y_score: Any, **common: Unpack[ThresholdOfAll]) -> float:
    """Return nothing."""


def price(
    y_true: Any,
    y_score: Any,
    *,
    prices: Any,
    tax: Any = None,
    currency: str = "EUR",
    **common: Unpack[ItemsAtK],
) -> float:
    """Return nothing."""


def alone(y_true: Any, y_score: Any, *, k: int = 3) -> float:
    """Return nothing."""


def test_keywords_of_the_class_are_in_the_signature_in_one_order():
    names = list(inspect.signature(write_out(share, ())).parameters)
    before = ["y_true", "y_score", "groups", "min_relevance", "n_items"]
    assert names == before + SHARED_AT_END


def test_data_stand_before_the_groups_and_own_parameters_after_the_cutoff():
    parameters = inspect.signature(write_out(price, {"tax"})).parameters
    before = ["y_true", "y_score", "prices", "tax", "groups", "items", "k", "currency"]
    assert list(parameters) == before + SHARED_AT_END
    assert parameters["prices"].default is inspect.Parameter.empty
    defaults = {name: parameters[name].default for name in ("tax", "k", "currency", "ties")}
    assert defaults == {"tax": None, "k": 10, "currency": "EUR", "ties": "average"}


def test_a_function_that_shares_nothing_stays():
    assert write_out(alone, ()) is alone


def test_the_function_keeps_its_name_its_docstring_and_its_types():
    written = write_out(price, ())
    assert (written.__name__, written.__doc__) == ("price", price.__doc__)
    assert written.__module__ == __name__
    assert written.__annotations__["ties"] == "ShownTies"
    assert get_type_hints(written)["return"] is float


@pytest.mark.parametrize(
    ("function", "arguments", "keywords", "text"),
    [
        (ndcg_score, ([1], [1]), {"cutoff": 3}, "an unexpected keyword argument 'cutoff'"),
        (ndcg_score, ([1],), {}, "1 required positional argument: 'y_score'"),
        (ndcg_score, ([1], [1], ["q"]), {}, "takes 2 positional arguments but 3"),
        (ips_recall_at_k_score, ([1], [1]), {}, "keyword-only argument: 'propensity'"),
    ],
)
def test_python_checks_a_call_and_names_the_function(function, arguments, keywords, text):
    with pytest.raises(TypeError, match=rf"{function.__name__}\(\) .*{re.escape(text)}"):
        function(*arguments, **keywords)
