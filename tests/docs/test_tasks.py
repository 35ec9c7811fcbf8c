"""Tasks of readers: one click from README, at most three links from the landing page.

A link counts if its text, or that of its row or card, has a word of the task.
``SKLEARN_RANK_HTML`` names the folder of built pages, as in ``test_site.py``.
"""

import os
import posixpath
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A task, and what the last page has.
TASKS = [
    ("tune LightGBM's ranker", "GroupRanker("),
    ("a pipeline with a query column", "make_pipeline(columns"),
    ("stop early by any metric", "stopping_metric"),
    ("use your own metric", "make_metric("),
    ("tune recommenders on my log", "tune_models("),
    ("a recommender in GridSearchCV", 'seen_items="drop"'),
    ("split at the last weeks", "TimeSplit("),
    ("LightGBM's number differs", "explain_difference("),
    ("compare two rankers", "compare_models("),
    ("recommend and save", "save_model("),
    ("recommend new items", "ColdStartRecommender("),
    ("read a log once", "InteractionLog("),
    ("score files of JSON Lines", "evaluate"),
    ("gate a retriever in CI", "--update"),
    ("the margin for 40 questions", ".088"),
    ("gate by faithfulness, any score", "--range"),
    ("compare three retrievers", "compare_runs("),
    ("fuse and tune the weights", "--weights learned"),
    ("answer nothing when unsure", "abstention_threshold("),
    ("trust my LLM judge", "judge labels.csv"),
    ("how many questions and repeats", "n_repeats"),
    ("ragas' context precision", "map(denominator='retrieved')"),
    ("test my TypeScript nDCG", "conform answers.json"),
    ("install a skill for my coding agent", "sklearn-rank skill"),
]
STOP = {"a", "an", "and", "any", "at", "by", "for", "in", "my", "of", "on", "the", "two"}
STOP |= {"with", "s", "your", "use", "when", "new", "my"}


def words(text):
    return set(re.findall(r"[a-z]+", text.lower())) - STOP


def stems(text):
    return {word[:6] for word in words(text)}


@pytest.mark.parametrize(("task", "wanted"), TASKS)
def test_the_readme_leads_to_a_page_with_the_answer(task, wanted):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line for line in readme.splitlines() if stems(line) & stems(task)]
    pages = {page for line in lines for page in re.findall(r"\((docs/\w+\.rst)\)", line)}
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in pages]
    assert any(wanted in text for text in [*texts, "\n".join(lines)]), sorted(pages)


@pytest.fixture(scope="module")
def soups():
    """Return the article of a built page, parsed once."""
    folder = os.environ.get("SKLEARN_RANK_HTML")
    if not folder:
        pytest.skip("SKLEARN_RANK_HTML names no built pages, or node is missing")
    bs4 = pytest.importorskip("bs4")
    parsed = {}

    def soup(page):
        if page not in parsed:
            path = Path(folder, page)
            html = path.read_text(encoding="utf-8") if path.is_file() else ""
            parsed[page] = bs4.BeautifulSoup(html, "html.parser").find("article")
        return parsed[page]

    return soup


def links(article, page):
    """Yield the pages that an article links to, with the text around each link."""
    for link in article.find_all("a", href=True):
        target = link["href"].partition("#")[0]
        if not target.endswith(".html") or "://" in target:
            continue
        around = (
            link.find_parent(["tr", "li"]) or link.find_parent(class_="sd-card") or link
        )
        to = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        yield to, around.get_text(" ")


@pytest.mark.parametrize(("task", "wanted"), TASKS)
def test_a_task_takes_at_most_three_links(soups, task, wanted):
    pages, seen = ["index.html"], {"index.html"}
    for _ in range(3):
        found = []
        for page in pages:
            for to, text in links(soups(page), page):
                if to not in seen and soups(to) is not None and stems(text) & stems(task):
                    seen.add(to)
                    found.append(to)
        if any(wanted in " ".join(soups(page).get_text().split()) for page in found):
            return
        pages = found
    pytest.fail(f"{task}: {sorted(seen)}")


@pytest.mark.parametrize(
    "page", sorted(path.stem for path in (ROOT / "docs").glob("*.rst"))
)
def test_each_page_is_three_links_from_the_landing_page(soups, page):
    pages, seen = ["index.html"], {"index.html"}
    for _ in range(3):
        pages = [
            to
            for origin in pages
            for to, _ in links(soups(origin), origin)
            if to not in seen and soups(to) is not None and not seen.add(to)
        ]
    pages = seen | {"changelog.html", "architecture.html", "user_guide.html"}
    assert f"{page}.html" in pages
