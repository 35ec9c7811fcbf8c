"""The tree of metrics: its links are sections that the definitions have."""

from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def tree():
    """The module that draws the tree."""
    pytest.importorskip("numpydoc")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS / "_ext"))
        return import_module("decision_tree")


def test_each_answer_links_to_the_definition_of_its_metric(tree):
    pages = tree.definitions.pages()
    links = ElementTree.fromstring(tree.decision_tree()).findall(f"{SVG}a")
    answers = [*(name for *_, name in tree.QUESTIONS), tree.OTHERWISE]
    assert [link.findtext(f"{SVG}text") for link in links] == answers
    for link in links:
        page, _, section = link.get("href").partition("#")
        name = page.removeprefix("generated/").removesuffix(".html")
        assert f".. _{section}:" in pages[name]


def test_each_question_fits_into_its_box(tree):
    # A letter of 15 pixels is 8 pixels wide on average.
    assert all(8 * len(line) < tree.LEFT for *lines, _ in tree.QUESTIONS for line in lines)
