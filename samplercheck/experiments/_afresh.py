"""Afresh: what a rank does in a process that has seen nothing of the target: it goes on from a saved state.

Runs inside a rank of fresh processes, like an experiment, for states that other processes have saved; its
record is read by SC704 as a twin's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from samplercheck.experiments._resuming import Unresumed, attempt, finish, reload
from samplercheck.experiments._states import from_file

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["Saved", "run"]


class Saved(NamedTuple):
    """The file that holds a rank's state, the epoch in which it was saved, and after how many steps."""

    file: bytes
    epoch: int
    stop: int


def run(seat: Seat) -> None:
    """Load what this rank has saved elsewhere; take what was left, and the next epoch."""
    saved = Saved(*seat.binding.saved[seat.rank])
    attempt(seat, "afresh", saved.epoch, (saved.stop,), partial(_go_on, seat, saved))


def _go_on(seat: Seat, saved: Saved) -> None:
    state, error = seat.attempt(from_file, saved.file)
    if error is not None:
        raise Unresumed(f"torch.load(weights_only=True) raised {type(error).__name__}: {error}")
    finish(seat, seat.begin(reload(seat, state, saved.epoch), saved.epoch), saved.epoch, saved.stop)
