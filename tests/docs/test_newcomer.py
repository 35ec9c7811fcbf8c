"""Ten tasks of a newcomer, each from the landing page in at most three clicks.

``SKLEARN_RANK_HTML`` names the folder of built pages, as in ``test_site.py``.
"""

import os
import posixpath
import re
from pathlib import Path

import pytest

LINK = re.compile(r'<a\b[^>]*\bhref="([^"#]+)[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
# What is searched for, the texts of the links, and what the last page has.
TASKS = [
    ("tune a recommender on my log", ["Experiments"], "tune_models(log"),
    ("tune LightGBM's ranker", ["User guide", "Rankers"], "GroupRanker(LGBMRanker("),
    ("hold out the last weeks", ["Splitting a log"], "TimeSplit("),
    ("is the new run better", ["Is it better?"], "compare_models("),
    (
        "fail a pull request that is worse",
        ["Is it better?", "Gate in CI"],
        "sklearn-rank gate",
    ),
    ("recommend within a session", ["User guide", "Sessions"], "reveal=True"),
    (
        "recommend new items",
        ["User guide", "New items, new users"],
        "ColdStartRecommender(",
    ),
    ("why ranx has another number", ["Why is my number different?"], "ranx"),
    ("the formula of nDCG", ["API reference", "ndcg_score"], "Parameters"),
    (
        "judge answers with a model",
        ["User guide", "Judging with a model"],
        "rater_agreement(",
    ),
]


@pytest.fixture(scope="module")
def html():
    """The folder of built pages."""
    folder = os.environ.get("SKLEARN_RANK_HTML")
    if not folder:
        pytest.skip("SKLEARN_RANK_HTML names no built pages, or node is missing")
    return Path(folder)


def text_of(markup):
    return " ".join(re.sub(r"<[^>]+>", "", markup).split())


def links_of(html, page):
    """Return the pages that a page links to, by the text of the link."""
    found = {}
    for target, markup in LINK.findall((html / page).read_text(encoding="utf-8")):
        to = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        if (html / to).is_file():
            found.setdefault(text_of(markup).removesuffix("()"), to)
    return found


@pytest.mark.parametrize(("task", "clicks", "wanted"), TASKS)
def test_a_task_takes_at_most_three_clicks(html, task, clicks, wanted):
    assert len(clicks) <= 3
    page = "index.html"
    for click in clicks:
        links = links_of(html, page)
        assert click in links, f"{task}: {page} has no link {click!r}, but {sorted(links)}"
        page = links[click]
    assert wanted in text_of((html / page).read_text(encoding="utf-8")), page
