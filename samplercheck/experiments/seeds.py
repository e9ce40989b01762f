"""Experiment ``seeds``: the first epoch under other seeds.

Runs inside a rank. Read by SC303 and SC308. The first other seed is the next one; more epochs in
the case mean more seeds, so that evidence grows with the case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["other_seeds", "run"]

FAR = 104_729


def run(seat: Seat) -> None:
    """Take one pass for each of the other seeds."""
    if "seed" not in seat.binding.named:
        return
    seeds = other_seeds(seat.case.seed, seat.case.epochs - 1)
    seat.record.notes["seeds"] = seeds
    for seed in seeds:
        seat.run_epoch(seat.build(seed=seed), 0)


def other_seeds(seed: int, number: int) -> tuple[int, ...]:
    """Return ``number`` seeds other than ``seed``: neighbours and one far away."""
    near = [seed + 1 + offset for offset in range(max(0, number - 1))]
    return (*near, (seed + FAR) % 2**31) if number > 0 else ()
