"""Tracing: a function that sees each line of this thread meanwhile, and what lines are called by.

Asked by ``lines``, ``tellings`` and ``parting``. Standard library alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Line = tuple[str, int]
Note = Callable[[Line, str], object]
"""Takes a line, and the name of what it changes where that is said."""


@contextmanager
def trace_calls(trace: Any) -> Iterator[None]:
    """Trace this thread meanwhile."""
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)
