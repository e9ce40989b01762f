"""How far each rank of a lockstep has come, and the sentence that says so when they wait in vain.

Used by the lockstep of the simulated world. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from samplercheck.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.record import Fault
    from samplercheck.worlds._desk import Answer
    from samplercheck.worlds._results import Request

__all__ = ["Standing", "told"]

MOST_NAMED = 8
CALL = 4  # a collective costs as much as writing so many tensors


@dataclass(slots=True, eq=False)
class Standing:
    """How far one rank has come in one experiment: it waits, or has ended with or without a fault."""

    rank: int
    answers: list[Answer] = field(default_factory=list)
    cost: int = 0
    waiting: Request | None = None
    where: str = ""
    record: Record = field(default_factory=Record)
    fault: Fault | None = None

    def answered(self, answer: Answer) -> None:
        """Add the result of the collective that the rank waits in."""
        self.answers.append(answer)
        self.cost += CALL + len(answer[1])
        self.waiting = None

    def described(self, *, fully: bool) -> tuple[str, str]:
        """Say what one rank does, and the same for several."""
        if self.waiting is not None:
            called = self.waiting.described() if fully else self.waiting.name
            number = self.waiting.number
            among = f" among {_ranks(self.waiting.members)}" if number else ""
            among += f", group {number} of these" if number > 1 else ""
            does = f"in {called}{among} ({_ordinal(len(self.answers) + 1)} collective of {self.where})"
            return f"waits {does}", f"wait {does}"
        if self.fault is not None:
            how = f"raised {self.fault.error}" if self.fault.error else f"ended: {self.fault.message}"
            return f"has {how}", f"have {how}"
        return "has finished", "have finished"


def told(standings: Sequence[Standing]) -> str:
    """Say what each rank does: "rank 0 waits in ..., ranks 1-3 have finished"."""
    names = [standing.waiting.name if standing.waiting is not None else "" for standing in standings]
    fully = len(set(names)) == 1
    alike: dict[tuple[str, str], list[int]] = {}
    for standing in standings:
        alike.setdefault(standing.described(fully=fully), []).append(standing.rank)
    return ", ".join(f"{_ranks(ranks)} {does[len(ranks) > 1]}" for does, ranks in alike.items())


def _ranks(ranks: Sequence[int]) -> str:
    """Name some ranks: "rank 2", "ranks 0-3", "ranks 0, 2, 5"."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    if len(ranks) > 2 and list(ranks) == list(range(ranks[0], ranks[-1] + 1)):  # noqa: PLR2004  (two are named)
        return f"ranks {ranks[0]}-{ranks[-1]}"
    more = f" and {len(ranks) - MOST_NAMED} more" if len(ranks) > MOST_NAMED else ""
    return f"ranks {', '.join(map(str, ranks[:MOST_NAMED]))}{more}"


def _ordinal(number: int) -> str:
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
