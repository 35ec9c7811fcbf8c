"""The picture of three runs on the page on comparisons."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.statistics import compare_runs

rng = np.random.default_rng(0)
golden = {f"q{n}": [f"d{n}"] for n in range(100)}
runs = {
    name: {
        query: [item, "x"] if rng.random() < share else ["x", item]
        for query, [item] in golden.items()
    }
    for name, share in {"words": 0.4, "vectors": 0.45, "fused": 0.8}.items()
}
comparison = compare_runs(golden, runs, metrics=["mrr@10"], baseline="words")
figure, ax = plt.subplots(figsize=(4.8, 1.9), layout="constrained")
comparison.plot(ax=ax)
