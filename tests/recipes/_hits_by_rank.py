"""HitsByRankDisplay: how often each rank holds a relevant item."""

import numpy as np

from sklearn_rank._base._validation import check_integer
from sklearn_rank._display._figures import finish_axes, import_pyplot
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.metrics._plot._prediction_display import PredictionDisplay


class HitsByRankDisplay(PredictionDisplay):
    """A bar for each rank: the share of queries with a relevant item there."""

    def __init__(self, *, hits, name=None):
        self.hits = hits
        self.name = name

    def plot(self, ax=None, **bar_kw):
        """Draw the bars."""
        self._take_axis(ax)
        ranks = np.arange(1, len(self.hits) + 1)
        self.bars_ = self.ax_.bar(ranks, self.hits, label=self.name, **bar_kw)
        self.ax_.set(xlabel="rank", ylabel="share of queries with a hit")
        finish_axes(self.ax_)
        return self

    @classmethod
    def _last_rank(cls, *, k=10, **_):
        return check_integer("k", k)  # lists of recommenders are so long

    @classmethod
    def from_predictions(
        cls, y_true, y_score, *, groups=None, k=10, name=None, ax=None, **bar_kw
    ):
        """Draw the bars of given scores."""
        import_pyplot(cls.__name__)
        cls._take_labels(bar_kw)  # of folds: bars have no intervals
        ranks = np.arange(1, check_integer("k", k) + 1)
        names = [f"precision@{rank}" for rank in ranks]
        wanted = bind(names, replace_undefined_by=0.0)  # without a relevant item: no hit
        found = evaluate(wanted, y_true, y_score, groups).results()
        hits_down_to = ranks * np.array(list(found.values()))
        return cls(hits=np.diff(hits_down_to, prepend=0), name=name).plot(ax, **bar_kw)
