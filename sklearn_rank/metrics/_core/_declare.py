"""Declare a public function of a metric by its signature and docstring."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from sklearn_rank._ranking._ties import TIES
from sklearn_rank._validation import check_option
from sklearn_rank.metrics._core._columns_beside import ITEMS, Column
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._known_items import catalogue_of_pieces
from sklearn_rank.metrics._core._metric import Kernel, Metric, NamedMetric, Rows
from sklearn_rank.metrics._core._undefined import check_undefined

Function = TypeVar("Function", bound=Callable[..., Any])


def metric(
    kernel: Kernel,
    name: str | None = None,
    *,
    columns: tuple[Column, ...] = (),
    rows: Rows = "relevant",
    **declared: Any,
) -> Callable[[Function], Function]:
    """Return a decorator that makes a signature with a docstring a metric's function.

    The name in strings is that of the kernel, unless another one is given. What is declared
    is the rest of `Metric`; a function that takes ``items`` has these as a column. Where a
    kernel sees more than the relevant rows, an unjudged row has grade 0. The function has
    the `Metric` as ``.metric``.
    """
    unjudged = "refused" if rows == "relevant" else "irrelevant"
    declared = {"unjudged": unjudged, "below_k": rows == "all", "rows": rows, **declared}

    def decorate(function: Function) -> Function:
        parameters = inspect.signature(function).parameters
        defaults = {name: parameter.default for name, parameter in parameters.items()}
        taken = (*columns, ITEMS) if "items" in parameters else columns
        first = tuple(defaults)[:2]  # y_true and y_score; the others have names only

        @wraps(function)
        def public(*arguments, **keywords):
            _reject_estimator(function, arguments)
            function(*arguments, **keywords)  # without a body; Python checks the call
            positional = dict(zip(first, arguments, strict=False))
            return mean_score(record, defaults | positional | keywords)

        called = name or getattr(declared.get("summary"), "of", kernel).__name__
        record = Metric(called, public, kernel, columns=taken, **declared)
        public.metric = record  # type: ignore[attr-defined]
        return public  # type: ignore[return-value]

    return decorate


def mean_score(record: Metric, given: dict[str, Any]) -> float:
    """Return the mean of one metric."""
    parameters = record.checked({name: given[name] for name in record.parameters})
    check_option("ties", given["ties"], TIES)
    named = NamedMetric(
        record.name,
        record,
        parameters,
        ties=given["ties"],
        replace_undefined_by=check_undefined(given["replace_undefined_by"]),
        is_called=True,
    )
    found = evaluate(
        [named],
        given["y_true"],
        given["y_score"],
        given["groups"],
        given["sample_weight"],
        {name: given[name] for name in record.column_names if name in given},
        catalogue=catalogue_of_pieces(record.parts, given) if record.parts else None,
    )
    return found.results()[named.name]


def _reject_estimator(function: Callable, arguments: tuple) -> None:
    """Raise if a metric is called as a scorer: metric(estimator, X, y)."""
    if arguments and hasattr(arguments[0], "fit"):
        name = function.__name__
        raise TypeError(
            f"{name} is a metric and was called with an estimator, as a scorer is; pass "
            f"scoring=make_ranking_scorer({name}, ...) instead."
        )
