"""Names of strangers are shown, and not obeyed by a terminal."""

import json
import re
import sys
import unicodedata
import zipfile

import pytest

from sklearn_rank._base._text import (
    align_columns,
    escape_controls,
    place_beside,
    wrap_lines,
    wrap_text,
)
from sklearn_rank._display._figures import short_name
from sklearn_rank._display._section import Section
from sklearn_rank.inputs import from_files
from sklearn_rank.metrics import per_query_scores, ranking_report
from sklearn_rank.recommenders import PopularityRecommender, load_model, save_model
from sklearn_rank.statistics import compare_models

ESCAPE, RIGHT_TO_LEFT = "\x1b", "\u202e"
NAME = f"bm25{ESCAPE}[2J\n{RIGHT_TO_LEFT}"
SHOWN = r"bm25\x1b[2J\n\u202e"


def test_each_character_is_kept_or_has_its_escape():
    for number in range(sys.maxunicode + 1):
        one = chr(number)
        is_joiner = one in "\u200c\u200d"
        escaped = ("Cc", "Cf", "Cs", "Zl", "Zp")
        is_escaped = unicodedata.category(one) in escaped and not is_joiner
        shown = escape_controls(one)
        assert len(f"a{shown}b".splitlines()) == 1
        assert (shown != one) is is_escaped
        if is_escaped:
            assert shown.isprintable()
            assert shown.encode().decode("unicode_escape") == one


def test_scripts_and_emoji_are_kept():
    text = "نمی\u200cخواهم, क्\u200dष, 👩\u200d🚀, a\u00a0b, c:\\x1b"
    assert escape_controls(text) == text


@pytest.mark.parametrize(
    "lay_out",
    [
        lambda name: "\n".join(align_columns([["", "mean"], [name, "1"]])),
        lambda name: "\n".join(wrap_lines(f"Note: {name} is here.")),
        lambda name: "\n".join(place_beside("0.5", name)),
        lambda name: Section(head=[name], code=name.replace("\n", "\\n")).html(),
        lambda name: Section(lines=[["a", "b"], [name, "1"]], notes=[name]).html(),
        lambda name: Section(lines=[["a", "b"], [name, "1"]], title=name).html(),
        lambda name: Section(lines=[["a", "b"], [name, "1"]], names_last=True).text(),
        short_name,
    ],
)
def test_what_is_shown_has_escapes(lay_out):
    shown = lay_out(NAME)
    assert SHOWN in shown
    assert ESCAPE not in shown
    assert RIGHT_TO_LEFT not in shown


def test_lines_of_text_and_code_stay_lines():
    assert wrap_text(f"a{ESCAPE}\n  b") == "a\\x1b\n  b"
    assert "<pre>a\\x1b\n  b</pre>" in Section(code=f"a{ESCAPE}\n  b").html()


def test_columns_of_escaped_names_are_aligned():
    lines = align_columns([["", "mean"], [NAME, "1"], ["b", "2"]])
    assert len({len(line) for line in lines}) == 1


@pytest.fixture
def comparison():
    labels, scores = [0, 1] * 30, [place * 0.37 % 1 for place in range(60)]
    groups = [place // 2 for place in range(60)]
    values = per_query_scores(labels, scores, groups=groups, metrics="mrr")
    return compare_models({NAME: values, "b": values})


def test_a_comparison(comparison):
    texts = [str(comparison), comparison._repr_html_(), comparison.to_html()]
    texts += [
        comparison.superscripts(markup=markup).index[0] for markup in ("unicode", "html")
    ]
    for text in texts:
        assert ESCAPE not in text
        assert RIGHT_TO_LEFT not in text
        assert SHOWN in text
    assert comparison.means["model"][0] == NAME  # the value is as it was given


def test_a_report_of_segments():
    report = ranking_report([0, 1], [1, 2], groups=[1, 1], by=[NAME] * 2, metrics="mrr")
    assert SHOWN in report
    assert ESCAPE not in report


def write_forged(path, **versions):
    """Write a model file of a later format, with versions of a stranger."""
    plain = path.with_name("plain.npz")
    save_model(PopularityRecommender().fit([["a", "x"], ["b", "y"]]), plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w") as new:
        about = json.loads(old.read("model.json"))
        about["format"] = 3
        about["versions"] |= versions
        for name in old.namelist():
            content = json.dumps(about) if name == "model.json" else old.read(name)
            new.writestr(name, content)


@pytest.mark.parametrize("package", ["sklearn-rank", "scikit-learn"])
@pytest.mark.parametrize(
    "version",
    [f"{ESCAPE}[2J(see evil.example)", "1" * 65, "9" * 10**6, "1.0\n", "١.٢", "", 3, None],
)
def test_a_model_file_whose_version_is_none_is_damaged(tmp_path, package, version):
    path = tmp_path / "model.npz"
    write_forged(path, **{package: version})
    with pytest.raises(ValueError, match="is damaged, or not as `save_model`") as caught:
        load_model(path)
    assert ESCAPE not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("version", ["2.0", "1!2.0.1rc1.post2.dev3+local.7", "v1.0-alpha"])
def test_a_later_release_is_named(tmp_path, version):
    path = tmp_path / "model.npz"
    write_forged(path, **{"sklearn-rank": version})
    said = re.escape(f"written by sklearn-rank {version} in format 3")
    with pytest.raises(ValueError, match=said):
        load_model(path)


@pytest.mark.skipif(sys.platform == "win32", reason="a file cannot have such a name")
def test_the_name_of_a_torn_file(tmp_path):
    path = tmp_path / f"qrels{ESCAPE}[2J.txt"
    path.write_text("q1 0 a\n")
    with pytest.raises(ValueError, match=r"qrels\\x1b\[2J\.txt") as caught:
        from_files(path, path)
    assert ESCAPE not in str(caught.value)
