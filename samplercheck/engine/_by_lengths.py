"""Which conditions on the lengths of samples a region may name: those that experiments bear out.

Called by the regions, which hand in what runs a case. Made-up lengths follow few patterns, in which many
conditions are true of the same cases: each is tried where it alone is true.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from samplercheck.engine._inquiry import Inquiry
from samplercheck.explain import change
from samplercheck.explain.atoms import constant, differ
from samplercheck.explain.conditions import Fails
from samplercheck.explain.own_atoms import of_all_lengths, of_longest
from samplercheck.explain.region import Region
from samplercheck.explain.table import Table
from samplercheck.explain.words import EXACT, NECESSARY, SUFFICIENT
from samplercheck.search.chosen import thin_out
from samplercheck.search.numbers import own_numbers
from samplercheck.targets.features import feature, lengthen, with_values
from samplercheck.values.case import Case

NAME = "lengths"
MILD, MOST_TRIED = 2, 3
"""A length that is hardly another one than 1, and in how many cases a sample of it is tried."""
DRAWN: dict[str, Callable[[random.Random], Any]] = {
    "lengths": lambda draw: draw.choice((1, 2, 3, 4, 6, 8)),
    "labels": lambda draw: draw.randrange(4),
}
"""How values are drawn that follow no pattern."""
TIMES, MOST_DRAWN = (1, 2, 3, 5), 4


def list_left_out(inquiry: Inquiry, failing: Sequence[int], fails: Fails) -> dict[str, set[str]]:
    """Return by claim the conditions on lengths of which more or less is needed.

    That they differ is not enough where a law holds once they differ by little, not needed where many short
    ones break it. Where these break none, their sum is not what matters; single long samples may be.
    Of a target that hangs the longer ones take seconds each.
    """
    small = inquiry.search.ledger.small
    if NAME not in inquiry.search.binding.named:
        return {}
    own = own_numbers(inquiry.search.binding)
    if inquiry.search.hung:
        return dict.fromkeys((EXACT, SUFFICIENT, NECESSARY), _name_longest(own))
    cases = thin_out([case for place in failing if (case := small[place]).length > 1], MOST_TRIED)
    mild = [with_values(case, NAME, [1] * (case.length - 1) + [MILD]) for case in cases]
    alike = [one for case in cases if (one := change.lengths_1.case(lengthen(case))) is not None]
    is_enough = not any(fails(case) is False for case in mild)
    is_needed = not any(fails(case) for case in alike)
    atoms = {atom.text for atom in differ(NAME)}
    left = _name_longest(name for name, number in own.items() if not _is_bound(cases, number, fails))
    if is_needed:
        most = max((case.length for case in alike), default=0)
        left |= {
            atom.text
            for name, number in own.items()
            if number < most
            for atom in of_all_lengths(constant(number, name))
        }
    every = left | _name_longest(own)
    return {
        EXACT: every if is_enough and is_needed else every | atoms,
        SUFFICIENT: every if is_enough else every | atoms,
        NECESSARY: left if is_needed else left | atoms,
    }


def _name_longest(own: Iterable[str]) -> set[str]:
    """Return the conditions that compare the longest sample with these numbers of the target's own."""
    return {atom.text for name in own for atom in of_longest(constant(0, name))}


def _is_bound(cases: Sequence[Case], number: int, fails: Fails) -> bool:
    """Whether failing cases hold once no sample is longer than a number, and all others are as they were."""
    over = [(case, values) for case in cases if max(values := feature(case, NAME)) > number]
    cut = [with_values(case, NAME, [min(one, number) for one in values]) for case, values in over]
    return bool(cut) and all(fails(case) is False for case in cut)


def is_refuted_by_values(inquiry: Inquiry, region: Region, fails: Fails) -> bool:
    """Whether a law holds where a condition of other numbers is true, with lengths or labels of no pattern.

    What small cases show of a condition is true of few made-up patterns.
    """
    names = [name for name in DRAWN if name in inquiry.search.binding.named]
    if not names or any(name in region.text for name in names):
        return False
    inside = [case for case in inquiry.failing if case.length and region.covers(Table([case], names))[0]]
    for case in thin_out(inside, MOST_DRAWN):
        for times in TIMES:
            draw, length = random.Random(times), case.length * times
            values = {name: [DRAWN[name](draw) for _ in range(length)] for name in names}
            other = case.but(length=length, features=values)
            if region.covers(Table([other], names))[0] and fails(other) is False:
                return True
    return False
