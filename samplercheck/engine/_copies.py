"""Copies: how long a run asks copies of its process what a case does that is the first one of a process.

Made by ``carry_out``, and handed to all that have something to ask. Standard library alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

SHORTEST, LONGEST, PART = 5.0, 30.0, 0.5
"""Seconds for all questions: a part of those that the search has taken, within these."""


class Copies:
    """Asks fresh copies while there is time for as long a question as any: what imports late is slow."""

    def __init__(self, ask: Callable[[Any], Any]) -> None:
        self._ask, self._began = ask, time.monotonic()
        self._spent = self._longest = 0.0
        self._until = math.inf

    def limit(self, end: float = math.inf) -> None:
        """Let questions take as long as what was searched so far allows, and not beyond the moment ``end``."""
        now = time.monotonic()
        share = PART * (now - self._began - self._spent)
        self._until = min(end, now + min(max(SHORTEST, share), LONGEST))

    @property
    def is_over(self) -> bool:
        """Whether nothing more is asked."""
        return time.monotonic() + self._longest >= self._until

    def __call__(self, question: Any) -> Any:
        """Return the answer of a fresh copy, if there is time for one."""
        if self.is_over:
            return None
        started = time.monotonic()
        told, took = self._ask(question), time.monotonic() - started
        self._spent, self._longest = self._spent + took, max(self._longest, took)
        return told
