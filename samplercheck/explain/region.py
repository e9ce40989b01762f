"""Region: the simplest conditions that are true of exactly the failing cases, or of failing ones alone.

Called by ``conditions``. Pure: cases are the bits of large integers, so that comparing twelve thousand of
them with a condition is one operation. Deterministic: the order of the atoms decides between equals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray

from samplercheck.explain.atoms import Atom
from samplercheck.explain.table import Table

_Clause = tuple[tuple[Atom, ...], int]

LONGEST = 4
MOST_RIVALS = 16
MOST_NODES = 20_000
MOST_ALIKE = 2
MOST_PAIRED = 60
MOST_COMMON = 16
TELLING = 0.02
FEW = 3


@dataclass(frozen=True)
class Region:
    """Clauses joined by "or", each of atoms joined by "and"; a clause without atoms is every case."""

    clauses: tuple[tuple[Atom, ...], ...]

    @property
    def text(self) -> str:
        """The condition as a reader writes it."""
        if self.clauses == ((),):
            return "in every case"
        rows = [[atom.text for atom in clause] for clause in self.clauses]
        common = [text for text in rows[0] if len(rows) > 1 and all(text in row for row in rows)]
        left = [" and ".join(text for text in row if text not in common) for row in rows]
        if not all(left):  # one of the clauses is a part of all others
            return " and ".join(common)
        parts = [f"({part})" if len(left) > 1 and " and " in part else part for part in left]
        either = " or ".join(parts)
        return " and ".join([*common, f"({either})"]) if common else either

    @property
    def cost(self) -> tuple[int, int, int, str]:
        """Sort key: few atoms first, then plain ones."""
        atoms = [atom for clause in self.clauses for atom in clause]
        return len(atoms), sum(atom.cost for atom in atoms), len(self.text), self.text

    def covers(self, table: Table) -> NDArray[np.bool_]:
        """Say of each case whether the condition is true of it."""
        found = np.zeros(len(table.cases), dtype=bool)
        for clause in self.clauses:
            bits = np.ones(len(table.cases), dtype=bool)
            for atom in clause:
                bits &= atom.holds(table)
            found |= bits
        return found


def pack(bits: NDArray[np.bool_]) -> int:
    """Return the bits as one integer."""
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def _leave_out_guessed(masks: Sequence[tuple[Atom, int]]) -> list[tuple[Atom, int]]:
    """Return the atoms that say something also where they are no exact condition."""
    return [(atom, mask) for atom, mask in masks if not atom.guessed]


def exact_regions(masks: Sequence[tuple[Atom, int]], failing: int, passing: int) -> list[Region]:
    """Return the simplest regions that hold every failing case and no passing one, the best first."""
    clauses = _conjunctions(masks, failing, passing, LONGEST)
    if clauses:
        return _cheapest(Region((clause,)) for clause in clauses)
    return _cheapest(_split(_leave_out_guessed(masks), failing, passing))


def sufficient_regions(masks: Sequence[tuple[Atom, int]], failing: int, passing: int) -> list[Region]:
    """Return few atoms that no passing case meets and half of the failing ones do, the widest first.

    These are pairs or else, as where small sizes alone fail, two that every failing case meets and a third.
    """
    half, told = failing.bit_count() / 2, _leave_out_guessed(masks)
    wide = [((atom,), mask) for atom, mask in told if (mask & failing).bit_count() >= half][:MOST_PAIRED]
    whole = [(clause, mask) for clause, mask in wide if not failing & ~mask][:MOST_COMMON]
    rows: tuple[Iterable[_Clause], ...] = (chain(wide, _disjunctions(wide)), _thirds(whole, wide))
    for clauses in rows:
        found = [
            (clause, (mask & failing).bit_count())
            for clause, mask in clauses
            if not mask & passing and (mask & failing).bit_count() >= half
        ]
        if found:
            found.sort(key=lambda one: (-one[1], Region((one[0],)).cost))
            return [Region((clause,)) for clause, _ in found[:MOST_RIVALS]]
    return []


def necessary_regions(masks: Sequence[tuple[Atom, int]], failing: int, passing: int) -> list[Region]:
    """Return few atoms that every failing case meets and few passing ones, the strongest first.

    An atom belongs to them that excludes a part of the cases that nothing before it does. Where they leave
    more passing cases than failing ones, they tell too little.
    """
    if not failing:
        return []
    useful = _strongest(
        [(atom, passing & ~mask) for atom, mask in _leave_out_guessed(masks) if not failing & ~mask]
    )
    chosen: list[Atom] = []
    left = passing
    while useful and len(chosen) < LONGEST:
        atom, excluded = max(useful, key=lambda one: ((one[1] & left).bit_count(), -one[0].cost))
        if (excluded & left).bit_count() <= passing.bit_count() * TELLING:
            break
        chosen.append(atom)
        left &= ~excluded
    return [Region((tuple(chosen),))] if chosen and left.bit_count() <= failing.bit_count() else []


def _disjunctions(clauses: Sequence[_Clause]) -> Iterator[_Clause]:
    for (one, mask), (two, other) in combinations(clauses, 2):
        yield (*one, *two), mask & other


def _thirds(first: Sequence[_Clause], last: Sequence[_Clause]) -> Iterator[_Clause]:
    for (pair, mask), (third, other) in product(_disjunctions(first), last):
        if third[0] not in pair:
            yield (*pair, *third), mask & other


def _cheapest(regions: Iterable[Region]) -> list[Region]:
    return sorted(regions, key=lambda region: region.cost)[:MOST_RIVALS]


def _conjunctions(
    masks: Sequence[tuple[Atom, int]], failing: int, passing: int, longest: int
) -> list[tuple[Atom, ...]]:
    """Return the shortest clauses that are true of all failing cases and of no passing one."""
    if not failing:
        return []
    if not passing:
        return [()]
    needed = [(atom, passing & ~mask) for atom, mask in masks if not failing & ~mask]
    useful = _strongest([(atom, excluded) for atom, excluded in needed if excluded])
    if _union(useful) != passing:
        return []
    search = _Cover(useful)
    for size in range(1, longest + 1):
        search.extend((), passing, size)
        if search.found:
            return search.found
    return []


def _union(atoms: Iterable[tuple[Atom, int]]) -> int:
    union = 0
    for _, excluded in atoms:
        union |= excluded
    return union


def _strongest(atoms: list[tuple[Atom, int]]) -> list[tuple[Atom, int]]:
    """Leave out what excludes fewer cases than another atom that costs no more; an equal stays."""
    kept: list[tuple[Atom, int]] = []
    for atom, excluded in atoms:
        stronger = any(
            excluded != other and not excluded & ~other and one.cost <= atom.cost for one, other in atoms
        )
        alike = sum(excluded == other for _, other in kept)
        if not stronger and alike < MOST_ALIKE:
            kept.append((atom, excluded))
    return kept


class _Cover:
    """Finds the sets of atoms of one size that together exclude every passing case."""

    def __init__(self, atoms: list[tuple[Atom, int]]) -> None:
        self._atoms = atoms
        self._left = MOST_NODES
        self._seen: set[frozenset[str]] = set()
        self.found: list[tuple[Atom, ...]] = []

    def extend(self, chosen: tuple[Atom, ...], uncovered: int, size: int) -> None:
        """Choose ``size`` more atoms; the next one must exclude the first case that is still covered."""
        if not self._left or len(self.found) >= MOST_RIVALS:
            return
        self._left -= 1
        first = uncovered & -uncovered
        for atom, excluded in self._atoms:
            if not excluded & first:
                continue
            left = uncovered & ~excluded
            if not left:
                self._keep((*chosen, atom))
            elif size > 1:
                self.extend((*chosen, atom), left, size - 1)

    def _keep(self, clause: tuple[Atom, ...]) -> None:
        names = frozenset(atom.text for atom in clause)
        if names not in self._seen:
            self._seen.add(names)
            self.found.append(tuple(sorted(clause, key=lambda atom: (atom.cost, atom.text))))


def _split(masks: Sequence[tuple[Atom, int]], failing: int, passing: int) -> list[Region]:
    """Return disjunctions of two clauses: one for where an atom is true, one for where it is false.

    Each is about several failing cases: by one alone nobody could say where others fail.
    """
    by_mask = {mask: atom for atom, mask in reversed(masks)}
    every = failing | passing
    found = []
    for atom, mask in masks:
        opposite = by_mask.get(every & ~mask)
        if opposite is None or min((failing & mask).bit_count(), (failing & ~mask).bit_count()) < FEW:
            continue
        inside = _conjunctions(masks, failing & mask, passing & mask, 2)
        outside = _conjunctions(masks, failing & ~mask, passing & ~mask, 2) if inside else []
        if outside:
            first = _without_idle_atoms((atom, *inside[0]), masks, failing, passing)
            second = _without_idle_atoms((opposite, *outside[0]), masks, failing, passing)
            found.append(Region((first, second)))
    return found


def _without_idle_atoms(
    clause: tuple[Atom, ...], masks: Sequence[tuple[Atom, int]], failing: int, passing: int
) -> tuple[Atom, ...]:
    """Leave out the atoms without which no passing case is let in."""
    known = {atom.text: mask for atom, mask in masks}
    for atom in clause:
        rest = tuple(one for one in clause if one is not atom)
        mask = failing | passing
        for one in rest:
            mask &= known[one.text]
        if rest and not mask & passing:
            clause = rest
    return clause
