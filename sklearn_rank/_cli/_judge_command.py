"""`sklearn-rank judge`: agreement of raters, and a mean that people correct."""

from argparse import Namespace
from collections.abc import Iterator

from sklearn_rank._base._text import WIDTH
from sklearn_rank._cli._errors import report_errors_as_options
from sklearn_rank._cli._printing import as_json, print_notes, print_result
from sklearn_rank._cli.files._golden_sets import errors_as_options
from sklearn_rank._cli.files._label_files import read_labels
from sklearn_rank._display._section import Section, sections_as_text
from sklearn_rank.inputs._reading._bytes import read_content
from sklearn_rank.inputs._reading._forms import parse
from sklearn_rank.statistics import RaterAgreement, rater_agreement

RATES = ("true_positive_rate", "true_negative_rate", "accuracy")


def judge(options: Namespace) -> None:
    """Run `sklearn-rank judge`: print agreement, confusion and the corrected mean."""
    with errors_as_options():
        parsed = parse(read_content(options.labels, "labels"))
    labels, notes = read_labels(parsed, options)
    names = {"units": "--unit", "raters": "--rater", "groups": "--query"}
    names |= {"reference": "--reference", "min_relevance": "--min-relevance"}
    with report_errors_as_options({**names, "ratings": parsed.name}):
        agreement = rater_agreement(
            **labels,
            reference=options.reference,
            min_relevance=options.min_relevance,
            confidence_level=options.confidence_level,
        )
    if options.reference is None:
        notes.append(
            "No corrected mean: no rater is the reference; name it with --reference."
        )
    elif agreement.corrected is None and not agreement.uncorrected:
        notes.append(f"Nothing to correct: {options.reference} has graded all units.")
    print_notes(*notes)
    summary, *tables = agreement._sections()
    sections = [summary, *_confusion(agreement), *tables]
    output = as_json(options, agreement.to_dict(), notes) if options.json else None
    print_result(output or (lambda width: sections_as_text(sections, min(width, WIDTH))))


def _confusion(agreement: RaterAgreement) -> Iterator[Section]:
    """Yield a table of each rater: units by the grades of the reference and its own."""
    reference = agreement.settings["reference"]
    for rater in agreement.raters:
        rows = [row for row in agreement.by_grade or () if row.rater == rater.rater]
        if not rows:
            continue
        own = sorted({grade for row in rows for grade in row.counts})
        head = f"Units by the grade of {reference} (rows) and of {rater.rater} (columns)"
        lines = [["", *(f"{grade:g}" for grade in own)]]
        for row in rows:
            counts = [str(row.counts.get(grade, 0)) for grade in own]
            lines.append([f"{row.grade:g}", *counts])
        rates = {name.replace("_", " "): rater[name] for name in RATES}
        texts = (f"{name} {rate:.3f}" for name, rate in rates.items() if rate == rate)
        yield Section([head], lines, [", ".join(texts)])
