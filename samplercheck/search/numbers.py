"""Numbers of a target's own, in its code and in its defaults, and the few cases that they suggest.

Called by the engine beside the frontier, and by what makes other cases. No Hypothesis, no chance.
"""

from __future__ import annotations

from typing import Any

from samplercheck.search.axes import Options, case_for
from samplercheck.search.chosen import thin_out
from samplercheck.targets.binding import Binding
from samplercheck.targets.names import numbers_behind
from samplercheck.values.case import Case

EPOCHS, BATCH = 2, 4
LEAST, LARGEST, MOST_BUDGETS = 32, 2**20, 2
LONGEST_BORDER, MOST_BORDERS = 2**16, 8
"""Larger numbers in code are mostly those that seeds are made of."""
SMALL, LONGEST, LONGEST_OF_ITS_OWN, MOST_NUMBERS = 12, 4096, 2**16, 3
MOST_DRAWN = 2
ODD = 7  # so that lengths differ, in no order
FAR_LABELS = (0, 256, 0, 256, 256, 0, 0, 256)
"""Two labels that a narrow type takes for one: samples are grouped by ids as datasets have them."""


def cases_about_budgets(binding: Binding, options: Options) -> list[Case]:
    """Return cases of samples near the numbers that a target has for its own parameters, and above them.

    A budget of 512 is not met by short samples; nor are the borders of buckets, which stand in its code.
    """
    if "lengths" not in binding.named:
        return []
    own = sorted({one for one in own_numbers(binding).values() if LEAST <= one <= LARGEST})
    borders = {one for one in _numbers_of(binding) if LEAST <= one <= LONGEST_BORDER}
    rows = [_around(one) for one in own[:MOST_BUDGETS]]
    if left := sorted(borders.union(own).difference(own[:MOST_BUDGETS])):
        rows.append((1, 2, *(one + more for one in thin_out(left, MOST_BORDERS) for more in (0, 1))))
    sizes = [(places, 1) for places in ((1,) if binding.contract.sharding == "none" else (1, 2, 3))]
    sizes += [(1, BATCH)] if "batch_size" in binding.varied else []  # so that one is not full at the end
    given: dict[str, Any] = {"epochs": EPOCHS, "options": options[0]}
    return [
        case_for(binding, len(lengths), places, batch, features=(("lengths", lengths),), **given)
        for lengths in rows
        for places, batch in sizes
    ]


def cases_of_full_bins(binding: Binding, options: Options) -> list[Case]:
    """Return a case of samples of which no two fit the largest number of a target's own: each fills a bin.

    They are twice as many as the next number says, which may be the most bins that are open at once.
    """
    own = sorted({one for one in own_numbers(binding).values() if SMALL < one <= LARGEST})
    if "lengths" not in binding.named or not own:
        return []
    places = 1 if binding.contract.sharding == "none" else 2
    most, pool = own[-1], next((one for one in own[-2::-1] if one <= LONGEST), SMALL)
    lengths = tuple(most // 2 + 1 + place * ODD % (most - most // 2) for place in range(2 * pool + 1))
    given: dict[str, Any] = {"features": (("lengths", lengths),), "options": options[0]}
    return [case_for(binding, len(lengths), places, epochs=EPOCHS, **given)]


def cases_beyond_numbers(binding: Binding, options: Options) -> list[Case]:
    """Return cases of a few samples more than the smallest numbers in a target's code, or in its defaults.

    And of just as many as its defaults say, and of a few more, on one rank: what holds so many is full when
    the data ends, or has given some up by then.
    """
    places = 1 if binding.contract.sharding == "none" else 2
    more = 1 + places * binding.contract.replicas
    own = {one for one in own_numbers(binding).values() if SMALL < one <= LONGEST_OF_ITS_OWN}
    numbers = sorted(one for one in all_numbers(binding) if one > LEAST and (one <= LONGEST or one in own))
    whole = sorted(own)
    sizes = [(one + more, places) for one in numbers[:MOST_NUMBERS]]
    sizes += [(length, 1) for one in whole[:MOST_DRAWN] for length in (one, one + more)]
    usual = {"epochs": EPOCHS, "options": options[0]}
    return [case_for(binding, length, ranks, BATCH, **usual) for length, ranks in sizes]


def cases_of_far_labels(binding: Binding, options: Options) -> list[Case]:
    """Return a case of labels far apart; none for what may have room for so many classes and no more."""
    if "labels" not in binding.named or any(SMALL < one <= LONGEST_BORDER for one in all_numbers(binding)):
        return []
    given: dict[str, Any] = {"features": (("labels", FAR_LABELS),), "options": options[0]}
    places = 1 if binding.contract.sharding == "none" else 2
    return [case_for(binding, len(FAR_LABELS), places, BATCH, epochs=EPOCHS, **given)]


def own_numbers(binding: Binding) -> dict[str, int]:
    """Return the whole numbers that parameters which nothing is bound to are by default, by their names."""
    return {name: default for name, default in _own_defaults(binding).items() if type(default) is int}


def all_numbers(binding: Binding) -> set[int]:
    """Return the whole numbers in a target's code, and in its defaults."""
    return _numbers_of(binding) | {*own_numbers(binding).values()}


def _numbers_of(binding: Binding) -> set[int]:
    """Return the whole numbers in a target's code, and in lists that parameters of its own are by default."""
    lists = (own for own in _own_defaults(binding).values() if isinstance(own, (tuple, list)))
    return numbers_behind(binding.factory) | {one for own in lists for one in own if type(one) is int}


def _own_defaults(binding: Binding) -> dict[str, Any]:
    own = (one for one in binding.signature.parameters.values() if one.name not in binding.parameters)
    return {one.name: one.default for one in own}


def _around(most: int) -> tuple[int, ...]:
    """Return eight lengths: some that fit together, one that just fits, and two that do not."""
    return most // 4, most // 3, 1, most + 1, most // 2, most, 2, most + 1
