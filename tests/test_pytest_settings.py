"""How this repository runs its tests: settings of pytest, and its own conftest.py."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run_pytest(folder, files, *options):
    """Run pytest in a folder with the settings of this repository; return its text."""
    (folder / "tests").mkdir()
    for name in ("conftest.py", "pyproject.toml", "tests/thorough.txt"):
        shutil.copy(ROOT / name, folder / name)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    plugins = ["-p", "no:cacheprovider", "-p", "xdist"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options],
        cwd=folder,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return done.stdout + done.stderr


FAILING = r"""
def test_name():
    print("shown \udce9")
    assert "caf\udce9" == "cafe"

def test_other():
    pass
"""


def test_a_failure_with_a_lone_surrogate_does_not_stop_the_other_tests(tmp_path):
    text = run_pytest(
        tmp_path, {"tests/test_text.py": FAILING}, "--numprocesses=1", "tests"
    )
    assert "INTERNALERROR" not in text
    assert r"caf\udce9" in text
    assert "1 failed, 1 passed" in text


DEPRECATIONS = """
import library
import pytest

CATEGORIES = [DeprecationWarning, PendingDeprecationWarning, FutureWarning]

@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("cause", ["library", "test"])
def test_call(category, cause):
    library.call(category, stacklevel=1 + (cause == "test"))
"""
LIBRARY = """
import warnings

def call(category, stacklevel):
    warnings.warn("the unit is old", category, stacklevel=stacklevel)
"""


def test_a_deprecation_fails_where_this_repository_is_its_cause(tmp_path):
    files = {"library.py": LIBRARY, "tests/test_call.py": DEPRECATIONS}
    text = run_pytest(tmp_path, files, "--numprocesses=0")
    assert "3 failed, 3 passed, 3 warnings" in text
    assert "library.py" in text.partition("warnings summary")[2]
    assert len(re.findall(r"FAILED .*\[test-", text)) == 3


TESTS = """
import pytest

def test_default():
    pass

@pytest.mark.thorough
def test_thorough():
    pass

@pytest.mark.slow
def test_slow():
    pass
"""


@pytest.mark.parametrize(
    ("options", "passed"),
    [
        ([], ["a", "default"]),
        (["-m", "not slow"], ["a", "default", "fuzz", "thorough"]),
        (["-m", "slow"], ["slow"]),
        (["-m", "thorough and not slow"], ["fuzz", "thorough"]),
        (["-m", ""], ["a", "default", "fuzz", "slow", "thorough"]),
        (["tests/fuzz"], ["fuzz"]),
        (["tests/fuzz/test_b.py::test_fuzz"], ["fuzz"]),
        (["tests"], ["a", "default"]),
    ],
)
def test_a_run_without_options_leaves_out_what_is_exhaustive(tmp_path, options, passed):
    files = {
        "tests/test_a.py": TESTS + "\ndef test_a(): pass\n",
        "tests/fuzz/test_b.py": "def test_fuzz(): pass\n",
    }
    text = run_pytest(tmp_path, files, "--numprocesses=0", "-rA", *options)
    assert sorted(re.findall(r"PASSED .*::test_(\w+)", text)) == passed
    is_default = "-m" not in options
    n_left_out = 2 + (not any("fuzz" in option for option in options))
    left_out = f"Left out: {n_left_out} test functions and 0 pages"
    assert (left_out in text) == is_default
    assert ('python -m pytest -m ""' in text) == is_default


def test_exhaustive_parts_are_there():
    lines = (ROOT / "tests" / "thorough.txt").read_text("utf-8").splitlines()
    parts = [line for line in lines if line and not line.startswith("#")]
    assert parts
    assert [part for part in parts if not (ROOT / part).exists()] == []
