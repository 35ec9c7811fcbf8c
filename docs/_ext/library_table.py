"""Tables of the conventions, and the numbers of each library for one input."""

import numpy as np
from definitions import list_table

from sklearn_rank.metrics import conventions, ranking_scores
from sklearn_rank.metrics._core._registry import METRICS, load_families
from sklearn_rank.metrics._results._conformance import OURS, TOOLS, conformance_vectors

load_families()

# Three queries: grades and scores. The first has a tie of a relevant and an irrelevant row
# at ranks 2 and 3, and more relevant rows than k = 3; the second is shorter than k; the
# third has no relevant row. All rows are retrieved, as half of the libraries require.
QUERIES = {
    "a": ([0, 2, 0, 0, 1, 0, 1, 1], [9, 8, 8, 6, 5, 4, 3, 2]),
    "b": ([0, 3], [2, 1]),
    "c": ([0, 0, 0], [3, 2, 1]),
}
KNOWN_BY = {"run": "running it", "read": "reading it"}
TIES = {
    "average": "the mean over all orders",
    "worst": "the order with the lowest grades first",
    "first": "the order of the rows",
}
DENOMINATORS = {
    "relevant": 'R, the relevant items (``denominator="relevant"``)',
    "attainable": 'min(R, k) (``denominator="attainable"``, the default)',
    "retrieved": 'hits among the first k (``denominator="retrieved"``)',
}
# Test vectors that tools score differently: what they have, and a metric that shows it.
CASES = {
    "c004": ("no judged document", "ndcg"),
    "c006": ("no list", "recall"),
    "c013": ("a list shorter than k", "precision"),
    "c047": ("a short list, with more to find", "ndcg"),
    "c084": ("more relevant documents than k", "map"),
    "c025": ("the only hit below k", "mrr"),
    "c202": ("grades 1 and 2", "ndcg"),
    "c161": ("ranks 1 and 2 tied", "mrr"),
    "c088": ("one document at ranks 1 and 3", "ndcg"),
}
SHOWN = ("ndcg", "map", "mrr", "recall", "precision", "hit_rate", "f1", "r_precision")
K = 3


def worked_input():
    """Return y_true, y_score and groups of the three queries."""
    y_true = np.concatenate([grades for grades, _ in QUERIES.values()])
    y_score = np.concatenate([scores for _, scores in QUERIES.values()])
    groups = np.repeat(list(QUERIES), [len(grades) for grades, _ in QUERIES.values()])
    return y_true, y_score, groups


def cell(library, metric):
    """Return the number of a library, or a dash if parameters cannot express it."""
    convention = conventions[library]
    if metric not in convention.metrics:
        return "–"
    is_cut = METRICS[metric].takes_k and metric not in convention.uncut
    name = f"{metric}@{K}" if is_cut else metric
    y_true, y_score, groups = worked_input()
    scores = ranking_scores(
        y_true, y_score, groups=groups, metrics=name, convention=library
    )
    return f"{scores[name]:.4f}" + ("*" if metric in convention.uncut else "")


def library_table():
    """Return the table of numbers, with a row per library and a column per metric at K."""
    heads = [name.replace("_", " ") for name in SHOWN]  # words wrap in a narrow column
    rows = [["library", *heads, "checked"]]
    for library, convention in conventions.items():
        if not set(SHOWN) & set(convention.metrics):
            continue
        cells = [cell(library, metric) for metric in SHOWN]
        rows.append([f"``{library}``", *cells, convention.checked])
    return list_table(rows)


def vectors_table():
    """Return the values of the tools for some of the test vectors."""
    tools = sorted((tool for tool in TOOLS if tool != OURS), key=len)
    heads = [
        "query",
        "grades",
        "relevant",
        "metric",
        OURS.replace("_", " "),
        *(tool.replace("_", " ") for tool in tools),  # words wrap in a narrow column
    ]
    cases = {case["id"]: case for case in conformance_vectors()["cases"]}
    rows = [heads]
    for name, (what, metric) in CASES.items():
        case = cases[name]
        grades = ", ".join(str(case["truth"].get(item, 0)) for item, _ in case["list"])
        values = case["expect"][metric]
        shown = [_number(values.get(tool, "–")) for tool in (OURS, *tools)]
        row = [f"{name}: {what}", grades, str(len(case["truth"])), f"{metric}@{case['k']}"]
        rows.append([*row, *shown])
    return list_table(rows)


def _number(value):
    if isinstance(value, str):
        return value
    return "left out" if value is None else f"{value:.4g}"


def ties_table():
    """Return the table of the treatment of ties: what libraries do, and the option here."""
    found = {}
    for library, convention in conventions.items():
        what = convention.words.get("ties", TIES[convention.ties])
        here = [f"``ties={convention.ties!r}``"]
        for ties, names in _exceptions(convention, "ties").items():
            here.append(f"``{ties!r}`` for {', '.join(names)}")
        found.setdefault((what, "; ".join(here)), []).append(f"``{library}``")
    rows = [["tied rows", "library", "here"]]
    rows += [
        [what, ", ".join(libraries), here] for (what, here), libraries in found.items()
    ]
    return list_table(rows, header_columns=0)


def undefined_table():
    """Return the table of values for a query without relevant items, by value."""
    found = {}
    for library, convention in conventions.items():
        others = _exceptions(convention, "replace_undefined_by")
        but = [name for names in others.values() for name in names]
        judged = [name for name in convention.metrics if _is_of_relevance(name)]
        kept = [name for name in judged if name not in but]
        if not judged:
            continue
        which = f" ({', '.join(kept)})" if but else ""
        found.setdefault(_value(convention.undefined), []).append(f"``{library}``{which}")
        for undefined, names in others.items():
            listed = f"``{library}`` ({', '.join(names)})"
            found.setdefault(_value(undefined), []).append(listed)
    rows = [["value", "library"]]
    rows += [[value, ", ".join(libraries)] for value, libraries in sorted(found.items())]
    return list_table(rows)


def precision_table():
    """Return the table of the denominators of average precision."""
    rows = [["divided by", "library"]]
    for denominator, what in DENOMINATORS.items():
        libraries = [
            f"``{library}``"
            for library, convention in conventions.items()
            if convention.metrics.get("map", {}).get("denominator") == denominator
        ]
        rows.append([what, ", ".join(libraries)])
    return list_table(rows)


def _exceptions(convention, parameter):
    """Return the metrics that set a parameter, by its value."""
    found = {}
    for name, parameters in convention.metrics.items():
        if parameter in parameters and _is_of_relevance(name):
            found.setdefault(parameters[parameter], []).append(name)
    return found


def _is_of_relevance(name):
    return METRICS[name].rows == "relevant"


def _value(undefined):
    return "left out of the mean" if np.isnan(undefined) else f"{undefined:g}"


def library_words():
    """Return the sections of the libraries: parameters, and what they cannot express."""
    lines = []
    for key, convention in conventions.items():
        title = f"``{key}``"
        lines += [title, "-" * len(title), "", convention.library + ".", ""]
        lines += [
            f":Known by: {KNOWN_BY[convention.checked]}",
            f":Ties: ``ties={convention.ties!r}``",
            f":No relevant item: {_value(convention.undefined)}",
            ":Parameters: " + _given(convention),
        ]
        lines += [f":{topic}: {words}" for topic, words in convention.words.items()]
        lines += [""]
    return "\n".join(lines)


def _given(convention):
    described = []
    for name, parameters in convention.metrics.items():
        given = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
        described.append(f"``{name}({given})``" if given else f"``{name}``")
    return ", ".join(described)
