"""Each public name has one tier of stability."""

import csv
from importlib import import_module
from pathlib import Path

import pytest

from tests.public_modules import MODULES

DOCS = Path(__file__).parents[2] / "docs"
TIERS = {"core", "settled", "young"}


def rows():
    with (DOCS / "tiers.csv").open(newline="") as file:
        return list(csv.reader(file))[1:]


def test_each_module_and_each_exception_of_it_has_one_tier():
    names = [name for name, _ in rows()]
    assert len(names) == len(set(names))
    assert {tier for _, tier in rows()} == TIERS
    modules = {name for name in names if "." not in name}
    assert modules == {module.removeprefix("sklearn_rank.") for module in MODULES}
    tiers = dict(rows())
    for name in set(names) - modules:
        module, _, attribute = name.partition(".")
        assert attribute in import_module(f"sklearn_rank.{module}").__all__
        assert tiers[name] != tiers[module]


@pytest.mark.parametrize(
    "page",
    [
        "abstention",
        "ab_tests",
        "beyond_one_machine",
        "conform",
        "fusion",
        "judging",
        "leagues",
        "off_policy",
        "planning",
    ],
)
def test_a_page_about_young_names_says_so(page):
    text = (DOCS / f"{page}.rst").read_text(encoding="utf-8")
    assert ".. include:: generated/young.txt\n" in text
