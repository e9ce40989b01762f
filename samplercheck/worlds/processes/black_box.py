"""Black box: a small shared file in which a run notes where it is, read by a process that outlives it.

Written inside a supervised child or a rank of a process group, by its guard, read by the process that
started it. It survives the death of the process and needs neither a descriptor nor the interpreter's lock to
be read. Imports values and the standard library alone.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from samplercheck.experiments.seat import Seat
    from samplercheck.values.case import Case

STARTING, IMPORTING, RUNNING = range(3)

# Numbers stand in cells of eight bytes, texts behind them.
_STAGE, _WATCHED, _BEAT, _WALL, _HUNG, _RANK, _EXPERIMENT, _EPOCH, _STEP = range(9)
_CASE, _NAMES, _PHASE, _COLLECTIVES, _COLLECTIVE_NOTES = range(9, 14)
_NUMBERS = 256
_PHASE_AT, _NAMES_AT, _COLLECTIVES_AT, _CASE_AT = 256, 512, 4096, 12288
_SIZE = 64 * 1024
_ELSEWHERE = -1
NOTHING = -1
SHORTEST_WALL = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What a black box says: where the run was when it was last heard of.

    ``case`` is a token, empty before the first case. ``phase``, ``epoch`` and ``step`` are known
    where the run was careful, or where it said itself that it hung.
    """

    stage: int
    case: str
    experiments: tuple[str, ...]
    experiment: str
    rank: int
    phase: str
    epoch: int | None
    step: int | None
    hung: bool


class BlackBox:
    """The notes of one run; one process writes, another may read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _SIZE)
        self._numbers = memoryview(self._map)[:_NUMBERS].cast("q")
        self._names: Sequence[str] = ()

    @classmethod
    def create(cls, path: Path) -> BlackBox:
        """Return an empty black box in a new file."""
        path.write_bytes(bytes(_SIZE))
        return cls(path)

    def close(self) -> None:
        """Let go of the file."""
        self._numbers.release()
        self._map.close()

    # Written inside the child.

    def enter_stage(self, stage: int) -> None:
        """Note how far the child has come: STARTING, IMPORTING the target, RUNNING."""
        self._numbers[_STAGE] = stage

    def enter_case(self, case: Case, experiments: Sequence[str]) -> None:
        """Note the case that begins; called before each."""
        text = case.token.encode()
        if len(text) <= _SIZE - _CASE_AT:
            self._map[_CASE_AT : _CASE_AT + len(text)] = text
            self._numbers[_CASE] = len(text)
        else:
            self._elsewhere.write_bytes(text)
            self._numbers[_CASE] = _ELSEWHERE
        if experiments is not self._names:
            self._names = experiments
            self._write_text(",".join(experiments), _NAMES, _NAMES_AT, _COLLECTIVES_AT)

    def forget_place(self) -> None:
        """Note that nothing is asked of the target yet."""
        self._write_text("", _PHASE, _PHASE_AT, _NAMES_AT)
        self._numbers[_EPOCH] = self._numbers[_STEP] = self._numbers[_EXPERIMENT] = NOTHING

    def at(self, rank: int, experiment: int) -> None:
        """Note the rank and which of the case's experiments it begins."""
        numbers = self._numbers
        numbers[_RANK] = rank
        numbers[_EXPERIMENT] = experiment

    def note(self, seat: Seat, phase: str, epoch: int | None, step: int | None = None) -> None:
        """Note what is asked of the target now, and in which rank."""
        self.at(seat.rank, self._names.index(seat.experiment) if seat.experiment in self._names else NOTHING)
        self._write_text(phase, _PHASE, _PHASE_AT, _NAMES_AT)
        self._numbers[_EPOCH] = NOTHING if epoch is None else epoch
        self._numbers[_STEP] = NOTHING if step is None else step

    def stepping(self, iterator: Iterator[Any]) -> Iterator[Any]:
        """Pass on what ``iterator`` yields, noting before each step how many there were."""
        numbers = self._numbers
        numbers[_STEP] = 0
        for step, item in enumerate(iterator, 1):
            yield item
            numbers[_STEP] = step

    def watch(self, *, on: bool) -> None:
        """Note that the guard begins to count its pulse, or that it stops on purpose."""
        self._numbers[_WATCHED] = on

    def beat(self) -> None:
        """Show that Python still runs in this process."""
        self._numbers[_BEAT] += 1

    def allow(self, seconds: float) -> None:
        """Note for how long the pulse may stand still."""
        self._numbers[_WALL] = int(seconds * 1_000)

    def hang(self, seat: Seat, phase: str, epoch: int | None, step: int | None) -> None:
        """Note that the target hangs and cannot be interrupted from inside."""
        self.note(seat, phase, epoch, step)
        self._numbers[_HUNG] = 1

    def note_collectives(self, text: str) -> None:
        """Note the collective that this rank waits in, and those that it has called."""
        self._numbers[_COLLECTIVES] = NOTHING
        self._write_text(text, _COLLECTIVES, _COLLECTIVES_AT, _CASE_AT)
        self._numbers[_COLLECTIVE_NOTES] += 1

    # Read by the process that outlives this one.

    @property
    def moves(self) -> tuple[int, ...]:
        """Numbers that stay as they are while the process neither takes a step nor notes a collective."""
        return tuple(self._numbers[cell] for cell in (_EXPERIMENT, _EPOCH, _STEP, _COLLECTIVE_NOTES))

    @property
    def collectives(self) -> str:
        """What the rank noted last of its collectives; empty where that is nothing, or just being written."""
        is_written = self._numbers[_COLLECTIVES] != NOTHING
        return self._read_text(_COLLECTIVES, _COLLECTIVES_AT) if is_written else ""

    @property
    def stage(self) -> int:
        """How far the child has come."""
        return self._numbers[_STAGE]

    @property
    def pulse(self) -> int | None:
        """A number that grows as long as Python runs there; None where nothing watches."""
        return self._numbers[_BEAT] if self._numbers[_WATCHED] else None

    @property
    def patience(self) -> float:
        """For how many seconds the pulse may stand still."""
        return max(self._numbers[_WALL], SHORTEST_WALL) / 1_000

    def read(self) -> Sighting:
        """Return where the run was last seen."""
        numbers = self._numbers
        names = tuple(self._read_text(_NAMES, _NAMES_AT).split(","))
        which = numbers[_EXPERIMENT]
        return Sighting(
            stage=numbers[_STAGE],
            case=self._case_text(),
            experiments=names if names != ("",) else (),
            experiment=names[which] if 0 <= which < len(names) else "",
            rank=numbers[_RANK],
            phase=self._read_text(_PHASE, _PHASE_AT),
            epoch=None if numbers[_EPOCH] == NOTHING else numbers[_EPOCH],
            step=None if numbers[_STEP] == NOTHING else numbers[_STEP],
            hung=bool(numbers[_HUNG]),
        )

    @property
    def _elsewhere(self) -> Path:
        """Where the token of a case with long features stands."""
        return self._path.with_suffix(".case")

    def _case_text(self) -> str:
        if self._numbers[_CASE] == _ELSEWHERE:
            return self._elsewhere.read_text()
        return self._read_text(_CASE, _CASE_AT)

    def _write_text(self, text: str, cell: int, start: int, end: int) -> None:
        data = text.encode()[: end - start]
        self._map[start : start + len(data)] = data
        self._numbers[cell] = len(data)

    def _read_text(self, cell: int, start: int) -> str:
        return self._map[start : start + self._numbers[cell]].decode(errors="replace")
