"""ModelTuning: an evaluation of the best candidate of each model, and its search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._validation import import_pandas
from sklearn_rank._display._figures import DEFAULT_SIZE, new_figure
from sklearn_rank._display._result import as_json_types
from sklearn_rank._display._section import Section, frame_section
from sklearn_rank._hints._explain import explained
from sklearn_rank.experiments._evaluation_views import (
    EvaluationDisplay,
    NewFigure,
    draw_front,
)
from sklearn_rank.experiments._fold_scores import Judged
from sklearn_rank.experiments._hold_outs import SplitSummary
from sklearn_rank.experiments._model_evaluation import ModelEvaluation
from sklearn_rank.experiments._python_code import assignment, imports
from sklearn_rank.experiments._run_candidates import group_by_model
from sklearn_rank.experiments._search_candidates import SearchResult, score_key
from sklearn_rank.experiments._search_space import Candidate
from sklearn_rank.metrics import RanksDisplay
from sklearn_rank.typing import PandasFrame

NOVELTY, FRONT = "novelty@10", "accuracy_and_novelty"


@explained
class ModelTuning(ModelEvaluation):
    """A search over models, and what the best of each scores on rows held out.

    :func:`tune_models` returns it. The folds choose, and the rows held out only
    evaluate: ``best_estimator_`` is the winner of the search, even where another model is
    first on the rows held out.

    Parameters
    ----------
    judged : mapping of str to Judged
        What the best candidate of each model scores; empty where nothing was held out.
    search : SearchResult
        The candidates and their folds.
    finalists : mapping of str to Candidate
        The best candidate of each model.
    settings : dict
        The arguments of the call, and how models were judged.
    split : SplitSummary, default=None
        What was held out.
    left_out : list of str, default=()
        Remarks on models that were not tried.
    models : mapping of str to estimator, default=None
        The finalists, fitted on the rows to train on.
    best_estimator : estimator, default=None
        The winner of the search, fitted on all rows.

    Attributes
    ----------
    best_name_ : str
        Name of the model that won the search.
    best_params_ : dict
        Its parameters.
    best_score_ : float
        Its mean over the folds, negated where lower is better, as in ``cv_results_``.
    best_estimator_ : estimator
        The same, fitted on all rows of X. Absent with ``refit=False``.
    cv_results_ : dict of arrays
        As in searches of scikit-learn, with the name of the model as ``param_model``, and
        ``neg_`` before the name of a metric where lower is better.
    n_splits_, best_index_ : int
        As in searches of scikit-learn.
    values_, models_, titles, settings
        As in :class:`ModelEvaluation`.
    split_ : SplitSummary or None
        What was held out, and why some rows of it do not count: ``describe()``.
    left_out_ : list of str
        Remarks on models that were not tried.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.experiments import tune_models
    >>> from sklearn_rank.rankers import GroupRanker
    >>> X, y, groups = make_ranking(n_queries=60, random_state=0)
    >>> models = {"ridge": (GroupRanker(Ridge()), {"estimator__alpha": [0.1, 10]})}
    >>> tuned = tune_models(X, y, groups=groups, models=models)
    >>> tuned.best_name_, sorted(tuned.models_)
    ('ridge', ['equal', 'ridge'])
    """

    best_name_: str
    best_params_: dict[str, Any]
    best_score_: float
    best_estimator_: Any
    cv_results_: dict[str, Any]
    n_splits_: int
    best_index_: int
    split_: SplitSummary | None
    left_out_: list[str]

    def __init__(
        self,
        judged: Mapping[str, Judged],
        *,
        search: SearchResult,
        finalists: Mapping[str, Candidate],
        settings: Mapping[str, Any],
        split: SplitSummary | None = None,
        left_out: Iterable[str] = (),
        models: Mapping[str, Any] | None = None,
        best_estimator: Any = None,
    ) -> None:
        titles = {name: candidate.words for name, candidate in finalists.items()}
        super().__init__(judged, settings=settings, titles=titles, models=models)
        self._search = search
        self.split_ = split
        self.left_out_ = list(left_out)
        best = search.candidates[search.best_index]
        self.best_index_ = search.best_index
        self.best_name_, self.best_params_ = best.space.name, dict(best.params)
        self.best_score_ = search.mean_of_best()
        self.n_splits_ = search.n_folds
        self.cv_results_ = search.cv_results(settings["lower_is_better"])
        if best_estimator is not None:
            self.best_estimator_ = best_estimator

    @property
    def failures_(self) -> dict[str, list[dict[str, Any]]]:
        """Candidates that raised, by model: ``params`` and ``error`` of each."""
        run, candidates = self._search.run, self._search.candidates
        return {
            name: [{"params": candidates[i].params, "error": run.failures[i]} for i in rows]
            for name, rows in group_by_model(candidates, sorted(run.failures)).items()
        }

    @property
    def candidates(self) -> PandasFrame:
        """All candidates as a pandas DataFrame, best first: means and spread over folds."""
        pd = import_pandas("candidates")
        results, lower = self.cv_results_, self.settings["lower_is_better"]
        first, *rest = (score_key(metric, lower) for metric in self.metrics)
        key = first if rest else "score"
        short = [candidate.values for candidate in self._search.candidates]
        values = pd.DataFrame(short, index=range(len(short))).convert_dtypes()
        table = {
            "candidate": [candidate.words for candidate in self._search.candidates],
            "model": [candidate.space.title for candidate in self._search.candidates],
            **{str(name): values[name] for name in values},
            "mean_test_score": results[f"mean_test_{key}"],
            "std_test_score": results[f"std_test_{key}"],
            "rank_test_score": results[f"rank_test_{key}"],
            **{f"mean_test_{name}": results[f"mean_test_{name}"] for name in rest},
            **{
                f"split{fold}_test_score": results[f"split{fold}_test_{key}"]
                for fold in range(self.n_splits_)
            },
            "mean_fit_time": results["mean_fit_time"],
            "mean_score_time": results["mean_score_time"],
        }
        frame = pd.DataFrame(table)
        return frame.sort_values("rank_test_score", kind="stable", ignore_index=True)

    @property
    def best_candidate(self) -> Candidate:
        """The winner of the search: ``words``, ``params`` and ``make()``, not fitted."""
        return self._search.candidates[self.best_index_]

    def python(self) -> str:
        """Return the Python that makes the winner, with its imports.

        Returns
        -------
        code : str
            Lines that end with ``model = ...``, not fitted.
        """
        model = self.best_candidate.make()
        return "\n".join([*imports(model), "", *assignment("model", model)])

    def to_dict(self) -> dict[str, Any]:
        """Return all that was found in types that JSON knows.

        Returns
        -------
        content : dict
            As of :class:`ModelEvaluation`, with the winner, its Python, the candidates,
            failures and what was held out.
        """
        facts = super().to_dict() if self._judged else {}
        results = {k: v for k, v in self.cv_results_.items() if k != "params"}
        own = {
            "settings": self.settings,
            "best_name": self.best_name_,
            "best_params": self.best_params_,
            "python": self.python(),
            "candidates": {
                "candidate": [candidate.words for candidate in self._search.candidates],
                **{k: v.tolist() for k, v in results.items()},
            },
            "failures": {
                name: [{**row, "error": repr(row["error"])} for row in rows]
                for name, rows in self.failures_.items()
            },
            "held_out": None if self.split_ is None else vars(self.split_),
            "left_out": self.left_out_,
            "warnings": self.warnings,
        }
        return {**facts, **as_json_types(own)}

    @property
    def remarks(self) -> list[str]:
        """How the search went, which candidates did not finish, and how the winner did."""
        return [*self._remarks_on_search, *self._remarks_on_winner]

    @property
    def _remarks_on_search(self) -> list[str]:
        lines = [] if self._closeness is None else [self._closeness]
        n_untried = int(np.count_nonzero(~self._search.is_tried))
        if n_untried:
            lines.append(
                f"Not tried: {quantity(n_untried, 'candidate')}, as the search was stopped"
            )
        n_unfinished = int(np.count_nonzero(self._search.is_left_behind))
        if n_unfinished:
            lines.append(
                f"Left behind after a fold or more: {quantity(n_unfinished, 'candidate')}"
            )
        for name, rows in self.failures_.items():
            error = rows[0]["error"]
            lines.append(
                f"Failed: {name}, {quantity(len(rows), 'candidate')} "
                f"({type(error).__name__}: {error})"
            )
        return lines

    @property
    def _remarks_on_winner(self) -> list[str]:
        """Say that another model is better on the rows held out."""
        if not self._judged or self.best_on_test == self.best_name_:
            return []
        assert self.split_ is not None
        winner, rival = map(super()._short_title, (self.best_name_, self.best_on_test))
        attribute = "best_estimator_" if hasattr(self, "best_estimator_") else "best_name_"
        is_near = self.best_name_ in self.may_be_best
        by = ", but not significantly" if is_near else ", significantly"
        return [
            f"{attribute} is {winner}, the winner of the folds; on the "
            f"{self.split_.held_out} {rival} is better{by}."
        ]

    @property
    def _closeness(self) -> str | None:
        """Say that chance may explain why the winner is first, or that another one is."""
        search, first = self._search, self._search.first_index
        gap, error = search.gaps
        is_first = first == self.best_index_
        rival = search.second_index if is_first else self.best_index_
        if rival is None or not gap[rival] <= error[rival]:
            return None
        best, near = (search.candidates[index].words for index in (first, rival))
        reason = (
            "chance may explain it. choose='one-se' takes the cheapest of such candidates."
            if is_first
            else "the cheaper one was chosen."
        )
        return (
            f"{best} leads {near} by {gap[rival]:.4f} on the folds (paired, "
            f"SE {error[rival]:.4f}): {reason}"
        )

    def plot(self, kind: str = "metric_at_k") -> EvaluationDisplay:
        """Draw the models, or the candidates.

        Parameters
        ----------
        kind : str, default="metric_at_k"
            As in :meth:`ModelEvaluation.plot`; ``"ranks"`` are those of the best candidate
            of each model on each fold; ``"accuracy_and_novelty"`` shows each candidate by
            the first metric and by ``"novelty@10"``, which `metrics` must name.

        Returns
        -------
        display : EvaluationDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the metric that it shows was not asked for.
        """
        return super().plot(kind)

    def _figure(self, kind: str, new: NewFigure) -> Any:
        if kind == "ranks":
            columns = [f"split{fold}_test_score" for fold in range(self.n_splits_)]
            best = self._sort_candidates(self.candidates.drop_duplicates("model"))
            best = best.set_index("model")[columns]
            scores = {str(model): list(row) for model, row in best.iterrows()}
            axes = new(*DEFAULT_SIZE).subplots()
            return RanksDisplay.from_scores(scores, metric=self.metrics[0], ax=axes).figure_
        if kind != FRONT:
            return super()._figure(kind, new)
        if NOVELTY not in self.metrics[1:]:
            raise ValueError(
                f"The picture needs {NOVELTY!r}; name it in `metrics`, after the one "
                "that decides."
            )
        table = self._sort_candidates(self.candidates)
        means = table[["mean_test_score", f"mean_test_{NOVELTY}"]]
        x, y = means.to_numpy().T
        is_winner = table["candidate"] == self.best_candidate.words
        models, names = table["model"].tolist(), (self.metrics[0], NOVELTY)
        return draw_front(x, y, models, names, tuple(means[is_winner].iloc[0]), new)

    def _sort_candidates(self, table: PandasFrame) -> PandasFrame:
        """Return candidates in the order of `intervals()`: a model has one color."""
        if not self._judged:
            return table
        titles = {c.space.name: c.space.title for c in self._search.candidates}
        order = [titles[name] for name in self.intervals()]
        places = [order.index(m) if m in order else len(order) for m in table["model"]]
        return table.iloc[np.argsort(places, kind="stable")]

    def _pictures(self) -> dict[str, Callable[[], Any]]:
        if NOVELTY not in self.metrics[1:]:
            return super()._pictures()
        front = {"Candidates": partial(self._figure, FRONT, new_figure)}
        return super()._pictures() | front

    def _sections(self) -> list[Section]:
        if self._judged:
            (table,) = super()._sections()
            return [replace(table, notes=[*table.notes, *self._remarks_on_winner])]
        lines = [["candidate", "mean over folds"]]
        lines.append([self.best_candidate.words, f"{self._search.mean_of_best():.4f}"])
        return [Section(self._head(), lines, ["Nothing was held out."], names_last=True)]

    def _title(self) -> str:
        if self._judged:
            return super()._title()
        n_candidates = quantity(len(self._search.candidates), "candidate")
        return f"{n_candidates} by {self.metrics[0]}"

    def _more_sections(self) -> list[Section]:
        candidates = self.candidates.set_index("candidate")
        names = [name for name in map(str, candidates) if "test" in name or "time" in name]
        return [
            *super()._more_sections(),
            frame_section(candidates[names], "Candidates"),
            Section(title="As Python", code=self.python()),
        ]

    @property
    def _shown_titles(self) -> dict[str, str]:
        """The titles as the table shows them: the winner of the search is the tuned one."""
        return self.titles | {self.best_name_: self.titles[self.best_name_] + " (tuned)"}

    def _short_title(self, name: str) -> str:
        """Return the title of a model without its values, if models differ without them."""
        return super()._short_title(name) + " (tuned)" * (name == self.best_name_)

    def _head(self) -> list[str]:
        candidates = self._search.candidates
        n_models = len({candidate.space.name for candidate in candidates})
        folds_are = self.settings["folds_are"].partition(", within")[0]
        lines = [
            f"{quantity(len(candidates), 'candidate')} of "
            f"{quantity(n_models, 'model')} by {self.metrics[0]} on "
            f"{quantity(self.n_splits_, 'fold')}{folds_are}"
        ]
        lines += [*self._remarks_on_search, *self.left_out_]
        if self.split_ is not None:
            lines.append(self.split_.brief())
        return [*lines, *self._unused]

    def _title_of_picture(self) -> str:
        assert self.split_ is not None
        title = f"{self.split_.held_out.capitalize()}, mean"
        return f"{title} over users" if self.split_.unit == "user" else title
