"""Keywords that metrics share, and how a metric's function comes to have them.

A function names those that it shares by ``**common: Unpack[ThresholdAtK]``, as checkers of
types read it. `write_out` makes a function of it that has them all in its signature.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import FunctionType, SimpleNamespace
from typing import TypedDict, get_args, get_type_hints

from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance, ShownTies
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined


class _SharedByAll(TypedDict, total=False):
    groups: Labels | None
    sample_weight: ArrayLike | None
    replace_undefined_by: Undefined


class Relevance(_SharedByAll, total=False):
    """The keywords of metrics of what is relevant."""

    ties: Ties


class RelevanceAtK(Relevance, total=False):
    """Those with a cutoff of 10."""

    k: Cutoff


class Threshold(Relevance, total=False):
    """Those of metrics of what is relevant by a threshold."""

    min_relevance: MinRelevance


class ThresholdAtK(Threshold, RelevanceAtK, total=False):
    """Those with a threshold and a cutoff."""


class ThresholdOfAll(Threshold, total=False):
    """Those of metrics of all items, shown or not."""

    n_items: int | None


class ThresholdOfAllAtK(ThresholdOfAll, ThresholdAtK, total=False):
    """Those of metrics of all items with a cutoff."""


class Shown(_SharedByAll, total=False):
    """The keywords of metrics of shown rows: no order of tied rows is better."""

    ties: ShownTies


class ShownAtK(Shown, total=False):
    """Those with a cutoff of 10."""

    k: Cutoff


class ItemsAtK(ShownAtK, total=False):
    """Those of metrics that need the ids of items."""

    items: Labels | None


class Subtopics(Shown, total=False):
    """Those of metrics that are aware of intents."""

    subtopics: Matrix | None


class SubtopicsAtK(Subtopics, ShownAtK, total=False):
    """Those that are aware of intents, with a cutoff."""


# In the order of a signature; parameters of one metric stand between the two.
_BEFORE = {"subtopics": None, "groups": None, "items": None, "k": 10}
_AFTER = {
    **{"min_relevance": None, "n_items": None, "ties": "average"},
    **{"sample_weight": None, "replace_undefined_by": "warn"},
}


def write_out(function: Callable, data: Iterable[str]) -> Callable:
    """Return a function without a body that has its shared keywords in the signature.

    `data` names parameters that stand before the groups, as do those without a default.
    """
    *own, common = inspect.signature(function).parameters.values()
    if common.kind is not common.VAR_KEYWORD:
        return function
    hint = SimpleNamespace(__annotations__={common.name: common.annotation})
    (shared,) = get_args(get_type_hints(hint, function.__globals__)[common.name])
    types = {name: hint.__forward_arg__ for name, hint in shared.__annotations__.items()}
    types = function.__annotations__ | types
    defaults = {one.name: one.default for one in own if one.default is not one.empty}
    names = [one.name for one in own if one.name not in defaults or one.name in data]
    names += [name for name in (*_BEFORE, *defaults, *_AFTER) if name in types]
    names = list(dict.fromkeys(names))
    # Python itself checks the arguments of a call, and its messages name the function.
    code = function.__code__.replace(
        co_varnames=tuple(names),
        co_nlocals=len(names),
        co_kwonlyargcount=len(names) - function.__code__.co_argcount,
        co_flags=function.__code__.co_flags & ~inspect.CO_VARKEYWORDS,
    )
    written = FunctionType(code, {**globals(), **function.__globals__})
    written.__kwdefaults__ = _BEFORE | _AFTER | defaults
    written.__annotations__ = {name: types[name] for name in (*names, "return")}
    return written
