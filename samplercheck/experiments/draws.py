"""Experiment ``draws``: many passes that are independent of each other, for laws about frequencies.

Runs inside a rank. Read by SC1001 and SC1002, in cases of many epochs alone. Where all epochs are the
same, the passes are first epochs under other seeds; a target without a seed then has none to compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.experiments.seeds import other_seeds

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take as many passes as the case has epochs; epochs and seeds are never mixed.

    Many samplers add the two up, and then an epoch under one seed is another one's under the next.
    """
    case = seat.case
    if seat.contract.epochs != "fixed":
        subject = seat.build()
        for epoch in range(case.epochs):
            subject = seat.run_epoch(subject, epoch)
    elif "seed" in seat.binding.named:
        for seed in other_seeds(case.seed, case.epochs):
            seat.run_epoch(seat.build(seed=seed), 0)
