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
from sklearn_rank.statistics._superscripts import LETTERS


def letters_of(comparison: Any, metric: Hashable) -> dict[Any, str]:
    """Return the letters of each model by one metric, the best model first."""
    means = comparison.means
    of_models = [
        (model, mean)
        for name, model, mean in zip(
            *(means.get(name, []) for name in ("metric", "model", "mean")), strict=True
        )
        if name == metric
    ]
    is_lower = metric in comparison.lower_is_better
    of_models.sort(key=lambda one: one[1] if is_lower else -one[1])
    models = [model for model, _ in of_models]
    alpha = alpha_of(comparison.settings["confidence_level"])
    pairs = {
        frozenset((row.model, row.baseline)): row.p_adjusted <= alpha
        for row in comparison.rows()
        if row.metric == metric
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
