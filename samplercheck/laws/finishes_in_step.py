"""SC902: ranks that meet at every step leave the epoch together.

Called by the engine for cases that were carried out in a world of process groups, step by step. May
import values and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import join_numbers

HINT = "Where the order is padded or cut before it is dealt out: every rank is to get as many steps."


def applies(scope: Scope) -> bool:
    """Whether ranks of a process group owe each other their steps; a tail that is kept may be uneven."""
    contract = scope.contract
    return "groups" in scope.traits and contract.tail != "keep" and contract.even_steps


def sees(trace: Trace) -> bool:
    """Whether several ranks took steps together, or tried to."""
    records = trace.of("in_step")
    if trace.case.world_size == 1 or any(one.strange for record in records for one in record.passes):
        return False
    return any(one.steps for record in records for one in record.passes)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the step in which some ranks would wait forever for those that have left the epoch."""
    for record in trace.of("in_step"):
        if "uneven" in record.notes:
            yield _hanging(*record.notes["uneven"])
            return  # every rank noted the same


def _hanging(epoch: int, step: int, stepping: Sequence[bool]) -> Violation:
    waiting = [rank for rank, steps in enumerate(stepping) if steps]
    gone = [rank for rank, steps in enumerate(stepping) if not steps]
    return Violation(
        found=f"{_ranks(waiting)} {'wait' if len(waiting) > 1 else 'waits'} in step {step} of epoch {epoch} "
        f"for {_ranks(gone)}, which {'have' if len(gone) > 1 else 'has'} left the epoch",
        rank=gone[0],
        epoch=epoch,
        step=step,
        hint=HINT,
        experiment="in_step",
    )


def _ranks(ranks: Sequence[int]) -> str:
    return f"rank{'s' if len(ranks) > 1 else ''} {join_numbers(ranks)}"


LAW = Law(
    code="SC902",
    name="finishes-in-step",
    statement=(
        "In a real process group, with a collective at every step, all ranks reach the end of the epoch."
    ),
    fault="ranks of a real group do not finish together",
    consequence="would hang",
    judge=judge,
    reads=("epochs", "in_step"),
    applies=applies,
    sees=sees,
    needs_groups=True,
    follows=("SC104", "SC904"),
    why=(
        "Every training step ends in a collective, so a rank with one step less leaves the others waiting "
        "in it until the process group times out, half an hour later and with an error that names no "
        "sampler. This holds also for ranks that share nothing: each may see the whole dataset and still "
        "cut it into another number of batches."
    ),
    fix=(
        "Give every rank the same number of steps: cut or pad one common list of batches before it is "
        "dealt out, or agree on the smallest number of steps of all ranks and stop there."
    ),
    intended='Declare tail="keep" for evaluation without a collective at every step.',
)
