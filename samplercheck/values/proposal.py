"""Proposal: the contract that a target seems to keep where it breaks the one it was judged by.

Made by the engine when a run is over, shown beside its verdict, which it never changes. Plain data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from samplercheck.values.wording import join_words, pluralise

SENTENCE = "Seems to {signs}: with --contract {words} {rest} (in {cases})."
ALL = "all hold"
REST = "all but {codes} hold"
HIDES = " It hides {codes}, broken for another reason, too: fix that first."
DOUBT = " If not meant, {codes} {are} the bug."


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Fields of a contract, and what the target was seen to do that speaks for them.

    Under it the laws ``settled`` are broken no more, and those ``left`` still are, or only now. Of the
    settled ones those ``doubted`` lose or repeat data, or let ranks wait: the contract allows it, and a bug
    may have written it. Those that it ``hides`` are left: it does not ask for them, and they are broken for
    another reason, too. Of those that break only now, or otherwise now, ``found`` says what was seen,
    ``often`` in how many cases, ``faults`` what is wrong and ``harms`` what it does to training where the law
    says otherwise, and ``hints`` where to look; what ``follows`` from another law that is left failed with it
    alone. It was judged by so many ``cases``.
    """

    contract: Mapping[str, Any]
    signs: tuple[str, ...]
    settled: tuple[str, ...]
    left: tuple[str, ...] = ()
    doubted: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    cases: int = 0
    found: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    often: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    harms: Mapping[str, str] = field(default_factory=dict)
    follows: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The contract as ``--contract`` takes it."""
        return ",".join(f"{name}={_word(value)}" for name, value in self.contract.items())

    @property
    def text(self) -> str:
        """All of it as one or two sentences."""
        rest = REST.format(codes=join_words(self.left)) if self.left else ALL
        cases = pluralise(self.cases, "case")
        said = SENTENCE.format(signs=join_words(self.signs), words=self.words, rest=rest, cases=cases)
        said += HIDES.format(codes=join_words(self.hides)) if self.hides else ""
        if not self.doubted:
            return said
        are = "is" if len(self.doubted) == 1 else "are"
        return said + DOUBT.format(codes=join_words(self.doubted), are=are)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
