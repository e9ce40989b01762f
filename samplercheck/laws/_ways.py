"""Ways: the passes that the experiment ``workers`` took, by the way in which a loader was run.

Called by the laws about workers. Imports the trace's values alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from samplercheck.values.finding import Evidence, EvidenceKind, Violation
from samplercheck.values.record import Pass, Record
from samplercheck.values.trace import Trace
from samplercheck.values.wording import pluralise

EXPERIMENT = "workers"
EVENTS = {
    "kept": "in a DataLoader with persistent workers",
    "spawned": "in a DataLoader with spawned workers",
}
"""What comes before that which the usual workers do not show."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What one rank yielded in one way, epoch by epoch; ``stopped`` says why there is no more.

    ``numbers`` are those of its passes among all that were recorded.
    """

    workers: int
    prefetch: int | None
    persistent: bool
    passes: tuple[Pass, ...]
    stopped: str
    spawned: bool = False
    numbers: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The way in words: ``with 2 workers (persistent, prefetch 4)``."""
        kept = "persistent" if self.persistent else "spawned" if self.spawned else ""
        ahead = "" if self.prefetch is None else f"prefetch {self.prefetch}"
        how = ", ".join(filter(None, (kept, ahead)))
        return f"with {pluralise(self.workers, 'worker')}" + (f" ({how})" if how else "")

    def violation(
        self,
        found: str,
        rank: int | None,
        kind: EvidenceKind = "",
        supposes: tuple[str, ...] = (),
        event: str = "",
        **details: Any,
    ) -> Violation:
        """Return a violation that is about these passes."""
        way = "kept" if self.persistent else "spawned" if self.spawned else ""
        evidence = Evidence(kind=kind, passes=self.numbers, way=way, supposes=supposes)
        # Whether workers are kept makes no difference before their second epoch.
        event = event or ("" if way == "kept" and details.get("epoch") == 0 else EVENTS.get(way, ""))
        return Violation(
            found=found, rank=rank, event=event, experiment=EXPERIMENT, evidence=evidence, **details
        )


def is_judged(trace: Trace) -> bool:
    """Whether every rank was run with workers, and without them yielded something that could be read."""
    records = trace.of(EXPERIMENT)
    homes = [home_of(record) for record in records if "ways" in record.notes]
    if len(homes) < trace.case.world_size or any(one.strange for home in homes for one in home):
        return False
    return any(one.items for home in homes for one in home)


def home_of(record: Record) -> tuple[Pass, ...]:
    """Return the passes without workers, by epoch."""
    return tuple(record.passes[at] for at in _numbers(record, 0))


def others_of(record: Record) -> Iterator[Taken]:
    """Yield what was taken in each way with workers, in the same order in all ranks."""
    for number, (workers, prefetch, persistent) in enumerate(record.notes["ways"]):
        if workers:
            stopped = record.notes["stopped"].get(number, "")
            spawned = number in record.notes.get("spawned", ())
            numbers = _numbers(record, number)
            passes = tuple(record.passes[at] for at in numbers)
            yield Taken(workers, prefetch, persistent, passes, stopped, spawned, numbers)


def starts_differ(record: Record) -> bool:
    """Whether one worker, started twice on objects that are built alike, begins with two unlike epochs 0."""
    alone = (one for one in others_of(record) if one.workers == 1 and not one.spawned)
    starts = [one.passes[0] for one in alone if one.passes]
    return any(not one.same_as(starts[0]) for one in starts[1:])


def _numbers(record: Record, number: int) -> tuple[int, ...]:
    """Return the numbers of the passes that were taken in one way."""
    pairs = zip(range(len(record.passes)), record.notes["of"], strict=True)
    return tuple(at for at, way in pairs if way == number)
