"""Another launch: the clock and the number of the process are others, as when a script is started again.

Used by the experiment ``again``, inside a rank. Only code that is neither of Python's library nor of torch or
numpy is told so: locks, temporary files and loaders need the real ones.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

LATER = 100_003
"""Seconds: more than a day, so that days and hours differ too."""
ITS_OWN = frozenset({"torch", "numpy", "samplercheck"})


class another_launch:  # noqa: N801  (named as what it is used as, in every case: a generator takes twice as long)
    """Let the target's own code see another time and another process."""

    def __enter__(self) -> None:
        self._kept = time.time, time.time_ns, os.getpid
        time.time, time.time_ns = _shift(time.time, LATER), _shift(time.time_ns, LATER * 10**9)
        os.getpid = _shift(os.getpid, 1)

    def __exit__(self, *_: object) -> None:
        time.time, time.time_ns, os.getpid = self._kept


@lru_cache(maxsize=16)
def _shift(real: Callable[[], Any], more: int) -> Callable[[], Any]:
    def answer() -> Any:
        asked_by = str(sys._getframe(1).f_globals.get("__name__", "")).partition(".")[0]  # noqa: SLF001  (who asks)
        is_library = asked_by in ITS_OWN or asked_by in sys.stdlib_module_names
        return real() + (0 if is_library and asked_by != "__main__" else more)

    return answer
