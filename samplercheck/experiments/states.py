"""States on their way through a checkpoint: what a file would give back, and why one could not keep it.

Used by the experiments on resuming, inside a rank. Nearly every state is made of plain values, which a copy
keeps as a file does; for others torch is imported, on first use.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Sequence
from typing import Any

from samplercheck.experiments.stopped import say_error
from samplercheck.values.wording import pluralise

PLAIN = (int, str, bool, float, type(None))
LARGEST = 2**63


def copy_state(state: Any) -> Any:
    """Return the state as it is now; its object may go on changing it."""
    try:
        return _plain_copy(state)
    except TypeError:
        pass
    try:
        return copy.deepcopy(state)
    except Exception:  # noqa: BLE001  (copying runs the state's own code)
        return state


def pass_through_file(state: Any) -> tuple[Any, str]:
    """Return the state as a checkpoint gives it back, and why torch's safe loading refuses it, if so.

    What is refused is copied all the same, so that it can be seen whether the rest would be right.
    """
    try:
        return _plain_copy(state), ""
    except TypeError:
        pass
    try:
        return from_file(_write(state)), ""
    except Exception as error:  # noqa: BLE001  (pickling runs the state's own code)
        return copy_state(state), say_error(error)


def file_of(state: Any) -> bytes:
    """Return what torch writes of a state; nothing where it cannot."""
    try:
        return _write(state)
    except Exception:  # noqa: BLE001  (pickling runs the state's own code)
        return b""


def _write(state: Any) -> bytes:
    import torch

    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


def from_file(data: bytes) -> Any:
    """Return the state that torch reads by its safe loading."""
    import torch

    return torch.load(io.BytesIO(data), weights_only=True)


def is_same(state: Any, other: Any) -> bool:
    """Whether two states hold the same."""
    if type(state) is not type(other):
        return False
    if isinstance(state, dict):
        return state.keys() == other.keys() and all(
            is_same(value, other[key]) for key, value in state.items()
        )
    if isinstance(state, (list, tuple)):
        if _are_numbers(state) and _are_numbers(other):
            return bool(state == other)
        return len(state) == len(other) and all(map(is_same, state, other))
    if hasattr(state, "shape") and hasattr(state, "tolist"):
        return bool(state.shape == other.shape and (state == other).all())
    return bool(state == other)


def find_reshaped(state: Any, other: Any, path: str = "state") -> str:
    """Say where two states differ in keys, numbers of items or shapes of arrays; empty where nowhere."""
    if isinstance(state, dict) and isinstance(other, dict):
        if state.keys() != other.keys():
            return f"{path} has the keys {_keys(state)}, and then {_keys(other)}"
        parts = ((state[key], other[key], f"{path}[{key!r}]") for key in state)
    elif isinstance(state, (list, tuple)) and isinstance(other, (list, tuple)):
        if len(state) != len(other):
            return f"{path} has {len(state)} items, and then {len(other)}"
        parts = ((one, two, f"{path}[{at}]") for at, (one, two) in enumerate(zip(state, other, strict=True)))
    else:
        shapes = tuple(getattr(state, "shape", ())), tuple(getattr(other, "shape", ()))
        return f"{path} has the shape {shapes[0]}, and then {shapes[1]}" if shapes[0] != shapes[1] else ""
    return next(filter(None, (find_reshaped(*part) for part in parts)), "")


def find_changed(state: Any, other: Any, path: str = "state") -> str:
    """Say where two states hold other plain values or numbers; empty where none is seen to differ."""
    if type(state) is not type(other):
        return ""
    if hasattr(state, "tolist"):
        state, other = state.tolist(), other.tolist()
    if isinstance(state, dict):
        if state.keys() != other.keys():
            return f"{path} had the keys {_keys(state)}, and has {_keys(other)}"
        parts = ((state[key], other[key], f"{path}[{key!r}]") for key in state)
    elif isinstance(state, (list, tuple)):
        if len(state) != len(other):
            return f"{path} had {pluralise(len(state), 'item')}, and has {len(other)}"
        if _are_numbers(state) and state == other:
            return ""
        parts = ((one, two, f"{path}[{at}]") for at, (one, two) in enumerate(zip(state, other, strict=True)))
    else:
        is_other = isinstance(state, PLAIN) and state != other and state == state  # noqa: PLR0124  (nan)
        return f"{path} was {state!r:.40}, and is {other!r:.40}" if is_other else ""
    return next(filter(None, (find_changed(*part) for part in parts)), "")


def missing_keys(state: Any, template: Any) -> tuple[str, ...]:
    """Return the keys of a state that another one lacks; nothing where these are no dictionaries."""
    if not (isinstance(state, dict) and isinstance(template, dict)):
        return ()
    return tuple(sorted(str(key) for key in state.keys() - template.keys()))


def _keys(state: dict[Any, Any]) -> str:
    return ", ".join(sorted(map(repr, state))) or "none"


def _are_numbers(items: Sequence[Any]) -> bool:
    """Whether these are whole numbers and nothing else, as hundreds in the state of a generator are."""
    return set(map(type, items)) == {int}


def _plain_copy(value: Any) -> Any:
    """Copy dictionaries, lists and tuples of plain values; ``TypeError`` where there is anything else."""
    kind = type(value)
    if kind is int and not -LARGEST <= value < LARGEST:
        raise TypeError
    if kind in PLAIN:
        return value
    if kind in (list, tuple) and _are_numbers(value):
        if min(value) < -LARGEST or max(value) >= LARGEST:
            raise TypeError
        return value[:]
    if kind is list:
        return [_plain_copy(item) for item in value]
    if kind is tuple:
        return tuple([_plain_copy(item) for item in value])
    if kind is dict:
        return {_plain_copy(key): _plain_copy(item) for key, item in value.items()}
    raise TypeError
