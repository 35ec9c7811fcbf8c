"""The page of the architecture shows the files that are tested here, and real names."""

import re
from dataclasses import fields
from pathlib import Path

from sklearn_rank._ranking._ranked_lists import Places, RankedLists

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "architecture.rst").read_text()


def test_the_page_shows_every_recipe():
    shown = re.findall(r"^\.\. literalinclude:: \.\./tests/recipes/(\w+)\.py$", PAGE, re.M)
    assert sorted(shown) == sorted(path.stem for path in HERE.glob("_*.py"))
    tests = "".join(path.read_text() for path in HERE.glob("test_*.py"))
    for name in shown:
        assert f'"{name}"' in tests, name


def test_what_a_kernel_may_rely_on_is_there():
    section = PAGE.partition("What a kernel may rely on\n")[2].partition("Four journeys")[0]
    rows = re.findall(r"^   \* - (``.*``)$", section, re.M)
    promised = [name for row in rows for name in re.findall(r"``([\w.]+)", row)]
    assert len(promised) > 15
    in_view = {*dir(RankedLists), *(field.name for field in fields(RankedLists))}
    for name in promised:
        of_places = name.startswith("places.")
        assert name.removeprefix("places.") in (dir(Places) if of_places else in_view), name
