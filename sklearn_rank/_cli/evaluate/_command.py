"""`sklearn-rank evaluate`: a report of lists beside what is relevant, or of rows."""

from argparse import Namespace


def evaluate(options: Namespace) -> None:
    """Do what `sklearn-rank evaluate` promises."""
    if options.test is None:
        from sklearn_rank._cli.evaluate._rows import evaluate_rows

        evaluate_rows(options)
    else:
        from sklearn_rank._cli.evaluate._lists import evaluate_lists

        evaluate_lists(options)
