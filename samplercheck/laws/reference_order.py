"""Law SC307: index for index, the yield is the reference's.

Exact. A target that yields batches may be compared with a reference of samples: then the flat
orders count, and what dropping leaves out of the last batch (docs/rules.md B3, SC307).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samplercheck.laws._passes import step_apart
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import pluralise


def applies(scope: Scope) -> bool:
    """Whether the contract names a reference."""
    return scope.contract.reference is not None


def sees(trace: Trace) -> bool:
    """Whether the reference has run; empty passes are compared as well."""
    records = trace.of("reference")
    return bool(records and records[0].passes)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first step, in the first epoch and rank, that is not the reference's."""
    mine, reference = trace.of("epochs"), trace.of("reference")
    drops = trace.owed.tail == "drop"
    for epoch in range(trace.case.epochs):
        for rank, (record, other) in enumerate(zip(mine, reference, strict=True)):
            one, expected = record.passes[epoch], other.passes[epoch]
            if not (one.same_as(expected) or _follows(trace, one, expected, drops=drops)):
                yield _violation(rank, one, expected)
                return


def _follows(trace: Trace, one: Pass, expected: Pass, *, drops: bool) -> bool:
    """Whether a pass over batches has the samples of a reference that yields samples, or the reverse."""
    if one.sizes is not None and expected.sizes is not None:
        return False
    if one.items == expected.items:
        return True
    if trace.contract.reference == "torch" and trace.contract.tail_unit == "batch":
        # DistributedSampler knows no batches: how much more or less whole ones hold is for SC105 to judge.
        common = min(len(one.items), len(expected.items))
        return one.items[:common] == expected.items[:common]
    if expected.sizes is not None or not (drops and trace.batched):
        return False
    whole = len(expected.items) // trace.case.batch_size * trace.case.batch_size
    return one.items == expected.items[:whole]


def _violation(rank: int, one: Pass, expected: Pass) -> Violation:
    step = step_apart(one, expected)
    found = _at_step(one, step)
    due = _due(one, expected, step)
    yielded = f"yielded {found}" if found else f"ended after {pluralise(step, 'step')}"
    return Violation(
        found=f"rank {rank} {yielded} in epoch {one.epoch}, where the reference {due}",
        rank=rank,
        epoch=one.epoch,
        step=step,
        indices=one.at(step),
        hint="the order, then the padding, then the dealing: how each differs from the reference's",
    )


def _due(one: Pass, expected: Pass, step: int) -> str:
    """Say what the reference yielded there, seen in the target's steps."""
    if (one.sizes is None) == (expected.sizes is None):
        due = _at_step(expected, step)
    else:
        start = sum(one.sizes[:step]) if one.sizes is not None else step
        stop = start + (one.sizes[step] if one.sizes is not None and step < len(one.sizes) else 1)
        samples = expected.items[start:stop].tolist()
        due = _plain(samples, batched=one.sizes is not None) if samples else ""
    return f"yielded {due}" if due else "had ended"


def _at_step(one: Pass, step: int) -> str:
    """Return the sample or the batch of one step; nothing beyond the end."""
    return _plain(one.at(step), batched=one.sizes is not None) if step < one.steps else ""


def _plain(samples: Sequence[int], *, batched: bool) -> str:
    return _in_brackets(samples) if batched else str(samples[0])


def _in_brackets(samples: Sequence[int]) -> str:
    few = 4
    return f"[{', '.join(map(str, samples[:few]))}{', ...' if len(samples) > few else ''}]"


LAW = Law(
    code="SC307",
    name="reference-order",
    statement="Index for index, the yield is the reference's.",
    fault="the order differs from the reference",
    consequence="wrong order",
    judge=judge,
    reads=("epochs", "reference"),
    applies=applies,
    sees=sees,
    to_the_end=True,
    picture="orders",
    orders_of="reference",
    why=(
        "A sampler that replaces another one, and promises the same order, lets old runs be repeated and old "
        "checkpoints be resumed. One index elsewhere and the run is another run."
    ),
    fix=(
        "Follow the reference step by step: the same generator and seed, the same padding from the front, "
        "the same dealing. For torch: randperm from a generator seeded with seed + epoch, then every "
        "world-th index."
    ),
    intended="Leave reference out of the contract: all other laws still hold the target to its promise.",
)
