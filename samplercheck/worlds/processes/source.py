"""Nursery: where the rank processes of a run come from, and who hears of their deaths.

Used by the pool of groups, in the process of the run and in whatever thread that is. Where processes
may be copied (Linux) a server that has torch loaded copies them, in about 20 milliseconds each;
elsewhere each is an interpreter of its own, which takes seconds to import torch and the target.
Imports neither torch nor the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from samplercheck.errors import UsageError
from samplercheck.worlds.processes import lifetime

if TYPE_CHECKING:
    from pathlib import Path

    from samplercheck.worlds.processes.rank_process import RankProcess

__all__ = ["Nursery"]

OPENER = "samplercheck.parcels:unpack"
METHODS = ("fork", "spawn")


class Source(Protocol):
    """A way to get rank processes."""

    @property
    def waitable(self) -> list[Any]: ...

    def start(self) -> None: ...

    def preload(self, parcel: bytes, opener: str, seconds: float) -> str: ...

    def bear(self, number: int, job: dict[str, Any], seconds: float) -> RankProcess: ...

    def hear(self) -> None: ...

    def close(self) -> None: ...


class Nursery:
    """Where ranks come from; ``directory`` is the run's own, for files that they may leave behind.

    ``method`` is "fork" or "spawn", or empty for what is right here. ``opener`` names what opens a
    parcel. A ``WorldError`` says that the server is gone, and its ranks with it: a new nursery is needed.
    """

    def __init__(
        self, directory: Path, *, hash_seed: int = 0, method: str = "", opener: str = OPENER
    ) -> None:
        self.method = method or ("fork" if lifetime.copies_are_safe() else "spawn")
        if self.method not in METHODS:
            raise UsageError(f"{method!r} is no way to start processes. Known: {', '.join(METHODS)}.")
        self._directory = directory
        self._opener = opener
        self._count = 0
        self._source = _source(self.method, hash_seed)

    def start(self) -> None:
        """Launch the server; it imports torch while the caller goes on."""
        self._source.start()

    def preload(self, parcel: bytes, *, seconds: float = 60) -> str:
        """Import a target where ranks are copied from; return why ranks must do it themselves, or nothing."""
        return self._source.preload(parcel, self._opener, seconds)

    def bear(self, job: dict[str, Any], *, seconds: float = 60) -> RankProcess:
        """Return a new rank process; ``job["entry"]`` names what it calls instead of the rank's own main."""
        self._count += 1
        return self._source.bear(self._count, {**job, "directory": str(self._directory)}, seconds)

    def hear(self) -> None:
        """Take in who has died, without waiting."""
        self._source.hear()

    @property
    def waitable(self) -> list[Any]:
        """What to wait for together with the ranks' connections; where it is empty, ``hear`` now and then."""
        return self._source.waitable

    def close(self) -> None:
        """End everything that this nursery has started; nothing of it is left."""
        self._source.close()


def _source(method: str, hash_seed: int) -> Source:
    if method == "fork":
        from samplercheck.worlds.processes.forked import Copied

        return Copied(hash_seed)
    from samplercheck.worlds.processes.spawned import Fresh

    return Fresh(hash_seed)
