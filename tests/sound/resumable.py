"""Sound samplers that can be resumed, each in a way of its own.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import torch
from torchdata.stateful_dataloader import StatefulDataLoader

from tests.sound.of_torch import KeepsItsPlace
from tests.zoo._resumable import Resumable
from tests.zoo._sound import Strided, check, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator


class ResumableUneven(Resumable):
    """Nothing is padded: ranks may differ by one sample."""

    def left(self, start: int) -> list[int]:
        return self.order()[start:][self.rank :: self.world_size]

    def __len__(self) -> int:
        return len(range(self.rank, self.length, self.world_size))


class ResumableBatches(Resumable):
    """Batches; the state counts samples."""

    def __init__(self, length: int, batch_size: int, *place: int, **options: Any) -> None:
        check(batch_size=batch_size)
        super().__init__(length, *place, **options)
        self.batch_size = batch_size

    def left(self, start: int) -> list[Any]:
        mine = super().left(start)
        return [mine[first : first + self.batch_size] for first in range(0, len(mine), self.batch_size)]

    def run(self, mine: list[Any], start: int) -> Iterator[Any]:
        for number, batch in enumerate(mine, 1):
            self.done = start + number * self.batch_size * self.world_size
            yield batch

    def __len__(self) -> int:
        return math.ceil(math.ceil(self.length / self.world_size) / self.batch_size)


class TidiesUp(Strided):
    """Its position is that of the open pass, and is forgotten when the iterator is closed."""

    skip = position = 0

    def set_epoch(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.epoch, self.skip = epoch, 0

    def __iter__(self) -> Iterator[int]:
        skip, self.skip = self.skip, 0
        self.position = skip
        return self.go(skip)

    def go(self, skip: int) -> Iterator[int]:
        try:
            for sample in self.share()[skip:]:
                self.position += 1
                yield sample
        except GeneratorExit:
            self.position = 0

    def state_dict(self) -> dict[str, int]:
        return {"epoch": self.epoch, "position": self.position or self.skip}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.epoch, self.skip = state["epoch"], state["position"]


class AsksWhereItWasSaved(Resumable):
    """Says in its state what its place in the epoch hangs on, and refuses another."""

    def place(self) -> list[int]:
        return [self.length, self.world_size, self.seed]

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "place": self.place()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["place"] != self.place():
            raise ValueError(f"saved with length, world size and seed {state['place']}, not {self.place()}")
        super().load_state_dict(state)


class KeepsItsOrder(Strided):
    """The state is the rest itself, as a tensor, and the state of a generator."""

    def __init__(self, *place: int, **options: Any) -> None:
        super().__init__(*place, **options)
        self.rest: list[int] | None = None
        self.going: list[int] = []

    def set_epoch(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.epoch, self.rest = epoch, None

    def __iter__(self) -> Iterator[int]:
        self.going = self.share() if self.rest is None else self.rest
        self.rest = None
        return self.go(self.going)

    def go(self, going: list[int]) -> Iterator[int]:
        going = self.going = list(going)
        while going:
            yield going.pop(0)

    def state_dict(self) -> dict[str, Any]:
        rest = self.going if self.rest is None else self.rest
        generator = torch.Generator().manual_seed(self.epoch).get_state()
        return {"epoch": self.epoch, "rest": torch.tensor(rest, dtype=torch.int64), "generator": generator}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.epoch, self.rest = state["epoch"], state["rest"].tolist()


class LiveState(Resumable):
    """Hands out its state as the object that it goes on changing; a checkpoint copies it."""

    def __init__(self, *place: int, **options: Any) -> None:
        self.state = {"epoch": 0, "done": 0}
        super().__init__(*place, **options)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("epoch", "done"):
            self.state[name] = value
        super().__setattr__(name, value)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(dict(state))

    def state_dict(self) -> dict[str, Any]:
        return self.state


class CountsPasses(Strided):
    """Every pass is the next epoch; a pass counts from its first sample."""

    following = start = done = 0

    def __iter__(self) -> Iterator[int]:
        self.epoch, self.done = self.following, self.start
        return self.go()

    def go(self) -> Iterator[int]:
        start, self.start = self.start, 0
        self.epoch, self.following = self.following, self.following + 1
        for number, sample in enumerate(self.share()[start:], start + 1):
            self.done = number
            yield sample

    def state_dict(self) -> dict[str, int]:
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.epoch = self.following = state["epoch"]
        self.start = self.done = state["done"]


class SkipsFinished(CountsPasses):
    """The same, but a state from the end of an epoch begins the next one straight away."""

    def load_state_dict(self, state: dict[str, int]) -> None:
        super().load_state_dict(state)
        if self.done >= len(self):
            self.epoch = self.following = self.following + 1
            self.start = self.done = 0


class EndlessResumable(Strided):
    """Lap after lap; the state is how far it has come."""

    __len__ = None  # type: ignore[assignment]
    start = position = 0

    def __iter__(self) -> Iterator[int]:
        position, self.start = self.start, 0
        self.position = position
        return self.go(position)

    def go(self, position: int) -> Iterator[int]:
        number, order = -1, []
        while self.length:
            lap, place = divmod(position * self.world_size + self.rank, self.length)
            if lap != number:
                number, order = lap, permutation(self.length, self.seed, lap)
            position += 1
            self.position = position
            yield order[place]

    def state_dict(self) -> dict[str, int]:
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.start = self.position = state["position"]


class Consumed:
    """Begins behind the samples that all ranks have consumed since training began, as Megatron's samplers "
    "do."""

    def __init__(self, length: int, batch_size: int, rank: int, world_size: int, consumed: int) -> None:
        check(rank, world_size, batch_size)
        self.length, self.size, self.rank, self.world = length, batch_size, rank, world_size
        self.total = length // (batch_size * world_size) * batch_size * world_size
        self.start = consumed % self.total if self.total else 0

    def __len__(self) -> int:
        return self.total // (self.size * self.world)

    def __iter__(self) -> Iterator[list[int]]:
        start, self.start = self.start, 0
        step = self.size * self.world
        end = start + (self.length - start) // step * step  # of another world's rest, too, whole rounds
        for first in range(start + self.rank * self.size, end, step):
            yield list(range(first, first + self.size))


class ConsumedShuffled(Strided):
    """Shuffled by the epoch that the consumed samples amount to; goes on to the next epoch with every "
    "pass."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int, consumed: int) -> None:
        super().__init__(length, rank, world_size, shuffle=True, seed=seed)
        total = math.ceil(length / world_size) * world_size
        self.following, start = divmod(consumed, total) if total else (0, 0)
        self.start = start // world_size

    def __iter__(self) -> Iterator[int]:
        start, self.start = self.start, 0
        self.epoch, self.following = self.following, self.following + 1
        yield from self.share()[start:]


class ConsumedByEpoch(Strided):
    """Told its epoch by set_epoch, and the position by what was consumed."""

    def __init__(
        self, length: int, rank: int, world_size: int, shuffle: bool, seed: int, consumed: int
    ) -> None:
        super().__init__(length, rank, world_size, shuffle=shuffle, seed=seed)
        total = len(self) * world_size
        self.resumed, start = divmod(consumed, total) if total else (0, 0)
        self.start = start // world_size

    def __iter__(self) -> Iterator[int]:
        start, self.start = self.start if self.epoch == self.resumed else 0, 0
        return iter(self.share()[start:])


class OneEpochAnObject:
    """Learns its epoch when it is built, and has a state."""

    def __init__(self, length: int, rank: int, world_size: int, shuffle: bool, seed: int, epoch: int) -> None:
        self.inner = Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)
        self.inner.set_epoch(epoch)
        self.state_dict, self.load_state_dict = self.inner.state_dict, self.inner.load_state_dict

    def __len__(self) -> int:
        return len(self.inner)

    def __iter__(self) -> Iterator[int]:
        return iter(self.inner)


class SeedOfTheProcess(Resumable):
    """The seed is drawn from the process's generator, and kept in the state."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        super().__init__(length, rank, world_size, shuffle=True, seed=int(torch.randint(2**31, (1,))))

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "seed": self.seed}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.seed = state["seed"]


class DrawsEachOrder(Resumable):
    """Every order is drawn from the process's generator, which the script seeds and restores."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        super().__init__(length, rank, world_size, shuffle=True)

    def order(self) -> list[int]:
        found: list[int] = torch.randperm(self.length).tolist()
        return found

    def left(self, start: int) -> list[int]:
        order = self.order()
        mine = (order * 2 * self.world_size)[: len(self) * self.world_size][self.rank :: self.world_size]
        return mine[start // self.world_size :]


class GoesOnByItself(Strided):
    """A new iterator goes on where the last one stopped; at its end the next epoch begins, in any object."""

    position = 0

    def set_epoch(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.epoch, self.position = epoch, 0

    def __iter__(self) -> Iterator[int]:
        share = self.share()
        while self.position < len(share):
            self.position += 1
            yield share[self.position - 1]
        self.epoch, self.position = self.epoch + 1, 0

    def state_dict(self) -> dict[str, int]:
        return {"epoch": self.epoch, "position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.epoch, self.position = state["epoch"], state["position"]


class GoesOnInItsEpoch(GoesOnByItself):
    """The same, but a finished pass is followed by the same epoch, until set_epoch names another."""

    def __iter__(self) -> Iterator[int]:
        epoch = self.epoch
        yield from super().__iter__()
        self.epoch = epoch


def stateful_loader(
    dataset: Any, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int
) -> Any:
    """torchdata's loader around its sampler."""
    check(rank, world_size, batch_size)
    if not len(dataset):
        return []  # it refuses an empty state
    sampler = KeepsItsPlace(dataset, world_size, rank, shuffle=shuffle, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it uses what torch has deprecated
        return StatefulDataLoader(dataset, batch_size, sampler=sampler)
