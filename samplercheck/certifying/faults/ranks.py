"""Faults between ranks and workers: shares of other sizes, dealt twice, ordered apart; one that is not asked.

Imports torch.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

from torch import distributed
from torch.utils.data import IterableDataset, get_worker_info

from samplercheck.certifying.faults.mutant import KnownFault, Mutant, ask_group, is_plain
from samplercheck.certifying.faults.yields import drop_last_step, swap_first_two
from samplercheck.laws.law import Scope, always

PLACES = ("RANK", "LOCAL_RANK", "GROUP_RANK", "NODE_RANK")
LEAST = {"rank": 0, "global_rank": 0, "world_size": 1, "batch_size": 1}


class ShortensRankZero(Mutant):
    """Rank 0 loses the last step of each pass."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        return drop_last_step(steps) if self.place == 0 else steps


class DealsAShareTwice(Mutant):
    """Rank 1 gets the share of rank 0."""

    @classmethod
    def change_arguments(cls, bound: dict[str, Any]) -> dict[str, Any]:
        return {"rank": 0} if bound.get("rank") == 1 and (bound.get("world_size") or 0) > 1 else {}

    def steps(self) -> Iterable[Any]:
        return self._walk_as_rank_zero() if self.place == 1 else super().steps()

    def _walk_as_rank_zero(self) -> Iterator[Any]:
        with _launch_as_rank_zero():
            steps = iter(super().steps())
        while True:
            with _launch_as_rank_zero():
                step = list(islice(steps, 1))
            if not step:
                return
            yield step[0]


@contextmanager
def _launch_as_rank_zero() -> Iterator[None]:
    """Let the environment say, for a moment, that this is rank 0."""
    kept = {name: os.environ[name] for name in PLACES if name in os.environ}
    os.environ.update(dict.fromkeys(kept, "0"))
    try:
        yield
    finally:
        os.environ.update(kept)


class OrdersByRank(Mutant):
    """Each rank shuffles with a seed of its own."""

    @classmethod
    def change_arguments(cls, bound: dict[str, Any]) -> dict[str, Any]:
        return {"seed": bound["seed"] + bound["rank"]} if bound.get("rank") else {}


class TakesAnything(Mutant):
    """It takes the nearest legal value in place of a rank, world or batch size that cannot be."""

    @classmethod
    def change_arguments(cls, bound: dict[str, Any]) -> dict[str, Any]:
        numbers = {name: bound[name] for name in LEAST if bound.get(name) is not None}
        legal = {name: max(number, LEAST[name]) for name, number in numbers.items()}
        if "rank" in legal and "world_size" in legal:
            legal["rank"] = min(legal["rank"], legal["world_size"] - 1)
        return legal


class NeverAsksItsPlace(Mutant):
    """It takes rank 0 where no rank is given."""

    @classmethod
    def change_arguments(cls, bound: dict[str, Any]) -> dict[str, Any]:
        return {"rank": 0} if bound.get("rank") is None else {}


class UnlikeItsReplicas(Mutant):
    """Ranks with an odd number yield their second step before their first."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        return swap_first_two(steps) if ask_group("get_rank", 0) % 2 else steps


class RepeatsInWorkers(Mutant, IterableDataset[Any]):
    """A worker of a DataLoader yields its steps twice."""

    def change_steps(self, steps: Iterator[Any]) -> Iterable[Any]:
        whole = list(steps)
        return chain(whole, whole if get_worker_info() is not None else ())


class CallsABarrierAlone(Mutant):
    """Rank 0 calls a collective that no other rank calls."""

    def steps(self) -> Iterable[Any]:
        if ask_group("get_world_size", 1) > 1 and ask_group("get_rank", 0) == 0:
            distributed.barrier()
        return super().steps()


def is_stream(scope: Scope) -> bool:
    """Whether the target is a stream itself, and no loader of one."""
    return is_plain(scope) and "stream" in scope.traits


def _shares_a_stream(scope: Scope) -> bool:
    """Whether the target is a stream whose samples may not come again."""
    return is_stream(scope) and scope.contract.coverage != "sampled"


def _uses_collectives(scope: Scope) -> bool:
    return "collectives" in scope.traits


def _deals(scope: Scope) -> bool:
    return scope.contract.sharding == "ranks" and {"rank", "world_size"} <= scope.named


def _seeds(scope: Scope) -> bool:
    """Whether ranks owe one order, by the seed that each is given; those that talk may agree on another."""
    if _uses_collectives(scope) or scope.contract.shuffles == "share":
        return False
    ordered = scope.can_shuffle and "sampler" not in scope.named and not scope.contract.endless
    return _deals(scope) and ordered and "seed" in scope.named


def _owes_steps(scope: Scope) -> bool:
    """Whether a rank may not lack a step; where variable batches are kept as they come, it may."""
    contract = scope.contract
    uneven = contract.tail == "keep" and contract.batches == "variable"
    return contract.sharding == "ranks" and not contract.endless and not uneven


def _is_dealt_once(scope: Scope) -> bool:
    contract = scope.contract
    alone = contract.replicas == 1 and contract.batches == "fixed"
    return _deals(scope) and alone and not contract.endless


FAULTS = (
    KnownFault("takes-anything", "SC003", TakesAnything, always),
    KnownFault("deals-a-share-twice", "SC103", DealsAShareTwice, _is_dealt_once),
    KnownFault("shortens-rank-0", "SC104", ShortensRankZero, _owes_steps),
    KnownFault("orders-by-rank", "SC102", OrdersByRank, _seeds),
    KnownFault("unlike-its-replicas", "SC404", UnlikeItsReplicas, is_plain),
    KnownFault("never-asks-its-place", "SC903", NeverAsksItsPlace, always),
    KnownFault("repeats-in-workers", "SC802", RepeatsInWorkers, _shares_a_stream),
    KnownFault("calls-a-barrier-alone", "SC904", CallsABarrierAlone, _uses_collectives),
)  # fmt: skip
