"""Faults between ranks: shares of other sizes, dealt twice, ordered apart; places that are not asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.certifying.sensitivity._mutant import Mutant, asked
from samplercheck.certifying.sensitivity._planted import Planted, is_plain
from samplercheck.certifying.sensitivity.yields import swapped, without_last

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.laws.law import Scope

__all__ = ["FAULTS"]

LEAST = {"rank": 0, "global_rank": 0, "world_size": 1, "batch_size": 1}


class ShortensRankZero(Mutant):
    """Loses the last step of rank 0 alone."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        return without_last(steps) if self.place == 0 else steps


class DealsAShareTwice(Mutant):
    """Gives rank 1 the share of rank 0."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        return {"rank": 0} if said.get("rank") == 1 and (said.get("world_size") or 0) > 1 else {}


class OrdersByRank(Mutant):
    """Shuffles each rank's order with a seed of its own."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        return {"seed": said["seed"] + said["rank"]} if said.get("rank") else {}


class TakesAnything(Mutant):
    """Takes the nearest legal value in place of a rank, world or batch that cannot be."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        legal = {name: max(said[name], least) for name, least in LEAST.items() if said.get(name) is not None}
        if "rank" in legal and "world_size" in legal:
            legal["rank"] = min(legal["rank"], legal["world_size"] - 1)
        return legal


class NeverAsksItsPlace(Mutant):
    """Takes itself for rank 0 where nobody tells it its rank."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        return {"rank": 0} if said.get("rank") is None else {}


class UnlikeItsReplicas(Mutant):
    """Yields two steps in another order where another rank shares its place."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        return swapped(steps) if asked("get_rank", 0) % 2 else steps


def _deals(scope: Scope) -> bool:
    return scope.contract.sharding == "ranks" and {"rank", "world_size"} <= scope.named


def _seeds(scope: Scope) -> bool:
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
    Planted(
        name="takes-anything",
        says="it takes the nearest legal value in place of a rank, world or batch size that cannot be",
        aim="SC003",
        kind=TakesAnything,
    ),
    Planted(
        name="deals-a-share-twice",
        says="rank 1 gets the share of rank 0",
        aim="SC103",
        kind=DealsAShareTwice,
        fits=_is_dealt_once,
    ),
    Planted(
        name="shortens-rank-0",
        says="rank 0 loses the last step of each pass",
        aim="SC104",
        kind=ShortensRankZero,
        fits=_owes_steps,
    ),
    Planted(
        name="orders-by-rank",
        says="each rank shuffles with a seed of its own",
        aim="SC102",
        kind=OrdersByRank,
        fits=_seeds,
    ),
    Planted(
        name="unlike-its-replicas",
        says="ranks with an odd number yield their second step before their first",
        aim="SC404",
        kind=UnlikeItsReplicas,
        fits=is_plain,
    ),
    Planted(
        name="never-asks-its-place",
        says="it takes itself for rank 0 where nobody tells it its rank",
        aim="SC903",
        kind=NeverAsksItsPlace,
    ),
)
