"""README and pages are short and linked; what moved is still found."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from sklearn_rank._cli._commands import COMMANDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {path.stem: path for path in DOCS.glob("*.rst")}
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = PAGES["user_guide"].read_text(encoding="utf-8")
WORDS_OF_THE_README = 700
PAGES_OF_A_CAPTION = 8
# Words of a page, code included; a page may exceed them by 15%.
BUDGETS = {
    "install": 400,
    "start": 650,
    "tutorial_ranking": 700,
    "tutorial_rag": 700,
    "getting_started": 600,
    "cookbook": 1_500,
    "command_line": 1_000,
    "golden_sets": 1_300,
    "gate_in_ci": 1_500,
    "fusion": 900,
    "abstention": 700,
    "rankers": 1_700,
    "retrievers": 1_100,
    "own_metrics": 600,
    "routing": 700,
    "experiments": 1_200,
    "recommenders": 1_700,
    "choosing": 900,
    "definitions": 1_050,
    "comparing_models": 1_700,
    "speed": 1_800,
    "stability": 900,
    "contributing": 1_400,
}
# Pages that have become parts of others: the terms of the index that lead to them.
MOVED = {
    "definitions": ["Glossary"],
    "input_forms": ["Public data sets", "MovieLens", "SVMlight"],
    "ties": ["Undefined queries"],
    "results": ["Values per query", "Pictures"],
    "stability": ["Roadmap"],
    "two_stages": ["New items, new users", "Re-ranking"],
    "recommenders_in_time": ["Sessions"],
    "retrievers": ["Trackers and evaluators", "MLflow", "LangChain"],
    "scorers": ["Extreme classification"],
    "ab_tests": ["Interleaving"],
    "migration": ["Kaggle's numbers"],
    "which_test": ["checklist", "citation"],
    "user_guide": ["cheat sheet"],
}


def words(text):
    """Return the words of a page outside its blocks that have a letter or a digit."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [word for word in prose.split() if re.search(r"[^\W_]", word)]


def test_the_readme_is_short():
    assert len(words(README)) <= WORDS_OF_THE_README


@pytest.mark.parametrize("page", BUDGETS)
def test_a_page_keeps_its_budget(page):
    count = len(PAGES[page].read_text(encoding="utf-8").split())
    assert count <= 1.15 * BUDGETS[page]


def test_the_first_sentences_name_both_doors():
    start = README.partition("## ")[0]
    assert "GridSearchCV(GroupRanker(" in start
    assert "sklearn-rank gate results.jsonl golden.jsonl" in start


@pytest.mark.parametrize(
    ("names", "module"), re.findall(r"((?:`[^`|]+`,? ?)+)\[(\w+)\]", README)
)
def test_names_of_the_readme_are_in_their_module(names, module):
    found = import_module(f"sklearn_rank.{module}")
    for name in re.findall(r"`([\w.=]+)`", names):
        if name.endswith("=") or "-" in name:
            continue
        for part in name.split("."):
            assert hasattr(found, part), name
            found = getattr(found, part)
        found = import_module(f"sklearn_rank.{module}")


def test_commands_and_pages_of_the_readme_exist():
    for command in re.findall(r"`sklearn-rank (\w+)", README):
        assert command in COMMANDS
    for link in re.findall(r"\]\(([^)\s]+)\)", README):
        assert (ROOT / link).exists(), link


def test_captions_have_few_pages():
    parts = re.findall(r"^   :caption: (.+)$((?:\n.*)*?)\n\n\.\.", GUIDE, re.MULTILINE)
    assert len(parts) == 7
    for caption, block in parts:
        pages = re.findall(r"^   ([\w/]+)$", block, re.MULTILINE)
        assert 3 < len(pages) <= PAGES_OF_A_CAPTION, caption


@pytest.mark.parametrize("page", MOVED)
def test_terms_of_pages_that_moved_stay(page):
    text = PAGES[page].read_text(encoding="utf-8")
    terms = "\n".join(re.findall(r"^\.\. index::\n((?:   .*\n)+)", text, re.MULTILINE))
    for term in MOVED[page]:
        assert re.search(rf"^   ! {re.escape(term)}$", terms, re.MULTILINE), term


def test_routing_is_turned_on_in_one_page():
    found = {
        name
        for name, path in PAGES.items()
        if "enable_metadata_routing" in path.read_text(encoding="utf-8")
    }
    assert found == {"routing"}


def test_no_page_names_an_index_that_strangers_could_fill():
    texts = [path.read_text(encoding="utf-8") for path in PAGES.values()]
    for text in [README, *texts]:
        assert not re.search(r"(?:pip|uvx?|pipx) \w+ \"?sklearn[-_]rank\b", text)


def test_the_landing_page_begins_with_code():
    text = PAGES["index"].read_text(encoding="utf-8")
    assert text.index(".. code-block::") < text.index(".. plot::")
    block = text.partition(".. code-block:: python\n")[2].partition("      :class:")[0]
    assert all(len(line.strip("\n")) - 9 <= 48 for line in block.splitlines())
