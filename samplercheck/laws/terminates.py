"""Law SC002: passes end; endless ones are declared, and then do not.

Judged by the engine, also where a trace has faults. Imports values alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.record import Fault, Pass
from samplercheck.values.stream import STREAMED, Stream
from samplercheck.values.trace import Trace
from samplercheck.values.wording import EXPERIMENTS, LOOPS, pluralise

MOST = 3

PHASES = {
    "build": "does not come back from being built",
    "set_epoch": "does not come back from set_epoch",
    "iter": "yields nothing and does not end",
    "next": "yields nothing more and does not end",
    "len": "does not come back from len()",
    "pickle": "does not come back from being pickled",
    "between calls": "does not come back from code that runs by itself, such as a finaliser",
}
TAKING = ("iter", "next")
BEYOND = "yields on far beyond its dataset"
GOES_ON = (
    "What ends a pass. If it is never to stop, declare endless=True; if it draws its samples many times, "
    'coverage="sampled".'
)
OF_RANKS = (
    " Where each rank goes round a share of its own, smaller shares repeat their samples more often: deal "
    "out one walk."
)
FOR_OTHERS = (
    "What it waits for where it was stopped: a thread that has ended, by an error perhaps, a queue that gets "
    "nothing more, a lock that is never released."
)
_WAITING = re.compile(r"(threading|queue|selectors|connection|_base)\.py:\d+ in ")
"""Lines of Python's own modules in which a thread waits for others."""
WAITS = "What it waits for, or loops over, in the line in which it was stopped."


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield what did not end, and under an endless contract what did."""
    if trace.faults:
        faults = [fault for fault in trace.faults if fault.kind in ("deadline", "endless")]
        yield from (_hang(trace, fault) for fault in faults[:MOST])
    if trace.contract.endless and trace.case.length:
        yield from islice(_ends(trace), MOST)


def _hang(trace: Trace, fault: Fault) -> Violation:
    if fault.kind == "endless":
        found = f"rank {fault.rank} is still yielding after {pluralise(fault.step or 0, 'step')}"
        hint = GOES_ON + (OF_RANKS if trace.contract.sharding == "ranks" else "")
    else:
        phase = "iter" if fault.phase == "next" and not fault.step else fault.phase
        found = f"rank {fault.rank} {PHASES.get(phase, f'does not come back from {phase}')}"
        hint = _look_where(fault)
        if fault.step:
            found += f" after {pluralise(fault.step, 'step')}"
    found += "" if fault.epoch is None else f" in epoch {fault.epoch}"
    is_left = trace.contract.endless and fault.experiment == "epochs" and fault.epoch
    done = "after the pass before was left" if is_left else EXPERIMENTS.get(fault.experiment, "")
    if (name := turned_in(trace, fault)) is not None:
        done = f"with {name}={trace.case.turned(name)}"
    return Violation(
        found=f"{found}, {done}" if done else found,
        rank=fault.rank,
        epoch=fault.epoch,
        step=fault.step,
        hint=hint,
        fault=BEYOND if fault.kind == "endless" else "",
        experiment=fault.experiment,
        detail="\n".join((*([fault.message] if fault.message else []), *fault.traceback)),
    )


def turned_in(trace: Trace, fault: Fault) -> str | None:
    """Name the argument that was another than the case's in what a rank did last, if any was."""
    records = trace.of("knobs")[fault.rank :][:1] if fault.experiment == "knobs" else []
    return records[0].notes.get("turned") if records else None


def _look_where(fault: Fault) -> str:
    """Say where to look: what stood in a module of Python's that waits was in no loop."""
    if fault.traceback and _WAITING.search(fault.traceback[-1]):
        return FOR_OTHERS
    return LOOPS if fault.phase in TAKING else WAITS


def _ends(trace: Trace) -> Iterator[Violation]:
    """Yield the passes that ended; of fewer samples than ranks some have none that they could go on with."""
    has_too_few = trace.case.length < trace.case.world_size
    for rank, record in enumerate(trace.of(STREAMED if trace.is_streamed else "epochs")):
        passes: list[Pass] | list[Stream] = record.streams or record.passes
        for pass_ in passes:
            if pass_.ending == "finished" and not pass_.strange:
                yield Violation(
                    found=f"declared endless, but rank {rank} stopped after "
                    f"{pluralise(pass_.steps, 'step')} in epoch {pass_.epoch}",
                    rank=rank,
                    epoch=pass_.epoch,
                    step=pass_.steps,
                    consequence="wrong step count",
                    fault="stops, though it is declared endless",
                    hint="What ends a pass. If epochs are to end, leave endless=True out of the contract.",
                    grade="strict" if not pass_.steps and has_too_few else "harm",
                )


LAW = Law(
    code="SC002",
    name="terminates",
    statement="Every pass ends, or yields, within its deadline; what is not declared endless stops.",
    fault="does not end in time",
    consequence="would hang",
    judge=judge,
    despite_faults=True,
    hears_all=True,
    runs_alone=True,
    of_streams=True,
    by_some_ranks=True,
    why=(
        "A sampler that loops without yielding stops training without a message: the GPUs idle, and the "
        "process group times out much later in an unrelated collective. One sample above a token budget "
        "is enough where a batch is retried until it fits."
    ),
    fix=(
        "Let every loop consume something: yield the oversized sample alone, or refuse it when the "
        "sampler is built."
    ),
    intended=(
        "Declare `Contract.endless()` for a training sampler that never stops; it is judged on its first "
        "passes."
    ),
)
