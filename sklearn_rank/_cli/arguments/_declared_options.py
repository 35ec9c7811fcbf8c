"""Options declared in the form in which --help shows them."""

import re
from typing import Any

REQUIRED = {"required": True}


def add_options(command: Any, text: str, **settings: Any) -> None:
    """Add the options of a text, as `-x, --name METAVAR  help`, to a parser or group.

    Indented text continues the help of the line before. An option without a
    metavar is a flag. Of choices, as in `--name {a,b}`, the first is the default.
    `settings` has further arguments of `add_argument`, by the name of the option.
    """
    for entry in re.split(r"\n(?=\S)", text.strip()):
        form, said = re.split(r" {2,}|\n", entry, maxsplit=1)
        words = form.replace(", ", " ").split()
        names = [word for word in words if word.startswith("-")]
        own: dict[str, Any] = {"action": "store_true"}
        if words[-1].startswith("{"):
            choices = words[-1].strip("{}").split(",")
            own = {"choices": tuple(choices), "default": choices[0]}
        elif words[-1] not in names:
            own = {"metavar": words[-1]}
        own |= settings.get(names[-1].lstrip("-").replace("-", "_"), {})
        command.add_argument(*names, help=" ".join(said.split()), **own)
