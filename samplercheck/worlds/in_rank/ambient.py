"""The process's global random generators, as each simulated rank finds them, and whether it moves them.

Used by simulated worlds. Each rank of each case meets its own state. Instead of comparing whole
states, a few values are drawn that are known beforehand: a target that has used or reseeded a generator
changes what comes next. What a module draws while it is imported is not the target's doing, as where a
function that builds the target imports its package. Imports torch and numpy.
"""

from __future__ import annotations

import random
import sys
from functools import lru_cache
from typing import Any

import numpy as np

# Loaded now: numpy loads it on first use, which would count as the target's time.
import numpy.random
import torch

from samplercheck.values.case import Case

DRAWS = 16
STATES = 64
NAMES = ("random", "numpy", "torch")


class AmbientGenerators:
    """Seeds the generators for a rank and notices when the target moves them.

    Few targets do. Until one is seen to, a rank that is entered to be asked ``seldom`` is asked but once in
    its usual epochs; when that ``came_too_late`` to tell when it moved them, the rank has to begin again.
    """

    def __init__(self) -> None:
        self.came_too_late = self._moves = self._asks_seldom = False
        self._expected: list[tuple[int, int, int]] = []
        self._drawn = 0
        self._key = 0
        self._shared = False
        self._cell = torch.empty(1, dtype=torch.int64)
        self._bits: Any = None
        self._states: tuple[Any, ...] = ()
        self._modules = 0

    def enter(self, case: Case, rank: int, *, shared: bool, seldom: bool = False) -> None:
        """Put the generators into the state of one rank in one case."""
        self._shared, self.came_too_late, self._modules = shared, False, len(sys.modules)
        self._asks_seldom = seldom and not (shared or self._moves)
        if shared:
            self.share(case)
            return
        self._key = _key(case, rank)
        _seed(self._key)
        self._expected = _draws_after(self._key)
        self._drawn = 0

    def share(self, case: Case, *, watched: bool = False) -> None:
        """Put all generators into the one state that all ranks share in this case.

        Unless ``watched``, the first question after that learns nothing.
        """
        self._shared, self._modules = True, len(sys.modules)
        key = STATES + _key(case, 0)
        _seed(key)
        self._states = _states_once_seeded(key) if watched else ()

    def find_moved(self, *, may_wait: bool = False) -> tuple[str, ...] | None:
        """Name the generators that have been used or reseeded since the last question.

        One that ``may_wait`` for the next is left out where a rank is asked ``seldom``. None where a module
        was imported meanwhile: nobody knows who has used them.
        """
        if may_wait and self._asks_seldom:
            return ()
        known, self._modules = self._modules, len(sys.modules)
        has_imported = self._modules > known
        if self._shared:
            before, now = self._states, _states()
            self._states = now
            pairs = zip(NAMES, before, now, strict=True) if before else ()
            moved = tuple(name for name, old, new in pairs if old != new)
            return None if moved and has_imported else moved
        self._drawn += 1
        position = self._drawn
        if position == DRAWS:
            self._restart()
            self._drawn = position = 1
        drawn, expected = self._draw(), self._expected[position]
        if drawn == expected:
            return ()
        self._restart()
        if has_imported:
            return None
        self._moves, self.came_too_late = True, self._asks_seldom
        return tuple(name for name, old, new in zip(NAMES, expected, drawn, strict=True) if old != new)

    def _draw(self) -> tuple[int, int, int]:
        if self._bits is None:
            self._bits = _bit_generator()
        self._cell.random_()
        return random.getrandbits(64), self._bits.random_raw(), self._cell.item()  # type: ignore[return-value]  # it holds an integer

    def _restart(self) -> None:
        """Go on in another known state, so that one rank's misdeed is not blamed on the next."""
        self._key = (self._key + 1) % STATES
        _seed(self._key)
        self._expected = _draws_after(self._key)
        self._drawn = 0


def _key(case: Case, rank: int) -> int:
    """Return the number of a state that cases alike in all but one field do not share."""
    mixed = case.length * 7 + case.world_size * 29 + case.batch_size * 11 + case.seed * 3 + rank
    return (mixed + 17 * case.shuffle + 37 * case.drop_last) % STATES


def _seed(key: int) -> None:
    python, torchs = _states_of(key)
    random.setstate(python)
    np.random.seed(key)
    torch.default_generator.set_state(torchs)


@lru_cache(maxsize=2 * STATES)
def _states_of(key: int) -> tuple[Any, torch.Tensor]:
    """Return states of Python's and torch's generators that are set in half the time of seeding.

    After a draw, so that the next ones find their block of random words ready.
    """
    python, torchs = random.Random(key), torch.Generator().manual_seed(key)
    python.getrandbits(64)
    torch.empty(1, dtype=torch.int64).random_(generator=torchs)
    return python.getstate(), torchs.get_state()


@lru_cache(maxsize=STATES)
def _states_once_seeded(key: int) -> tuple[Any, ...]:
    """Return what all generators are in the state ``key``, in which they are left."""
    _seed(key)
    return _states()


@lru_cache(maxsize=STATES)
def _draws_after(key: int) -> list[tuple[int, int, int]]:
    """Return what each generator yields in the state ``key``; leaves the generators in that state."""
    _seed(key)
    bits = _bit_generator()
    cell = torch.empty(1, dtype=torch.int64)
    drawn = [(0, 0, 0)]
    for _ in range(DRAWS):
        cell.random_()
        drawn.append((random.getrandbits(64), bits.random_raw(), int(cell.item())))
    _seed(key)
    return drawn


def _bit_generator() -> Any:
    """Return what numpy's global functions draw from."""
    return np.random.get_bit_generator()  # type: ignore[attr-defined]  # missing in numpy's stubs


def _states() -> tuple[Any, ...]:
    name, keys, position, *rest = np.random.get_state(legacy=True)
    return (
        random.getstate(),
        (name, np.asarray(keys).tobytes(), position, tuple(rest)),
        torch.default_generator.get_state().numpy().tobytes(),
    )


class RestoredGenerators:
    """Keeps the states of all global generators and puts them back."""

    def __enter__(self) -> None:
        self._kept = (random.getstate(), np.random.get_state(), torch.default_generator.get_state())

    def __exit__(self, *_: object) -> None:
        random.setstate(self._kept[0])
        np.random.set_state(self._kept[1])
        torch.default_generator.set_state(self._kept[2])
