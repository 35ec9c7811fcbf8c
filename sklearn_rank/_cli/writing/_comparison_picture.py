"""The picture of a comparison of runs: the differences of each metric, below each other."""

import warnings
from collections.abc import Collection, Iterable, Mapping

from sklearn_rank.experiments._evaluation_plot import as_png, new_figure
from sklearn_rank.statistics import ModelComparison

# In inches, and letters; what matplotlib draws at once has fewer than 2**16 pixels a side.
WIDTH, HEIGHT_OF_MODEL, HEIGHT_BESIDE = 6.4, 0.4, 1.4
OF_LETTER = 0.1
MOST_LETTERS = 30
RESOLUTION = 150
MOST_PIXELS = 60_000


def draw_comparison(comparison: ModelComparison) -> bytes:
    """Return a PNG with a part for each metric."""
    metrics = list(dict.fromkeys(comparison.columns["metric"].tolist()))
    names = _short_names(comparison.means["model"].tolist())
    is_matrix = comparison.settings["baseline"] is None
    width, height = _size_of_part(names.values(), is_matrix=is_matrix)
    resolution = min(RESOLUTION, MOST_PIXELS / max(height * len(metrics), width))
    shown = _renamed(comparison, names)
    figure = new_figure(width, height * len(metrics), resolution)
    import matplotlib as mpl  # which is there, as the figure is

    # Names of files are no formulas, and may have letters that no font at hand has.
    with mpl.rc_context({"text.parse_math": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        axes = figure.subplots(len(metrics), squeeze=False)[:, 0]
        for ax, metric in zip(axes, metrics, strict=True):
            shown.plot(metric=metric, ax=ax)
        return as_png(figure)


def _short_names(models: Iterable[str]) -> dict[str, str]:
    """Return names that leave room for the picture, and are distinct."""
    half = MOST_LETTERS // 2
    names = {
        name: name if len(name) <= MOST_LETTERS else f"{name[:half]}…{name[-half:]}"
        for name in models
    }
    if len(set(names.values())) == len(names):
        return names
    return {name: f"{n}: {short}" for n, (name, short) in enumerate(names.items(), 1)}


def _size_of_part(names: Collection[str], *, is_matrix: bool) -> tuple[float, float]:
    """Return width and height; names stand beside a picture, and aslant below a matrix."""
    beside = OF_LETTER * max(map(len, names))
    below = beside / 2 if is_matrix else 0.0
    return WIDTH + beside, HEIGHT_BESIDE + HEIGHT_OF_MODEL * len(names) + below


def _renamed(comparison: ModelComparison, names: Mapping[str, str]) -> ModelComparison:
    """Return what the picture needs of a comparison, with other names of the models."""
    rows = [
        {**row, "model": names[row.model], "baseline": names[row.baseline]}
        for row in comparison.rows()
    ]
    return ModelComparison(
        rows, lower_is_better=comparison.lower_is_better, settings=comparison.settings
    )
