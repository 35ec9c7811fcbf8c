"""Print the table of agreements below the test results."""

import os

from tests.oracles.agreement import AGREEMENTS

# ranx compiles for a minute when it runs first; without that it is fast enough here.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")


def pytest_terminal_summary(terminalreporter):
    if not AGREEMENTS:
        return
    terminalreporter.section("metrics against other libraries")
    row = "{:<50} {:<28} {:>9} {:>12}".format
    terminalreporter.write_line(row("metric", "oracle", "cases", "largest diff"))
    for (metric, oracle), (n_cases, largest) in sorted(AGREEMENTS.items()):
        terminalreporter.write_line(row(metric, oracle, n_cases, f"{largest:.1e}"))
