"""Random judgments and runs, as dictionaries and as the flat arrays of the package."""

from dataclasses import dataclass

import numpy as np

from sklearn_rank.metrics import per_query_scores

__all__ = ["Judgments", "random_judgments"]


@dataclass(frozen=True)
class Judgments:
    """What trec_eval calls qrels and run: query -> document -> grade or score."""

    qrels: dict
    run: dict

    def flat(self, unjudged=0.0) -> dict:
        """Return flat arrays; documents of a query stand by name, descending.

        That is how trec_eval orders documents of one score, so ``ties="first"`` does
        the same. Judged documents that were not retrieved get a score of minus infinity.
        """
        rows = [
            (
                query,
                self.qrels[query].get(document, unjudged),
                self.run[query].get(document, -np.inf),
            )
            for query in self.run
            for document in sorted(
                self.qrels[query].keys() | self.run[query].keys(), reverse=True
            )
        ]
        groups, y_true, y_score = zip(*rows, strict=True)
        return {
            "y_true": np.array(y_true, dtype=float),
            "y_score": np.array(y_score, dtype=float),
            "groups": np.array(groups),
        }

    def scores(self, metrics, *, unjudged=0.0, undefined=0.0, ties="first", **params):
        """Return {metric: one value a query}, in the order of sorted query names."""
        each = per_query_scores(**self.flat(unjudged), metrics=metrics, ties=ties, **params)
        assert list(each.groups) == sorted(self.run)
        return {
            metric: np.where(np.isnan(values), undefined, values)
            for metric, values in each.scores.items()
        }


def random_judgments(
    seed,
    n_queries,
    *,
    max_grade,
    tied=False,
    longest=12,
    share_relevant=0.4,
    all_judged=False,
) -> Judgments:
    """Draw short ragged lists; some documents are unjudged, some are not retrieved.

    Scores are integers, which single precision holds too: trec_eval keeps floats.
    """
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for number in range(n_queries):
        documents = [f"d{n:02d}" for n in rng.permutation(2 * longest)]
        n_retrieved = rng.integers(1, longest + 1)
        n_missed = rng.integers(0, longest // 2)
        retrieved = documents[:n_retrieved]
        pool = documents[: n_retrieved + n_missed]
        levels = 3 if tied else 10_000
        scores = rng.choice(levels, n_retrieved, replace=tied)
        relevant = rng.random(len(pool)) < share_relevant
        grades = np.where(relevant, rng.integers(1, max_grade + 1, len(pool)), 0)
        judged = np.full(len(pool), True) if all_judged else rng.random(len(pool)) < 0.8
        judged[-1] = True
        query = f"q{number:05d}"
        run[query] = dict(zip(retrieved, scores.astype(float).tolist(), strict=True))
        qrels[query] = {
            document: int(grade)
            for document, grade, known in zip(pool, grades, judged, strict=True)
            if known
        }
    return Judgments(qrels, run)
