"""Select tests, close pictures, and skip what needs a library that is not installed.

A run without options leaves out what is exhaustive, and the last lines say how much. They
say which libraries are missing, too. The extra ``test`` installs what a newcomer's machine
takes in a minute; ``test-all`` adds the engines, boosters and peers. Where these are
installed, no test is skipped for them.
"""

import re
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent
# As in pyproject.toml: what a run without options selects.
_DEFAULT = "not slow and not thorough"
_LINES = (_ROOT / "tests" / "thorough.txt").read_text("utf-8").splitlines()
_THOROUGH = [_ROOT / line for line in _LINES if line and not line.startswith("#")]

_NOT_INSTALLED = "not installed: "
# How Python, pytest, pandas and this package name a library that they cannot import. Only
# names that cannot be found count, so a text that merely looks alike skips nothing.
_NAMED = re.compile(
    r"No module named '(\w+)|optional dependency '(\w+)'|tried using: '(\w+)'"
    r"|(\w+), which is not\s+installed|could not import '(\w+)'|(pyarrow) is required for"
)


@pytest.fixture(autouse=True)
def pictures_are_closed():
    """Close all figures after each test and example; matplotlib warns of many open ones."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


_THOROUGH_HERE = pytest.StashKey()


def pytest_configure(config):
    """Find the exhaustive parts of which no file is named in the call of pytest."""
    is_plain = config.args == config.getini("testpaths")
    paths = [Path(arg.partition("::")[0]).resolve() for arg in config.args]
    config.stash[_THOROUGH_HERE] = [
        part
        for part in _THOROUGH
        if is_plain or not any(path.is_relative_to(part) for path in paths)
    ]


def pytest_ignore_collect(collection_path, config):
    """Leave files unread in which all tests would be left out: reading takes long, too."""
    if (
        config.option.markexpr == _DEFAULT
        and collection_path in config.stash[_THOROUGH_HERE]
    ):
        return True
    return None


def pytest_collection_modifyitems(config, items):
    """Mark exhaustive tests."""
    for item in items:
        if any(map(item.path.is_relative_to, config.stash[_THOROUGH_HERE])):
            item.add_marker("thorough")


_TEST_FUNCTION = re.compile(r"^ *def test_", re.MULTILINE)
_MARKED_FUNCTION = re.compile(r"^@pytest\.mark\.(slow|thorough)$", re.MULTILINE)


def _describe_left_out(parts):
    """Return a sentence on what a run without options leaves out; it only reads files."""
    functions = pages = 0
    for file in [*_ROOT.glob("tests/**/test_*.py"), *_ROOT.glob("docs/**/*.rst")]:
        is_left_out = any(map(file.is_relative_to, parts))
        pages += is_left_out and file.suffix == ".rst"
        counted = _TEST_FUNCTION if is_left_out else _MARKED_FUNCTION
        functions += len(counted.findall(file.read_text("utf-8")))
    return (
        f"Left out: {functions:,} test functions and {pages} pages, as they are "
        'exhaustive. Run all: python -m pytest -m ""'
    )


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
    """Sum up what was left out and skipped: a line for all libraries, and each reason."""
    config = terminalreporter.config
    if config.option.markexpr == _DEFAULT:
        terminalreporter.write_line(_describe_left_out(config.stash[_THOROUGH_HERE]))
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
