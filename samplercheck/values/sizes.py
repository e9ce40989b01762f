"""Sizes: the one size that a run is about, where the user says it, and that of a target's own batches.

The first is part of a plan; what is not said depends on the target and on the world. Standard library alone.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from samplercheck.values.errors import UsageError

LARGEST = 2**63 - 1
_WAYS = (r"\d{1,3}(?:[_,]\d{3})+", r"\d{1,19}", r"\d{1,4}(?:\.\d{1,3})?[eE]\+?\d{1,2}", r"\d{1,4}\^\d{1,2}")
_NUMBER = re.compile("|".join(_WAYS), re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How large the cases of a run are; None leaves the ranks and the batches to the run."""

    length: int
    world_size: int | None = None
    batch_size: int | None = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None and not 1 <= value <= LARGEST:
                raise UsageError(f"{name}={value} is no size: use an integer from 1 up.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class OwnBatch:
    """How many samples the batches of a target hold that cannot be asked for a size: ``size`` on one rank.

    Where it ``is_shared``, every rank has its part of it, as in ``256 // world_size``.
    """

    size: int = 1
    is_shared: bool = False

    def on(self, world_size: int) -> int:
        """Return the size of one rank's batches in a world of so many."""
        return max(1, self.size // world_size) if self.is_shared else self.size

    def reaches(self, world_size: int) -> bool:
        """Whether each of so many ranks has a part of a batch, or a whole one."""
        return not self.is_shared or world_size <= self.size


OF_ONE = OwnBatch()
"""What has no batches of its own, or is asked for their size."""


def sizes_from(
    length: int | None, world_size: int | None = None, batch_size: int | None = None
) -> Sizes | None:
    """Return the sizes that were said; None where none was."""
    if length is not None:
        return Sizes(length=length, world_size=world_size, batch_size=batch_size)
    if world_size is not None or batch_size is not None:
        raise UsageError("A run of one size needs the length of the dataset, too: add --length (length=).")
    return None


def read_size(text: str, where: str) -> int:
    """Return the whole number that a text stands for: 100000, 1e8, 1_000_000, 10^8."""
    text = text.strip()
    base, _, exponent = re.sub("[_,]", "", text).partition("^")
    number = Fraction(base) ** int(exponent or 1) if _NUMBER.fullmatch(text) else None
    if number is None or number.denominator > 1:
        raise UsageError(f"{where} is {text!r}, no whole number: write 1e8, 100000000 or 10^8.")
    if number > LARGEST:
        raise UsageError(f"{where} is {text!r}, which is too large: at most {LARGEST}.")
    return int(number)
