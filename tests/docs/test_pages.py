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
    "user_guide": 700,
    "index": 450,
    "start": 650,
    "tutorial_ranking": 700,
    "tutorial_rag": 700,
    "getting_started": 600,
    "cookbook": 1_500,
    "migration": 1_500,
    "golden_sets": 1_300,
    "gate_in_ci": 1_500,
    "retrievers": 1_100,
    "fusion": 900,
    "abstention": 700,
    "judging": 1_800,
    "command_line": 1_000,
    "rankers": 1_700,
    "scorers": 900,
    "own_metrics": 600,
    "routing": 700,
    "experiments": 1_200,
    "splitting": 1_800,
    "recommenders": 1_700,
    "recommenders_in_time": 1_500,
    "two_stages": 1_800,
    "serving": 1_400,
    "published_tables": 1_100,
    "choosing": 900,
    "definitions": 1_050,
    "input_forms": 1_900,
    "ties": 1_100,
    "results": 1_100,
    "beyond_accuracy": 1_800,
    "why_different": 1_600,
    "conform": 450,
    "comparing_models": 1_700,
    "planning": 1_100,
    "which_test": 1_800,
    "leagues": 1_200,
    "ab_tests": 2_000,
    "off_policy": 800,
    "errors": 2_600,
    "speed": 1_800,
    "beyond_one_machine": 2_200,
    "stability": 900,
    "contributing": 1_400,
    "architecture": 2_000,
    "changelog": 10,
}
WORDS_OF_ALL_PAGES = 60_000
WORDS_OF_A_PAGE = 2_600
WORDS_BEFORE_A_BLOCK = 80  # of prose, on the way to the first block
# Pages that begin with reasons, a table of contents or another page.
WITHOUT_BLOCK = {"changelog", "user_guide", "contributing", "architecture"}
BLOCKS = tuple(
    f".. {name}::"
    for name in (
        "code-block",
        "plot",
        "figure",
        "image",
        "list-table",
        "csv-table",
        "grid",
        "raw",
        "graphviz",
        "tab-set",
        "autosummary",
    )
)
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


@pytest.mark.parametrize("page", PAGES)
def test_a_page_keeps_its_budget(page):
    count = len(PAGES[page].read_text(encoding="utf-8").split())
    assert count <= min(1.15 * BUDGETS[page], WORDS_OF_A_PAGE)


def test_the_pages_together_keep_the_budget():
    texts = [path.read_text(encoding="utf-8") for path in PAGES.values()]
    assert sum(len(text.split()) for text in texts) <= WORDS_OF_ALL_PAGES


def words_before_a_block(text):
    """Return how many words of prose come before the first block, table or picture."""
    body = re.split(r"^=+$", text, maxsplit=2, flags=re.MULTILINE)[-1]
    prose = []
    for block in re.split(r"\n\s*\n", body):
        if block.lstrip().startswith((">>> ", *BLOCKS)):
            break
        if re.match(r"\s*\.\. ", block):
            continue
        prose.append(block)
        if block.rstrip().endswith("::"):
            break
    return len(words("\n\n".join(prose)))


@pytest.mark.parametrize("page", sorted(PAGES.keys() - WITHOUT_BLOCK))
def test_a_page_shows_something_at_once(page):
    text = PAGES[page].read_text(encoding="utf-8")
    assert words_before_a_block(text) <= WORDS_BEFORE_A_BLOCK


@pytest.mark.parametrize("page", PAGES)
def test_lines_of_code_fit_on_a_screen(page):
    text = PAGES[page].read_text(encoding="utf-8")
    lines = re.findall(r"^ *((?:>>> |\.\.\. ).*)", text, re.MULTILINE)
    assert max(map(len, lines), default=0) <= 88  # with the prompt, at 1280 pixels


def bare_outputs(text):
    """Return the outputs of blocks that are only True, False or a tuple of numbers."""
    pattern = r"^ *(?:>>> |\.\.\. ).+\n *(True|False|\([\d, ]+\))\n(?! *(?!>>> )\S)"
    return re.findall(pattern, text, re.MULTILINE)


def test_examples_show_numbers_and_tables():
    texts = [README, *(path.read_text(encoding="utf-8") for path in PAGES.values())]
    outputs = [output for text in texts for output in bare_outputs(text)]
    assert not outputs


@pytest.mark.parametrize("page", PAGES)
def test_a_picture_says_what_to_see(page):
    text = PAGES[page].read_text(encoding="utf-8")
    pictures = re.findall(
        r"^\.\. (?:plot|figure|image)::.*\n((?:   .*\n|\n)+)", text, re.MULTILINE
    )
    for picture in pictures:
        alt = re.search(r":alt: (.+(?:\n    .+)*)", picture)
        assert alt, picture
        assert len(alt[1].split()) >= 5, picture


@pytest.mark.parametrize(
    "page", sorted(PAGES.keys() - {"changelog", "index", "user_guide"})
)
def test_a_page_ends_with_at_most_three_links(page):
    last = PAGES[page].read_text(encoding="utf-8").strip().rpartition("\n\n")[2]
    assert last.startswith("Next:")
    assert 1 <= last.count(":doc:") <= 3


def test_the_first_sentences_name_both_doors():
    start = README.partition("## ")[0]
    assert "GridSearchCV(GroupRanker(" in start
    assert "sklearn-rank gate results.jsonl golden.jsonl" in start


# What the README promises in words, and the test that holds it. Its blocks run by
# themselves; the exit codes and the fixture have files of their own.
PROMISES = {
    "the scorer finds it there": (
        "boundary/test_03_columns_of_rankers.py",
        "test_a_scorer_without_groups_takes_those_of_the_ranker",
    ),
    "JSON, YAML, CSV and TREC files are read too": (
        "inputs/test_from_files.py",
        "test_one_set_in_many_forms",
    ),
    "2 for undecided and 3 for an error": (
        "cli/test_gate_command.py",
        "test_wrong_arguments",
    ),
    "does the same in pytest": ("cli/test_gate_command.py", "test_with_values_in_python"),
    "gives nan and scikit-learn's warning": (
        "metrics/scorers/test_tools_of_scikit_learn.py",
        "test_a_scorer_that_fails_shows_as_nan_with_the_reason",
    ),
    'error_score="raise"` stops': (
        "metrics/scorers/test_tools_of_scikit_learn.py",
        "test_without_routing_groups_passed_to_a_tool_are_missed",
    ),
    "ties count as the exact mean over all orders": (
        "metrics/core/test_laws.py",
        "test_a_constant_scorer_scores_the_mean_of_random_orders",
    ),
    "a warning names a random split of a log with times": (
        "metrics/scorers/test_rows_of_fit.py",
        "test_rows_older_than_fit_are_told_by_the_column_of_times",
    ),
}


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_of_the_readme_has_a_test(promise):
    assert promise in " ".join(README.split())
    file, name = PROMISES[promise]
    source = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", source, re.MULTILINE)


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
