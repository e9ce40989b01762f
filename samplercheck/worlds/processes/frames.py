"""Where the main thread of a process is, written down as faulthandler does and read by who outlives it.

Standard library alone.
"""

from __future__ import annotations

import sys
import threading
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["frames_in", "frames_of_main_thread"]


def frames_of_main_thread() -> str:
    """Return where the main thread is, in the way faulthandler writes it: the innermost first."""
    hanging = sys._current_frames()[threading.main_thread().ident or 0]  # noqa: SLF001  (documented, and the only way)
    stack = [(frame.f_code, line) for frame, line in traceback.walk_stack(hanging)]
    return "".join(f'  File "{code.co_filename}", line {line} in {code.co_name}\n' for code, line in stack)


def frames_in(path: Path) -> tuple[str, ...]:
    """Return the frames that a process has left in a file, the innermost last."""
    return tuple(reversed(path.read_text(errors="replace").splitlines())) if path.exists() else ()
