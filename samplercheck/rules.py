"""Ready batch rules for ``Contract(batch_rule=...)``: what every batch has in common or stays within.

A rule is any callable (batch, features) -> bool; ``features["labels"]`` is a list with one value for each
sample. Judged by law batches-as-promised. Standard library alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samplercheck.errors import ContractError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["at_least", "budget", "homogeneous"]


@dataclass(frozen=True, slots=True)
class homogeneous:  # noqa: N801  (reads as a word in a contract)
    """All samples of a batch have the same value of a feature: ``homogeneous("labels")``."""

    feature: str

    def __post_init__(self) -> None:
        _check_feature(self.feature)

    def __call__(self, batch: Sequence[int], features: Mapping[str, Any]) -> bool:
        """Whether the batch has one value alone."""
        values = features[self.feature]
        return len({values[index] for index in batch}) <= 1


@dataclass(frozen=True, slots=True)
class at_least:  # noqa: N801  (reads as a word in a contract)
    """A batch has so many values of a feature, or as many as it and the dataset can have."""

    feature: str
    number: int

    def __post_init__(self) -> None:
        _check_feature(self.feature)
        _check_number("at_least", self.number)

    def __call__(self, batch: Sequence[int], features: Mapping[str, Any]) -> bool:
        """Whether the batch has enough values."""
        values = features[self.feature]
        found = {values[index] for index in batch}
        return len(found) >= self.number or len(found) in (len(batch), len(set(values)))


@dataclass(frozen=True, slots=True)
class budget:  # noqa: N801  (reads as a word in a contract)
    """The values of a batch add up to a maximum at most; a sample above it is a batch of its own.

    ``padded`` counts every sample as the largest of its batch. ``maximum`` may be the name of an axis.
    """

    feature: str
    maximum: float | str
    padded: bool = False

    def __post_init__(self) -> None:
        _check_feature(self.feature)
        if not isinstance(self.maximum, str):
            _check_number("budget", self.maximum)

    def __call__(self, batch: Sequence[int], features: Mapping[str, Any]) -> bool:
        """Whether the batch stays within the budget."""
        maximum = features[self.maximum] if isinstance(self.maximum, str) else self.maximum
        values = [features[self.feature][index] for index in batch]
        used = len(values) * max(values, default=0) if self.padded else sum(values)
        return bool(used <= maximum) or len(values) == 1


def _check_feature(feature: object) -> None:
    if feature not in ("labels", "lengths", "weights"):
        raise ContractError(f"Feature {feature!r} does not exist: use 'labels', 'lengths' or 'weights'.")


def _check_number(rule: str, number: object) -> None:
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not number > 0:
        raise ContractError(f"{rule}(...) needs a number above 0, not {number!r}.")
