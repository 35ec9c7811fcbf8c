"""Find ids that two sides write in two ways."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal

from sklearn_rank._base._messages import quantity, shorten

# The most ids of one side alone that are compared.
MOST_LABELS = 10_000
# So many pairs that differ by marks, or by one text in front, are not chance.
_LEAST_ALIKE, _LEAST_OF_SOME = 2, 5
# Labels in which a text in front of others is looked for.
_SAMPLE_SIZE = 200
# Whole numbers in other notations, alone on a line.
_NUMBER = re.compile(
    r"^[^\S\n]*([0-9]+(?:\.[0-9]+(?:[eE]\+?[0-9]{1,2})?|[eE]\+?[0-9]{1,2}))[^\S\n]*$", re.M
)
_MARKS = re.compile(r"[^\w\n]|_")
_ASCII_MARKS = {code: "-" for code in range(128) if _MARKS.match(chr(code))}
_BETWEEN_DIGITS = re.compile("-(?<=[0-9]-)-*(?=[0-9])")  # fast, as it begins with a mark
_ZEROS = re.compile("^0+(?=[^\n])", re.M)
# Stands for the marks between digits: it counts as a letter.
_JOINT = "\N{MODIFIER LETTER APOSTROPHE}"


def describe_look_alikes(
    noun: str,
    names: tuple[str, str],
    alone: tuple[Sequence, Sequence],
    every: Callable[[], tuple[Sequence, Sequence]],
    others: str | None = None,
) -> str | None:
    """Describe ids that each side has alone and that look alike, or return None.

    `others` are the ids of the second side. If more of `every` id look like another id of
    their own side, such ids differ, as 85123A and 85123a do.
    """
    left, right = map(_texts, alone)
    if not left or not right:
        return None
    pairs = find_alike(left, right)
    # One pair that differs by marks, such as doc-1 and doc_1, is not evidence.
    if len(pairs) >= _LEAST_ALIKE or any(_differ_otherwise(*pair) for pair in pairs):
        counts = (Counter(_plain_forms(_texts(side))).values() for side in every())
        if len(pairs) > sum(n for of_side in counts for n in of_side if n > 1):
            verbs = ("looks", "counts") if len(pairs) == 1 else ("look", "count")
            return (
                f"{quantity(len(pairs), noun)} of {names[0]} {verbs[0]} like "
                f"{others or f'ids that only {names[1]} has'}, such as {_show(*pairs[0])}, "
                f"and {verbs[1]} as others. Write ids alike on both sides: zeros in front, "
                "blanks, capitals, '.0', accents."
            )
    for side, sides in enumerate([(left, right), (right, left)]):
        n, around = _text_around(*sides, every, side)
        if n:
            ends = names if side == 0 else names[::-1]
            return f"{quantity(n, noun)} of {ends[0]} are those of {ends[1]} {around}."
    return None


def find_alike(left: Sequence, right: Sequence) -> list[tuple[str, str]]:
    """Return the pairs of text, one of each side, that look alike."""
    left, right = _texts(left), _texts(right)
    looks = dict(zip(_plain_forms(right)[::-1], right[::-1], strict=True))
    pairs = zip(left, map(looks.get, _plain_forms(left)), strict=True)
    return [(label, alike) for label, alike in pairs if alike is not None]


def _plain_forms(labels: list[str]) -> list[str]:
    """Return text without capitals, marks and zeros in front; 7.0 as 7."""
    if not labels:
        return []
    text = _read("\n".join(labels))
    if text.count("\n") != len(labels) - 1:  # labels of several lines
        text = _read("\n".join(label.replace("\n", " ") for label in labels))
    text = text.translate(_ASCII_MARKS) if text.isascii() else _MARKS.sub("-", text)
    text = _BETWEEN_DIGITS.sub(_JOINT, text).replace("-", "")
    looks = _ZEROS.sub("", text).split("\n")
    # Of marks alone nothing is left.
    return [look or label for look, label in zip(looks, labels, strict=True)]


def _read(lines: str) -> str:
    """Return lines without capitals, in one form of Unicode and one notation of numbers."""
    text = unicodedata.normalize("NFKC", lines)
    return _NUMBER.sub(_plain_number, text).casefold()


def _plain_number(match: re.Match) -> str:
    number = Decimal(match[1])
    return f"{number:.0f}" if number == number.to_integral_value() else match[0]


def _differ_otherwise(*pair: str) -> bool:
    """Return whether two labels that look alike differ by more than marks."""
    left, right = (_ZEROS.sub("", _read(label.strip())) for label in pair)
    return left == right


def _show(*pair: str) -> str:
    is_seen = len({unicodedata.normalize("NFKC", label) for label in pair}) > 1
    return " and ".join(map(shorten if is_seen else ascii, pair))


def _text_around(
    longer: list[str],
    shorter: list[str],
    every: Callable[[], tuple[Sequence, Sequence]],
    side: int,
) -> tuple[int, str]:
    """Return how many ids of one side are those of the other behind, or before, one text.

    0 if that may be chance. `every` returns all ids; the text is on that `side`.
    """
    those, texts = set(shorter), Counter[tuple[str, str]]()
    for label in longer[:_SAMPLE_SIZE]:
        for mark in _MARKS.finditer(label):
            for word, cut in (("behind", mark.end()), ("before", mark.start())):
                ends = label[:cut], label[cut:]
                text, rest = ends if word == "behind" else ends[::-1]
                if rest in those and text and not _are_digits(*ends):
                    texts[word, text] += 1
    if not texts:
        return 0, ""
    word, text = max(texts, key=lambda key: texts[key])
    split = str.removeprefix if word == "behind" else str.removesuffix
    pairs = [(label, split(label, text)) for label in longer]
    having = [rest for label, rest in pairs if rest != label]
    shared = [rest for rest in having if rest in those]
    least: float = _LEAST_ALIKE
    if len(having) < len(longer):
        least = max(_LEAST_OF_SOME, min(len(longer), len(shorter)) / 2)
    own = set(_texts(every()[side])) if len(shared) >= least else those
    if len(shared) <= sum(label in own for label in shared):
        return 0, ""
    pair = next((label, rest) for label, rest in pairs if rest in those and rest != label)
    return len(shared), f"{word} {text!r}, such as {_show(*pair)}"


def _are_digits(before: str, after: str) -> bool:
    """Return whether digits are on both sides of the marks at a cut, as in chapters."""
    ends = _MARKS.sub("", before)[-1:], _MARKS.sub("", after)[:1]
    return all(end.isdigit() for end in ends)


def _texts(labels: Sequence) -> list[str]:
    return [label for label in labels if isinstance(label, str)]
