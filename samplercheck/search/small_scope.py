"""The small scope: every case of a small grid in order of size, so that a first failure is smallest.

Called by the engine; no Hypothesis, no chance. A case parameter that the target does not name is
pinned. What the scope is, is said in the report: nothing is pruned silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from typing import Any

from samplercheck.search.axes import Options
from samplercheck.search.profiles import COST_OF_COLLECTIVES, Profile
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.choices import FEATURES
from samplercheck.values.scope_map import Place
from samplercheck.values.sizes import OF_ONE, OwnBatch

HUGE = 16
ZERO_FROM = 2
SHORTEST_SCOPE = 4
BESIDE = (
    *((1, 0), (2, 0), (2, 1), (1, -1), (1, 1), (2, -1), (3, 0), (4, 1)),
    *((3, -1), (3, 1), (4, -1), (4, 0), (6, 0), (6, 1), (5, 0), (8, 1)),
)
FEWEST_BESIDE = 6
"""Whole batches and samples more; where the scope is cut the last go first, and some stay in any case."""
ON_THE_MAP = ("world_size", "batch_size", "shuffle", "drop_last")


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallScope:
    """A grid of cases: the longest length, and what other fields run over, in ``columns`` by their names.

    Batches of a target's ``own`` size that few samples do not fill are met by lengths beside whole ones.
    """

    longest: int
    columns: Mapping[str, tuple[Any, ...]]
    epochs: int
    features: tuple[str, ...]
    options: Options
    own: OwnBatch = OF_ONE

    def cases(self) -> Iterator[Case]:
        """Every case of the grid, the smallest first."""
        for length in self.lengths:
            grid = product(*self.columns.values(), self.features_of(length), self.options)
            for *values, features, options in grid:
                yield self.case(
                    length=length,
                    features=features,
                    options=options,
                    **dict(zip(self.columns, values, strict=True)),
                )

    def case(self, **fields: Any) -> Case:
        """Return a case of the grid; ranks that share a batch have their part of it."""
        batch = self._part_of(fields["batch_size"], fields["world_size"])
        return Case(epochs=self.epochs, **{**fields, "batch_size": batch})

    def _part_of(self, batch: int, world_size: int) -> int:
        return self.own.on(world_size) if self.own.is_shared else batch

    def places(self) -> Iterator[Place]:
        """Where its cases lie, the settings that the map of a report sums up left out."""
        for length, world, batch, *flags in product(
            self.lengths, *(self.columns[name] for name in ON_THE_MAP)
        ):
            yield (length, world, self._part_of(batch, world), *flags)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The numbers of samples: all up to the longest, or the shortest and some beside whole batches."""
        size = self.own.size
        if size <= SHORTEST_SCOPE:
            return tuple(range(self.longest + 1))
        number = max(FEWEST_BESIDE, self.longest - SHORTEST_SCOPE)
        beside = [batches * size + more for batches, more in BESIDE[:number]]
        return tuple(sorted({*range(SHORTEST_SCOPE + 1), *beside}))

    def features_of(self, length: int) -> list[tuple[tuple[str, tuple[float, ...]], ...]]:
        """Return the patterns of features of this many samples."""
        return _feature_variants(self.features, length)

    @property
    def size(self) -> int:
        """The number of cases."""
        grid = prod(map(len, (*self.columns.values(), self.options)))
        return grid * sum(len(self.features_of(length)) for length in self.lengths)

    @property
    def text(self) -> str:
        """The scope in words."""
        length, *beside = _runs_of(self.lengths)
        more = f" and {', '.join(beside)}" if beside else ""
        parts = [f"length {length}{more}", f"world {_range(self.columns['world_size'])}"]
        if len(self.columns["batch_size"]) > 1:
            parts.append(f"batch {_range(self.columns['batch_size'])}")
        parts += [name for name in ("shuffle", "drop_last") if len(self.columns[name]) > 1]
        if len(self.columns["seed"]) > 1:
            parts.append(f"seeds {', '.join(map(str, self.columns['seed']))}")
        parts += [f"{name} in {len(_feature_variants((name,), HUGE))} patterns" for name in self.features]
        names = sorted({name for option in self.options for name, _ in option})
        for name in names:
            values = dict.fromkeys(str(dict(option)[name]) for option in self.options)
            parts.append(f"{name} {', '.join(values)}")
        parts.append(f"{self.epochs} epochs")
        return ", ".join(parts)


def scope_of(
    binding: Binding,
    profile: Profile,
    options: Options,
    *,
    collectives: bool = False,
) -> SmallScope:
    """Return the small scope of a target: the profile's grid over what the target names.

    A target that uses collectives is run again for each of them, so its grid is kept smaller.
    """
    most = profile.most_small // COST_OF_COLLECTIVES if collectives else profile.most_small
    named, step = binding.varied, binding.contract.replicas
    longest, own = profile.longest, OF_ONE if "batch_size" in named else binding.own_batch
    while True:
        scope = SmallScope(
            longest=longest,
            columns={
                "world_size": tuple(step * world for world in range(1, profile.widest + 1)),
                "batch_size": profile.batches if "batch_size" in named else (own.size,),
                "shuffle": (False, True) if "shuffle" in named else (False,),
                "drop_last": (False, True) if "drop_last" in named else (False,),
                "seed": profile.seeds if "seed" in named else (0,),
            },
            epochs=profile.epochs,
            features=tuple(name for name in FEATURES if name in named),
            options=options,
            own=own,
        )
        if scope.size <= most or longest <= SHORTEST_SCOPE:
            return scope
        longest -= 1


def _feature_variants(names: tuple[str, ...], length: int) -> list[tuple[tuple[str, tuple[float, ...]], ...]]:
    """Return the patterns of features: each name's patterns beside the others' first."""
    if not names or not length:
        return [()]
    patterns = {name: _PATTERNS[name](length) for name in names}
    number = max(len(variants) for variants in patterns.values())
    rows = [
        tuple((name, variants[min(row, len(variants) - 1)]) for name, variants in sorted(patterns.items()))
        for row in range(number)
    ]
    return sorted(set(rows))


def _lengths(length: int) -> list[tuple[float, ...]]:
    over = [1] * length
    over[length // 2] = HUGE
    return [(1,) * length, tuple(1 + (i * 7) % 5 for i in range(length)), tuple(over)]


def _labels(length: int) -> list[tuple[float, ...]]:
    one_alone = tuple(int(i == length - 1) for i in range(length))
    return [(0,) * length, tuple(i % 2 for i in range(length)), one_alone, tuple(range(length))]


def _weights(length: int) -> list[tuple[float, ...]]:
    rising = tuple(float(i + 1) for i in range(length))
    zero = tuple(float(i != length // 2) for i in range(length))
    return [(1.0,) * length, rising, *([zero] if length > ZERO_FROM else [])]


_PATTERNS = {"lengths": _lengths, "labels": _labels, "weights": _weights}


def _runs_of(values: tuple[int, ...]) -> list[str]:
    """Return the runs of neighbours among numbers in order, each as a text."""
    starts = [at for at, value in enumerate(values) if value - 1 not in values]
    parts = (values[start:end] for start, end in pairwise([*starts, len(values)]))
    return [f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts]


def _range(values: tuple[int, ...]) -> str:
    whole = values == tuple(range(values[0], values[-1] + 1))
    return f"{values[0]}-{values[-1]}" if whole and len(values) > 1 else ", ".join(map(str, values))
