"""What a contributor does with a new file, done in a scratch folder."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest

from sklearn_rank.metrics import _families
from sklearn_rank.metrics._core import _registry

# A metric is registered when its file is imported, which a search for examples would do.
collect_ignore = ["_catalog_share.py", "_generalized_precision.py", "_long_tail_share.py"]

TABLES = (_registry.METRICS, _registry.WORDS, _registry.COLUMNS, _registry.PARTS)


@pytest.fixture
def add_family(tmp_path, monkeypatch):
    """Put a recipe among the families, as if it were a file of the package."""
    before = [table.copy() for table in TABLES]
    scratch = tmp_path / "families"
    scratch.mkdir()
    monkeypatch.setattr(_families, "__path__", [*_families.__path__, str(scratch)])
    added = []

    def add(stem):
        shutil.copy(Path(__file__).with_name(f"{stem}.py"), scratch)
        importlib.invalidate_caches()
        family = importlib.import_module(f"{_families.__name__}.{stem}")
        added.append(family.__name__)
        return family

    yield add
    for name in added:
        del sys.modules[name]
        delattr(_families, name.rpartition(".")[2])
    for table, old in zip(TABLES, before, strict=True):
        table.clear()
        table.update(old)


@pytest.fixture
def definitions(monkeypatch):
    """The module that writes the page of definitions."""
    pytest.importorskip("numpydoc")
    folder = Path(__file__).parents[2] / "docs" / "_ext"
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module("definitions")
