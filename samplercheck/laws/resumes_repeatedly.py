"""SC703: a run that is stopped twice or three times in one epoch loses and repeats nothing.

Judged by the engine where stopping once is survived; else law resumes-exactly says what is wrong
(docs/rules.md D7). Imports values and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samplercheck.laws import resumes_exactly
from samplercheck.laws._resumes import Run, runs_of, say_due, say_why, was_resumed, words
from samplercheck.laws.law import Law, can_resume, first_few
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace

EXPERIMENT = "resumed_again"
ROLLED_BACK = (
    "What load_state_dict() keeps of the state itself, and then changes: let it take copies. And what a pass "
    "that is given up changes when it is closed (finally), after a state was loaded."
)
ORDINALS = ("first", "second", "third")


def sees(trace: Trace) -> bool:
    """Whether some run was resumed more than once, and resuming once is in order."""
    return was_resumed(trace, EXPERIMENT) and all(one.advice for one in resumes_exactly.judge(trace))


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the runs that went on with something else than what was left."""
    yield from list(_stopped_again(trace)) or _rolled_back(trace)


def _stopped_again(trace: Trace) -> Iterator[Violation]:
    for run in runs_of(trace, EXPERIMENT, "chain", "twice", anyhow=True):
        if run.goes_on and run.trial.epoch and not run.trial.stops[0]:
            continue  # the state may be that of the end before: law resumes-exactly looks at it
        if run.trial.error:
            yield run.violation(say_why(run.trial.error))
            continue
        wrong = run.first_wrong()
        if wrong is not None:
            found, due = wrong
            how = "when one state is loaded twice" if run.trial.way == "twice" else _say_when(run, found)
            what = f"yields {words(found)} {how}{say_due(due)}"
            yield run.violation(what, about=found, due=due)


def _rolled_back(trace: Trace) -> Iterator[Violation]:
    """Yield runs that go wrong from a state to which their process came back; most jobs start a new one."""
    for run in runs_of(trace, EXPERIMENT, "rolled back"):
        wrong = run.first_wrong() if run.after else None
        if wrong is not None:
            found, due = wrong
            how = "when it is rolled back in its process to a state that was loaded before"
            what = f"yields {words(found)} {how}{say_due(due)}"
            broken = run.violation(what, about=found, due=due, hint=ROLLED_BACK, kind="back")
            yield replace(broken, grade="strict", fault="rolling back to a state goes wrong")


def _say_when(run: Run, found: Pass) -> str:
    """Say after which of its resumes a run yielded a pass."""
    number = next((at for at, one in enumerate(run.before) if one is found), len(run.before))
    if not number:
        return "before it is resumed"
    return f"after the {ORDINALS[number - 1] if number <= len(ORDINALS) else f'{number}th'} resume"


LAW = Law(
    code="SC703",
    name="resumes-repeatedly",
    former="resumes-again",
    statement="A second and third interruption within one epoch lose and repeat nothing.",
    fault="resuming twice loses or repeats samples",
    event="after a second stop and resume in one epoch",
    consequence="repeats data",
    judge=judge,
    compares=True,
    reads=("epochs", "again", "resumed", "resumed_again"),
    applies=can_resume,
    sees=sees,
    to_the_end=True,
    follows=("SC701",),
    why=(
        "On preemptible machines an epoch is interrupted many times. A position that is counted from the "
        "last resumption and not from the beginning of the epoch is right once and wrong from then on."
    ),
    fix=(
        "Go on counting from the restored position, not from zero; save what the next pass needs, not what "
        "this one did."
    ),
    intended='A target whose state is for something else declares resume="none".',
)
