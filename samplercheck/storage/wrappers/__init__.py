"""Wrappers: a small class of plain torch code around a target, made of remedies.

Called in the supervised child that has imported the target. What is written here is run before anybody
sees it.
"""

from __future__ import annotations

from samplercheck.storage.wrappers._target import Wrapped
from samplercheck.storage.wrappers._writer import can_be_written, write_wrapper

__all__ = ["Wrapped", "can_be_written", "write_wrapper"]
