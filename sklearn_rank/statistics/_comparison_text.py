"""What a comparison shows: a table of each metric, and letters."""

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

from sklearn_rank._base._messages import LEAST_TO_WARN, quantity, shorten
from sklearn_rank._base._text import format_interval, name_interval
from sklearn_rank._display._section import Section
from sklearn_rank.statistics._pictures import alpha_of
from sklearn_rank.statistics._repeat_spread import notes_on_repeats
from sklearn_rank.statistics._result_rows import rows_of_metric

# Numbers that need more decimals, or are larger, are shown in scientific notation.
MOST_DECIMALS = 6
LARGEST_IN_DECIMALS = 1e7
# The number of notes shown on comparisons in which few queries differ.
MOST_NOTES = 5
# Letters with a superscript in Unicode; most fonts lack q.
LETTERS = "abcdefghijklmnoprstuvwxyz"
# With at least this many models, letters summarize the pairs.
LETTERS_FROM = 4
# The error assumed if no number has one: it gives four decimals.
USUAL_ERROR = 0.005
NUMBERS = ("mean", "difference", "low", "high")  # of a row
TEST_NAMES = {
    "t": "t test",
    "t, widened": "t test, widened interval",
    "randomization": "sign flips",
    "exact": "exact bounds",
    "anytime": "bets, valid at any time",
    "max_t": "sign flips",
}
CORRECTION_NAMES = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "fdr_bh": "Benjamini-Hochberg",
    "max_t": "the largest t",
}

Row = dict[str, Any]
Settings = Mapping[str, Any]


def sections_of(comparison: Any) -> list[Section]:
    """Return the sections of a comparison, one per metric."""
    settings, sections = comparison.settings, []
    for metric in dict.fromkeys(comparison.columns["metric"].tolist()):
        rows = rows_of_metric(comparison.columns, metric)
        means = rows_of_metric(comparison.means, metric)
        head = [heading_of(comparison, metric, rows)]
        notes = _notes(comparison, metric, rows)
        if settings.get("baseline") is not None:
            own = [row for row in means if row["model"] == settings["baseline"]]
            both = _best_first(comparison, metric, rows + own)
            sections.append(Section(head, _comparison_table(both, settings), notes))
            continue
        pairs = _comparison_table(rows, settings, with_means=False)
        if means:
            sections.append(Section(head, pairs))
            has_letters = len(means) >= LETTERS_FROM
            letters = letters_of(comparison, metric) if has_letters else {}
            head, pairs = [], _means_table(means, letters)
        sections.append(Section(head, pairs, notes))
    return sections


def heading_of(comparison: Any, metric: str, rows: Sequence[Row]) -> str:
    settings = comparison.settings
    row = rows[0]
    lower = " (lower is better)" if metric in comparison.lower_is_better else ""
    unit = "query" if row["n_queries"] == 1 else settings.get("unit", "queries")
    text = f"{metric}{lower}, {row['n_queries']:,} {unit}"
    if row["n_clusters"] != row["n_queries"]:
        text += f" in {row['n_clusters']:,} clusters"
    baseline = settings.get("baseline")
    text += "; " + ("all pairs" if baseline is None else f"difference to {baseline}")
    if settings.get("margin") is not None:
        text += f", margin {settings['margin']:g}"
    if settings["test"] in ("auto", "exact"):
        methods = dict.fromkeys(TEST_NAMES[row.get("interval", "t")] for row in rows)
        text += "; " + " or ".join(methods)
    else:
        text += f"; {name_of_test(settings)}"
    text += sides_name(settings)
    return text + correction_name(settings, len(comparison), len(rows))


def verdict_of(comparison: Any) -> str | None:
    """Return the difference of the best model by the first metric, if there is a baseline.

    The best of the models that were compared with it, which may be worse.
    """
    settings, metrics = comparison.settings, comparison.columns["metric"].tolist()
    if settings.get("baseline") is None or not metrics:
        return None
    rows = rows_of_metric(comparison.columns, metrics[0])
    row, *_ = _best_first(comparison, metrics[0], rows)
    numbers = " ".join(signed_cells(row, "difference", number_format(rows, NUMBERS)))
    last = "" if settings.get("margin") is None else f", {row['verdict']}"
    return f"{row['model']} - {row['baseline']}: {metrics[0]} {numbers}{last}"


def name_of_test(settings: Settings) -> str:
    test: Any = settings["test"]
    if callable(test):
        return getattr(test, "__name__", "your own test")
    return TEST_NAMES.get(test, test)


def sides_name(settings: Settings) -> str:
    """Return the alternative of a test, if it is one-sided."""
    alternative = settings["alternative"]
    return "" if alternative == "two-sided" else f", {alternative}"


def correction_name(settings: Settings, n_all: int, n_metric: int) -> str:
    n = n_all if settings.get("family") == "all" else n_metric
    name = CORRECTION_NAMES.get(str(settings.get("correction")))
    if name is None or n == 1:
        return ""
    return f", p corrected by {name} over {n}"


def _best_first(comparison: Any, metric: Hashable, rows: list[Any]) -> list[Any]:
    """Return rows by their means, the best one first and unknown ones last."""
    sign = 1 if metric in comparison.lower_is_better else -1
    return sorted(rows, key=lambda row: (math.isnan(row["mean"]), sign * row["mean"]))


def _comparison_table(
    rows: list[Row], settings: Settings, *, with_means: bool = True
) -> list[list[str]]:
    spec = number_format(rows, NUMBERS)
    interval = name_interval(settings["confidence_level"])
    last = _last_columns(rows, settings)
    head = ["", *(["mean"] if with_means else []), "difference", interval, "p", *last]
    lines = [head]
    for row in rows:
        name = str(row["model"])
        name += "" if with_means else f" - {row['baseline']}"
        line = [name, *([format(row["mean"], spec)] if with_means else [])]
        if "difference" in row:
            line += signed_cells(row, "difference", spec)
            line += [p_text(row["p_adjusted"]), *(_cell(row[key]) for key in last.values())]
        lines.append(line + [""] * (len(head) - len(line)))
    return lines


def _last_columns(rows: list[Row], settings: Settings) -> dict[str, str]:
    """Return the columns at the end by their heads."""
    if any("p_better" in row for row in rows):
        return {"better": "p_better", "within": "p_equivalent", "worse": "p_worse"}
    if settings.get("margin") is not None:
        return {"verdict": "verdict"}
    return {name: name for name in ("better", "equal", "worse")}


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _means_table(rows: list[Row], letters: dict[Any, str]) -> list[list[str]]:
    spec = number_format(rows, ("mean", "low", "high"))
    lines = [["", "mean", "interval", *(["letters"] if letters else [])]]
    for row in rows:
        interval = format_interval(row["low"], row["high"], spec)
        line = [str(row["model"]), format(row["mean"], spec), interval]
        lines.append(line + ([letters[row["model"]]] if letters else []))
    return lines


def number_format(rows: Sequence[Row], names: Sequence[str]) -> str:
    """Return the format in which the smallest error is at least fifty units."""
    compared = [row for row in rows if "difference" in row] or rows
    errors = [row["standard_error"] for row in compared]
    positive = [error for error in errors if 0 < error < math.inf]
    numbers = [abs(row[name]) for row in rows for name in names if name in row]
    largest = max((number for number in numbers if number < math.inf), default=0)
    # 50 divided by a denormal number overflows.
    least = max(min(positive), 1 / LARGEST_IN_DECIMALS) if positive else USUAL_ERROR
    decimals = max(math.ceil(math.log10(50 / least)), 0)
    is_odd = decimals > MOST_DECIMALS or largest >= LARGEST_IN_DECIMALS
    return ".2e" if is_odd else f".{decimals}f"


def signed_cells(row: Row, name: str, spec: str) -> list[str]:
    """Return a number with its sign, and its interval."""
    signed = f"+{spec}"
    return [format(row[name], signed), format_interval(row["low"], row["high"], signed)]


def p_text(p_value: float) -> str:
    """Return a p-value to four decimals; smaller ones as "< 0.0001"."""
    return "<0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def _notes(comparison: Any, metric: str, rows: Sequence[Row]) -> list[str]:
    settings = comparison.settings
    alpha = 1 - settings["confidence_level"]
    notes = []
    if settings.get("intervals") == "simultaneous":
        notes.append("All intervals hold together.")
        notes += [
            f"{row['model']} - {row['baseline']}: significant by Holm, not by its interval."
            for row in rows
            if settings["correction"] == "holm"
            and row["p_adjusted"] <= alpha
            and row["low"] <= 0 <= row["high"]
        ]
    elif len(rows) > 1:
        notes.append("Intervals are not adjusted for multiple comparisons.")
    if settings.get("baseline") is None and len(rows) >= math.comb(LETTERS_FROM, 2):
        notes.append("Models that share a letter do not differ significantly.")
    if callable(settings["test"]):
        notes.append("Intervals are by Student's t.")
    if "p_better" in rows[0]:
        margin = settings.get("margin") or 0
        notes.append(
            "better, within, worse: probability that the difference is above the margin of "
            f"{margin:g}, within or below."
        )
    if settings.get("is_baseline_chosen"):
        notes.append(
            "The same scores chose the baseline, so that p only describes which others "
            "are as good."
        )
    exact = [row for row in rows if row.get("interval") == "exact"]
    lower_is_better = metric in comparison.lower_is_better
    notes += [
        f"{row['model']} - {row['baseline']}: {differ_text(row, settings, lower_is_better)}"
        for row in exact[:MOST_NOTES]
    ]
    if len(exact) > MOST_NOTES:
        notes.append(f"{len(exact) - MOST_NOTES:,} more are by exact bounds.")
    notes += _notes_on_lengths(metric, rows[0]["n_queries"], settings)
    notes += [
        f"{model} has no list for {n:,} of {quantity(n_queries, 'query')}."
        for model, (n, n_queries) in settings.get("without_list", {}).items()
    ]
    notes += notes_on_repeats(rows)
    n_undefined = comparison.n_undefined.get(metric, 0)
    if n_undefined:
        unit = quantity(n_undefined, "query")
        notes.append(f"{unit} left out: some model has no value.")
    notes += [
        f"{row['model']} - {row['baseline']}: only {row['n_different']} differ, so that "
        f"sign flips cannot go below p = {row['smallest_p']:.2g}; these queries cannot "
        "decide it."
        for row in rows
        if row.get("smallest_p", 0) > alpha
        and row["difference"] != 0
        and row.get("interval") != "exact"
        and "n_repeats" not in row
    ]
    return notes


def _notes_on_lengths(metric: Any, n_queries: int, settings: Settings) -> list[str]:
    """Return which models list fewer items than a cutoff that the lists of others reach."""
    longest, k = settings.get("longest_lists", {}), str(metric).rpartition("@")[2]
    if n_queries < LEAST_TO_WARN or not longest or not k.isdecimal():
        return []
    if int(k) > max(longest.values()):
        return []
    return [
        f"{model} lists at most {quantity(n, 'item')}, {metric} looks at {k}."
        for model, n in longest.items()
        if n < int(k)
    ]


def differ_text(row: Row, settings: Settings, lower_is_better: bool) -> str:
    """Return the number of clusters that differ, and the loss not ruled out."""
    n, unit = row["n_clusters"], settings.get("unit", "queries")
    unit = unit if n == row["n_queries"] else "clusters"
    text = f"{row['n_different']:,} of {n:,} {unit} differ"
    margin, worst = settings.get("margin"), row["high"] if lower_is_better else -row["low"]
    if margin is None or not margin < worst < math.inf:
        return text + "."
    text += f"; a loss of up to {worst:.3g} is not ruled out"
    if row["n_different"] or not margin or settings.get("intervals") == "simultaneous":
        return text + "."
    # The bound of n values without difference is width * (1 - tail ** (1 / n)).
    sides = 2 if settings["alternative"] == "two-sided" else 1
    tail = (1 - settings["confidence_level"]) / sides
    width = worst / -math.expm1(math.log(tail) / n)
    needed = math.ceil(math.log(tail) / math.log1p(-margin / width))
    return text + f"; margin {margin:g} needs {needed:,} such {unit}."


# The compact letter display: models that share a letter do not differ significantly.
#
# The algorithm inserts and absorbs columns, H.-P. Piepho, "An algorithm for a letter-based
# representation of all-pairwise comparisons", Journal of Computational and Graphical
# Statistics 13(2), 2004.


def letters_of(comparison: Any, metric: Hashable) -> dict[Any, str]:
    """Return the letters of each model by one metric, the best model first."""
    means = rows_of_metric(comparison.means, metric)
    models = [row.model for row in _best_first(comparison, metric, means)]
    alpha = alpha_of(comparison.settings["confidence_level"])
    pairs = p_of_pairs(rows_of_metric(comparison.columns, metric))
    missing = [pair for pair in combinations(models, 2) if frozenset(pair) not in pairs]
    if not models or missing:
        raise ValueError(
            f"Letters need the comparison of all pairs by {shorten(metric)}, and "
            f"{len(missing)} pair(s) were not compared; leave `baseline` out."
        )
    differ = [pair for pair in combinations(models, 2) if pairs[frozenset(pair)] <= alpha]
    return letters_by_model(models, differ)


def p_of_pairs(rows: Sequence[Any], name: str = "p_adjusted") -> dict[frozenset, float]:
    """Return the p-value of each pair of models, in any order of the two."""
    return {frozenset((row.model, row.baseline)): row[name] for row in rows}


def letters_by_model(
    models: Sequence[Hashable],
    differ: Sequence[tuple[Hashable, Hashable]],
    most: float = math.inf,
) -> dict[Any, str]:
    """Return the letters of models, the best one first, given the pairs that differ.

    They are empty if there were more than `most` different letters.
    """
    letters = dict.fromkeys(models, "")
    for index, column in enumerate(_letter_columns(models, differ, most)):
        turn, letter = divmod(index, len(LETTERS))
        for model in column:
            letters[model] += LETTERS[letter] + (str(turn + 1) if turn else "")
    return letters


def _letter_columns(
    models: Sequence[Hashable],
    differ: Sequence[tuple[Hashable, Hashable]],
    most: float = math.inf,
) -> list[frozenset]:
    """Return the maximal sets of models without differences, the best model's set first.

    Empty if there were more than `most`: their number may grow exponentially.
    """
    columns = {frozenset(models)}
    for first, second in differ:
        both = {column for column in columns if first in column and second in column}
        parts = {column - {model} for column in both for model in (first, second)}
        rest = columns - both
        columns = rest | {
            part
            for part in parts
            if not any(part < column for column in rest | parts) and part not in rest
        }
        if len(columns) > most:
            return []
    return sorted(columns, key=lambda column: [model not in column for model in models])
