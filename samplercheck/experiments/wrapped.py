"""Experiment ``wrapped``: a wrapper around the kit's own inner sampler, which is inspected afterwards.

Runs inside a rank. Read by SC505; done only where the target names ``sampler`` or ``batch_sampler``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.features import INNERS, inner_of

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take the epochs; note what became of the inner sampler and what it yields when bare."""
    name = next((name for name in INNERS if name in seat.binding.named), None)
    if name is None:
        return
    inner = inner_of(name, seat.case, seat.contract)
    before = inner.settings()
    subject = seat.build(**{name: inner})
    reached = []
    for epoch in range(seat.case.epochs):
        subject = seat.run_epoch(subject, epoch)
        reached.append(inner.epoch)
    notes = seat.record.notes
    notes["has_set_epoch"] = hasattr(subject, "set_epoch")
    notes["inner_epochs"] = tuple(reached)
    notes["inner_changed"] = inner.settings() != before
    notes["inner_spoilt"] = not inner.is_intact
    bare = inner_of(name, seat.case, seat.contract)
    notes["inner_orders"] = tuple(tuple(bare.order_of(epoch)) for epoch in reached)
