"""Tables for papers: means with the letters of the models that each one beats."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from sklearn_rank._base._text import LATEX_ESCAPES, escape_controls
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    import_pandas,
)
from sklearn_rank.metrics._core._clusters import differences
from sklearn_rank.statistics._comparison_text import (
    LETTERS,
    LETTERS_FROM,
    heading_of,
    letters_of,
)
from sklearn_rank.statistics._pictures import alpha_of
from sklearn_rank.statistics._result_rows import rows_of_metric

SUPERSCRIPTS = str.maketrans(LETTERS, "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
# Floats have no more meaningful decimals.
MOST_DECIMALS_OF_MEANS = 17
# The decimals of a table for a paper.
DIGITS = 4
MARKUPS = ("unicode", "latex", "html")
OF_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&])")


def superscript_frame(comparison: Any, markup: Any, digits: Any) -> Any:
    """Return a frame of texts, a row per model and a column per metric."""
    check_option("markup", markup, MARKUPS)
    names, texts = _marked_means(comparison, markup, check_digits(digits))
    pandas = import_pandas("superscripts")
    return pandas.DataFrame(texts, index=pandas.Index(names, name="model"))


def _marked_means(
    comparison: Any, markup: str, digits: int, *, for_paper: bool = False
) -> tuple[list[str], dict[str, list[str]]]:
    """Return the names of models, and for each metric their means with superscripts.

    These are the letters of the models that each one beats, which stand before the names;
    or `for_paper` those that models without a difference share, where `shares_letters`, and
    the best means are bold.
    """
    means = comparison.means
    if not means:
        raise ValueError("The comparison has no means of models, so there is no table.")
    models = list(dict.fromkeys(means["model"].tolist()))
    names = [escape_markup(str(model), markup) for model in models]
    shares = for_paper and shares_letters(comparison)
    if len(models) > len(LETTERS) and not shares:
        counts = f"{len(models)} models and {len(LETTERS)} letters"
        raise ValueError(f"There are {counts}; compare fewer models.")
    letters = dict(zip(models, LETTERS, strict=False))
    if not shares:
        names = [f"({letter}) {name}" for letter, name in zip(LETTERS, names, strict=False)]
    beaten = {} if shares else find_beaten_models(comparison)
    texts: dict[str, list[str]] = {}
    for metric in dict.fromkeys(means["metric"].tolist()):
        rows = rows_of_metric(means, metric)
        own = letters_of(comparison, metric) if shares else {}
        lower = metric in comparison.lower_is_better
        best = (np.nanmin if lower else np.nanmax)([row.mean for row in rows])
        column = texts.setdefault(escape_markup(str(metric), markup), [])
        for row in rows:
            lost = sorted(letters[loser] for loser in beaten.get((metric, row.model), ()))
            marks = [own[row.model]] if shares else lost
            text = f"{row.mean:.{digits}f}"
            if for_paper and differences(np.array([row.mean]), best)[0] == 0:
                text = rf"\textbf{{{text}}}"
            column.append(text + write_superscripts(marks, markup))
    return names, texts


def shares_letters(comparison: Any) -> bool:
    """Return whether letters sum up all pairs in place of the models that each beats."""
    n_models = len(set(comparison.means.get("model", ())))
    return comparison.settings.get("baseline") is None and n_models >= LETTERS_FROM


def latex_table(comparison: Any, caption: Any, label: Any) -> str:
    """Return the means of all models as the LaTeX of a table for a paper."""
    for name, text in (("caption", caption), ("label", label)):
        check_given(name, text, text is None or isinstance(text, str), "a text or None")
    names, texts = _marked_means(comparison, "latex", DIGITS, for_paper=True)
    notes = [
        heading_of(comparison, metric, rows_of_metric(comparison.columns, metric))
        for metric in dict.fromkeys(comparison.columns["metric"].tolist())
    ]
    alpha = alpha_of(comparison.settings["confidence_level"])
    meaning = f"Superscripts: the models that are worse, p at most {alpha:g}."
    if shares_letters(comparison):
        meaning = f"Models that share a letter do not differ, p above {alpha:g}."
    notes = [*(escape_markup(f"{note}.", "latex") for note in notes), meaning]
    head = ["", *texts]
    rows = zip(names, *texts.values(), strict=True)
    lines = [
        r"\begin{table}",
        r"\centering",
        *([] if caption is None else [rf"\caption{{{caption}}}"]),
        *([] if label is None else [rf"\label{{{label}}}"]),
        rf"\begin{{tabular}}{{l{'r' * len(texts)}}}",
        r"\toprule",
        rf"{' & '.join(head)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"\smallskip",
        rf"{{\footnotesize {' '.join(['Best in bold.', *notes])}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def check_digits(digits: Any) -> int:
    """Return the number of decimals in a table."""
    count: int = check_integer("digits", digits, minimum=0)
    if count > MOST_DECIMALS_OF_MEANS:
        raise ValueError(f"`digits` must be {MOST_DECIMALS_OF_MEANS} at most, got {count}.")
    return count


def find_beaten_models(comparison: Any) -> dict[tuple[Any, Any], list[Any]]:
    """Return the models that each one beats significantly, by metric and model."""
    alpha = alpha_of(comparison.settings["confidence_level"])
    beaten: dict[tuple[Any, Any], list[Any]] = {}
    for row in comparison.rows():
        gain = row.difference
        if row.metric in comparison.lower_is_better:
            gain = -gain
        if row.p_adjusted <= alpha and gain != 0:
            pair = (row.model, row.baseline)
            winner, loser = pair if gain > 0 else pair[::-1]
            beaten.setdefault((row.metric, winner), []).append(loser)
    return beaten


def write_superscripts(letters: Sequence[str], markup: str) -> str:
    """Return letters as superscripts."""
    text = "".join(letters)
    if not text or markup == "unicode":
        return text.translate(SUPERSCRIPTS)
    return f"$^{{{text}}}$" if markup == "latex" else f"<sup>{text}</sup>"


def escape_markup(name: str, markup: str) -> str:
    """Return a name that has no tag and no command of the markup."""
    name = escape_controls(name)
    if markup == "html":
        return escape(name)
    if markup == "markdown":
        return OF_MARKDOWN.sub(r"\\\1", name)
    return name.translate(LATEX_ESCAPES) if markup == "latex" else name
