"""Online evaluation from logs of A/B tests, of interleaved lists, or of another ranker."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.online._compare_variant_sums import compare_variant_sums
from sklearn_rank.online._compare_variants import compare_variants
from sklearn_rank.online._interleaving import InterleavingResult, interleaving_test
from sklearn_rank.online._looks_display import VariantLooksDisplay
from sklearn_rank.online._off_policy import off_policy_value, propensities_from_swaps
from sklearn_rank.online._sample_ratio import sample_ratio_test
from sklearn_rank.online._team_draft import team_draft_interleave
from sklearn_rank.online._variant_comparison import VariantComparison

__all__ = [
    "InterleavingResult",
    "VariantComparison",
    "VariantLooksDisplay",
    "compare_variant_sums",
    "compare_variants",
    "interleaving_test",
    "off_policy_value",
    "propensities_from_swaps",
    "sample_ratio_test",
    "team_draft_interleave",
]

_explain_missing(__name__)
