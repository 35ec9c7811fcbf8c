"""The files of a run; each appears whole or not at all."""

import json
import math
import os
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_rank import __version__
from sklearn_rank._cli._arguments import InputError
from sklearn_rank._cli._compare import Comparison
from sklearn_rank._cli._log import Log
from sklearn_rank._cli._periods import Periods
from sklearn_rank._cli._picture import draw_metric_at_k

__all__ = ["check_folder", "write_results", "write_whole"]


def check_folder(path: str) -> None:
    """Raise unless files can be written there; the folder need not exist yet."""
    folder = Path(path).absolute()
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise InputError(f"--output {path!r}: {str(folder)!r} is a file, not a folder.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"--output {path!r}: no permission to write in {str(folder)!r}.")


def write_results(
    options: Namespace,
    log: Log,
    periods: Periods,
    candidates: pd.DataFrame,
    comparison: Comparison,
    said: list[str],
) -> str:
    """Write the files of a run and return the lines that say so."""
    report = _as_json(options, log, periods, candidates, comparison)
    contents = {
        "cv_results.csv": candidates.to_csv(index=False).encode(),
        "report.txt": ("\n\n".join(said) + "\n").encode(),
        "report.json": report.encode(),
    }
    remark = ""
    try:
        contents["metric_at_k.png"] = draw_metric_at_k(comparison)
    except ImportError as error:
        remark = f"\nmetric_at_k.png is left out. {error}"
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_whole(folder / name, content)
    return f"Wrote {', '.join(contents)} into {options.output}.{remark}"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees a part of it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _as_json(
    options: Namespace,
    log: Log,
    periods: Periods,
    candidates: pd.DataFrame,
    comparison: Comparison,
) -> str:
    report = {
        "sklearn_rank": __version__,
        "options": {k: v for k, v in vars(options).items() if k != "command"},
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
        "beats_popularity": comparison.beats_popularity,
        "comparison": asdict(comparison),
    }
    return json.dumps(_plain(report), indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return the value in types that JSON knows; what is not finite is null."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if value is pd.NA:
        return None
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
