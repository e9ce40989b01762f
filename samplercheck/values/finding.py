"""Outcome, Violation and Failure: what a law says of a trace, and what a run says of a law.

Made by laws and the engine, read by reports. An outcome is never a bool. Standard library alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import total_ordering
from typing import TYPE_CHECKING, Literal

from samplercheck.values.wording import HISTORY

if TYPE_CHECKING:
    from samplercheck.values.case import Case
    from samplercheck.values.scene import Scene

__all__ = [
    "NOT_HERE",
    "VACUOUS",
    "Evidence",
    "EvidenceKind",
    "Failure",
    "Grade",
    "Outcome",
    "Violation",
    "worst",
]

Grade = Literal["harm", "strict"]
"""Harm breaks a training run; what is strict is robustness that a normal run never meets."""

VACUOUS = "not checked: no case exercised it"
"""The reason of a law that is undecided because there was nothing to judge."""

NOT_HERE = "not checked: no case of this shard exercised it"
"""The same of a law that a shard had nothing for; another shard may have."""


@total_ordering
class Outcome(Enum):
    """What is known of a law; a larger outcome is worse."""

    NOT_APPLICABLE = "not_applicable"
    HOLDS = "holds"
    UNKNOWN = "unknown"
    BROKEN = "broken"

    def __lt__(self, other: object) -> bool:
        return _BADNESS[self] < _BADNESS[other] if isinstance(other, Outcome) else NotImplemented


_BADNESS = {outcome: number for number, outcome in enumerate(Outcome)}


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of the outcomes; of none, that nothing was applicable."""
    return max(outcomes, default=Outcome.NOT_APPLICABLE)


EvidenceKind = Literal[
    "",
    "absent",  # a new object's state lacks keys
    "afresh",  # fresh processes yield something else
    "ahead",  # one sample never comes less often than its like
    "alike",  # all passes of the experiment are
    "alive",  # a state that was handed out goes on changing
    "again",  # a pass repeats its own draws
    "back",  # a run that goes back to a state in its process does
    "begins again",  # after a pass that was given up, its order comes again
    "beside",  # another object disturbs one
    "counts",  # the state holds the number of steps, and a resumed run does not go on there
    "cycle",  # epochs that should hold every sample together do not
    "differs",  # some passes have more steps than len() says, and some fewer
    "divided",  # ranks are uneven, and nothing is left over
    "dry",  # all passes but the first are empty
    "early",  # a resumed run begins too early in its epoch
    "ends",  # a run that is resumed at the end of an epoch goes on wrongly, and no other
    "fails",  # len() does
    "few",  # there are few orders, which come again by chance
    "first",  # a run that is resumed in a later epoch goes on as the first one
    "goes on",  # a batch lies in two laps
    "grows",  # the pass has more steps than len() says
    "ignored",  # an argument makes no difference
    "instead",  # what comes again stands in the place of what is lost
    "in turn",  # ranks repeat others an epoch later
    "late",  # a resumed run begins too late in its epoch
    "laps",  # the laps of one pass are alike, or those of two ranks
    "left out",  # samples never come
    "looked at",  # a pass goes on counting from one that was given up
    "meant",  # another contract would be kept
    "moved",  # a global generator was
    "near",  # samples stay near their places
    "next",  # the epoch after a resumed one is another
    "over",  # a state of an end leads to no next epoch
    "pairs",  # too many are in order
    "part",  # epochs should hold the same part of the samples
    "plain",  # torch's BatchSampler is wrapped
    "rising",  # a pass goes up too often from sample to sample
    "raises",  # no run comes of it, but an exception
    "recurs",  # epochs have the orders of others
    "resumed",  # it is a loader with workers that went on from a state
    "saves",  # a run goes on otherwise once its state was saved
    "said",  # the length of the epoch after a resumed one is another
    "smaller",  # the dataset is smaller than the world, which need not be why
    "stands",  # many places hold the same samples in all epochs, and others do not
    "still",  # a rank yields the same in all epochs, and others do not: an order, or padding alone
    "successive",  # an epoch goes through the order of the one before
    "told",  # another law says the same
    "shrinks",  # the pass has fewer steps than len() says
    "whole",  # samples never come where no batch is to be dropped
    "unshuffled",  # epochs go up as the dataset does
    "turned",  # epochs are one order, begun elsewhere
    "unlike",  # all passes of the experiment are
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a violation is about, as data: what decides by it reads this, and never the words of ``found``.

    ``argument`` names the argument, the field of that contract or the generator, ``law`` the one that says
    the same, ``passes`` are the numbers of the passes in the experiment's record, or for each the first that
    is alike, ``epochs`` two that are alike, ``world_size`` is that of a world other than the case's. ``way``
    says which of several ways an experiment went (of a resumed run, or of workers), and ``stops`` after how
    many steps a run was stopped. ``supposes`` names laws: where they do not hold, this says no more than
    that, as where passes hold other samples by chance, or a rank is waited for that raised. No file holds it.
    """

    kind: EvidenceKind = ""
    argument: str = ""
    law: str = ""
    passes: tuple[int, ...] = ()
    epochs: tuple[int, ...] = ()
    world_size: int | None = None
    way: str = ""
    stops: tuple[int, ...] = ()
    supposes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One place where a trace breaks a law.

    ``found`` says what was seen, in words that name values; ``consequence``, ``fault`` and ``event`` are its
    own where they are not those of the law. ``chance`` bounds the probability that a sound target shows this
    by luck: 0 for what no luck explains; the engine gathers evidence until it is negligible. ``advice`` never
    breaks a run; what is "strict" is advice unless the run is. ``evidence`` is what ``found`` says, as data.
    """

    found: str
    rank: int | None = None
    epoch: int | None = None
    step: int | None = None
    indices: tuple[int, ...] = ()
    hint: str = ""
    consequence: str = ""
    fault: str = ""
    event: str = ""
    chance: float = 0.0
    advice: bool = False
    experiment: str = "epochs"
    detail: str = ""
    grade: Grade = "harm"
    evidence: Evidence = Evidence()

    def __post_init__(self) -> None:
        # A law may hand in what arrays hold; a violation is plain data.
        object.__setattr__(self, "indices", tuple(map(int, self.indices)))
        for name in ("rank", "epoch", "step"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, int(getattr(self, name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A broken law with its smallest case and the words that describe it.

    ``case`` is the smallest that fails, by which it is stored and run again. ``realistic_case`` is a larger
    one, easier to understand: ``shown`` is what was seen there, ``message`` says it, and ``grid`` is the
    picture of the offending epoch. Without it they are of the smallest. ``text`` is the whole block as the
    terminal shows it, ``world`` where the smallest case was seen to break the law.
    ``failing`` of the ``tried`` small cases break the law, ``alike`` of them as is shown, and in the others
    ``other`` is wrong; ``inside`` counts the small cases of the ``region``. These are 0 and empty where all
    fail alike, or nothing is known. A small case has at most ``longest`` samples; of ``larger_tried`` ones
    with more ``larger`` fail. In ``divided`` small ones that fail nothing is left over, which ranks could not
    share evenly. ``workers`` is the least number of them with which a case fails.
    ``region``, ``line`` and ``cause`` stay empty where no explanation stood its test: ``line`` is the line of
    the target's code that decided it; ``evidence`` is the test of the cause, ``fix`` what to do about it,
    ``usual`` what helps in most cases where neither says so, ``meant`` the field of a contract that would be
    kept, ``remedies`` what a wrapper may do about it, ``also`` the codes of other broken laws that have the
    same cause, ``follows`` the code of the broken law that this one is a consequence of. ``again`` are the
    lines of the command that runs the case again.
    ``scene`` is what the ranks did in the smallest realistic case, or else in the smallest, for pictures.
    ``experiments`` and ``before`` say how the case is seen to fail again, beyond the law's own experiments:
    which were run, and which cases in the same process before it. No report holds them.
    """

    case: Case
    violation: Violation
    realistic_case: Case | None = None
    shown: Violation | None = None
    grid: tuple[str, ...] = ()
    failing: int = 0
    tried: int = 0
    region: str = ""
    inside: int = 0
    alike: int = 0
    other: str = ""
    longest: int = 0
    larger: int = 0
    larger_tried: int = 0
    divided: int = 0
    workers: int = 0
    line: str = ""
    cause: str = ""
    text: str = ""
    violations: tuple[Violation, ...] = field(default=())
    world: str = "simulated"
    evidence: str = ""
    fix: str = ""
    usual: str = ""
    meant: str = ""
    remedies: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    follows: str = ""
    again: tuple[str, ...] = ()
    scene: Scene | None = None
    experiments: tuple[str, ...] = ()
    before: tuple[Case, ...] = ()

    @property
    def grade(self) -> Grade:
        """Whether it harms training, or is what only a strict run counts."""
        is_strict = all(one.grade == "strict" for one in (self.violation, *self.violations))
        return "strict" if is_strict else "harm"

    @property
    def needs_others(self) -> bool:
        """Whether it is seen behind others in the same process alone, which no token or script can say."""
        return bool(self.before) or self.cause.startswith(HISTORY)

    @property
    def message(self) -> str:
        """What was seen in the case that is shown, in one sentence."""
        return (self.shown or self.violation).found

    @property
    def shown_case(self) -> Case:
        """The case that the message and the picture are of."""
        return self.realistic_case if self.shown and self.realistic_case else self.case

    @property
    def hint(self) -> str:
        """How to fix it, as was tested; without a test where to look; empty where nothing can be said."""
        return self.fix or self.violation.hint
