"""What the kit makes for targets: the identity dataset, per-sample features.

Used by bindings, inside a rank. Everything is derived from the case. Standard library alone.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from samplercheck.values.case import Case, Features
from samplercheck.values.contract import Contract

INNERS = ("sampler", "batch_sampler")
"""What a parameter may be called that names what the target wraps."""
HUGE = 16
SHARE_OF_HUGE = 0.1
LONGER, LEAVES_AS_MUCH = 16, 49
"""Of 49 times a length the rest by 2, 3, 4, 6, 8, 12, 16, 24 or 48 is that of the length itself."""
LONGEST, FEW = 2 * HUGE - 1, 64
"""Of many samples the last is the longest by a little: who looks at the first ones has not seen it."""
LEAST_OF_PARTS, LEAST_OF_THREE = 2, 5
OF_FOUR, THREE, LARGE_FIRST = 4, 1, 3
"""Of four lengths one makes three datasets, and one two of which the first is the larger one."""
UNEVEN = 9
"""So many times the first of two is the whole, of many samples of another one of four lengths: who goes
through both at one pace never comes to the end of the other."""
ASKED: set[str] = set()
"""The features that datasets of this process were asked for, since somebody cleared it."""
MOST_LABELS = 64
"""Datasets have as few classes as that, and many samplers take a pass through the data for each."""


def may_wrap_a_shuffle(contract: Contract, named: AbstractSet[str]) -> bool:
    """Whether what a wrapper wraps may shuffle: neither its names nor its contract say that nothing does.

    A contract says so by ``order="sequential"`` (evaluation) or ``epochs="fixed"``.
    """
    says_nothing = contract.order == "auto" and named.isdisjoint(("shuffle", "epoch"))
    return says_nothing and contract.epochs != "fixed"


class IdentityDataset:
    """A map-style dataset of ``length`` samples whose values are their own indices.

    In a dataset of several their values go on from ``first``, as indices do where such are concatenated.
    """

    __slots__ = ("__weakref__", "_given", "_made", "_seed", "_values")

    def __init__(self, length: int, seed: int = 0, given: Features = (), first: int = 0) -> None:
        self._values = range(first, first + length)
        self._seed = seed
        self._given = given
        self._made: dict[str, list[Any]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, position: int) -> int:
        try:
            return self._values[position]
        except IndexError:
            raise IndexError(f"index {position} is out of range for a dataset of {len(self)}") from None

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def __repr__(self) -> str:
        first, length = self._values.start, len(self)  # which holds the same samples
        return f"range({first}, {first + length})" if first else f"range({length})"

    def __reduce__(self) -> tuple[Any, ...]:
        return IdentityDataset, (len(self), self._seed, self._given, self._values.start)

    @property
    def lengths(self) -> list[int]:
        """A length for each sample, from 1 up, sometimes above a usual budget."""
        return self._feature("lengths")

    @property
    def labels(self) -> list[int]:
        """A label for each sample, from 0 up."""
        return self._feature("labels")

    @property
    def weights(self) -> list[float]:
        """A weight for each sample, at most one of them zero."""
        return self._feature("weights")

    def _feature(self, name: str) -> list[Any]:
        if name not in self._made:
            ASKED.add(name)
            self._made[name] = _values(name, len(self), self._seed, self._given)
        return self._made[name]


def with_values(case: Case, name: str, values: Sequence[Any]) -> Case:
    """Return the case whose samples have these values of a feature."""
    return case.but(features={**dict(case.features), name: values})


def lengthen(case: Case, times: int = LONGER) -> Case:
    """Return a case of many times as many samples, whose features are made for it again."""
    return case.but(length=case.length * times, features=())


def feature(case: Case, name: str) -> list[Any]:
    """Return the case's own values of a feature, or values derived from its length and seed."""
    return _values(name, case.length, case.seed, case.features)


def parts_of(case: Case) -> list[IdentityDataset]:
    """Return a case's samples as unlike datasets that are concatenated: two, three, or one of one sample."""
    sizes = _sizes_of_parts(case.length)
    firsts = (sum(sizes[:place]) for place in range(len(sizes)))
    return [IdentityDataset(size, case.seed, first=first) for size, first in zip(sizes, firsts, strict=True)]


def _sizes_of_parts(length: int) -> list[int]:
    """Return the sizes of datasets: either of two may be the larger one, and some lengths make three."""
    if length < LEAST_OF_PARTS:
        return [length]
    if length >= FEW and not length % OF_FOUR:
        return [length // UNEVEN, length - length // UNEVEN]
    small = max(1, length // 3)
    if length % OF_FOUR == THREE and length >= LEAST_OF_THREE:
        return [length // 4, length // 2, length - length // 4 - length // 2]
    return [length - small, small] if length % OF_FOUR == LARGE_FIRST else [small, length - small]


def part_weights_of(case: Case) -> list[float]:
    """Return a weight for each of the datasets that are concatenated: of equal ones nobody sees the use.

    They are alike where the weights of all samples are given, and alike.
    """
    are_alike = len({*dict(case.features).get("weights", ())}) == 1
    return [1.0 if are_alike else float(number) for number in range(1, len(parts_of(case)) + 1)]


def groups_of(case: Case, named: AbstractSet[str]) -> list[Any]:
    """Return the group of each sample: its label, or its dataset where a target takes more than one."""
    if "datasets" not in named:
        return feature(case, "labels")
    return [number for number, part in enumerate(parts_of(case)) for _ in range(len(part))]


OF_PARTS = {"datasets": parts_of, "shares": part_weights_of}
"""What is made of the samples of a case for parameters that mean more than one dataset."""


def _values(name: str, length: int, seed: int, given: Features) -> list[Any]:
    for own, values in given:
        if own == name:
            return list(values)
    draw = random.Random(f"{name}/{length}/{seed}")
    if name == "lengths":
        # The huge ones differ, so that one of many samples is the longest by itself.
        drawn = [
            HUGE + i % HUGE if draw.random() < SHARE_OF_HUGE else draw.randint(1, 9) for i in range(length)
        ]
        return [*(min(one, LONGEST - 1) for one in drawn[:-1]), LONGEST] if length > FEW else drawn
    if name == "labels":
        groups = max(1, min(length // 4, MOST_LABELS))
        return [draw.randrange(groups) for _ in range(length)]
    return [round(draw.uniform(0.1, 4.0), 3) for _ in range(length)]


def takes_shuffle_or_an_inner(taken: Mapping[str, inspect.Parameter]) -> bool:
    """Say whether a target takes what DataLoader does: shuffle, or a sampler or batches, and never both."""
    optional = all(taken[name].default is None for name in INNERS if name in taken)
    return optional and {"dataset", "shuffle", *INNERS} <= taken.keys()
