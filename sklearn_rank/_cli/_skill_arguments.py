"""Print the instructions for coding agents that come with the package, SKILL.md.

Examples
--------
sklearn-rank skill
"""

import argparse

HELP = "print the instructions for coding agents"
USAGE = ""


def add_arguments(skill: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def check_together(options: argparse.Namespace) -> None:
    """Check nothing: the command has no options."""
