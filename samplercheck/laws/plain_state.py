"""SC704: the state is plain data, and all that is needed.

Judged by the engine for targets with a state. Whether the rest is right at all is the business of law
resumes-exactly. Imports values and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from samplercheck.laws._resumes import Run, runs_of, was_resumed, words
from samplercheck.laws.law import Law, has_state
from samplercheck.laws.twins import twin_of, unlike_fresh
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace

LONGEST = 160
EXPERIMENT = "saved"
AFRESH = "in a restarted job, which loads its state in a new process"
LEFT = (
    "What load_state_dict() needs and state_dict() did not save: what is on the class or in the module. Save "
    "it, by a key that a new process makes again: neither id() nor hash()."
)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank whose state a safe checkpoint refuses, or that leaves something to its process."""
    for rank, record in enumerate(trace.of(EXPERIMENT)):
        refused = record.notes.get("refused")
        if refused:
            yield _unreadable(rank, refused)
            return
    plain = {run.rank: run for run in runs_of(trace, EXPERIMENT, "plain")}
    for run in runs_of(trace, EXPERIMENT, "disturbed"):
        as_it_is = plain.get(run.rank)
        if as_it_is is not None and _is_right(as_it_is) and not _is_right(run):
            found = run.after[0] if run.after else None
            what = _say_what(run, found, run.trial.error)
            yield run.violation(
                f"{what} when another object has run in its process before it is resumed",
                about=found,
                hint=(
                    "What load_state_dict() needs and state_dict() did not save: it is on the class, in the "
                    "module, or in a file beside them."
                ),
            )
            return
    yield from islice(_missing_from_state(trace, plain), 1)


def _missing_from_state(trace: Trace, plain: dict[int, Run]) -> Iterator[Violation]:
    """Yield the ranks that go on rightly in their own process, and otherwise in a fresh one."""
    twin = twin_of(trace, "resumed")
    if twin is None or next(unlike_fresh(trace), None) is not None:
        return
    for rank, record in enumerate(twin.of("afresh")):
        trial, run = record.notes["trials"][0], plain.get(rank)
        if run is None or not _is_right(run) or not (trial.error or record.passes):
            continue
        found = record.passes[0] if record.passes else None
        if found is None or not found.same_as(run.rest):
            what = _say_what(run, found, trial.error)
            missing = run.violation(
                f"{what} when it is resumed in a fresh process",
                about=found,
                hint=LEFT,
                way="afresh",
                error=trial.error,
            )
            yield replace(missing, hint=LEFT, event=AFRESH)


def _say_what(run: Run, found: Pass | None, error: str) -> str:
    """Say what came in place of what was left, or why nothing came."""
    if found is None:
        return f"fails ({' '.join(error.split())[:LONGEST]})"
    return f"yields {words(found)}, and not {words(run.rest)},"


def _is_right(run: Run) -> bool:
    return not run.trial.error and run.after[0].same_as(run.rest)


def _unreadable(rank: int, refused: str) -> Violation:
    # Of torch's long advice, what it could not read.
    line = " ".join(refused.rpartition("WeightsUnpickler error:")[2].split()).partition(" Please use ")[0]
    return Violation(
        found=f"the state of rank {rank} does not survive torch.save and torch.load(weights_only=True): "
        f"{line[:LONGEST]}",
        rank=rank,
        hint=(
            "What the state holds: numbers, text, lists, dictionaries and tensors are plain, numpy's numbers "
            "and arrays are not."
        ),
        experiment=EXPERIMENT,
    )


LAW = Law(
    code="SC704",
    name="plain-state",
    statement=(
        "The state survives torch.save / torch.load(weights_only=True) and is complete: no hidden process "
        "state is needed."
    ),
    fault="the saved state is incomplete or unsafe",
    event="after its state is saved and loaded",
    consequence="crashes",
    judge=judge,
    compares=True,
    reads=("epochs", "again", "saved"),
    applies=has_state,
    sees=partial(was_resumed, experiment=EXPERIMENT),
    needs_fresh=True,
    why=(
        "Checkpoints are loaded with weights_only=True, torch's default: a state with an object in it is "
        "refused, after the crash, when it is needed. A state that leaves something to the process resumes "
        "well in every test in one process, and from the beginning in the next job."
    ),
    fix=(
        "Put the epoch, the position and, if need be, a generator's state tensor into the dictionary, and "
        "nothing else."
    ),
)
