"""SC701: a run that was stopped goes on with what was left.

Judged by the engine for targets with a state, or that take consumed samples (docs/rules.md D). Imports values
and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from samplercheck.laws._resume_hints import AT_THE_START
from samplercheck.laws._resumes import LONGEST, Run, runs_of, say_due, say_why, was_resumed, words
from samplercheck.laws.law import Law, can_resume, first_few
from samplercheck.values.finding import EvidenceKind, Violation
from samplercheck.values.trace import Trace

EXPERIMENT = "resumed"
WAYS = {
    "plain": "",
    "end seen": "",
    "epoch first": ", with set_epoch before load_state_dict",
    "counted first": ", with len() before load_state_dict",
    "looked at": ", another pass having been given up before the one that was stopped",
}
"""How runs were stopped and resumed, and what of that is to be said."""
BEGINS_AGAIN = (
    "Whether the training loop takes the epoch from this state: saved at the end of an epoch, it begins that "
    "epoch again. A loop that counts epochs by itself goes on with the next one, and is right."
)
OVER = "How a state saved behind the last step is read: its place is the beginning of the next epoch."
NAMES_NEXT = (
    "How a state saved behind the last step is read: nothing is left of its epoch, not all. If the script "
    'names the next epoch then, declare at_end="next".'
)
COUNTED = (
    "What len() leaves on the object, such as the batches of another epoch: load_state_dict() has to drop it."
)
STARTS_ANEW = "What is counted: each pass is to count from its own beginning, whatever was read before it."
HINTS = {"looked at": STARTS_ANEW, "counted first": COUNTED}
LATER = "after a stop and resume, once the first epoch is over"
AT_ENDS = "after a stop behind the last step of an epoch"
BEYOND_LUCK = 4
"""So many items in the order of another epoch do not come by chance in all runs of a case."""
EARLY, LATE = "too early", "too late"


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the runs that could not be resumed, or went on with something else."""
    runs = list(runs_of(trace, EXPERIMENT, *WAYS))
    shift = _say_shift(runs)
    event = _name_stops(runs)
    place: EvidenceKind = "ends" if event == AT_ENDS else _name_place(runs, shift)
    if _goes_on_as_the_first(runs):
        place, event = "first", LATER
    where = "" if any(run.steps_taken for run in runs if run.trial.error) else AT_THE_START
    for run in runs:
        if run.trial.error:
            if run.trial.way != "counted first":  # what refuses a state once it was counted loses nothing
                yield run.violation(say_why(run.trial.error), hint=where, kind="raises")
        elif run.after and not run.goes_on_rightly:
            found, way = run.after[0], run.trial.way
            due, again = say_due(run.rest, at_next=run.begins_next), _begins_again(run)
            if not run.epoch.steps:
                due = " where the epoch is empty in a run that is not stopped"
            seen = run.violation(
                f"yields {words(found)} when it is resumed{WAYS[way] or shift}{due}",
                about=found,
                kind=_kind_of(run, place),
                hint=BEGINS_AGAIN if again else HINTS.get(way, _hint_at_end(run)),
                advice=again,
            )
            yield replace(seen, event=event)
    yield from _lengths(trace)


def _name_place(runs: list[Run], shift: str) -> EvidenceKind:
    """Say that what counts an item too late, or too soon, is why runs go on one step too early, or too late.

    Within an epoch none goes on rightly then, unless what comes after all of the wrong places counts rightly.
    """
    inside = [run for run in runs if run.trial.way == "plain" and 0 < run.steps_taken < run.epoch.steps]
    right = [run.steps_taken for run in inside if run.after and run.goes_on_rightly]
    wrong = [run.steps_taken for run in inside if run.after and not run.goes_on_rightly]
    if EARLY in shift and (not right or (wrong and min(right) > max(wrong))):
        return "early"
    return "late" if LATE in shift and not right else ""


def _name_stops(runs: list[Run]) -> str:
    """Say after which stops alone runs go on wrongly, where others that are resumed alike go on rightly."""
    told = [(run, run.goes_on_rightly) for run in runs if run.after]
    right = [run for run, is_right in told if is_right and run.steps_taken and not run.is_at_the_end]
    wrong = [run for run, is_right in told if not is_right]
    if wrong and all(run.is_at_the_end and run.steps_taken for run in wrong):
        return AT_ENDS if {0} < {run.trial.epoch for run in right} else ""
    first = [run.trial.way for run in right if run.trial.epoch == 0]
    is_later = wrong and not any(map(_is_in_first, wrong))
    return LATER if is_later and {run.trial.way for run in wrong} <= {*first, "end seen"} else ""


def _goes_on_as_the_first(runs: list[Run]) -> bool:
    """Whether runs go on rightly in the first epoch, and in a later one as if they were in the first."""
    first = [run for run in runs if run.after and run.trial.epoch == 0 and run.steps_taken]
    wrong = [run for run in runs if run.after and not run.goes_on_rightly]
    return (
        any(not run.is_at_the_end for run in first)
        and all(run.goes_on_rightly for run in first if not run.is_at_the_end)
        and any(_is_as_the_first(run) for run in wrong)
        and all(_is_as_the_first(run) or run.is_at_the_end for run in wrong)
        and max(run.after[0].steps for run in wrong) >= BEYOND_LUCK
    )


def _is_as_the_first(run: Run) -> bool:
    """Whether what came is what was left of the first epoch; of the first sample each may be a remainder."""
    left = run.straight[0].behind(run.steps_taken)
    return run.trial.epoch > 0 and left.steps > 0 and run.after[0].same_as(left)


def _is_in_first(run: Run) -> bool:
    return run.trial.epoch == 0 and not run.is_at_the_end


def _kind_of(run: Run, place: EvidenceKind) -> EvidenceKind:
    """Say what a run tells of the place that its state holds."""
    if run.begins_next:
        return "over"
    if run.trial.way == "looked at":
        return "looked at"
    return place or ("counts" if run.record.notes.get("tells_steps") else "")


def _begins_again(run: Run) -> bool:
    """Whether a run whose pass had ended begins its epoch again, as the object that was not stopped does."""
    is_seen = run.trial.way == "end seen" and not run.begins_next
    return is_seen and run.after[0].same_as(run.epoch)


def _hint_at_end(run: Run) -> str:
    """Say where to look if an end is wrong, where the next epoch is due or this one comes again."""
    if run.begins_next:
        return OVER
    return NAMES_NEXT if run.is_at_the_end and run.after[0].same_as(run.epoch) else ""


def _say_shift(runs: list[Run]) -> str:
    """Say that runs go on one step too early, or too late, where all do that go on elsewhere.

    From the beginning of an epoch, or behind its end, others go on as well: some have to be far from both.
    """
    wrong = [run for run in runs if run.trial.way == "plain" and run.after and not run.goes_on_rightly]
    for shift, how in ((-1, EARLY), (1, LATE)):
        places = [run.steps_taken + shift for run in wrong]
        is_apart = any(0 < at < run.epoch.steps for at, run in zip(places, wrong, strict=True))
        if is_apart and all(
            at >= 0 and run.after[0].same_as(run.epoch.behind(at))
            for at, run in zip(places, wrong, strict=True)
        ):
            return f", one {'item' if wrong[0].epoch.sizes is None else 'batch'} {how}"
    return ""


def _lengths(trace: Trace) -> Iterator[Violation]:
    for run in runs_of(trace, EXPERIMENT, "plain", "end seen"):
        for answer in run.record.lengths:
            if answer.value is None and not answer.refused:
                yield run.violation(f"has no length when it is resumed: {answer.error[:LONGEST]}")
                return


LAW = Law(
    code="SC701",
    name="resumes-exactly",
    statement=(
        "Stopped after k items and resumed in a fresh process, a rank yields exactly what was left, for k at "
        "0, 1, the middle, the end, in the first epoch and in a later one."
    ),
    fault="does not resume where it stopped",
    event="after a stop and resume",
    consequence="repeats data",
    judge=judge,
    compares=True,
    reads=("epochs", "again", "resumed"),
    applies=can_resume,
    sees=partial(was_resumed, experiment=EXPERIMENT),
    to_the_end=True,
    follows=("SC804",),
    why=(
        "Long runs are interrupted: by time limits, preemption, failing nodes. A sampler that goes on "
        "elsewhere than it stopped trains on some samples twice and on others never, without an error, and "
        "more so with every restart."
    ),
    fix=(
        "Save the epoch and the number of items yielded; on loading make the order of that epoch again and "
        "skip "
        "so many. Count what was yielded, not what was prepared, and start a generator from (seed, epoch)."
    ),
    intended=(
        'A target whose state is for something else declares resume="none". A sampler that is given what is '
        "consumed and whose one pass is the whole training, as Megatron's in order, has no second epoch: "
        "docs/resuming.md says how to wrap it."
    ),
)
