"""The definitions of all metrics, from the registry and the docstrings."""

import inspect
import re
import warnings

import numpy as np
from numpydoc.docscrape import FunctionDoc

from sklearn_rank.metrics import Catalogue, ranking_scores
from sklearn_rank.metrics._core._grammar import SPELLINGS
from sklearn_rank.metrics._core._registry import METRICS, load_families

load_families()

# Parameters that some metrics require, for lists of at most four items.
NEEDED = {
    **dict.fromkeys(["coverage", "gini", "exposure_gini"], "n_items=4"),
    "accuracy": "n_items=None",
    **dict.fromkeys(["awrf", "ndkl", "min_skew", "max_skew"], "target='candidates'"),
}

# Heading, grades in rank order and scores (None: from n down to 1) of one query.
CASES = (
    ("perfect", [1, 1, 0, 0], None),
    ("reversed", [0, 0, 1, 1], None),
    ("all tied", [1, 1, 0, 0], [0, 0, 0, 0]),
    ("relevant last", [0, 0, 0, 1], None),
    ("not retrieved", [0, 0, 0, 1], [3, 2, 1, -np.inf]),
    ("short list", [1], None),
    ("all relevant", [1, 1, 1, 1], None),
    ("none relevant", [0, 0, 0, 0], None),
)


def defined_here():
    """Return the metrics by name; rating errors are those of scikit-learn."""
    return {name: metric for name, metric in METRICS.items() if metric.ranks}


# Four items and five users; the first item is the most popular one.
CATALOGUE = Catalogue(
    items=range(4),
    users=range(5),
    history=[[0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]],
    features=[[1, 0], [0, 1], [1, 1], [1, 0]],
    categories=["A", "B", "A", "B"],
    reference={0: [0, 3]},
)


def behavior_table():
    """Return a table of values for simple lists, with k = 2 for metrics with a cutoff."""
    rows = [["metric", *(name for name, _, _ in CASES)]]
    for name, metric in defined_here().items():
        asked = f"{name}@2" if metric.takes_k else name
        values = [_value(asked_for(name, 2), *case[1:]) for case in CASES]
        rows.append([f":ref:`{asked} <{anchor(name)}>`", *values])
    return list_table(rows)


def asked_for(name, k):
    """Return the name with the cutoff and the parameters that the metric requires."""
    given = f"({NEEDED[name]})" if name in NEEDED else ""
    return f"{name}{given}@{k}" if METRICS[name].takes_k else f"{name}{given}"


def anchor(name):
    """Return the id of a metric on the page."""
    return "metric-" + name.replace("_", "-")


def list_table(rows, header_columns=1):
    """Return a list-table with a header row."""
    lines = [".. list-table::", "   :header-rows: 1"]
    lines += [f"   :stub-columns: {header_columns}", "   :class: wide", ""]
    for row in rows:
        for place, cell in enumerate(row):
            lines.append(f"   {'* -' if place == 0 else '  -'} {cell}")
    return "\n".join(lines) + "\n"


def value_of(name, grades, scores):
    """Return the value of a metric for one query, NaN if it is undefined."""
    scores = np.arange(len(grades), 0, -1) if scores is None else scores
    columns = {column for metric in METRICS.values() for column in metric.columns}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ranking_scores(
            grades,
            scores,
            groups=[0] * len(grades),
            metrics=name,
            replace_undefined_by=np.nan,
            catalogue=CATALOGUE,
            **{column.name: column.example(np.array(grades)) for column in columns},
        )
    return found.popitem()[1]


def _value(name, grades, scores):
    value = value_of(name, grades, scores)
    return "undefined" if np.isnan(value) else f"{value:.3g}"


# Pages of definitions: file name, title and families of metrics.
TOPICS = (
    ("hits", "Hits", "precision_recall"),
    ("ranks", "Ranks of relevant items", "reciprocal_rank_map interpolated_precision auc"),
    ("gains", "Graded gains", "cumulative_gain q_measure"),
    ("users", "Users who stop reading", "rank_biased_precision insq_inst"),
    ("judgments", "Incomplete judgments", "incomplete_judgments"),
    ("subtopics", "Subtopics", "intent_aware"),
    ("novelty", "Novelty and popularity", "popularity"),
    ("diversity", "Diversity and categories", "diversity categories mean_value"),
    ("coverage", "Coverage and concentration", "coverage"),
    ("fairness", "Fairness of exposure", "fair_exposure"),
    ("biased", "Biased logs and extreme labels", "propensity"),
    ("abstention", "Systems that may answer nothing", "aurc"),
)
OTHERS = ("others", "Other metrics")


def topic_of(metric):
    """Return the page of a metric, by the file that declares it."""
    family = metric.function.__module__.rpartition("._")[2]
    found = (topic[:2] for topic in TOPICS if family in topic[2].split())
    return next(found, OTHERS)


def definitions():
    """Return the text of all pages."""
    return "\n".join(pages().values())


def pages():
    """Return the text of each page, by file name."""
    found = {}
    topics = [*(topic[:2] for topic in TOPICS), OTHERS]
    for file, title in topics:
        metrics = {
            name: metric
            for name, metric in defined_here().items()
            if topic_of(metric) == (file, title)
        }
        if metrics:
            head = f"{title}\n{'=' * len(title)}\n\n{PAGE_HEAD}\n"
            sections = (_section(name, metric) for name, metric in metrics.items())
            found[f"definitions_{file}"] = head + "\n".join(sections)
    return found


PAGE_HEAD = """\
:doc:`/definitions` describes what all metrics share: cutoffs, ties and short lists.
"""


def index():
    """Return a table of all metrics, which link to their pages, with their other names."""
    rows = [["name", "other names", "function"]]
    words = {}
    for word, meaning in SPELLINGS.items():
        if meaning in METRICS:  # other spellings mean a metric with parameters
            words.setdefault(meaning, []).append(word)
    for name, metric in sorted(defined_here().items()):
        others = ", ".join(f"``{word}``" for word in words.get(name, ()))
        rows.append(
            [
                f":ref:`{name} <{anchor(name)}>`",
                others or "\\",
                f":func:`~sklearn_rank.metrics.{metric.function.__name__}`",
            ]
        )
    return list_table(rows)


def _section(name, metric):
    doc = FunctionDoc(metric.function)
    title = f"``{name}@k``" if metric.takes_k else f"``{name}``"
    function = metric.function.__name__
    lines = [f".. _{anchor(name)}:", "", title, "-" * len(title), ""]
    lines += [_plain(" ".join(doc["Summary"])), ""]
    lines += [_plain("\n".join(doc["Extended Summary"])), ""]
    lines += [f":Function: :func:`~sklearn_rank.metrics.{function}`"]
    lines += [f":Parameters: {_parameters(metric)}"]
    if metric.columns:
        needed = ", ".join(
            f"``{column.name}``, {column.holds}" for column in metric.columns
        )
        lines += [f":Needs: {needed}"]
    if metric.parts:
        lines += [f":From a catalogue: {_parts(metric)}"]
    better = "lower is better" if metric.lower_is_better else "higher is better"
    lines += [f":Range: {metric.range_of(metric.parameters)}; {better}"]
    lines += [f":No relevant item: {_undefined(name)}"]
    lines += [f":Tied rows: {_tied(name, metric)}"]
    lines += [f":Source: {_sources(doc)}", ""]
    lines += [_plain("\n".join(doc["Notes"])), ""]
    return "\n".join(lines)


def _parameters(metric):
    defaults = [f"``{name}={value!r}``" for name, value in metric.parameters.items()]
    return ", ".join(defaults)


def _parts(metric):
    own = {part.name: part.holds for part in reversed(metric.parts)}
    listed = [
        f"``{part.name}``, {own.pop(part.name)}"
        for part in metric.parts
        if part.name in own and part.name not in metric.parameters
    ]
    return "; ".join(listed)


def _undefined(name):
    value = _value(asked_for(name, 2), [0, 0, 0, 0], None)
    return "undefined, see :ref:`undefined`" if value == "undefined" else f"{value}"


def _tied(name, metric):
    asked = asked_for(name, 2)
    value = _value(asked, [1, 1, 0, 0], [0, 0, 0, 0])
    best, worst = (_value(asked, grades, None) for grades in ([1, 1, 0, 0], [0, 0, 1, 1]))
    k = ", k = 2" if metric.takes_k else ""
    if _value(asked, [0, 0, 0, 0], [0, 0, 0, 0]) == value != "0":
        return f"four rows, all tied{k}: {value}, for any grades"
    return (
        f"two relevant rows of four, all tied{k}: {value}, "
        f"between {worst} (relevant rows last) and {best} (first)"
    )


def _sources(doc):
    text = " ".join(line.strip() for line in doc["References"])
    text = re.sub(r"\.\. \[\d+\] ", "", text)
    # An initial at the beginning would start a list.
    return re.sub(r"^(\w)\.", r"\1\.", text) or "none; the measure is common"


def _plain(text):
    """Return text without footnotes, whose numbers would be duplicated on the page."""
    return inspect.cleandoc(re.sub(r" ?\[\d+\]_", "", text))
