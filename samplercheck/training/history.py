"""From the ledgers of a folder to the history of a job: its attempts, where each went on, and what was kept.

A step counts as trained on when an optimizer step followed it. An attempt that goes on from a checkpoint
begins with its weights: where an earlier attempt had those weights is where it went on. What that attempt
did afterwards is undone, and counts no more. Read by ``audit``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from samplercheck.training.ledger_file import (
    BACKWARD,
    BATCH,
    END,
    EVALUATED,
    LEFT,
    LOAD,
    MARK,
    SAVE,
    START,
    STEP,
    TRAINED,
    TURN,
    Header,
    JobLedger,
)
from samplercheck.values.history import Stretch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NEVER = 2**62
UNKNOWN = 2**32 - 1


class Course:
    """What one rank did in one attempt, in arrays of its batches.

    ``trained`` is the number of the optimizer step that trained on a batch, counted from 1; NEVER for none.
    """

    def __init__(self, ledger: JobLedger, *, by_delivery: bool = False, late: bool = False) -> None:
        cells = ledger.cells
        self.header = ledger.header
        batches = cells["kind"] == BATCH
        stepped = (cells["kind"] == STEP) | (batches & ((cells["flags"] & TRAINED) > 0))
        stepped = batches if by_delivery else stepped
        self._cells, self._ordinals = cells, np.cumsum(stepped)
        self.steps = int(self._ordinals[-1]) if len(cells) else 0
        self.batches = cells[batches]
        self._train(batches, stepped, late=late)
        self.ids = ledger.ids if ledger.header.exact and self._has_all_ids(ledger) else None
        turns = cells[cells["kind"] == TURN]
        self.planned = {int(one["turn"]): int(one["step"]) for one in turns if one["step"] != UNKNOWN}
        self.epochs = {int(one["turn"]): int(one["first"]) - 1 for one in turns if one["first"]}
        ends = cells[(cells["kind"] == END) & (cells["flags"] == 0)]
        self.ended = {int(one["turn"]): int(one["step"]) for one in ends}
        left = np.flatnonzero((cells["kind"] == END) & (cells["flags"] == LEFT))
        # An iterator is also left by what ends its process; then nothing follows.
        self.left = {int(cells[at]["turn"]) for at in left if at + 1 < len(cells)}

    def _train(self, batches: NDArray[np.bool_], stepped: NDArray[np.bool_], *, late: bool) -> None:
        """Say which optimizer step trained on each batch: the first at it or after it, ``late`` after it.

        Batches that a pass begins with and that no gradients came of were skipped; later ones were not
        worth a step, and count as used.
        """
        flags, turns = self.batches["flags"], self.batches["turn"]
        busy = (flags & (BACKWARD | TRAINED)) > 0
        if not (flags & BACKWARD).any():
            busy |= (flags & EVALUATED) == 0
        _, place = np.unique(turns, return_inverse=True)
        first = np.full(len(turns), len(turns))
        np.minimum.at(first, place[busy], np.flatnonzero(busy))
        self.is_late = _seems_late(self._cells, place, first)
        used = (flags & EVALUATED) == 0
        used &= first[place] < len(turns) if late else np.arange(len(turns)) >= first[place]
        steps = np.flatnonzero(stepped)
        following = np.searchsorted(steps, np.flatnonzero(batches), side="right" if late else "left") + 1
        self.trained = np.where(used & (following <= len(steps)), following, NEVER).astype(np.int64)

    def _has_all_ids(self, ledger: JobLedger) -> bool:
        return int(self.batches["count"].sum()) <= len(ledger.ids)

    def begins_with(self) -> int:
        """Return what stands for the weights before the first step; 0 where it is not known."""
        first = self._cells[self._cells["kind"] == START]
        return int(first[0]["weights"]) if len(first) else 0

    def steps_at(self, weights: int) -> list[int]:
        """Return after how many optimizer steps the model had these weights."""
        same = self._cells["weights"] == weights
        saved = same & (self._cells["kind"] == SAVE)
        return np.unique(self._ordinals[saved if saved.any() else same]).tolist() if weights else []

    def steps_at_mark(self, number: int) -> int | None:
        """Return after how many optimizer steps a state of the loader was taken."""
        marks = np.flatnonzero((self._cells["kind"] == MARK) & (self._cells["first"] == number))
        return int(self._ordinals[marks[0]]) if len(marks) else None

    def loads(self) -> list[int]:
        """Return the marks of the states that were loaded."""
        return [int(one["first"]) for one in self._cells[self._cells["kind"] == LOAD]]

    def saves(self) -> list[int]:
        """Return after how many optimizer steps the state of an optimizer, or of the loader, was taken."""
        return [int(one) for one in np.unique(self._ordinals[np.isin(self._cells["kind"], (SAVE, MARK))])]

    def stretch(self, attempt: int, turn: int, high: int = NEVER - 1) -> Stretch:
        """Return the steps of a pass that were trained on by the first ``high`` optimizer steps."""
        chosen = (self.batches["turn"] == turn) & (self.trained <= high)
        return self.pick(attempt, turn, chosen)

    def pick(self, attempt: int, turn: int, chosen: NDArray[np.bool_]) -> Stretch:
        """Return some of the steps, as those of one pass."""
        part = self.batches[chosen]
        ids = None
        if self.ids is not None:
            all_ids = self.ids[: int(self.batches["count"].sum())]
            ids = all_ids[np.repeat(chosen, self.batches["count"])]
        return Stretch(
            attempt=attempt,
            rank=self.header.rank,
            epoch=self.epochs.get(turn),
            counts=part["count"].astype(np.int64),
            sums=part["first"].astype(np.uint64),
            orders=part["order"].astype(np.uint64),
            ids=ids,
            steps=self.ended.get(turn, int((self.batches["turn"] == turn).sum())),
            has_ended=turn in self.ended,
        )

    def turns(self, high: int = NEVER) -> list[int]:
        """Return the numbers of the passes of which a batch was trained on, by so many optimizer steps."""
        return [int(one) for one in np.unique(self.batches["turn"][self.trained < min(NEVER, high + 1)])]


def _seems_late(cells: NDArray[Any], place: NDArray[np.int64], first: NDArray[np.int64]) -> bool:
    """Whether batches are taken one ahead of their steps: one before the first step, one step after all."""
    if not len(place) or first[0] != 1:
        return False
    ends = np.flatnonzero(cells["kind"] == END)[:1]
    after = cells["kind"][int(ends[0]) + 1 :] if len(ends) else cells["kind"][:0]
    said = after[(after == STEP) | (after == TURN)][:1]
    return not len(said) or bool(said[0] == STEP)


@dataclass(kw_only=True)
class Attempt:
    """One start of the job: the courses of its ranks, and where it went on from."""

    number: int
    world: int
    courses: dict[int, Course] = field(default_factory=dict)
    earlier: int | None = None
    steps_kept: int = 0
    how: str = ""
    is_sure: bool = True

    @property
    def lead(self) -> Course:
        """The course of the lowest rank."""
        return self.courses[min(self.courses)]

    @property
    def steps(self) -> int:
        """The number of optimizer steps that every rank is known to have taken."""
        return min(one.steps for one in self.courses.values())


def group_attempts(
    ledgers: Sequence[JobLedger], *, by_delivery: bool = False, late: bool = False
) -> list[Attempt]:
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
    for attempt in attempts[1:]:
        earlier = attempts[: attempt.number]
        origin = _by_weights(attempt, earlier) or _by_mark(attempt, earlier)
        if origin is not None:
            attempt.earlier, attempt.steps_kept, attempt.how = origin
        elif attempt.steps and any(one.steps for one in earlier):
            attempt.earlier, attempt.is_sure = attempt.number - 1, False
            attempt.steps_kept = attempts[attempt.earlier].steps


def _by_weights(attempt: Attempt, earlier: Sequence[Attempt]) -> tuple[int | None, int, str] | None:
    """Return the latest place at which an earlier attempt had the weights that this one begins with."""
    begins = {rank: one.begins_with() for rank, one in attempt.courses.items()}
    for other in reversed(earlier):
        for rank, course in sorted(other.courses.items()):
            weights = begins.get(rank) or next(iter(begins.values()))
            places = course.steps_at(weights)
            if len(places) == 1:
                return _as_origin(other, places[0])
    return None


def _as_origin(other: Attempt, steps: int) -> tuple[int | None, int, str]:
    """Return a place; that before the first step of an attempt is where this one went on itself."""
    if steps == 0:
        return other.earlier, other.steps_kept, "weights"
    return other.number, steps, "weights"


def _by_mark(attempt: Attempt, earlier: Sequence[Attempt]) -> tuple[int, int, str] | None:
    for number in (one for course in attempt.courses.values() for one in course.loads()):
        for other in reversed(earlier):
            for course in other.courses.values():
                steps = course.steps_at_mark(number)
                if steps is not None:
                    return other.number, steps, "mark"
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
