"""The grammar of names: what they say, and what is refused."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sklearn_rank._base._validation import MOST_NAMES
from sklearn_rank.metrics import (
    make_ranking_scorer,
    ndcg_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
)
from sklearn_rank.metrics._core._grammar import LONGEST_NAME, parse_name
from sklearn_rank.metrics._core._registry import parse_metric, parse_metrics, register
from tests.metrics.registered import METRICS

ROWS = {"y_true": [1, 0, 0, 2], "y_score": [4.0, 3, 2, 1], "groups": [0, 0, 1, 1]}
EXAMPLE = r"Write for example \"ndcg\(gain='exponential'\)@10\"\.$"

GOOD = [
    ("ndcg", "ndcg", {}),
    ("  mrr\t", "mrr", {}),
    ("ndcg@10", "ndcg", {"k": 10}),
    ("ndcg @ 10", "ndcg", {"k": 10}),
    ("ndcg_at_10", "ndcg", {"k": 10}),
    (" hit_rate_at_007 ", "hit_rate", {"k": 7}),
    ("x_at_1_at_2", "x_at_1", {"k": 2}),
    ("at_5", "at", {"k": 5}),
    ("P_5", "P", {"k": 5}),
    ("ndcg_cut.10", "ndcg_cut", {"@": ".10"}),
    ("iprec_at_recall_0.10", "iprec_at_recall", {"@": "0.10"}),
    ("IPrec@0.1", "IPrec", {"@": "0.1"}),
    ("11pt_avg", "11pt_avg", {}),
    ("precision@10-l2", "precision", {"k": 10, "min_relevance": 2}),
    ("x_at_", "x_at_", {}),
    ("ndcg@007", "ndcg", {"k": 7}),
    ("ndcg()", "ndcg", {}),
    ("ndcg( )@2", "ndcg", {"k": 2}),
    ("ndcg(k=3)", "ndcg", {"k": 3}),
    ("ndcg(k=3,)", "ndcg", {"k": 3}),
    ("ndcg(k=None)", "ndcg", {"k": None}),
    ("ndcg(gain='exponential')@10", "ndcg", {"gain": "exponential", "k": 10}),
    (
        'ndcg ( gain = "linear" ,\n log_base = 3 ) @ 5',
        "ndcg",
        {"gain": "linear", "log_base": 3, "k": 5},
    ),
    ("x(a=1.5,b=-2,c=+.5e-3)", "x", {"a": 1.5, "b": -2, "c": 5e-4}),
    ("x(d=2.,e=1E2,f=-0)", "x", {"d": 2.0, "e": 100.0, "f": 0}),
    ("x(a=True,b=False,c=None)", "x", {"a": True, "b": False, "c": None}),
    ("x(a='(k=1)@3, \" ٣', b=\"it's\")", "x", {"a": '(k=1)@3, " ٣', "b": "it's"}),
    ("r_precision", "r_precision", {}),
    ("_x9(_y=0)", "_x9", {"_y": 0}),
]
BAD = [
    # What Python would call twice, or compute with.
    ("ndcg(k=1)(k=3)", r"'\(' comes after the end of the name"),
    ("ndcg(k=1).x(k=3)", r"'\.' comes after the end of the name"),
    ("ndcg(k=1)+(2)", r"'\+' comes after the end of the name"),
    ("ndcg(k=1,k=2)", "gives 'k' twice"),
    ("ndcg(gain='linear',k=2,gain='linear')", "gives 'gain' twice"),
    ("ndcg(k=3)@3", "gives the cutoff twice"),
    ("ndcg(cutoff=3, k=4)", "gives `k` twice"),
    ("ndcg_cut.0", r"after @ must be a positive integer, got '\.0'"),
    ("ndcg(k=1+1)", r"',' is missing before '\+1'"),
    ("ndcg(k=1 log_base=2)", "',' is missing before 'log_base'"),
    ("ndcg(k=- 1)", "'-' is not a value"),
    ("ndcg(k=" + "-" * 20 + "1)", "'-' is not a value"),
    # Values that are not one number, text or constant.
    ("ndcg(gain={[]})", "'{' is not a value"),
    ("ndcg(discount=[])", r"'\[' is not a value"),
    ("ndcg(gain=(1,))", r"'\(' is not a value"),
    ("ndcg(gain=exponential)", "'exponential' is not a value.*text in quotes"),
    ("ndcg(gain=open('x'))", "'open' is not a value"),
    ("ndcg(gain='exponential)", '"\'" is not a value'),
    (r"ndcg(gain='\x65')", '"\'" is not a value'),
    (r'ndcg(gain="\x65")', "'\"' is not a value"),
    ("ndcg(gain=b'linear')", "'b' is not a value"),
    ("ndcg(k=1_0)", "',' is missing before '_0'"),
    ("ndcg(k=0x1)", "',' is missing before 'x1'"),
    ("ndcg(k=1e)", "',' is missing before 'e'"),
    ("ndcg(k=.)", r"'\.' is not a value"),
    ("ndcg(k=٣)", "'٣' is not a value"),
    ("ndcg(k=)", r"'\)' is not a value"),
    ("ndcg(k=", "the end is not a value"),
    # Parameters.
    ("ndcg('linear')", r"a parameter, as name=value, is missing before \"'linear'\""),
    ("ndcg(,)", "a parameter, as name=value, is missing before ','"),
    ("ndcg(", "a parameter, as name=value, is missing before the end"),
    ("ndcg(k", "'=' is missing before the end"),
    ("ndcg(k:3)", "'=' is missing before ':'"),
    ("ndcg(k=3", "',' is missing before the end"),
    ("ndcg(**{'k': 3})", r"is missing before '\*'"),
    # Cutoffs.
    ("ndcg@", "after @ must be a positive integer, got the end"),
    ("ndcg@ten", "after @ must be a positive integer, got 'ten'"),
    ("ndcg@0", "after @ must be a positive integer, got '0'"),
    ("ndcg@-1", "after @ must be a positive integer, got '-1'"),
    ("ndcg@+1", r"after @ must be a positive integer, got '\+1'"),
    ("ndcg@1.5", r"after @ must be a positive integer, got '1\.5'"),
    ("ndcg@1e3", "after @ must be a positive integer, got '1e3'"),
    ("ndcg@٣", "after @ must be a positive integer, got '٣'"),
    ("ndcg@²", "after @ must be a positive integer, got '²'"),
    ("ndcg@1_0", "'_0' comes after the end of the name"),
    ("ndcg@10x", "'x' comes after the end of the name"),
    ("ndcg_at_5@6", "'@' comes after the end of the name"),
    ("ndcg_at_5(gain='linear')", r"'\(' comes after the end of the name"),
    ("ndcg@5@6", "'@' comes after the end of the name"),
    ("ndcg@5(k=3)", r"'\(' comes after the end of the name"),
    # The word that a name begins with.
    ("", "the name of a metric is missing before the end"),
    (" \n", "the name of a metric is missing before the end"),
    ("@5", "the name of a metric is missing before '@'"),
    ("5ndcg", "the name of a metric is missing before '5'"),
    ("ndcg)@5", r"'\)' comes after the end of the name"),
    ("ndcg-5", "'-5' comes after the end of the name"),
    ("ndcg\u00a0@5", "comes after the end of the name"),
    ("ñdcg", "the name of a metric is missing before 'ñ'"),
    # As long as the old reader needed hours for.
    ("ndcg" + " " * 100_000 + "x", "it has 100005 characters, and 256 are the most"),
    ("ndcg(k=" + "-" * 5000 + "1)", "it has 5009 characters"),
    ("x" * 257, "it has 257 characters"),
]


@pytest.mark.parametrize(("text", "name", "parameters"), GOOD)
def test_what_a_name_says(text, name, parameters):
    found, given = parse_name(text)
    assert (found, given) == (name, parameters)
    assert [type(value) for value in given.values()] == list(map(type, parameters.values()))


@pytest.mark.parametrize(("text", "what"), BAD, ids=[text[:30] for text, _ in BAD])
def test_what_is_refused(text, what):
    with pytest.raises(ValueError, match=f"(?s){what}.*{EXAMPLE}") as raised:
        parse_metric(text)
    message = str(raised.value)
    assert "Cannot read the name of a metric" in message
    assert (repr(text) if len(text) < 60 else "...") in message
    assert len(message) < 400


def test_the_longest_name():
    text = "ndcg" + " " * (LONGEST_NAME - 5) + "x"
    assert len(text) == LONGEST_NAME
    with pytest.raises(ValueError, match="'x' comes after the end of the name"):
        parse_name(text)
    assert parse_name("x" * LONGEST_NAME) == ("x" * LONGEST_NAME, {})


LITTLE = st.sampled_from([*"ndcg()=,@'\"\\+-._ \t٣1x", "map", "k", "gain", "True", "1e9"])


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(LITTLE).map("".join)))
@example("ndcg(" * 60)
@example("'" * 250)
@example("\ud800")
@example("ndcg(k=" + "9" * 200 + ")")
@example("ndcg@" + "9" * 200)
def test_any_text_parses_or_is_refused_by_our_error(text):
    named, message = None, ""
    try:
        named = parse_metric(text)
    except ValueError as error:
        message = str(error)
    if named is None:
        assert 0 < len(message.encode("utf-8")) < 1200
    else:
        assert parse_metric(named.name) == named
        assert set(named.chosen) <= set(named.parameters)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True),
        st.one_of(
            st.integers(-(10**9), 10**9),
            st.floats(allow_nan=False, allow_infinity=False),
            st.sampled_from([True, False, None]),
            st.text(st.characters(exclude_characters="'\"\\", codec="utf-8"), max_size=8),
        ),
        max_size=4,
    )
)
def test_what_python_writes_is_read_back(parameters):
    written = ", ".join(
        f"{name}='{value}'" if isinstance(value, str) else f"{name}={value!r}"
        for name, value in parameters.items()
    )
    assert parse_name(f"metric({written})") == ("metric", parameters)


# ---- names of metrics ------------------------------------------------------------------


def test_an_unknown_word_lists_the_nearest_metrics():
    said = r"'ngcd@5'\. Did you mean 'ndcg'\? Valid: 'ndcg@k', .* more\.$"
    with pytest.raises(ValueError, match=said) as raised:
        parse_metric("ngcd@5")
    assert str(raised.value).count("'") == 2 * (2 + MOST_NAMES)
    with pytest.raises(ValueError, match=r"'x{59}\.\.\. \(202 characters\)\. Valid: '"):
        parse_metric("x" * 200)


def test_rating_errors_are_among_the_names():
    with pytest.raises(ValueError, match=r"'rmes'. Did you mean 'rmse'\? Valid: 'rmse', "):
        parse_metric("rmes")


def test_an_unknown_parameter_is_shortened_too():
    with pytest.raises(ValueError, match=r"no parameter 'x{59}\.\.\. .*Valid: 'k'"):
        parse_metric(f"mrr({'x' * 200}=1)")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("ndcg(k='3')", "`k` must be an integer"),
        ("ndcg(k=True)", "`k` must be an integer"),
        ("ndcg(k=0)", "`k` must be an integer >= 1"),
        ("ndcg(log_base='e')", "`log_base` must be a number"),
        ("rbp(persistence=1)", "`persistence` must be a number between"),
        ("mrr(min_relevance=-1)", "`min_relevance` must be a positive"),
    ],
)
def test_a_wrong_value_is_an_error_of_the_name(text, what):
    with pytest.raises(ValueError, match=f"{what}.*{EXAMPLE}") as raised:
        parse_metric(text)
    assert repr(text) in str(raised.value)


def test_rating_errors_take_no_parameters():
    assert parse_metric(" mae ").metric.name == "mae"
    with pytest.raises(
        ValueError, match=r"'mae' takes no parameters.*'mae@5'.*write 'mae'"
    ):
        parse_metric("mae@5")


def test_repeated_names():
    found = parse_metrics(["ndcg@5", "mrr", "map", "ndcg @ 5", "mrr", "ndcg(k=5)"])
    assert [named.name for named in found] == [
        "ndcg@5",
        "mrr",
        "map",
        "ndcg @ 5",
        "ndcg(k=5)",
    ]
    assert {named.definition for named in found} == {"ndcg@5", "mrr", "map"}


@pytest.mark.parametrize("bad", [5, None, b"ndcg", ["mrr"] * 100])
def test_what_is_no_name(bad):
    with pytest.raises(TypeError, match="`metrics` takes names") as raised:
        parse_metric(bad)
    assert len(str(raised.value)) < 200


def test_functions_of_the_package():
    for name, metric in METRICS.items():
        named = parse_metric(metric.function)
        assert (named.name, named.metric, named.chosen) == (name, metric, ())
        assert named.parameters == metric.parameters


def test_what_a_name_says_wins_over_the_defaults():
    named = parse_metric("ndcg(gain='linear')", gain="exponential", k=7, min_relevance=2)
    assert named.parameters["gain"] == "linear"
    assert named.parameters["k"] == 7
    assert named.chosen == ("gain", "k")
    assert "min_relevance" not in named.parameters
    assert pickle.loads(pickle.dumps(named)) == named


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ndcg_cut.10", "ndcg@10"),
        ("P.5", "precision@5"),
        ("rbp.95", "rbp(persistence=0.95)"),
        ("iprec@1", "interpolated_precision(recall_level=1, rounding='nine_tenths')"),
    ],
)
def test_what_a_number_after_a_word_means(text, name):
    assert parse_metric(text).definition == name


def test_words_for_other_metrics_are_checked_too():
    assert make_ranking_scorer(["recall@1", "ndcg"], gain="exponential")
    with pytest.raises(ValueError, match=r"`gain` got 'exponentiel'. Did you mean 'expon"):
        make_ranking_scorer(["recall@1", "ndcg"], gain="exponentiel")


def test_numbers_become_those_of_python():
    named = parse_metric("ndcg", k=np.int8(7), log_base=np.float32(3))
    kinds = {name: type(named.parameters[name]) for name in ("k", "log_base")}
    assert kinds == {"k": int, "log_base": float}


# ---- parameters beside the names -------------------------------------------------------


@pytest.mark.parametrize("function", [ranking_scores, per_query_scores, ranking_report])
@pytest.mark.parametrize("metrics", ["ndcg", "mae", "mrr", ndcg_score])
@pytest.mark.parametrize(
    ("bad", "kind"), [("abc", TypeError), (-1, ValueError), ([1], TypeError)]
)
def test_min_relevance_is_checked_for_metrics_without_it(function, metrics, bad, kind):
    with pytest.raises(kind, match="min_relevance"):
        function(**ROWS, metrics=metrics, min_relevance=bad)


@pytest.mark.parametrize(
    "bad", [[], {}, {"a": []}, (1,), np.array([1, 2]), np.array("log")]
)
@pytest.mark.parametrize("name", ["gain", "discount", "log_base", "k"])
def test_parameters_are_no_lists_or_arrays(name, bad):
    with pytest.raises((TypeError, ValueError), match=f"`{name}` (got|must be)"):
        make_ranking_scorer("ndcg", **{name: bad})


def test_a_report_leaves_the_cutoff_of_a_name_alone():
    names = ["ndcg(k=3)", "mrr", "auc", "map @ 2", "ndcg(gain='linear')", ndcg_score]
    report = ranking_report(**ROWS, metrics=names, k=(1, 2), output_dict=True)
    assert list(report) == [
        "ndcg(k=3)",
        "mrr@1",
        "mrr@2",
        "auc",
        "map @ 2",
        "ndcg(gain='linear')@1",
        "ndcg(gain='linear')@2",
        "ndcg@1",
        "ndcg@2",
    ]


@pytest.mark.parametrize("taken", [{"name": "mrr"}, {"name": "ap"}])
def test_no_two_metrics_have_one_name(taken):
    with pytest.raises(ValueError, match="as another metric is; choose another name"):
        register(replace(METRICS["ndcg"], **taken))
    assert "new" not in METRICS


def test_a_parameter_of_several_meanings_is_checked_by_the_metric_that_has_it():
    """The beta of F is positive, that of NRBP is a probability."""
    rows = {"y_true": [1.0, 0], "y_score": [1, 2], "groups": [0, 0]}
    assert make_ranking_scorer("f1@2", beta=2).metric_params == {"beta": 2}
    with pytest.raises(ValueError, match="`beta` must be a number between 0 and 1"):
        make_ranking_scorer("nrbp", beta=2)
    with pytest.raises(ValueError, match="`beta` must be"):
        make_ranking_scorer("f1@2", beta=-2)
    assert ranking_scores(**rows, metrics="f1(beta=2)@2")["f1(beta=2)@2"] > 0


def test_names_without_an_at_sign():
    rows = {"y_true": [0, 1, 1], "y_score": [3, 2, 1], "groups": [0] * 3}
    names = ["ndcg_at_2", "recall_at_1", "R_at_2", "mrr"]
    found = ranking_scores(**rows, metrics=names)
    with_at = ranking_scores(**rows, metrics=["ndcg@2", "recall@1", "recall@2", "mrr"])
    assert list(found) == names
    assert list(found.values()) == list(with_at.values())
    with pytest.raises(
        ValueError, match=r"Unknown metric 'ndgc_at_3'.*Did you mean 'ndcg'"
    ):
        parse_metric("ndgc_at_3")
    with pytest.raises(ValueError, match=r"positive integer|`k` must be an integer >= 1"):
        parse_metric("ndcg_at_0")
    with pytest.raises(ValueError, match="'auc' has no parameter 'k'"):
        parse_metric("auc_at_3")
