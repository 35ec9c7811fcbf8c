"""Propensities of labels from their frequencies."""

from __future__ import annotations

import numpy as np

from sklearn_rank._base._numbers import as_numbers, check_values
from sklearn_rank._base._validation import check_integer, check_real
from sklearn_rank.typing import ArrayLike, Floats


def label_propensity(counts: ArrayLike, n: int, a: float = 0.55, b: float = 1.5) -> Floats:
    r"""Probability that a relevant label is observed, from label frequencies.

    In extreme classification annotations are incomplete, and rare labels are missed most
    often. The model of [1]_ for a label with N rows among n is

    .. math:: p = \frac{1}{1 + C e^{-a \log(N + b)}}, \quad C = (\log n - 1) (b + 1)^a

    Parameters
    ----------
    counts : array-like of shape (n_labels,)
        Rows of the training data that have each label, such as ``Y_train.sum(axis=0)``.
    n : int
        Rows of the training data, at least 3.
    a, b : float, default=0.55, 1.5
        Constants of the model, both positive. Wikipedia has 0.5 and 0.4, Amazon 0.6 and
        2.6.

    Returns
    -------
    propensity : ndarray of shape (n_labels,)
        Numbers in (0, 1], increasing with the count.

    Raises
    ------
    ValueError
        If a count is negative, above `n` or not finite, `n` is below 3, or a constant is
        not positive.

    See Also
    --------
    propensity_scored_precision_at_k_score : A metric that uses propensities.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_rank.metrics import label_propensity
    >>> label_propensity([1, 10, 100], 1000).round(3).tolist()
    [0.145, 0.282, 0.565]
    """
    rows = check_integer("n", n, minimum=3)
    assert rows is not None
    a = check_real("a", a, "a positive number", above=0)
    b = check_real("b", b, "a positive number", above=0)
    counted = np.ravel(as_numbers(counts, "counts")).astype(np.float64)
    is_wrong = ~((counted >= 0) & (counted <= rows))
    check_values("counts", counted, is_wrong, "invalid", f"give numbers from 0 to n={rows}")
    constant = (np.log(rows) - 1) * (b + 1) ** a
    return 1 / (1 + constant * (counted + b) ** -a)
