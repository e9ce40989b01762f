"""Course: what one rank did in one attempt, as far as that can be said of a whole pass; its steps are read.

Of batches that gradients were computed on, those before the last optimizer step are trained on. So what the
first so many steps trained on is what lies before some place in the file. Made by ``history``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samplercheck.training.ledger_file import EVALUATED, LEFT, TRAINED, UNKNOWN, Kind
from samplercheck.training.ledger_reader import JobLedger, LedgerDeliveries
from samplercheck.training.outline import Turn
from samplercheck.values.history import Stretch

NEVER = 2**62


class Course:
    """What one rank did in one attempt.

    A batch is trained on by an optimizer step, counted from 1: by that at it or after it, ``late`` after it;
    ``by_delivery`` each batch is one.
    """

    def __init__(self, ledger: JobLedger, *, by_delivery: bool = False, late: bool = False) -> None:
        self._ledger, self._outline, self._late = ledger, ledger.outline, late
        self._kind = 2 if by_delivery else 1
        self._places = self._outline.places()
        self._taken: dict[tuple[int, int, bool], LedgerDeliveries] = {}
        self._ends = {0: 0}
        self._known: dict[int, list[int]] = {}
        self.header = ledger.header
        self.steps = int(self._places[-1, self._kind])
        self.is_late = self._outline.seems_late
        self.passes = {one.number: one for one in self._outline.turns}
        self._read_controls()

    def _read_controls(self) -> None:
        self._controls, self._before = self._outline.controls()
        cells, kinds = self._controls, self._controls["kind"]
        turns = cells[kinds == Kind.TURN]
        self.planned = {int(one["turn"]): int(one["step"]) for one in turns if one["step"] != UNKNOWN}
        self.epochs = {int(one["turn"]): int(one["first"]) - 1 for one in turns if one["first"]}
        ends = cells[(kinds == Kind.END) & (cells["flags"] == 0)]
        self.ended = {int(one["turn"]): int(one["step"]) for one in ends}
        left = (kinds == Kind.END) & (cells["flags"] == LEFT)
        # An iterator is also left by what ends its process; then nothing follows.
        followed = self._before[:, 0] + 1 < self._outline.cells
        self.left = {int(one) for one in cells["turn"][left & followed]}

    def begins_with(self) -> int:
        """Return what stands for the weights before the first step; 0 where it is not known."""
        first = self._controls[self._controls["kind"] == Kind.START]
        return int(first[0]["weights"]) if len(first) else 0

    def steps_at(self, weights: int, among: Collection[int] = ()) -> list[int]:
        """Return after how many optimizer steps the model had these weights: the first two such numbers.

        Others that will be asked for are looked for in the same way through the file.
        """
        if weights and weights not in self._known:
            self._known |= self._find_weights(np.unique(np.array([weights, *among], np.uint64)))
        return self._known.get(weights, [])

    def _find_weights(self, wanted: NDArray[np.uint64]) -> dict[int, list[int]]:
        saved: dict[int, list[int]] = {int(one): [] for one in wanted}
        at: dict[int, list[int]] = {int(one): [] for one in wanted}
        steps = 0
        for cells in self._ledger.windows():
            hits = np.flatnonzero(np.isin(cells["weights"], wanted))
            ordinals = steps + np.cumsum(self._stepped(cells))
            for hit, ordinal in zip(hits.tolist(), ordinals[hits].tolist(), strict=True):
                weights = int(cells["weights"][hit])
                places = (saved if cells["kind"][hit] == Kind.SAVE else at)[weights]
                if len(places) < 2 and ordinal not in places:  # noqa: PLR2004  (two are more than one)
                    places.append(ordinal)
            steps = int(ordinals[-1])
        return {one: saved[one] or at[one] for one in at}

    def steps_at_mark(self, number: int) -> int | None:
        """Return after how many optimizer steps a state of the loader was taken."""
        marks = np.flatnonzero((self._controls["kind"] == Kind.MARK) & (self._controls["first"] == number))
        return int(self._before[marks[0], self._kind]) if len(marks) else None

    def loads(self) -> list[int]:
        """Return the marks of the states that were loaded."""
        return [int(one["first"]) for one in self._controls[self._controls["kind"] == Kind.LOAD]]

    def saves(self) -> list[int]:
        """Return after how many optimizer steps the state of an optimizer, or of the loader, was taken."""
        chosen = np.isin(self._controls["kind"], (Kind.SAVE, Kind.MARK))
        return [int(one) for one in np.unique(self._before[chosen, self._kind])]

    def turns(self, high: int = NEVER) -> list[int]:
        """Return the numbers of the passes of which a batch was trained on, by so many optimizer steps."""
        end = self._end_of(high)
        used = {number: self._begin_of(one) for number, one in self.passes.items()}
        return [number for number, begin in used.items() if begin < end]

    def stretch(self, attempt: int, turn: int, high: int = NEVER) -> Stretch:
        """Return the steps of a pass that were trained on by the first ``high`` optimizer steps."""
        return self._pick(
            attempt, turn, (self._begin_of(self.passes[turn]), self._end_of(high)), evaluated=False
        )

    def take_pass(self, attempt: int, turn: int) -> Stretch:
        """Return all steps of a pass, trained on or not."""
        return self._pick(attempt, turn, (0, NEVER), evaluated=True)

    def take_rest(self, attempt: int, turn: int, high: int) -> Stretch:
        """Return the steps of a pass behind those that so many optimizer steps trained on."""
        return self._pick(attempt, turn, (self._end_of(high), NEVER), evaluated=False)

    def _pick(self, attempt: int, turn: int, between: tuple[int, int], *, evaluated: bool) -> Stretch:
        one = self.passes[turn]
        begin, end = max(one.begin, between[0]), min(one.end, between[1])
        place = (begin, max(begin, end), evaluated or not one.evaluated)
        return Stretch(
            attempt=attempt,
            rank=self.header.rank,
            epoch=self.epochs.get(turn),
            taken=self._take(place),
            steps=self.ended.get(turn, one.batches),
            has_ended=turn in self.ended,
        )

    def _take(self, place: tuple[int, int, bool]) -> LedgerDeliveries:
        if place not in self._taken:
            begin, end, evaluated = place
            self._taken[place] = LedgerDeliveries(self._ledger, begin, end, evaluated=evaluated)
        return self._taken[place]

    def is_trained_after(self, turn: int, kept: int) -> bool:
        """Whether batches of a pass were trained on after so many optimizer steps."""
        one = self.passes[turn]
        begin = max(self._begin_of(one), self._end_of(kept))
        if begin >= min(one.end, self._end_of(NEVER)):
            return False
        return len(self._pick(0, turn, (begin, self._end_of(NEVER)), evaluated=False).taken) > 0

    def skips_first(self, turn: int) -> bool:
        """Whether the first batch of a pass was not trained on."""
        one = self.passes[turn]
        return self._begin_of(one) != one.begin or one.begin >= self._end_of(NEVER)

    def last_step_of(self, turn: int) -> int:
        """Return the optimizer step that trained on the last batch of a pass; NEVER if not all were used."""
        one = self.passes[turn]
        if len(self.stretch(0, turn).taken) < one.batches:
            return NEVER
        return self._count_steps(one.end - (0 if self._late else 1)) + 1

    def trained_in(self, turn: int, every: int) -> NDArray[np.int64]:
        """Return for some batches of a pass, one in so many, which optimizer step trained on it, or NEVER."""
        one, found = self.passes[turn], []
        place, steps, batches = one.begin, self._count_steps(one.begin), 0
        begin, end = self._begin_of(one), self._end_of(NEVER)
        for cells in self._ledger.windows(one.begin, one.end):
            stepped = self._stepped(cells)
            before = steps + np.cumsum(stepped) - (0 if self._late else stepped)
            where = np.flatnonzero(cells["kind"] == Kind.BATCH)
            batches, first = batches + len(where), -batches % every
            where = where[first::every]
            used = (cells["flags"][where] & EVALUATED) == 0
            used &= (where + place >= begin) & (where + place < end)
            found.append(np.where(used, before[where] + 1, NEVER))
            place, steps = place + len(cells), steps + int(np.count_nonzero(stepped))
        return np.concatenate(found)

    def _begin_of(self, turn: Turn) -> int:
        used = self._outline.find_used(turn, late=self._late)
        return NEVER if used is None else used

    def _end_of(self, high: int) -> int:
        """Return the place behind all that was trained on by so many optimizer steps."""
        wanted = max(0, min(high, self.steps))
        if wanted not in self._ends:
            self._ends[wanted] = self._find_step(wanted) + (0 if self._late else 1)
        return self._ends[wanted]

    def _find_step(self, wanted: int) -> int:
        """Return the place of an optimizer step, counted from 1."""
        before = self._places[:, self._kind]
        at = int(np.searchsorted(before, wanted, side="left")) - 1
        begin, end = self._places[at : at + 2, 0].tolist()
        cells = np.concatenate(list(self._ledger.windows(begin, end)))
        place = np.flatnonzero(self._stepped(cells))[wanted - int(before[at]) - 1]
        return int(begin + place)

    def _count_steps(self, place: int) -> int:
        at = max(0, int(np.searchsorted(self._places[:, 0], place, side="right")) - 1)
        begin, number = int(self._places[at, 0]), int(self._places[at, self._kind])
        following = map(self._stepped, self._ledger.windows(begin, place))
        return number + sum(int(np.count_nonzero(one)) for one in following)

    def _stepped(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Return after which cells an optimizer step was taken."""
        batches: NDArray[np.bool_] = cells["kind"] == Kind.BATCH
        if self._kind != 1:
            return batches
        trained = batches & ((cells["flags"] & TRAINED) > 0)
        stepped: NDArray[np.bool_] = trained | (cells["kind"] == Kind.STEP)
        return stepped
