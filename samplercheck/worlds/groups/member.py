"""Member: one rank of a process group as the run's own process sees it.

Messages are sent to it and heard from it; while it works it is watched: whether it lives, and whether
it still moves. Each rank notes the collectives that it enters: one that a member can no longer enter will
never end, by which a deadlock is known without a time-out. Imports values alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samplercheck.values.record import Fault
from samplercheck.values.wording import describe_deadlock, describe_ranks, pluralise
from samplercheck.worlds.groups.messages import Done, GarbledError, limit_waits, receive, send
from samplercheck.worlds.processes.black_box import BlackBox, Sighting
from samplercheck.worlds.processes.post_mortem import Stillness, ask_for_frames, fault_of, frames_in
from samplercheck.worlds.processes.source import ProcessSource

MARGIN = 1.0
SILENT = 0.5
CLOSED = "closed its connection"
GARBLED = "sent something else than its answer"
LONGEST_MESSAGE = 10.0
UNMOVED = 3.0
"""For so many times as long as a step may take a rank may do nothing that is seen, its guard being gone."""
IMPORTS = 30.0
"""So many times as long it may, before its first experiment, import what the target needs."""
CERTAIN = 0.2
"""For so many seconds nothing may change, in case a note is being written while it is read."""


class Member:
    """One rank: its process, its black box, and its answer to the last message."""

    def __init__(self, source: ProcessSource, job: dict[str, Any], directory: Path) -> None:
        self.rank: int = job["rank"]
        self.done: Done | None = None
        self.status = ""
        self._frames = directory / f"frames{self.rank}"
        self.box = BlackBox.create(directory / f"notes{self.rank}")
        self.process = source.start_rank(
            {**job, "notes": str(directory / f"notes{self.rank}"), "frames": str(self._frames)}
        )
        limit_waits(self.process.connection, LONGEST_MESSAGE)
        self._pulse, self._moves = Stillness(), Stillness()
        self._silent_since: float | None = None
        self._seen: Sighting | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the process has died, or hangs where nothing interrupts it."""
        return bool(self.status)

    @property
    def owes_answer(self) -> bool:
        """Whether the process has not answered, and is not known to be lost."""
        return self.done is None and not self.is_lost

    @property
    def is_connected(self) -> bool:
        """Whether an answer may still come."""
        return self._silent_since is None

    def send(self, message: Any) -> None:
        """Send a message; its answer is ``done``."""
        self.done, self._pulse, self._moves = None, Stillness(), Stillness()
        try:
            send(self.process.connection, message)
        except OSError:  # it is dead, which the next look finds
            self._silent_since = time.monotonic()

    def hear(self) -> None:
        """Take in its answer if there is one."""
        try:
            if self.process.connection.poll():
                self.done = receive(self.process.connection)
        except (EOFError, OSError):
            self._silent_since = time.monotonic()
        except GarbledError:
            self._lose(GARBLED)

    def look(self, passed: float, *, joins: bool = False) -> None:
        """See whether the process still lives; ``passed`` seconds have gone since the last look.

        Only short steps count as standing still, so that a machine that slept raises no alarm. One that
        ``joins`` its group may stand still: opening a GPU takes seconds in which no Python runs.
        """
        if self.process.status and self.is_connected:
            self.hear()  # its last answer may still be on the way
        if not self.owes_answer:
            return
        if self.process.status:
            self._lose(self.process.status)
        elif self._silent_since is None:
            if not joins:
                self._check_pulse(passed)
        elif time.monotonic() - self._silent_since > SILENT:
            self._lose(CLOSED)

    def _check_pulse(self, passed: float) -> None:
        pulse, waits = self.box.pulse, '"waits"' in self.box.collectives
        pulseless = self._pulse.look(pulse, passed, excused=pulse is None)
        unmoved = self._moves.look(self.box.moves, passed, excused=waits)
        patience = self.box.patience
        if pulseless <= patience + MARGIN and unmoved > UNMOVED * patience + MARGIN:
            has_begun = bool(self.box.read().experiment)
            unmoved = unmoved if has_begun else unmoved * UNMOVED / IMPORTS
        if pulseless > patience + MARGIN or unmoved > UNMOVED * patience + MARGIN:
            self._lose("hung")
            ask_for_frames(self.process.pid)

    def _lose(self, status: str) -> None:
        """Give the rank up; where it is now is what it is asked about later."""
        self.status, self._seen = status, self.box.read()

    def was_elsewhere(self, case: str) -> bool:
        """Whether a lost rank had not begun the case with this token: it died of something earlier."""
        return self._seen is not None and self._seen.case != case

    def fault(self) -> Fault:
        """Return the fault of a lost rank: what it was doing when it was last heard of."""
        words = () if self.status == "hung" else self.process.stderr_end
        assert self._seen is not None
        return Fault(**fault_of(self._seen, self.status, frames_in(self._frames), words))

    def close(self) -> None:
        """End the process and all that it has started."""
        self.process.kill()
        self.process.connection.close()
        self.box.close()


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
