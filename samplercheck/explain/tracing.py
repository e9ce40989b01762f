"""Tracing: a function that sees each line of this thread meanwhile, and what lines are called by.

Asked by ``lines``, ``tellings`` and ``parting``. Standard library alone.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Line = tuple[str, int]
Note = Callable[[Line, str, Sequence[Line]], object]
"""Takes a line, the name of what it changes where that is said, and the lines that call its function."""


def callers_of(frame: Any, holds: Callable[[str], bool]) -> list[Line]:
    """Return the lines of an author that call the function which runs, as long as none is a method."""
    lines: list[Line] = []
    while "self" not in frame.f_locals and frame.f_back and holds(frame.f_back.f_code.co_filename):
        frame = frame.f_back
        lines.append((frame.f_code.co_filename, frame.f_lineno))
    return lines


def frame_of_argument(frame: Any, holds: Callable[[str], bool]) -> Any:
    """Return the frame of an author that has made what the line of another one hands on as it got it."""
    while frame.f_back and holds(frame.f_back.f_code.co_filename) and _hands_on(frame):
        frame = frame.f_back
    return frame


def _hands_on(frame: Any) -> bool:
    """Whether the line calls something with nothing but an argument of its function."""
    code, line = frame.f_code, linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return any(re.search(rf"\((?:seed=)?{name}\)", line) for name in names)


@contextmanager
def trace_calls(trace: Any) -> Iterator[None]:
    """Trace this thread meanwhile."""
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)
