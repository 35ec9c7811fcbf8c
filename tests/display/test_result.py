"""Every result has the same five faces: text, HTML, a frame, a dict and a picture."""

import json
import pickle
from datetime import date
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank.datasets import make_ranking
from sklearn_rank.experiments import evaluate_models, tune_models
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.model_selection import describe_split
from sklearn_rank.online import (
    compare_variants,
    interleaving_test,
    off_policy_value,
    sample_ratio_test,
)
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import ItemNeighborsRecommender
from sklearn_rank.statistics import (
    compare_candidates,
    compare_models,
    confidence_interval,
    rank_models,
    rater_agreement,
)

pd = pytest.importorskip("pandas", reason="results become frames")

# What would run in a browser, and be a formula in a picture.
EVIL = "<script>alert('$1_{2}$ & \"3\"')</script>"
VOID = {"meta", "img", "source"}


def per_query():
    X, y, groups = make_ranking(n_queries=20, random_state=0)
    return per_query_scores(y, X[:, 0], groups=groups, metrics=["ndcg@10"])


def compared(baseline=None):
    values = np.random.default_rng(0).random((3, 30))
    return compare_models(
        dict(zip([EVIL, "b", "c"], values, strict=True)), baseline=baseline
    )


def compared_candidates():
    folds = {EVIL: [0.32, 0.31, 0.33, 0.29, 0.32], "old": [0.30, 0.31, 0.30, 0.28, 0.31]}
    return compare_candidates(folds, test_size=0.2, baseline="old")


def ranked():
    numbers = np.random.default_rng(0).random((8, 3))
    return rank_models(
        {
            f"{EVIL} {n}": dict(zip([EVIL, "b", "c"], row, strict=True))
            for n, row in enumerate(numbers)
        }
    )


def raters():
    grades = [[0, 0], [1, 1], [2, 3], [3, 3], [0, 1], [2, 2], [1, 1], [0, 0]]
    return rater_agreement(grades, raters=[EVIL, "bob"])


def variants():
    outcome = np.random.default_rng(0).random(90)
    return compare_variants(outcome, np.repeat(["a", EVIL, "c"], 30), control="a")


def interleaved():
    impression, clicked = np.repeat(np.arange(12), 2), [1, 0] * 7 + [0, 1] * 2 + [0, 0] * 3
    names = [EVIL, "b"]
    return interleaving_test([0, 1] * 12, clicked, impression=impression, names=names)


def split():
    times = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"])
    users = ["ann", "bob", "ann", "bob"]
    return describe_split([([0, 1], [2, 3])], None, users=users, times=times)


def explanation():
    X = [("ann", EVIL), ("ann", "milk"), ("bob", EVIL), ("bob", "milk"), ("bob", "cake")]
    return ItemNeighborsRecommender().fit(X).explain("ann", "cake", n=1)


@cache
def rankers():
    X, y, groups = make_ranking(n_queries=60, random_state=0)
    models = {EVIL: (GroupRanker(Ridge()), {"estimator__alpha": [0.1, 10]})}
    return tune_models(X, y, groups=groups, n_splits=2, models=models)


@cache
def only_searched():
    X, y, groups = make_ranking(n_queries=30, random_state=0)
    models = {EVIL: (GroupRanker(Ridge()), {"estimator__alpha": [0.1, 10]})}
    return tune_models(X, y, groups=groups, n_splits=2, models=models, test_size=None)


@cache
def evaluated():
    X, y, groups = make_ranking(n_queries=60, random_state=0)
    X = np.column_stack([X, groups % 2])
    models = {
        name: GroupRanker(Ridge(alpha)).fit(X, y, groups=groups)
        for name, alpha in ((f"{EVIL}, 1", 0.1), (f"{EVIL}, 2", 1e6))
    }
    return evaluate_models(models, X, y, groups=groups, by=X.shape[1] - 1)


def interval():
    return confidence_interval(np.arange(30) / 30)


def ratio():
    return sample_ratio_test(counts={EVIL: 821_588, "treatment": 815_482})


def off_policy():
    slates, chances = np.repeat(np.arange(200), 2), np.full(400, 0.5)
    clicked = np.random.default_rng(0).random(400) < 0.3
    return off_policy_value(
        clicked,
        slate=slates,
        position=np.tile([1, 2], 200),
        propensity=chances,
        target_probability=chances,
    )


# What makes each result, how many rows its frame has, and columns of it.
RESULTS = {
    "PerQueryScores": (per_query, 20, ["ndcg@10"]),
    "ModelComparison": (compared, 3, ["metric", "model", "baseline", "difference"]),
    "comparison with a baseline": (lambda: compared("b"), 2, ["difference", "p_adjusted"]),
    "comparison of candidates": (compared_candidates, 1, ["p_better"]),
    "ModelRanking": (ranked, 3, ["model", "rank", "rank_low", "tied_for_first"]),
    "RaterAgreement": (raters, 2, ["rater", "alpha_without"]),
    "VariantComparison": (variants, 2, ["variant", "verdict"]),
    "InterleavingResult": (interleaved, 1, ["preference"]),
    "SplitDescription": (split, 1, ["train", "test_start"]),
    "Explanation": (explanation, 2, ["item", "weight", "contribution"]),
    "ModelTuning": (rankers, 2, ["ndcg@10"]),
    "ModelEvaluation": (evaluated, 2, ["ndcg@10"]),
    "confidence_interval": (interval, 1, ["mean", "low", "high"]),
    "sample_ratio_test": (ratio, 2, ["label", "counts", "expected", "mismatch"]),
    "off_policy_value": (off_policy, 2, ["value", "low", "high"]),
}
ALL = pytest.mark.parametrize("name", RESULTS)
PAGES = (
    "ModelComparison",
    "ModelRanking",
    "comparison with a baseline",
    "VariantComparison",
    "InterleavingResult",
    "ModelTuning",
    "ModelEvaluation",
)
DRAWN = (*PAGES, "PerQueryScores", "comparison of candidates")


class Tags(HTMLParser):
    """The tags of a page, all closed in the order in which they were opened."""

    def __init__(self, html):
        super().__init__()
        self.all, self._open = [], []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.all.append(tag)
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag


@ALL
def test_print_is_a_table_and_repr_one_line(name):
    found = RESULTS[name][0]()
    lines = str(found).splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80
    assert "\n" not in repr(found)
    assert repr(found) != str(found)


def test_numbers_with_an_interval_begin_with_both():
    values = np.random.default_rng(0).random(30)
    interval = confidence_interval(values)
    first, titles, *rows = str(interval).splitlines()
    ends = f"[{interval.low:.4g}, {interval.high:.4g}]"
    assert first == f"mean {interval.mean:.4g} {ends}"
    assert (titles.split(), rows[0].split()[0]) == (["value"], "mean")


@ALL
def test_a_width_is_a_number_of_characters(name):
    found = RESULTS[name][0]()
    assert len(found.to_text(20).splitlines()) >= len(found.to_text(200).splitlines())
    for width, error in [
        (np.nan, TypeError),
        ("80", TypeError),
        (0, ValueError),
        (19, ValueError),
    ]:
        with pytest.raises(error, match="`width` must be an integer >= 20"):
            found.to_text(width)


@ALL
def test_notebooks_show_a_table_without_a_script(name):
    found = RESULTS[name][0]()
    html = found._repr_html_()
    tags = Tags(html).all
    assert "table" in tags
    assert "script" not in tags
    assert "alert('" not in html  # quotes are escaped, too
    assert "color:inherit" in html


@ALL
def test_frames_have_rows_and_columns(name):
    make, n_rows, columns = RESULTS[name]
    frame = make().to_frame()
    assert len(frame) == n_rows
    assert set(columns) <= set(frame)


@ALL
def test_dicts_are_json(name):
    found = RESULTS[name][0]()
    as_dict = found.to_dict()
    assert json.loads(json.dumps(as_dict, allow_nan=False)) == as_dict
    assert as_dict.get("rows", as_dict.get("models"))


@ALL
def test_results_survive_pickling(name):
    found = RESULTS[name][0]()
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found)
    assert repr(again) == repr(found)


@pytest.mark.parametrize("name", DRAWN)
def test_pictures(name):
    plt = pytest.importorskip("matplotlib.pyplot", reason="pictures")
    display = RESULTS[name][0]().plot()
    axes = display.axes_ if hasattr(display, "axes_") else [display.ax_]
    assert all(ax.has_data() for ax in axes)
    plt.close("all")


@pytest.mark.parametrize("name", PAGES)
def test_pages_hold_all_and_run_nothing_but_their_own_script(name, tmp_path):
    pytest.importorskip("matplotlib", reason="the page has pictures")
    found = RESULTS[name][0]()
    path = tmp_path / "page.html"
    path.write_text("an older page")
    assert found.to_html(path) is None
    page = path.read_text()
    assert page == found.to_html()
    tags = Tags(page).all
    assert tags.count("script") == 1
    assert tags.count("img") == page.count('src="data:image/png;base64,') >= 1
    assert {"h1", "table"} <= set(tags)
    assert "http" not in page
    assert "prefers-color-scheme: dark" in page
    for word in ("Settings", "confidence_level", "Versions", "sklearn_rank"):
        assert word in page
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_a_page_of_a_search_alone_has_the_candidates():
    found = only_searched()
    assert "Nothing was held out." in str(found)
    assert "Candidates" in found.to_html()
    assert Tags(found._repr_html_()).all.count("script") == 0
    json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(ValueError, match=r"Nothing was held out, .* `test_size`"):
        found.to_frame()


def test_pages_that_cannot_be_written_leave_what_was_there(tmp_path):
    with pytest.raises(OSError, match="page"):
        compared().to_html(tmp_path / "no folder" / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_models_whose_titles_begin_alike_are_all_drawn():
    assert len(evaluated().plot().axes_[0].get_lines()) == 2


def test_reports_of_values_are_those_of_ranking_report():
    from sklearn_rank.metrics import ranking_report

    X, y, groups = make_ranking(n_queries=20, random_state=0)
    of_rows = ranking_report(y, X[:, 0], groups=groups, metrics=["ndcg@10"])
    found = per_query()
    assert found.report() == of_rows == str(found)
    half = np.arange(20) % 2
    by_row = half[np.unique(groups, return_inverse=True)[1]]
    for options in ({"output_dict": True}, {"confidence_level": 0.9}, {"digits": 2}):
        assert found.report(by=half, **options) == ranking_report(
            y, X[:, 0], groups=groups, metrics=["ndcg@10"], by=by_row, **options
        )


def test_times_in_dicts_are_text():
    (row,) = split().to_dict()["rows"]
    assert row["test_start"].startswith("2024-01-03")


def test_names_of_any_type_are_text_in_dicts():
    names = date(2024, 1, 1), date(2024, 2, 1), complex
    values = np.random.default_rng(0).random((3, 20))
    scores = dict(zip(names, values, strict=True))
    found = compare_models(scores, test=lambda one, other: 0.5).to_dict()
    shown = ["2024-01-01", "2024-02-01", "complex"]
    assert [mean["model"] for mean in found["means"]] == shown
    assert found["settings"]["test"] == "<lambda>"
