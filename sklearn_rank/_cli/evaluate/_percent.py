"""Rows as steps of a hundred, which is what progress shows."""

from sklearn_rank._cli.printing._progress import Advance


class Percent:
    """Calls `advance` for each hundredth of `total` that is done."""

    def __init__(self, total: int, advance: Advance):
        self._total = max(total, 1)
        self._advance = advance
        self._done = 0
        self._shown = 0

    def add(self, n_rows: int) -> None:
        """Count rows that are done."""
        self._done += n_rows
        while self._shown < 100 * self._done // self._total:
            self._shown += 1
            self._advance(self._shown, 100, self._shown / 100)
