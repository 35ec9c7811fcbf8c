"""Files that appear whole or not at all."""

import json
import math
import os
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_rank import __version__
from sklearn_rank._cli._errors import InputError

__all__ = ["as_json", "check_folder", "write_files", "write_whole"]


def check_folder(path: str) -> None:
    """Raise unless files can be written there; the folder need not exist yet."""
    folder = Path(path).absolute()
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise InputError(f"--output {path!r}: {str(folder)!r} is a file, not a folder.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"--output {path!r}: no permission to write in {str(folder)!r}.")


def write_files(
    path: str, contents: Mapping[str, str], draw: Callable[[], bytes] | None
) -> str:
    """Write files into a folder and return the lines that say so.

    `draw` makes metric_at_k.png, which is left out where matplotlib is missing.
    """
    files = {name: text.encode() for name, text in contents.items()}
    remark = ""
    if draw is not None:
        try:
            files["metric_at_k.png"] = draw()
        except ImportError as error:
            remark = f"\nmetric_at_k.png is left out. {error}"
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_whole(folder / name, content)
    return f"Wrote {', '.join(files)} into {path}.{remark}"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees a part of it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def as_json(options: Namespace, found: Mapping[str, Any]) -> str:
    """Return the options of a run and what it found, as JSON."""
    given = {name: value for name, value in vars(options).items() if name != "command"}
    report = {"sklearn_rank": __version__, "options": given, **found}
    return json.dumps(_plain(report), indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return the value in types that JSON knows; what is not finite is null."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if value is pd.NA:
        return None
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
