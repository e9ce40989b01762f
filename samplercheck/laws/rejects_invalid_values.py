"""Law SC003: a place in the world or a batch size that cannot be is refused at building.

Judged by the engine from the experiment ``nonsense``. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace

CHECKED = frozenset({"rank", "world_size", "batch_size"})
CONSEQUENCES = {"rank": "repeats data", "world_size": "crashes", "batch_size": "crashes"}


def names_a_size(scope: Scope) -> bool:
    """Whether the target takes an argument that can be nonsense."""
    return not CHECKED.isdisjoint(scope.named)


def was_tried(trace: Trace) -> bool:
    """Whether nonsense was offered in this case."""
    records = trace.of("nonsense")
    return bool(records and records[0].notes.get("tried"))


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield one violation that names all nonsense which was accepted."""
    accepted = trace.of("nonsense")[0].notes["accepted"]
    if not accepted:
        return
    world = trace.case.world_size
    first = accepted[0].partition("=")[0]
    yield Violation(
        found=f"built without an error: {', '.join(accepted)} (rank 0 of world size {world} otherwise)",
        rank=0,
        hint="What the constructor checks: 0 <= rank < world_size, world_size >= 1, batch_size >= 1.",
        consequence=CONSEQUENCES[first],
        experiment="nonsense",
    )


LAW = Law(
    code="SC003",
    name="rejects-invalid-values",
    former="rejects-nonsense",
    statement=(
        "A rank outside 0..world-1, a world or batch below 1 is refused with an error when the target is "
        "built."
    ),
    fault="accepts an invalid rank or size",
    consequence="repeats data",
    judge=judge,
    reads=("nonsense",),
    applies=names_a_size,
    sees=was_tried,
    whatever_promised=True,
    grade="strict",
    why=(
        "Launchers pass -1 for a rank that is not set, and slices accept it: `indices[-1::2]` is no "
        "error, it is another rank's data or one sample only. A mistake in the launch script then trains "
        "on wrong shares, and nothing ever says so."
    ),
    fix=(
        "Check rank, world size and batch size in the constructor and raise ValueError, as "
        "DistributedSampler does."
    ),
)
