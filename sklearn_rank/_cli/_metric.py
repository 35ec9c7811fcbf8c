"""The metric of --metric, checked before anything else is read."""

import numpy as np

from sklearn_rank._cli._errors import InputError
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.metrics._rating import RatingError
from sklearn_rank.metrics._registry import NamedMetric, parse_metric


def read_metric(text: str) -> NamedMetric:
    """Return a ranking metric, which has judged two rows by now."""
    try:
        named = parse_metric(text)
        if not isinstance(named.metric, RatingError):
            query = np.zeros(2, dtype=np.int64)
            per_query_scores([1, 0], [0.0, 0.0], groups=query, metrics=[named])
    except (ValueError, TypeError, ArithmeticError) as error:
        raise InputError(f"--metric {text}: {error}") from error
    if isinstance(named.metric, RatingError):
        raise InputError(
            f"--metric {text} judges predicted ratings, but here is an order to judge; "
            "name a ranking metric, such as ndcg@10."
        )
    return named
