"""A short name for each run: that of its file, as long as needed to tell runs apart."""

from collections.abc import Callable, Sequence
from pathlib import Path

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.reading._input_files import PACKED


def name_runs(paths: Sequence[str]) -> dict[str, str]:
    """Return the path of each run by its name."""
    resolved = [Path(path).resolve() for path in paths]
    for place, path in enumerate(resolved):
        if path in resolved[:place]:
            raise InputError(f"The run {paths[place]!r} is given twice.")
    for short in SHORTENED:
        named = {short(path): path for path in paths}
        if len(named) == len(paths):
            return named
    return {path: path for path in paths}


def _without_endings(path: str) -> str:
    name = Path(path)
    return Path(name.stem).stem if name.suffix.lower() in PACKED else name.stem


def _file_name(path: str) -> str:
    return Path(path).name


SHORTENED: tuple[Callable[[str], str], ...] = (_without_endings, _file_name)
