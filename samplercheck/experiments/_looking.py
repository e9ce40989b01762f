"""Looking: what a subject is to a DataLoader, where only its first step tells.

Used by the experiments ``workers`` and ``pickled``, inside a rank. A loader of one's own is known by the
loaders of torch's that it opens, or by batches that only a collate function makes.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from samplercheck.experiments._loaders import is_loader, is_of_torch, is_stream, roles_of
from samplercheck.experiments._opened import OpenedLoaders
from samplercheck.experiments._parts import is_of_values

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["loaders_of", "roles_seen"]


def roles_seen(seat: Seat) -> tuple[str, ...]:
    """Return the roles of a subject as its author builds it, with no workers where it takes a number."""
    changes = {"num_workers": 0} if "num_workers" in seat.binding.named else {}
    subject, _ = seat.attempt(seat.binding.build, seat.case, seat.rank, changes)
    if subject is None or is_of_torch(subject):
        return roles_of(subject)
    return roles_of(subject, loaders_of(seat, subject))


def loaders_of(seat: Seat, subject: Any) -> tuple[Any, ...] | None:
    """Return the loaders of torch's that a loader is, or opens for its first step.

    None for what is no loader, and an empty tuple for one that does without any of torch's.
    """
    if is_of_torch(subject):
        return (subject,)
    if _needs_no_look(subject):
        return None
    looked, _ = seat.attempt(_look, subject, seat.sets_epochs)
    first, opened = looked or (None, ())
    named = "num_workers" in seat.binding.named
    loads = opened or is_loader(subject) or is_of_values(first) or (named and hasattr(first, "ndim"))
    return opened if loads else None


def _needs_no_look(subject: Any) -> bool:
    """Whether this is something of torch's that is no loader."""
    data = sys.modules.get("torch.utils.data")
    return is_stream(subject) or (data is not None and isinstance(subject, data.Sampler))


def _look(subject: Any, sets_epochs: bool) -> tuple[Any, tuple[Any, ...]]:  # noqa: FBT001  (called by a seat)
    """Return the first step of a pass, and the loaders of torch's that it has opened."""
    if sets_epochs and hasattr(subject, "set_epoch"):
        subject.set_epoch(0)
    with OpenedLoaders() as opened:
        first = next(iter(subject), None)
    return first, tuple(opened)
