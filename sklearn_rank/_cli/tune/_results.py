"""The files of a run of `tune`."""

from argparse import Namespace
from dataclasses import asdict

import pandas as pd

from sklearn_rank._cli._picture import draw_metric_at_k
from sklearn_rank._cli._results import PICTURE, as_json, write_results
from sklearn_rank._cli.tune._comparison import Comparison
from sklearn_rank._cli.tune._log import Log
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank._cli.tune._text import titles

NAMES = ("cv_results.csv", "report.txt", "report.json", PICTURE)


def write_run(
    options: Namespace,
    log: Log,
    periods: Periods,
    candidates: pd.DataFrame,
    comparison: Comparison,
    said: list[str],
) -> str:
    """Write the files of a run and return the lines that say so."""
    contents = {
        "cv_results.csv": candidates.to_csv(index=False),
        "report.txt": "\n\n".join(said) + "\n",
        "report.json": as_json(options, _found(log, periods, candidates, comparison)),
    }
    curves = {
        title: comparison.curves[model] for model, title in titles(comparison).items()
    }
    title = "Last period, mean over users"
    return write_results(
        options.output,
        contents,
        lambda: draw_metric_at_k(curves, comparison.curve_metric, title),
        NAMES,
    )


def _found(
    log: Log, periods: Periods, candidates: pd.DataFrame, comparison: Comparison
) -> dict:
    return {
        "log": {
            "source": log.source,
            "rows_read": log.n_rows_read,
            "dropped": log.dropped,
            "rows": len(log.X),
            "users": log.n_users,
            "items": log.n_items,
            "first_time": str(log.X["time"].min()),
            "last_time": str(log.X["time"].max()),
        },
        "training_period": {"rows": len(periods.train)},
        "last_period": {
            "rows": periods.n_held_out,
            "rows_left_out": periods.left_out,
            "rows_judged": len(periods.test),
            "users_judged": periods.test["user"].nunique(),
            "rows_of_new_items": periods.n_new_items,
        },
        "candidates": candidates.to_dict("records"),
        **{
            f"beats_{baseline}": comparison.beats(baseline)
            for baseline in comparison.baselines
        },
        "comparison": asdict(comparison),
    }
