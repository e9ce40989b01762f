"""Experiment ``knobs``: the first epoch with one argument turned: drop_last, shuffle, batch_size.

Runs inside a rank. Read by SC309. ``notes["knobs"]`` names the argument of each pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take one pass for each argument that the target names; without a shuffle, one for each epoch.

    One epoch may be alike by luck with and without a shuffle.
    """
    case = seat.case
    turned: dict[str, Any] = {"batch_size": case.batch_size + 1, "drop_last": not case.drop_last}
    if case.shuffle:
        turned["shuffle"] = False
    knobs = [name for name in turned if name in seat.binding.named]
    seat.record.notes["knobs"] = tuple(knobs)
    for name in knobs:
        subject = seat.build(**{name: turned[name]})
        moves = name == "shuffle" and seat.contract.epochs != "fixed"
        for epoch in range(case.epochs if moves else 1):
            subject = seat.run_epoch(subject, epoch)
