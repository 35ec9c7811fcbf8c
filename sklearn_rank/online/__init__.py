"""Online evaluation: the log of an A/B test, of interleaved lists, or of another ranker."""

from sklearn_rank.online._compare import compare_variants
from sklearn_rank.online._sample_ratio import sample_ratio_test
from sklearn_rank.online._variant_comparison import VariantComparison

__all__ = [
    "VariantComparison",
    "compare_variants",
    "sample_ratio_test",
]
