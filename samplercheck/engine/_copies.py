"""Copies: how long a run asks copies of its process what a case does that is the first one of a process.

Made by ``carry_out``, and handed to all that have something to ask. Standard library alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

SHORTEST, LONGEST, PART = 5.0, 30.0, 0.5
"""Seconds for all questions; where one is dear, no more than a part of those that the search has taken."""
DEAR = 1.0


class Copies:
    """Asks fresh copies while there is time for as long a question as any: what imports late is slow."""

    def __init__(self, ask: Callable[[Any], Any]) -> None:
        self._ask, self._began = ask, time.monotonic()
        self._spent = self._longest = self._share = 0.0
        self._limited = self._end = math.inf

    def limit(self, end: float = math.inf) -> None:
        """Let questions be asked for a while from now on, and not beyond the moment ``end``."""
        self._limited, self._end = time.monotonic(), end
        self._share = PART * (self._limited - self._began - self._spent)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is asked."""
        most = LONGEST if self._longest <= DEAR else min(max(SHORTEST, self._share), LONGEST)
        return time.monotonic() + self._longest >= min(self._limited + most, self._end)

    def __call__(self, question: Any) -> Any:
        """Return the answer of a fresh copy, if there is time for one."""
        if self.is_over:
            return None
        started = time.monotonic()
        told, took = self._ask(question), time.monotonic() - started
        self._spent, self._longest = self._spent + took, max(self._longest, took)
        return told
