"""Run the benchmarks and print one table."""

import argparse
import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.benchmarks import (
    cells,
    comparisons,
    flat,
    grid,
    growth,
    interleaving,
    item_lists,
    paths,
    recommend,
    roads,
    scorers,
    searches,
    shown,
    single,
    splitters,
    ties,
)
from tests.benchmarks.case import Case
from tests.benchmarks.machine import describe_machine, dispatched, installed_versions
from tests.benchmarks.measure import check_values, measure, peak_bytes
from tests.benchmarks.table import check_line, head_lines, line_of, rows_of

FAMILIES = (
    flat,
    cells,
    paths,
    grid,
    roads,
    item_lists,
    single,
    scorers,
    shown,
    recommend,
    splitters,
    ties,
    comparisons,
    interleaving,
    searches,
    growth,
)
CASES = {name: make for family in FAMILIES for name, make in family.CASES.items()}
ABOUT = (
    "Milliseconds, or megabytes where a line says so. A ratio is ours over the peer's; a\n"
    "target is the largest ratio that meets it. Ours and the peers take turns. Medians\n"
    "are of the clock; the least cpu is the processor time of all threads."
)


def main() -> int:
    options = _options()
    names = [name for name in CASES if not options.only or _is_wanted(name, options.only)]
    if not names:
        sys.exit(f"No case begins with {options.only}; there are: {', '.join(CASES)}.")
    about = {"machine": describe_machine(), "versions": installed_versions()}
    for title, facts in about.items():
        print(f"{title}: " + ", ".join(f"{key} {fact}" for key, fact in facts.items()))
    print(ABOUT, f"{_repeats(options)} repetitions, fewer of what is slow.", sep="\n")
    if options.quick:
        print("Targets hold for full sizes; small inputs pay more for the call itself.")
    print(*head_lines(), sep="\n")
    rows, checks, sizes = [], [], {}
    for name in names:
        case = CASES[name](10 if options.quick else 1)
        sizes[name] = f"{case.size}; ours is {case.ours.name}"
        case_rows, case_checks = _run(case, options)
        rows += case_rows
        checks += case_checks
        del case
        gc.collect()
    _print_end(rows, checks, sizes)
    if options.json:
        result = about | {"quick": options.quick, "rows": rows, "checks": checks}
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    agree = all(check["agree"] for check in checks)
    if options.plain_sort:
        agree &= _again_without_dispatch(options.json)
    return 0 if agree else 1


def _again_without_dispatch(json_file: Path | None) -> bool:
    """Run the same where NumPy sorts as on a processor without wide instructions.

    Figures of two machines can be compared where both dispatch the same, or nothing.
    """
    arguments = [argument for argument in sys.argv[1:] if argument != "--plain-sort"]
    if json_file is not None:
        arguments += ["--json", str(json_file.with_stem(f"{json_file.stem}-plain"))]
    print("\nThe same with NumPy's plain code\n", flush=True)
    again = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", *arguments],
        env=os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(dispatched())},
    )
    return again.returncode == 0


def _run(case: Case, options: argparse.Namespace) -> tuple[list, list]:
    times = measure(case, _repeats(options))
    rows = rows_of(case, times, peak_bytes(case.ours) if case.inputs else None)
    for row in rows:
        print(line_of(row), flush=True)
    return rows, check_values(case, times) if options.check else []


def _repeats(options: argparse.Namespace) -> int:
    return options.repeats or (3 if options.quick else 7)


def _print_end(rows: list[dict[str, Any]], checks: list, sizes: dict[str, str]) -> None:
    print("\nSizes")
    for name, size in sizes.items():
        print(f"{name:<24} {size}")
    if checks:
        print("\nValues")
        print(*map(check_line, checks), sep="\n")
    verdicts = [row["verdict"] for row in rows if row["target"] is not None]
    n_met = sum(verdict.startswith("met") for verdict in verdicts)
    n_missed = sum(verdict.startswith("missed") for verdict in verdicts)
    print(f"\n{n_met} targets met, {n_missed} missed, of {len(verdicts)}.")


def _is_wanted(name: str, only: list[str]) -> bool:
    return any(name.startswith(part) for part in only)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.benchmarks", description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="a tenth of the rows, about a minute")
    add("--check", action="store_true", help="compare values with the peers', too")
    add("--only", metavar="NAME", nargs="+", help="only cases whose names begin so")
    add("--plain-sort", action="store_true", help="twice, then without AVX2 and AVX-512")
    add("--repeats", type=int, metavar="N", help="instead of 7, or 3 if quick")
    add("--json", type=Path, metavar="FILE", help="write the results there as well")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
