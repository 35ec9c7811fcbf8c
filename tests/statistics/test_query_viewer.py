"""The viewer of queries on the page of a comparison: its data, errors, and in a browser."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import ModelComparison, compare_models

BROWSER = next(filter(shutil.which, ("chromium", "google-chrome")), None)
TITLE = re.compile("<title>(.*?)</title>")
HOSTILE = "</script><img src=x onerror=document.title='hit'>"
BOUGHT = {"ann": ["tea"], "bob": ["jam", HOSTILE], "cy": ["tea", "rye"], "dee": ["oat"]}
SHOWN = {
    "old": {
        "ann": ["tea", "oat"],
        "bob": [HOSTILE, "rye"],
        "cy": ["rye", "jam"],
        "dee": [],
    },
    "new": {"ann": ["rye", "tea"], "bob": ["jam"], "cy": ["tea", "rye"], "dee": ["oat"]},
}


def rows_of(shown=SHOWN):
    return {
        name: from_item_lists(BOUGHT, lists, return_items=True)
        for name, lists in shown.items()
    }


def compared(rows, **options):
    roles = ("y_true", "y_score", "groups")
    values = {
        name: per_query_scores(**{role: of[role] for role in roles}, metrics=["mrr"])
        for name, of in rows.items()
    }
    return compare_models(values, test="randomization", **options)


def data_of(page):
    return json.loads(re.search('id="queries-data">(.*?)</script>', page)[1])


@pytest.fixture(scope="module")
def page():
    rows = rows_of()
    return compared(rows, baseline="old").to_html(lists=rows)


def test_data_have_values_lists_and_ranks_of_relevant_items(page):
    found = data_of(page)
    names = found["items"]
    assert found["models"] == ["old", "new"]
    assert found["labels"] == ["ann", "bob", "cy", "dee"]
    assert found["values"] == [[[1, 1, 1, 0], [0.5, 1, 1, 1]]]
    lists = [[[names[i] for i in one] for one in of] for of in found["lists"]]
    assert lists == [list(of.values()) for of in SHOWN.values()]
    relevant = [[[names[i], *rest] for i, *rest in of] for of in found["relevant"]]
    assert relevant[0] == [["tea", 1, 1, 2]]
    assert sorted(relevant[1]) == [[HOSTILE, 1, 1, 0], ["jam", 1, 0, 1]]
    assert relevant[3] == [["oat", 1, 0, 1]]


def test_names_cannot_turn_the_text_around():
    reversing = "tea\u202e\u2066\x1b"
    bought = {reversing: [reversing], "bob": ["jam"]}
    rows = {
        reversing + name: from_item_lists(bought, {reversing: shown}, return_items=True)
        for name, shown in {"a": [reversing], "b": ["jam"]}.items()
    }
    page = compared(rows).to_html(lists=rows)
    escaped = r"tea\u202e\u2066\x1b"
    found = data_of(page)
    assert found["models"] == [f"{escaped}a", f"{escaped}b"]
    assert escaped in found["labels"]
    assert escaped in found["items"]
    assert not set("\u202e\u2066\x1b") & set(page)


def test_ties_and_long_lists():
    rows = {}
    for name, scores in {"a": [2.0, 1, 1, 1], "b": [4.0, 3, 2, 1]}.items():
        items = np.tile(["w", "x", "y", "z"], 2)
        rows[name] = {"y_true": np.tile([0.0, 0, 0, 1], 2), "y_score": np.tile(scores, 2)}
        rows[name] |= {"groups": np.repeat([3, 7], 4), "items": items}
    long = {
        "y_true": [0.0] * 60 + [2],
        "y_score": -np.arange(61.0),
        "groups": [9] * 61,
        "items": np.arange(61),
    }
    for of in rows.values():
        for role, values in long.items():
            of[role] = np.concatenate([of[role], values])
    found = data_of(compared(rows).to_html(lists=rows))
    assert found["tied"] == [[[2, 3], [2, 3], []], [[], [], []]]
    assert [len(one) for one in found["lists"][0]] == [4, 4, 50]
    assert found["relevant"][2] == [[found["items"].index("60"), 2.0, 61, 61]]
    assert found["pairs"] == [[0, 1, 0]]


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"baseline": "old"}, "new - old: mrr +0.125 [-1.000, +1.000]"),
        (
            {"baseline": "old", "margin": 0.1},
            "new - old: mrr +0.125 [-1.000, +1.000], undecided",
        ),
        ({}, "Comparison of models"),  # of all pairs
    ],
)
def test_title_is_the_difference_with_its_interval(options, title):
    page = compared(rows_of(), **options).to_html()
    assert TITLE.search(page)[1] == title
    assert f"<h1>{title}</h1>" in page


def test_errors():
    rows = rows_of()
    comparison = compared(rows)
    with pytest.raises(TypeError, match="lists"):
        comparison.to_html(lists=list(rows))
    with pytest.raises(TypeError, match=r"lists\['new'\]"):
        comparison.to_html(lists={"old": rows["old"]})
    with pytest.raises(ValueError, match="newer"):
        comparison.to_html(lists={**rows, "newer": rows["new"]})
    without = {name: dict(of) for name, of in rows.items()}
    del without["new"]["items"]
    with pytest.raises(ValueError, match=r"no 'items'.*return_items=True"):
        comparison.to_html(lists=without)
    with pytest.raises(ValueError, match="one of each per row"):
        comparison.to_html(lists={**rows, "new": {**rows["new"], "items": ["tea"]}})
    sums = ModelComparison(comparison.rows())
    with pytest.raises(ValueError, match="only sums"):
        sums.to_html(lists=rows)


def test_page_is_written_and_hostile_ids_are_text(page, tmp_path):
    rows = rows_of()
    path = tmp_path / "page.html"
    assert compared(rows, baseline="old").to_html(path, lists=rows) is None
    assert path.read_text(encoding="utf-8") == page
    assert HOSTILE not in page


ACTS = """<script type="module">
const part = name => document.querySelector(`#queries [data-part="${name}"]`);
const seen = () => part("label").textContent + " | " + [...part("lists").children].map(
  list => [...list.children].map(one => one.innerText).join("; ")).join(" | ");
const said = [seen()];
part("list").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));
said.push(part("label").textContent);
part("order").value = "best";
part("order").dispatchEvent(new Event("input"));
said.push(part("label").textContent);
for (const text of ["JAM", "cy", "nothing"]) {
  part("search").value = text;
  part("search").dispatchEvent(new Event("input"));
  said.push(part("count").textContent);
}
said.push(part("lists").textContent, document.title);
said.push(document.documentElement.scrollWidth <= innerWidth, document.images.length);
const made = document.createElement("pre");
made.id = "said";
made.textContent = JSON.stringify(said);
document.body.append(made);
</script></body>"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_viewer_in_a_browser(page, tmp_path):
    without_pictures = re.sub("<figure>.*?</figure>", "", page, flags=re.DOTALL)
    path = tmp_path / "page.html"
    path.write_text(without_pictures.replace("</body>", ACTS), encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--window-size=390,800", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--enable-logging=stderr", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search('<pre id="said">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:]
    assert "CONSOLE" not in done.stderr
    first, second, best, *rest = json.loads(found[1].replace("&gt;", ">"))
    first = first.replace("\n", " ")
    assert first.startswith(
        "Query ann: −0.5000 | old; mrr 1.0000; 1 ✓ tea grade 1 2 oat gone"
    )
    assert first.endswith(" | new; mrr 0.5000; 1 rye new 2 ✓ tea grade 1 ↓ 1")
    assert second == "Query bob: 0.0000"
    assert best == "Query dee: +1.0000"
    assert rest == [
        *("2 of 4 queries", "1 of 4 queries", "0 of 4 queries"),
        *("No query has this text.", TITLE.search(page)[1], True, 0),
    ]
