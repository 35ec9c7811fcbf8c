"""`sklearn-rank tune`: read a log, search, compare with baselines on the last period."""

from argparse import Namespace

from sklearn_rank._cli._grid_search import candidate_table
from sklearn_rank._cli._output_files import check_output
from sklearn_rank._cli._printing import ReportPrinter
from sklearn_rank._cli._text_tables import describe_candidates
from sklearn_rank._cli.tune._baselines import fit_baselines
from sklearn_rank._cli.tune._beyond import BEYOND, EXPLAINED
from sklearn_rank._cli.tune._candidates import choose_models, describe, title_of
from sklearn_rank._cli.tune._comparison import compare
from sklearn_rank._cli.tune._log import read_log
from sklearn_rank._cli.tune._periods import split_periods
from sklearn_rank._cli.tune._results import FILE_NAMES, write_run
from sklearn_rank._cli.tune._scorer import RelevantRowsScorer
from sklearn_rank._cli.tune._search import RecommenderSearch
from sklearn_rank._cli.tune._text import FOLDS, describe_comparison


def tune(options: Namespace) -> None:
    """Do what `sklearn-rank tune` promises; print it, and write it where asked."""
    beside = BEYOND if options.report == "beyond" else {}
    scorer = RelevantRowsScorer(options.metric, options.min_relevance, list(beside))
    if options.output is not None:
        check_output(options.output, FILE_NAMES)
    printer = ReportPrinter()
    columns = {role: getattr(options, role) for role in ("user", "item", "time")}
    log = read_log(options.log, columns, options.rating)
    scorer.check_ratings(log.X, log.y, options.rating)
    printer.add(log.describe())
    periods = split_periods(log, options.holdout, scorer.relevant_rows(log.X, log.y))
    printer.add(periods.describe())
    models, remarks = choose_models(options.models, periods.train["item"].nunique())
    for remark in remarks:
        printer.add(remark)
    search = RecommenderSearch(
        scorer, options.cv, options.folds, options.holdout, options.jobs
    )
    fitted = search.fit(models, periods.train, periods.y_train)
    candidates = candidate_table(fitted, describe, title_of, beside)
    where = FOLDS[options.cv]
    printer.add(
        describe_candidates(candidates, options.metric, options.folds, where, beside)
    )
    if beside:
        printer.add(EXPLAINED)
    baselines = fit_baselines(fitted, periods, search)
    tuned = fitted.best_estimator_.named_steps["recommender"]
    comparison = compare(tuned, baselines, periods, scorer, columns)
    printer.add(describe_comparison(comparison))
    if options.output is None:
        printer.print("Add --output DIR to keep the tables and a picture.")
        return
    paragraphs = printer.paragraphs
    printer.print(
        write_run(vars(options), log, periods, candidates, comparison, paragraphs)
    )
