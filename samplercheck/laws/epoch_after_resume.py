"""SC702: the epoch after a resumed one is whole.

Judged by the engine for targets with a state, or that take consumed samples (docs/rules.md D). A resumed rest
that is wrong itself is the business of law resumes-exactly. Imports values and the private modules of this
package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from samplercheck.laws._alike import is_drawn_by_process
from samplercheck.laws._resumes import Run, due_next, runs_of, was_resumed, words
from samplercheck.laws.law import Law, Scope, can_resume, first_few
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import steps_of

EXPERIMENT = "resumed"
HINT = (
    "What becomes of the restored position after the first pass: it counts for the restored epoch alone, and "
    "has to be 0 in the next one."
)
REORDERED = (
    "What the order after the resumed epoch is made from: a restored number must give way to that of "
    "set_epoch, or be counted up; a generator must be where an epoch that was not stopped leaves it."
)
LENGTH = "What __len__ is computed from: what a resumed epoch has left out counts for that epoch alone."
SKIPS = "after a resume the next epoch skips samples"
LATER = "after a resume each later epoch skips samples"
IN_NEXT = "in the epoch after the resumed one, not in the one after that"
AT_ONCE = "with set_epoch of another epoch right after loading"
IN_LATER = "in both epochs tried after a resume"
SHORT = "len() stays wrong after the resumed epoch"
KEPT = (
    "The state knows no epoch: after loading one that was saved at an end, iterate once before the next "
    "set_epoch."
)


def applies(scope: Scope) -> bool:
    """Whether there is an epoch after a resumed one."""
    return can_resume(scope) and not scope.contract.endless


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the runs whose next epoch is not whole."""
    for run in _comparable(trace):
        found, expected = run.after[1], due_next(run)
        if _is_wrong(run, found, expected):
            what = (
                f"yields {words(found)} in the epoch after the resumed one, which should be {words(expected)}"
            )
            seen = run.violation(what, about=found, due=expected, hint=_hint(found, expected), kind="next")
            fault, event = _how_long(trace) if _is_end_of(found, expected) else ("", "")
            yield replace(seen, fault=fault, event=event)
        elif _is_misnumbered(run, found):
            steps = steps_of(found.steps, batched=trace.batched)
            what = f"says len() {run.trial.said} in the epoch after the resumed one, which yields {steps}"
            seen = run.violation(what, about=found, due=expected, hint=LENGTH, kind="said")
            yield replace(seen, consequence="wrong step count", fault=SHORT)
    yield from _at_once(trace)


def _comparable(trace: Trace) -> Iterator[Run]:
    """Yield the runs that have a next epoch and went on rightly up to it."""
    for run in runs_of(trace, EXPERIMENT, "plain", "end seen"):
        if run.trial.error or not run.after[1:] or not run.goes_on_rightly:
            continue
        if run.trial.way == "plain" or due_next(run).steps or is_drawn_by_process(trace):
            yield run  # of others the rest may have been this empty epoch


def _is_wrong(run: Run, found: Pass, expected: Pass) -> bool:
    """Whether the next epoch is another than the one that should come."""
    trace = run.trace
    if is_drawn_by_process(trace):  # its order is drawn from what the script seeds
        wrong = found.steps != expected.steps and trace.contract.batches == "fixed"
    elif trace.contract.is_one_walk:
        wrong = not run.walks_on(found, run.steps_taken + run.after[0].steps)
    else:
        wrong = not found.same_as(expected)
    return wrong and not _may_have_begun_again(run, found)


def _how_long(trace: Trace) -> tuple[str, str]:
    """Say of epochs that skip samples for how long they do, by the runs that went on: a fault, and an event.

    Of orders luck may say otherwise.
    """
    later = [
        (run.after[2], run.straight[due.epoch + 1])
        for run in _comparable(trace)
        if run.after[2:] and (due := due_next(run)).epoch + 1 < len(run.straight)
        if _is_wrong(run, run.after[1], due) and _is_end_of(run.after[1], due)
    ]
    if later and all(_is_end_of(found, expected) for found, expected in later):
        return LATER, IN_LATER
    is_over = bool(later) and all(found.same_as(expected) for found, expected in later)
    return SKIPS, IN_NEXT if is_over else ""


def _is_end_of(found: Pass, expected: Pass) -> bool:
    """Whether a pass is what is left of another one behind its first samples."""
    taken = len(expected.items) - len(found.items)
    return taken > 0 and found.items == expected.items[taken:]


def _may_have_begun_again(run: Run, found: Pass) -> bool:
    """Whether an epoch that had ended may have been begun again, where the next one is like it by luck."""
    is_like_it = run.is_at_the_end and run.after[0].same_as(run.epoch)
    return is_like_it and found.same_as(run.straight[run.trial.epoch + 1])


def _is_misnumbered(run: Run, found: Pass) -> bool:
    """Whether len() is wrong behind a whole epoch, and is right there where nothing was resumed."""
    if run.trial.said in (None, found.steps) or found.strange:
        return False
    answers = run.trace.of("lengths")[run.rank].lengths if "lengths" in run.trace.records else ()
    usual = {answer.value for answer in answers if answer.epoch == found.epoch and answer.when == "after"}
    return usual == {found.steps}


def _hint(found: Pass, expected: Pass) -> str:
    """Say where to look: at what the order is made from where the next pass is whole, or at the place."""
    return REORDERED if len(found.items) == len(expected.items) else HINT


def _at_once(trace: Trace) -> Iterator[Violation]:
    """Yield the runs whose next epoch, begun at once, is not whole: advice if no state knows its epoch.

    Those that were stopped at an end come first, as a script that saves after each epoch does just that.
    """
    for run in sorted(runs_of(trace, EXPERIMENT, "at once"), key=lambda run: not run.is_at_the_end):
        if run.trial.error or not run.after or run.begins_next or is_drawn_by_process(trace):
            continue
        found, expected = run.after[0], run.straight[run.trial.epoch + 1]
        if not found.same_as(expected):
            by_design = not run.record.notes.get("tells_epochs")
            what = (
                f"yields {words(found)} after loading and set_epoch({expected.epoch}), not {words(expected)}"
            )
            hint = KEPT if by_design else _hint(found, expected)
            seen = run.violation(what, about=found, due=expected, advice=by_design, hint=hint)
            yield replace(seen, event=AT_ONCE)
            if by_design:
                return


LAW = Law(
    code="SC702",
    name="epoch-after-resume",
    former="resumes-once",
    statement="The epoch after a resumed one is a complete, normal epoch.",
    fault="the epoch after a resumed one is wrong",
    event="in the epoch after a resume",
    consequence="loses data",
    judge=judge,
    compares=True,
    reads=("epochs", "lengths", "again", "resumed"),
    applies=applies,
    sees=partial(was_resumed, experiment=EXPERIMENT),
    to_the_end=True,
    why=(
        "An offset that is not forgotten after the resumed epoch is skipped in every epoch to come: the same "
        "samples are lost for the rest of the training, and the loss looks better for it. An offset at the "
        "very end makes the next epoch empty, and the job ends early and with success."
    ),
    fix="Set the offset back to zero when the resumed pass begins, and when set_epoch goes to another epoch.",
    intended=(
        'A target whose state is for something else declares resume="none". A sampler that is given what is '
        "consumed and whose one pass is the whole training, as Megatron's in order, has no second epoch: "
        "docs/resuming.md says how to wrap it."
    ),
)
