"""Ready batch rules for ``Contract(batch_rule=...)``: what every batch has in common or stays within.

A rule is any callable (batch, features) -> bool; ``features["labels"]`` is a list with one value for each
sample. A ready one has a text as well, ``budget(lengths,100,padded)``, for files and options, which hold no
functions. Judged by law keeps-batch-rule. Standard library alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samplercheck.values.choices import FEATURES
from samplercheck.values.errors import ContractError

LARGEST = 2**53
_CALL = re.compile(r"(\w+)\(([^()]*)\)")
_NUMBER = re.compile(r"(0|[1-9][0-9]{0,19})(\.[0-9]{1,30})?(e[+-]?[0-9]{1,3})?")


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

    def __str__(self) -> str:
        return f"homogeneous({self.feature})"

    @property
    def breach(self) -> str:
        """What batches do that break it."""
        return f"batches mix {self.feature}"


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

    def __str__(self) -> str:
        return f"at_least({self.feature},{json.dumps(self.number)})"

    @property
    def breach(self) -> str:
        """What batches do that break it."""
        return f"batches have fewer than {self.number} {self.feature}"


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
        elif not self.maximum.isidentifier():
            raise ContractError(
                f"budget(...) has the maximum {self.maximum!r}: use a number, or the name of an axis."
            )

    def __call__(self, batch: Sequence[int], features: Mapping[str, Any]) -> bool:
        """Whether the batch stays within the budget."""
        maximum = features[self.maximum] if isinstance(self.maximum, str) else self.maximum
        values = [features[self.feature][index] for index in batch]
        used = len(values) * max(values, default=0) if self.padded else sum(values)
        return bool(used <= maximum) or len(values) == 1

    def __str__(self) -> str:
        maximum = self.maximum if isinstance(self.maximum, str) else json.dumps(self.maximum)
        return f"budget({self.feature},{maximum}{',padded' if self.padded else ''})"

    @property
    def breach(self) -> str:
        """What batches do that break it."""
        return f"batches exceed the budget of {self.feature}"


@dataclass(frozen=True, slots=True)
class distinct:  # noqa: N801  (reads as a word in a contract)
    """No sample is twice in a batch, unless the batch is larger than the dataset."""

    def __call__(self, batch: Sequence[int], features: Mapping[str, Any]) -> bool:
        """Whether all samples differ, or all that there are have come."""
        found = len(set(batch))
        return found in (len(batch), len(features["labels"]))

    def __str__(self) -> str:
        return "distinct()"

    @property
    def breach(self) -> str:
        """What batches do that break it."""
        return "batches hold a sample twice"


READY = (homogeneous, at_least, budget, distinct)


def ready_rule(text: str) -> homogeneous | at_least | budget | distinct:
    """Return the ready rule that a text names, the inverse of ``str``; a text leads to nothing else."""
    call = _CALL.fullmatch(text.strip())
    match (call[1], *(word.strip() for word in call[2].split(","))) if call else ():
        case ("distinct", ""):
            return distinct()
        case ("homogeneous", feature):
            return homogeneous(feature)
        case ("at_least", feature, number) if _NUMBER.fullmatch(number):
            return at_least(feature, json.loads(number))
        case ("budget", feature, maximum, *rest) if rest in ([], ["padded"]):
            known = _NUMBER.fullmatch(maximum)
            return budget(feature, json.loads(maximum) if known else maximum, padded=bool(rest))
    raise ContractError(
        f"Contract field batch_rule={text!r} is no ready rule: write homogeneous(labels), "
        "at_least(labels,2), budget(lengths,100), budget(lengths,100,padded) or distinct(). "
        "A rule of your own is a function, which no text can hold: "
        "declare it in Python, with samplercheck.target(..., contract=Contract(batch_rule=...))."
    )


def _check_feature(feature: object) -> None:
    if feature not in FEATURES:
        raise ContractError(f"Feature {feature!r} does not exist: use 'labels', 'lengths' or 'weights'.")


def _check_number(rule: str, number: object) -> None:
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number <= LARGEST:
        raise ContractError(f"{rule}(...) needs a number above 0 and at most 2**53, not {number!r}.")
