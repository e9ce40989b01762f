"""Seeds: what code seeds random generators with, noted in one run and given again in another.

Used by stand-ins. Met are ``random``, torch and numpy where they are asked for by their module, as in
``torch.Generator()``; a class that was imported by its own name is met in ``random`` alone. Imports torch.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial, wraps
from typing import Any

import numpy as np
import torch

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


@contextmanager
def note_seeds() -> Iterator[list[Any]]:
    """Note the seeds that are given meanwhile, in their order."""
    noted: list[Any] = []

    def note(seed: Any) -> Any:
        noted.append(seed)
        return seed

    with meet_seeds(note):
        yield noted


def repeat_seeds(noted: Sequence[Any]) -> AbstractContextManager[None]:
    """Return a context in which the noted seeds come again, one by one, in the place of any others."""
    left = iter(noted)
    return meet_seeds(lambda seed: next(left, seed))


def global_state() -> tuple[Any, ...]:
    """Return the state of the three global generators, to be compared with a later one."""
    state = np.random.get_state(legacy=False)["state"]
    return random.getstate(), torch.get_rng_state().numpy().tobytes(), state["key"].tobytes(), state["pos"]


@contextmanager
def meet_seeds(change: Callable[[Any], Any]) -> Iterator[None]:
    """Let every seed that is given meanwhile go through ``change``."""

    class Generator(torch.Generator):
        def manual_seed(self, seed: int) -> torch.Generator:
            return super().manual_seed(change(seed))

    def seeding(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def seeded(seed: Any = None, *others: Any, **named: Any) -> Any:
            return function(change(seed), *others, **named)

        return seeded

    def seed_instance(generator: random.Random, seed: Any = None, version: int = 2) -> None:
        seed_random(generator, change(seed), version)

    seed_random = random.Random.seed
    stand_ins: list[tuple[Any, str, Any]] = [
        (random.Random, "seed", seed_instance),
        (random, "seed", partial(seed_instance, random.seed.__self__)),  # type: ignore[attr-defined]
        (torch, "Generator", Generator),
        (torch, "manual_seed", seeding(torch.manual_seed)),
        *((np.random, name, seeding(getattr(np.random, name))) for name in ("seed", "default_rng")),
        *((np.random, name, _seeded_class(name, change)) for name in ("RandomState", *BIT_GENERATORS)),
    ]
    usual = [(holder, name, getattr(holder, name)) for holder, name, _ in stand_ins]
    try:
        for holder, name, stand_in in stand_ins:
            setattr(holder, name, stand_in)
        yield
    finally:
        for holder, name, function in usual:
            setattr(holder, name, function)


def _seeded_class(name: str, change: Callable[[Any], Any]) -> type:
    """Return a class of numpy whose objects are seeded with what ``change`` returns."""
    usual = getattr(np.random, name)
    return type(name, (usual,), {"__init__": lambda self, seed=None: usual.__init__(self, change(seed))})
