"""Signals that end a command: it stops cleanly and never leaves half a file."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

# Windows has no SIGHUP, the signal of a closed terminal.
ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Stopped(KeyboardInterrupt):
    """A signal asked the command to end; libraries do not catch it, as with Ctrl-C."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Raise Stopped on such a signal, unless another handler is installed."""
    numbers = ENDING if _in_main_thread() else ()
    ours = [n for n in numbers if signal.getsignal(n) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _raise_stopped)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def delay_signals() -> Iterator[None]:
    """Delay signals, Ctrl-C too, until the block is done."""
    came: list[int] = []
    numbers = (signal.SIGINT, *ENDING) if _in_main_thread() else ()
    # None: not set by Python, which cannot restore it.
    handlers = {n: signal.getsignal(n) for n in numbers if signal.getsignal(n) is not None}
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _raise_stopped(number: int, frame: FrameType | None) -> NoReturn:
    raise Stopped(number)


def _in_main_thread() -> bool:
    """Return whether Python allows to set handlers here."""
    return threading.current_thread() is threading.main_thread()
