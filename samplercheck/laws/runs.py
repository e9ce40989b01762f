"""Law SC001: every legal case can be built and iterated; faults become violations.

Judged by the engine, also where a trace has faults. Imports values alone.
"""

from __future__ import annotations

import re

from samplercheck.laws.law import Law, first_few
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.record import Fault
from samplercheck.values.trace import Trace, is_seed_refused
from samplercheck.values.wording import EXPERIMENTS, in_epoch

LONGEST = 100

REFUSES_FEW = "It refuses fewer samples than ranks; a small validation set on a large machine has so few."
REFUSES_IT = (
    "It refuses this case on every rank and says why, so that a job does not start; an adapter can hand in "
    "what it takes (see the page on targets)."
)

TAKEN_FOR_GRANTED = "The values that the raising line gets in this case."
ONE_EACH = "What the line that raises makes of one sample: each rank has one."
SEED = (
    "What the line that raises makes of the seed: generators of numpy take numbers below 2**32, those of "
    "torch below 2**64. Take what is computed of it modulo such a number."
)
BARE = "With one sample for each rank, this line gets a bare int instead of a list."
NO_LIST = re.compile(r"'int' object is not (?:iterable|subscriptable)|object of type 'int' has no len")
CRASHED = "What ends the process: os._exit(), code outside of Python, or a lack of memory."
FEW = (
    "More ranks than samples is legal: ranks that get none have an empty pass.",
    "More ranks than samples is legal: repeat samples as often as it takes to give each rank one.",
)
"""What to do about fewer samples than ranks where they are dropped or kept, and where they are padded."""

PHASES = {
    "build": "while it is built",
    "set_epoch": "in set_epoch",
    "iter": "before it yields anything",
    "next": "while it is iterated",
    "len": "in len()",
    "pickle": "while it is pickled",
}


@first_few
def judge(trace: Trace) -> list[Violation]:
    """Return a violation for each exception or crash, what is only advice last."""
    found = [_violation(trace, fault) for fault in trace.faults if fault.kind in ("raised", "crashed")]
    return sorted(found, key=lambda violation: violation.advice)


def _violation(trace: Trace, fault: Fault) -> Violation:
    reason, refusal = _excuse(trace, fault), _name_refusal(trace, fault)
    phase = PHASES.get(fault.phase, f"in {fault.phase}")
    words = EXPERIMENTS.get(fault.experiment, "")
    phase += f" {words}" if words else ""
    seed = _name_seed(trace, fault)
    hint = reason or refusal or (SEED if seed else _hint(trace, fault))
    where = in_epoch(fault.epoch, fault.step) + (f", with {seed}" if seed else "")
    return Violation(
        found=f"rank {fault.rank} {_what(fault)} {phase}{where}",
        rank=fault.rank,
        epoch=fault.epoch,
        step=fault.step,
        hint=hint,
        event="with another seed" if seed else "",
        fault=f"raises {fault.error}" if fault.kind == "raised" else "ends its process",
        advice=bool(reason),
        grade="strict" if refusal else "harm",
        experiment=fault.experiment,
        detail="\n".join(fault.traceback),
        evidence=Evidence(kind="smaller" if hint in FEW else ""),
    )


def _name_seed(trace: Trace, fault: Fault) -> str:
    """Say with which other seed it was built where that alone was changed; empty where none was."""
    records = trace.of(fault.experiment)[fault.rank :][:1] if fault.experiment == "seeds" else []
    return "".join(record.name_seed(len(record.passes)) for record in records)


def _name_refusal(trace: Trace, fault: Fault) -> str:
    """Say what a target merely refuses that few or no trainings have; empty where it is no refusal."""
    if trace.refuses_few(fault):
        return REFUSES_FEW
    return REFUSES_IT if trace.refuses_it(fault) else ""


def _what(fault: Fault) -> str:
    message = re.sub(r"(?<=\w)\.$", "", " ".join(fault.message.split()))  # the sentence goes on
    if len(message) > LONGEST:
        message = f"{message[:LONGEST]}..."
    what = ": ".join([part for part in (fault.error, message) if part])
    if fault.kind == "crashed":
        return f"crashed ({what})" if what else "crashed"
    return f"raises {what}"


def _hint(trace: Trace, fault: Fault) -> str:
    case = trace.case
    if fault.error == "AttributeError" and "IdentityDataset" in fault.message:
        return (
            "The kit's dataset has lengths, labels and weights alone: name as the target a function that "
            "takes `dataset` and hands the sampler one that has what it reads (see the page on targets)."
        )
    if fault.kind == "crashed":
        return CRASHED
    if not case.length and (fault.phase, fault.error) == ("build", "ValueError"):
        return "It refuses an empty dataset, as torch's RandomSampler does; a rank may get one."
    if not case.length:
        return "An empty dataset is legal: give it an empty pass."
    if case.length < trace.owed.places:
        return FEW[trace.owed.tail == "pad"]
    one_each = BARE if NO_LIST.search(fault.message) else ONE_EACH
    is_one_each = trace.owed.total == trace.owed.places
    return one_each if is_one_each else SEED if "seed" in fault.message.lower() else TAKEN_FOR_GRANTED


def _excuse(trace: Trace, fault: Fault) -> str:
    """Return why this exception is only advice; empty where it is not."""
    if fault.kind != "raised":
        return ""
    if fault.experiment == "nonsense":
        return "An impossible value is refused, but not by a plain error: raise ValueError."
    refused = is_seed_refused(trace.case, fault)
    return "It refuses large seeds, as numpy's generators do from 2**32 on." if refused else ""


LAW = Law(
    code="SC001",
    name="runs",
    statement=(
        "The target is built and iterated without an exception for every legal case, tiny datasets and "
        "more ranks than samples included."
    ),
    fault="raises an exception",
    consequence="crashes",
    judge=judge,
    despite_faults=True,
    hears_all=True,
    runs_alone=True,
    of_streams=True,
    by_some_ranks=True,
    why=(
        "A sampler that raises ends the job, often hours after it started: the first epoch of a small "
        "validation set, a resumed run on more GPUs, a shard that came out empty. When one rank alone "
        "raises, the others wait in their next collective until the process group times out, and the log "
        "shows a time-out and not the cause."
    ),
    fix=(
        "Repeat samples as often as padding needs, not once at most; give an empty dataset an empty pass;"
        " replace assertions about sizes by arithmetic that holds for every size."
    ),
)
