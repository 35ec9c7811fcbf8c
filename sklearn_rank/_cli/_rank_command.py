"""`sklearn-rank rank`: read queries, tune rankers on them, compare on the test queries."""

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from sklearn_rank._base._messages import quantity
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._named_metrics import read_metric
from sklearn_rank._cli._new_files import check_output
from sklearn_rank._cli._printing import ReportPrinter, wrap_prose
from sklearn_rank._cli._results import TEST_SCORES, TUNED_FILES, write_results
from sklearn_rank._cli._tuning import (
    describe_candidates,
    describe_evaluation,
    describe_verdict,
    plan_search,
    run_search,
)
from sklearn_rank._cli.reading._csv import refuse_changes
from sklearn_rank._cli.reading._query_files import QueryFile, align_features, read_queries
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._default_models import EQUAL, RANKER_NAMES, UNTUNED
from sklearn_rank.experiments._python_code import as_python
from sklearn_rank.experiments._query_splits import defined_rows
from sklearn_rank.experiments._tuning_plan import TuningPlan
from sklearn_rank.metrics._core._metric import BoundMetric

MOST_BYTES = 2**32
# Other packages raise ValueError.
PACKAGE_ERRORS = {
    "lightgbm": ("lightgbm.basic", "LightGBMError"),
    "catboost": ("catboost", "CatBoostError"),
}


def rank(options: Namespace) -> None:
    """Run `sklearn-rank rank`: print the result, and write it if asked."""
    metric = read_metric(options.metric)
    if options.output is not None:
        inputs = options.train, options.groups, options.test, options.test_groups
        check_output(options.output, TUNED_FILES, inputs)
    printer = ReportPrinter(writes_files=options.output is not None)
    files = _read_files(options)
    read = [q.describe() + _describe_left_out(q, metric) for q in files.values()]
    printer.add(wrap_prose("\n".join(read)))
    plan = _plan_tuning(options, files)
    try:
        tuned = run_search(plan, options.metric)
    except _package_errors(options.model) as error:
        names = ", ".join(options.model)
        raise InputError(f"{names} cannot learn from {options.train!r}: {error}") from error
    printer.add(partial(describe_candidates, tuned, {}))
    verdict = describe_verdict(tuned, _find_baselines(tuned))
    printer.add(partial(describe_evaluation, tuned, verdict))
    printer.add(f"As Python: {as_python(tuned.best_candidate.make())}")
    if "test" not in files:
        printer.print(
            "Add --test TEST.svm to judge the best on queries that it has not seen."
        )
    if options.output is None:
        printer.print("Add --output DIR to keep the tables.")
    else:
        written = _write_run(vars(options), files, tuned, verdict, printer.paragraphs)
        printer.print(wrap_prose(written))
    printer.finish()


def _plan_tuning(options: Namespace, files: dict[str, QueryFile]) -> TuningPlan:
    train, test = files["train"], files.get("test")
    return plan_search(
        options,
        {"X": repr(train.source)},
        train.X,
        train.y,
        groups=train.groups,
        test=None if test is None else (test.X, test.y, test.groups),
        test_size=None,
        models=options.model,
        metrics=options.metric,
    )


def _describe_left_out(queries: QueryFile, metric: BoundMetric) -> str:
    """Return a remark on queries left out; raise if no query is left."""
    rows = defined_rows(queries.y, queries.groups, metric)
    n_left_out = len(np.unique(queries.groups[~rows]))
    if not rows.any():
        raise InputError(
            f"--metric {metric.name} is undefined for every query of "
            f"{queries.source!r}; name another metric."
        )
    if n_left_out == 0:
        return ""
    return (
        f"\n  {quantity(n_left_out, 'query')} left out of the scores, where "
        f"{metric.name} is undefined: no order is better than another"
    )


def _find_baselines(tuned: ModelTuning) -> list[str]:
    """Return what the tuned model is compared with: equal scores, and itself untuned."""
    best = tuned.best_name_
    groups = (name for name, families in RANKER_NAMES.items() if best in families)
    group = next(groups, None)
    return [EQUAL, best if group is None else UNTUNED + group]


def _read_files(options: Namespace) -> dict[str, QueryFile]:
    files = {"train": read_queries(options.train, options.groups, "--groups")}
    if options.test is not None:
        with refuse_changes(options.test):
            test = read_queries(options.test, options.test_groups, "--test-groups")
            files["test"] = align_features(files["train"], test)
    if "pointwise" in options.model:
        return {name: _as_dense(queries) for name, queries in files.items()}
    return files


def _as_dense(queries: QueryFile) -> QueryFile:
    """Return the same rows as a dense array, which scikit-learn's trees need."""
    n_rows, n_features = queries.X.shape
    if 8 * n_rows * n_features > MOST_BYTES:
        raise InputError(
            f"--model pointwise needs a dense table, but {n_rows:,} rows of "
            f"{queries.source!r} by {n_features:,} features are too large for one; take "
            "--model lightgbm."
        )
    return replace(queries, X=queries.X.toarray())


def _package_errors(models: tuple[str, ...]) -> tuple[type[Exception], ...]:
    """Return the errors of packages about their training data."""
    errors = [PACKAGE_ERRORS[name] for name in models if name in PACKAGE_ERRORS]
    return tuple(getattr(import_module(module), error) for module, error in errors)


def _write_run(
    options: Mapping[str, Any],
    files: dict[str, QueryFile],
    tuned: ModelTuning,
    verdict: list[str],
    paragraphs: list[str],
) -> str:
    """Write the files of a run and return the lines that report them."""
    results: dict[str, Any] = {name: _about(queries) for name, queries in files.items()}
    texts = {}
    if "test" in files:
        results["verdict"] = verdict
        scores = tuned.models_[tuned.best_name_].predict(files["test"].X).tolist()
        texts[TEST_SCORES] = "".join(f"{score!r}\n" for score in scores)
    return write_results(options, tuned, paragraphs, results, texts)


def _about(queries: QueryFile) -> dict:
    return {
        "source": queries.source,
        "rows": len(queries.y),
        "queries": len(queries.sizes),
        "features": queries.n_features,
        "highest_grade": queries.y.max(),
    }
