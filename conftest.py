"""Close pictures, and skip what needs a library that is not installed.

The last lines say which libraries are missing. The extra ``test`` installs what a
newcomer's machine takes in a minute; ``test-all`` adds the engines, boosters and peers.
Where these are installed, no test is skipped for them.
"""

import re
import sys
from collections import Counter
from importlib.util import find_spec

import pytest

_NOT_INSTALLED = "not installed: "
# How Python, pytest, pandas and this package name a library that they cannot import. Only
# names that cannot be found count, so a text that merely looks alike skips nothing.
_NAMED = re.compile(
    r"No module named '(\w+)|optional dependency '(\w+)'|tried using: '(\w+)'"
    r"|(\w+), which is not\s+installed|could not import '(\w+)"
)


@pytest.fixture(autouse=True)
def pictures_are_closed():
    """Close all figures after each test and example; matplotlib warns of many open ones."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _missing_library(text):
    """Return a library that a text names and that is not installed, or None."""
    names = (name for found in _NAMED.finditer(text) for name in found.groups() if name)
    # A library in sys.modules is there, or a test hides it by None: that test has failed.
    names = (name for name in names if name not in sys.modules)
    return next((name for name in names if find_spec(name) is None), None)


def _skip_if_missing(report):
    if report.passed or hasattr(report, "wasxfail"):
        return report
    output = "".join(text for _, text in report.sections)
    library = _missing_library(f"{report.longreprtext or report.longrepr}{output}")
    if library is not None:
        report.outcome = "skipped"
        report.longrepr = (str(report.fspath), 0, f"Skipped: {_NOT_INSTALLED}{library}")
    return report


def _escape_surrogates(data):
    """Return data of a report in which each text can be encoded as UTF-8."""
    if isinstance(data, str):
        return data.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(data, dict):
        return {_escape_surrogates(key): _escape_surrogates(data[key]) for key in data}
    if isinstance(data, list | tuple):
        return type(data)(map(_escape_surrogates, data))
    return data


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable():
    """Escape lone surrogates: pytest-xdist cannot send them, and would end the run."""
    return _escape_surrogates((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Skip a test that failed because a library is missing."""
    return _skip_if_missing((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    """Skip a file that cannot be imported because a library is missing."""
    return _skip_if_missing((yield))


def pytest_terminal_summary(terminalreporter):
    """Sum up what was skipped: a line for all libraries, and one for each other reason."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
    )
    missing = {reason for reason in reasons if reason.startswith(_NOT_INSTALLED)}
    if missing:
        count = sum(reasons[reason] for reason in missing)
        names = sorted(reason.removeprefix(_NOT_INSTALLED) for reason in missing)
        terminalreporter.write_line(
            f"{count} tests skipped, for these are not installed: {', '.join(names)}. "
            'Run: python -m pip install -e ".[test-all]"'
        )
    for reason in sorted(set(reasons) - missing):
        terminalreporter.write_line(f"{reasons[reason]} tests skipped: {reason}")
