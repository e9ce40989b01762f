"""Experiments: what every rank does with its sampler and records; one file each.

Run by worlds, inside a rank. ``EXPERIMENTS`` is the order in which a rank runs those that the
selected laws read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.experiments import (
    _afresh,
    _called,
    abandoned,
    again,
    delivered,
    draws,
    elastic,
    epochs,
    in_step,
    interleaved,
    jumps,
    knobs,
    lengths,
    nonsense,
    pickled,
    reference,
    resumed,
    resumed_again,
    saved,
    seeds,
    unplaced,
    workers,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.experiments._seat import Seat

__all__ = ["ACTIONS", "AFRESH", "CALL", "EXPERIMENTS"]

EXPERIMENTS: dict[str, Callable[[Seat], None]] = {
    "epochs": epochs.run,
    "lengths": lengths.run,
    "jumps": jumps.run,
    "again": again.run,
    "interleaved": interleaved.run,
    "abandoned": abandoned.run,
    "seeds": seeds.run,
    "knobs": knobs.run,
    "pickled": pickled.run,
    "unplaced": unplaced.run,
    "nonsense": nonsense.run,
    "reference": reference.run,
    "wrapped": wrapped.run,
    "resumed": resumed.run,
    "resumed_again": resumed_again.run,
    "saved": saved.run,
    "elastic": elastic.run,
    "in_step": in_step.run,
    "draws": draws.run,
    "workers": workers.run,
    "delivered": delivered.run,
}

CALL = "call"
AFRESH = "afresh"
ACTIONS = {**EXPERIMENTS, CALL: _called.run, AFRESH: _afresh.run}
"""All that a rank can carry out: the experiments, functions of users' own tests, and what others began."""
