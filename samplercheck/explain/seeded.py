"""Seeded: stand-ins that meet other states of random generators, or other seeds, than a target's own object.

Made by the changes of ``rebuilt``, used by experiments like any sampler, in a rank. Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import islice
from typing import Any

from samplercheck.experiments.loaders import follow
from samplercheck.explain.seeds import (
    GENERATORS,
    give_seeds,
    note_seeds,
    put_back,
    repeat_seeds,
    seed_all,
    shuffle_lists,
    take_in_parts,
)
from samplercheck.explain.stand_ins import with_epoch
from samplercheck.targets.proxy import Proxy


class SeededAlike(Proxy):
    """Meets the same state of the process's generators in every pass of an epoch and in len(), on every rank.

    The generators are put back, or laws would take account of their being moved; passes are taken in
    long parts for that.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        def make_seeded() -> Any:
            seed_all(0)
            return make()

        super().__init__(put_back(tuple(GENERATORS), make_seeded))

    def go_to(self, epoch: int) -> None:
        """Go to an epoch, whose order may be drawn there."""

        def go_seeded() -> None:
            seed_all(epoch)
            super(SeededAlike, self).go_to(epoch)

        put_back(tuple(GENERATORS), go_seeded)

    def __len__(self) -> int:
        def count_seeded() -> int:
            self._seed()
            return len(self.behind)

        length: int = put_back(tuple(GENERATORS), count_seeded)
        return length

    def __iter__(self) -> Iterator[Any]:
        return take_in_parts(self.behind, tuple(GENERATORS), self._seed)

    def _seed(self) -> None:
        seed_all(self.epoch or 0)


class SeededAsFirst(Proxy):
    """Whatever it seeds, it seeds with what rank 0 seeds there; ``most`` steps of passes are run for that."""

    def __init__(self, make: Callable[[], Any], make_first: Callable[[], Any], most: int) -> None:
        self.most = most
        self.first, behind = self._together(make_first, make)
        super().__init__(behind)

    def go_to(self, epoch: int) -> None:
        """Put both into the epoch."""
        self._together(lambda: with_epoch(self.first, epoch), lambda: super(SeededAsFirst, self).go_to(epoch))

    def __iter__(self) -> Iterator[Any]:
        _, found = self._together(
            lambda: list(islice(follow(self.first, self.behind), self.most)),
            lambda: list(islice(self.behind, self.most)),
        )
        return iter(found)

    def _together(self, act_first: Callable[[], Any], act: Callable[[], Any]) -> tuple[Any, Any]:
        """Let rank 0 act first, and put the process's generators back in between."""
        with note_seeds() as seeds:
            first = put_back(tuple(GENERATORS), act_first)
        with repeat_seeds(seeds):
            return first, act()


class Within(Proxy):
    """Meets a context in which generators act otherwise; so ``most`` steps are run at once."""

    def __init__(
        self, make: Callable[[], Any], most: int, within: Callable[[int], AbstractContextManager[None]]
    ) -> None:
        self.most, self.within = most, within
        with within(0):
            super().__init__(make())

    def go_to(self, epoch: int) -> None:
        """Go to an epoch, whose order may be made there."""
        with self.within(epoch):
            super().go_to(epoch)

    def __iter__(self) -> Iterator[Any]:
        with self.within(self.epoch or 0):
            found = list(islice(self.behind, self.most))
        return iter(found)


class Guarded(Proxy):
    """Leaves one of the process's generators as it was; passes are taken in long parts for that."""

    def __init__(self, make: Callable[[], Any], generator: str) -> None:
        self.generator = generator
        super().__init__(put_back((generator,), make))

    def __iter__(self) -> Iterator[Any]:
        return take_in_parts(self.behind, (self.generator,), lambda: None)


ShuffledAsLists = partial(Within, within=lambda _: shuffle_lists())
SeededAtAll = partial(Within, within=give_seeds)
