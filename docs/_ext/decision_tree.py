"""The picture of the page on choosing a metric: questions, each with a linked answer."""

from html import escape

import definitions

# A question in two lines, and the metric for the answer "yes"; "no" leads to the next.
QUESTIONS = (
    ("Does a later stage rank", "what these lists find?", "recall@100"),
    ("Does one item answer", "the whole query?", "mrr@10"),
    ("Is one hit in the list", "enough for the user?", "hit_rate@10"),
    ("Are most items", "without a judgment?", "bpref"),
    ("Are all k items seen,", "whatever their order?", "precision@10"),
    ("Must each relevant item", "be high, without grades?", "map@100"),
    ("Does the reader stop", "after each item by chance?", "rbp"),
)
OTHERWISE = "ndcg@10"
HEIGHT, STEP, LEFT, RIGHT, ANSWER = 42, 57, 216, 290, 146


def link_to(name):
    """Return the address of a metric's definition, relative to the pages of the guide."""
    metric = definitions.defined_here()[name.partition("@")[0]]
    page, _ = definitions.topic_of(metric)
    return f"generated/definitions_{page}.html#{definitions.anchor(metric.name)}"


def decision_tree():
    """Return the picture as SVG; its answers are links, which the Tab key reaches."""
    height = STEP * len(QUESTIONS) + HEIGHT + 4
    parts = [
        f'<svg class="decision-tree" viewBox="0 0 {RIGHT + ANSWER + 4} {height}" '
        'xmlns="http://www.w3.org/2000/svg" aria-labelledby="decision-tree-title">',
        '<title id="decision-tree-title">Questions that lead to a metric</title>',
    ]
    for number, (first, second, name) in enumerate(QUESTIONS):
        parts += _question(first, second, number * STEP + 2)
        parts += _answer(name, RIGHT, number * STEP + 2)
    parts += _answer(OTHERWISE, (LEFT - ANSWER) / 2 + 2, STEP * len(QUESTIONS) + 2)
    return "\n".join([*parts, "</svg>", ""])


def _question(first, second, top):
    middle, end = LEFT / 2 + 2, top + STEP
    return [
        f'<rect x="2" y="{top}" width="{LEFT}" height="{HEIGHT}" rx="6"/>',
        _text(first, middle, top + 17),
        _text(second, middle, top + 35),
        f'<path d="M{LEFT + 2} {top + 21}H{RIGHT - 1}m-7 -4l7 4l-7 4"/>',
        _text("yes", (LEFT + RIGHT) / 2, top + 15),
        f'<path d="M{middle} {top + HEIGHT}V{end - 1}m-4 -7l4 7l4 -7"/>',
        _text("no", middle + 18, end - 3),
    ]


def _answer(name, left, top):
    return [
        f'<a href="{link_to(name)}"><rect x="{left}" y="{top}" width="{ANSWER}" '
        f'height="{HEIGHT}" rx="21"/>',
        _text(name, left + ANSWER / 2, top + 26) + "</a>",
    ]


def _text(words, x, y):
    return f'<text x="{x}" y="{y}">{escape(words)}</text>'
