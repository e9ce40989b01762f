"""Bare: the change that judges what a target holds inside, without what the target makes of it.

Listed with its meaning in ``causes``. Imports the stand-ins, and with them torch.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from torch.utils.data import IterableDataset

from samplercheck.explain.change import otherwise_built
from samplercheck.explain.stand_ins import StandIn, size_of
from samplercheck.features import INNERS
from samplercheck.owed import compute_owed

if TYPE_CHECKING:
    from samplercheck.binding import Binding
    from samplercheck.case import Case

__all__ = ["inner_bare"]

MOST = 100_000
NAMES = ("batch_sampler", "sampler", "inner", "base_sampler")


class _Told(StandIn):
    """Passes the epoch on to the sampler of a batch sampler, as scripts do that have a loader."""

    def set_epoch(self, epoch: int) -> None:
        """Put the sampler inside into an epoch."""
        self.epoch = epoch
        self.behind.sampler.set_epoch(epoch)


def _bare(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
    """Return the target's own sampler inside; the target itself where it holds none that is a share.

    One that yields all on every rank keeps many a law because it has nothing to do with ranks.
    """
    subject = binding.build(case, rank, turned)
    inner = _inner_of(subject)
    if inner is None or not _is_dealt(binding, case, turned):
        return subject
    told = hasattr(getattr(inner, "sampler", None), "set_epoch") and not hasattr(inner, "set_epoch")
    return _Told(inner) if told else inner


def _inner_of(subject: Any) -> Any:
    """Return what an object holds and iterates; nothing where the kit has made it, which makes it sound."""
    if isinstance(getattr(subject, "dataset", None), IterableDataset):
        return None
    held = [getattr(subject, "__dict__", {}).get(prefix + name) for name in NAMES for prefix in ("", "_")]
    inner = next((one for one in held if hasattr(one, "__iter__")), None)
    return None if isinstance(inner, tuple(INNERS.values())) else inner


def _is_dealt(binding: Binding, case: Case, turned: dict[str, Any]) -> bool:
    """Whether what all ranks have inside is together as much as they owe."""
    inners = [_inner_of(binding.build(case, rank, turned)) for rank in range(case.world_size)]
    items = [item for inner in inners if inner is not None for item in islice(inner, MOST)]
    sizes = [size_of(item) for item in items]
    owed = compute_owed(case, binding.contract, batched=any(size is not None for size in sizes))
    found = sum(1 if size is None else size for size in sizes)
    return owed.total is not None and found * owed.places == owed.total * case.world_size


inner_bare = otherwise_built("the sampler inside by itself", _bare)
