"""`sklearn-rank tune`: read a log, search, compare the best of each family."""

import warnings
from argparse import Namespace
from functools import partial

from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from sklearn_rank._cli._csv import CsvFormat
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted
from sklearn_rank._cli._grid_search import candidate_table
from sklearn_rank._cli._layout import Paragraph, prose
from sklearn_rank._cli._log import InteractionLog, read_log
from sklearn_rank._cli._model_file import TRUST, write_model
from sklearn_rank._cli._new_file import check_apart, check_new_file
from sklearn_rank._cli._output_files import check_output
from sklearn_rank._cli._printing import ReportPrinter
from sklearn_rank._cli._results import FILE_NAMES
from sklearn_rank._cli._text_tables import describe_candidates
from sklearn_rank._cli.tune._beyond import BEYOND, EXPLAINED
from sklearn_rank._cli.tune._candidates import (
    check_models,
    choose_models,
    describe,
    title_of,
)
from sklearn_rank._cli.tune._comparison import compare, with_columns
from sklearn_rank._cli.tune._contenders import TUNED, fit_contenders
from sklearn_rank._cli.tune._log_size import LogSize
from sklearn_rank._cli.tune._periods import split_periods
from sklearn_rank._cli.tune._results import write_run
from sklearn_rank._cli.tune._scorer import RelevantRowsScorer
from sklearn_rank._cli.tune._search import RecommenderSearch
from sklearn_rank._cli.tune._snippet import snippet
from sklearn_rank._cli.tune._text import describe_comparison
from sklearn_rank._cli.tune._ways import WAYS
from sklearn_rank.exceptions import MisleadingScoreWarning


def tune(options: Namespace) -> None:
    """Do what `sklearn-rank tune` promises; print it, and write it where asked."""
    with warnings.catch_warnings():
        # NMF takes few steps on purpose.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # What no candidate can hit is counted and printed where the periods are split.
        warnings.simplefilter("ignore", MisleadingScoreWarning)
        _tune(options)


def _tune(options: Namespace) -> None:
    others = BEYOND if options.report == "beyond" else {}
    scorer = RelevantRowsScorer(options.metric, options.min_relevance, list(others))
    check_models(options.models)
    _check_files(options)
    printer = ReportPrinter(writes_files=options.output or options.save)
    log = read_log(options.log, _columns(options), CsvFormat.of(options))
    _check_size(log)
    _check_newest(log)
    scorer.check_ratings(log.X, log.y, options.rating)
    printer.add(prose(log.describe()))
    is_relevant = scorer.relevant_rows(log.X, log.y)
    periods = split_periods(log, options.cv, options.holdout, is_relevant)
    printer.add(prose(periods.describe()))
    models, remarks = choose_models(options.models, LogSize.of(periods.train))
    for remark in remarks:
        printer.add(prose(remark))
    search = RecommenderSearch(
        scorer, options.cv, options.folds, options.holdout, options.jobs
    )
    fitted = search.fit(models, periods.train, periods.y_train)
    candidates = candidate_table(fitted, describe, title_of, others)
    table = options.metric, options.folds, WAYS[options.cv].folds, others
    printer.add(partial(describe_candidates, candidates, *table))
    if others:
        printer.add(prose(EXPLAINED))
    contenders = fit_contenders(fitted, periods, search)
    comparison = compare(contenders, periods, scorer, log.columns)
    model = with_columns(contenders[TUNED].model, log.columns)
    python = snippet(log, model)
    paragraphs: list[Paragraph] = [
        partial(describe_comparison, comparison),
        f"As Python, fitted on all rows:\n\n{python}",
    ]
    for paragraph in paragraphs:
        printer.keep(paragraph)
    # Before they are printed: whoever reads may be gone, or take their time.
    said = []
    try:
        if options.output is not None:
            run = vars(options) | log.columns, log, periods, candidates, comparison, python
            said.append(write_run(*run, printer.paragraphs))
        if options.save is not None:
            said.append(_save(options, log, model))
    finally:
        for paragraph in paragraphs:
            printer.print(paragraph, end="\n\n")
    printer.print(prose("\n".join([*said, *_advice(options)])))
    printer.finish()


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
    if options.output is not None:
        check_output(options.output, FILE_NAMES, [options.log])
    if options.save is not None:
        check_new_file(options.save, force=options.force, inputs=[options.log])
        if options.output is not None:
            check_apart(options.save, options.output, FILE_NAMES)


def _columns(options: Namespace) -> dict[str, str]:
    """Return the names of the columns to read by role."""
    roles = WAYS[options.cv].columns
    columns = {role: getattr(options, role) or role for role in roles}
    return columns | ({} if options.rating is None else {"rating": options.rating})


def _save(options: Namespace, log: InteractionLog, model: BaseEstimator) -> str:
    """Write the winner, fitted on all rows of the log; return the lines that say so."""
    model.fit(log.with_ids(), log.y)
    write_model(
        options.save,
        model,
        columns=log.columns,
        metric=options.metric,
        force=options.force,
    )
    return f"Wrote the tuned model, fitted on all rows, to {options.save}. {TRUST}"


def _check_newest(log: InteractionLog) -> None:
    far = log.far_rows()
    if far is not None:
        raise InputError(
            f"{far} Half-lives count from the newest row, so nothing else would count. "
            "Drop or mend the rows far after; --cv random and --cv user read no times."
        )


def _check_size(log: InteractionLog) -> None:
    for n, what in ((log.n_users, "user"), (log.n_items, "item")):
        if n < 2:
            raise InputError(
                f"{log.source} has only one {what} in {counted(len(log.X), 'row')}; a "
                f"recommender needs at least two. Is --{what} the right column?"
            )
