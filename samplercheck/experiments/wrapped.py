"""Experiment ``wrapped``: a wrapper around the kit's own inner sampler, which is inspected afterwards.

Runs inside a rank. Read by SC505; done only where the target names ``sampler``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.features import InnerSampler

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take the epochs; note what became of the inner sampler and what it yields when bare."""
    if "sampler" not in seat.binding.named:
        return
    inner = InnerSampler.of(seat.case, seat.contract)
    before = inner.settings()
    subject = seat.build(sampler=inner)
    reached = []
    for epoch in range(seat.case.epochs):
        subject = seat.run_epoch(subject, epoch)
        reached.append(inner.epoch)
    notes = seat.record.notes
    notes["has_set_epoch"] = hasattr(subject, "set_epoch")
    notes["inner_epochs"] = tuple(reached)
    notes["inner_changed"] = inner.settings() != before
    bare = InnerSampler.of(seat.case, seat.contract)
    notes["inner_orders"] = tuple(tuple(bare.order_of(epoch)) for epoch in reached)
