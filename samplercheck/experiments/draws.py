"""Experiment with many independent passes: ``draws``.

Run inside a rank. Epochs are such passes or, where they are all the same, first epochs under other seeds.
"""

from __future__ import annotations

from samplercheck.experiments.arguments import other_seeds
from samplercheck.experiments.seat import Seat
from samplercheck.values.owed import draws_by_seeds


def draw(seat: Seat) -> None:
    """Experiment ``draws``: many passes that are independent of each other, for laws about frequencies.

    Read by SC1001 and SC1002, in cases of many epochs alone. As many passes as the case has epochs; where
    all epochs are the same, or two passes that were to advance are, first epochs under other seeds instead,
    if there is a seed. Epochs and seeds are never mixed: many samplers add the two up, and then one pass
    would count twice.
    """
    case, subject = seat.case, seat.build()
    begins_once = seat.contract.endless and not seat.can_set_epoch(subject)
    if seat.contract.epochs != "fixed" and not begins_once:
        for epoch in range(case.epochs):
            subject = seat.run_epoch(subject, epoch)
            if epoch == 1 and _is_one_draw(seat):
                break
        else:
            return
    if "seed" in seat.binding.named:
        seat.record.passes.clear()
        for seed in other_seeds(case.seed, case.epochs):
            seat.run_epoch(seat.build(seed=seed), 0)


def _is_one_draw(seat: Seat) -> bool:
    """Whether the same was drawn again by one rank, as where a target's set_epoch is not called.

    Of several that wait for each other all have to take as many passes.
    """
    first, second = seat.record.passes[:2]
    by_seeds = draws_by_seeds(seat.contract, seat.binding.named)
    return by_seeds and seat.case.world_size == 1 and first.same_as(second)
