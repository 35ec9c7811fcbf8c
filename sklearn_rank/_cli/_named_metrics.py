"""Metrics by the names that users give."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn_rank._cli._arguments import split_at_commas
from sklearn_rank._cli._errors import InputError
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._registry import bind, parse_metric


def split_names(texts: Sequence[str]) -> list[str]:
    """Return the names between commas that are not inside parentheses.

    A whole number repeats the name before: ndcg_cut.5,10 is trec_eval's way to write two.
    """
    names: list[str] = []
    for name in split_at_commas(",".join(texts)):
        if name.isdecimal() and names:
            name = re.sub(r"\d+$", name, names[-1])
        names.append(name)
    return list(dict.fromkeys(name for name in names if name))


def find_metric(text: str, convention: str | None = None) -> BoundMetric:
    """Return any metric, by its definition; raise unless the convention has it.

    Files name values by definitions, and the commands know how each was asked for.
    """
    try:
        bind(text, convention=convention)
        metric = parse_metric(text)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise InputError(f"--metric {text}: {error}") from error
    return replace(metric, name=metric.definition)


def read_metric(text: str) -> BoundMetric:
    """Return a ranking metric, after it has scored two rows as a test."""
    metric = find_metric(text)
    if metric.metric.parts or metric.metric.needed_columns or not metric.metric.ranks:
        raise InputError(
            f"--metric {text} needs more than grades and scores that order rows, which is "
            "all that there is here; name a ranking metric, such as ndcg@10."
        )
    bound: Any = metric
    try:
        per_query_scores([1, 0], [0.0, 0.0], groups=[0, 0], metrics=bound)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise InputError(f"--metric {text}: {error}") from error
    return metric
