"""Hashing: the line of a target's code that makes a set or asks for a hash, whose values differ by process.

Asked by ``tellings``. It traces this process meanwhile. Standard library and values alone.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from samplercheck.explain.tracing import Line, Note, trace_calls
from samplercheck.values.wording import ASKS_FOR_HASH, MAKES_SET

_HASHED = re.compile(r"\b(frozen)?set\([^)]|\bhash\(|\{[^{}:]+ for [^{}]+\}|\{\*")


@contextmanager
def find_hashes(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
    """Note the line that makes a set of something or asks for a hash; of several, any may decide."""
    lines: dict[Line, str] = {}

    def enter(frame: Any, event: str, _value: Any) -> Any:
        if not holds(frame.f_code.co_filename):
            return None
        found = _HASHED.search(linecache.getline(frame.f_code.co_filename, frame.f_lineno))
        if event == "line" and found:
            asks = found[0].startswith("hash(")
            lines[frame.f_code.co_filename, frame.f_lineno] = ASKS_FOR_HASH if asks else MAKES_SET
        return enter

    with trace_calls(enter):
        yield
    if len(lines) == 1:
        note(*lines.popitem(), ())
