"""SC404: model-parallel ranks see the same data.

Called by the engine where the contract says ``replicas=k``. May import values and the private
modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._alike import Setting, contrast
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.record import Record
from samplercheck.values.trace import Trace

HINT = "What the order is dealt out by: the data-parallel place is global rank // replicas."


def applies(scope: Scope) -> bool:
    """Whether ranks share a place."""
    return scope.contract.replicas > 1


def _groups(trace: Trace) -> list[list[Record]]:
    """Return the records of the full groups; ranks that fill no group are no replicas."""
    records, size = trace.of("epochs"), trace.contract.replicas
    return [records[start : start + size] for start in range(0, len(records) - size + 1, size)]


def sees(trace: Trace) -> bool:
    """Whether a full group of ranks yielded something."""
    return any(one.steps for group in _groups(trace) for record in group for one in record.passes)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that differs from the first of its group."""
    size = trace.contract.replicas
    for number, group in enumerate(_groups(trace)):
        first = number * size
        for offset, record in enumerate(group[1:], start=1):
            for left, right in zip(record.passes, group[0].passes, strict=False):
                if not left.same_as(right):
                    when = f"from rank {first + offset}, which shares its place"
                    yield contrast(left, right, first, Setting("epochs", when, HINT))
                    return


LAW = Law(
    code="SC404",
    name="replicas-alike",
    statement="Ranks that share one place in the data (model parallel groups) yield alike.",
    fault="ranks of one replica get different samples",
    consequence="wrong gradients",
    judge=judge,
    applies=applies,
    sees=sees,
    why=(
        "Ranks of one tensor- or pipeline-parallel group hold parts of one model and compute on one "
        "batch together. When they get different samples, activations of different samples are added "
        "up: the loss falls more slowly, or not at all, and nothing reports an error."
    ),
    fix=(
        "Take the data-parallel rank and size, global rank // replicas and world size // replicas, for "
        "dealing out and for seeding."
    ),
    intended="Ranks that are no replicas of one another belong under replicas=1.",
)
