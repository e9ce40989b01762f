"""Exceptions of the target as plain text: type, message and the user's own frames.

Called by ``Seat`` and by worlds, inside a rank. Standard library alone.
"""

from __future__ import annotations

import traceback
from pathlib import Path

__all__ = ["described"]

KIT = str(Path(__file__).resolve().parent.parent)
LONGEST = 2_000
DEEPEST = 12


def described(error: BaseException) -> tuple[str, str, tuple[str, ...]]:
    """Return the type name, the message and the traceback without the kit's own frames."""
    try:
        message = str(error)
    except Exception as second:
        message = f"<its message raised {type(second).__name__}>"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not str(Path(frame.filename)).startswith(KIT) and not frame.filename.startswith("<frozen")
    ]
    lines = [
        f"{frame.filename}:{frame.lineno} in {frame.name}" + (f": {frame.line}" if frame.line else "")
        for frame in frames[-DEEPEST:]
    ]
    return type(error).__name__, message[:LONGEST], tuple(lines)
