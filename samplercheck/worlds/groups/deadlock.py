"""Deadlock: whether the ranks of a group wait for one another without end, known without a time-out.

Each rank notes the collectives that it enters. A collective that a member can no longer enter will
never end. Imports values alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from samplercheck.values.wording import describe_deadlock, describe_ranks, pluralise
from samplercheck.worlds.groups.member import Member

CERTAIN = 0.2
"""For so many seconds nothing may change, in case a note is being written while it is read."""


class DeadlockWatch:
    """Looks at the members of one group again and again."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = sorted(members, key=lambda member: member.rank)
        self._seen: object = None
        self._since = 0.0

    def look(self, now: float) -> str:
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
            return describe_deadlock(
                (member.rank, _waits_in(member, notes), None if member.done is None else member.done.fault)
                for member in self._members
            )
        return ""


def describe_disagreement(members: Sequence[Member]) -> str:
    """Say how many collectives each rank carried out when all have finished, but not with as many."""
    answers = {member.rank: member.done for member in members if member.done is not None}
    if any(answer.problem or answer.fault is not None or answer.spoiled for answer in answers.values()):
        return ""
    if len({tuple(sorted(answer.counts.items())) for answer in answers.values()}) <= 1:
        return ""
    totals = {rank: sum(answers[rank].counts.values()) for rank in sorted(answers)}
    finished = {rank: f"finished after {pluralise(total, 'collective')}" for rank, total in totals.items()}
    return describe_ranks((rank, (f"has {how}", f"have {how}")) for rank, how in finished.items())


def _notes(member: Member) -> dict[str, Any]:
    """Return what a rank has noted, also before it finished."""
    if member.done is not None:
        return {"counts": member.done.counts}
    try:
        notes: dict[str, Any] = json.loads(member.box.collectives or "{}")
    except ValueError:  # too long for the box, or just being written
        return {}
    return notes


def _can_end(waits: dict[str, Any], notes: dict[int, dict[str, Any]]) -> bool:
    """Whether all members have entered the collective that a rank waits in."""
    entered = (notes[rank].get("counts", {}).get(waits["group"], 0) for rank in waits["members"])
    return all(count >= waits["count"] for count in entered)


def _waits_in(member: Member, notes: dict[int, dict[str, Any]]) -> str:
    if member.done is not None:
        return ""
    waits = notes[member.rank]["waits"]
    where = f" ({waits['where']})" if waits["where"] else ""
    return f"{waits['name']}{where}"
