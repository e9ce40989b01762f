"""Rank process: one process of a nursery as the process of the run sees it.

Made by whatever a nursery gets its processes from. Standard library alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

__all__ = ["RankProcess"]


class RankProcess:
    """One rank process and the connection to it; ``status`` is empty while it lives.

    Afterwards it is "SIGKILL" or "exit status 3".
    """

    def __init__(
        self,
        number: int,
        pid: int,
        connection: Connection,
        kill: Callable[[int], None],
        words: Callable[[], tuple[str, ...]],
    ) -> None:
        self.number = number
        self.pid = pid
        self.connection = connection
        self.status = ""
        self._kill = kill
        self._words = words

    def kill(self) -> None:
        """Kill it and all that it has started, at once; that it is dead is heard later."""
        if not self.status:
            self._kill(self.number)

    @property
    def last_words(self) -> tuple[str, ...]:
        """The last lines of the standard error that all processes of a nursery share."""
        return self._words()
