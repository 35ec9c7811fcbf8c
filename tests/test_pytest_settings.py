"""How this repository runs its tests: settings of pytest, and its own conftest.py."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_pytest(folder, files, *options):
    """Run pytest in a folder with the settings of this repository; return its text."""
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    plugins = ["-p", "no:cacheprovider", "-p", "xdist"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options, "tests"],
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
    text = run_pytest(tmp_path, {"tests/test_text.py": FAILING}, "--numprocesses=1")
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
