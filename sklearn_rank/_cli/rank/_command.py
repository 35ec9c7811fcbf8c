"""`sklearn-rank rank`: read queries, search, compare on the test queries."""

from argparse import Namespace
from dataclasses import replace
from functools import partial

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._grid_search import candidate_table, check_installed
from sklearn_rank._cli._output_files import check_output
from sklearn_rank._cli._printing import ReportPrinter
from sklearn_rank._cli._results import FILE_NAMES
from sklearn_rank._cli._text_tables import describe_candidates
from sklearn_rank._cli.rank._candidates import describe, title_of
from sklearn_rank._cli.rank._comparison import compare
from sklearn_rank._cli.rank._queries import Queries, read_queries, with_features_of
from sklearn_rank._cli.rank._rankers import RANKERS, telling_failures
from sklearn_rank._cli.rank._results import write_run
from sklearn_rank._cli.rank._scorer import DefinedQueriesScorer
from sklearn_rank._cli.rank._search import search_best
from sklearn_rank._cli.rank._text import describe_comparison
from sklearn_rank.experiments._as_python import as_python

MOST_BYTES = 2**32


def rank(options: Namespace) -> None:
    """Do what `sklearn-rank rank` promises; print it, and write it where asked."""
    scorer = DefinedQueriesScorer(options.metric)
    model, n_folds = options.model, options.folds
    check_installed(RANKERS[model].package, "rankers", f"--model {model}")
    if options.output is not None:
        inputs = options.train, options.groups, options.test, options.test_groups
        check_output(options.output, FILE_NAMES, inputs)
    printer = ReportPrinter(writes_files=options.output is not None)
    files = _read(options)
    printer.add(
        "\n".join(q.describe() + scorer.describe_left_out(q) for q in files.values())
    )
    with telling_failures(model, options.train):
        search = search_best(model, files["train"], scorer, n_folds, options.jobs)
    names = partial(describe, model), partial(title_of, model)
    candidates = candidate_table(search, *names)
    table = options.metric, n_folds, " of whole queries"
    printer.add(partial(describe_candidates, candidates, *table, {}))
    comparison = None
    if "test" in files:
        with telling_failures(model, options.train):
            comparison = compare(model, search, **files, scorer=scorer)
        printer.add(partial(describe_comparison, comparison))
    best = as_python(search.best_estimator_.named_steps["model"])
    printer.add(f"As Python: {best}")
    if comparison is None:
        printer.print(
            "Add --test TEST.svm to judge the best on queries that it has not seen."
        )
    if options.output is None:
        printer.print("Add --output DIR to keep the tables.")
        return
    paragraphs = printer.paragraphs
    printer.print(write_run(vars(options), files, candidates, best, comparison, paragraphs))
    printer.finish()


def _read(options: Namespace) -> dict[str, Queries]:
    files = {"train": read_queries(options.train, options.groups, "--groups")}
    if options.test is not None:
        test = read_queries(options.test, options.test_groups, "--test-groups")
        files["test"] = with_features_of(files["train"], test)
    if options.model == "pointwise":
        return {name: _as_dense(queries) for name, queries in files.items()}
    return files


def _as_dense(queries: Queries) -> Queries:
    """Return the same rows in the form that trees of scikit-learn want."""
    n_rows, n_features = queries.X.shape
    if 8 * n_rows * n_features > MOST_BYTES:
        raise InputError(
            f"--model pointwise needs a dense table, but {n_rows:,} rows of "
            f"{queries.source!r} by {n_features:,} features are too large for one; take "
            "--model lightgbm."
        )
    return replace(queries, X=queries.X.toarray())
