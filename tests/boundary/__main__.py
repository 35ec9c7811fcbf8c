"""Print the table of naive calls; exit with 1 if one has another outcome."""

import contextlib
import io
import sys

from tests.boundary.table import CASES, outcome_of


def print_table() -> int:
    """Print a line a case, and return the number of those that are wrong."""
    n_wrong = 0
    for case in CASES:
        with contextlib.redirect_stderr(io.StringIO()):
            found = outcome_of(case)
        n_wrong += found != case.outcome
        sign = " " if found == case.outcome else "!"
        expected = "" if found == case.outcome else f"  (must be: {case.outcome})"
        print(f"{sign} {case.number:>2}  {case.code:<55}  {found}{expected}")
    return n_wrong


if __name__ == "__main__":
    sys.exit(bool(print_table()))
