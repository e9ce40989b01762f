"""Owed: what a contract owes in one case: totals, shares, allowed repeats and losses.

The only place where the meaning of ``tail``, ``tail_unit``, ``repeats``, ``replicas`` and
``sharding`` is computed (RULES B); every law reads it from the trace. Standard library alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.case import Case
    from samplercheck.contract import Contract

__all__ = ["Owed", "owed_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """What every epoch of one case owes.

    ``places`` is the number of shares that the epoch is dealt into, ``appearances`` the items of
    the epoch before its tail is treated, ``unit`` the items of one share in one indivisible round.
    ``total`` is the number of items that all places yield together, None where nothing is known.
    Each sample comes at least ``least`` and at most ``most`` times.
    """

    tail: str
    order: str
    places: int
    unit: int
    appearances: int
    total: int | None
    least: int
    most: int | None
    repeats: int

    @property
    def losable(self) -> int:
        """The number of appearances that an epoch may lose."""
        return max(0, self.appearances - self.total) if self.total is not None else 0

    @property
    def padding(self) -> int:
        """The number of items that an epoch yields beyond its appearances."""
        return max(0, self.total - self.appearances) if self.total is not None else 0

    @property
    def uneven(self) -> int:
        """The number of items by which two places may differ: one unit where the tail is kept."""
        return self.unit if self.tail == "keep" else 0

    @property
    def is_shuffled(self) -> bool:
        """Whether the order of an epoch is promised to be shuffled."""
        return self.order == "shuffled"

    @property
    def is_sequential(self) -> bool:
        """Whether the order of an epoch is promised to be the dataset's own."""
        return self.order == "sequential"


def owed_in(case: Case, contract: Contract, *, batched: bool) -> Owed:
    """Return what ``contract`` owes in ``case``; ``batched`` says that the target yields batches."""
    tail = contract.tail
    if tail == "auto":
        tail = "drop" if case.drop_last else "pad"
    order = contract.order
    if order == "auto":
        order = "shuffled" if case.shuffle else "sequential"
    places = 1 if contract.sharding == "none" else max(1, case.world_size // contract.replicas)
    # A batch sampler that drops under "auto" drops whole global batches, whatever the unit (B3).
    whole = batched and case.drop_last and contract.tail == "auto" and contract.tail_unit != "group"
    unit = case.batch_size if contract.tail_unit == "batch" or whole else 1
    appearances = case.length * contract.repeats
    total = _total(contract, tail, appearances, places * unit)
    return Owed(
        tail=tail,
        order=order,
        places=places,
        unit=unit,
        appearances=appearances,
        total=total,
        least=_least(contract, tail),
        most=_most(contract, tail, case.length, appearances, total),
        repeats=contract.repeats,
    )


def _total(contract: Contract, tail: str, appearances: int, round_size: int) -> int | None:
    if contract.coverage != "once" or contract.endless:
        return None
    if tail == "keep":
        return appearances
    if contract.tail_unit == "group" or contract.batches == "variable":
        return None
    if tail == "drop":
        return appearances // round_size * round_size
    return -(-appearances // round_size) * round_size


def _least(contract: Contract, tail: str) -> int:
    owes_all = contract.coverage == "once" and tail != "drop" and not contract.endless
    return contract.repeats if owes_all else 0


def _most(contract: Contract, tail: str, length: int, appearances: int, total: int | None) -> int | None:
    if contract.coverage == "sampled" or contract.endless:
        return None
    if tail != "pad" or contract.coverage == "subset":
        return contract.repeats
    if total is None:
        # Groups and variable batches are padded by less than one global batch: the law counts it.
        return None
    return contract.repeats * -(-total // appearances) if length else 0
