"""Cases whose samples are about as long as a target's own numbers: a budget of 512 is not met by short ones.

Called by the engine beside the frontier. No Hypothesis, no chance.
"""

from __future__ import annotations

from samplercheck.search.axes import Options
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case

EPOCHS = 2
LEAST, MOST, MOST_BUDGETS = 32, 2**20, 2


def cases_about_budgets(binding: Binding, options: Options) -> list[Case]:
    """Return cases of samples near the defaults that a target has for its own parameters, and above them."""
    if "lengths" not in binding.named:
        return []
    own = [one.default for one in binding.signature.parameters.values() if one.name not in binding.parameters]
    budgets = sorted({one for one in own if type(one) is int and LEAST <= one <= MOST})
    step = binding.contract.replicas
    worlds = (step,) if binding.contract.sharding == "none" else (step, 2 * step, 3 * step)
    return [
        Case(
            length=len(lengths),
            world_size=world,
            shuffle="shuffle" in binding.varied,
            epochs=EPOCHS,
            features=(("lengths", lengths),),
            options=options[0],
        )
        for lengths in map(_around, budgets[:MOST_BUDGETS])
        for world in worlds
    ]


def _around(most: int) -> tuple[int, ...]:
    """Return eight lengths: some that fit together, one that just fits, and two that do not."""
    return most // 4, most // 3, 1, most + 1, most // 2, most, 2, most + 1
