"""The table of a league: data sets as rows, models as columns, the best in bold."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._validation import check_option, import_pandas
from sklearn_rank.metrics._core._clusters import differences
from sklearn_rank.statistics._comparison_text import MARKUPS, check_digits, escape_markup
from sklearn_rank.statistics._options import correct_p_values
from sklearn_rank.statistics._pictures import alpha_of

BOLD_DIGITS = str.maketrans("0123456789", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗")
BOLD = {"latex": r"\textbf{%s}", "html": "<b>%s</b>", "markdown": "**%s**"}
DAGGERS = {"latex": r"$^{\dagger}$", "html": "<sup>†</sup>"}

# The p-value of each pair of models, in any order of the two.
PValues = dict[frozenset[Any], float]


def league_frame(ranking: Any, markup: Any, digits: Any) -> Any:
    """Return a frame of texts, a row per data set and one of means."""
    check_option("markup", markup, (*MARKUPS, "markdown"))
    digits = check_digits(digits)
    models = ranking.columns["model"].tolist()
    by_data_set = _values_of(ranking.values, models)
    p_values = _adjusted(ranking.by_dataset, ranking.settings["family"])
    lines = [(values, p_values.get(name, {})) for name, values in by_data_set.items()]
    lines.append((ranking.columns["mean"], _p_of_pairs(ranking.pairs, "p_adjusted")))
    alpha = alpha_of(ranking.settings["confidence_level"])
    is_lower_better = ranking.settings["lower_is_better"]
    texts = []
    for values, p_of_pairs in lines:
        best = values.min() if is_lower_better else values.max()
        is_best = differences(values, best) == 0
        leaders = [model for model, one in zip(models, is_best, strict=True) if one]
        near = [_is_near(model, leaders, p_of_pairs, alpha) for model in models]
        cells = zip(values, is_best, near, strict=True)
        texts.append([_cell(f"{v:.{digits}f}", b, n, markup) for v, b, n in cells])
    pandas = import_pandas("table")
    names = [escape_markup(str(name), markup) for name in (*by_data_set, "mean")]
    return pandas.DataFrame(
        texts,
        index=pandas.Index(names, name="dataset"),
        columns=[escape_markup(str(model), markup) for model in models],
    )


def _values_of(values: Mapping[Any, Any], models: Sequence[Any]) -> dict[Any, np.ndarray]:
    """Return the values of the models on each data set."""
    if not values:
        raise ValueError("The ranking has no values of data sets, so there is no table.")
    found = {}
    for name, one in values.items():
        missing = [model for model in models if model not in one]
        if missing:
            raise ValueError(f"`values[{name!r}]` has no value of {missing[0]!r}.")
        found[name] = as_floats([one[model] for model in models], f"values[{name!r}]")
    return found


def _adjusted(by_dataset: Mapping[Any, Any], family: str) -> dict[Any, PValues]:
    """Return p-values by data set, corrected over all pairs of all or of each."""
    found = {name: _p_of_pairs(one.columns, "p_value") for name, one in by_dataset.items()}
    if family == "dataset":
        return {name: _by_holm(one) for name, one in found.items()}
    together = _by_holm(
        {(name, pair): p for name, one in found.items() for pair, p in one.items()}
    )
    return {
        name: {pair: together[name, pair] for pair in one} for name, one in found.items()
    }


def _by_holm(p_values: Mapping[Any, float]) -> dict[Any, float]:
    adjusted = correct_p_values(np.array(list(p_values.values())), "holm")
    return dict(zip(p_values, adjusted.tolist(), strict=True))


def _p_of_pairs(columns: Mapping[str, np.ndarray], name: str) -> PValues:
    """Return a column of p-values by pair."""
    if not columns:
        return {}
    each = zip(*(columns[one].tolist() for one in ("model", "baseline", name)), strict=True)
    return {frozenset((model, baseline)): p for model, baseline, p in each}


def _is_near(model: Any, leaders: Sequence[Any], p_of_pairs: PValues, alpha: float) -> bool:
    """Return whether a model is not the best, and not significantly worse."""
    if model in leaders:
        return False
    # A pair that was not compared has no dagger.
    return all(p_of_pairs.get(frozenset((model, best)), 0) > alpha for best in leaders)


def _cell(text: str, is_best: bool, is_near: bool, markup: str) -> str:
    if is_best:
        text = text.translate(BOLD_DIGITS) if markup == "unicode" else BOLD[markup] % text
    return text + DAGGERS.get(markup, "†") * is_near
