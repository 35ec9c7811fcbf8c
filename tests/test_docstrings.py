import ast
import inspect
import re
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from sklearn_rank.metrics._core._registry import METRICS as ALL
from tests.docstrings.mend import qualified_name
from tests.docstrings.shared import OF_TWO_LISTS, TABLE, shared_paragraph
from tests.docstrings.source import check, own_members, public_objects
from tests.public_modules import MODULES

numpydoc = pytest.importorskip("numpydoc")
validate = import_module("numpydoc.validate").validate
NumpyDocString = import_module("numpydoc.docscrape").NumpyDocString

# Rating errors are those of scikit-learn, with docstrings of its own.
METRICS = {name: metric for name, metric in ALL.items() if metric.ranks}

IGNORED = {
    "ES01": "one line may say it all",
    "EX01": "asked of public objects below; their methods may share the class's example",
    "RT02": "a returned value has a name, as in scikit-learn",
    "SA01": "not everything has a relative",
    "SS05": "a metric's or a source's first line names it, and may begin with a plural",
}
# Data, not code: `Convention` has the docstring and the example.
DATA = {"sklearn_rank.metrics.conventions"}
# What may differ between metrics, for the name stands for another thing in each.
OWN_MEANING = {"average", "beta", "denominator", "normalize", "self_normalized"}


PUBLIC = [
    f"{module}.{name}"
    for module in MODULES
    for name in import_module(module).__all__
    if f"{module}.{name}" not in DATA
]


def public_methods():
    for full in PUBLIC:
        module, _, name = full.rpartition(".")
        found = getattr(import_module(module), name)
        if inspect.isclass(found):
            yield from (f"{full}.{member}" for member in own_members(found))


def resolve(full):
    parts = full.split(".")
    found = import_module(".".join(parts[:2]))
    for part in parts[2:]:
        found = getattr(found, part)
    return found


def documented_parameters(function):
    doc = NumpyDocString(inspect.getdoc(function))
    return {part.name: part for part in doc["Parameters"]}


@pytest.mark.parametrize("full", [*PUBLIC, *public_methods()])
def test_docstring_is_complete(full):
    errors = [error for error in validate(full)["errors"] if error[0] not in IGNORED]
    assert errors == []


@pytest.mark.parametrize("full", PUBLIC)
def test_public_object_has_an_example(full):
    found = resolve(full)
    docs = [inspect.getdoc(found)]
    if inspect.isclass(found):
        docs += [inspect.getdoc(getattr(found, name)) for name in own_members(found)]
    assert any(">>> " in (doc or "") for doc in docs)


@pytest.mark.parametrize("full", PUBLIC)
def test_documented_defaults_are_those_of_the_signature(full):
    found = resolve(full)
    documented = {
        name: re.search(r"default=(.*)$", part.type)[1].strip()
        for name, part in documented_parameters(found).items()
        if "default=" in part.type and "," not in name
    }
    for name, said in documented.items():
        if "..." in said:  # a long tuple
            continue
        default = inspect.signature(found).parameters[name].default
        if said == "np.nan":
            assert default != default, name
        else:
            assert ast.literal_eval(said) == default, name


def own_paragraphs(found):
    """Yield what a docstring says without the table: section, name and words."""
    doc = NumpyDocString(inspect.getdoc(found))
    for section in TABLE:
        for part in doc[section]:
            name = part.name or part.type  # an error has only a type
            if shared_paragraph(TABLE, section, name, qualified_name(found)) is None:
                yield section, name, " ".join(part.desc)


def test_shared_paragraphs_are_those_of_the_table():
    differing = check("sklearn_rank.metrics")
    mend = "`python -m tests.docstrings --fix` writes the paragraphs of the table"
    assert not differing, "\n".join([mend, *differing])


def test_what_two_docstrings_say_is_in_the_table():
    found = public_objects("sklearn_rank.metrics")
    # What several classes inherit is written once.
    written = {getattr(one, "__func__", one) for one in found}
    said = Counter(paragraph for one in written for paragraph in own_paragraphs(one))
    assert [paragraph for paragraph, count in said.items() if count > 1] == []


def test_a_parameter_means_the_same_in_all_metrics():
    described = Counter(
        name
        for metric in METRICS.values()
        for section, name, _ in own_paragraphs(metric.function)
        if section == "Parameters" and name not in OWN_MEANING
    )
    assert [name for name, count in described.items() if count > 1] == []


@pytest.mark.parametrize("name", METRICS)
def test_the_docstring_says_what_the_metric_declares(name):
    metric = METRICS[name]
    documented = documented_parameters(metric.function)
    assert ('"worst"' in documented["ties"].type) == metric.has_best_order
    says_nan = "NaN is unjudged" in " ".join(documented["y_true"].desc)
    assert says_nan <= (metric.unjudged != "refused")
    assert says_nan >= (metric.unjudged == "needed")
    assert {column.name for column in metric.columns} - {"subtopics"} <= documented.keys()


@pytest.mark.parametrize("name", METRICS)
def test_metric_says_direction_formula_and_what_is_undefined(name):
    metric = METRICS[name]
    text = inspect.getdoc(metric.function)
    opening = text.partition("Parameters\n")[0]
    assert ("Lower is better" if metric.lower_is_better else "Higher is better") in opening
    assert ".. math::" in opening
    assert re.search("(?i)undefined|without relevant", text)


def test_metrics_are_exported_documented_and_in_the_table():
    exported = set(import_module("sklearn_rank.metrics").__all__)
    functions = {metric.function.__name__ for metric in METRICS.values()}
    assert functions <= exported
    single = {name for name in exported if name.endswith(("_score", "_residual"))}
    # These compare two rankings, and know of no relevance.
    of_two_rankings = {"ap_correlation_score", *OF_TWO_LISTS.split()}
    assert single - functions == of_two_rankings & single


@pytest.fixture(scope="module")
def extensions():
    folder = Path(__file__).parents[1] / "docs" / "_ext"
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def pages(extensions):
    return import_module("generated_pages"), import_module("definitions")


def test_a_metric_with_a_cutoff_is_no_mail_address(extensions):
    publish_doctree = import_module("docutils.core").publish_doctree
    page = publish_doctree("Mean nDCG@10, see https://example.org and *recall@10*.")
    import_module("cutoffs").UnlinkCutoffs(page).apply()
    assert "mailto:" not in str(page)
    assert 'refuri="https://example.org"' in str(page)
    assert page.astext() == "Mean nDCG@10, see https://example.org and recall@10."


def test_the_reference_lists_every_public_name_once(pages):
    lines = [line.strip() for line in pages[0].api().splitlines()]
    for module in MODULES:
        for name in import_module(module).__all__:
            assert lines.count(name) == 1, name


def test_every_metric_has_a_topic_and_every_topic_a_metric(pages):
    definitions = pages[1]
    found = {definitions.topic_of(metric) for metric in definitions.defined_here().values()}
    assert found == {topic[:2] for topic in definitions.TOPICS}


def test_the_definitions_have_every_metric_and_its_range(pages):
    definitions = pages[1]
    text = definitions.definitions()
    for name in METRICS:
        assert f".. _{definitions.anchor(name)}:" in text
    assert ":Range: 1 to the number of items; lower is better" in text
    for name, metric in METRICS.items():
        asked = definitions.asked_for(name, 2)
        for _, grades, scores in definitions.CASES:
            value = definitions.value_of(asked, grades, scores)
            found = metric.range_of(metric.parameters)
            assert np.isnan(value) or found.low <= value <= found.high, name
