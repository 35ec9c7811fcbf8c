"""`sklearn-rank plan`: how many queries and repeats detect a difference."""

import math
from argparse import Namespace
from typing import Any

from sklearn_rank._base._text import WIDTH
from sklearn_rank._cli._compared import name_runs, read_values_of
from sklearn_rank._cli._errors import InputError, report_errors_as_options
from sklearn_rank._cli._printing import as_json, print_notes, print_result
from sklearn_rank._cli.files._golden_sets import Files
from sklearn_rank.statistics import compare_models, plan_evaluation

OPTIONS = {
    **{"difference": "--difference", "n_queries": "--queries", "power": "--power"},
    **{"n_repeats": "--repeats", "standard_deviation": "--sd", "components": "--sd"},
    **{"cluster_size": "--cluster-size", "intraclass_correlation": "--icc"},
    **{"pilot": "--from", "metrics": "--metric", "paired": "--unpaired"},
}


def plan(options: Namespace) -> None:
    """Run `sklearn-rank plan`."""
    files = Files(options)
    with report_errors_as_options(OPTIONS):
        planned = plan_evaluation(
            difference=options.difference,
            n_queries=options.queries,
            power=options.power,
            n_repeats=options.repeats,
            cluster_size=options.cluster_size,
            intraclass_correlation=options.icc,
            confidence_level=options.confidence_level,
            paired=not options.unpaired,
            **_deviations(options, files),
        )
    ways = {"paired=False": "--unpaired", "paired=True": "leave --unpaired out"}
    for argument, way in ways.items():
        planned.notes[0] = planned.notes[0].replace(argument, way)
    notes = [*planned.notes, *files.notes]
    print_notes(*files.notes)
    report = as_json(options, planned.to_dict(), notes) if options.json else None
    print_result(report or (lambda width: planned.to_text(min(width, WIDTH))))


def _deviations(options: Namespace, files: Files) -> dict[str, Any]:
    """Return the argument that has standard deviations."""
    if options.pilot is not None:
        asked = [] if options.metric is None else [options.metric]
        scores = {
            name: read_values_of(files, path, asked)
            for name, path in name_runs(options.pilot).items()
        }
        pilot = compare_models(scores, metrics=options.metric)
        if len(pilot) > 1:
            names = ", ".join(dict.fromkeys(row["metric"] for row in pilot.rows()))
            raise InputError(f"The tables have {names}: name one of them, as in -m NAME.")
        return {"pilot": pilot}
    if options.sd_within is None:
        return {"standard_deviation": options.sd}
    # Both systems vary within a query.
    return {"components": {"query": options.sd, "rest": math.sqrt(2) * options.sd_within}}
