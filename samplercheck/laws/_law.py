"""Law: a property with a code, a sentence and a pure function that judges a trace.

Each file of this package holds one judging function and, last, its ``LAW``. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from samplercheck.case import Case
    from samplercheck.contract import Contract
    from samplercheck.finding import Violation
    from samplercheck.trace import Trace

__all__ = ["READABLE", "Law", "Scope", "always"]

READABLE = (
    "epochs",
    "lengths",
    "jumps",
    "again",
    "interleaved",
    "abandoned",
    "seeds",
    "knobs",
    "pickled",
    "unplaced",
    "nonsense",
    "reference",
    "wrapped",
    "resumed",
    "resumed_again",
    "saved",
    "elastic",
    "in_step",
    "draws",
    "workers",
    "delivered",
)
"""The experiments that a law may read; a test compares the names with the experiments themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is known before any case is run: the contract, what the target names, what it yields.

    ``named`` holds the bound names that the target accepts ("shuffle", "batch_size", ...),
    ``kind`` is "samples" or "batches", ``traits`` are methods and roles ("set_epoch", "len", ...),
    among them "groups" where a world of process groups takes part in the run.
    """

    contract: Contract
    named: frozenset[str]
    kind: str = "samples"
    traits: frozenset[str] = frozenset()

    @property
    def can_shuffle(self) -> bool:
        """Whether some case of this target promises a shuffled order."""
        order = self.contract.order
        return order == "shuffled" or (order == "auto" and "shuffle" in self.named)

    @property
    def can_be_sequential(self) -> bool:
        """Whether some case of this target promises the dataset's own order."""
        return self.contract.order in ("auto", "sequential")

    @property
    def can_drop(self) -> bool:
        """Whether some case of this target may drop samples."""
        tail = self.contract.tail
        return tail == "drop" or (tail == "auto" and "drop_last" in self.named)


def always(_: object) -> bool:
    """Apply under every contract, or look at every case."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A property of samplers.

    ``statement`` is one sentence that a user can disagree with; ``consequence`` is what happens in
    training ("would hang", "loses data" ...). ``reads`` names the experiments whose records the
    judge needs. ``applies`` decides once for a target, ``sees`` for each case whether there is
    anything to look at, ``judge`` yields what is broken and reads nothing but the trace.
    A law that ``wants`` cases of its own is judged on those alone, in a phase that makes them.
    ``compares`` says that it compares passes which only a deterministic target repeats, ``on_sight``
    that a target in which no case shows what it is about is none of its business, ``to_the_end`` that it
    would err about passes of which the rest could not be read.
    """

    code: str
    name: str
    statement: str
    consequence: str
    judge: Callable[[Trace], Iterable[Violation]]
    reads: tuple[str, ...] = ("epochs",)
    applies: Callable[[Scope], bool] = always
    sees: Callable[[Trace], bool] = always
    wants: Callable[[Case], bool] = always
    despite_faults: bool = False
    compares: bool = False
    on_sight: bool = False
    to_the_end: bool = False
    advice: bool = False
    why: str = ""
    mend: str = ""
    intended: str = ""

    @property
    def label(self) -> str:
        """Code and name, as in ``SC104-equal-steps``."""
        return f"{self.code}-{self.name}"
