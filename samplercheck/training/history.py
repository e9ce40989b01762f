"""From the ledgers of a folder to the history of a job: its attempts, where each went on, and what was kept.

A step counts as trained on when an optimizer step followed it. An attempt that goes on from a checkpoint
begins with its weights: where an earlier attempt had those weights is where it went on. What that attempt
did afterwards is undone, and counts no more. Read by ``audit``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from samplercheck.training.course import NEVER, Course
from samplercheck.training.ledger_file import Header
from samplercheck.training.ledger_reader import JobLedger


@dataclass(kw_only=True)
class Attempt:
    """One start of the job: the courses of its ranks, and where it went on from."""

    number: int
    world: int
    courses: dict[int, Course] = field(default_factory=dict)
    earlier: int | None = None
    steps_kept: int = 0
    is_sure: bool = True

    @property
    def lead(self) -> Course:
        """The course of the lowest rank."""
        return self.courses[min(self.courses)]

    @property
    def steps(self) -> int:
        """The number of optimizer steps that every rank is known to have taken."""
        return min(one.steps for one in self.courses.values())


def group_attempts(ledgers: Sequence[JobLedger], *, by_delivery: bool, late: bool = False) -> list[Attempt]:
    """Return the attempts of a job: a new one begins where a rank comes again, or another launch or world."""
    attempts: list[Attempt] = []
    for ledger in sorted(ledgers, key=lambda one: one.header.started):
        header = ledger.header
        last = attempts[-1] if attempts else None
        if last is None or not _belongs(header, last):
            last = Attempt(number=len(attempts), world=header.world)
            attempts.append(last)
        last.courses[header.rank] = Course(ledger, by_delivery=by_delivery, late=late)
    if attempts[0].lead.is_late and not late:
        return group_attempts(ledgers, by_delivery=by_delivery, late=True)
    return attempts


def _belongs(header: Header, attempt: Attempt) -> bool:
    """Whether a rank is new in an attempt, and of the same world, launch and, on one host, parent."""
    if header.rank in attempt.courses:
        return False
    others = [course.header for course in attempt.courses.values()]
    alike = all((one.world, one.launch) == (header.world, header.launch) for one in others)
    return alike and all(one.parent == header.parent for one in others if one.host == header.host)


def find_origins(attempts: Sequence[Attempt]) -> None:
    """Say of each attempt where it went on from: by the weights, or by the mark of the loader's state."""
    wanted = {course.begins_with() for attempt in attempts[1:] for course in attempt.courses.values()}
    for attempt in attempts[1:]:
        earlier = attempts[: attempt.number]
        origin = _by_weights(attempt, earlier, wanted) or _by_mark(attempt, earlier)
        if origin is not None:
            attempt.earlier, attempt.steps_kept = origin
        elif attempt.steps and any(one.steps for one in earlier):
            attempt.earlier, attempt.is_sure = attempt.number - 1, False
            attempt.steps_kept = attempts[attempt.earlier].steps


def _by_weights(
    attempt: Attempt, earlier: Sequence[Attempt], wanted: Collection[int]
) -> tuple[int | None, int] | None:
    """Return the latest place at which an earlier attempt had the weights that this one begins with."""
    begins = {rank: one.begins_with() for rank, one in attempt.courses.items()}
    for other in reversed(earlier):
        for rank, course in sorted(other.courses.items()):
            weights = begins.get(rank) or next(iter(begins.values()))
            places = course.steps_at(weights, wanted)
            if len(places) == 1:
                # Before the first step of an attempt is where that one went on itself.
                steps = places[0]
                return (other.number, steps) if steps else (other.earlier, other.steps_kept)
    return None


def _by_mark(attempt: Attempt, earlier: Sequence[Attempt]) -> tuple[int, int] | None:
    for number in (one for course in attempt.courses.values() for one in course.loads()):
        for other in reversed(earlier):
            for course in other.courses.values():
                steps = course.steps_at_mark(number)
                if steps is not None:
                    return other.number, steps
    return None


def find_path(attempts: Sequence[Attempt]) -> list[tuple[Attempt, int]]:
    """Return the attempts that the model comes from, each with the number of its steps that were kept."""
    stepping = [one for one in attempts if one.steps] or list(attempts[-1:])
    path: list[tuple[Attempt, int]] = []
    current, kept = stepping[-1], NEVER - 1
    while True:
        path.append((current, kept))
        if current.earlier is None:
            return path[::-1]
        current, kept = attempts[current.earlier], current.steps_kept
