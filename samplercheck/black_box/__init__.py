"""Black boxes: where a process notes what it asks of the target, read by whoever outlives it.

Written in supervised children and in the ranks of process groups. Imports values and the standard
library alone.
"""

from __future__ import annotations

from samplercheck.black_box._box import IMPORTING, RUNNING, STARTING, BlackBox, Sighting
from samplercheck.black_box._faults import described, fault_of, says_nothing_of_it
from samplercheck.black_box._frames import frames_in, frames_of_main_thread
from samplercheck.black_box._stillness import Stillness

__all__ = [
    "IMPORTING",
    "RUNNING",
    "STARTING",
    "BlackBox",
    "Sighting",
    "Stillness",
    "described",
    "fault_of",
    "frames_in",
    "frames_of_main_thread",
    "says_nothing_of_it",
]
