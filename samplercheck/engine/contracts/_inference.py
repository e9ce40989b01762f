"""Inference: what was seen under one contract, the contract that holds for a target, what refuted others.

Made by the search for a contract, read by the command line. Plain values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from samplercheck.laws.law import Law
from samplercheck.laws.selection import in_order
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Failure


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
class InferenceVerdict:
    """What was seen under one ``contract``: failures by the codes of their laws, and the laws that held.

    ``anyway`` are the failures that no contract excuses. ``kind`` is what the target turned out to
    be: "samples", "batches" or another.
    """

    contract: Contract
    kind: str
    failures: dict[str, Failure]
    anyway: dict[str, Failure]
    names: dict[str, str]
    held: frozenset[str]
    undecided: dict[str, str]

    @classmethod
    def of(
        cls,
        contract: Contract,
        kind: str,
        broken: Mapping[Law, Failure],
        *,
        held: Iterable[str],
        undecided: dict[str, str],
    ) -> InferenceVerdict:
        """Return a verdict; what is owed under any contract decides nothing about one."""
        return cls(
            contract=contract,
            kind=kind,
            failures={law.code: failure for law, failure in broken.items() if not law.whatever_promised},
            anyway={law.code: failure for law, failure in broken.items() if law.whatever_promised},
            names={law.code: law.name for law in broken},
            held=frozenset(held),
            undecided=undecided,
        )

    def list_refuted(self, failures: dict[str, Failure]) -> tuple[Refuted, ...]:
        """Return failures as an inference lists them, the smallest case first."""
        broken = sorted(failures.items(), key=lambda one: (one[1].case, one[0]))
        return tuple(
            Refuted(code=code, name=self.names[code], token=failure.case.token, found=failure.violation.found)
            for code, failure in broken
        )

    def refutes(self, promise: str) -> Refuted:
        """Return what speaks against a promise: the smallest failure seen under it."""
        return replace(self.list_refuted(self.failures)[0], promise=promise)

    def list_changed(self, before: InferenceVerdict) -> list[str]:
        """Return the laws that break under this contract alone, then those that break otherwise."""
        codes = sorted(self.failures, key=in_order)
        new = [code for code in codes if code not in {*before.failures, *before.anyway}]
        both = [code for code in codes if code in before.failures]
        return new + [code for code in both if _words(before.failures[code]) != _words(self.failures[code])]


def _words(failure: Failure) -> str:
    """Return what was seen of a law without the numbers: the kind of mistake."""
    return re.sub(r"\d+", "", failure.message).partition(" (")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """The strictest contract that was found to hold for a target.

    ``left`` are the laws that it breaks under the nearest contract, ``excused`` those that it would break but
    for that, and that nobody would choose to excuse; where there are any, ``contract`` is not to be used
    before they are fixed. ``anyway`` are those that no contract excuses. ``signs`` say what the target does
    that speaks for the contract; if that is not meant, the laws ``doubted`` are the bug. ``unsure`` names
    laws that stayed undecided.
    """

    target: str
    contract: Contract
    promises: tuple[Promise, ...]
    stricter: tuple[Refuted, ...]
    left: tuple[Refuted, ...]
    excused: tuple[Refuted, ...]
    anyway: tuple[Refuted, ...]
    unsure: dict[str, str]
    signs: tuple[str, ...]
    doubted: tuple[str, ...]
    cases: int
    asked: int

    @property
    def weaker(self) -> tuple[Promise, ...]:
        """The promises that are weaker than the default's: a design, or what a bug has written."""
        return tuple(promise for promise in self.promises if promise.is_weaker)
