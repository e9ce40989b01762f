"""What the target moves of the process's global generators: asked by the experiment ``epochs``.

Runs inside a rank. Nothing of it is decided on there: law SC403 reads the notes.
"""

from __future__ import annotations

from typing import Any

from samplercheck.experiments.loaders import keeps_state
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.states import copy_state

Moved = list[tuple[str, str]] | None
"""When which generators were moved; None where nobody knows."""


def list_moved(seat: Seat, when: str, opened: list[Any]) -> Moved:
    """Return what was moved, if that is known, but for the base seed of a DataLoader (docs/rules.md C10)."""
    moved = seat.ambient.find_moved(may_wait=when == "building")
    return None if moved is None else [(when, name) for name in moved if name != "torch" or not opened]


def load_own_state(seat: Seat, opened: list[Any]) -> Moved:
    """Save the state of a new object and load it there; return what that moved.

    A generator that is saved and put back is where it was. What saving or loading raises others will say.
    """
    subject = seat.build()
    if seat.contract.resume not in ("auto", "state_dict") or not keeps_state(subject):
        return []
    seat.ambient.find_moved()
    state, error = seat.attempt(subject.state_dict)
    if error is None:
        seat.attempt(subject.load_state_dict, copy_state(state))
    return list_moved(seat, "saving", opened)
