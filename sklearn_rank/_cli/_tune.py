"""`sklearn-rank tune`: read a log, search, compare with popularity on the last period."""

from argparse import Namespace
from collections.abc import Callable

from sklearn_rank._cli._arguments import InputError
from sklearn_rank._cli._compare import compare
from sklearn_rank._cli._files import check_folder, write_results
from sklearn_rank._cli._log import Log, read_log
from sklearn_rank._cli._periods import hold_out
from sklearn_rank._cli._search import candidate_table, search_best
from sklearn_rank._cli._text import describe_candidates, describe_comparison
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.metrics._rating import RatingError
from sklearn_rank.metrics._registry import parse_metric

__all__ = ["tune"]


def tune(options: Namespace) -> None:
    """Do what `sklearn-rank tune` promises; print it, and write it where asked."""
    scorer = _scorer(options)
    if options.output is not None:
        check_folder(options.output)
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        print(text, end="\n\n", flush=True)

    log = read_log(options)
    _check_relevance(log, options)
    say(log.describe())
    periods = hold_out(log, options.holdout, options.min_relevance)
    say(periods.describe())
    search = search_best(periods.train, periods.y_train, scorer, options)
    candidates = candidate_table(search)
    say(describe_candidates(candidates, options))
    comparison = compare(search, periods, scorer, options)
    say(describe_comparison(comparison))
    if options.output is None:
        print("Add --output DIR to keep the tables and a picture.")
        return
    print(write_results(options, log, periods, candidates, comparison, said))


def _scorer(options: Namespace) -> Callable:
    if isinstance(parse_metric(options.metric).metric, RatingError):
        raise InputError(
            f"--metric {options.metric} judges predicted ratings, but what is tuned here "
            "are lists of recommended items; name a ranking metric, such as ndcg@10."
        )
    return make_recommender_scorer(options.metric, user="user", item="item")


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
