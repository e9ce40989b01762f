"""Law SC203: the length is the reference's.

Judged by the engine from the experiments ``lengths`` and ``reference``. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws.law import Law, Scope, first_few
from samplercheck.values.finding import Violation
from samplercheck.values.owed import Owed
from samplercheck.values.record import Record
from samplercheck.values.trace import Trace


def has_reference(scope: Scope) -> bool:
    """Whether the contract names a reference, and the target has a length to compare."""
    return scope.contract.reference is not None and "len" in scope.traits


def gives_lengths(trace: Trace) -> bool:
    """Whether some rank has a length that can be compared with its reference's."""
    for record, other in zip(trace.of("lengths"), trace.of("reference"), strict=False):
        if _before(record).keys() & _before(other).keys():
            return True
    return False


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the lengths that differ from the reference's."""
    is_torch = trace.contract.reference == "torch"
    name = "torch's DistributedSampler" if is_torch else "the reference"
    for rank, (record, other) in enumerate(zip(trace.of("lengths"), trace.of("reference"), strict=True)):
        lengths = _before(other)
        for epoch, said in _before(record).items():
            owed = lengths.get(epoch, said)
            if is_torch and epoch in lengths:
                owed = count_steps(owed, trace.owed, trace.case.batch_size, batched=trace.batched)
            if said != owed:
                yield Violation(
                    found=f"len() of rank {rank} is {said} in epoch {epoch}; {name} makes it "
                    f"{owed if owed == lengths[epoch] else f'{owed} ({lengths[epoch]} samples)'}",
                    rank=rank,
                    epoch=epoch,
                    experiment="lengths",
                )
                break


def _before(record: Record) -> dict[int, int]:
    """Return the lengths given before passes, by epoch."""
    return {
        answer.epoch: answer.value
        for answer in record.lengths
        if answer.when == "before" and answer.value is not None
    }


def count_steps(samples: int, owed: Owed, size: int, *, batched: bool) -> int:
    """Return the length that is owed for a share of so many samples, in what a target yields."""
    unit = size if batched else owed.unit
    up = 0 if owed.tail == "drop" and owed.unit == size else unit - 1
    return (samples + up) // unit * (1 if batched else unit)


LAW = Law(
    code="SC203",
    name="reference-length",
    statement=(
        'The length is the one of torch\'s DistributedSampler for the same case (contract reference "torch").'
    ),
    fault="len() differs from the reference",
    consequence="wrong step count",
    judge=judge,
    reads=("lengths", "reference"),
    applies=has_reference,
    sees=gives_lengths,
    follows=("SC201",),
    why=(
        "A drop-in replacement whose length differs shifts everything that is planned in steps: schedules, "
        "validation, checkpoints. Runs before and after the exchange can no longer be compared."
    ),
    fix="Round as DistributedSampler does: ceil(length / world_size), or floor with drop_last.",
    intended="Leave the reference out of the contract if the sampler is not meant to replace it.",
)
