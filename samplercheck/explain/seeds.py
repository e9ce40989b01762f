"""Seeds: what code seeds random generators with, noted in one run and given again in another; their states.

Used by stand-ins. Met are ``random``, torch and numpy where they are asked for by their module, as in
``torch.Generator()``; a class that was imported by its own name is met in ``random`` alone. Imports torch.
"""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial, wraps
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np
import torch

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
PART = 4_096
"""Of a pass that is taken in parts, since it may be endless."""
ALIKE = 20_260
Placed = tuple[Any, str, Any]
PLACES: tuple[tuple[Any, str], ...] = (
    (random.Random, "seed"),
    (random, "seed"),
    (torch, "Generator"),
    (torch, "manual_seed"),
    *((np.random, name) for name in ("seed", "default_rng", "RandomState", *BIT_GENERATORS)),
)
_changes: list[Callable[[Any], Any]] = []
"""What the meetings that go on make of a seed, the outer ones first."""
GENERATORS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "random": (random.getstate, random.setstate),
    "numpy": (np.random.get_state, np.random.set_state),
    "torch": (torch.get_rng_state, torch.set_rng_state),
}


@contextmanager
def note_seeds(holds: Callable[[str], bool] = lambda _: True) -> Iterator[list[Any]]:
    """Note the seeds that code in certain files gives meanwhile, or in any, in their order."""
    noted: list[Any] = []

    def note(seed: Any) -> Any:
        if holds(frame_that_seeds().f_code.co_filename):
            noted.append(seed)
        return seed

    with meet_seeds(note):
        yield noted


def frame_that_seeds() -> FrameType:
    """Return the frame that seeds a generator, asked by what meets the seed."""
    frame = sys._getframe(2)  # noqa: SLF001  (the one way to see who calls)
    while frame.f_back and frame.f_code.co_filename in (__file__, random.__file__):
        frame = frame.f_back
    return frame


@contextmanager
def note_global_seeds(holds: Callable[[str], bool]) -> Iterator[list[tuple[str, Any]]]:
    """Note the seeds that code in certain files gives global generators meanwhile, each with its module."""
    noted: list[tuple[str, Any]] = []
    places = (("random", random, "seed"), ("numpy", np.random, "seed"), ("torch", torch, "manual_seed"))
    usual = [(holder, function, getattr(holder, function)) for _, holder, function in places]

    def noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def seed(number: Any = None, *others: Any, **named: Any) -> Any:
            if holds(sys._getframe(1).f_code.co_filename):  # noqa: SLF001  (the one way to see who calls)
                noted.append((name, number))
            return function(number, *others, **named)

        return seed

    try:
        for (name, holder, function), (_, _, before) in zip(places, usual, strict=True):
            setattr(holder, function, noting(name, before))
        yield noted
    finally:
        for holder, function, before in usual:
            setattr(holder, function, before)


def repeat_seeds(noted: Sequence[Any]) -> AbstractContextManager[None]:
    """Return a context in which the noted seeds come again, one by one, in the place of any others."""
    left = iter(noted)
    return meet_seeds(lambda seed: next(left, seed))


def give_seeds(epoch: int) -> AbstractContextManager[None]:
    """Return a context in which what is seeded with nothing gets a seed by the epoch, alike on all ranks."""
    return meet_seeds(lambda seed: ALIKE + epoch if seed is None else seed)


@contextmanager
def shuffle_lists() -> Iterator[None]:
    """Let ``random.shuffle`` shuffle a list meanwhile, whatever it is given.

    The elements of a tensor, and the rows of an array, are views: what it swaps would overwrite one another.
    """

    def shuffle(generator: random.Random, items: Any) -> None:
        listed = items if isinstance(items, list) else [copy.deepcopy(one) for one in items]
        usual(generator, listed)
        for place, one in enumerate(listed):
            items[place] = one

    usual, of_module = random.Random.shuffle, random.shuffle
    random.Random.shuffle = shuffle  # type: ignore[method-assign,assignment]
    random.shuffle = partial(shuffle, of_module.__self__)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        random.Random.shuffle, random.shuffle = usual, of_module  # type: ignore[method-assign]


def seed_all(number: int) -> None:
    """Put the process's generators into a state that depends on nothing but this number."""
    random.seed(ALIKE + number)
    np.random.seed(ALIKE + number)
    torch.default_generator.manual_seed(ALIKE + number)


def take_in_parts(behind: Any, generators: tuple[str, ...], begin: Callable[[], None]) -> Iterator[Any]:
    """Yield a pass; these generators go on from part to part, and are put back between them."""
    inside: list[tuple[Callable[[Any], Any], Any]] = []
    items: Iterator[Any] | None = None

    def take() -> list[Any]:
        nonlocal items
        for write, state in inside:
            write(state)
        if items is None:
            begin()
            items = iter(behind)
        part = list(islice(items, PART))
        inside[:] = _read(generators)
        return part

    while part := put_back(generators, take):
        yield from part
        if len(part) < PART:
            return


def _read(generators: tuple[str, ...]) -> list[tuple[Callable[[Any], Any], Any]]:
    """Return the states of these generators, each with what puts it back."""
    return [(write, read()) for read, write in (GENERATORS[name] for name in generators)]


def put_back(generators: tuple[str, ...], act: Callable[[], Any]) -> Any:
    """Do something and put these generators back into the state in which they were."""
    states = _read(generators)
    try:
        return act()
    finally:
        for write, state in states:
            write(state)


def global_state() -> tuple[Any, ...]:
    """Return the state of the three global generators, to be compared with a later one."""
    state = np.random.get_state(legacy=False)["state"]
    return random.getstate(), torch.get_rng_state().numpy().tobytes(), state["key"].tobytes(), state["pos"]


@contextmanager
def meet_seeds(change: Callable[[Any], Any]) -> Iterator[None]:
    """Let every seed that is given meanwhile go through ``change``, then through outer meetings'."""
    usual = tuple((holder, name, getattr(holder, name)) for holder, name in PLACES)
    stand_ins = () if _changes else _stand_ins(usual)
    _changes.append(change)
    try:
        for holder, name, stand_in in stand_ins:
            setattr(holder, name, stand_in)
        yield
    finally:
        _changes.pop()
        for holder, name, function in usual:
            setattr(holder, name, function)


def _meet(seed: Any) -> Any:
    for change in reversed(_changes):
        seed = change(seed)
    return seed


class _MetGenerator(torch.Generator):
    def manual_seed(self, seed: int) -> torch.Generator:
        return super().manual_seed(_meet(seed))

    def seed(self) -> int:
        number = _meet(None)
        return super().seed() if number is None else super().manual_seed(number).initial_seed()


@lru_cache(maxsize=1)
def _stand_ins(usual: tuple[Placed, ...]) -> tuple[Placed, ...]:
    """Return what stands in the place of each function and class meanwhile; made once, as it takes long."""
    seed_random = random.Random.seed

    def seed_instance(generator: random.Random, seed: Any = None, version: int = 2) -> None:
        seed_random(generator, _meet(seed), version)

    def stand_in_for(holder: Any, name: str, function: Any) -> Any:
        if holder is random:
            return partial(seed_instance, function.__self__)
        if holder is random.Random:
            return seed_instance
        if function is torch.Generator:
            return _MetGenerator
        return _seeded_class(name, function) if isinstance(function, type) else _seeding(function)

    return tuple((holder, name, stand_in_for(holder, name, function)) for holder, name, function in usual)


def _seeding(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def seeded(seed: Any = None, *others: Any, **named: Any) -> Any:
        return function(_meet(seed), *others, **named)

    return seeded


def _seeded_class(name: str, usual: Any) -> type:
    """Return a class of numpy whose objects are seeded with what the meetings make of the seed."""
    return type(name, (usual,), {"__init__": lambda self, seed=None: usual.__init__(self, _meet(seed))})
