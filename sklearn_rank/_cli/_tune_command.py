"""`sklearn-rank tune`: read a log, tune models on it, report the best."""

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from sklearn_rank._cli._errors import (
    InputError,
    delay_signals,
    replace_arguments_by_options,
)
from sklearn_rank._cli._named_metrics import read_metric
from sklearn_rank._cli._new_files import check_apart, check_new_file, check_output
from sklearn_rank._cli._printing import Paragraph, ReportPrinter, print_notes, wrap_prose
from sklearn_rank._cli._results import PICKLE, TUNED_FILES, save_model, write_results
from sklearn_rank._cli._tuning import (
    OPTIONS,
    describe_candidates,
    describe_evaluation,
    describe_verdict,
    plan_search,
    run_search,
)
from sklearn_rank._cli.reading._csv import CsvFormat, refuse_changes
from sklearn_rank._cli.reading._id_tables import is_parquet
from sklearn_rank._cli.reading._log import LogFile, read_log
from sklearn_rank.experiments._default_recommenders import BASELINES
from sklearn_rank.experiments._hold_outs import HOLD_OUTS
from sklearn_rank.experiments._python_code import assignment, call, imports
from sklearn_rank.experiments._tuning_plan import TuningPlan

# What lists show beside relevance: of each metric the title of its column.
BEYOND: Mapping[str, str] = {
    "novelty@10": "novelty",
    "intra_list_distance(distance='co_occurrence')@10": "diversity",
    "coverage@10": "coverage",
}
EXPLAINED = (
    "Beside it, at 10: novelty in bits, diversity as the mean distance of two items by the "
    "users they share, coverage as the share of the items that some list shows."
)
# Users whom the Python recommends to.
SHOWN_USERS = 3
# What reads the embedded log.
READ_EMBEDDED_LOG = [
    "from sklearn_rank.datasets import make_interactions",
    "",
    "log = make_interactions(2000, 1000, 100_000, random_state=0, as_frame=True)",
]
# Arguments of tune_models with another name here.
RENAMED_ARGUMENTS = {"models": "--models", "test": "--test"}


def tune(options: Namespace) -> None:
    """Run `sklearn-rank tune`: print the result, and write it if asked."""
    read_metric(options.metric)
    _check_files(options)
    printer = ReportPrinter(writes_files=options.output or options.save)
    log = _read_log(options)
    plan = _plan_tuning(options, log)
    printer.add(wrap_prose(log.describe()))
    assert plan.split is not None
    names = OPTIONS | RENAMED_ARGUMENTS
    printer.add(wrap_prose(replace_arguments_by_options(plan.split.describe(), names)))
    tuned = run_search(plan, options.metric)
    beyond = BEYOND if options.report == "beyond" else {}
    printer.add(partial(describe_candidates, tuned, beyond))
    if beyond:
        printer.add(wrap_prose(EXPLAINED))
    model = set_columns(tuned.best_candidate.make(), log.columns)
    python, said_of_best = fitting_code(log, model), describe_verdict(tuned, BASELINES)
    paragraphs: list[Paragraph] = [
        partial(describe_evaluation, tuned, said_of_best),
        f"As Python, fitted on all rows:\n\n{python}",
    ]
    for paragraph in paragraphs:
        printer.keep(paragraph)
    # Before printing: the reader may be slow or gone.
    written = []
    try:
        if options.output is not None:
            results = {"log": log.summary(), "python": python, "verdict": said_of_best}
            run = vars(options) | log.columns, tuned, printer.paragraphs, results
            # Signals wait, so that it is known what was written.
            with delay_signals():
                written.append(write_results(*run))
        if options.save is not None:
            model.fit(log.with_ids(), log.y)
            with delay_signals():
                written.append(_save_model(options, model))
    finally:
        if len(written) == 1 and None not in (options.output, options.save):
            print_notes(
                f"{options.output!r} has the report of this run, but the model "
                f"{options.save!r} was not written."
            )
        for paragraph in paragraphs:
            printer.print(paragraph, end="\n\n")
    printer.print(wrap_prose("\n".join([*written, *_advice(options)])))
    printer.finish()


def _read_log(options: Namespace) -> LogFile:
    hold_out = HOLD_OUTS[options.cv]
    roles = ("user", "item", "time") if hold_out.uses_times else ("user", "item")
    columns = {role: getattr(options, role) or role for role in roles}
    if options.rating is not None:
        columns["rating"] = options.rating
    with refuse_changes(options.log):
        log = read_log(options.log, columns, CsvFormat.from_options(options))
        far = log.far_rows()
    if far is not None:
        raise InputError(
            f"{far} Half-lives count from the newest row, so older rows would have no "
            "weight. Drop or correct the late rows; --cv random and --cv user read no "
            "times."
        )
    return log


def _plan_tuning(options: Namespace, log: LogFile) -> TuningPlan:
    beyond = BEYOND if options.report == "beyond" else {}
    names = {**RENAMED_ARGUMENTS, "X": log.source, "y": f"column {options.rating!r}"}
    test = None if options.test is None else _read_test_rows(log, options)
    return plan_search(
        options,
        names,
        log.X,
        log.y,
        test=test,
        user="user",
        item="item",
        time="time" if "time" in log.X else None,
        models=options.models,
        metrics=list(dict.fromkeys([options.metric, *beyond])),
        min_relevance=options.min_relevance,
        cv=options.cv,
        test_size=options.holdout,
    )


def _read_test_rows(log: LogFile, options: Namespace) -> tuple[pd.DataFrame, Any]:
    """Return the log of --test with the id codes of the other log."""
    test = read_log(options.test, log.columns, CsvFormat.from_options(options))
    X = test.X.copy()
    for role, labels in test.labels.items():
        codes = log.labels[role].get_indexer(labels)
        # Ids that the other log lacks get higher codes.
        new = len(log.labels[role]) + np.arange(len(labels))
        X[role] = np.where(codes < 0, new, codes)[X[role].to_numpy()]
    return X, test.y


def _advice(options: Namespace) -> list[str]:
    """Return advice on options that keep more."""
    advice = {
        "output": "Add --output DIR to keep the tables and a picture.",
        "save": "Add --save FILE to keep the model.",
    }
    return [text for name, text in advice.items() if getattr(options, name) is None]


def _check_files(options: Namespace) -> None:
    """Raise before the search if its results could not be written."""
    inputs = [options.log, options.test]
    if options.output is not None:
        check_output(options.output, TUNED_FILES, inputs)
    if options.save is not None:
        check_new_file(options.save, force=options.force, inputs=inputs)
        if options.output is not None:
            check_apart(options.save, options.output, TUNED_FILES)


def _save_model(options: Namespace, model: BaseEstimator) -> str:
    """Write the winner, fitted on all rows of the log; return the lines that report it."""
    is_pickle = save_model(options.save, model, force=options.force)
    message = f"Wrote the tuned model, fitted on all rows, to {options.save}."
    return f"{message} {PICKLE}" if is_pickle else message


# The Python that fits the winner on all rows of the log.


def set_columns(model: BaseEstimator, columns: Mapping[str, str]) -> BaseEstimator:
    """Return the model, not fitted, for the columns of the log."""
    used = [role for role in columns if getattr(model, role, None) is not None]
    return clone(model).set_params(**{role: columns[role] for role in used})


def fitting_code(log: LogFile, model: BaseEstimator) -> str:
    """Return Python that fits the model on all rows of the log, as `--save` does."""
    reading = (
        READ_EMBEDDED_LOG
        if log.path is None
        else [*_reading_lines(log, log.path), *_conversion_lines(log)]
    )
    rating = f", log[{log.columns['rating']!r}]" if "rating" in log.columns else ""
    user = log.columns["user"]
    first = ["import pandas as pd", ""] if log.path is not None else []
    lines = [
        *first,
        *imports(model),
        "",
        *reading,
        *assignment("model", model),
        f"model.fit(log{rating})",
        f"model.recommend(log[{user!r}].unique()[:{SHOWN_USERS}], k=10)",
    ]
    return "\n".join(lines)


def _reading_lines(log: LogFile, path: str) -> list[str]:
    columns = repr(list(log.columns.values()))
    if is_parquet(path):
        return call("log = pd.read_parquet", [repr(path), f"columns={columns}"])
    arguments = [repr(path), f"usecols={columns}"]
    if log.csv.separator != ",":
        arguments.append(f"sep={log.csv.separator!r}")
    if log.csv.encoding is not None:
        arguments.append(f"encoding={log.csv.encoding!r}")
    # Keep 007 as text, and NA as a name.
    arguments += ["dtype=str", "keep_default_na=False", "na_values=['']"]
    return call("log = pd.read_csv", arguments)


def _conversion_lines(log: LogFile) -> list[str]:
    """Return the lines that read times and ratings, and drop what was dropped."""
    lines = []
    for role, read in log.read.items():
        name = f"log[{log.columns[role]!r}]"
        if read.python:
            function, arguments = read.python
            lines += call(f"{name} = {function}", [a.format(name) for a in arguments])
    lines.append("log = log.dropna()")
    if "rating" in log.columns and log.y is not None:
        lines.append(f"log = log[log[{log.columns['rating']!r}] >= 0]")
    return lines
