"""Bugs that one thing triggers: a late epoch, a large batch or seed, a size, another object, the environment.

Each is a sound sampler with one line of its own behind a condition; without the condition it is its twin.
Read by ``test_triggers.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.zoo._sound import Strided, permutation


class Trigger(NamedTuple):
    """A target with and without its bug, the contract of both, and the profile that has to find it."""

    build: Callable[[bool], Callable[..., Any]]
    contract: dict[str, Any]
    profile: str = "quick"


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


MIXED = {"order": "shuffled"}
TRIGGERS = {
    "epoch_4_and_beyond": Trigger(losing(lambda s: s.epoch >= 4), {}),
    "epoch_7_alone": Trigger(losing(lambda s: s.epoch == 7), {}),
    "epoch_100_and_beyond": Trigger(losing(lambda s: s.epoch >= 100), {}),
    "epoch_1000": Trigger(losing(lambda s: s.epoch == 1_000), {}),
    "epoch_of_32_bits": Trigger(losing(lambda s: s.epoch >= 2**31), {}),
    "epochs_modulo_2": Trigger(mixing(lambda epoch: epoch % 2), MIXED),
    "epochs_modulo_10": Trigger(mixing(lambda epoch: epoch % 10), MIXED),
    "frozen_from_epoch_5": Trigger(mixing(lambda epoch: min(epoch, 5)), MIXED),
    "sixth_epoch_repeats_one": Trigger(mixing(lambda epoch: epoch - 3 * (epoch == 5)), MIXED),
}
