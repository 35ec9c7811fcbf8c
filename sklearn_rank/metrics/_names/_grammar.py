"""Names that carry parameters, such as "ndcg(gain='exponential')@10", and their grammar.

A name is a word, then, if there are any, parameters in parentheses and a cutoff after @::

    WORD [ "(" [ WORD "=" VALUE { "," WORD "=" VALUE } [ "," ] ] ")" ] [ "@" DIGITS ]

A value is an integer, a decimal number, True, False, None, or text in quotes. White space
is allowed between any two of these parts. Hyphens within a word are underscores.

Other tools write the cutoff as a part of the word: "ndcg_at_10", "P_5", "ndcg10",
"ndcg_cut.10". A decimal there, or after @, is a level, as in "iprec_at_recall_0.10", and
parameters may follow. In ranx a name ends with the lowest relevant grade:
"precision@10-l2".
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn

from sklearn_rank._base._validation import shorten

EXAMPLE_NAME = "\"ndcg(gain='exponential')@10\""

# Several times the longest valid name; it bounds the work and the message.
LONGEST_NAME = 256

# Each alternative reads a stretch of text once, without going back.
_PART = re.compile(
    r"""(?P<word>   11pt_avg | [A-Za-z_] \w* (?: - [A-Za-z_] \w* )* )
      | (?P<number> [+-]? (?: \d+ \.? \d* | \. \d+ ) (?: [eE] [+-]? \d+ )? )
      | (?P<text>   ' [^'\\]* ' | " [^"\\]* " )
      | (?P<mark>   [(),=@] )
      | (?P<other>  \S )""",
    re.VERBOSE | re.ASCII,
)
_WITH_CUTOFF = re.compile(r"(?P<name>\w+?)(?:_at)?_(?P<digits>\d+)", re.ASCII)
_LOWEST_GRADE = re.compile(r"-l(?P<grade>\d+)\s*$", re.ASCII)
_LEVEL = re.compile(r"\d*\.\d+", re.ASCII)
NO_CUTOFF = "the cutoff after @ must be a positive integer, got"
# The key of a decimal in place of the cutoff; not a name of a parameter.
LEVEL = "@"
_CONSTANTS = {"True": True, "False": False, "None": None}


def parse_name(text: str) -> tuple[str, dict[str, Any]]:
    """Return the word that a name begins with, and the parameters it gives."""
    name, given = _parse(text)
    return name, dict(given)


@lru_cache(maxsize=1024)  # searches and loops parse the same names repeatedly
def _parse(text: str) -> tuple[str, dict[str, Any]]:
    grade = _LOWEST_GRADE.search(text)
    reader = _NameReader(text, len(text) if grade is None else grade.start())
    name, given = _word_and_parameters(reader)
    reader.end()
    return name, given if grade is None else {**given, "min_relevance": int(grade[1])}


def _word_and_parameters(reader: "_NameReader") -> tuple[str, dict[str, Any]]:
    name, digits = reader.word("the name of a metric"), ""
    with_cutoff = _WITH_CUTOFF.fullmatch(name)
    if with_cutoff:
        name, digits = with_cutoff["name"], with_cutoff["digits"]
    if reader.part.startswith(".") and reader.is_level():
        level = digits + reader.step()
        return name, {LEVEL: level} | _read_parameters(reader)
    if digits:
        return name, {"k": int(digits)}
    given = _read_parameters(reader)
    if reader.skips("@"):
        if "k" in given:
            reader.refuse("it gives the cutoff twice, as k= and after @")
        given |= {LEVEL: reader.step()} if reader.is_level() else {"k": reader.cutoff()}
    return name, given


def _read_parameters(reader: "_NameReader") -> dict[str, Any]:
    """Return the parameters in parentheses, if there are any."""
    given: dict[str, Any] = {}
    is_open = reader.skips("(")
    while is_open and not reader.skips(")"):
        parameter = reader.word("a parameter, as name=value,")
        if parameter in given:
            reader.refuse(f"it gives {shorten(parameter)} twice")
        reader.expect("=")
        given[parameter] = reader.value()
        if reader.part != ")":
            reader.expect(",")
    return given


def unreadable_name(text: str, what: str) -> ValueError:
    """Return an error that shows the name, what is wrong, and an example."""
    return ValueError(
        f"Cannot read the name of a metric {shorten(text)}: {what}. "
        f"Write for example {EXAMPLE_NAME}."
    )


class _NameReader:
    """The parts of a name, one after the other."""

    def __init__(self, text: str, end: int):
        self.text = text
        if len(text) > LONGEST_NAME:
            self.refuse(f"it has {len(text)} characters, and {LONGEST_NAME} are the most")
        self._rest = _PART.finditer(text, 0, end)
        self.kind, self.part = "", ""
        self.step()

    def step(self) -> str:
        """Go to the next part, and return the one before it."""
        part, found = self.part, next(self._rest, None)
        self.kind = "end" if found is None else str(found.lastgroup)
        self.part = "" if found is None else found.group()
        return part

    def refuse(self, what: str) -> NoReturn:
        """Raise an error that shows the name, what is wrong, and an example."""
        raise unreadable_name(self.text, what)

    def skips(self, mark: str) -> bool:
        """Go over a mark if it comes next, and return whether it did."""
        if self.part != mark:
            return False
        self.step()
        return True

    def expect(self, mark: str) -> None:
        """Go over a mark that has to come next."""
        if not self.skips(mark):
            self.refuse(f"{mark!r} is missing before {self._next()}")

    def word(self, what: str) -> str:
        """Return the word that has to come next."""
        if self.kind != "word":
            self.refuse(f"{what} is missing before {self._next()}")
        return self.step()

    def value(self) -> Any:
        """Return the value that has to come next."""
        if self.kind == "number":
            digits = self.step()
            return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
        if self.kind == "text":
            return self.step()[1:-1]
        if self.part in _CONSTANTS:
            return _CONSTANTS[self.step()]
        self.refuse(
            f"{self._next()} is not a value; values are numbers, True, False, None and "
            "text in quotes"
        )

    def is_level(self) -> bool:
        """Return whether the next part is a decimal number without a sign."""
        return _LEVEL.fullmatch(self.part) is not None

    def cutoff(self) -> int:
        """Return the cutoff that has to come next."""
        if self.kind != "number" or not self.part.isdigit() or int(self.part) < 1:
            self.refuse(f"{NO_CUTOFF} {self._next()}")
        return int(self.step())

    def end(self) -> None:
        """Raise if anything is left."""
        if self.kind != "end":
            self.refuse(f"{self._next()} comes after the end of the name")

    def _next(self) -> str:
        return "the end" if self.kind == "end" else shorten(self.part)


# Names of metrics in other libraries.
#
# Words are compared without capitals and underscores. The name of a metric, and that of its
# function without "_at_k_score" or "_score", need no line here.
#
# If a word belongs to one tool, its meaning has the parameters of that tool, as in its
# convention. Names do not set the treatment of ties and undefined queries.

# For each metric in our grammar, its names in other libraries.
_WORDS = {
    "auc": "gauc retrieval_auroc roc_auc",
    "bpref(average='geometric')": "gm_bpref",
    "calibration": "miscalibration",
    "coverage": "catalog_coverage item_coverage",
    "dcg": "discounted_cumulative_gain",
    "dcg(gain='exponential')": "dcg_burges",
    "efd": "expected_free_discovery",
    "eleven_point_precision": "eleven_point",
    "eleven_point_precision(rounding='nine_tenths')": "11pt_avg iprec_11pt",
    "entropy": "shannon_entropy",
    "epc": "expected_popularity_complement",
    "err_ia(normalize='collection')": "n_err_ia",
    "f1": "f f1_beta",
    "f1(k=None)": "set_f",
    "fallout(k=None)": "retrieval_fall_out",
    "hit_rate": "hit hit_ratio hr success top_k_accuracy",
    "hit_rate(k=None)": "retrieval_hit_rate",
    "interpolated_precision(rounding='nine_tenths')": "iprec iprec_at_recall",
    "intra_list_distance": "ild intra_list_diversity",
    "long_tail": "aplt",
    "map": "average_precision",
    "map(denominator='relevant')": "ap map_cut",
    "map(denominator='relevant', average='geometric')": "gm_map",
    "map(denominator='retrieved')": "retrieval_average_precision retrieval_map",
    "map@10": "apk mapk",
    "map_ia": "ap_ia",
    "mean_rank(percentile=True)": "mpr",
    "mrr": "average_reciprocal_rank recip_rank reciprocal_rank retrieval_mrr "
    "retrieval_reciprocal_rank rr",
    "ndcg": "mean_ndcg ndcg_cut normalized_dcg normalized_discounted_cumulative_gain "
    "retrieval_normalized_dcg",
    "ndcg(gain='exponential')": "ndcg_burges",
    "novelty": "mean_inv_user_freq",
    "nrbp(normalize='collection')": "n_nrbp",
    "pooled_recall": "micro_recall",
    "popularity(count='interactions')": "avg_rec_popularity",
    "precision": "macro_precision p prec",
    "precision(k=None)": "retrieval_precision set_p",
    "precision_ia": "p_ia",
    "psp": "psprecision",
    "q_measure": "q",
    "r_precision": "retrieval_r_precision rprec",
    "recall": "macro_recall r",
    "recall(denominator='attainable')": "capped_recall",
    "recall(k=None)": "retrieval_recall set_r set_recall",
    "relative_precision": "relative_p",
    "relative_precision(k=None)": "set_rel_p set_relative_p",
    "set_map": "set_ap",
    "subtopic_recall": "s_recall st_recall strec",
    "user_coverage": "sufficient_reco",
    "user_coverage(length='any')": "covered_users",
}
# Words without a metric here, by the reason; no other metric is suggested for them.
_NO_METRICS = {
    "ranx counts hits by it, others the queries that have one; write "
    "'hit_rate@k' for these, and 'precision@k' for the hits per rank": "hits",
    "it is a count; ranking_report(support=True) has the counts": "num_q num_rel "
    "num_rel_ret num_ret",
    "it is a count; 'judged@k' is the share that is judged": "num_nonrel_judged_ret",
    "it is the tag of a run": "runid",
    "it is a text of grades": "relstring",
    "it is precision at multiples of R; 'precision@k' has fixed cutoffs": "rprec_mult",
    "it is nDCG at the ranks with relevant documents alone; take 'ndcg'": "ndcg_rel",
    "it is the mean of nDCG at the ranks down to R; take 'ndcg@k'": "rndcg",
    "it is an experiment of trec_eval; 'q_measure' has graded gains as well": "g bin_g",
    "it is a sum without a scale": "utility",
    "the bejeweled player model is not here; 'inst' is near to it": "bpm",
    "it compares two lists; ranking_similarity does": "compat",
    "it scales by the best list that any query could have; take 'ndcg@k'": "sdcg",
    "it is not here; 'err@k' and 'insq' are its relatives": "nerr8 nerr9 nerr10 nerr11",
    "it is not here; 'err@k' is not divided by that of the best list": "nerr",
    "it is the DCG of the best list, which 'ndcg' divides by": "idcg",
    "it is not here; 'ndcg(discount=...)' discounts by rank": "ncg",
    "mean average recall is the mean of recall over cutoffs; take 'recall@k'": "mar",
    "Matthews' correlation is of one classification; take 'f1@k'": "mcc",
    "it is not here; 'auc' takes the whole list": "partial_auc pap",
    "take 'map', the area under precision and recall of each query": "pr_auc auprc",
    "it is 1 less 'unexpectedness@k'": "intersection",
    "it is the share of different items in a list, which is 1 here": "unrepeated_reco",
    "it is a curve; precision_recall_at_k_curve has it": "precision_recall_curve "
    "retrieval_precision_recall_curve retrieval_recall_at_fixed_precision",
    "it adds 1 / rank of all hits; with one relevant item it is 'mrr@k'": "arhr",
    "it may be 'intra_list_distance@k', 'entropy@k' or 'coverage@k'": "diversity",
    "it is an error of ratings that scikit-learn has": "mape msle rmsle medae r2",
}


def _index_by_word(table: Mapping[str, str]) -> dict[str, str]:
    return {word: meaning for meaning, words in table.items() for word in words.split()}


SPELLINGS = _index_by_word(_WORDS)
REASONS = _index_by_word(_NO_METRICS)

# Parameters as ir_measures and others call them, where a metric has none of that name.
_OTHERS = {"k": "cutoff n top top_k", "min_relevance": "rel", "persistence": "p"}
_OTHERS |= {"recall_level": "recall", "max_grade": "max_rel", "gain": "dcg"}
OTHER_PARAMETERS = _index_by_word(_OTHERS)
OTHER_GAINS: Mapping[str, str] = {"log2": "linear", "exp-log2": "exponential"}

# The parameter of a decimal after the word or @: "iprec_at_recall_0.10", "rbp.95".
DECIMAL_PARAMETERS = {"interpolated_precision": "recall_level", "rbp": "persistence"}
