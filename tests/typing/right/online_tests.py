"""Logs of A/B tests, of interleaved lists and of another ranker."""

from typing import assert_type

import numpy as np
import pandas as pd

from sklearn_rank.datasets import make_click_log
from sklearn_rank.online import (
    InterleavingResult,
    VariantComparison,
    compare_variant_sums,
    compare_variants,
    interleaving_test,
    off_policy_value,
    propensities_from_swaps,
    sample_ratio_test,
    team_draft_interleave,
)

clicks = [1, 0, 2, 3, 0, 1, 2, 1, 2, 4, 1, 3]
variant = ["old"] * 6 + ["new"] * 6
found = compare_variants(clicks, variant, control="old", denominator=[10] * 12)
assert_type(found, VariantComparison)
assert_type(found.to_frame(), pd.DataFrame)
log = pd.DataFrame({"arm": variant, "clicks": clicks, "ms": [30, 32, 35, 31, 33, 31] * 2})
guardrails = {"ms": {"margin": 0.1, "relative": True, "lower_is_better": True}}
print(compare_variants("clicks", "arm", data=log, control="old", guardrails=guardrails))

ratio = sample_ratio_test(counts={"control": 821_588, "treatment": 815_482})
print(ratio.mismatch, ratio.p_value)
drafted = team_draft_interleave([list("abcd"), list("bcda")], random_state=0)
print(drafted.item, drafted.team)
result = interleaving_test(
    [0, 1] * 12,
    [1, 0] * 7 + [0, 1] * 2 + [0, 0] * 3,
    impression=np.repeat(np.arange(12), 2),
    names=["new", "old"],
)
assert_type(result, InterleavingResult)
lists = np.random.default_rng(0).permuted(np.tile([0, 1, 2], (500, 1)), axis=1)
shown = make_click_log(lists, [0.2, 0.5, 0.9], random_state=0)
frame = make_click_log(lists, [0.2, 0.5, 0.9], as_frame=True, random_state=0)
assert_type(frame, pd.DataFrame)
swapped = propensities_from_swaps(
    shown.clicked, shown.position, shown.item, user=shown.user
)
print(swapped.propensity)
value = off_policy_value(
    np.ones(400),
    np.full(400, 0.5),
    np.full(400, 0.4),
    slate=np.repeat(np.arange(200), 2),
    position=np.tile([1, 2], 200),
)
print(value.value + 1, compare_variant_sums.__name__)
