"""Cases about a target's own numbers: a budget of 512 is not met by short samples, nor a head of 512 by few.

Called by the engine beside the frontier. No Hypothesis, no chance.
"""

from __future__ import annotations

from samplercheck.search.axes import Options, case_for
from samplercheck.targets.binding import Binding
from samplercheck.targets.names import numbers_behind
from samplercheck.values.case import Case

EPOCHS, BATCH = 2, 4
LEAST, MOST, MOST_BUDGETS = 32, 2**20, 2
LONGEST, MOST_NUMBERS = 4096, 2


def cases_about_budgets(binding: Binding, options: Options) -> list[Case]:
    """Return cases of samples near the defaults that a target has for its own parameters, and above them."""
    if "lengths" not in binding.named:
        return []
    budgets = sorted({one for one in own_numbers(binding).values() if LEAST <= one <= MOST})
    return [
        case_for(
            binding, len(lengths), places, epochs=EPOCHS, features=(("lengths", lengths),), options=options[0]
        )
        for lengths in map(_around, budgets[:MOST_BUDGETS])
        for places in ((1,) if binding.contract.sharding == "none" else (1, 2, 3))
    ]


def cases_beyond_numbers(binding: Binding, options: Options) -> list[Case]:
    """Return cases of a few samples more than the smallest numbers in a target's code, or in its defaults."""
    numbers = numbers_behind(binding.factory) | {*own_numbers(binding).values()}
    places = 1 if binding.contract.sharding == "none" else 2
    more = 1 + places * binding.contract.replicas
    return [
        case_for(binding, number + more, places, BATCH, epochs=EPOCHS, options=options[0])
        for number in sorted(one for one in numbers if LEAST < one <= LONGEST)[:MOST_NUMBERS]
    ]


def own_numbers(binding: Binding) -> dict[str, int]:
    """Return the whole numbers that parameters which nothing is bound to are by default, by their names."""
    own = (one for one in binding.signature.parameters.values() if one.name not in binding.parameters)
    return {one.name: one.default for one in own if type(one.default) is int}


def _around(most: int) -> tuple[int, ...]:
    """Return eight lengths: some that fit together, one that just fits, and two that do not."""
    return most // 4, most // 3, 1, most + 1, most // 2, most, 2, most + 1
