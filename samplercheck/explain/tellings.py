"""Tellings: what a line of a target's code can be found by in one run: it seeds, draws, returns or changes.

Asked by ``lines``, which says whose lines count. Each finder notes what happened, and has no opinion on what
is wrong. It traces this process meanwhile. Imports the seeds, and with them torch.
"""

from __future__ import annotations

import pickle
import random
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch

from samplercheck.explain import seeds
from samplercheck.targets.imports import INSTALLED
from samplercheck.values.wording import CHANGES_OWN, DRAWS_GLOBALLY, PASSES_FROM
from samplercheck.worlds.simulation import collectives

Line = tuple[str, int]
Note = Callable[[Line, str], object]
"""Takes a line, and the name of what it changes where that is said."""
Finder = Callable[[Callable[[str], bool], Note], AbstractContextManager[None]]

Telling = Literal["seeds", "draws", "orders", "len", "yields", "state", "loads", "epoch", "keeps", "meets"]
TELLS: dict[Telling, str] = {
    "seeds": "this seeds the order",
    "draws": DRAWS_GLOBALLY,
    "orders": "this draws from a generator",
    "len": "len() comes from here",
    "yields": PASSES_FROM,
    "state": "state_dict() ends here",
    "loads": "load_state_dict() ends here",
    "epoch": "set_epoch() ends here",
    "keeps": f"{CHANGES_OWN}{{}}",
    "meets": "this is a collective",
}
SETTERS = ("__init__", "set_epoch", "load_state_dict")
"""What sets attributes on purpose: what a pass keeps is set elsewhere."""
MOST_KEPT = 1_000
MOST_LOOKED_AT = 2_000
"""Behind so many lines nothing is looked at any more: each look reads all generators."""
_GENERATORS = (torch.Generator, np.random.Generator, np.random.RandomState, random.Random)
_NUMBERS = (int, float, str, bytes, type(None), range)
_PLAIN = (*_NUMBERS, list, tuple, dict, set, frozenset, deque, torch.Tensor, np.ndarray, *_GENERATORS)


@contextmanager
def trace_calls(trace: Any) -> Iterator[None]:
    """Trace this thread meanwhile."""
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)


@contextmanager
def _find_seeds(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
    """Note the line that seeds a generator itself; of several, or beside a library's, any may decide."""
    lines: list[Line] = []

    def meet(seed: Any) -> Any:
        frame = seeds.frame_that_seeds()
        lines.append((frame.f_code.co_filename, frame.f_lineno))
        return seed

    with seeds.meet_seeds(meet):
        yield
    deciding = {line for line in lines if holds(line[0]) or {*INSTALLED} & {*Path(line[0]).parts}}
    if len(deciding) == 1 and holds((line := deciding.pop())[0]):  # the kit seeds as well
        note(line, "")


class _Known(NamedTuple):
    """A thing, which stays so that its id stays its own, and what it was like."""

    thing: Any
    state: Any


def _find_changes(
    states: Callable[[Any], Mapping[int, _Known]],
    tell: Callable[[Any, Any], list[str]],
    *,
    unless: tuple[str, ...] = (),
) -> Finder:
    """Return what notes the lines behind which something is in another state than before them.

    What happens before a function begins, or between two items that it yields, is not of its lines.
    """

    @contextmanager
    def find(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
        numbers: dict[Any, int] = {}
        known: dict[int, _Known] = {}
        looks = count()

        def look(frame: Any, event: str, _value: Any) -> Any:
            if not holds(frame.f_code.co_filename) or next(looks) > MOST_LOOKED_AT:
                return None
            number = numbers.pop(frame, 0) if event != "call" else 0
            for key, now in states(frame).items():
                before, known[key] = known.get(key), now
                if number and before is not None and before.state != now.state:
                    for name in tell(before.state, now.state):
                        note((frame.f_code.co_filename, number), name)
            if event != "return":
                is_meant = frame.f_code.co_name in unless or numbers.get(frame.f_back) == 0
                numbers[frame] = 0 if is_meant else frame.f_lineno
            return look

        with trace_calls(look):
            yield

    return find


def _global_state(_frame: Any) -> Mapping[int, _Known]:
    return {0: _Known(None, seeds.global_state())}


def _generator_states(frame: Any) -> Mapping[int, _Known]:
    """Return the state of the generators that a function has at hand, and of the global ones."""
    at_hand = [*frame.f_locals.values(), *getattr(frame.f_locals.get("self"), "__dict__", {}).values()]
    own = {id(one): _Known(one, _read(one)) for one in at_hand if isinstance(one, _GENERATORS)}
    return {**own, **_global_state(frame)}


def _attributes(frame: Any) -> Mapping[int, _Known]:
    """Return the attributes of the object whose method runs."""
    owner = frame.f_locals.get("self")
    held = getattr(owner, "__dict__", None)
    return {id(owner): _Known(owner, {name: _read(one) for name, one in held.items()})} if held else {}


def _read(value: Any) -> Any:
    """Return what a value is like, to be compared with a later one: the content of what is plain."""
    if isinstance(value, torch.Generator):
        return value.get_state().numpy().tobytes()
    try:
        if not isinstance(value, _PLAIN) or (isinstance(value, Sized) and len(value) > MOST_KEPT):
            return id(value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pickle.dumps(value)
    except Exception:  # noqa: BLE001  (what cannot be pickled is told apart by where it is)
        return id(value)


def _say_nothing(_before: Any, _now: Any) -> list[str]:
    return [""]


def _name_changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [name for name in {**before, **now} if before.get(name) != now.get(name)]


def _find_returns(name: str, *, with_none: bool = False) -> Finder:
    """Return what notes the lines from which functions of a name return or yield, or ``with_none`` end."""

    @contextmanager
    def find(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
        raised: Any = None

        def enter(frame: Any, _event: str, _value: Any) -> Any:
            is_meant = frame.f_code.co_name == name and holds(frame.f_code.co_filename)
            return leave if is_meant else None

        def leave(frame: Any, event: str, value: Any) -> Any:
            nonlocal raised
            if event == "return" and frame is not raised and (with_none or value is not None):
                note((frame.f_code.co_filename, frame.f_lineno), "")
            raised = frame if event == "exception" else None
            return leave

        with trace_calls(enter):
            yield

    return find


@contextmanager
def _find_collectives(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
    """Note the lines that call a collective of a simulated group, by themselves or through torch."""

    def enter(frame: Any, _event: str, _value: Any) -> Any:
        code = frame.f_code
        if code.co_filename == collectives.__file__ and code.co_name == collectives.ENTRANCE:
            while frame is not None and not holds(frame.f_code.co_filename):
                frame = frame.f_back
            if frame is not None:
                note((frame.f_code.co_filename, frame.f_lineno), "")

    with trace_calls(enter):
        yield


FINDERS: dict[Telling, Finder] = {
    "seeds": _find_seeds,
    "draws": _find_changes(_global_state, _say_nothing),
    "orders": _find_changes(_generator_states, _say_nothing),
    "len": _find_returns("__len__"),
    "yields": _find_returns("__iter__"),
    "state": _find_returns("state_dict"),
    "loads": _find_returns("load_state_dict", with_none=True),
    "epoch": _find_returns("set_epoch", with_none=True),
    "keeps": _find_changes(_attributes, _name_changed, unless=SETTERS),
    "meets": _find_collectives,
}
