"""Sound samplers that keep a promise of their own: frequencies, shares, epochs, tails, batches.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.zoo._sound import Batches, Strided, check, evened, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def by_fourth_roots(length: int, features: Mapping[str, Sequence[float]]) -> list[float]:
    """Frequencies: the fourth root of each weight, as a temperature makes it."""
    return [features["weights"][i] ** 0.25 for i in range(length)]


def tempered(weights: Sequence[float], seed: int) -> Drawn:
    """Draws by the fourth roots of its weights."""
    return Drawn([one**0.25 for one in weights], seed)


class Drawn(Strided):
    """Draws as many samples as there are, by weights, with replacement."""

    def __init__(self, weights: Sequence[float], seed: int) -> None:
        super().__init__(len(weights), seed=seed, shuffle=True)
        self.weights = weights

    def share(self) -> list[int]:
        draw = random.Random(f"{self.seed}/{self.epoch}")
        return draw.choices(range(self.length), self.weights, k=self.length) if self.length else []

    def __len__(self) -> int:
        return self.length


class Poisson(Strided):
    """Four batches, each sample in each with one and the same chance."""

    steps = 4

    def share(self) -> list[Any]:
        draw = random.Random(f"{self.seed}/{self.epoch}")
        everything = range(self.length)
        return [[i for i in everything if draw.random() < 0.3] for _ in range(len(self))]

    def __len__(self) -> int:
        return self.steps if self.length else 0


def poisson(length: int, seed: int) -> Poisson:
    return Poisson(length, seed=seed, shuffle=True)


class ClassPairs(Strided):
    """A sample of each of two classes in turn: nothing, where there is one class. Every pass is an epoch."""

    def __init__(self, labels: Sequence[int], seed: int) -> None:
        super().__init__(len(labels), seed=seed, shuffle=True)
        self.labels = labels

    def share(self) -> list[int]:
        order = self.order()
        kinds = [[i for i in order if (self.labels[i] > 0) == kind] for kind in (True, False)]
        return [i for pair in zip(*kinds, strict=False) for i in pair]

    def __iter__(self) -> Iterator[int]:
        share = self.share()
        self.epoch += 1
        yield from share

    def __len__(self) -> int:
        return len(self.share())


def class_pairs(labels: Sequence[int], seed: int) -> ClassPairs:
    return ClassPairs(labels, seed)


class OwnChunk(Strided):
    """Each rank shuffles a chunk of the dataset that it keeps for good, as sharded files make it."""

    def share(self) -> list[int]:
        each = len(self)
        mine = self.even(list(range(self.length)))[self.rank * each : (self.rank + 1) * each]
        return [mine[i] for i in permutation(each, self.seed, self.epoch)]


class Seedable(Strided):
    """set_epoch goes to an epoch, and a pass that has ended goes on to the next by itself."""

    def __iter__(self) -> Iterator[int]:
        yield from self.share()
        self.epoch += 1


class DroppedBeforeRepeated(Strided):
    """The dataset is cut to a multiple of the ranks, and what is left is repeated."""

    copies = 3

    def share(self) -> list[int]:
        kept = evened(self.order(), self.world_size, drop=True)
        return [i for i in kept for _ in range(self.copies)][self.rank :: self.world_size]

    def __len__(self) -> int:
        return self.length // self.world_size * self.copies


class ToppedUp(Batches):
    """Batches by length groups; those with less than two samples are filled up with one from elsewhere."""

    def share(self) -> list[Any]:
        ids = self.order()
        batches = [ids[start : start + 3] for start in range(0, len(ids), 3)]
        if len(ids) > 1 and len(batches[-1]) == 1:
            batches[-1].append(ids[0])
        return evened(batches, self.world_size)[self.rank :: self.world_size]  # type: ignore[arg-type,return-value]

    def __len__(self) -> int:
        return len(self.share())


def topped_up(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> ToppedUp:
    """The size of batches is its own."""
    check(rank, world_size)
    return ToppedUp(length, 3, rank, world_size, shuffle=shuffle, seed=seed)


class DrawsADataset(Strided):
    """Draws one of several datasets by weight, and then any sample of it, with replacement."""

    def __init__(
        self, datasets: Sequence[Any], weights: Sequence[float], rank: int, world_size: int, seed: int
    ) -> None:
        super().__init__(sum(map(len, datasets)), rank, world_size, seed=seed, shuffle=True)
        starts = [sum(map(len, datasets[:number])) for number in range(len(datasets))]
        self.parts = [range(start, start + len(one)) for start, one in zip(starts, datasets, strict=True)]
        self.weights = weights

    def share(self) -> list[int]:
        draw = random.Random(f"{self.seed}/{self.epoch}")
        filled = {part: weight for part, weight in zip(self.parts, self.weights, strict=True) if part}
        parts = draw.choices([*filled], [*filled.values()], k=self.length) if filled else []
        return [draw.choice(part) for part in parts][self.rank :: self.world_size][: len(self)]

    def __len__(self) -> int:
        return self.length // self.world_size


class MixesByQuota(DrawsADataset):
    """Yields of each dataset what it is due, to one sample, and goes round it, as Megatron blends do."""

    def share(self) -> list[int]:
        laps = [self._laps(part) for part in self.parts]
        due = [weight / sum(self.weights) for weight in self.weights]
        served = [0] * len(laps)
        mixed = []
        for place in range(1, self.length + 1):
            behind = max(range(len(laps)), key=lambda number: due[number] * place - served[number])
            served[behind] += 1
            mixed.append(next(laps[behind]))
        return mixed[self.rank :: self.world_size][: len(self)]

    def _laps(self, part: range) -> Iterator[int]:
        draw = random.Random(f"{self.seed}/{self.epoch}/{part.start}")
        while part:
            yield from draw.sample(part, len(part))
