"""`sklearn-rank skill`: print the SKILL.md of the package."""

from argparse import Namespace
from importlib.resources import files

from sklearn_rank._cli._printing import print_result

SKILL = ".agents/skills/sklearn-rank/SKILL.md"


def skill(options: Namespace) -> None:
    """Run `sklearn-rank skill`."""
    text = files("sklearn_rank").joinpath(SKILL).read_text(encoding="utf-8")
    print_result(text.rstrip("\n"))
