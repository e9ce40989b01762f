"""Larger cases, chosen to refute a condition that is exact on the small scope, and conditions of them alone.

Called by ``conditions``. Pure and deterministic: drawn once for a whole run, from a fixed seed and without
torch; ``candidates`` chooses among them. Where only large cases fail, large atoms are conditions of sizes
that no small case has, ``world_size >= 11`` or ``seed >= 2**31``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from random import Random
from typing import Any

from samplercheck.explain import atoms
from samplercheck.explain.atoms import BATCH, LENGTH, SEED, SHARE, WORLD, Atom, Term, compare, constant
from samplercheck.explain.table import LARGEST, Table
from samplercheck.search.profiles import LARGEST_SEED
from samplercheck.values.case import Case

POOL, LONGEST, LONGEST_WITH_COLLECTIVES = 1500, 64, 24
WORLD_SIZES = (1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12, 16)
FEW_RANKS = 6
BATCHES = (1, 2, 2, 3, 4, 5, 6, 7, 8, 12)
SEEDS = (0, 0, 1, 2, 3, 7, 42, 1234, 2**31 - 1)
BESIDE = (-1, 0, 0, 1, 7)

NEAR = (1, 2, 4, 8, 9, 12, 15, 16, 17, 24, 32, 40, 64)
NEAR_POOL, NEAR_MOST = 120, 6
FAR = (100, 1_000, 10_000)
FAR_POOL = 90
FAR_WORLDS = (2, 3, 4, 5, 8, 16, 32, 64, 128)
FAR_BATCHES = (1, 2, 3, 4, 8)
FAR_WORK = 20_000

ODD_BATCHES = (33, 256, 17, 128, 64)
ODD_SEEDS = (2**32 + 5, 2**31, 2**40 + 1)
ODD_POOL, MOST_LARGE = 24, 60
ROUND = (2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096)
BITS = (31, 32)
LEAST_POWER = 2**15
BELOW = Term("length - 1", lambda table: table.length - 1)
COSTS = {LENGTH: 3, WORLD: 3, BATCH: 3, SHARE: 5}
LEAST = {LENGTH: atoms.LOW.stop, WORLD: atoms.FEW.stop, BATCH: atoms.FEW.stop, SHARE: atoms.LOW.stop}
"""The first value that no condition of small cases is about."""


def larger_cases(
    small: Sequence[Case], *, number: int = POOL, step: int = 1, collectives: bool = False
) -> list[Case]:
    """Return cases beyond a small scope; what never varies there does not vary here.

    ``step`` is what a world must be a multiple of. With ``collectives``, for each of which ranks are
    run again, the cases stay modest.
    """
    most = LONGEST_WITH_COLLECTIVES if collectives else LONGEST
    worlds = [world for world in WORLD_SIZES if world <= FEW_RANKS or not collectives]
    longest = max((case.length for case in small), default=0)
    drawing = _Drawing("larger cases", small)
    known = set(small)
    found: dict[Case, None] = {}
    for _ in range(2 * number):
        world = step * drawing.random.choice(worlds)
        batch = drawing.batch(BATCHES)
        length = _length(drawing.random, world, batch, (longest + 1, max(most, 2 * longest)))
        case = drawing.case(length, world, batch)
        if case not in known and len(found) < number:
            found[case] = None
    return list(found)


def far_cases(small: Sequence[Case], *, lengths: Sequence[int] = FAR, step: int = 1) -> list[Case]:
    """Return cases far beyond a small scope, of one length after the other, that are cheap for their size."""
    drawing = _Drawing("far cases", small)
    found: dict[Case, None] = {}
    for number in range(FAR_POOL):
        around = lengths[number % len(lengths)]
        worlds = [step * world for world in FAR_WORLDS if step * world * around <= FAR_WORK]
        world = drawing.random.choice(worlds or [step])
        batch = drawing.batch(FAR_BATCHES)
        whole = around // (world * batch) * world * batch or around
        found[drawing.case(whole + drawing.random.choice(BESIDE), world, batch)] = None
    return list(found)


def odd_cases(small: Sequence[Case], *, step: int = 1) -> list[Case]:
    """Return short cases of the largest batches and seeds in turn, where a small scope varies these."""
    drawing = _Drawing("odd cases", small)
    batches = ODD_BATCHES if drawing.has_batches else ()
    found: dict[Case, None] = {}
    for turn in range(ODD_POOL):
        for sizes, seeds in ((batches, ()), ((), ODD_SEEDS if drawing.has_seeds else ())):
            batch = sizes[turn % len(sizes)] if sizes else drawing.batch(BATCHES)
            world = step * drawing.random.choice(WORLD_SIZES[:6])
            length = drawing.random.randint(1, 3) * world * batch + drawing.random.choice(BESIDE)
            case = drawing.case(length, world, batch)
            if sizes or seeds:
                found[case.but(seed=seeds[turn % len(seeds)]) if seeds else case] = None
    return list(found)


def near_cases(small: Sequence[Case], failing: Sequence[Case], *, step: int = 1) -> list[Case]:
    """Return cases around those that fail beyond a small scope: neighbours, multiples and halves."""
    drawing = _Drawing("near cases", small)
    found: dict[Case, None] = {}
    for case in sorted(failing)[:NEAR_MOST]:
        worlds = [step * world for world in (*_around(case.world_size // step), case.length // step) if world]
        for _ in range(NEAR_POOL):
            world = drawing.random.choice([case.world_size, case.world_size, *worlds])
            batch = drawing.batch([case.batch_size, case.batch_size, *_around(case.batch_size)])
            most = max(2 * case.length, min(8 * case.length, FAR_WORK // world), 2 * world * batch, 2)
            drawn = _length(drawing.random, world, batch, (1, most))
            length = drawing.random.choice((case.length, drawing.random.choice(_around(case.length)), drawn))
            seed = drawing.seed([case.seed, case.seed, *_beside(case.seed)])
            if length * world <= max(FAR_WORK, case.length * case.world_size):
                found[drawing.case(length, world, batch).but(epochs=case.epochs, seed=seed)] = None
        # The share of a rank is another where there is one rank more.
        found[case.but(world_size=case.world_size + step)] = None
        # What a power of two of samples ends may begin at the one before it.
        if case.length > LEAST_POWER and not _is_power(case.length):
            found[case.but(length=2 ** case.length.bit_length() + 1, world_size=step)] = None
        # A length that a round number divides is refuted by the next that it divides, as few others do.
        for number in ROUND:
            found[case.but(length=case.length - case.length % number + number)] = None
    return _unlike_first(found)


def _unlike_first(cases: Iterable[Case]) -> list[Case]:
    """Return the cases with those first whose sizes, one by one, have come least often."""
    often: Counter[tuple[str, int]] = Counter()
    ranked = []
    for place, case in enumerate(cases):
        sizes = [(name, getattr(case, name)) for name in ("length", "world_size", "batch_size", "seed")]
        ranked.append((sum(often[one] for one in sizes), place, case))
        often.update(sizes)
    return [case for *_, case in sorted(ranked)]


def _beside(seed: int) -> list[int]:
    """Return the neighbours of a large seed, its double and its half; of a small one what is usual."""
    near = [number for number in (seed - 1, seed + 1, seed // 2, 2 * seed, 0) if number < LARGEST_SEED]
    return near if seed > max(SEEDS) else list(SEEDS)


def _around(number: int) -> list[int]:
    values = (*(number + by for by in (-3, -2, -1, 1, 2, 3)), 2 * number, 3 * number // 2, number // 2)
    return [value for value in (*values, *NEAR) if value >= 1]


class _Drawing:
    """Draws cases like those of a small scope, always the same ones under one name."""

    def __init__(self, name: str, small: Sequence[Case]) -> None:
        self.random = Random(name)
        self._first = small[0]
        self._options = list(dict.fromkeys(case.options for case in small))
        self._shuffles = sorted({case.shuffle for case in small})
        self._drops = sorted({case.drop_last for case in small})
        self.has_batches = len({case.batch_size for case in small}) > 1
        self.has_seeds = len({case.seed for case in small}) > 1

    def batch(self, sizes: Sequence[int]) -> int:
        """Return one of the batch sizes, or the only one that there is."""
        return self.random.choice(sizes) if self.has_batches else self._first.batch_size

    def seed(self, seeds: Sequence[int]) -> int:
        """Return one of the seeds, or the only one that there is."""
        return self.random.choice(seeds) if self.has_seeds else self._first.seed

    def case(self, length: int, world: int, batch: int) -> Case:
        """Return a case of these sizes."""
        return self._first.but(
            length=length,
            world_size=world,
            batch_size=batch,
            shuffle=self.random.choice(self._shuffles),
            drop_last=self.random.choice(self._drops),
            seed=self.seed(SEEDS),
            features=(),
            options=self.random.choice(self._options),
        )


def _length(random: Random, world: int, batch: int, beyond: tuple[int, int]) -> int:
    """Return a length: beyond the small scope, near a whole number of rounds, or near the world.

    Or within the small scope, where other seeds and batch sizes than there show what is due to these.
    """
    kind = random.choice(("any", "tiny", "rounds", "batches", "within"))
    if kind == "any":
        return random.randint(*beyond)
    if kind == "within":
        return random.randint(0, beyond[0])
    if kind == "tiny":
        return random.randint(0, world + 1)
    step = world * batch if kind == "batches" else world
    rounds = random.randint(1, max(1, beyond[1] // step))
    return max(0, rounds * step + random.choice(BESIDE))


def large_atoms(table: Table, around: Sequence[Case]) -> Iterator[Atom]:
    """Cut the larger values of each size in two, near those of some cases first; divide by round numbers."""
    near = Table(around)
    for size, cost in COSTS.items():
        values = {value for value in size.of(table).tolist() if value >= LEAST[size]}
        for number in _nearest(values, size.of(near).tolist()):
            yield from _cuts(size, cost, number)
        if size is not SHARE:
            yield from _powers(size)
            for number in ROUND:
                yield from atoms.ask_for_rest(_left_by(size, number), 4)
    seeds = {case.seed for case in around if atoms.LOW.stop <= case.seed < LARGEST}
    for number in sorted(seeds | {2**bits for bits in BITS}):
        yield from _cuts(SEED, 3, number)
    last = Term("seed + epochs", lambda table: table.seed + table.epochs)
    for bits in BITS:
        yield from compare(last, _write(2**bits), {">": 2})


def _nearest(values: set[int], to: Sequence[int]) -> list[int]:
    """Return the values that are nearest to some others, few enough, in their order."""
    return sorted(sorted(values, key=lambda one: (min(abs(one - other) for other in to), one))[:MOST_LARGE])


def _cuts(size: Term, cost: int, number: int) -> Iterator[Atom]:
    if number > LEAST_POWER and _is_power(number - 1):
        return compare(size, _write(number - 1), {">": cost, "<=": cost + 1})
    return compare(size, _write(number), {">=": cost, "<": cost + 1})


def _is_power(number: Any) -> Any:
    """Whether a number is a power of two, or which of several are."""
    return (number > 0) & (number & (number - 1) == 0)


def _write(number: int) -> Term:
    """Return a number as a reader of code writes it."""
    if number < LEAST_POWER or not (_is_power(number) or _is_power(number + 1)):
        return constant(number)
    power = number.bit_length() - 1
    return constant(number, f"2**{power}" if _is_power(number) else f"2**{power + 1} - 1")


def power_atoms() -> Iterator[Atom]:
    """Ask of small sizes whether they are powers of two, which of samples says something only where exact."""
    sizes = (LENGTH, BELOW, WORLD, BATCH)
    return chain.from_iterable(_powers(size, 6, guessed=size is not WORLD) for size in sizes)


def _powers(size: Term, cost: int = 3, *, guessed: bool = False) -> Iterator[Atom]:
    yield Atom(f"{size.text} is a power of two", cost, lambda table: _is_power(size.of(table)), guessed)
    yield Atom(f"{size.text} is no power of two", cost + 2, lambda table: ~_is_power(size.of(table)), guessed)


def _left_by(size: Term, number: int) -> Term:
    return Term(f"{size.text} % {number}", lambda table: size.of(table) % number)
