"""`sklearn-rank tune`: read a log, search, compare with baselines on the last period."""

from argparse import Namespace

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._grid_search import candidate_table
from sklearn_rank._cli._metric import read_metric
from sklearn_rank._cli._output_files import check_output
from sklearn_rank._cli._printing import Screen
from sklearn_rank._cli.tune._baselines import fit_baselines
from sklearn_rank._cli.tune._candidates import choose_models, describe, model_of
from sklearn_rank._cli.tune._comparison import compare
from sklearn_rank._cli.tune._log import Log, read_log
from sklearn_rank._cli.tune._periods import hold_out
from sklearn_rank._cli.tune._results import NAMES, write_run
from sklearn_rank._cli.tune._search import search_best
from sklearn_rank._cli.tune._text import describe_comparison, describe_search
from sklearn_rank.metrics import make_recommender_scorer


def tune(options: Namespace) -> None:
    """Do what `sklearn-rank tune` promises; print it, and write it where asked."""
    read_metric(options.metric)
    scorer = make_recommender_scorer(options.metric, user="user", item="item")
    if options.output is not None:
        check_output(options.output, NAMES)
    screen = Screen()
    log = read_log(options)
    _check_relevance(log, options)
    screen.say(log.describe())
    periods = hold_out(log, options.holdout, options.min_relevance)
    screen.say(periods.describe())
    models, remarks = choose_models(options.models, periods.train["item"].nunique())
    for remark in remarks:
        screen.say(remark)
    search = search_best(periods.train, periods.y_train, models, scorer, options)
    candidates = candidate_table(search, describe, model_of)
    screen.say(describe_search(candidates, options))
    baselines = fit_baselines(search, periods, scorer, options)
    comparison = compare(search, baselines, periods, scorer, options)
    screen.say(describe_comparison(comparison))
    if options.output is None:
        screen.tell("Add --output DIR to keep the tables and a picture.")
        return
    screen.tell(write_run(options, log, periods, candidates, comparison, screen.said))


def _check_relevance(log: Log, options: Namespace) -> None:
    if log.y is None:
        return
    lowest = options.min_relevance
    if log.y.max() == 0 or log.y.max() < (lowest or 0):
        raise InputError(
            f"No rating is {'above 0' if lowest is None else f'{lowest:g} or more'}, so "
            f"nothing is relevant; the largest in column {options.rating!r} is "
            f"{log.y.max():g}."
        )
