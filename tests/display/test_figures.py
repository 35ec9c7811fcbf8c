"""The style that all pictures share."""

from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest

from sklearn_rank._display._figures import (
    BETTER,
    DARK,
    LIGHT,
    MOST_AT_ENDS,
    MOST_LETTERS,
    NAME_OF_LINE,
    WORSE,
    as_png,
    background_color,
    finish_axes,
    format_mean,
    given_or_new_axis,
    legend_label,
    short_names,
    start_at_zero,
    text_color,
    tick_cutoffs,
)
from tests.drawn_labels import read_labels

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
# What a color becomes for those who lack a kind of cones (Machado et al., 2009).
SEEN = {
    "deuteranope": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanope": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "all colors": np.eye(3),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def lab(color, seen):
    """Return CIE Lab of a color as it is seen."""
    rgb = np.array(matplotlib.colors.to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(SEEN[seen] @ linear, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def difference(one, other):
    """Return CIEDE2000."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1 + 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7)))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180
    hue = (h1 + turn / 2) % 360
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    waves = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.2, 4, -63))
    t = 1 + sum(part * np.cos(np.radians(n * hue + at)) for part, n, at in waves)
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    d_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    d_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.hypot(20**0.5, light - 50))
    angle = np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2)))
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * np.sin(angle)
    return np.sqrt(d_light**2 + d_chroma**2 + d_hue**2 + rotation * d_chroma * d_hue)


def test_the_difference_is_that_of_the_published_examples():
    # Sharma, Wu and Dalal (2005), pairs 1, 7 and 17.
    for one, other, expected in (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ):
        assert difference(one, other) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seen", list(SEEN))
@pytest.mark.parametrize(("colors", "least"), [(LIGHT, 16.9), (DARK, 21)])
def test_eight_models_are_told_apart(colors, least, seen):
    assert len(set(colors)) == 8
    pairs = combinations([lab(color, seen) for color in colors], 2)
    assert min(difference(*pair) for pair in pairs) > least


@pytest.mark.parametrize("color", [BETTER, WORSE])
def test_better_and_worse_are_colors_of_no_model(color):
    own = lab(color, "all colors")
    models = [lab(model, "all colors") for model in (*LIGHT, *DARK)]
    assert min(difference(own, model) for model in models) > 9.6


def test_no_two_of_many_lines_look_alike():
    ax = given_or_new_axis(None, "A test")
    lines = [ax.plot([1, 2], [n, n])[0] for n in range(40)]
    looks = [(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines]
    assert len(set(looks)) == 40
    for one, other in pairwise(looks):
        assert all(a != b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("style", "colors"), [("default", LIGHT), ("dark_background", DARK), ("ggplot", LIGHT)]
)
def test_colors_follow_the_ground(style, colors):
    with plt.style.context(style):
        ax = given_or_new_axis(None, "A test")
        assert ax.plot([0])[0].get_color() == colors[0]
        assert matplotlib.colors.same_color(text_color(ax), plt.rcParams["axes.labelcolor"])
    ax.set_facecolor("none")
    assert background_color(ax) == ax.figure.get_facecolor()


def test_long_names_lose_their_middle_and_stay_distinct():
    long = "a" * 40
    assert short_names(["short", long + "b"]) == ["short", f"{'a' * 15}…{'a' * 14}b"]
    one, other = short_names([f"{long}1{long}", f"{long}2{long}"])
    assert one != other
    assert max(len(one), len(other)) <= MOST_LETTERS + 4


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.8042, 0.79, 0.8184), "0.804 [0.790, 0.818]"),
        ((0.9, 0.7, 1.0), "0.900 [0.700, 1.000]"),
        ((0.5,), "0.500"),
        ((np.nan, np.nan, np.nan), "no value"),
        ((123.456, 120.456, 126.456), "123.5 [120.5, 126.5]"),
        ((-12.3456, -np.inf, 3), "-12.35"),
    ],
)
def test_numbers(numbers, text):
    assert format_mean(*numbers) == text


def test_the_legend_says_once_what_all_say_and_moves_out_beyond_four():
    ax = given_or_new_axis(None, "A test")
    (width, _) = ax.figure.get_size_inches()
    names = ["_hidden", "$x^$y", *"abc"]
    for n, name in enumerate(names):
        assert ax.get_legend() is None or ax.figure.get_size_inches()[0] == width
        ax.plot([1, 2], [n, n], label=legend_label(name, number="0.5", n_queries=7))
        finish_axes(ax, "ndcg")
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "ndcg, n = 7"
    assert [text.get_text().strip() for text in legend.get_texts()] == [
        f"{name} 0.5" for name in names
    ]
    assert as_png(ax.figure).startswith(b"\x89PNG")
    assert ax.figure.get_size_inches()[0] > width
    inside = ax.figure.bbox.padded(1)
    ends = legend.get_window_extent()
    assert inside.contains(ends.x0, ends.y0)
    assert inside.contains(ends.x1, ends.y1)


def draw_lines(ax, ends, at_ends=True):
    for n, end in enumerate(ends):
        ax.plot([1, 2], [n, end], label=legend_label(f"model {n}", n_queries=7))
    finish_axes(ax, "ndcg", at_ends=at_ends)
    ax.figure.canvas.draw()


def test_names_at_the_ends_of_lines_do_not_overlap_and_keep_their_order():
    ax = given_or_new_axis(None, "A test")
    ends = [0.5, 0.5, 0.51, 0.0, 1.0, 0.49]
    draw_lines(ax, ends)
    assert read_labels(ax) == ("ndcg, n = 7", [f"model {n}" for n in range(6)])
    assert ax.get_legend() is None
    names = [text for text in ax.texts if text.get_gid() == NAME_OF_LINE][1:]
    boxes = [plt.Text.get_window_extent(name) for name in names]
    ordered = [boxes[n] for n in np.argsort(ends, kind="stable")]
    assert all(low.y1 < high.y0 for low, high in pairwise(ordered))
    assert all(box.x1 < ax.figure.bbox.x1 and box.x0 > ax.bbox.x1 for box in boxes)
    assert [name.arrow_patch.get_edgecolor() for name in names] == [
        matplotlib.colors.to_rgba(line.get_color()) for line in ax.lines
    ]
    draw_lines(ax, [0.7])  # drawn again, the names are those of all lines
    assert len(read_labels(ax)[1]) == 7


@pytest.mark.parametrize("ends", [[0.5, np.nan], [0.5] * (MOST_AT_ENDS + 1)])
def test_a_legend_names_lines_without_an_end_or_without_room(ends):
    ax = given_or_new_axis(None, "A test")
    draw_lines(ax, ends[:1])
    assert ax.get_legend() is None
    draw_lines(ax, ends[1:])
    assert len(ax.get_legend().get_texts()) == len(ends)
    assert list(ax.texts) == []
    _, of_user = plt.subplots()
    draw_lines(of_user, [0.5])
    assert of_user.get_legend() is not None


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: ax.fill_between([1, 2], [0, 0], [1, 1], label="own"),
        lambda ax: ax.plot([], [], label="own"),
        lambda ax: ax.axhline(0.5, label="own"),
    ],
)
def test_a_legend_names_what_the_user_drew_beside_the_lines(draw):
    ax = given_or_new_axis(None, "A test")
    draw(ax)
    draw_lines(ax, [0.5])
    assert len(ax.get_legend().get_texts()) == 2


def test_names_are_no_formulas():
    ax = given_or_new_axis(None, "A test")
    name = r"$\frac{$"
    ax.plot([1, 2], [1, 2], label=legend_label(name))
    ax.set(xlabel=f"mean {name}", ylabel=name, title=name)
    finish_axes(ax, name)
    assert as_png(ax.figure).startswith(b"\x89PNG")


def test_the_size_of_a_figure_of_the_user_stays():
    figure, ax = plt.subplots(figsize=(5, 3))
    given_or_new_axis(ax, "A test")
    for n in range(6):
        ax.plot([1, 2], [n, n], label=f"model {n}")
    finish_axes(ax)
    assert figure.get_size_inches().tolist() == [5, 3]
    figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x1 <= figure.bbox.x1 + 1


def test_values_start_at_zero_unless_asked():
    ax = given_or_new_axis(None, "A test")
    ax.plot([1, 20], [0.5, 0.6])
    start_at_zero(ax)
    tick_cutoffs(ax)
    assert ax.get_ylim()[0] == 0
    assert ax.get_xticks()[0] == 1
    ax.plot([1, 20], [3, 3])
    assert ax.get_ylim()[1] >= 3
    for ask in ({"ylim": (0.4, 0.7)}, {"yscale": "log"}):
        _, other = plt.subplots()
        other.plot([1, 2], [0.5, 0.6])
        other.set(**ask)
        before = other.get_ylim()
        start_at_zero(other)
        assert other.get_ylim() == before
    _, below = plt.subplots()
    below.plot([1, 2], [-0.5, 0.6])
    start_at_zero(below)
    assert below.get_ylim()[0] < -0.5
