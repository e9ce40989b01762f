"""Ways: the passes that the experiment ``workers`` took, by the way in which a loader was run.

Called by the laws about workers. Imports the trace's values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from samplercheck.words import pluralise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.case import Case
    from samplercheck.laws._law import Scope
    from samplercheck.record import Pass, Record
    from samplercheck.trace import Trace

__all__ = ["Taken", "goes_through_a_loader", "has_workers", "home_of", "is_judged", "others_of"]

EXPERIMENT = "workers"


@dataclass(frozen=True, slots=True)
class Taken:
    """What one rank yielded in one way, epoch by epoch; ``stopped`` says why there is no more."""

    workers: int
    prefetch: int | None
    persistent: bool
    passes: tuple[Pass, ...]
    stopped: str
    spawned: bool = False

    @property
    def text(self) -> str:
        """The way in words: ``with 2 workers (kept from epoch to epoch, prefetch 4)``."""
        kept = "kept from epoch to epoch" if self.persistent else "spawned" if self.spawned else ""
        ahead = "" if self.prefetch is None else f"prefetch {self.prefetch}"
        how = ", ".join(filter(None, (kept, ahead)))
        return f"with {pluralise(self.workers, 'worker')}" + (f" ({how})" if how else "")


def has_workers(case: Case) -> bool:
    """Whether a case is one of workers."""
    return case.workers > 0


def goes_through_a_loader(scope: Scope) -> bool:
    """Whether the target is a loader that may have workers, or a stream, which any loader may get.

    A loader that neither names ``num_workers`` nor has any of its own is left without.
    """
    if "loader" in scope.traits:
        return "num_workers" in scope.named or "own_workers" in scope.traits
    return "stream" in scope.traits


def is_judged(trace: Trace) -> bool:
    """Whether every rank was run with workers, and without them yielded something that could be read."""
    records = trace.of(EXPERIMENT)
    homes = [home_of(record) for record in records if "ways" in record.notes]
    if len(homes) < trace.case.world_size or any(one.strange for home in homes for one in home):
        return False
    return any(one.items for home in homes for one in home)


def home_of(record: Record) -> tuple[Pass, ...]:
    """Return the passes without workers, by epoch."""
    return _passes(record, 0)


def others_of(record: Record) -> Iterator[Taken]:
    """Yield what was taken in each way with workers, in the same order in all ranks."""
    for number, (workers, prefetch, persistent) in enumerate(record.notes["ways"]):
        if workers:
            stopped = record.notes["stopped"].get(number, "")
            spawned = number in record.notes.get("spawned", ())
            yield Taken(workers, prefetch, persistent, _passes(record, number), stopped, spawned)


def _passes(record: Record, number: int) -> tuple[Pass, ...]:
    return tuple(one for one, way in zip(record.passes, record.notes["of"], strict=True) if way == number)
