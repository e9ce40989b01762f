"""Tellings: what a line of a target's code can be found by in one run: it seeds, draws, returns or changes.

Asked by ``lines``, which says whose lines count. Each finder notes what happened, and has no opinion on what
is wrong. It traces this process meanwhile. Imports the seeds, and with them torch.
"""

from __future__ import annotations

import pickle
import random
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch.utils.data import get_worker_info

from samplercheck import experiments
from samplercheck.explain import seeds
from samplercheck.explain.hashing import find_hashes
from samplercheck.explain.parting import find_parting
from samplercheck.explain.tracing import Line, Note, callers_of, frame_of_argument, trace_calls
from samplercheck.targets import inners
from samplercheck.targets.imports import INSTALLED
from samplercheck.values.wording import (
    ASKS_FOR_WORKER,
    CHANGES_OWN,
    DEALS_OUT,
    DRAWS_GLOBALLY,
    MARKS_INNER,
    PASSES_FROM,
    YIELDED_ALIKE,
    YIELDED_BY_WORKERS,
)
from samplercheck.worlds.simulation import collectives

Finder = Callable[[Callable[[str], bool], Note], AbstractContextManager[None]]

_OfPasses = Literal["seeds", "draws", "orders", "once", "len", "yields", "alike", "copied", "deals", "asks"]
_OfObjects = Literal["state", "loads", "epoch", "keeps", "meets", "marks", "reads", "hashes"]
Telling = _OfPasses | _OfObjects
TELLS: dict[Telling, str] = {
    "seeds": "this seeds the order",
    "draws": DRAWS_GLOBALLY,
    "orders": "this draws from a generator",
    "once": "this draws the order once",
    "len": "len() comes from here",
    "yields": PASSES_FROM,
    "alike": YIELDED_ALIKE,
    "copied": YIELDED_BY_WORKERS,
    "deals": DEALS_OUT,
    "asks": ASKS_FOR_WORKER,
    "state": "state_dict() ends here",
    "loads": "load_state_dict() ends here",
    "epoch": "set_epoch() ends here",
    "keeps": f"{CHANGES_OWN}{{}}",
    "meets": "this is a collective",
    "marks": MARKS_INNER,
    "reads": "this reads what is wrapped",
    "hashes": "{}",
}
SETTERS = ("__init__", "set_epoch", "load_state_dict")
"""What sets attributes on purpose: what a pass keeps is set elsewhere."""
MOST_KEPT = 1_000
MOST_LOOKED_AT = 2_000
"""Behind so many lines nothing is looked at any more: each look reads all generators."""
_EXPERIMENTS = str(Path(experiments.__file__).parent)
_TORCH = str(Path(torch.__file__).parent)
_GENERATORS = (torch.Generator, np.random.Generator, np.random.RandomState, random.Random)
_NUMBERS = (int, float, str, bytes, type(None), range)
_PLAIN = (*_NUMBERS, list, tuple, dict, set, frozenset, deque, torch.Tensor, np.ndarray, *_GENERATORS)


@contextmanager
def _find_seeds(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
    """Note the line that makes the seed of a generator; of several, the one that gives none, or no line."""
    lines: list[tuple[Line, list[Line], bool]] = []

    def meet(seed: Any) -> Any:
        frame = frame_of_argument(seeds.frame_that_seeds(), holds)
        lines.append(((frame.f_code.co_filename, frame.f_lineno), callers_of(frame, holds), seed is None))
        return seed

    with seeds.meet_seeds(meet):
        yield
    met = [one for one in lines if holds(one[0][0]) or {*INSTALLED} & {*Path(one[0][0]).parts}]
    deciding = {line for line, _, is_bare in met if is_bare} or {line for line, *_ in met}
    if len(deciding) == 1 and holds((line := deciding.pop())[0]):  # the kit seeds as well
        for callers in (callers for place, callers, _ in lines if place == line):
            note(line, "", callers)


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
                        note((frame.f_code.co_filename, number), name, callers_of(frame, holds))
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


def _inners(frame: Any) -> Mapping[int, _Known]:
    """Return what the kit's own samplers at hand are like, which wrappers get, and the lists they keep."""
    at_hand = [*frame.f_locals.values(), *getattr(frame.f_locals.get("self"), "__dict__", {}).values()]
    known = [one for one in at_hand if isinstance(one, inners.InnerSampler | inners.InnerBatchSampler)]
    return {id(one): _Known(one, (one.settings(), one.is_intact)) for one in known}


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
    """Return what notes the lines from which functions of a name return or yield, or ``with_none`` end.

    A length that somebody else's ``__len__`` asks for is not the one that is told; torch's tells it rightly.
    """

    @contextmanager
    def find(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
        raised: Any = None

        def enter(frame: Any, _event: str, _value: Any) -> Any:
            if frame.f_code.co_name != name or not holds(frame.f_code.co_filename):
                return None
            asks = frame.f_back.f_code
            is_inner = name == "__len__" == asks.co_name and not holds(asks.co_filename)
            return leave if not is_inner or asks.co_filename.startswith(_TORCH) else None

        def leave(frame: Any, event: str, value: Any) -> Any:
            nonlocal raised
            if event == "return" and frame is not raised and (with_none or value is not None):
                note((frame.f_code.co_filename, frame.f_lineno), "", ())
            raised = frame if event == "exception" else None
            return leave

        with trace_calls(enter):
            yield

    return find


def _find_calls(file: str, names: tuple[str, ...]) -> Finder:
    """Return what notes the lines that call functions of the kit or torch, by themselves or by others."""

    @contextmanager
    def find(holds: Callable[[str], bool], note: Note) -> Iterator[None]:
        def enter(frame: Any, _event: str, _value: Any) -> Any:
            code = frame.f_code
            if code.co_filename == file and code.co_name in names:
                while not (is_own := holds(frame.f_code.co_filename)) and frame.f_back is not None:
                    is_asked = frame.f_code.co_filename.startswith(_EXPERIMENTS)
                    frame = frame.f_back
                    if is_asked:  # behind the kit's question to the target nothing is the target's
                        return
                if is_own:
                    note((frame.f_code.co_filename, frame.f_lineno), "", ())

        with trace_calls(enter):
            yield

    return find


FINDERS: dict[Telling, Finder] = {
    "seeds": _find_seeds,
    "draws": _find_changes(_global_state, _say_nothing),
    **dict.fromkeys(("orders", "once"), _find_changes(_generator_states, _say_nothing)),
    "len": _find_returns("__len__"),
    **dict.fromkeys(("yields", "alike", "copied"), _find_returns("__iter__")),
    "deals": find_parting,
    "asks": _find_calls(get_worker_info.__code__.co_filename, (get_worker_info.__name__,)),
    "state": _find_returns("state_dict"),
    "loads": _find_returns("load_state_dict", with_none=True),
    "epoch": _find_returns("set_epoch", with_none=True),
    "keeps": _find_changes(_attributes, _name_changed, unless=SETTERS),
    "meets": _find_calls(collectives.__file__, (collectives.ENTRANCE,)),
    "marks": _find_changes(_inners, _say_nothing),
    "reads": _find_calls(inners.__file__, ("__iter__",)),
    "hashes": find_hashes,
}
