"""Waiting for what another process or thread brings about in its own time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Whether a condition comes true within so many seconds; returns as soon as it does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
