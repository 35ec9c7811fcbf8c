"""Whether raters agree, and what their grades are together."""

from typing import assert_type

import numpy as np
import pandas as pd

from sklearn_rank.inputs import fill_unjudged, from_ratings
from sklearn_rank.statistics import (
    RaterAgreement,
    fleiss_kappa_score,
    krippendorff_alpha_score,
    rater_agreement,
)

grades = [[0, 0, 1], [1, 1, 1], [2, 3, np.nan], [3, 3, 3], [0, 1, 0], [2, 2, 2]]
found = rater_agreement(grades)
assert_type(found, RaterAgreement)
assert_type(found.alpha, float)
print(found)
assert_type(krippendorff_alpha_score(grades, level="interval"), float)
assert_type(fleiss_kappa_score([["a", "a"], ["b", "a"], ["b", "b"]]), float)

frame = pd.DataFrame(grades, columns=["ann", "bob", "eve"])
judged = from_ratings(frame, combine="median", min_raters=2)
print(judged.y_true, fill_unjudged([1.0, np.nan], unjudged="best", max_grade=3))
