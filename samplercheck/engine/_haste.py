"""Haste: once a target has been found hanging, it is waited for no longer than it has ever needed.

Called by the worlds of a run with what they record. A first hang meets the whole deadline. What the target
has taken until then for calls of the same kind is known, so that any other hang costs seconds; where it
never came back from such a call, a second whole deadline is met first.
"""

from __future__ import annotations

from collections.abc import Callable

from samplercheck.values.trace import Trace
from samplercheck.worlds import HomeWorld
from samplercheck.worlds.in_rank.deadlines import Deadlines

CERTAIN = 2


class Haste:
    """Counts the hangs of a run and tells its worlds, once, how long to wait from then on."""

    def __init__(self, home: HomeWorld, tell_groups: Callable[[Deadlines], None]) -> None:
        self._guard = home.guard
        self._tell_groups = tell_groups
        self._hangs = 0
        self._has_learnt = False

    def note(self, trace: Trace) -> None:
        """Learn from a trace in which a rank hung."""
        hung = next((fault for fault in trace.faults if fault.kind == "deadline"), None)
        if hung is None or self._has_learnt:
            return
        self._hangs += 1
        if self._hangs < CERTAIN and not self._guard.has_come_back(hung.phase):
            return
        self._has_learnt = True
        self._guard.deadlines = self._guard.learn_deadlines()
        self._tell_groups(self._guard.deadlines)
