"""`sklearn-rank tune`: read a log, tune models on it, report the best."""

import os
from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator

from sklearn_rank._base._text import WIDTH, wrap_text
from sklearn_rank._cli._errors import InputError, replace_arguments_by_options
from sklearn_rank._cli._named_metrics import read_metric
from sklearn_rank._cli._printing import Paragraph, as_json, lay_out, print_result
from sklearn_rank._cli._tuning import (
    OPTIONS,
    describe_candidates,
    describe_evaluation,
    describe_verdict,
    plan_search,
    run_search,
)
from sklearn_rank._cli.files._golden_sets import errors_as_options
from sklearn_rank._cli.files._log_files import LogFile, read_log_file
from sklearn_rank._cli.files._output_files import (
    check_output,
    format_of,
    lists_as_text,
    write_file,
    write_folder,
)
from sklearn_rank._display._figures import as_png, new_figure
from sklearn_rank._display._page import build_page
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._default_recommenders import BASELINES
from sklearn_rank.experiments._hold_outs import HOLD_OUTS
from sklearn_rank.experiments._model_tuning import FRONT, NOVELTY
from sklearn_rank.experiments._python_code import assignment, call, imports
from sklearn_rank.experiments._tuning_plan import TuningPlan
from sklearn_rank.inputs._reading._bytes import read_content
from sklearn_rank.recommenders import save_model

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
PICTURE = "metric_at_k"
# All files of --output: a folder never has files of two runs.
FILES = (
    *("cv_results.csv", "report.txt", "report.json", "report.html"),
    *(f"{PICTURE}.png", f"{FRONT}.png"),
)


def tune(options: Namespace) -> None:
    """Run `sklearn-rank tune`: print the result, and write it if asked."""
    read_metric(options.metric)
    form = _check_files(options)
    log = _read_log(options, options.log)
    plan = _plan_tuning(options, log)
    tuned = run_search(plan, options.metric)
    titles = BEYOND if options.report == "beyond" else {}
    verdict = describe_verdict(tuned, BASELINES)
    model = tuned.best_candidate.make()
    python = fitting_code(log, model, options.log)
    assert plan.split is not None
    split = replace_arguments_by_options(plan.split.describe(), OPTIONS | RENAMED_ARGUMENTS)
    paragraphs: list[Paragraph] = [
        *(partial(wrap_text, text) for text in (log.describe(), split)),
        partial(describe_candidates, tuned, titles),
        *[partial(wrap_text, EXPLAINED)] * bool(titles),
        partial(describe_evaluation, tuned, verdict),
        f"As Python, fitted on all rows:\n\n{python}",
    ]
    lines: list[str] = []
    try:
        # Files first: printing fails if the pipe is closed.
        if options.output is not None:
            report = {**tuned.to_dict(), "log": log.summary(), "python": python}
            report["verdict"] = verdict
            lines += _write_results(options, tuned, lay_out(paragraphs, WIDTH), report)
        if options.save is not None or form is not None:
            model.fit(log.log)
        if options.save is not None:
            _save_model(options.save, model)
            lines.append(f"Wrote the tuned model, fitted on all rows, to {options.save}.")
        if form is not None:
            users = _read_users(options.users, model)
            lists = model.rank(users, min(options.n, len(model.items_)))
            names = ("query", "item", "rank", "score")
            rows = zip(*(lists[name].tolist() for name in names), strict=True)
            columns = log.columns["user"], log.columns["item"]
            write_file(options.lists, lists_as_text(form, rows, *columns).encode())
            lines.append(f"Wrote the lists of {len(users):,} users to {options.lists}.")
    finally:  # what was found is worth more than a file
        paragraphs.append(partial(wrap_text, "\n".join([*lines, *_advice(options)])))
        print_result(*paragraphs, wrote_files=bool(lines))


def _read_log(options: Namespace, path: str | None) -> LogFile:
    wanted = {"user": options.user, "item": options.item}
    if HOLD_OUTS[options.cv].uses_times:
        wanted["time"] = options.time
    if options.rating is not None:
        wanted["rating"] = options.rating
    log = read_log_file(path, wanted, "--cv random")
    far = log.far_rows()
    if far is not None:
        raise InputError(
            f"{far} Half-lives count from the newest row, so older rows would have no "
            "weight. Drop or correct the late rows; --cv random and --cv user read no "
            "times."
        )
    return log


def _plan_tuning(options: Namespace, log: LogFile) -> TuningPlan:
    titles = BEYOND if options.report == "beyond" else {}
    names = {**RENAMED_ARGUMENTS, "X": log.source, "y": f"column {options.rating!r}"}
    test = None
    if options.test is not None:
        part = read_log_file(options.test, log.columns, "--cv random").log
        test = part.table, part.y
    return plan_search(
        options,
        names,
        log.log,
        None,
        test=test,
        models=options.models,
        metrics=list(dict.fromkeys([options.metric, *titles])),
        min_relevance=options.min_relevance,
        cv=options.cv,
        test_size=options.holdout,
    )


def _advice(options: Namespace) -> list[str]:
    """Return advice on options that keep more."""
    advice = {
        "output": "Add --output DIR to keep the tables and a picture.",
        "save": "Add --save FILE to keep the model.",
    }
    return [text for name, text in advice.items() if getattr(options, name) is None]


def _check_files(options: Namespace) -> str | None:
    """Raise if the results cannot be written; return the form of lists."""
    inputs = [options.log, options.test, options.users]
    folder = (
        [] if options.output is None else [f"{options.output}/{name}" for name in FILES]
    )
    for path in (*folder, options.save, options.lists):
        check_output(path, inputs, makes_folder=path in folder)
    saved = None if options.save is None else os.path.realpath(options.save)
    if saved is not None and saved in map(os.path.realpath, folder):
        raise InputError(
            f"{options.save!r} is one of the files that --output {options.output!r} "
            "writes; name another."
        )
    if options.save is not None and os.path.exists(options.save) and not options.force:
        raise InputError(
            f"{options.save!r} exists; name another file, or replace it with --force."
        )
    return None if options.lists is None else format_of("--lists", options.lists)


def _read_users(path: str | None, model: Any) -> Any:
    """Return the users of a file, one per line, as the model knows them."""
    if path is None:
        return model.users_
    with errors_as_options():
        lines = read_content(path, "users").text().split("\n")
    own = {str(user): user for user in model.users_.tolist()}
    return [own.get(user, user) for user in dict.fromkeys(map(str.strip, lines)) if user]


def _write_results(
    options: Namespace, tuned: ModelTuning, text: str, report: Mapping[str, Any]
) -> list[str]:
    """Write the results into the folder of --output and return the lines that say so."""
    texts = {
        "cv_results.csv": tuned.candidates.to_csv(index=False),
        "report.txt": text + "\n",
        "report.json": as_json(options, report) + "\n",
        "report.html": build_page(tuned),
    }
    # A path among the options may have bytes that are not text.
    files = {name: text.encode(errors="backslashreplace") for name, text in texts.items()}
    kinds = [PICTURE] * bool(tuned.models_) + [FRONT] * (NOVELTY in tuned.metrics[1:])
    lines = []
    for kind in kinds:
        try:
            files[f"{kind}.png"] = as_png(tuned._figure(kind, new_figure))
        except ImportError as error:
            lines.append(f"{kind}.png is left out. {error}")
    removed = write_folder(options.output, files, FILES)
    if removed:
        lines.append(f"Removed {', '.join(removed)} of an earlier run.")
    return [f"Wrote {', '.join(files)} into {options.output}.", *lines]


def _save_model(path: str, model: BaseEstimator) -> None:
    try:
        save_model(model, path)
    except (TypeError, OSError) as error:  # it has objects of other libraries
        raise InputError(f"Cannot write the model {path!r}: {error}") from error


# The Python that fits the winner on all rows of the log.


def fitting_code(log: LogFile, model: BaseEstimator, path: str | None) -> str:
    """Return Python that fits the model on all rows of the log, as `--save` does."""
    columns = log.columns
    rating = f", log[{columns['rating']!r}]" if "rating" in columns else ""
    lines = [
        *["import pandas as pd", ""] * (path is not None),
        *imports(model),
        "",
        *(READ_EMBEDDED_LOG if path is None else _reading_lines(log, path)),
        *assignment("model", model),
        f"model.fit(log{rating})",
        f"model.recommend(log[{columns['user']!r}].unique()[:{SHOWN_USERS}], k=10)",
    ]
    return "\n".join(lines)


def _reading_lines(log: LogFile, path: str) -> list[str]:
    """Return the lines that read the columns, and drop what was dropped."""
    columns = log.columns
    names = repr(list(columns.values()))
    lines = [f"log = pd.read_parquet({path!r}, columns={names})"]
    if log.text is not None:
        arguments = [
            repr(path),
            f"usecols={names}",
            f"sep={log.text.separator!r}",
            "dtype=str",
        ]
        # Keep 007 as text, and NA as a name.
        arguments += ["keep_default_na=False", "na_values=['']"]
        lines = call("log = pd.read_csv", arguments)
    for role, (function, texts) in log.python.items():
        name = f"log[{columns[role]!r}]"
        lines += call(f"{name} = {function}", [text.format(name) for text in texts])
    lines.append("log = log.dropna()")
    if "rating" in columns:
        lines.append(f"log = log[log[{columns['rating']!r}] >= 0]")
    return lines
