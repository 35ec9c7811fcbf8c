"""The compact letter display: models that share a letter do not differ significantly.

The algorithm inserts and absorbs columns, H.-P. Piepho, "An algorithm for a letter-based
representation of all-pairwise comparisons", Journal of Computational and Graphical
Statistics 13(2), 2004.
"""

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any

from sklearn_rank._validation import shorten
from sklearn_rank.statistics._pictures import alpha_of
from sklearn_rank.statistics._result_rows import rows_of_metric
from sklearn_rank.statistics._superscripts import LETTERS


def letters_of(comparison: Any, metric: Hashable) -> dict[Any, str]:
    """Return the letters of each model by one metric, the best model first."""
    sign = 1 if metric in comparison.lower_is_better else -1
    means = rows_of_metric(comparison.means, metric)
    models = [row.model for row in sorted(means, key=lambda row: sign * row.mean)]
    alpha = alpha_of(comparison.settings["confidence_level"])
    pairs = {
        frozenset((row.model, row.baseline)): row.p_adjusted <= alpha
        for row in rows_of_metric(comparison.columns, metric)
    }
    missing = [pair for pair in combinations(models, 2) if frozenset(pair) not in pairs]
    if not models or missing:
        raise ValueError(
            f"Letters need the comparison of all pairs by {shorten(metric)}, and "
            f"{len(missing)} pair(s) were not compared; leave `baseline` out."
        )
    differ = [pair for pair in combinations(models, 2) if pairs[frozenset(pair)]]
    columns = _columns(models, differ)
    return {
        model: "".join(
            _letter(place) for place, column in enumerate(columns) if model in column
        )
        for model in models
    }


def _columns(
    models: Sequence[Hashable], differ: Sequence[tuple[Hashable, Hashable]]
) -> list[frozenset]:
    """Return the maximal sets of models without differences, the best model's set first."""
    columns = {frozenset(models)}
    for one, other in differ:
        both = {column for column in columns if one in column and other in column}
        parts = {column - {model} for column in both for model in (one, other)}
        rest = columns - both
        columns = rest | {
            part
            for part in parts
            if not any(part < column for column in rest | parts) and part not in rest
        }
    return sorted(columns, key=lambda column: [model not in column for model in models])


def _letter(place: int) -> str:
    turn, letter = divmod(place, len(LETTERS))
    return LETTERS[letter] + (str(turn + 1) if turn else "")
