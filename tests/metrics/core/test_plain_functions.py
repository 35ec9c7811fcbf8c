"""A public metric is an ordinary function: its file says what runs."""

import ast
import inspect
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from sklearn_rank.metrics import ndcg_score, precision_at_k_score
from sklearn_rank.metrics._core._metric import Metric
from sklearn_rank.metrics._core._parameters import UNBOUNDED
from sklearn_rank.metrics._core._registry import METRICS
from tests.public_modules import MODULES

FUNCTIONS = {name: metric.function for name, metric in METRICS.items() if metric.ranks}


@cache
def compiled(path):
    """Return the code of each function of a file, compiled anew."""
    module = compile(Path(path).read_text(), path, "exec", dont_inherit=True)
    return {code.co_name: code for code in module.co_consts if inspect.iscode(code)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_function_that_runs_is_that_of_the_file(name):
    function = FUNCTIONS[name]
    code = inspect.unwrap(function).__code__
    written = compiled(inspect.getsourcefile(inspect.unwrap(function)))[function.__name__]
    assert code.co_code == written.co_code
    assert code.co_names == written.co_names
    assert code.co_varnames == written.co_varnames
    assert code.co_firstlineno == written.co_firstlineno
    assert function.__module__.startswith("sklearn_rank.metrics._families.")
    assert function.metric.function is function


@cache
def definitions(path):
    """Return the syntax tree of each function of a file."""
    nodes = ast.parse(Path(path).read_text()).body
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_parameter_is_used_in_the_body(name):
    function = FUNCTIONS[name]
    node = definitions(inspect.getsourcefile(inspect.unwrap(function)))[function.__name__]
    assert node.args.kwarg is None
    body = [each for statement in node.body for each in ast.walk(statement)]
    used = {each.id for each in body if isinstance(each, ast.Name)}
    assert set(inspect.signature(function).parameters) <= used
    # What not all metrics have is passed under its own name.
    own = next(each for each in body if isinstance(each, ast.Dict))
    names = {key.value: value.id for key, value in zip(own.keys, own.values, strict=True)}
    assert all(name == value for name, value in names.items())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_range_is_declared(name):
    bound = METRICS[name].range
    assert callable(bound) or bound is not UNBOUNDED
    assert Metric("mine", ndcg_score, METRICS["ndcg"].kernel).range is UNBOUNDED


@pytest.mark.parametrize("module", MODULES)
def test_methods_have_the_names_of_the_source(module):
    """A traceback and a debugger show them."""
    for name in import_module(module).__all__:
        public = getattr(import_module(module), name)
        for base in public.__mro__ if isinstance(public, type) else ():
            if not base.__module__.startswith("sklearn_rank."):
                continue
            for method in filter(inspect.isfunction, vars(base).values()):
                code = inspect.unwrap(method).__code__
                is_ours = "sklearn_rank" in code.co_filename
                if is_ours and method.__module__ == base.__module__:
                    assert code.co_qualname == method.__qualname__


def test_a_step_into_a_call_lands_in_its_body():
    lines = []

    def trace(frame, event, arg):
        lines.append((frame.f_code.co_name, frame.f_code.co_filename))

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        precision_at_k_score([[1, 0]], [[2, 1]])
    finally:
        sys.settrace(before)
    names = [name for name, _ in lines]
    assert names[:3] == ["call", "precision_at_k_score", "mean_score"]


def test_ndcg_is_that_of_a_plain_loop_over_queries_and_levels_of_ties():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(40), 12)
    y_true, y_score = rng.integers(0, 4, 480), rng.integers(0, 6, 480)
    values = []
    for query in range(40):
        grade, score = y_true[groups == query], y_score[groups == query]
        total, above = 0.0, 0
        for level in np.unique(score)[::-1]:
            tied = grade[score == level]
            for rank in range(above + 1, min(above + len(tied), 5) + 1):
                total += tied.mean() / np.log2(rank + 1)
            above += len(tied)
        best = sum(g / np.log2(r + 2) for r, g in enumerate(np.sort(grade)[::-1][:5]))
        values.append(total / best)
    actual = ndcg_score(y_true, y_score, groups=groups, k=5)
    assert actual == pytest.approx(np.mean(values), rel=1e-12)
