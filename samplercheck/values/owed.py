"""Owed: what a contract owes in one case: totals, shares, allowed repeats and losses.

The only place where the meaning of ``tail``, ``tail_unit``, ``repeats``, ``replicas`` and
``sharding`` is computed (docs/rules.md B); every law reads it from the trace. Standard library alone.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from samplercheck.values.case import Case
from samplercheck.values.contract import Contract

MOST_GROUPS = 64
MANY_EPOCHS = 48
"""From so many epochs on a case shows frequencies, and far epochs are visited after them."""
MANY_SEEDS = 7
"""So many other seeds may tell of themselves alone: few of them agree by luck now and then."""
MANY_SAMPLES = 3_072
"""From so many samples on one shuffled epoch shows whether the whole dataset was shuffled, or parts of it."""
LAPS, MANY_LAPS = 2, 49
"""So much of an endless pass is taken, and so much of one in cases of many epochs: its laps are compared."""
LONGEST_KEPT = 2**22
"""Passes of longer epochs are not kept: they are taken in chunks, and leave a fingerprint."""
FAR_EPOCHS = (100, 256, 1_000, 2**31)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """What every epoch of one case owes.

    ``places`` is the number of shares that the epoch is dealt into, ``appearances`` the items of
    the epoch before its tail is treated, ``unit`` the items of one share in one indivisible round.
    ``total`` is the number of items that all places yield together, None where nothing is known.
    ``padding`` is the number of items beyond the appearances; of a subset, the most that there may be.
    Each sample comes at most ``most`` times.
    """

    tail: str
    order: str
    places: int
    unit: int
    appearances: int
    total: int | None
    padding: int
    most: int | None
    repeats: int

    @property
    def losable(self) -> int:
        """The number of appearances that an epoch may lose."""
        return max(0, self.appearances - self.total) if self.total is not None else 0

    @property
    def uneven(self) -> int:
        """The number of items by which two places may differ: one unit where the tail is kept."""
        return self.unit if self.tail == "keep" else 0

    def droppable(self, epochs: int) -> int:
        """The number of samples that so many epochs may drop, each less than a round, whatever it holds."""
        return (self.places * self.unit - 1) * epochs if self.tail == "drop" else 0

    def spare(self, workers: int) -> int:
        """The number of samples that so many workers of every place may pad or drop together.

        Less than one of their rounds; none where the epoch is known to divide into such rounds.
        """
        round_size = self.places * workers * self.unit
        divides = self.total is not None and self.appearances % round_size == 0
        return 0 if divides else round_size - 1

    def spare_with(self, other: Owed) -> tuple[int, int]:
        """The numbers of samples that an epoch begun like this and ended like another may lose, and repeat.

        Each of both starts may cut or fill a tail.
        """
        most = self.places * self.unit + other.places * other.unit - 2
        return most if self.tail == "drop" else 0, most if self.tail == "pad" else 0

    @property
    def is_shuffled(self) -> bool:
        """Whether the order of an epoch is promised to be shuffled."""
        return self.order == "shuffled"

    @property
    def is_sequential(self) -> bool:
        """Whether the order of an epoch is promised to be the dataset's own."""
        return self.order == "sequential"


def heeds_drop_last(contract: Contract) -> bool:
    """Whether a batch sampler that is told to drop its last batch may do so (docs/rules.md B3)."""
    return contract.tail in ("auto", "drop")


def drops_by_argument(contract: Contract) -> bool:
    """Whether the argument drop_last decides how an epoch ends."""
    known = contract.coverage == "once" and contract.batches == "fixed" and not contract.endless
    return contract.tail == "auto" and contract.tail_unit != "group" and known


def drop_last_matters(case: Case, contract: Contract, *, batched: bool) -> bool:
    """Whether dropping leaves another total than padding: the samples make no whole number of rounds."""
    if not drops_by_argument(contract):
        return False
    if batched and owed_to_padded_shares(case.but(drop_last=True), contract) is not None:
        return False  # shares may be padded first, and then fill their batches
    unit = case.batch_size if batched or contract.tail_unit == "batch" else 1
    return case.length * contract.repeats % (_places(case, contract) * unit) != 0


def draws_by_seeds(contract: Contract, named: AbstractSet[str]) -> bool:
    """Whether seeds tell draws apart that a process takes alone, if its passes are one draw."""
    advances = contract.epochs == "advance" and contract.coverage == "sampled"
    return advances and contract.sharding == "none" and "seed" in named


def changing(owed: Owed, contract: Contract) -> int:
    """Return by how many samples two epochs of one part may differ: a tail may leave out others in each."""
    return 0 if contract.tail in ("pad", "keep") else owed.places * owed.unit - 1


def may_fill_batches(contract: Contract) -> bool:
    """Whether an epoch may be filled up to whole global batches."""
    return contract.tail_unit == "batch" and contract.tail in ("auto", "pad")


def may_fill_groups(contract: Contract) -> bool:
    """Whether each group of samples may be filled up to whole global batches."""
    return contract.tail_unit == "group" and contract.tail in ("auto", "pad")


def is_padded_subset(contract: Contract) -> bool:
    """Whether a part of the dataset is padded by declaration; "auto" declares nothing of a subset."""
    return contract.coverage == "subset" and contract.tail == "pad" and not contract.endless


def order_of(case: Case, contract: Contract) -> str:
    """Return the order that an epoch is promised to have: "shuffled", "sequential" or "free"."""
    if contract.order != "auto":
        return contract.order
    return "shuffled" if case.shuffle else "sequential"


def compute_owed(case: Case, contract: Contract, *, batched: bool) -> Owed:
    """Return what ``contract`` owes in ``case``; ``batched`` says that the target yields batches."""
    tail = contract.tail
    if tail == "auto":
        tail = "drop" if case.drop_last else "pad"
    order = order_of(case, contract)
    places = _places(case, contract)
    # A batch sampler with drop_last drops global batches, whatever the unit (docs/rules.md B3).
    whole = batched and case.drop_last and heeds_drop_last(contract) and contract.tail_unit != "group"
    unit = case.batch_size if contract.tail_unit == "batch" or whole else 1
    appearances = case.length * contract.repeats
    copies = contract.repeats if contract.tail_first else 1
    total = _total(contract, tail, appearances // copies, places * unit)
    total = None if total is None else total * copies
    padding = _padding(contract, appearances, places * unit, total)
    return Owed(
        tail=tail,
        order=order,
        places=places,
        unit=unit,
        appearances=appearances,
        total=total,
        padding=padding,
        most=_most(contract, tail, appearances, total, padding),
        repeats=contract.repeats,
    )


def owed_to_padded_shares(case: Case, contract: Contract) -> Owed | None:
    """Return what is owed where ranks are padded before each of them drops its last batch (docs/rules.md B3).

    None where that is what is owed anyway, or is not left open.
    """
    tail = contract.tail, contract.tail_unit
    is_open = tail == ("drop", "batch") or (tail == ("auto", "sample") and case.drop_last)
    if not (is_open and contract.coverage == "once" and contract.batches == "fixed") or contract.endless:
        return None
    filled = contract.but(tail="pad", tail_unit="sample")
    padded = compute_owed(case.but(drop_last=False), filled, batched=True)
    is_whole = padded.total is not None and padded.total % (padded.places * case.batch_size) == 0
    return padded if is_whole and padded.padding else None


def owed_where_cut(owed: Owed, case: Case, contract: Contract, taken: int, *, batched: bool) -> Owed:
    """Return what is owed where drop_last leaves out what is kept else (docs/rules.md B4): less than a round.

    ``taken`` is what an epoch was seen to hold. What keeps the tail all the same is judged by that.
    """
    lost = owed.appearances - taken
    if owed.tail != "keep" or not case.drop_last or lost <= 0:
        return owed
    if not _goes_by_rounds(contract):
        return replace(owed, tail="drop", total=None)
    unit = case.batch_size if batched else owed.unit
    return replace(owed, total=taken) if lost < owed.places * unit else owed


def _places(case: Case, contract: Contract) -> int:
    return 1 if contract.sharding == "none" else max(1, case.world_size // contract.replicas)


def _goes_by_rounds(contract: Contract) -> bool:
    return contract.tail_unit != "group" and contract.batches == "fixed"


def _total(contract: Contract, tail: str, appearances: int, round_size: int) -> int | None:
    if contract.coverage != "once" or contract.endless:
        return None
    if tail == "keep":
        return appearances
    if not _goes_by_rounds(contract):
        return None
    if tail == "drop":
        return appearances // round_size * round_size
    return -(-appearances // round_size) * round_size


def _padding(contract: Contract, appearances: int, round_size: int, total: int | None) -> int:
    if total is not None:
        return max(0, total - appearances)
    # The size of a subset is not known; whatever it is, less than one round makes its shares equal.
    return round_size - 1 if is_padded_subset(contract) and _goes_by_rounds(contract) else 0


def _most(contract: Contract, tail: str, appearances: int, total: int | None, padding: int) -> int | None:
    if contract.coverage == "sampled" or contract.endless:
        return None
    if tail != "pad" or (contract.coverage == "subset" and not is_padded_subset(contract)):
        return contract.repeats
    if total is None:
        # Subsets are padded by less than one round, groups and variable batches by less than one
        # global batch: the law counts it.
        return None if padding or not _goes_by_rounds(contract) else contract.repeats
    return contract.repeats * -(-total // appearances) if appearances else 0


def has_long_passes(case: Case, contract: Contract) -> bool:
    """Whether the passes of a case are too long to be kept, so that laws judge their fingerprints."""
    return case.length * contract.repeats > LONGEST_KEPT


def far_epochs(case: Case, contract: Contract) -> tuple[int, ...]:
    """Return the epochs to which a run of many epochs jumps when it is over."""
    if case.epochs < MANY_EPOCHS or contract.epochs != "set_epoch":
        return ()
    return tuple(epoch for epoch in FAR_EPOCHS if epoch >= case.epochs)
