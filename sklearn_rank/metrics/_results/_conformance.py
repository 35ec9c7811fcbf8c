"""Small cases with the value of each metric, and answers of other programs to them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._messages import shorten
from sklearn_rank.inputs._item_lists import from_item_lists
from sklearn_rank.metrics._core._conventions import conventions
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.metrics._results._definition_changes import (
    ASCENDING,
    CREDITED,
    DESCENDING,
    FIRST,
    IN_IDEAL,
    MISS,
    evaluate_by_rule,
    rows_of_items,
)
from sklearn_rank.metrics._results._explain_difference import start_search

METRICS = ("ndcg", "recall", "precision", "map", "mrr", "hit_rate")
CUTOFFS = (1, 3, 5, 10)
OURS = "sklearn_rank"
# What tools do with a repeated document; those that are missing have no rule.
_SET = "a set of the first k"
REPEATS = {
    OURS: dict.fromkeys(METRICS, FIRST),
    "mlflow": {"ndcg": IN_IDEAL, "precision": CREDITED, "recall": MISS},
    "llama_index": {
        **dict.fromkeys(("ndcg", "map"), CREDITED),
        **dict.fromkeys(("recall", "mrr", "hit_rate"), MISS),
        "precision": _SET,
    },
    "haystack": dict.fromkeys(METRICS, MISS),
    "sentence_transformers": dict.fromkeys(METRICS, CREDITED),
}
TOOLS = (*REPEATS, "trec_eval", "ranx")
# Ties in another order than that of the list; ranx has no order.
_TIES = {"trec_eval": DESCENDING, "sentence_transformers": ASCENDING, "ranx": None}
_NAMES = ", ".join(METRICS)
_DECIMALS = 10
_TOLERANCE = 1e-6


def _draw_cases() -> list[dict[str, Any]]:
    """Return cases: relevant documents, a list and a cutoff; every fifth has ties."""
    random, drawn = Random(20261129), list[dict[str, Any]]()
    grid = product((False, True), (0, 1, 2, 4, 7), (0, 1, 3, 6, 12), CUTOFFS, range(2))
    for is_graded, n_relevant, length, k, _ in grid:
        if n_relevant == 0 and (length, k) not in ((0, 5), (3, 5), (6, 1)):
            continue
        if length == 0 and k != 5:
            continue
        pool = sorted((f"d{i:02d}" for i in range(24)), key=lambda _: random.random())
        relevant = sorted(pool[:n_relevant])
        truth = {d: 1 + int(3 * random.random()) * is_graded for d in relevant}
        near = sorted(pool[: n_relevant + 8], key=lambda _: random.random())
        listed = [[document, float(length - i)] for i, document in enumerate(near[:length])]
        kind = len(drawn) % 5
        if kind == 1 and length > 2:
            listed[1][1], listed[-1][1] = listed[0][1], listed[-2][1]
        if kind == 3 and length > 2:
            listed[2][0] = listed[0][0]
        name = f"c{len(drawn):03d}"
        drawn.append({"id": name, "k": k, "truth": truth, "list": listed})
    return drawn


@cache
def conformance_vectors() -> dict[str, Any]:
    """Return the cases and the value of each metric by each tool; None is left out."""
    cases = _draw_cases()
    for case in cases:
        case["expect"] = {metric: {} for metric in METRICS}
    for k in CUTOFFS:
        several = [case for case in cases if case["k"] == k]
        _add_values(several, k)
    return {"version": 1, "cases": cases}


def _sides(cases: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the relevant documents and the list of each case."""
    truth = {case["id"]: case["truth"] for case in cases}
    return truth, {case["id"]: [tuple(row) for row in case["list"]] for case in cases}


def _add_values(cases: list[dict[str, Any]], k: int) -> None:
    """Add the values of all metrics at one cutoff."""
    judged = from_item_lists(*_sides(cases), duplicates="miss", return_items=True)
    rows, labels = rows_of_items(judged)
    number = {label: i for i, label in enumerate(labels)}
    is_repeated, is_tied = rows.count(rows.is_repeat()) > 0, rows.has_ties()
    for tool, metric in product(TOOLS, METRICS):
        convention = None if tool == OURS else tool
        if convention and metric not in conventions[tool].metrics:
            continue
        is_cut = not convention or metric not in conventions[tool].uncut
        name = f"{metric}@{k}" if is_cut else metric
        (bound,) = bind([name], "average", math.nan, convention, leaves_out=math.nan)
        order, rule = _TIES.get(tool, ""), REPEATS.get(tool, {}).get(metric)
        ordered = rows.in_tie_order(order or "")
        ((values, _),) = evaluate_by_rule([bound], ordered, FIRST)
        if rule is not None:
            changed = ordered.of_queries(is_repeated)
            changed, rule = (changed.cut(k), FIRST) if rule == _SET else (changed, rule)
            ((of_repeated, _),) = evaluate_by_rule([bound], changed, rule)
            values = np.where(is_repeated, of_repeated, values)
        is_defined = (~is_repeated | (rule is not None)) & (~is_tied | (order is not None))
        for case in cases:
            value = round(float(values[number[case["id"]]]), _DECIMALS)
            if tool == "mlflow" and not case["truth"] and not case["list"]:
                value = 0.0 if metric == "precision" else 1.0
            if is_defined[number[case["id"]]]:
                case["expect"][metric][tool] = None if math.isnan(value) else value


class JudgedAnswers(NamedTuple):
    """The answers of a program for one metric."""

    metric: str
    wrong: list[str]
    text: str


def judge_answers(answers: Any, tool: str = OURS) -> list[JudgedAnswers]:
    """Return, for each metric that is answered, which answers are wrong, and why."""
    cases = conformance_vectors()["cases"]
    _check_answers(answers, {case["id"] for case in cases})
    answered = {metric for case in answers.values() for metric in case}
    judged = []
    for metric in (metric for metric in METRICS if metric in answered):
        expected = {
            c["id"]: c["expect"][metric] for c in cases if tool in c["expect"][metric]
        }
        if not expected:
            raise ValueError(f"{tool} has no {metric}; leave it out of the answers.")
        values = {case["id"]: answers.get(case["id"], {}).get(metric) for case in cases}
        wrong = [c for c in expected if not _are_equal(values[c], expected[c][tool])]
        n, text = (
            len(expected),
            f"{metric}: {len(expected)} of {len(expected)} right ({tool})",
        )
        if wrong:
            answer, right = values[wrong[0]], expected[wrong[0]][tool]
            text = (
                f"{metric}: {len(wrong)} of {n} wrong ({tool}), the first {wrong[0]}: "
                f"{_show(answer)} for {_show(right)}. {_name_fault(metric, values)}"
            )
        judged.append(JudgedAnswers(metric, wrong, text))
    return judged


def _check_answers(answers: Any, names: set[str]) -> None:
    form = 'an object such as {"c000": {"ndcg": 0.63, "mrr": 0.5}}'
    is_form = isinstance(answers, Mapping) and all(
        isinstance(case, Mapping) for case in answers.values()
    )
    if not is_form or not any(answers.values()):
        raise ValueError(f"The answers must be {form}, got {shorten(answers)}.")
    for name, case in answers.items():
        if name not in names:
            raise ValueError(f"There is no case {shorten(name)}; they are c000, c001, ...")
        for metric, value in case.items():
            if metric not in METRICS:
                raise ValueError(
                    f"Case {name} answers {shorten(metric)}; choose one of {_NAMES}."
                )
            if value is not None and type(value) not in (int, float):
                raise ValueError(
                    f"Case {name} has {shorten(value)} as {metric}; give a number, or null "
                    "for a case that is left out."
                )


def _are_equal(answer: float | None, expected: float | None) -> bool:
    if answer is None or expected is None:
        return answer is expected
    return abs(answer - expected) <= _TOLERANCE


def _show(value: float | None) -> str:
    return "left out" if value is None else f"{value:.4g}"


def _name_fault(metric: str, answers: Mapping[str, float | None]) -> str:
    """Return the definition that gives the answers, at all cutoffs or at one."""
    searches, fits, notes = [], {}, dict[str, None]()
    for k in sorted(CUTOFFS, reverse=True):
        cases = [case for case in conformance_vectors()["cases"] if case["k"] == k]
        theirs = {c["id"]: v for c in cases if (v := answers[c["id"]]) is not None}
        if theirs:
            search = start_search(*_sides(cases), theirs, f"{metric}@{k}", None, _TOLERANCE)
            search.explain_values()
            several = [tuple(t for t in texts if t != FIRST) for texts in search.found]
            fits[k] = [] if () in several else several
            notes |= dict.fromkeys(n for n in search.notes if n.startswith("Queries"))
            searches.append(search)
    several = list(dict.fromkeys(texts for of_k in fits.values() for texts in of_k))
    several = [texts for texts in several if not _has_more(texts, several)]
    held = [texts for texts in several if all(search.gives(texts) for search in searches)]
    where = "all answers"
    if several and not held:
        k, held = next((k, of_k) for k, of_k in fits.items() if of_k)
        where = f"the answers at k = {k}"
    if not held:
        return " ".join(notes or ["No definition that was tried gives the answers."])
    held.sort(key=lambda texts: texts[0].startswith("convention"))
    first, *rest = (", ".join(texts) for texts in held)
    more = f"; so does {' or '.join(rest)}" if rest else ""
    return " ".join([f"{first} gives {where}{more}.", *notes])


def _has_more(texts: tuple[str, ...], several: list[tuple[str, ...]]) -> bool:
    """Return whether another definition says what queries without a value count, too."""
    more = [{*longer} - {*texts} for longer in several if {*texts} < {*longer}]
    return any(all(t.startswith("queries without") for t in added) for added in more)
