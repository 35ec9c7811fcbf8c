"""The files of a run of `tune`."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator, clone

from sklearn_rank._cli.reading._log import InteractionLog
from sklearn_rank._cli.tune._text import baselines, chosen, held_out, short_titles
from sklearn_rank._cli.tuning._experiment import TUNED, Comparison
from sklearn_rank._cli.writing._results import FRONT, PICTURE, write_results
from sklearn_rank.experiments._as_python import as_python
from sklearn_rank.experiments._evaluation_plot import as_png


def write_run(
    options: Mapping[str, Any],
    log: InteractionLog,
    comparison: Comparison,
    python: str,
    paragraphs: list[str],
) -> str:
    """Write the files of a run and return the lines that say so."""
    tuned = comparison.tuned
    heading = f"{held_out(comparison).capitalize()}, mean over users"
    titles = short_titles(comparison)
    pictures = {PICTURE: comparison.picture(titles, heading, options["metric"])}
    if options["report"] == "beyond":
        pictures[FRONT] = lambda: as_png(tuned.plot("accuracy_and_novelty").figure_)
    found = {**_found(options["metric"], log, comparison), "python": python}
    return write_results(options, tuned.candidates, paragraphs, found, pictures)


def with_columns(model: BaseEstimator, columns: Mapping[str, str]) -> BaseEstimator:
    """Return the model, not fitted, for the columns of the log."""
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
