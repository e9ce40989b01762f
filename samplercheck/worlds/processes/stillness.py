"""Stillness: for how long something has not moved, as seen from another process.

Used by whoever watches a supervised child or a rank. Standard library alone.
"""

from __future__ import annotations

__all__ = ["Stillness"]

LONGEST_LOOK = 0.2


class Stillness:
    """Adds up the time in which what is seen stays the same; ``seconds`` of it so far.

    Only short steps count, so that a machine or a watcher that was asleep raises no alarm.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._seen: object = None

    def look(self, seen: object, passed: float, *, excused: bool = False) -> float:
        """See what there is now, ``passed`` seconds after the last look; who is excused begins anew."""
        if excused or seen != self._seen:
            self._seen, self.seconds = seen, 0.0
        self.seconds += min(passed, LONGEST_LOOK)
        return self.seconds
