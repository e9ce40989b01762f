"""Experiments: what every rank does with its sampler and records.

Run by worlds, inside a rank. ``EXPERIMENTS`` is the order in which a rank runs those that the
selected laws read.
"""

from __future__ import annotations

from collections.abc import Callable

from samplercheck.experiments import (
    arguments,
    beside,
    called,
    draws,
    foreign,
    in_step,
    passes,
    pickled,
    resumed,
    saved,
    screened,
    streamed,
    workers,
)
from samplercheck.experiments.seat import Seat
from samplercheck.values.stream import SKETCHED, STREAMED

__all__ = ["ACTIONS", "AFRESH", "CALL", "EXPERIMENTS", "SCREENED", "SKETCHED", "STREAMED"]

EXPERIMENTS: dict[str, Callable[[Seat], None]] = {
    "epochs": passes.take_epochs,
    "lengths": passes.ask_lengths,
    "jumps": passes.jump,
    "again": passes.repeat,
    "interleaved": passes.interleave,
    "beside": beside.stand_beside,
    "abandoned": passes.abandon,
    "seeds": arguments.vary_seed,
    "knobs": arguments.turn_knobs,
    "pickled": pickled.run,
    "unplaced": arguments.leave_out_place,
    "nonsense": arguments.offer_nonsense,
    "reference": passes.take_reference,
    "wrapped": arguments.wrap_inner,
    "counted": arguments.count_inner,
    "resumed": resumed.resume_once,
    "resumed_again": resumed.resume_repeatedly,
    "saved": saved.run,
    "elastic": foreign.run_elastic,
    "foreign": foreign.run,
    "in_step": in_step.run,
    "draws": draws.draw,
    "workers": workers.compare_ways,
    "delivered": workers.resume_ways,
}

CALL = "call"
AFRESH = "afresh"
SCREENED = "screened"
ACTIONS = {
    **EXPERIMENTS,
    CALL: called.run,
    AFRESH: saved.go_on_afresh,
    SCREENED: screened.screen,
    STREAMED: streamed.take_fingerprints,
    SKETCHED: streamed.sketch,
}
"""All that a rank can carry out: experiments, functions of users' own tests, resuming elsewhere, what stands
for several experiments, and what takes long passes."""
