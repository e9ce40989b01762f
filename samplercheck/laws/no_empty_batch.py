"""Law SC602: no batch is empty.

Judged by the engine on every epoch of a target that yields batches, of variable ones too, unless the contract
allows empty ones. Imports values.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._passes import yields_batches
from samplercheck.laws.law import Law, Scope, first_few
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace

EVEN = (
    "Where batches are cut, or split over the ranks: a rank that would get no sample has to repeat one. Of "
    "an empty dataset, yield no batch at all."
)
ALONE = (
    "Where a batch is closed: yield none without a sample. If empty batches are meant, as of Poisson "
    'sampling, declare batches="variable", empty_batches=True.'
)
KEPT = (
    "Where batches are closed: an uneven tail may stay, so a rank without samples left may end with fewer "
    "batches than others."
)

MEANT = Evidence(kind="meant", argument="empty_batches=True")


def applies(scope: Scope) -> bool:
    """Whether the target yields batches, none of which may be empty."""
    return scope.kind != "samples" and not scope.contract.empty_batches


def _hint(trace: Trace) -> str:
    if trace.owed.tail == "keep":
        return KEPT
    return ALONE if trace.owed.places == 1 else EVEN


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the passes with an empty batch."""
    for epoch in trace.epochs:
        for rank, pass_ in zip(epoch.ranks, epoch.passes, strict=True):
            if pass_.sizes and 0 in pass_.sizes:
                step = pass_.sizes.index(0)
                yield Violation(
                    found=f"rank {rank} yields an empty batch in step {step} of epoch {epoch.number}",
                    rank=rank,
                    epoch=epoch.number,
                    step=step,
                    hint=_hint(trace),
                    evidence=MEANT if trace.contract.coverage == "sampled" else Evidence(),
                )


LAW = Law(
    code="SC602",
    name="no-empty-batch",
    statement="No batch is empty, on any rank.",
    fault="yields empty batches",
    consequence="crashes",
    judge=judge,
    applies=applies,
    sees=yields_batches,
    why=(
        "Collating no samples raises, or makes a tensor without rows, whose mean loss is NaN; averaged over "
        "the ranks it makes the gradients of all of them NaN. It happens with tiny or nearly empty shards, "
        "on one rank, long after the start."
    ),
    fix="Make ranks even by repeating or dropping samples before they are cut into batches.",
)
