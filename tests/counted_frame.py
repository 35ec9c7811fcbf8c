"""A frame that counts how often its columns, and its rows, are read."""

from typing import ClassVar

import pandas as pd


class Counted(pd.DataFrame):
    """A frame that counts how often a column, or rows, are taken."""

    reads: ClassVar[dict[str, int]] = {}

    @property
    def _constructor(self):
        return Counted

    @property
    def iloc(self):
        return _CountedPlaces(self, super().iloc)


class _CountedPlaces:
    def __init__(self, frame, places):
        self.frame, self.places = frame, places

    def __getattr__(self, name):
        return getattr(self.places, name)  # what pandas itself asks for

    def __getitem__(self, key):
        is_column = isinstance(key, tuple) and isinstance(key[1], int)
        name = self.frame.columns[key[1]] if is_column else "rows"
        Counted.reads[name] = Counted.reads.get(name, 0) + 1
        return self.places[key]
