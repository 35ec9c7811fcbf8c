"""The candidates of a search of recommenders, and their names."""

from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli._grid_search import check_installed
from sklearn_rank._cli.tune._half_lives import half_lives
from sklearn_rank._cli.tune._log_size import LogSize
from sklearn_rank._cli.tune._recommenders import (
    BASELINES,
    NAMES,
    POPULARITY,
    RECOMMENDERS,
    VALUES,
    Training,
)

WEIGHTINGS = ("binary", "log")
# With hardly any weight but 1 the weightings are the same model.
FEW_REPEATS = 0.05


def check_models(wanted: tuple[str, ...] | None) -> None:
    """Raise where a model needs a package that is not installed."""
    for name in wanted or ():
        check_installed(RECOMMENDERS[name].package, "recommenders", f"--models {name}")


def choose_models(
    wanted: tuple[str, ...] | None, size: LogSize
) -> tuple[tuple[str, ...], list[str]]:
    """Return the names of the models to try, and remarks on those left out.

    Without a wish these are the models that need no optional package and that fit the
    size of the log.
    """
    if wanted is not None:
        return wanted, []
    usual = {name: RECOMMENDERS[name] for name in NAMES if not RECOMMENDERS[name].package}
    reasons = {
        name: known.limit.reason_against(size)
        for name, known in usual.items()
        if known.limit
    }
    remarks = [
        f"Left out: {usual[name].title}, which {reason}. "
        f"Name {name} in --models to try it all the same."
        for name, reason in reasons.items()
        if reason
    ]
    return tuple(name for name in usual if not reasons.get(name)), remarks


def grid_of(
    models: tuple[str, ...], X: pd.DataFrame, y: np.ndarray | None, smallest: int
) -> list[dict[str, list]]:
    """Return the candidates for a search over the step "recommender" of a pipeline.

    Those that are cheap on this log come first. `smallest` is the fewest users or items
    that a fold trains on.
    """
    has_weights = y is not None or X.duplicated(["user", "item"]).mean() > FEW_REPEATS
    training = Training(
        half_lives=half_lives(X["time"]) if "time" in X else [],
        weightings=list(WEIGHTINGS if has_weights else WEIGHTINGS[:1]),
        smallest=smallest,
    )
    wanted = {*models, *(BASELINES if POPULARITY in models else ())}
    size = LogSize.of(X)
    # Not in the order of a set, which is another in each process.
    families = [name for name in RECOMMENDERS if name in wanted]
    return [
        {"recommender" + key: values for key, values in part.items()}
        for family in sorted(families, key=lambda name: RECOMMENDERS[name].cost_on(size))
        for part in RECOMMENDERS[family].candidates(training)
    ]


def family_of(params: dict[str, Any]) -> str:
    """Return which of RECOMMENDERS a candidate is."""
    model = params["recommender"]
    return next(name for name, known in RECOMMENDERS.items() if known.is_class_of(model))


def title_of(params: dict[str, Any]) -> str:
    """Return the title of a candidate without its values."""
    return RECOMMENDERS[family_of(params)].title


def describe(params: dict[str, Any]) -> str:
    """Return a candidate in words."""
    names = {key: key.rpartition("__")[2] for key in params if key != "recommender"}
    words = [
        VALUES.get(name, name.replace("_", " ") + " {}").format(params[key])
        for key, name in names.items()
    ]
    return ", ".join([title_of(params), *words])
