"""The report of `tune`: text, Python code, and the files of --output."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator, clone

from sklearn_rank._cli.printing._printing import bold
from sklearn_rank._cli.reading._columns import is_parquet
from sklearn_rank._cli.reading._csv import encoding_of, separator_of
from sklearn_rank._cli.reading._log import InteractionLog
from sklearn_rank._cli.tuning._comparison import (
    LEVEL,
    TUNED,
    Comparison,
    describe_paired,
    describe_reports,
)
from sklearn_rank._cli.writing._results import FRONT, PICTURE, write_results
from sklearn_rank._drawing import as_png
from sklearn_rank._text._table import wrapped
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._as_python import as_python, assignment, call, imports
from sklearn_rank.experiments._evaluation_plot import draw_front
from sklearn_rank.experiments._evaluation_text import section_of
from sklearn_rank.experiments._recommender_families import BASELINES

# Metrics beyond relevance: the title of each one's column.
BEYOND: Mapping[str, str] = {
    "novelty@10": "novelty",
    "intra_list_distance(distance='co_occurrence')@10": "diversity",
    "coverage@10": "coverage",
}
EXPLAINED = (
    "Beside it, at 10: novelty in bits, diversity as the mean distance of two items by the "
    "users they share, coverage as the share of the items that some list shows."
)
SHOWN_USERS = 3


def chosen(comparison: Comparison) -> str | None:
    """Return the baseline that equals the tuned model, if any."""
    best = comparison.models[TUNED]
    return best if best in BASELINES else None


def baselines(comparison: Comparison) -> list[str]:
    """Return the evaluated baselines by their names in the report."""
    return [name for name in BASELINES if name in comparison.models]


def titles(comparison: Comparison) -> dict[str, str]:
    """Return the titles of the models to show, best first."""
    names = {own: name for name, own in reversed(comparison.models.items())}
    return {
        names[own]: comparison.tuned.titles[own] + " (tuned)" * (names[own] == TUNED)
        for own in comparison.intervals
    }


def _short_titles(comparison: Comparison) -> dict[str, str]:
    """Return the titles without the values of the candidates."""
    return {
        name: title.partition(", ")[0] + " (tuned)" * (name == TUNED and ", " in title)
        for name, title in titles(comparison).items()
    }


def held_out(comparison: Comparison) -> str:
    """Return the name of the held-out rows."""
    assert comparison.tuned.split_ is not None
    return comparison.tuned.split_.held_out


def describe_comparison(comparison: Comparison, metric: str, width: int) -> str:
    """Return the table of the models on the held-out rows and its conclusion."""
    judged = f"On the {held_out(comparison)}, mean {metric} over users"
    lower = ", lower is better" if comparison.lower_is_better else ""
    head = f"{judged}{lower}, with its standard error and interval:"
    shown = titles(comparison)
    means = {name: comparison.intervals[comparison.models[name]] for name in shown}
    lines = [section_of(means, shown, LEVEL, head=[head]).text(width, bold)]
    found = comparison.of_models("report")
    reports = {title: found[name] for name, title in _short_titles(comparison).items()}
    lines += ["", *describe_reports(reports, metric, "users", width)]
    lines += ["", *(wrapped(text, width) for text in verdict(comparison, metric))]
    return "\n".join(lines)


def verdict(comparison: Comparison, metric: str) -> list[str]:
    """Return in words whether tuning was worth it."""
    own = chosen(comparison)
    lines = []
    if own is not None:
        title = _short(comparison, own)
        lines = [
            f"The search chose {title}. The tuned model does not beat {title}; it is "
            f"{title}."
        ]
    others = [name for name in baselines(comparison) if name != own]
    return lines + [_against(comparison, name, metric) for name in others]


def _against(comparison: Comparison, baseline: str, metric: str) -> str:
    tuned, other = comparison.mean(TUNED), comparison.mean(baseline)
    beats = "beats" if comparison.is_better(TUNED, baseline) else "does not beat"
    return (
        f"The tuned model {beats} {_short(comparison, baseline)} on the "
        f"{held_out(comparison)}: {metric} {tuned:.4f} against {other:.4f}. "
        + describe_paired(comparison.against[baseline], "user")
    )


def _short(comparison: Comparison, baseline: str) -> str:
    return comparison.tuned.titles[baseline].partition(", ")[0]


def write_run(
    options: Mapping[str, Any],
    log: InteractionLog,
    comparison: Comparison,
    python: str,
    paragraphs: list[str],
) -> str:
    """Write the files of a run and return the lines that report them."""
    tuned = comparison.tuned
    heading = f"{held_out(comparison).capitalize()}, mean over users"
    titles = _short_titles(comparison)
    pictures = {PICTURE: comparison.picture(titles, heading, options["metric"])}
    if options["report"] == "beyond":
        pictures[FRONT] = lambda: as_png(_front(tuned))
    found = {**_found(options["metric"], log, comparison), "python": python}
    return write_results(options, tuned, paragraphs, found, pictures)


def _front(tuned: ModelTuning) -> Any:
    """Return a figure for a file; `plot` makes one for a notebook."""
    novelty = next(iter(BEYOND))
    table = tuned.candidates
    return draw_front(
        table["mean_test_score"].to_numpy(),
        table[f"mean_test_{novelty}"].to_numpy(),
        table["model"].tolist(),
        (tuned.metrics[0], novelty),
    )


def with_columns(model: BaseEstimator, columns: Mapping[str, str]) -> BaseEstimator:
    """Return the unfitted model for the columns of the log."""
    used = [role for role in columns if getattr(model, role, None) is not None]
    return clone(model).set_params(**{role: columns[role] for role in used})


def _found(metric: str, log: InteractionLog, comparison: Comparison) -> dict[str, Any]:
    times, split = log.X.get("time"), comparison.tuned.split_
    assert split is not None
    return {
        "log": {
            "source": log.source,
            "rows_read": log.n_rows_read,
            "dropped": log.dropped,
            "rows": len(log.X),
            "users": log.n_users,
            "items": log.n_items,
            "first_time": None if times is None else str(times.min()),
            "last_time": None if times is None else str(times.max()),
        },
        "training_period": {"rows": split.n_train},
        "last_period": {
            "rows": split.n_held_out,
            "rows_left_out": split.left_out,
            "rows_judged": split.n_judged,
            "users_judged": split.n_units,
            "few_users_judge": split.few_judge,
            "rows_of_new_items": split.n_new_items,
        },
        "candidates": comparison.tuned.candidates.to_dict("records"),
        **{
            f"beats_{name}": comparison.is_better(TUNED, name)
            for name in baselines(comparison)
        },
        "comparison": _compared(metric, log, comparison),
    }


def _compared(metric: str, log: InteractionLog, comparison: Comparison) -> dict[str, Any]:
    tuned, models = comparison.tuned, comparison.models
    sign = -1 if comparison.lower_is_better else 1

    def python(name: str) -> str:
        return as_python(with_columns(tuned.models_[models[name]], log.columns))

    return {
        "metric": metric,
        "lower_is_better": comparison.lower_is_better,
        "held_out": held_out(comparison),
        "model": python(TUNED),
        "chosen": chosen(comparison),
        "baselines": {name: python(name) for name in baselines(comparison)},
        "titles": {name: tuned.titles[own] for name, own in models.items()},
        "scores": {name: sign * comparison.mean(name) for name in models},
        "means": {name: vars(comparison.intervals[own]) for name, own in models.items()},
        **comparison.records(),
    }


def snippet(log: InteractionLog, model: BaseEstimator) -> str:
    """Return Python code that fits the model on all rows of the log, as `--save` does."""
    reading = _embedded() if log.path is None else [*_reading(log, log.path), *_values(log)]
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


def _embedded() -> list[str]:
    return [
        "from sklearn_rank.datasets import make_interactions",
        "",
        "log = make_interactions(2000, 1000, 100_000, random_state=0, as_frame=True)",
    ]


def _reading(log: InteractionLog, path: str) -> list[str]:
    columns = repr(list(log.columns.values()))
    if is_parquet(path):
        return call("log = pd.read_parquet", [repr(path), f"columns={columns}"])
    separator, encoding = separator_of(path, log.csv), encoding_of(path, log.csv)
    arguments = [repr(path), f"usecols={columns}"]
    if separator != ",":
        arguments.append(f"sep={separator!r}")
    if encoding is not None:
        arguments.append(f"encoding={encoding!r}")
    # 007 is not a number, and NA is a valid name.
    arguments += ["dtype=str", "keep_default_na=False", "na_values=['']"]
    return call("log = pd.read_csv", arguments)


def _values(log: InteractionLog) -> list[str]:
    """Return the lines of code that read times and ratings and drop the same rows."""
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
