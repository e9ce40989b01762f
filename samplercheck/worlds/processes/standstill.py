"""Standstill: whether the ranks of a group wait for one another for ever, known without a time-out.

Each rank notes the collectives that it enters. A collective that a member can no longer enter will
never end. Imports values alone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from samplercheck.words import describe_ranks, pluralise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.worlds.processes.member import Member

__all__ = ["Standstill", "disagreement"]

CERTAIN = 0.2
"""For so many seconds nothing may change, in case a note is being written while it is read."""


class Standstill:
    """Looks at the members of one group again and again."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = sorted(members, key=lambda member: member.rank)
        self._seen: object = None
        self._since = 0.0

    def told(self, now: float) -> str:
        """Say what each rank waits for when none can go on; empty as long as one may."""
        notes = {member.rank: _notes(member) for member in self._members}
        waiting = [member for member in self._members if member.done is None]
        moves = tuple(member.box.moves for member in waiting)
        if moves != self._seen or not all("waits" in notes[member.rank] for member in waiting):
            self._seen, self._since = moves, now
            return ""
        still = now - self._since
        hopeless = not any(_can_end(notes[member.rank]["waits"], notes) for member in waiting)
        if (hopeless and still > CERTAIN) or still > max(member.box.patience for member in waiting):
            return describe_ranks(
                (member.rank, _doing(member, notes[member.rank])) for member in self._members
            )
        return ""


def disagreement(members: Sequence[Member]) -> str:
    """Say how many collectives each rank carried out when all have finished, but not with as many."""
    answers = {member.rank: member.done for member in members if member.done is not None}
    if any(answer.problem or answer.fault is not None or answer.spoiled for answer in answers.values()):
        return ""
    if len({tuple(sorted(answer.said.items())) for answer in answers.values()}) <= 1:
        return ""
    return describe_ranks((rank, _finished(sum(answers[rank].said.values()))) for rank in sorted(answers))


def _finished(number: int) -> tuple[str, str]:
    collectives = f"finished after {pluralise(number, 'collective')}"
    return f"has {collectives}", f"have {collectives}"


def _notes(member: Member) -> dict[str, Any]:
    """Return what a rank says, or has said before it finished."""
    if member.done is not None:
        return {"counts": member.done.said}
    try:
        notes: dict[str, Any] = json.loads(member.box.talked or "{}")
    except ValueError:  # too long for the box, or just being written
        return {}
    return notes


def _can_end(waits: dict[str, Any], notes: dict[int, dict[str, Any]]) -> bool:
    """Whether all members have entered the collective that a rank waits in."""
    entered = (notes[rank].get("counts", {}).get(waits["group"], 0) for rank in waits["members"])
    return all(count >= waits["count"] for count in entered)


def _doing(member: Member, notes: dict[str, Any]) -> tuple[str, str]:
    """Say what one rank does, and the same for several."""
    answer = member.done
    if answer is None:
        waits = notes["waits"]
        does = f"in {waits['name']} ({waits['where']})"
        return f"waits {does}", f"wait {does}"
    if answer.fault is not None:
        fault = answer.fault
        how = f"raised {fault.error}" if fault.error else f"ended: {fault.message}"
        return f"has {how}", f"have {how}"
    return "has finished", "have finished"
