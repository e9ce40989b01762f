"""A sound sampler that can be resumed, which the zoo's own files break in one place each.

Imported by files of ``tests/zoo`` and ``tests/sound`` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.zoo._sound import Strided, evened

if TYPE_CHECKING:
    from collections.abc import Iterator


class Resumable(Strided):
    """Remembers how many samples of the epoch all ranks have yielded; any world can go on from there."""

    def __init__(self, *place: int, **options: Any) -> None:
        super().__init__(*place, **options)
        self.start = self.done = 0

    def set_epoch(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.epoch, self.start, self.done = epoch, 0, 0

    def left(self, start: int) -> list[Any]:
        """This rank's part of what comes behind so many samples; padded from the epoch's head."""
        rest = self.order()[start:]
        if rest and not self.drop_last:
            rest += evened(self.order(), len(rest) + self.world_size)[: -len(rest) % self.world_size]
        return rest[: len(rest) // self.world_size * self.world_size][self.rank :: self.world_size]

    def __iter__(self) -> Iterator[Any]:
        self.done = self.start
        return self.go()

    def go(self) -> Iterator[Any]:
        start, self.start = self.start, 0  # at the first next(), because a DataLoader asks for two iterators
        yield from self.run(self.left(start), start)

    def run(self, mine: list[Any], start: int) -> Iterator[Any]:
        for number, sample in enumerate(mine, 1):
            self.done = start + number * self.world_size
            yield sample

    def state_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.epoch = state["epoch"]
        self.start = self.done = state["done"]
