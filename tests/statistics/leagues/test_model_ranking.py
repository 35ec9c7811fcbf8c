"""ModelRanking: its text, rows, table and picture."""

import json
import pickle

import numpy as np
import pytest

from sklearn_rank.statistics import (
    ModelComparison,
    ModelRanking,
    ModelRankingDisplay,
    compare_models,
    rank_models,
)
from sklearn_rank.statistics._comparison_text import letters_by_model
from tests.statistics.leagues.example_leagues import EIGHT, MODELS, OF_QUERIES, league

FOUND = rank_models(league(EIGHT, MODELS))
ROUGH = pytest.mark.filterwarnings("ignore:Errors over queries have")
NO_RANKING = compare_models({"a": [1.0, 2, 3], "b": [2.0, 3, 5]}, test="randomization")
EVIL = r"<b>a_1|*&$"


def test_the_text_ends_with_what_it_is_about():
    assert str(FOUND).splitlines()[-3:] == [
        "Tied for first: a, b.",
        "Ranks hold together with 95%, for data sets like these 8, if data sets are",
        "  independent.",
    ]
    clear = rank_models(league(EIGHT - np.array([0, 0.1, 0.2, 0.3]), MODELS))
    assert "\nFirst: a.\n" in str(clear)
    many = rank_models(league(np.random.default_rng(0).random((8, 11))))
    assert "\nTied for first: 11 models.\n" in str(many)
    assert repr(FOUND) == "ModelRanking(4 models, 8 data sets)"


def test_the_frame_and_the_dict():
    frame = FOUND.to_frame()
    assert list(frame.columns) == [
        *("model", "mean", "rank", "rank_low", "rank_high", "tied_for_first"),
        *("letters", "mean_rank", "n_datasets"),
    ]
    assert frame[frame["tied_for_first"]]["model"].tolist() == ["a", "b"]
    found = json.loads(json.dumps(FOUND.to_dict(), allow_nan=False))
    assert list(found) == ["rows", "pairs", "values", "left_out", "settings", "warnings"]
    assert len(found["pairs"]) == 6
    assert found["values"]["task 0"] == dict(zip(MODELS, EIGHT[0].tolist(), strict=True))
    assert pickle.loads(pickle.dumps(FOUND)).to_dict() == FOUND.to_dict()


def test_a_pair_has_the_sign_that_is_asked_for():
    one, other = FOUND.pair("a", "d"), FOUND.pair("d", "a")
    assert (one.model, one.baseline) == ("a", "d")
    assert one.difference == -other.difference > 0
    assert one.standard_error == other.standard_error
    with pytest.raises(ValueError, match="`model` got 'x'"):
        FOUND.pair("x", "a")
    with pytest.raises(ValueError, match="`baseline` got 'a'"):
        FOUND.pair("a", "a")
    with pytest.raises(ValueError, match="has no pair of 'a' and 'b'"):
        ModelRanking(FOUND.rows()).pair("a", "b")


def test_letters_agree_with_the_pairs():
    rng = np.random.default_rng(1)
    found = rank_models(league(rng.normal(0, 0.5, (9, 8)) + np.linspace(0, 1, 8)))
    letters = {row.model: set(row.letters) for row in found.rows()}
    for row in found.to_dict()["pairs"]:
        is_apart = not letters[row["model"]] & letters[row["baseline"]]
        assert is_apart == (row["p_adjusted"] <= 0.05)


def test_letters_that_nobody_could_read_are_left_out():
    # Pairs of 2n models differ in n disjoint pairs: 2 ** n largest sets without any.
    differ = [(2 * n, 2 * n + 1) for n in range(7)]
    assert set(letters_by_model(range(14), differ, 100).values()) == {""}
    assert len(set("".join(letters_by_model(range(14), differ[:6], 100).values()))) > 25
    without = ModelRanking([{**row, "letters": ""} for row in FOUND.rows()])
    assert "letters" not in str(without)


def test_the_table_is_means_with_the_best_in_bold():
    frame = FOUND.table(markup="latex", digits=3)
    assert frame.index.tolist() == [*(f"task {n}" for n in range(8)), "mean"]
    assert frame.columns.tolist() == MODELS
    assert frame.loc["task 0"].tolist() == [r"\textbf{0.612}", "0.604", "0.571", "0.480"]
    assert frame.loc["mean"].tolist() == [
        r"\textbf{0.498}",
        r"0.497$^{\dagger}$",
        "0.468",
        "0.424",
    ]


def test_equal_bests_are_both_bold():
    numbers = EIGHT.copy()
    numbers[0, 1] = numbers[0, 0]
    frame = rank_models(league(numbers, MODELS)).table(markup="html", digits=2)
    assert frame.loc["task 0"].tolist() == ["<b>0.61</b>", "<b>0.61</b>", "0.57", "0.48"]


def test_the_table_where_lower_is_better():
    frame = rank_models(league(EIGHT, MODELS), lower_is_better=True).table(digits=1)
    assert frame.columns.tolist() == MODELS[::-1]
    assert frame.loc["task 0"].tolist() == ["𝟎.𝟓", "0.6", "0.6", "0.6"]


def by_holm(p_values):
    ordered = sorted(p_values, key=p_values.get)
    adjusted, last = {}, 0.0
    for place, key in enumerate(ordered):
        last = adjusted[key] = max(last, min(1, (len(ordered) - place) * p_values[key]))
    return adjusted


def daggers(scores, family):
    """Return which cells of rows have a dagger, by a loop."""
    p_values = {
        (task, frozenset((row.model, row.baseline))): row.p_value
        for task, one in scores.items()
        for row in compare_models(one, correction=None).rows()
    }
    found = set()
    for task, models in scores.items():
        adjusted = by_holm(
            {key: p for key, p in p_values.items() if family == "all" or key[0] == task}
        )
        best = max(models, key=lambda model: np.mean(models[model]))
        for model in set(models) - {best}:
            if adjusted[task, frozenset((model, best))] > 0.05:
                found.add((task, model))
    return found


def test_daggers_of_rows_are_by_holm_over_their_family():
    rng = np.random.default_rng(0)
    scores = {
        f"t{n}": {m: rng.random(30) * 0.3 + k * n / 100 for k, m in enumerate("abc")}
        for n in range(8)
    }
    counts = []
    for family in ("all", "dataset"):
        found = rank_models(scores, over="queries", family=family)
        frame = found.table(markup="markdown")
        shown = {
            (task, model)
            for task in scores
            for model in "abc"
            if frame.loc[task, model].endswith("†")
        }
        assert shown == daggers(scores, family)
        counts.append(len(shown))
    assert 16 > counts[0] > counts[1] > 0


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("unicode", EVIL),
        ("latex", r"<b>a\_1|*\&\$"),
        ("html", "&lt;b&gt;a_1|*&amp;$"),
        ("markdown", r"\<b\>a\_1\|\*\&\$"),
    ],
)
def test_names_are_escaped(markup, name):
    scores = {f"{EVIL} {n}": {EVIL: 0.5 + n / 7, "b": n / 9} for n in range(5)}
    frame = rank_models(scores).table(markup=markup)
    assert frame.columns.tolist() == [name, "b"]
    assert frame.index.tolist() == [*(f"{name} {n}" for n in range(5)), "mean"]


def test_a_name_breaks_no_row_of_markdown():
    scores = {f"t{n}": {"a\nb": 0.5 + n, "b": 0.1 + n} for n in range(5)}
    assert rank_models(scores).table(markup="markdown").columns[0] == r"a\\nb"


def test_the_table_in_markdown_keeps_its_digits():
    pytest.importorskip("tabulate")
    frame = FOUND.table(markup="markdown", digits=3)
    lines = frame.to_markdown(disable_numparse=True).splitlines()
    cells = [cell.strip() for cell in lines[-1].strip("|").split("|")]
    assert cells == ["mean", "**0.498**", "0.497†", "0.468", "0.424"]
    assert "| 0.480 " in lines[2]


def test_what_a_table_refuses():
    with pytest.raises(ValueError, match="`markup` got 'rst'"):
        FOUND.table(markup="rst")
    with pytest.raises(ValueError, match="17 at most"):
        FOUND.table(digits=18)
    with pytest.raises(ValueError, match="has no values of data sets"):
        ModelRanking(FOUND.rows()).table()
    values = {"task 0": {"a": 1.0}}
    with pytest.raises(ValueError, match=r"`values\['task 0'\]` has no value of 'b'"):
        ModelRanking(FOUND.rows(), values=values).table()


@pytest.mark.parametrize("name", [*ModelRanking._names, *ModelRanking._numbers])
def test_a_ranking_by_hand_needs_its_columns(name):
    row = FOUND.row("a")
    needed = [*ModelRanking._names, *ModelRanking._numbers]
    made = ModelRanking([{one: row[one] for one in needed}])
    assert "1 to 2" in str(made)
    made.plot()
    with pytest.raises(ValueError, match=rf"`rows\[0\]` has no '{name}'"):
        ModelRanking([{one: row[one] for one in needed if one != name}])


def test_a_ranking_by_hand():
    made = ModelRanking(FOUND.rows(), values=FOUND.values)
    assert made.table().loc["mean", "b"] == "0.4966"  # no pairs, so no dagger
    assert made.tied_for_first == ["a", "b"]
    with pytest.raises(TypeError, match=r"by_dataset\['x'\].*a ModelComparison"):
        ModelRanking(FOUND.rows(), by_dataset={"x": FOUND})
    with pytest.raises(TypeError, match="`left_out` must be a list"):
        ModelRanking(FOUND.rows(), left_out="a")
    with pytest.raises(TypeError, match=r"values\['x'\]"):
        ModelRanking(FOUND.rows(), values={"x": 3})


@ROUGH
def test_comparisons_of_data_sets_are_kept():
    found = rank_models(OF_QUERIES, over="queries")
    assert list(found.by_dataset) == ["first", "second"]
    assert isinstance(found.by_dataset["first"], ModelComparison)
    assert [query.label for query in found.by_dataset["first"].movers("b", "a", n=1)] == [0]
    json.dumps(found.to_dict(), allow_nan=False)


class TestPicture:
    """A dot at the rank and a line over the ranks that hold."""

    @pytest.fixture(autouse=True)
    def close_figures(self):
        self.plt = pytest.importorskip("matplotlib.pyplot")
        yield
        self.plt.close("all")

    def test_dots_and_lines(self):
        display = FOUND.plot()
        assert isinstance(display, ModelRankingDisplay)
        assert [label.get_text() for label in display.ax_.get_yticklabels()] == MODELS
        assert [point.get_xdata()[0] for point in display.points_] == [1, 2, 3, 4]
        ends = [tuple(line.get_xdata()) for line in display.intervals_]
        assert ends == [(1, 2), (1, 2), (3, 4), (3, 4)]
        bottom, top = display.ax_.get_ylim()
        assert bottom > top
        assert (
            display.ax_.get_xlabel() == "rank by score (all ranks hold together with 95%)"
        )

    def test_tied_for_first_in_color(self):
        colors = [point.get_color() for point in FOUND.plot().points_]
        assert colors == ["#608D9F", "#608D9F", "0.5", "0.5"]
        lines = [line.get_color() for line in FOUND.plot().intervals_]
        assert lines == colors

    def test_by_hand_in_any_order_and_with_keywords(self):
        display = ModelRankingDisplay(
            model=["x", "y"], rank=[2, 1], rank_low=[2, 1], rank_high=[2, 1], metric="$m"
        ).plot(point_kw={"marker": "s"}, line_kw={"linewidth": 5})
        assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["y", "x"]
        assert display.points_[0].get_marker() == "s"
        assert display.intervals_[0].get_linewidth() == 5
        display.figure_.canvas.draw()  # the name is no formula

    def test_a_given_axis(self):
        ax = self.plt.figure().subplots()
        assert ModelRankingDisplay.from_ranking(FOUND, ax=ax).ax_ is ax

    @pytest.mark.parametrize(
        "bad",
        [
            None,
            3,
            compare_models({"a": [1.0, 2, 3], "b": [2.0, 3, 5]}, test="randomization"),
        ],
    )
    def test_something_else_is_refused(self, bad):
        with pytest.raises(TypeError, match="`ranking` must be a ModelRanking"):
            ModelRankingDisplay.from_ranking(bad)

    def test_unequal_lengths_are_refused(self):
        with pytest.raises(ValueError, match="must be of one length"):
            ModelRankingDisplay(
                model=["a"], rank=[1, 2], rank_low=[1], rank_high=[1]
            ).plot()
