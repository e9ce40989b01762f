"""Assembly: the epochs that a model was trained on, and the seams between attempts that they come from.

Called by ``audit``, with what the attempts did. Imports values and this room alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from samplercheck.training.course import NEVER, Course
from samplercheck.training.history import Attempt, find_origins, find_path, group_attempts
from samplercheck.training.ledger_reader import JobLedger
from samplercheck.values.contract import Contract
from samplercheck.values.fingerprint import sum_of
from samplercheck.values.history import History, Seam, Stretch, TrainedEpoch


class Told(NamedTuple):
    """A history, and the attempts and the path through them that it was put together from."""

    history: History
    attempts: Sequence[Attempt]
    path: Sequence[tuple[Attempt, int]]
    notes: list[str]


def is_trained_on(ledgers: Sequence[JobLedger]) -> bool:
    """Whether an optimizer stepped on a batch of this loader."""
    return any(one.outline.is_trained_on for one in ledgers)


def tell(ledgers: Sequence[JobLedger], contract: Contract, length: int | None, key: int) -> Told:
    """Return the history that the ledgers of one loader tell."""
    by_delivery = not is_trained_on(ledgers)
    attempts = group_attempts(ledgers, by_delivery=by_delivery)
    find_origins(attempts)
    path = find_path(attempts)
    epochs, seams = _Assembler(path).assemble()
    header = path[-1][0].lead.header
    length = header.length if length is None else length
    owed = sum_of(length, key) if length in {one.total for one in epochs} else None
    # Ids that were given may be names: they are numbers from 0 up where some epoch has the sum of these.
    is_known = header.ids == "sampler" or any(one.sum == owed for one in epochs)
    history = History(
        contract=contract,
        length=length,
        owed=owed if is_known else None,
        batch_size=header.batch_size,
        drop_last=header.drop_last,
        shuffled=header.shuffled,
        sampler=header.sampler,
        draws=header.coverage == "sampled",
        tells_apart=header.ids != "content",
        epochs=epochs,
        seams=seams,
        passes=tuple(_passes(attempts)),
    )
    return Told(history, attempts, path, list(_notes(attempts, path, header, by_delivery=by_delivery)))


def _notes(
    attempts: Sequence[Attempt], path: Sequence[tuple[Attempt, int]], header: Any, *, by_delivery: bool
) -> Any:
    """Say what the audit takes for granted, and what it cannot know."""
    if by_delivery:
        yield "no optimizer stepped on a batch: what was delivered is judged"
    if header.ids == "content":
        yield "samples are known by their content alone: equal ones cannot be distinguished; give ids="
    for one in attempts:
        if len(one.courses) < one.world:
            yield f"attempt {one.number + 1}: ledgers of {len(one.courses)} of {one.world} ranks are here"
    for attempt, _ in path[1:]:
        if not attempt.is_sure:
            yield (
                f"attempt {attempt.number + 1}: neither weights nor a mark say where it went on; "
                "the epoch there is not judged"
            )
    on_path = {one.number for one, _ in path}
    undone = [str(one.number + 1) for one in attempts if one.number not in on_path and one.steps]
    if undone:
        yield f"nothing went on from attempt {', '.join(undone)}: its steps do not count"


def _passes(attempts: Sequence[Attempt]) -> Any:
    """Yield what all ranks took from each pass that was trained on."""
    for attempt in attempts:
        turns = {rank: course.turns() for rank, course in sorted(attempt.courses.items())}
        for place in range(min(map(len, turns.values()))):
            yield tuple(
                course.take_pass(attempt.number, turns[rank][place])
                for rank, course in sorted(attempt.courses.items())
            )


@dataclass(kw_only=True)
class _Epoch:
    """One epoch that grows: whole, or over without that, where nothing more of it is to come."""

    world: int
    is_sure: bool = True
    is_whole: bool = False
    is_over: bool = False
    stretches: list[Stretch] = field(default_factory=list)


class _Assembler:
    """Goes along the attempts that the model comes from, and puts its epochs together."""

    def __init__(self, path: Sequence[tuple[Attempt, int]]) -> None:
        self._path = path
        self._epochs: list[_Epoch] = []

    def assemble(self) -> tuple[tuple[TrainedEpoch, ...], tuple[Seam, ...]]:
        """Return the epochs, and where attempts went on."""
        seams = []
        for place, (attempt, kept) in enumerate(self._path):
            turns = {rank: course.turns(kept) for rank, course in sorted(attempt.courses.items())}
            amid = bool(place and self._epochs and not self._epochs[-1].is_over)
            for at in range(min(map(len, turns.values()))):
                goes_on = at == 0 and amid and not self._is_later(attempt, turns)
                self._add(attempt, kept, {rank: own[at] for rank, own in turns.items()}, goes_on=goes_on)
                if at == 0:
                    self._doubt(attempt, is_first=place == 0, goes_on=goes_on)
            if place and attempt.is_sure and self._epochs:
                seams.append(self._seam(*self._path[place - 1], attempt, is_amid=amid))
        epochs = [
            TrainedEpoch(
                number=number,
                stretches=tuple(one.stretches),
                world=one.world,
                is_sure=one.is_sure,
                is_whole=one.is_whole,
            )
            for number, one in enumerate(self._epochs)
        ]
        return tuple(epochs), tuple(seams)

    def _is_later(self, attempt: Attempt, turns: dict[int, list[int]]) -> bool:
        """Whether the sampler calls the pass a later epoch: the rest of the one under way was given up."""
        rank, last = min(turns), self._epochs[-1]
        new, old = attempt.courses[rank].epochs.get(turns[rank][0]), last.stretches[-1].epoch
        is_later = new is not None and old is not None and new > old
        if is_later:
            last.is_whole = last.is_over = True
        return is_later

    def _add(self, attempt: Attempt, kept: int, turns: dict[int, int], *, goes_on: bool) -> None:
        if not goes_on:
            self._epochs.append(_Epoch(world=attempt.world))
        last = self._epochs[-1]
        last.world = attempt.world
        last.is_sure &= len(attempt.courses) == attempt.world
        last.stretches += [
            attempt.courses[rank].stretch(attempt.number, turn, high=kept) for rank, turn in turns.items()
        ]
        last.is_whole = all(
            self._is_complete(attempt.courses[rank], turn, kept) for rank, turn in turns.items()
        )
        is_left = all(turn in attempt.courses[rank].left for rank, turn in turns.items())
        last.is_over = last.is_whole or is_left

    def _is_complete(self, course: Course, turn: int, kept: int) -> bool:
        """Whether all of a pass was kept: up to its end, or as many steps as the loader has."""
        if course.is_trained_after(turn, kept):
            return False
        taken = sum(len(one.taken) for one in self._epochs[-1].stretches if one.rank == course.header.rank)
        # The pass itself had all steps, skipped or not, or those of all attempts together are as many.
        return turn in course.ended or max(taken, course.passes[turn].batches) >= course.planned.get(
            turn, NEVER
        )

    def _doubt(self, attempt: Attempt, *, is_first: bool, goes_on: bool) -> None:
        """Take note where it is not known what belongs to an epoch, or where it was begun."""
        last = self._epochs[-1]
        if not is_first:
            last.is_sure &= attempt.is_sure
            return
        course = attempt.lead
        turn = course.turns()[0]
        begins_late = course.skips_first(turn) or bool(course.loads())
        short = turn in course.ended and course.ended[turn] < course.planned.get(turn, 0)
        last.is_sure &= goes_on or not (begins_late or short)

    def _seam(self, earlier: Attempt, kept: int, later: Attempt, *, is_amid: bool) -> Seam:
        """Return what the earlier attempt had left of the epoch under way, and what the later one took."""
        before, after = [], []
        for course in earlier.courses.values():
            before += [course.take_rest(earlier.number, turn, kept) for turn in course.turns(kept)[-1:]]
        for course in later.courses.values():
            after += [course.stretch(later.number, turn) for turn in course.turns()[:1]]
        numbers = [
            number
            for number, epoch in enumerate(self._epochs)
            if any(one.attempt == later.number for one in epoch.stretches)
        ]
        return Seam(
            earlier=earlier.number,
            later=later.number,
            epoch=numbers[0] if numbers else len(self._epochs) - 1,
            steps=kept,
            is_amid=is_amid,
            before=tuple(before),
            after=tuple(after),
        )
