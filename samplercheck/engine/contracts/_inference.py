"""Inference: the contract that was found to hold for a target, and what refuted stricter ones.

Made by the search for a contract, read by the command line. Plain values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from samplercheck.values.contract import Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuted:
    """A promise that the target does not keep: the law that it breaks, and the smallest case seen."""

    code: str
    name: str
    token: str
    found: str
    promise: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A field that differs from the default, or that a stricter value was tried for.

    ``is_weaker`` says that it promises less than the default, or something else.
    """

    field: str
    value: Any
    is_weaker: bool
    refuted: Refuted | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """The strictest contract that was found to hold for a target.

    ``left`` are the laws that it breaks under the nearest contract; where there are any, no contract
    describes it, and ``contract`` is not to be used. ``anyway`` are those that no contract excuses.
    ``unsure`` names laws that stayed undecided.
    """

    target: str
    contract: Contract
    promises: tuple[Promise, ...]
    stricter: tuple[Refuted, ...]
    left: tuple[Refuted, ...]
    anyway: tuple[Refuted, ...]
    unsure: dict[str, str]
    profile: str
    asked: int

    @property
    def weaker(self) -> tuple[Promise, ...]:
        """The promises that are weaker than the default's: a design, or what a bug has written."""
        return tuple(promise for promise in self.promises if promise.is_weaker)
