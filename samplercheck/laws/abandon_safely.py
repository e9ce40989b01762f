"""SC503: a pass that was given up leaves nothing behind.

Called by the engine for every case in which a pass is determined by the contract. Where every pass
is a new epoch, the pass after is the next epoch and must be complete. May import values and the
private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from samplercheck.laws._alike import (
    Setting,
    can_compare,
    compare,
    contrasts,
    is_determined,
    nth_passes,
    stays_in_step,
)
from samplercheck.laws._passes import luck
from samplercheck.laws.law import Law
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import BROKEN_OFF, brief, limit_indices

SETTING = Setting(
    "abandoned",
    "after a break out of an epoch",
    "What a pass moves and __iter__ does not reset; one that a break ends never reaches its last lines.",
    reordered="wrong order",
)
WALK = replace(
    SETTING,
    when="by a new iterator after a break",
    hint="What a new iterator begins from: the place where the last one stopped, in the same order, which is "
    "padded or cut alike.",
)


def sees(trace: Trace) -> bool:
    """Whether some rank gave up a pass after at least one step."""
    if trace.contract.is_one_walk and not nth_passes(trace, "epochs", 0):
        return False
    given_up, whole = nth_passes(trace, "abandoned", 0), nth_passes(trace, "abandoned", -1)
    if not whole or not any(one.ending == "abandoned" and one.steps for one in given_up):
        return False
    return stays_in_step(trace) and is_determined(trace)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield where the pass after is not a whole epoch."""
    if trace.contract.is_one_walk:
        return _goes_on_elsewhere(trace)
    if "abandoned" in trace.faithful:
        return iter(())
    expected, found = nth_passes(trace, "epochs", 0), nth_passes(trace, "abandoned", -1)
    if _follows_a_whole_pass(trace) and not _repeats(trace, expected):
        return _begins_again(trace, found)  # a whole pass alone changes the next one: that is SC501's
    # A first pass that ended before it was given up says nothing here: what follows it is SC501's.
    given_up = nth_passes(trace, "abandoned", 0)
    found = [
        one if first.ending == "abandoned" else due
        for one, first, due in zip(found, given_up, expected, strict=False)
    ]
    seen = list(compare(trace, found, expected, SETTING)) or list(_is_another(trace, found))
    return iter(seen or _begins_again(trace, found))


def _goes_on_elsewhere(trace: Trace) -> Iterator[Violation]:
    """Yield where passes that were given up, one after the other, and the last are not one pass together.

    Under ``epochs="either"`` the one that was given up may have been the epoch before once more.
    """
    taken = [record.passes for record in trace.of("abandoned")]
    joined = [_walked(first, others) for first, *others in taken]
    epoch = taken[0][0].epoch
    found = _unlike_epoch(trace, joined, epoch)
    if found and epoch and trace.contract.epochs == "either" and not _unlike_epoch(trace, joined, epoch - 1):
        return iter(())
    return (replace(one, fault="does not go on after a break") for one in found)


def _walked(first: Pass, others: Sequence[Pass]) -> Pass:
    """Return passes as one, up to the first that ended before it was given up: there its epoch is over."""
    ended = next((place for place, one in enumerate(others, 1) if one.steps < first.steps), len(others))
    return first.followed_by(*others[:ended])


def _unlike_epoch(trace: Trace, joined: Sequence[Pass], epoch: int) -> list[Violation]:
    """Return where passes do not begin with an epoch; they may go on further."""
    whole = [record.pass_of(epoch) for record in trace.of("epochs")]
    pairs = [(one.ahead(due.steps), due) for one, due in zip(joined, whole, strict=True) if due is not None]
    return list(contrasts([one for one, _ in pairs], [due for _, due in pairs], WALK))


def _is_another(trace: Trace, found: list[Pass]) -> Iterator[Violation]:
    """Yield that the epoch of a pass that was given up does not come again, as it is promised to."""
    epoch = trace.of("abandoned")[0].passes[0].epoch
    again = nth_passes(trace, "epochs", epoch)
    if trace.contract.begins_again and again and trace.contract.ambient_rng == "independent":
        return contrasts(found, again, SETTING)
    return iter(())


def _begins_again(trace: Trace, found: list[Pass]) -> Iterator[Violation]:
    """Yield that the epoch of a pass that was given up comes again, where every pass is to be a new one.

    Two shuffles may agree by luck: in cases of more epochs more passes are given up in a row. Where set_epoch
    goes to epochs as well, a script may count passes that have ended alone.
    """
    given_up = [record.passes[:-1] for record in trace.of("abandoned")]
    epoch = given_up[0][0].epoch
    first, second = (nth_passes(trace, "epochs", number) for number in (epoch, epoch + 1))
    is_new = trace.contract.epochs == "advance" and trace.contract.counts_breaks and trace.owed.is_shuffled
    if not (is_new and second) or _are_alike(first, second) or _follow_each_other(trace):
        return
    if _are_alike(found, first) and all(map(_begin_alike, given_up)):
        yield Violation(
            found=f"the pass after a break is epoch {epoch} once more: {brief(found[0].items)}",
            rank=0,
            epoch=epoch,
            indices=limit_indices(found[0].items),
            hint="where passes are counted: behind the last yield, a pass that a break ends never gets there",
            consequence="wrong order",
            experiment="abandoned",
            chance=luck(len(given_up[0]) + 1),
            evidence=Evidence(kind="begins again"),
        )


def _follow_each_other(trace: Trace) -> bool:
    """Whether each pass behind a break is the next epoch, as far as epochs were taken.

    Epochs may begin alike by design, the longest sample first, and be alike now and then.
    """
    for record, straight in zip(trace.of("abandoned"), trace.of("epochs"), strict=True):
        for number, one in enumerate(record.passes, record.passes[0].epoch):
            due = straight.pass_of(number)
            if due is not None and not one.same_as(due.ahead(one.steps)):
                return False
    return True


def _are_alike(some: list[Pass], others: list[Pass]) -> bool:
    return all(one.same_as(other) for one, other in zip(some, others, strict=True))


def _begin_alike(passes: Sequence[Pass]) -> bool:
    """Whether passes that were given up begin alike."""
    return all(one.same_as(passes[0]) for one in passes[1:])


def _follows_a_whole_pass(trace: Trace) -> bool:
    return trace.case.epochs >= MANY_EPOCHS and not trace.contract.endless


def _repeats(trace: Trace, expected: list[Pass]) -> bool:
    """Whether a second whole pass yields the same as the first, as far as it was taken."""
    seconds = nth_passes(trace, "again", 1)
    return all(one.same_as(due) for one, due in zip(seconds, expected, strict=False))


LAW = Law(
    code="SC503",
    name="abandon-safely",
    statement="A pass given up half-way leaves no trace in the next one.",
    fault="a break out of an epoch changes the next pass",
    event=BROKEN_OFF,
    consequence="loses data",
    judge=judge,
    compares=True,
    on_sight=True,  # no pass of two steps, nothing to give up half-way
    reads=("epochs", "abandoned", "again"),
    applies=can_compare,
    sees=sees,
    picture="orders",
    orders_of="abandoned",
    follows=("SC501", "SC701", "SC702"),
    why=(
        "Training loops break out of an epoch: a step limit, early stopping, a sanity check of two "
        "batches before training. A target that remembers the position begins the next epoch in the "
        "middle and silently leaves out what came before."
    ),
    fix=(
        "Set the position, buffers and generators afresh at the beginning of __iter__; do not rely on "
        "code that runs when a pass ends."
    ),
)
