"""SC707: a state that is loaded and saved again still says the same place.

Judged by the engine where resuming once is in order; else law resumes-exactly says what is wrong
(docs/rules.md D8). Imports values and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samplercheck.laws import resumes_repeatedly
from samplercheck.laws._resumes import Run, runs_of, say_due, say_why, words
from samplercheck.laws.law import Law, first_few, has_state
from samplercheck.values.finding import Evidence, EvidenceKind, Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import join_words

EXPERIMENT = "resumed_again"
WAY = "saved again"
SAVED = "after a state was saved"
AT = "within epoch 0", "within epoch 0 and at its end"
ONLY_READS = (
    "What state_dict() draws, counts or makes: let it only read. Where rank 0 alone writes checkpoints, its "
    "order is no longer that of the other ranks."
)
HINT = "What load_state_dict() sets, and what state_dict() reads before the first item is taken."


def sees(trace: Trace) -> bool:
    """Whether some state was saved again before anything was taken, and resuming once is in order."""
    tried = any(run.after or run.trial.error for run in runs_of(trace, EXPERIMENT, WAY))
    return tried and resumes_repeatedly.sees(trace)


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the runs that went on elsewhere from a state saved again, or the rank whose states change."""
    broken = [one for run in runs_of(trace, EXPERIMENT, WAY) if (one := _find(run)) is not None]
    if broken and _stands_still(trace):
        broken = [replace(one, evidence=replace(one.evidence, supposes=("SC703",))) for one in broken]
    yield from broken or _moved_on(trace) or _changed(trace) or _reshaped(trace)


def _find(run: Run) -> Violation | None:
    if run.trial.error:
        what = f"{say_why(run.trial.error)} (a state that was loaded and saved again)"
        return run.violation(what)
    wrong = run.first_wrong() if run.after else None
    if wrong is None:
        return None
    found, due = wrong
    what = f"yields {words(found)} when its state was loaded and saved again before anything was taken"
    return run.violation(f"{what}{say_due(due)}", about=found, due=due, hint=HINT)


def _stands_still(trace: Trace) -> bool:
    """Whether a state says the same place right after loading and later on, whatever was taken since."""
    again = [run for run in runs_of(trace, EXPERIMENT, WAY) if run.after]
    at_once = {(run.rank, run.trial.epoch): run.after[0] for run in again}
    chains = [run for run in runs_of(trace, EXPERIMENT, "chain", anyhow=True) if run.after]
    told = [(run.after[0], at_once.get((run.rank, run.trial.epoch))) for run in chains]
    return bool(told) and all(other is not None and one.same_as(other) for one, other in told)


def _moved_on(trace: Trace) -> list[Violation]:
    """Return the first run that goes on otherwise once its states were saved, in this epoch or the next."""
    if trace.contract.endless:
        return []
    for run in runs_of(trace, EXPERIMENT, "saved", anyhow=True):
        passes = () if run.trial.error else (*run.before, *run.after)
        for found, due in zip(passes, run.straight, strict=False):
            if not run.is_due(found, due):
                what = (
                    f"rank {run.rank}, once asked for state_dict() {AT[due.epoch > 0]}, "
                    f"yields {words(found)} in epoch {due.epoch}, not {words(due)}"
                )
                seen = _violation(run.rank, what, ONLY_READS, "saving a state changes what follows", "saves")
                harm = "loses data" if trace.contract.sharding == "ranks" else "not reproducible"
                return [replace(seen, grade="harm", consequence=harm, event=SAVED)]
    return []


def _changed(trace: Trace) -> list[Violation]:
    """Return the first rank whose state changes with its object; one that is written at once is right."""
    for rank, record in enumerate(trace.of(EXPERIMENT)):
        changed = record.notes.get("changed")
        if changed:
            found = f"what state_dict() of rank {rank} returned changed when the object went on: {changed}"
            hint = (
                "Let state_dict() return a copy of what the object changes (dict(), list(), clone()): "
                "a checkpoint that is written in the background, or later, says another place."
            )
            changes = _violation(rank, found, hint, "a state changes after it was handed out", "alive")
            return [replace(changes, event="after state_dict(), once the object goes on")]
    return []


def _reshaped(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank whose state has another shape than the one it was loaded from, or than a new one.

    Either breaks no run: it is what checkpoints that are loaded in place cannot do with.
    """
    for rank, record in enumerate(trace.of(EXPERIMENT)):
        reshaped, missing = record.notes.get("reshaped"), record.notes.get("absent")
        if reshaped:
            found = f"rank {rank}, loaded and saved again, and then once more: {reshaped}"
            hint = "What load_state_dict() adds to what it was given, and state_dict() saves with it."
            yield _violation(rank, found, hint, "a state has another shape from save to save", "")
            return
        if missing:
            names = join_words([repr(name) for name in missing])
            found = f"the state of rank {rank} holds {names} on the way, and not when the object is new"
            hint = "torch.distributed.checkpoint loads into a new object's state, and only what is in it."
            yield _violation(rank, found, hint, "a new object's state lacks keys", "absent")
            return


def _violation(rank: int, found: str, hint: str, fault: str, kind: EvidenceKind) -> Violation:
    return Violation(
        found=found,
        rank=rank,
        hint=hint,
        fault=fault,
        grade="strict",
        experiment=EXPERIMENT,
        evidence=Evidence(kind=kind),
    )


LAW = Law(
    code="SC707",
    name="state-round-trips",
    statement=(
        "A state that is loaded and saved again before anything is iterated still says the same place, and "
        "has the same shape from save to save; what was handed out does not change, nor what follows."
    ),
    fault="a state saved after loading has lost its place",
    event="with a state saved right after loading",
    consequence="repeats data",
    judge=judge,
    compares=True,
    reads=("epochs", "again", "resumed", "resumed_again"),
    applies=has_state,
    sees=sees,
    to_the_end=True,
    follows=("SC701",),
    why=(
        "A job that is ended again before its first step, as they are when a node fails or a time limit is "
        "short, saves what it has just loaded. Where that state says the beginning, the next job trains on "
        "all that was done once more, and the checkpoint that knew better has been overwritten."
    ),
    fix=(
        "Let load_state_dict() set what state_dict() reads, and not only what the next pass begins with. "
        "Let state_dict() return a copy, and change nothing."
    ),
    intended='A target whose state is for something else declares resume="none".',
)
