"""VariantLooksDisplay: the difference of two variants at each look of a run."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_rank._base._validation import check_given, check_level, is_iterable
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import DisplaysByModel, Picture
from sklearn_rank._hints._explain import explained
from sklearn_rank.online._variant_comparison import VariantComparison
from sklearn_rank.statistics._comparison_display import read_columns
from sklearn_rank.statistics._result_rows import RowsOfResult, choose_one
from sklearn_rank.typing import ArrayLike, Axes, Keywords

if TYPE_CHECKING:
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

NUMBERS = ("n_units", "difference", "low", "high")


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class VariantLooksDisplay(Picture):
    """The difference of a variant to the control at each look, with its interval.

    Make it with :meth:`from_comparisons` from a comparison at each look.

    Parameters
    ----------
    n_units : array-like of shape (n_looks,)
        Units of both arms at each look.
    difference : array-like of shape (n_looks,)
        The difference to the control.
    low, high : array-like of shape (n_looks,)
        Its interval.
    name : str, default=None
        Name in the legend.
    confidence_level : float, default=0.95
        Confidence level of the intervals.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    line_ : matplotlib Line2D
        The difference.
    band_ : matplotlib PolyCollection
        The intervals.
    zero_ : matplotlib Line2D
        The line at a difference of 0.

    See Also
    --------
    compare_variants : Makes the comparisons, with `anytime_n` for every look.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.online import VariantLooksDisplay, compare_variants
    >>> rng = np.random.default_rng(0)
    >>> variant = rng.choice(["old", "new"], 4000)
    >>> sales = rng.exponential(1 + 0.2 * (variant == "new"))
    >>> looks = [
    ...     compare_variants(sales[:n], variant[:n], control="old", anytime_n=4000)
    ...     for n in range(500, 4001, 500)
    ... ]
    >>> display = VariantLooksDisplay.from_comparisons(looks)
    >>> display.ax_.get_ylabel()
    'difference to old (95% interval)'
    """

    n_units: ArrayLike
    difference: ArrayLike
    low: ArrayLike
    high: ArrayLike
    name: str | None = None
    confidence_level: float = 0.95
    line_: Line2D = field(init=False)
    band_: PolyCollection = field(init=False)
    zero_: Line2D = field(init=False)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        line_kw: Keywords = None,
        band_kw: Keywords = None,
    ) -> Self:
        """Draw the differences as a line, and their intervals as a band.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            Name in the legend. If None, the name given before.
        line_kw : dict, default=None
            Keywords for matplotlib's `plot`.
        band_kw : dict, default=None
            Keywords for matplotlib's `fill_between`.

        Returns
        -------
        display : VariantLooksDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If lengths differ, there is no look, or a number is out of range.
        """
        name = _figures.choose_name(name, self.name)
        n_units, difference, low, high = read_columns(self, (), NUMBERS).values()
        level = check_level(self.confidence_level)
        self._take_axis(ax)
        last = _figures.format_mean(difference[-1], low[-1], high[-1], "+")
        label = _figures.legend_label(name, number=last) if name else None
        line_kw = _figures.merge_keywords("line_kw", line_kw, label=label, markersize=4)
        (self.line_,) = self.ax_.plot(n_units, difference, **line_kw)
        self.band_ = _figures.draw_band(self.line_, n_units, low, high, band_kw)
        look: Any = {"color": _figures.text_color(self.ax_), "linestyle": "--"}
        self.zero_ = self.ax_.axhline(0, linewidth=1, **look)
        self.ax_.set_xlabel("units so far")
        self.ax_.set_ylabel(f"difference ({100 * level:g}% interval)")
        _figures.finish_axes(self.ax_)
        return self

    @classmethod
    @_figures.accept_models("comparisons")
    def from_comparisons(
        cls,
        comparisons: Sequence[VariantComparison]
        | Mapping[str, Sequence[VariantComparison]],
        *,
        variant: Hashable | None = None,
        outcome: str | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot_kw: Any,
    ) -> Self | DisplaysByModel[Self]:
        """Draw the comparisons of several looks.

        Parameters
        ----------
        comparisons : sequence of VariantComparison
            From :func:`compare_variants`, each on the units up to that look. A mapping of
            names to such sequences draws several lines.
        variant : label, default=None
            The variant that is compared with the control. If None, the only one.
        outcome : str, default=None
            Name of the outcome. Needed if there are several.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : VariantLooksDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If an entry is not a VariantComparison.
        ValueError
            If there are no looks, the variant is unknown, or there are several and none is
            named.
        """
        is_one = isinstance(comparisons, RowsOfResult) or not is_iterable(comparisons)
        looks: list[Any] = [comparisons] if is_one else list(comparisons)
        wrong = [each for each in looks if not isinstance(each, VariantComparison)]
        needed = "VariantComparisons in a list, as compare_variants returns them"
        checked = wrong[0] if wrong else comparisons
        check_given("comparisons", checked, not (wrong or is_one), needed)
        if not looks:
            raise ValueError("`comparisons` is empty; give 1 or more looks.")
        names = np.concatenate([each.columns["variant"] for each in looks])
        variant = choose_one("variant", variant, names)
        rows = [each.row(variant, outcome) for each in looks]
        display = cls(
            n_units=[row.n_units + row.n_units_control for row in rows],
            difference=[row.difference for row in rows],
            low=[row.low for row in rows],
            high=[row.high for row in rows],
            name=name,
            confidence_level=looks[0].settings["confidence_level"],
        ).plot(ax, **plot_kw)
        level = 100 * display.confidence_level
        control = looks[0].columns["control"][0]
        display.ax_.set_ylabel(f"difference to {control} ({level:g}% interval)")
        return display
