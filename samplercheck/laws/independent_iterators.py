"""SC502: passes that are open at the same time leave each other alone.

Called by the engine for every case in which a pass is determined by the contract. May import
values and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samplercheck.laws._alike import (
    Setting,
    can_compare,
    compare,
    contrasts,
    is_determined,
    member_contrasts,
    nth_passes,
    stays_in_step,
    yields_something,
)
from samplercheck.laws.law import Law
from samplercheck.values.finding import Grade, Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import OPEN_AT_ONCE

SETTING = Setting(
    "interleaved",
    "while another pass was open",
    "Where a pass keeps its position, order and generator: in the iterator that __iter__ returns, and not on "
    "the object.",
    reordered="wrong order",
)

BESIDE = Setting(
    "beside",
    "beside an object of another length",
    "What stands in the class, in a module, in a cache or in the default value of a parameter, and not in "
    "the object.",
    reordered="wrong order",
    fault="two objects disturb each other",
    event="with a second object, as of validation",
    kind="beside",
)


def sees(trace: Trace) -> bool:
    """Whether two open passes, or the pass that they should be, yielded something."""
    if trace.contract.is_one_walk:  # one walk has one place
        return bool(nth_passes(trace, "beside", 0)) and is_determined(trace)
    if "interleaved" in trace.faithful:
        return trace.has_steps and stays_in_step(trace) and is_determined(trace)
    first, second = nth_passes(trace, "interleaved", 0), nth_passes(trace, "interleaved", 1)
    if not first or not second or not stays_in_step(trace):
        return False
    return yields_something(first, second, nth_passes(trace, "epochs", 0)) and is_determined(trace)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield where one of the two open passes is not the pass that it should be."""
    if "interleaved" not in trace.faithful and not trace.contract.is_one_walk:
        expected = nth_passes(trace, "epochs", 0)
        for number in (0, 1):
            broken = list(compare(trace, nth_passes(trace, "interleaved", number), expected, SETTING))
            if broken:
                yield from (replace(one, grade=_grade_of(trace)) for one in broken)
                break
    for number in (0, 1):
        together = nth_passes(trace, "beside", number)
        usual = [record.pass_of(one.epoch) for record, one in zip(trace.of("epochs"), together, strict=False)]
        due = [one for one in usual if one is not None]
        # Whole passes one after the other are the same to the index, also where one generator goes on. What
        # the script seeds is seeded again for the second object: it may be read where nothing is drawn.
        if trace.contract.ambient_rng == "shared":
            found = member_contrasts(trace, together, due, BESIDE)
        else:
            found = contrasts(together, due, BESIDE) if number else compare(trace, together, due, BESIDE)
        broken = list(found) if together else []
        if broken:
            yield from broken
            return


def _grade_of(trace: Trace) -> Grade:
    """Say how bad it is: what has a state, or is its own iterator, has one place; training opens one pass."""
    has_one_place = any(record.notes.get("has_one_place") for record in trace.of("interleaved"))
    return "strict" if has_one_place else "harm"


LAW = Law(
    code="SC502",
    name="independent-iterators",
    statement="Two passes open at once do not disturb each other.",
    fault="an iterator goes wrong while another is open",
    event=OPEN_AT_ONCE,
    event_at_once="with two iterators, both begun before either has yielded",
    consequence="loses data",
    judge=judge,
    compares=True,
    reads=("epochs", "interleaved", "beside", "again"),
    applies=can_compare,
    sees=sees,
    picture="orders",
    orders_of="interleaved",
    follows=("SC501", "SC503"),
    why=(
        "A DataLoader with workers opens a second iterator of the sampler when it starts, a progress "
        "bar or a peek at the first batch opens one more, and evaluation during training may share the "
        "object. Where the position lives in the object, one pass eats the samples of the other."
    ),
    fix=(
        "Let __iter__ be a generator function, or return a new iterator object that holds its own "
        "position and its own generator."
    ),
)
