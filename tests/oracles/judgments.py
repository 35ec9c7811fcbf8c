"""Random judgments and runs, as dictionaries and as the flat arrays of the package."""

from dataclasses import dataclass

import numpy as np

from sklearn_rank.metrics import per_query_scores

__all__ = ["Judgments", "hard_judgments", "random_judgments"]


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

    def lines(self) -> tuple[list[str], list[str]]:
        """Return the lines of two TREC files."""
        qrels = [
            f"{query} 0 {document} {grade}"
            for query, grades in self.qrels.items()
            for document, grade in grades.items()
        ]
        run = [
            f"{query} Q0 {document} 0 {score} me"
            for query, scores in self.run.items()
            for document, score in scores.items()
        ]
        return qrels, run

    def scores(self, metrics, *, unjudged=0.0, undefined=0.0, ties="first", **params):
        """Return {metric: one value per query}, in the order of sorted query names."""
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


def hard_judgments(seed, n_queries, *, tied) -> Judgments:
    """Draw lists of one document, queries without anything relevant, negative judgments.

    The last query is in no run. Each has a judgment of 0 or more: pytrec_eval writes
    beyond its memory where all are below -1.
    """
    rng = np.random.default_rng(seed)
    drawn = random_judgments(seed, n_queries, max_grade=3, tied=tied, longest=8)
    for number, (query, grades) in enumerate(drawn.qrels.items()):
        documents = list(grades)
        for document in documents[1:]:
            if rng.random() < 0.3:
                grades[document] = int(rng.integers(-4, 0))
        if number % 7 == 0:
            grades.update({d: 0 for d, grade in grades.items() if grade > 0})
        if number % 5 == 0:
            (first, *_) = drawn.run[query].items()
            drawn.run[query] = dict([first])
    del drawn.run[query]
    return drawn
