"""How often a gate is undecided although nothing is lost.

``python -m tests.benchmarks.gate_rates`` prints the table of docs/gate_in_ci.rst.
"""

import argparse
import warnings

import numpy as np

from sklearn_rank.statistics import gate_model

__all__ = ["SIZES", "excluded_loss", "undecided"]

SIZES = (20, 40, 100, 200, 500)
MARGINS = (0.02, 0.05, 0.1)


def excluded_loss(n: int, level: float = 0.95) -> float:
    """Return the smallest loss, from 0 to 1, that n queries without a change rule out."""
    return 1 - ((1 - level) / 2) ** (1 / n)


def undecided(n: int, margin: float, repeats: int) -> float:
    """Return the share of undecided gates if a fifth of the queries moves by 0.3."""
    rng = np.random.default_rng(n)
    count = 0
    for _ in range(repeats):
        # Each query moves with probability 0.2, up or down alike, so that nothing is lost.
        moves = rng.choice([0.0, 0.3, -0.3], n, p=[0.8, 0.1, 0.1])
        old = {"ndcg@10": np.full(n, 0.5)}
        new = {"ndcg@10": 0.5 + moves}
        count += gate_model(old, new, margin=margin).verdict == "undecided"
    return count / repeats


def main() -> None:
    """Print the three rows of the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=400)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    print("queries          ", *SIZES)
    print("one from 1 to 0  ", *(f"{1 / n:.3f}" for n in SIZES))
    print("loss ruled out   ", *(f"{excluded_loss(n):.3f}" for n in SIZES))
    for margin in MARGINS:
        print(
            f"margin {margin:<10}", *(f"{undecided(n, margin, repeats):.2f}" for n in SIZES)
        )


if __name__ == "__main__":
    main()
