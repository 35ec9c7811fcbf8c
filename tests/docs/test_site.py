"""What the pages offer beside their text: buttons, captions, links to sources, llms.txt.

``SKLEARN_RANK_HTML`` names the folder of built pages; the gate builds them before it runs
the tests, with addresses that do not exist.
"""

import ast
import doctest
import os
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.rst"))
CONF = {
    node.targets[0].id: node.value.value
    for node in ast.parse((DOCS / "conf.py").read_text()).body
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
}
PROMPT = re.compile(f"^(?:{CONF['copybutton_prompt_text']})(.*)")


def doctest_blocks(text):
    """Return the blocks of a page that have prompts: a page shows each with a button."""
    paragraphs = re.split(r"\n\s*\n", text)
    return [one for one in paragraphs if re.match(r"\s*>>> ", one)]


def copied(block):
    """Return what the button copies of a block, as sphinx-copybutton does it."""
    indent = len(block) - len(block.lstrip(" \n"))
    found = (PROMPT.match(line[indent:]) for line in block.strip("\n").split("\n"))
    return "\n".join(match[1] for match in found if match)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_what_the_button_copies_compiles(page):
    assert CONF["copybutton_prompt_is_regexp"]
    assert CONF["copybutton_only_copy_prompt_lines"]
    assert CONF["copybutton_remove_prompts"]
    for block in doctest_blocks(page.read_text(encoding="utf-8")):
        compile(copied(block), page.name, "exec")


@pytest.mark.parametrize("page", ["start", "cookbook"])
def test_what_the_button_copies_is_what_the_doctests_run(page):
    for block in doctest_blocks((DOCS / f"{page}.rst").read_text(encoding="utf-8")):
        run = "".join(one.source for one in doctest.DocTestParser().get_examples(block))
        assert ast.dump(ast.parse(copied(block))) == ast.dump(ast.parse(run))


@pytest.fixture(scope="module")
def html():
    """The folder of built pages."""
    folder = os.environ.get("SKLEARN_RANK_HTML")
    if not folder:
        pytest.skip("SKLEARN_RANK_HTML names no built pages, or node is missing")
    return Path(folder)


def read(html, page):
    return (html / page).read_text(encoding="utf-8")


def test_blocks_have_a_button(html):
    assert "_static/copybutton.js" in read(html, "start.html")
    script = read(html, "_static/copybutton.js")
    assert CONF["copybutton_prompt_text"].replace("\\", "\\\\") in script


def test_the_sidebars_have_captions(html):
    captions = {"Begin", "Golden sets and retrieval", "Rankers", "Comparing"}
    for page, wanted in (
        ("start.html", captions),
        ("generated/api.html", {"metrics: Scorers", "datasets"}),
    ):
        found = re.findall(r'class="caption-text">([^<]+)<', read(html, page))
        assert wanted <= set(found), page


def test_the_landing_page_has_cards(html):
    page = read(html, "index.html")
    cards = re.findall(r'class="sd-stretched-link[^"]*" href="([\w/.]+)"', page)
    assert len(cards) == 16
    assert all((html / card).exists() for card in cards)


def test_llms_txt_links_each_page_of_the_guide(html):
    links = re.findall(r"^- \[[^]]+\]\((\S+)\): \S", read(html, "llms.txt"), re.MULTILINE)
    pages = re.findall(r"^   .+,:doc:`", read(DOCS, "user_guide.rst"), re.MULTILINE)
    assert len(links) == len(pages) >= 40
    for link in links:
        path = link.removeprefix(os.environ.get("DOCS_URL", "")).lstrip("/")
        assert (html / path).exists(), link
    full = read(html, "llms-full.txt")
    assert "\nndcg_score(y_true" in full
    assert "Start in five\n=====" in full
    assert " at 0x" not in full


def test_published_pages_name_their_address_and_their_sources(html):
    address, sources = os.environ.get("DOCS_URL"), os.environ.get("SOURCE_URL")
    page = read(html, "generated/sklearn_rank.metrics.ndcg_score.html")
    if not address or not sources:
        assert "canonical" not in page
        assert "[source]" not in page
        return
    assert f'<link rel="canonical" href="{address}generated/sklearn_rank.metrics.nd' in page
    assert f'<meta property="og:url" content="{address}generated/' in page
    link = re.search(rf'href="{re.escape(sources)}/(\S+\.py)#L(\d+)-L(\d+)"', page)
    lines = (DOCS.parent / link[1]).read_text(encoding="utf-8").split("\n")
    assert "def ndcg_score(" in "\n".join(lines[int(link[2]) - 1 : int(link[3])])
