"""Another launch: the clock and the number of the process are others, as when a script is started again.

Used by the experiment ``again``, inside a rank. Only code that is neither of Python's library nor of torch or
numpy is told so: locks, temporary files and loaders need the real ones.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

LATER = 100_003
"""Seconds: more than a day, so that days and hours differ too."""
ITS_OWN = frozenset({"torch", "numpy", "samplercheck"})


@contextmanager
def another_launch() -> Iterator[None]:
    """Let the target's own code see another time and another process."""
    kept: list[tuple[Any, str, Callable[[], Any]]] = [
        (time, "time", time.time), (time, "time_ns", time.time_ns), (os, "getpid", os.getpid)
    ]  # fmt: skip
    ahead = (LATER, LATER * 10**9, 1)
    for (module, name, real), more in zip(kept, ahead, strict=True):
        setattr(module, name, _shift(real, more))
    try:
        yield
    finally:
        for module, name, real in kept:
            setattr(module, name, real)


@lru_cache(maxsize=16)
def _shift(real: Callable[[], Any], more: int) -> Callable[[], Any]:
    def answer() -> Any:
        asked_by = str(sys._getframe(1).f_globals.get("__name__", "")).partition(".")[0]  # noqa: SLF001  (who asks)
        is_library = asked_by in ITS_OWN or asked_by in sys.stdlib_module_names
        return real() + (0 if is_library and asked_by != "__main__" else more)

    return answer
