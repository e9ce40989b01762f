"""Bell: hearing of children's deaths while waiting for other things, and burying them.

Used by the server and by the stems, each in its only thread. Standard library alone.
"""

from __future__ import annotations

import os
import signal

__all__ = ["Bell", "buried"]

MOST_STROKES = 4_096


class Bell:
    """Descriptor ``reading`` can be waited for: it is ready when a child has died since the last hush."""

    def __init__(self) -> None:
        self.reading, self._striker = os.pipe()
        os.set_blocking(self._striker, False)
        signal.set_wakeup_fd(self._striker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    @property
    def descriptors(self) -> tuple[int, int]:
        """What a copy of this process must let go of."""
        return self.reading, self._striker

    def hush(self) -> None:
        """Wait for the next death from now on."""
        os.read(self.reading, MOST_STROKES)


def buried() -> dict[int, int]:
    """Bury the children that have died; return each with its exit code, negative for a signal."""
    codes: dict[int, int] = {}
    try:
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            codes[found[0]] = os.waitstatus_to_exitcode(found[1])
    except ChildProcessError:  # there are no children at all
        pass
    return codes
