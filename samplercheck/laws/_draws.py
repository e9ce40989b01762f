"""Draws with replacement on several ranks: the same ones on two of them, which no luck explains.

Called by the law disjoint. Whoever shares the work of an epoch draws otherwise than the others, by a
seed of his own or by his part of a common draw. Imports values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.finding import Violation
from samplercheck.words import brief, limit_indices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.contract import Contract
    from samplercheck.trace import Epoch, Trace

__all__ = ["drawn_alike", "draws_apart"]

FEWEST = 2
HINT = (
    "how a rank comes to draws of its own: by a seed that holds its number, or by its part of one common "
    'draw. If every rank is to draw alike, declare sharding="none"'
)


def draws_apart(contract: Contract) -> bool:
    """Whether ranks share what is drawn, in epochs that differ: one draw for ever may be alike by luck."""
    return contract.coverage == "sampled" and contract.sharding == "ranks" and contract.epochs != "fixed"


def drawn_alike(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that draws what another one draws, in every epoch."""
    course = trace.series[0]
    first: dict[tuple[bytes, ...], int] = {}
    for place in range(trace.owed.places if course else 0):
        drawn = tuple([epoch.passes[place].items.tobytes() for epoch in course])
        other = first.setdefault(drawn, place)
        if other != place:
            # Whatever draws are likely, independent ones meet d different passes with d ** -d at most.
            different = len({*drawn} - {b""})
            if different >= FEWEST:
                pairs = trace.owed.places * (trace.owed.places - 1) / 2
                yield _violation(course, other, place, min(1.0, pairs * float(different) ** -different))
                return


def _violation(course: tuple[Epoch, ...], other: int, place: int, chance: float) -> Violation:
    epoch = course[0]
    drawn = epoch.passes[place].items
    return Violation(
        found=(
            f"ranks {epoch.ranks[other]} and {epoch.ranks[place]} drew the same samples in each of "
            f"{len(course)} epochs, {brief(drawn) or 'nothing'} in epoch {epoch.number}"
        ),
        rank=epoch.ranks[place],
        epoch=epoch.number,
        indices=limit_indices(sorted({*drawn})),
        hint=HINT,
        chance=chance,
    )
