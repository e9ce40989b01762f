"""Unjudged: what a run holds nothing to, because its contract promises too little of it.

Called at the end of a run, which says it under "not tried": silence would read as a law that holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.laws.law import begins_with_a_lap, draws_apart, is_dealt_in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.laws.law import Scope

__all__ = ["unjudged"]

LATER = "endless passes behind their first lap: whether all samples come again, and in another order"
BEGINNING = "whether endless passes begin with each sample once (SC103): some may be held back for later laps"
SHARING = 'whether ranks share one endless walk (SC103): only layout="strided" says who takes what of it'
DRAWING = 'whether ranks draw alike (SC103): there is one draw under epochs="fixed", which luck could explain'
ORDER = (
    'whether epochs are shuffled, each in another way (SC301, SC305, SC306, SC1002): order="free" promises '
    "nothing of it"
)


def unjudged(scope: Scope) -> Iterator[str]:
    """Yield what no law looks at under this contract, and why."""
    contract = scope.contract
    ranks = contract.sharding == "ranks"
    if contract.endless and contract.coverage == "once":
        yield LATER
        if not begins_with_a_lap(scope):
            yield BEGINNING
        if ranks and not is_dealt_in_turn(contract):
            yield SHARING
    if contract.coverage == "sampled" and ranks and not draws_apart(contract):
        yield DRAWING
    if contract.order == "free" and contract.epochs != "fixed":
        yield ORDER
