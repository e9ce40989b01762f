"""Redealt: the changes of how ranks get their shares of an order.

Listed with their meaning in ``causes``. Imports the stand-ins, and with them torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain, cycle, islice, zip_longest
from typing import Any

from samplercheck.explain import stand_ins
from samplercheck.explain.change import Rebuild, otherwise_built
from samplercheck.targets.binding import Binding
from samplercheck.targets.proxy import Proxy
from samplercheck.values.case import Case
from samplercheck.values.owed import compute_owed

Turned = dict[str, Any]
MISSING = object()
ALONE = {"rank": 0, "world_size": 1}


class _Redealt(Proxy):
    """Gets its share again from the shares of all ranks, joined to one order."""

    def __init__(
        self, behind: Any, others: Callable[[], list[Any]], deal: Callable[[list[list[Any]]], list[Any]]
    ) -> None:
        super().__init__(behind)
        self.others = others
        self.deal = deal

    def __iter__(self) -> Any:
        shares = [list(iter(stand_ins.with_epoch(one, self.epoch))) for one in self.others()]
        return iter(self.deal(shares))


def _redealt(deal: Callable[[list[list[Any]], int, int], list[Any]]) -> Rebuild:
    def rebuild(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
        return _Redealt(
            binding.build(case, rank, turned),
            lambda: [binding.build(case, one, turned) for one in range(case.world_size)],
            lambda shares: deal(shares, rank, case.world_size),
        )

    return rebuild


def _in_turn(shares: list[list[Any]], rank: int, world_size: int) -> list[Any]:
    """Take the shares for blocks of one order and deal it out in turn."""
    return list(chain.from_iterable(shares))[rank::world_size]


def _in_blocks(shares: list[list[Any]], rank: int, world_size: int) -> list[Any]:
    """Take the shares for dealt out in turn and cut their order into blocks."""
    order = [one for turn in zip_longest(*shares, fillvalue=MISSING) for one in turn if one is not MISSING]
    size = math.ceil(len(order) / world_size)
    return order[rank * size : (rank + 1) * size]


class _Dealt(Proxy):
    """Gets its share of the order of a single process."""

    def __init__(self, behind: Any, deal: Callable[[list[Any]], list[Any]]) -> None:
        super().__init__(behind)
        self.deal = deal

    def __len__(self) -> int:
        return len(self.deal(list(self.behind)))

    def __iter__(self) -> Any:
        return iter(self.deal(list(self.behind)))


def _deal_out(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    contract, world = binding.contract, turned.get("world_size", case.world_size)
    if contract.endless or contract.replicas > 1:
        return binding.build(case, rank, turned)
    tail = compute_owed(case, contract, batched=False).tail
    drops = tail == "drop" or (contract.coverage == "subset" and contract.tail == "auto")

    def deal(order: list[Any]) -> list[Any]:
        size = len(order) // world if drops else math.ceil(len(order) / world)
        if contract.layout == "contiguous":
            ends = [len(order) * one // world if tail == "keep" else one * size for one in (rank, rank + 1)]
            return list(islice(cycle(order), *ends))
        return list(islice(cycle(order), rank, len(order) if tail == "keep" else size * world, world))

    return _Dealt(binding.build(case, 0, {**turned, **ALONE}), deal)


dealt_in_turn = otherwise_built("the joined shares dealt out in turn", _redealt(_in_turn), "rank")
dealt_in_blocks = otherwise_built("the joined shares cut into blocks", _redealt(_in_blocks), "rank")
dealt_out = otherwise_built("the order of a single process dealt out", _deal_out, "rank", "world_size")
