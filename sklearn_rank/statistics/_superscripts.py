"""The table for papers: means with the letters of the models that each one beats."""

from collections.abc import Sequence
from html import escape
from typing import Any

from sklearn_rank._validation import check_integer, check_option, import_pandas
from sklearn_rank.statistics._pictures import alpha_of

# Letters with a superscript in Unicode; most fonts lack q.
LETTERS = "abcdefghijklmnoprstuvwxyz"
RAISED = dict(zip(LETTERS, "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
# Floats have no more meaningful decimals.
MOST_DECIMALS = 17
MARKUPS = ("unicode", "latex", "html")
OF_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash ", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
)


def superscript_frame(comparison: Any, markup: Any, digits: Any) -> Any:
    """Return a frame of texts, a row per model and a column per metric."""
    check_option("markup", markup, MARKUPS)
    digits = check_integer("digits", digits, minimum=0)
    if digits > MOST_DECIMALS:
        raise ValueError(f"`digits` must be {MOST_DECIMALS} at most, got {digits}.")
    means = comparison.means
    if not means:
        raise ValueError("The comparison has no means of models, so there is no table.")
    models = list(dict.fromkeys(means["model"].tolist()))
    metrics = list(dict.fromkeys(means["metric"].tolist()))
    if len(models) > len(LETTERS):
        raise ValueError(
            f"There are {len(models)} models and {len(LETTERS)} letters; compare fewer."
        )
    letters = dict(zip(models, LETTERS, strict=False))
    beaten = beaten_by(comparison)
    texts: dict[str, list[str]] = {_escaped(metric, markup): [] for metric in metrics}
    rows = zip(*(means[name].tolist() for name in ("metric", "model", "mean")), strict=True)
    for metric, model, mean in rows:
        lost = sorted(letters[other] for other in beaten.get((metric, model), ()))
        texts[_escaped(metric, markup)].append(f"{mean:.{digits}f}{raised(lost, markup)}")
    pandas = import_pandas("superscripts")
    names = [f"({letters[model]}) {_escaped(str(model), markup)}" for model in models]
    return pandas.DataFrame(texts, index=pandas.Index(names, name="model"))


def beaten_by(comparison: Any) -> dict[tuple[Any, Any], list[Any]]:
    """Return the models that each one beats significantly, by metric and model."""
    alpha = alpha_of(comparison.settings["confidence_level"])
    found: dict[tuple[Any, Any], list[Any]] = {}
    for row in comparison.rows():
        gain = row.difference
        if row.metric in comparison.lower_is_better:
            gain = -gain
        if row.p_adjusted <= alpha and gain != 0:
            pair = (row.model, row.baseline)
            winner, loser = pair if gain > 0 else pair[::-1]
            found.setdefault((row.metric, winner), []).append(loser)
    return found


def raised(letters: Sequence[str], markup: str) -> str:
    """Return letters as superscripts."""
    if not letters:
        return ""
    if markup == "latex":
        return f"$^{{{''.join(letters)}}}$"
    if markup == "html":
        return f"<sup>{''.join(letters)}</sup>"
    return "".join(RAISED[letter] for letter in letters)


def _escaped(name: str, markup: str) -> str:
    """Return a name that has no tag and no command of the markup."""
    if markup == "html":
        return escape(name)
    return name.translate(OF_LATEX) if markup == "latex" else name
