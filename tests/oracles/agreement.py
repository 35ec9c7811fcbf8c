"""Compare with another library, and keep count for the table in the summary."""

import numpy as np

__all__ = ["AGREEMENTS", "agree"]

AGREEMENTS: dict = {}


def agree(metric, oracle, ours, theirs, *, rtol=1e-12, atol=1e-12):
    """Assert that both give the same numbers, and note how many and how near."""
    ours, theirs = (np.asarray(values, dtype=float).ravel() for values in (ours, theirs))
    np.testing.assert_allclose(
        ours, theirs, rtol=rtol, atol=atol, err_msg=f"{metric} against {oracle}"
    )
    n_cases, largest = AGREEMENTS.get((metric, oracle), (0, 0.0))
    difference = float(np.abs(ours - theirs).max(initial=0.0))
    AGREEMENTS[metric, oracle] = (n_cases + len(ours), max(largest, difference))
