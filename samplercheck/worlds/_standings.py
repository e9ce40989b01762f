"""How far each rank of a lockstep has come, and the sentence that says so when they wait in vain.

Used by the lockstep of the simulated world. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from samplercheck import words
from samplercheck.record import Record
from samplercheck.words import name_ranks, ordinal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.record import Fault
    from samplercheck.worlds._desk import Answer
    from samplercheck.worlds._results import Request

__all__ = ["Standing", "told"]

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
            among = f" among {name_ranks(self.waiting.members)}" if number else ""
            among += f", group {number} of these" if number > 1 else ""
            does = f"in {called}{among} ({ordinal(len(self.answers) + 1)} collective of {self.where})"
            return f"waits {does}", f"wait {does}"
        if self.fault is not None:
            how = f"raised {self.fault.error}" if self.fault.error else f"ended: {self.fault.message}"
            return f"has {how}", f"have {how}"
        return "has finished", "have finished"


def told(standings: Sequence[Standing]) -> str:
    """Say what each rank does: "rank 0 waits in ..., ranks 1-3 have finished"."""
    names = [standing.waiting.name if standing.waiting is not None else "" for standing in standings]
    fully = len(set(names)) == 1
    return words.describe_ranks((standing.rank, standing.described(fully=fully)) for standing in standings)
