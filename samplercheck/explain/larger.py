"""Larger cases, chosen to refute a condition that is exact on the small scope.

Called by ``conditions``. Pure and deterministic: drawn once for a whole run, from a fixed seed and without
torch; ``candidates`` chooses among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from samplercheck.explain.large_atoms import LEAST_POWER, ROUND, is_power
from samplercheck.search.profiles import LARGEST_SEED
from samplercheck.targets.features import feature, with_values
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
ODD_POOL = 24
SELDOM_APART = 0.3
"""Labels that take turns are side by side in such a part of the cases."""


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
        if case.length > LEAST_POWER and not is_power(case.length):
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
        self._has_labels = any("labels" in dict(case.features) for case in small[-1:])
        self.has_seeds = len({case.seed for case in small}) > 1

    def batch(self, sizes: Sequence[int]) -> int:
        """Return one of the batch sizes, or the only one that there is."""
        return self.random.choice(sizes) if self.has_batches else self._first.batch_size

    def seed(self, seeds: Sequence[int]) -> int:
        """Return one of the seeds, or the only one that there is."""
        return self.random.choice(seeds) if self.has_seeds else self._first.seed

    def case(self, length: int, world: int, batch: int) -> Case:
        """Return a case of these sizes; labels lie side by side now and then, as made-up ones take turns."""
        case = self._first.but(
            length=length,
            world_size=world,
            batch_size=batch,
            shuffle=self.random.choice(self._shuffles),
            drop_last=self.random.choice(self._drops),
            seed=self.seed(SEEDS),
            features=(),
            options=self.random.choice(self._options),
        )
        if not self._has_labels or self.random.random() >= SELDOM_APART:
            return case
        return with_values(case, "labels", sorted(feature(case, "labels")))


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
