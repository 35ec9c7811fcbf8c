"""The Python that fits the winner on all rows of the log."""

from collections.abc import Mapping

from sklearn.base import BaseEstimator, clone

from sklearn_rank._cli.reading._columns import is_parquet
from sklearn_rank._cli.reading._csv import encoding_of, separator_of
from sklearn_rank._cli.reading._log import InteractionLog
from sklearn_rank.experiments._as_python import assignment, call, imports

SHOWN_USERS = 3
# What reads the embedded log.
EMBEDDED = [
    "from sklearn_rank.datasets import make_interactions",
    "",
    "log = make_interactions(2000, 1000, 100_000, random_state=0, as_frame=True)",
]


def with_columns(model: BaseEstimator, columns: Mapping[str, str]) -> BaseEstimator:
    """Return the model, not fitted, for the columns of the log."""
    used = [role for role in columns if getattr(model, role, None) is not None]
    return clone(model).set_params(**{role: columns[role] for role in used})


def snippet(log: InteractionLog, model: BaseEstimator) -> str:
    """Return Python that fits the model on all rows of the log, as `--save` does."""
    reading = EMBEDDED if log.path is None else [*_reading(log, log.path), *_values(log)]
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
    # Keep 007 as text, and NA as a name.
    arguments += ["dtype=str", "keep_default_na=False", "na_values=['']"]
    return call("log = pd.read_csv", arguments)


def _values(log: InteractionLog) -> list[str]:
    """Return the lines that read times and ratings, and drop what was dropped."""
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
