"""Law SC202: asking for the length changes nothing, and the answer stays the same.

Judged by the engine: the passes of the experiment ``lengths`` against those of ``epochs``, and those of
``counted`` against those of ``wrapped``, where ``again`` and ``jumps`` do not show that the target differs
anyway. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._passes import luck
from samplercheck.laws.law import Law, Scope, first_few
from samplercheck.values.finding import Violation
from samplercheck.values.record import Length, Pass, Record
from samplercheck.values.trace import Trace

BESIDES = "What __len__ does besides: draw random numbers, advance a counter, make a new plan."
READS = "What __len__ reads of the sampler inside and keeps: it is to be gone when the next epoch begins."


def has_length(scope: Scope) -> bool:
    """Whether the target answers len() in any case."""
    return "len" in scope.traits


def gives_lengths(trace: Trace) -> bool:
    """Whether any rank answered the question."""
    for record in trace.of("lengths"):
        for answer in record.lengths:
            if answer.value is not None:
                return True
    return False


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield answers that drift and passes that the question changed, around the kit's own sampler too."""
    if not all([record.as_usual for record in trace.of("lengths")]):
        yield from _drifting(trace)
        yield from _compare(trace, "lengths", "epochs", "if len() is asked", BESIDES)
    if trace.of("counted"):
        words = "if len() is asked after each pass, around a sampler of the kit"
        yield from _compare(trace, "counted", "wrapped", words, READS)


def _drifting(trace: Trace) -> Iterator[Violation]:
    # After a pass an advancing target stands in its next epoch, whose length may be another.
    compared = ("again",) if trace.contract.advances else ("again", "after")
    for rank, record in enumerate(trace.of("lengths")):
        if record.as_usual or len({answer.value for answer in record.lengths}) == 1:
            continue
        before = None
        for answer in record.lengths:
            if answer.when == "before":
                before = answer
            elif before is not None and answer.when in compared and _drifts(before, answer):
                yield _drift(rank, before, answer)
                break


def _drifts(before: Length, answer: Length) -> bool:
    # TypeError says that the length is not known; that a pass makes it known takes nothing back.
    learnt = before.refused and answer.when == "after"
    return answer.value != before.value and not learnt


def _drift(rank: int, before: Length, answer: Length) -> Violation:
    when = "after it" if answer.when == "after" else "when asked again"
    return Violation(
        found=f"len() of rank {rank} is {_describe(before)} before the pass of epoch {answer.epoch} "
        f"and {_describe(answer)} {when}",
        rank=rank,
        epoch=answer.epoch,
        hint="What __len__ is computed from: the settings, or something that a pass consumes.",
        consequence="wrong step count",
        experiment="lengths",
    )


def _describe(answer: Length) -> str:
    return str(answer.value) if answer.value is not None else answer.error


def _compare(trace: Trace, asked_in: str, bare_in: str, words: str, hint: str) -> Iterator[Violation]:
    """Yield the first epoch that is another in the experiment that asks for lengths."""
    found = [
        (epoch, rank)
        for rank, (asked, bare) in enumerate(zip(trace.of(asked_in), trace.of(bare_in), strict=True))
        if (epoch := _first_change(asked, bare)) is not None
    ]
    if found and _repeats_itself(trace):
        epoch, rank = min(found)
        asked, bare = trace.of(asked_in)[rank].passes[epoch], trace.of(bare_in)[rank].passes[epoch]
        step = bare.first_difference(asked)
        yield Violation(
            found=f"rank {rank} yields otherwise from step {step} of epoch {epoch} on {words}",
            rank=rank,
            epoch=epoch,
            step=step,
            hint=hint,
            # Never luck in a sound target; small passes of a target that differs from build to build may
            # agree in all witnesses, though, and more evidence sets that apart.
            chance=luck(trace.case.epochs),
            experiment=asked_in,
        )


def _first_change(asked: Record, bare: Record) -> int | None:
    # What it jumps to behind the first epochs may be another for the jump.
    pairs = zip(asked.passes, bare.passes, strict=False)
    alike = [one.epoch != other.epoch or one.same_as(other) for one, other in pairs]
    return None if all(alike) else alike.index(False)


def _is_usual(bare: Record, one: Pass) -> bool:
    usual = bare.pass_of(one.epoch)
    return usual is None or one.same_as(usual)


def _repeats_itself(trace: Trace) -> bool:
    """Whether two objects built alike yield alike; where they do not, other laws say so."""
    advances = trace.contract.advances
    for bare, again, jumps in zip(
        trace.of("epochs"), trace.of("again"), trace.of("jumps") or trace.of("again"), strict=True
    ):
        expected = bare.passes[: 2 if advances else 1]
        if not all(one.same_as(other) for one, other in zip(expected, again.passes, strict=False)):
            return False
        if jumps is not again and not all(_is_usual(bare, one) for one in jumps.passes):
            return False
    return True


LAW = Law(
    code="SC202",
    name="pure-length",
    former="inert-length",
    statement=(
        "Asking `len()` before, between or after passes changes nothing, and its answer does not drift."
    ),
    fault="len() changes, or asking it changes passes",
    consequence="not reproducible",
    judge=judge,
    reads=("epochs", "lengths", "again", "jumps", "wrapped", "counted"),
    applies=has_length,
    sees=gives_lengths,
    whatever_promised=True,
    why=(
        "Progress bars, trainers and loggers ask for the length whenever they like, on rank 0 more often "
        "than elsewhere. Where asking draws random numbers or makes a new plan, rank 0 gets another order"
        " than the others: samples are lost and doubled, and the run cannot be repeated."
    ),
    fix="Make the plan of an epoch from seed and epoch alone, and let __len__ only read it.",
)
