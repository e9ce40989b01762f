"""ScopeCell: what became of the small cases of one length, world size, batch size, shuffle and drop_last.

All cells of a run are the map of its small scope. Made by the engine's ledger, read by reports.
Imports values alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from samplercheck.values.case import Case

Place = tuple[int, int, int, bool, bool]


@dataclass(frozen=True, slots=True)
class ScopeCell:
    """How many cases were tried there, all other settings summed up, and how many of them broke a law.

    ``laws`` says by its code how many broke a law. A cell that was planned and not tried has no cases.
    """

    length: int
    world_size: int
    batch_size: int
    shuffle: bool
    drop_last: bool
    tried: int
    broken: int
    laws: Mapping[str, int] = field(default_factory=dict)


def cells_of(
    planned: Iterable[Place], tried: Iterable[Case], broken: Mapping[str, Iterable[Case]]
) -> tuple[ScopeCell, ...]:
    """Return the cells of cases, and of planned ones, by length; ``broken`` are failing cases by law."""
    numbers = Counter(map(_place, tried))
    by_law = {code: list(cases) for code, cases in broken.items()}
    failing = Counter(map(_place, {id(case): case for cases in by_law.values() for case in cases}.values()))
    places = {code: Counter(map(_place, cases)) for code, cases in by_law.items()}
    return tuple(
        ScopeCell(
            *place,
            tried=numbers[place],
            broken=failing[place],
            laws={code: found[place] for code, found in places.items() if found[place]},
        )
        for place in sorted({*planned, *numbers})
    )


def _place(case: Case) -> Place:
    return case.length, case.world_size, case.batch_size, case.shuffle, case.drop_last
