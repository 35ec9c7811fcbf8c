"""`sklearn-rank tune`: read a log, tune models on it, say which is best."""

from argparse import Namespace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from sklearn_rank._cli.arguments._named_metrics import read_metric
from sklearn_rank._cli.printing._errors import InputError, as_options
from sklearn_rank._cli.printing._printing import Paragraph, ReportPrinter, prose
from sklearn_rank._cli.reading._csv import CsvFormat
from sklearn_rank._cli.reading._log import InteractionLog, read_log
from sklearn_rank._cli.tune._report import (
    BEYOND,
    EXPLAINED,
    describe_comparison,
    snippet,
    with_columns,
    write_run,
)
from sklearn_rank._cli.tuning._comparison import TUNED, Comparison
from sklearn_rank._cli.tuning._search import (
    OPTIONS,
    plan_search,
    print_search,
    run_search,
)
from sklearn_rank._cli.writing._new_file import check_apart, check_new_file
from sklearn_rank._cli.writing._output_files import check_output
from sklearn_rank._cli.writing._results import TUNED_FILES
from sklearn_rank._cli.writing._saved_models import PICKLE, save_model
from sklearn_rank._validation import check_installed
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._hold_outs import HOLD_OUTS
from sklearn_rank.experiments._recommender_families import BASELINES, RECOMMENDERS
from sklearn_rank.experiments._tuning_plan import TuningPlan

# Arguments of tune_models that are called otherwise here.
NAMES = {"models": "--models", "test": "--test"}


def tune(options: Namespace) -> None:
    """Do what `sklearn-rank tune` promises; print it, and write it where asked."""
    read_metric(options.metric)
    for name in options.models or ():
        package = RECOMMENDERS[name].package
        check_installed(package, "recommenders", f"--models {name}")
    _check_files(options)
    printer = ReportPrinter(writes_files=options.output or options.save)
    log = _read(options)
    plan = _plan(options, log)
    printer.add(prose(log.describe()))
    for text in (plan.split.describe() if plan.split else "", *plan.left_out):
        printer.add(prose(as_options(text, OPTIONS | NAMES)))
    tuned = run_search(plan, options.metric)
    others = BEYOND if options.report == "beyond" else {}
    print_search(printer, tuned, options.metric, others, EXPLAINED)
    comparison = Comparison(tuned, _names_in_report(tuned))
    model = with_columns(tuned.models_[tuned.best_name_], log.columns)
    python = snippet(log, model)
    paragraphs: list[Paragraph] = [
        partial(describe_comparison, comparison, options.metric),
        f"As Python, fitted on all rows:\n\n{python}",
    ]
    for paragraph in paragraphs:
        printer.keep(paragraph)
    # Before they are printed: whoever reads may be gone, or take their time.
    said = []
    try:
        if options.output is not None:
            run = vars(options) | log.columns, log, comparison, python
            said.append(write_run(*run, printer.paragraphs))
        if options.save is not None:
            said.append(_save(options, log, model))
    finally:
        for paragraph in paragraphs:
            printer.print(paragraph, end="\n\n")
    printer.print(prose("\n".join([*said, *_advice(options)])))
    printer.finish()


def _read(options: Namespace) -> InteractionLog:
    hold_out = HOLD_OUTS[options.cv]
    roles = ("user", "item", "time") if hold_out.uses_times else ("user", "item")
    columns = {role: getattr(options, role) or role for role in roles}
    if options.rating is not None:
        columns["rating"] = options.rating
    log = read_log(options.log, columns, CsvFormat.of(options))
    far = log.far_rows()
    if far is not None:
        raise InputError(
            f"{far} Half-lives count from the newest row, so nothing else would count. "
            "Drop or mend the rows far after; --cv random and --cv user read no times."
        )
    return log


def _plan(options: Namespace, log: InteractionLog) -> TuningPlan:
    others = BEYOND if options.report == "beyond" else {}
    names = {**NAMES, "X": log.source, "y": f"column {options.rating!r}"}
    test = None if options.test is None else _rows_like(log, options)
    return plan_search(
        options,
        names,
        X=log.X,
        y=log.y,
        groups=None,
        test=test,
        user="user",
        item="item",
        time="time" if "time" in log.X else None,
        models=options.models,
        metrics=list(dict.fromkeys([options.metric, *others])),
        min_relevance=options.min_relevance,
        cv=options.cv,
        test_size=options.holdout,
    )


def _rows_like(log: InteractionLog, options: Namespace) -> tuple[pd.DataFrame, Any]:
    """Return the log of --test, with the whole numbers of the other log for its ids."""
    test = read_log(options.test, log.columns, CsvFormat.of(options))
    X = test.X.copy()
    for role, labels in test.labels.items():
        known = log.labels[role].get_indexer(labels)
        # What the other log lacks has numbers beyond its own.
        new = len(log.labels[role]) + np.arange(len(labels))
        X[role] = np.where(known < 0, new, known)[X[role].to_numpy()]
    return X, test.y


def _names_in_report(tuned: ModelTuning) -> dict[str, str]:
    """Return the names in the report; a baseline that won stands there twice."""
    best = tuned.best_name_
    names = {TUNED: best, **{name: name for name in tuned.models_ if name != best}}
    return {**names, best: best} if best in BASELINES else names


def _advice(options: Namespace) -> list[str]:
    """Return what else could be kept."""
    lines = []
    if options.output is None:
        lines.append("Add --output DIR to keep the tables and a picture.")
    if options.save is None:
        lines.append("Add --save FILE to keep the model.")
    return lines


def _check_files(options: Namespace) -> None:
    """Raise before the search where its results could not be written."""
    inputs = [options.log, options.test]
    if options.output is not None:
        check_output(options.output, TUNED_FILES, inputs)
    if options.save is not None:
        check_new_file(options.save, force=options.force, inputs=inputs)
        if options.output is not None:
            check_apart(options.save, options.output, TUNED_FILES)


def _save(options: Namespace, log: InteractionLog, model: BaseEstimator) -> str:
    """Write the winner, fitted on all rows of the log; return the lines that say so."""
    model.fit(log.with_ids(), log.y)
    is_pickle = save_model(options.save, model, force=options.force)
    said = f"Wrote the tuned model, fitted on all rows, to {options.save}."
    return f"{said} {PICKLE}" if is_pickle else said
