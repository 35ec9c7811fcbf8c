"""Each public name has one tier of stability."""

import csv
import re
from importlib import import_module
from pathlib import Path

import pytest

from sklearn_rank._cli._commands import COMMANDS
from tests.public_modules import MODULES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SKILL = ROOT / "sklearn_rank" / ".agents" / "skills" / "sklearn-rank" / "SKILL.md"
TIERS = {"core", "settled", "young"}
COMMAND = "sklearn-rank"


def rows():
    with (DOCS / "tiers.csv").open(newline="") as file:
        return list(csv.reader(file))[1:]


def test_each_module_and_each_exception_of_it_has_one_tier():
    names = [name for name, _ in rows()]
    assert len(names) == len(set(names))
    assert {tier for _, tier in rows()} == TIERS
    commands = {name for name in names if name.startswith(f"{COMMAND} ")}
    modules = {name for name in names if "." not in name} - commands - {COMMAND}
    assert modules == {module.removeprefix("sklearn_rank.") for module in MODULES}
    tiers = dict(rows())
    for command in commands:
        assert command.partition(" ")[2] in COMMANDS
        assert tiers[command] != tiers[COMMAND]
    for name in set(names) - modules - commands - {COMMAND}:
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


def tiers_of(name):
    """Return the tiers that a name, a module or a command may have."""
    tiers = dict(rows())
    homes = [m for m in MODULES if name in import_module(m).__all__]
    homes = [module.removeprefix("sklearn_rank.") for module in homes]
    return (
        {tiers[name]}
        if name in tiers
        else {tiers.get(f"{home}.{name}", tiers[home]) for home in homes}
    )


def shown(name):
    """Return the pattern of a young module, name or command where a text shows it."""
    is_module = "." not in name and not name.startswith(COMMAND)
    return rf"\b{f'sklearn_rank.{name}' if is_module else name.split('.')[-1]}\b"


def test_the_skill_says_the_tier_of_what_it_shows():
    text = SKILL.read_text(encoding="utf-8")
    sentence = re.search(r"^Core: .+?\n\n", text, re.MULTILINE | re.DOTALL)[0]
    named = {
        tier.lower(): re.sub(r"[`\n]", " ", names).split(",")
        for tier, names in re.findall(r"(\w+)(?:, [^:]+)?: ([^.]+)\.", sentence)
    }
    named = {tier: [" ".join(n.split()) for n in names] for tier, names in named.items()}
    assert named.keys() == TIERS
    for tier, names in named.items():
        for name in names:
            assert tiers_of(name) == {tier}, name
    rest = text.replace(sentence, "")
    young = [name for name, tier in rows() if tier == "young"]
    seen = {name.split(".")[-1] for name in young if re.search(shown(name), rest)}
    assert len(seen) > 4
    assert seen <= set(named["young"])
