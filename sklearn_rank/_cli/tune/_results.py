"""The files of a run of `tune`."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from sklearn_rank._cli._log import InteractionLog
from sklearn_rank._cli._paired import as_dicts
from sklearn_rank._cli._picture import draw_metric_at_k
from sklearn_rank._cli._results import FRONT, PICTURE, write_results
from sklearn_rank._cli.tune._beyond import draw_front
from sklearn_rank._cli.tune._comparison import RecommenderComparison
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank._cli.tune._text import short_titles


def write_run(
    options: Mapping[str, Any],
    log: InteractionLog,
    periods: Periods,
    candidates: pd.DataFrame,
    comparison: RecommenderComparison,
    python: str,
    paragraphs: list[str],
) -> str:
    """Write the files of a run and return the lines that say so."""
    found = _found(log, periods, candidates, comparison)
    found["python"] = python
    pictures = {PICTURE: lambda: _draw(comparison)}
    if options["report"] == "beyond":
        pictures[FRONT] = lambda: draw_front(candidates, comparison.metric)
    return write_results(options, candidates, paragraphs, found, pictures)


def _draw(comparison: RecommenderComparison) -> bytes:
    named = short_titles(comparison)
    curves = {title: comparison.curves[name] for name, title in named.items()}
    means = {title: comparison.means[name] for name, title in named.items()}
    intervals = {
        title: (mean.mean, mean.low, mean.high)
        for title, mean in means.items()
        if mean.low is not None and mean.high is not None
    }
    title = f"{comparison.held_out.capitalize()}, mean over users"
    return draw_metric_at_k(
        curves, comparison.curve_metric, title, comparison.metric, intervals
    )


def _found(
    log: InteractionLog,
    periods: Periods,
    candidates: pd.DataFrame,
    comparison: RecommenderComparison,
) -> dict:
    times = log.X.get("time")
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
        "training_period": {"rows": len(periods.train)},
        "last_period": {
            "rows": len(periods.held_out),
            "rows_left_out": periods.left_out,
            "rows_judged": len(periods.test),
            "users_judged": periods.n_judging,
            "few_users_judge": periods.judge_few,
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
