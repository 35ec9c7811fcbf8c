"""Data of leagues, and loops that rank models in the slow way."""

import itertools

import numpy as np

# The worked example: eight data sets, four models.
MODELS = [*"abcd"]
EIGHT = np.array(
    [
        [0.612, 0.604, 0.571, 0.480],
        [0.334, 0.345, 0.301, 0.322],
        [0.451, 0.449, 0.440, 0.391],
        [0.702, 0.700, 0.655, 0.601],
        [0.287, 0.279, 0.262, 0.270],
        [0.558, 0.565, 0.520, 0.472],
        [0.395, 0.380, 0.371, 0.318],
        [0.643, 0.651, 0.622, 0.540],
    ]
)
PAIRS = ["ab", "ac", "ad", "bc", "bd", "cd"]

# Two data sets with values per query.
OF_QUERIES = {
    "first": {
        "a": [0.9, 0.4, 0.8, 0.3, 0.6],
        "b": [0.7, 0.5, 0.6, 0.3, 0.5],
        "c": [0.5, 0.2, 0.6, 0.1, 0.2],
    },
    "second": {
        "a": [0.2, 0.7, 0.5, 0.9],
        "b": [0.3, 0.6, 0.5, 0.7],
        "c": [0.1, 0.3, 0.4, 0.6],
    },
}


def league(numbers, models=None):
    """Return means as a dict of dicts, data sets named by number."""
    names = models or [f"m{place}" for place in range(np.shape(numbers)[1])]
    return {
        f"task {place}": dict(zip(names, map(float, row), strict=True))
        for place, row in enumerate(numbers)
    }


def stepped_down(numbers):
    """Return p of each pair alone and of all pairs, by a loop over all flips and pairs."""
    n_sets, n_models = numbers.shape
    pairs = list(itertools.combinations(range(n_models), 2))
    apart = {pair: numbers[:, pair[0]] - numbers[:, pair[1]] for pair in pairs}

    def size(differences):
        mean, square = np.mean(differences), np.mean(differences**2)
        variance = (square - mean**2) * n_sets / (n_sets - 1)
        if variance <= 1e-12 * square:
            return np.inf if abs(mean) > 1e-12 else 0.0
        return abs(mean) / np.sqrt(variance / n_sets)

    observed = {pair: size(one) for pair, one in apart.items()}
    flips = [np.array(signs) for signs in itertools.product([1, -1], repeat=n_sets)]
    sizes = [{pair: size(signs * apart[pair]) for pair in pairs} for signs in flips]
    alone = {
        pair: np.mean([one[pair] >= observed[pair] * (1 - 1e-9) for one in sizes])
        for pair in pairs
    }
    together, last, left = {}, 0.0, sorted(pairs, key=observed.get, reverse=True)
    while left:
        largest = [max(one[pair] for pair in left) for one in sizes]
        pair = left.pop(0)
        share = np.mean(np.array(largest) >= observed[pair] * (1 - 1e-9))
        last = together[pair] = max(last, share)
    return alone, together
