"""Parting: the line of a target's code behind which its ranks hold, or yield, other samples than each other.

Asked by ``tellings``. It traces this process meanwhile, in which simulated ranks run one after the other.
"""

from __future__ import annotations

import inspect
import linecache
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch

from samplercheck.explain.tracing import Line, Note, trace_calls

MOST_STEPS = 2_000
FEW_STEPS = 2
"""Behind so many steps a branch that deals out has yielded."""
MOST_HELD = 1_000
_ORDERS = (list, range, deque, torch.Tensor, np.ndarray)
_ITEMS = (int, list, tuple, np.integer, torch.Tensor)
_ITERATORS: tuple[type, ...] = (type(iter([])), type(iter(())), type(iter(range(0))))


class _Step(NamedTuple):
    """One line that runs, or an end of a function: where, which orders are at hand, and what led there."""

    place: tuple[Line, str]
    held: dict[str, bytes]
    before: Line | None
    yields: bool


@contextmanager
def find_parting(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
    """Note the line at which the first two ranks part; none where that is in no order of samples."""
    courses: dict[str, list[_Step]] = {}
    last: dict[Any, tuple[Line, Line]] = {}

    def look(frame: Any, event: str, value: Any) -> Any:
        if not holds(frame.f_code.co_filename):
            return None
        steps = courses.setdefault(os.environ.get("RANK", ""), [])
        if len(steps) >= MOST_STEPS:
            return None
        line = frame.f_code.co_filename, frame.f_lineno
        is_end = event in ("return", "exception")
        yields = event == "return" and bool(frame.f_code.co_flags & inspect.CO_GENERATOR)
        now, earlier = last.get(frame.f_back if event == "call" else frame) or (None, None)
        loops = yields and earlier is not None and linecache.getline(*earlier).lstrip().startswith("for ")
        before = earlier if loops else line if is_end else now
        held = _orders_at(frame) | (_as_held("returned", value, is_item=yields) if event == "return" else {})
        steps.append(_Step((line, event), held, before, yields))
        if event != "return":
            last[frame] = line, now if event == "line" and now is not None else line
        return look

    with trace_calls(look):
        yield
    if (found := _part(courses.get("0", []), courses.get("1", []))) is not None:
        note(found, "", ())


def _part(first: list[_Step], second: list[_Step]) -> Line | None:
    """Return the line behind which two ranks part, if it is known that samples do."""
    for number, (one, other) in enumerate(zip(first, second, strict=False)):
        if one.place != other.place:  # a branch: it deals out if what it leads to is a yield
            near = (*first[number:][:FEW_STEPS], *second[number:][:FEW_STEPS])
            return one.before if one.before == other.before and any(step.yields for step in near) else None
        if one.held != other.held:
            return one.before
    return None


def _orders_at(frame: Any) -> dict[str, bytes]:
    """Return the content of the orders that a function has at hand, by their names."""
    names = {**getattr(frame.f_locals.get("self"), "__dict__", {}), **frame.f_locals}
    held: dict[str, bytes] = {}
    for name, value in names.items():
        held |= _as_held(name, value)
    return held


def _as_held(name: str, value: Any, *, is_item: bool = False) -> dict[str, bytes]:
    """Return the content of a value by its name if it is an order of samples, or an item that is yielded."""
    is_sized = isinstance(value, _ORDERS) and getattr(value, "shape", (0,)) != ()
    is_order = is_sized and 1 < len(value) <= MOST_HELD and isinstance(value[0], _ITEMS)
    is_known = is_order or isinstance(value, _ITERATORS) or (is_item and isinstance(value, _ITEMS))
    return {name: pickle.dumps(_plain(value))} if is_known else {}


def _plain(value: Any) -> Any:
    """Return a tensor as its numbers: it pickles with the place of its storage, also where two are equal."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return [*map(_plain, value)] if isinstance(value, (list, tuple, deque)) else value
