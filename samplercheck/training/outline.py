"""The outline of a ledger: what one way through its cells comes to, however many they are.

A ``Turn`` for each pass, the cells that are neither batch nor step, and sums at places from which any other
place is found again. Made by ``ledger_reader``, asked by ``course``. Imports numpy and this room alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samplercheck.training.ledger_file import BACKWARD, CELL, EVALUATED, TRAINED, Kind
from samplercheck.values.errors import InputError


@dataclass(slots=True)
class Turn:
    """A pass that batches were delivered of: the cells from the first to behind the last of these.

    ``busy`` is the number, among all batches, of the first that gradients or a step came of; ``plain`` the
    first that gradients were switched on for, with its number, ``used`` the first such from ``busy`` on.
    """

    number: int
    begin: int
    end: int = 0
    batches: int = 0
    evaluated: int = 0
    busy: int | None = None
    plain: int | None = None
    plain_batch: int | None = None
    used: int | None = None


class Outline:
    """What the cells of a ledger, added in their order, come to."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.cells, self.batches, self.stepped, self.samples = 0, 0, 0, 0
        self.turns: list[Turn] = []
        self.has_backward = self.is_trained_on = False
        self._places: list[tuple[int, int, int, int]] = []
        self._controls: list[NDArray[Any]] = []
        self._before: list[NDArray[np.int64]] = []
        self._has_ended, self._said = False, 0

    def add(self, cells: NDArray[Any]) -> None:
        """Add the cells that follow."""
        self._places.append((self.cells, self.stepped, self.batches, self.samples))
        kinds = cells["kind"]
        batches, steps = kinds == Kind.BATCH, kinds == Kind.STEP
        flags = np.where(batches, cells["flags"], np.uint8(0))
        stepped = steps | ((flags & TRAINED) > 0)
        others = np.flatnonzero(~(batches | steps))
        if len(others):
            before = [
                others + self.cells,
                self.stepped + _count(stepped, others),
                self.batches + _count(batches, others),
            ]
            self._controls.append(cells[others])
            self._before.append(np.stack(before, axis=1))
        self._hear_end(kinds)
        where = np.flatnonzero(batches)
        if len(where):
            self._add_batches(cells["turn"][where], flags[where], where)
            self.samples += int(cells["count"][where].sum(dtype=np.int64))
        self.is_trained_on |= bool(((flags & TRAINED) > 0).any())
        self.has_backward |= bool(((flags & BACKWARD) > 0).any())
        self.stepped += int(np.count_nonzero(stepped))
        self.batches += len(where)
        self.cells += len(cells)

    def _add_batches(self, turns: NDArray[Any], flags: NDArray[Any], where: NDArray[Any]) -> None:
        """Add batches of one pass after the other, in which numbers of passes grow."""
        changes = np.flatnonzero(turns[1:] != turns[:-1]) + 1
        borders = [0, *changes.tolist(), len(turns)]
        plain, busy = (flags & EVALUATED) == 0, (flags & (BACKWARD | TRAINED)) > 0
        is_usual = bool((plain & busy).all())
        for begin, end in pairwise(borders):
            number = int(turns[begin])
            if not self.turns or self.turns[-1].number < number:
                self.turns.append(Turn(number, begin=int(where[begin]) + self.cells))
            elif self.turns[-1].number > number:
                raise InputError(
                    f"{self._name!r} is no ledger of samplercheck: its passes are not in order. Take it out."
                )
            turn, first = self.turns[-1], self.batches + begin
            turn.end, turn.batches = int(where[end - 1]) + 1 + self.cells, turn.batches + end - begin
            if is_usual:
                self._extend_usual(turn, int(where[begin]) + self.cells, first)
            else:
                self._extend(turn, plain[begin:end], busy[begin:end], where[begin:end], first)

    def _extend_usual(self, turn: Turn, place: int, first: int) -> None:
        """Add batches that gradients were switched on for, and computed."""
        if turn.plain is None:
            turn.plain, turn.plain_batch = place, first
        turn.busy = first if turn.busy is None else turn.busy
        turn.used = place if turn.used is None else turn.used

    def _extend(
        self, turn: Turn, plain: NDArray[Any], busy: NDArray[Any], where: NDArray[Any], first: int
    ) -> None:
        turn.evaluated += len(where) - int(np.count_nonzero(plain))
        if turn.plain is None and (found := _first(plain)) is not None:
            turn.plain, turn.plain_batch = int(where[found]) + self.cells, first + found
        from_busy = 0
        if turn.busy is None:
            found = _first(busy)
            if found is None:
                return
            turn.busy, from_busy = first + found, found
        if turn.used is None and (found := _first(plain[from_busy:])) is not None:
            turn.used = int(where[from_busy + found]) + self.cells

    def _hear_end(self, kinds: NDArray[Any]) -> None:
        """Take note of what is said after the first end of a pass: another step, or another pass."""
        if self._said:
            return
        begin = 0
        if not self._has_ended:
            end = _first(kinds == Kind.END)
            if end is None:
                return
            self._has_ended, begin = True, end + 1
        said = _first((kinds[begin:] == Kind.STEP) | (kinds[begin:] == Kind.TURN))
        if said is not None:
            self._said = int(kinds[begin + said])

    @property
    def seems_late(self) -> bool:
        """Whether batches are taken one ahead of their steps: one before the first, one step after all."""
        if not self.turns or self._said not in (0, Kind.STEP):
            return False
        return self._find_busy(self.turns[0]) == 1

    def find_used(self, turn: Turn, *, late: bool) -> int | None:
        """Return the first batch of a pass that was used, if any was.

        Batches that a pass begins with and that no gradients came of were skipped, but not where each is
        taken before the step of the one before it. Without any gradients, no batch was skipped.
        """
        if late:
            return turn.plain if self._find_busy(turn) is not None else None
        return turn.used if self.has_backward else turn.plain

    def _find_busy(self, turn: Turn) -> int | None:
        """Return the number of the first batch of a pass that something came of."""
        known = [turn.busy, None if self.has_backward else turn.plain_batch]
        return min((one for one in known if one is not None), default=None)

    def controls(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the cells that are neither batch nor step; of each the cells, steps and batches before."""
        cells = np.concatenate([np.zeros(0, CELL), *self._controls])
        return cells, np.concatenate([np.zeros((0, 3), np.int64), *self._before])

    def places(self) -> NDArray[np.int64]:
        """Return some places, rising: of each the cells, steps, batches and samples before."""
        return np.array([*self._places, (self.cells, self.stepped, self.batches, self.samples)], np.int64)


def _first(chosen: NDArray[np.bool_]) -> int | None:
    at = int(np.argmax(chosen)) if len(chosen) else 0
    return at if len(chosen) and chosen[at] else None


def _count(chosen: NDArray[np.bool_], places: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(chosen)])[places]
