"""The files of a run of `tune`."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from sklearn_rank._cli._paired import as_dicts
from sklearn_rank._cli._picture import draw_metric_at_k
from sklearn_rank._cli._results import FILE_NAMES as OF_ALL
from sklearn_rank._cli._results import PICTURE, write_results
from sklearn_rank._cli.tune._beyond import PICTURE as BEYOND_PICTURE
from sklearn_rank._cli.tune._beyond import draw_front
from sklearn_rank._cli.tune._comparison import RecommenderComparison
from sklearn_rank._cli.tune._log import InteractionLog
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank._cli.tune._text import titles

FILE_NAMES = (*OF_ALL, BEYOND_PICTURE)


def write_run(
    options: Mapping[str, Any],
    log: InteractionLog,
    periods: Periods,
    candidates: pd.DataFrame,
    comparison: RecommenderComparison,
    paragraphs: list[str],
) -> str:
    """Write the files of a run and return the lines that say so."""
    found = _found(log, periods, candidates, comparison)
    pictures = {PICTURE: lambda: _draw(comparison)}
    if options["report"] == "beyond":
        pictures[BEYOND_PICTURE] = lambda: draw_front(candidates, comparison.metric)
    return write_results(options, candidates, paragraphs, found, pictures, names=FILE_NAMES)


def _draw(comparison: RecommenderComparison) -> bytes:
    curves = {
        title: comparison.curves[model] for model, title in titles(comparison).items()
    }
    return draw_metric_at_k(curves, comparison.curve_metric, "Last period, mean over users")


def _found(
    log: InteractionLog,
    periods: Periods,
    candidates: pd.DataFrame,
    comparison: RecommenderComparison,
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
        "comparison": {
            **asdict(comparison),
            "against": as_dicts(comparison.against),
        },
    }
