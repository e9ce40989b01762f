"""Bugs that one thing triggers: a late epoch, a large batch or seed, a size, another object, the environment.

Each is a sound sampler with one line of its own behind a condition; without the condition it is its twin.
Read by ``test_triggers.py``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch.utils.data import WeightedRandomSampler

from tests.zoo._sound import Batches, Strided, permutation


class Trigger(NamedTuple):
    """A target with and without its bug, and the contract of both; ``quick`` has to find it."""

    build: Callable[[bool], Callable[..., Any]]
    contract: dict[str, Any]
    axes: Mapping[str, list[Any]] = MappingProxyType({})


def losing(when: Callable[[Any], bool]) -> Callable[[bool], Callable[..., Any]]:
    """Return samplers that lose one sample and double another when something is so."""

    class Losing(Strided):
        is_bad = True

        def order(self) -> list[int]:
            ids = super().order()
            if self.is_bad and len(ids) > 1 and when(self):
                ids[0] = ids[-1]
            return ids

    return _built(Losing)


def mixing(epoch_of: Callable[[int], int]) -> Callable[[bool], Callable[..., Any]]:
    """Return samplers that make the order of another epoch than the one that was set."""

    class Mixing(Strided):
        is_bad = True

        def order(self) -> list[int]:
            return permutation(self.length, self.seed, epoch_of(self.epoch) if self.is_bad else self.epoch)

    return _built(Mixing, shuffled=True)


def _built(kind: Any, *, shuffled: bool = False) -> Callable[[bool], Callable[..., Any]]:
    def build(bad: bool) -> Callable[..., Any]:
        class Own(kind):  # type: ignore[misc]  # what is varied
            is_bad = bad

        def make(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Any:
            return Own(length, rank, world_size, shuffle=shuffle, seed=seed)

        def make_shuffled(length: int, rank: int, world_size: int, seed: int) -> Any:
            return Own(length, rank, world_size, shuffle=True, seed=seed)

        return make_shuffled if shuffled else make

    return build


def batched(when: Callable[[Any], bool]) -> Callable[[bool], Callable[..., Any]]:
    """Return batch samplers that lose what is left of the last batch when something is so."""

    class Cutting(Batches):
        is_bad = True

        def cut(self, ids: list[int]) -> list[list[int]]:
            found = super().cut(ids)
            if self.is_bad and when(self) and len(found) > 1 and len(found[-1]) < self.batch_size:
                found[-1] = found[-1][:-1] or [found[0][0]]
            return found

    def build(bad: bool) -> Callable[..., Any]:
        class Own(Cutting):
            is_bad = bad

        def make(length: int, batch_size: int, rank: int, world_size: int) -> Any:
            return Own(length, batch_size, rank, world_size)

        return make

    return build


def sharing(bad: bool) -> Callable[..., Any]:
    """Train and validation: the epoch is kept in the class, and so is one for both."""

    class Shared(Strided):
        now = 0

        def set_epoch(self, epoch: int) -> None:
            if bad:
                Shared.now = epoch
            self.epoch = epoch

        def order(self) -> list[int]:
            epoch = Shared.now if bad else self.epoch
            return permutation(self.length, self.seed, epoch) if self.shuffle else super().order()

    return lambda length, rank, world_size, shuffle, seed: Shared(
        length, rank, world_size, shuffle=shuffle, seed=seed
    )


def sized(bad: bool) -> Callable[..., Any]:
    """Train and validation: the class knows one length, that of the object built last."""

    class Sized(Strided):
        latest = 0

        def __init__(self, length: int, *place: int, **options: Any) -> None:
            super().__init__(length, *place, **options)
            Sized.latest = length

        def order(self) -> list[int]:
            ids = super().order()
            return [i for i in ids if i < Sized.latest] if bad else ids

    return lambda length, rank, world_size, shuffle, seed: Sized(
        length, rank, world_size, shuffle=shuffle, seed=seed
    )


def salted(salt: Callable[[], int]) -> Callable[[bool], Callable[..., Any]]:
    """Return samplers whose seed holds what differs from one run to the next."""

    def build(bad: bool) -> Callable[..., Any]:
        def make(length: int, rank: int, world_size: int, seed: int) -> Any:
            return Strided(length, rank, world_size, shuffle=True, seed=seed + bad * salt())

        return make

    return build


class Thrice(Strided):
    """The third pass of one epoch is another."""

    passes = 0
    is_bad = True

    def __iter__(self) -> Iterator[Any]:
        self.passes += 1
        share = self.share()
        return iter(share[1:] if self.is_bad and self.passes % 3 == 0 and self.epoch == 0 else share)


class Advancing(Strided):
    """Every pass is an epoch; after one that was given up, one sample is missing."""

    is_bad = True
    is_open = False

    def __iter__(self) -> Iterator[Any]:
        share, was_open = self.share(), self.is_open
        self.is_open, self.epoch = True, self.epoch + 1
        yield from share[1:] if self.is_bad and was_open else share
        self.is_open = False


class Opened(Batches):
    """Its place is used up when a pass is opened, and a loader with workers opens two."""

    is_bad = True
    start = done = 0

    def set_epoch(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.epoch, self.start, self.done = epoch, 0, 0

    def __iter__(self) -> Iterator[Any]:
        self.done = start = self.start
        if self.is_bad:
            self.start = 0
        return self.go(start)

    def go(self, start: int) -> Iterator[Any]:
        self.start = 0
        for number, batch in enumerate(self.share()[start:], start + 1):
            self.done = number
            yield batch

    def state_dict(self) -> dict[str, int]:
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.epoch, self.start, self.done = state["epoch"], state["done"], state["done"]


def opened(bad: bool) -> Callable[..., Any]:
    """Return batch samplers that can be resumed, in the bug not behind workers."""

    class Own(Opened):
        is_bad = bad

    def make(length: int, batch_size: int, rank: int, world_size: int) -> Any:
        return Own(length, batch_size, rank, world_size)

    return make


class Buffered(Strided):
    """Indices go through a buffer; one that holds all of them loses the last."""

    def __init__(self, length: int, buffer_size: int, *place: int) -> None:
        super().__init__(length, *place)
        self.buffer_size = buffer_size

    def share(self) -> list[Any]:
        mine = super().share()
        return mine[:-1] if self.buffer_size > len(mine) else mine


def buffered(bad: bool) -> Callable[..., Any]:
    """Return what reads through a buffer, which may be larger than the data."""

    def make(length: int, rank: int, world_size: int, buffer_size: int) -> Any:
        return Buffered(length, buffer_size if bad else 0, rank, world_size)

    return make


def weighted(bad: bool) -> Callable[..., Any]:
    """Drawn by weight, and in the bug the dataset in its order."""

    def make(weights: list[float], seed: int) -> Any:
        if bad:
            return range(len(weights))
        generator = torch.Generator().manual_seed(seed)
        return WeightedRandomSampler(weights, len(weights), generator=generator)

    return make


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0


MIXED = {"order": "shuffled"}
TRIGGERS = {
    "chunks_rounded": Trigger(
        losing(lambda one: int(one.world_size * (one.length / one.world_size)) < one.length), {}
    ),
    "indices_of_16_bits": Trigger(losing(lambda one: one.length > 2**16), {}),
    "epoch_4_and_beyond": Trigger(losing(lambda s: s.epoch >= 4), {}),
    "epoch_7_alone": Trigger(losing(lambda s: s.epoch == 7), {}),
    "epoch_100_and_beyond": Trigger(losing(lambda s: s.epoch >= 100), {}),
    "epochs_of_one_byte": Trigger(mixing(lambda epoch: epoch & 0xFF), MIXED),
    "epoch_200_alone": Trigger(losing(lambda s: s.epoch == 200), {}),
    "epoch_1000": Trigger(losing(lambda s: s.epoch == 1_000), {}),
    "epoch_of_32_bits": Trigger(losing(lambda s: s.epoch >= 2**31), {}),
    "epochs_modulo_2": Trigger(mixing(lambda epoch: epoch % 2), MIXED),
    "epochs_modulo_10": Trigger(mixing(lambda epoch: epoch % 10), MIXED),
    "frozen_from_epoch_5": Trigger(mixing(lambda epoch: min(epoch, 5)), MIXED),
    "sixth_epoch_repeats_one": Trigger(mixing(lambda epoch: epoch - 3 * (epoch == 5)), MIXED),
    "batch_of_34": Trigger(batched(lambda s: s.batch_size >= 34), {}),
    "batch_of_a_power_of_two": Trigger(batched(lambda s: s.batch_size > 32 and _is_power(s.batch_size)), {}),
    "seed_above_31_bits": Trigger(losing(lambda s: s.seed >= 2**31), {}),
    "seed_between_31_and_32_bits": Trigger(losing(lambda s: 2**31 <= s.seed < 2**32), {}),
    "sum_across_32_bits": Trigger(losing(lambda s: s.seed < 2**32 <= s.seed + s.epoch), {}),
    "wide_and_long": Trigger(losing(lambda s: s.world_size >= 65 and s.length >= 1_000), {}),
    "length_above_10000": Trigger(losing(lambda s: s.length > 10_000), {}),
    "length_across_15_bits": Trigger(losing(lambda s: s.length > 2**15), {}),
    "world_of_16": Trigger(losing(lambda s: s.world_size == 16), {}),
    "world_of_64": Trigger(losing(lambda s: s.world_size == 64), {}),
    "length_of_a_power_of_two": Trigger(losing(lambda s: s.length > 64 and _is_power(s.length)), {}),
    "epoch_in_the_class": Trigger(sharing, {}),
    "length_in_the_class": Trigger(sized, {}),
    "seed_from_the_clock": Trigger(salted(lambda: int(time.time()) // 3600), MIXED),
    "seed_from_the_process": Trigger(salted(lambda: 7 * os.getpid()), MIXED),
    "third_pass": Trigger(_built(Thrice), {}),
    "after_a_pass_given_up": Trigger(_built(Advancing), {"epochs": "advance"}),
    "resumed_behind_workers": Trigger(opened, {"resume": "state_dict"}),
    "buffer_larger_than_the_data": Trigger(buffered, {}, {"buffer_size": [1, 4, 1_000]}),
    "plain_for_weighted": Trigger(weighted, {"coverage": "sampled", "epochs": "advance", "sharding": "none"}),
}
