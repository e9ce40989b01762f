"""SC501: a second pass of an epoch is the first one again.

Called by the engine for every case. Where every pass is a new epoch by contract, it asks only whether there
is anything behind the first. May import values and the private modules of this package.
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
    is_drawn_by_process,
    is_exact,
    nth_passes,
    yields_something,
)
from samplercheck.laws._passes import luck
from samplercheck.laws.law import OF_ONE_EPOCH, Law, Scope
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import PASSED_TWICE, owner, pluralise

SETTING = Setting(
    "again",
    "in the second pass",
    "What a pass uses up or changes on the object (a position, a list, a generator): __iter__ has to begin "
    "with a new one.",
    reordered="wrong order",
)
UNLIKE = (
    "What decides on the order of each pass besides the arguments: a global generator, a clock, threads "
    "that end now in one order and now in another."
)
EMPTY, NOTHING_MORE = "a second pass of an epoch is empty", "yields nothing more"
ONCE_LEFT = "once a pass was given up"
"""After what a walk goes wrong that has no epochs."""
DRY = "passes behind the first are empty"


def applies(scope: Scope) -> bool:
    """Whether an epoch can have a second pass, and the contract says what it is."""
    contract = scope.contract
    goes_on = contract.endless and (contract.is_one_walk or scope.may_draw_by_process)
    if OF_ONE_EPOCH in scope.traits or goes_on:
        return False
    if contract.advances:
        return _may_run_dry(contract)
    return contract.epochs == "fixed" or can_compare(scope)


def _may_run_dry(contract: Contract) -> bool:
    """Whether each pass is an epoch that owes no sample, so that nothing else misses all of them."""
    return contract.advances and contract.coverage != "once" and not contract.endless


def sees(trace: Trace) -> bool:
    """Whether one of two passes yielded something."""
    if trace.contract.advances:
        return trace.case.epochs >= MANY_EPOCHS and any(course[0].total for course in trace.series)
    first, second = nth_passes(trace, "again", 0), nth_passes(trace, "again", 1)
    comparable = _repeats_exactly(trace) or trace.owed.total is not None
    return comparable and bool(first and second) and yields_something(first, second)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield where the second pass differs, or a third; only members where it draws on shared generators."""
    if trace.contract.advances:
        return _run_dry(trace)
    if "again" in trace.faithful:
        return iter(())
    first, second = nth_passes(trace, "again", 0), nth_passes(trace, "again", 1)
    if _repeats_exactly(trace):
        design = 'after_break="rest"' if trace.contract.endless else 'epochs="either"'
        coverage = trace.contract.coverage
        meant = Evidence(kind="meant", argument=design) if _goes_on(trace, second) else Evidence()
        found = [replace(one, evidence=meant) for one in contrasts(second, first, SETTING, coverage=coverage)]
        third = nth_passes(trace, "again", 2) or first
        empty = NOTHING_MORE if trace.contract.endless else EMPTY
        found = [
            one if one.rank is None or second[one.rank].steps else replace(one, fault=empty) for one in found
        ]
        found = [replace(one, event=ONCE_LEFT) for one in found] if trace.contract.endless else found
        if not is_determined(trace):
            found = [_never_alike(one) if one.consequence == SETTING.reordered else one for one in found]
        once_more = replace(SETTING, when="in the third pass")
        return iter(found or list(contrasts(third, first, once_more, coverage=coverage)))
    return compare(trace, second, first, SETTING)


def _never_alike(found: Violation) -> Violation:
    """Say that another order comes in each object, too, so that no pass need have changed it."""
    evidence = replace(found.evidence, supposes=("SC402",))
    return replace(found, hint=UNLIKE, consequence="not reproducible", evidence=evidence)


def _run_dry(trace: Trace) -> Iterator[Violation]:
    """Yield that all of many passes are empty, but for the first: by luck a draw may be, now and then."""
    for course in trace.series:
        first, later = course[0], course[1:]
        if first.total and not any(epoch.total for epoch in later):
            yield Violation(
                found=f"{owner(first.ranks)} yielded {pluralise(first.total, 'sample')} in epoch 0, "
                f"and nothing in any of {len(later)} epochs after it",
                rank=next(rank for rank, steps in zip(first.ranks, first.steps, strict=True) if steps),
                hint=SETTING.hint,
                fault=DRY,
                event="behind the first epoch",
                experiment="again",
                chance=luck(len(course)),
                evidence=Evidence(kind="dry"),
            )


def _goes_on(trace: Trace, second: Sequence[Pass]) -> bool:
    """Whether the second pass is that of the next epoch, and set_epoch, where there is one, leads to each.

    What yields nothing more does not go on.
    """
    following = nth_passes(trace, "epochs", 1)
    goes_on = yields_something(second) and bool(following) and all(map(Pass.same_as, second, following))
    return goes_on and all(
        expected is None or one.same_as(expected)
        for usual, jumped in zip(trace.of("epochs"), trace.of("jumps"), strict=False)
        for one in (jumped.passes if jumped.notes.get("has_set_epoch") else ())
        for expected in [usual.pass_of(one.epoch)]
    )


def _repeats_exactly(trace: Trace) -> bool:
    """Whether passes of one object are alike to the index: under "fixed" whatever made its one order.

    What never ends makes none that is kept: a second pass draws on where the first one does.
    """
    if trace.contract.epochs == "fixed":
        return not trace.contract.endless or not is_drawn_by_process(trace)
    return is_exact(trace) and (trace.contract.ambient_rng == "independent" or is_determined(trace))


LAW = Law(
    code="SC501",
    name="reiterates",
    statement="A second pass of the same epoch yields the same as the first.",
    fault="a second pass of an epoch differs",
    event=PASSED_TWICE,
    consequence="loses data",
    judge=judge,
    reads=("epochs", "again", "jumps"),
    applies=applies,
    sees=sees,
    on_sight=_may_run_dry,
    picture="orders",
    orders_of="again",
    why=(
        "Evaluation runs over the same loader again and again, and a training loop without set_epoch "
        "does too. A target that can be iterated once only makes the second epoch empty or short; one "
        "whose order drifts from pass to pass makes evaluation and resuming irreproducible."
    ),
    fix=(
        "Let __iter__ start from the settings alone: build the order, the cursor and the generator "
        "there, and reset what an earlier pass has moved."
    ),
    intended='A target that starts a new epoch with every iteration declares epochs="advance".',
)
